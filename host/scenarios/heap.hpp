// Heaps: bodies of four shapes, or hulls, that lie on the ground and against each other with small overlaps, made
// without dynamics. Bodies are put on the sites of a dense lattice that are inside an outline, and push each other
// apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"

namespace oclide::scenario {

/// A body and where it is.
struct PlacedBody {
  Shape shape = Shape::sphere;
  std::array<double, 3> size{};
  glm::dvec3 position{};
  glm::dquat orientation{1.0, 0.0, 0.0, 0.0};
};

/// As Scene::hulls.
using HullPoints = std::vector<std::vector<std::array<double, 3>>>;

/// How far A must move along some direction to be clear of B, the least of those tried: no less than the penetration.
/// Negative: they are apart. `hulls`: those that the bodies' sizes name.
[[nodiscard]] double overlap_bound(const PlacedBody& a, const PlacedBody& b, const HullPoints& hulls = {});
/// How far a body reaches from its position along the unit vector n.
[[nodiscard]] double reach_along(const PlacedBody& body, const glm::dvec3& n, const HullPoints& hulls = {});

/// The ground at a place: a point of it and the unit normal there.
struct GroundPlane {
  glm::dvec3 point{};
  glm::dvec3 normal{0.0, 0.0, 1.0};
};
using GroundPlanes = std::function<GroundPlane(double x, double y)>;

/// Where a heap may be.
struct HeapOutline {
  std::array<double, 2> low{};   ///< corner of the lattice, x and y [m]
  std::array<double, 2> high{};  ///< the other corner
  double top = 0.0;              ///< of the lattice above the ground [m]
  /// The sites with the lowest level are taken; z is above the ground.
  std::function<double(double x, double y, double z)> level;
};

/// The outline of one heap of this many bodies about (x, y): a paraboloid.
[[nodiscard]] HeapOutline paraboloid(std::size_t bodies, double x, double y);
/// Heaps here and there in this rectangle, flat ground between them: noise of this wavelength [m].
[[nodiscard]] HeapOutline scattered_heaps(std::array<double, 2> low, std::array<double, 2> high, double wavelength,
                                          std::uint64_t seed);
/// The ground area that scattered heaps of this many bodies need [m^2].
[[nodiscard]] double scattered_area(std::size_t bodies);

/// Spheres, boxes, cylinders and capsules of 0.2 to 0.5 m, in any order; nearly all of them touch something. Where
/// there are `hulls`, of a like size, all bodies are of those.
[[nodiscard]] std::vector<PlacedBody> make_heap(std::size_t bodies, const HeapOutline& outline,
                                                const GroundPlanes& ground, std::uint64_t seed, std::uint64_t stream,
                                                const HullPoints& hulls = {});

/// Puts a body at its place in frame `index`; every fifth one trembles about it, by up to 5 mm and 0.01 rad.
void put_trembling(Frame& frame, std::size_t number, const PlacedBody& body, std::size_t index, std::uint64_t seed);

}  // namespace oclide::scenario
