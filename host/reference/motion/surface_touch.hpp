// When a moving solid comes to touch what has many elements: the ground, or a triangle mesh.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/motion/first_touch.hpp"

namespace oclide::reference {

/// Of a body and whatever it touches.
struct SurfaceTouch {
  Touch touch;            // A is the solid, B the surface
  std::uint32_t element;  // the lowest of those that are touched at that time; kNone where there are none
  std::uint8_t material;
};

/// A part of a surface that is convex: a triangle of a mesh, or of the ground with all that is below it, down to more
/// than a metre below whatever it was asked for.
struct SurfaceElement {
  MovingSolid solid;
  std::uint32_t element;
  std::uint8_t material;
  std::array<dvec3, 3> triangle;  // its corners at time 0 [m]
  dvec3 normal;                   // its, unit, at time 0
};

/// Minus infinity where a terrain has no heights [m].
[[nodiscard]] double highest_of(const Terrain& terrain);

/// The ground. Points are from `origin` [m].
struct TerrainToTouch {
  const Terrain& terrain;
  double highest;  // of all its heights, however high the origin [m]
  dvec3 origin;

  /// `looked_at` grows by the number of elements that came near.
  [[nodiscard]] std::optional<SurfaceTouch> first_touch(const MovingSolid& a, const TouchLimits& limits,
                                                        std::uint64_t& looked_at) const;
  /// Those within a distance of the solid at a time, and some more.
  [[nodiscard]] std::vector<SurfaceElement> elements_at(const MovingSolid& a, double t, double within) const;
};

/// A mesh that moves; `axes` are its axes at time 0.
struct MeshToTouch {
  const TriangleMesh& mesh;
  dmat3 axes;
  dvec3 from_pivot;  // to its position [m]
  SolidMotion motion;

  /// `middle_of_a`: a point of A at time 0.
  [[nodiscard]] std::optional<SurfaceTouch> first_touch(const MovingSolid& a, dvec3 middle_of_a,
                                                        const TouchLimits& limits, std::uint64_t& looked_at) const;
  [[nodiscard]] std::vector<SurfaceElement> elements_at(const MovingSolid& a, double t, double within) const;
};

}  // namespace oclide::reference
