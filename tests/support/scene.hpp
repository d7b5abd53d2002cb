// A scene together with the poses of its bodies.
#pragma once

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <numbers>
#include <random>

#include "hulls/convex_hull.hpp"
#include "oclide/oclide.hpp"

namespace oclide::test {

using glm::dquat;
using glm::dvec2;
using glm::dvec3;

inline const dquat kUpright{1.0, 0.0, 0.0, 0.0};

/// Turn by `angle` [rad] about an axis of any length.
dquat turn(dvec3 axis, double angle);
inline constexpr double kQuarter = 0.5 * std::numbers::pi;  ///< of a turn [rad]
/// Turns of a body's z axis to x and y.
inline const dquat kAlongX = turn({0, 1, 0}, kQuarter), kAlongY = turn({1, 0, 0}, kQuarter);
/// Uniform over all orientations.
dquat random_orientation(std::mt19937_64& random);

struct BodySpec {
  Shape shape = Shape::sphere;
  std::array<double, 3> size{};
  dvec3 position{0.0};
  dquat orientation = kUpright;
  std::uint32_t environment = 0;
  const ConvexHull* hull = nullptr;  // of a convex hull; it outlives the body. TestScene has no use for it.
};

BodySpec sphere(double radius, dvec3 position);
BodySpec box(dvec3 half_extents, dvec3 position, dquat orientation = kUpright);
BodySpec cylinder(double radius, double half_length, dvec3 position, dquat orientation = kUpright);
BodySpec capsule(double radius, double half_length, dvec3 position, dquat orientation = kUpright);
BodySpec convex_hull(const ConvexHull& hull, dvec3 position, dquat orientation = kUpright);
/// Sphere, box, cylinder or capsule, in turn for k = 0, 1, 2, 3 and so on, about as large as a sphere of this radius.
BodySpec of_any_shape(std::size_t k, double radius, dvec3 position, dquat orientation);
/// Solid below its local plane z = 0.
BodySpec half_space(dvec3 position, dquat orientation = kUpright);

struct TestScene {
  Scene scene;
  std::vector<double> position, orientation;
  bool bodies_meet = false;  ///< when not, all are of one group: tests of terrain put them where they like

  TestScene() = default;
  /// Without terrain, and the bodies meet.
  explicit TestScene(const std::vector<BodySpec>& bodies) : bodies_meet(true) {
    for (const BodySpec& b : bodies) add(b);
  }
  explicit TestScene(Terrain terrain) { scene.terrains.push_back(std::move(terrain)); }
  TestScene(Terrain terrain, const std::vector<BodySpec>& bodies) : TestScene(std::move(terrain)) {
    for (const BodySpec& b : bodies) add(b);
  }
  void add(const BodySpec& body);
  [[nodiscard]] Poses poses() const { return {position, orientation}; }
};

/// Spheres, boxes, cylinders and capsules at random places on rough ground, some overlapping; one in seven is in an
/// environment of its own, over a half space instead; one body is large.
TestScene heap(std::size_t bodies, std::uint64_t seed);

}  // namespace oclide::test
