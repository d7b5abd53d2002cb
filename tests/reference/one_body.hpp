// One body on one terrain, as the reference sees it: what the tests of this folder share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "oclide/oclide.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/terrain_range.hpp"

namespace oclide::test {

using glm::dvec2;
using glm::dvec3;
using reference::Body;
using reference::GroundContact;
using reference::TerrainSurface;
using reference::TerrainView;

using Quaternion = std::array<double, 4>;  // w, x, y, z
inline constexpr Quaternion kUpright{1.0, 0.0, 0.0, 0.0};
inline constexpr dvec3 kUp{0.0, 0.0, 1.0};
inline constexpr double kHalfTurn = 3.14159265358979323846;

/// Closed forms and the reference differ by rounding of doubles near 1 alone.
inline constexpr double kRounding = 1e-9;

inline Quaternion turn(dvec3 axis, double angle) {
  axis = glm::normalize(axis) * std::sin(angle / 2.0);
  return {std::cos(angle / 2.0), axis.x, axis.y, axis.z};
}

// Turns of a body's z axis to x and y.
inline const Quaternion kAlongX = turn({0.0, 1.0, 0.0}, kHalfTurn / 2.0);
inline const Quaternion kAlongY = turn({1.0, 0.0, 0.0}, kHalfTurn / 2.0);

inline double flat(double, double) {
  return 0.0;
}
inline double roof(double x, double) {
  return -0.5 * std::abs(x);
}

/// rows x cols vertices from `origin` on, with heights from a function of x and y.
inline Terrain make_terrain(std::size_t rows, std::size_t cols, std::array<double, 2> origin,
                            std::array<double, 2> spacing, const std::function<double(double, double)>& height) {
  Terrain t;
  t.rows = rows, t.cols = cols, t.origin = origin, t.spacing = spacing;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      t.heights.push_back(
          height(origin[0] + static_cast<double>(j) * spacing[0], origin[1] + static_cast<double>(i) * spacing[1]));
  return t;
}

/// 7 x 9 vertices, 1 m apart, around the origin, which is a vertex: x from -4 to 4, y from -3 to 3.
inline Terrain around_origin(const std::function<double(double, double)>& height) {
  return make_terrain(7, 9, {-4.0, -3.0}, {1.0, 1.0}, height);
}

struct OneBody {
  Shape shape;
  std::array<double, 3> size;
  dvec3 position;
  Quaternion orientation = kUpright;
  std::shared_ptr<const ConvexHull> hull{};  // of a convex hull

  [[nodiscard]] Body body() const { return reference::make_body(shape, size, orientation, hull.get()); }
  [[nodiscard]] TerrainSurface ground(const Terrain& terrain, double margin = 0.0) const {
    const TerrainView view(terrain, position);
    return {view, reference::terrain_range(view, body(), margin)};
  }
  /// All contacts, held or nearly held, relative to the centre.
  [[nodiscard]] std::vector<GroundContact> all(const Terrain& terrain, double margin = 0.0) const {
    return reference::ground_contacts(body(), ground(terrain, margin), margin);
  }
  [[nodiscard]] std::vector<GroundContact> contacts(const Terrain& terrain, double margin = 0.0) const {
    return reference::held(all(terrain, margin));
  }
  /// After contact reduction.
  [[nodiscard]] std::vector<std::vector<GroundContact>> manifolds(const Terrain& terrain, double margin = 0.0) const {
    return reference::reduce_contacts(contacts(terrain, margin));
  }
};

inline double deepest(const std::vector<GroundContact>& contacts) {
  double depth = 0.0;
  for (const GroundContact& c : contacts) depth = std::max(depth, c.depth);
  return depth;
}

/// The deepest contact whose normal is within `angle` of m; null when there is none.
inline const GroundContact* find(const std::vector<GroundContact>& contacts, dvec3 m, double angle = 1e-6) {
  const GroundContact* best = nullptr;
  for (const GroundContact& c : contacts)
    if (glm::distance(c.normal, glm::normalize(m)) <= angle && (!best || c.depth > best->depth)) best = &c;
  return best;
}

/// Extent of the points of a manifold along a direction.
struct Extent {
  double least = 1e300, greatest = -1e300;
};
inline Extent extent(const std::vector<GroundContact>& manifold, dvec3 along) {
  Extent e;
  for (const GroundContact& c : manifold) {
    e.least = std::min(e.least, glm::dot(c.point, along));
    e.greatest = std::max(e.greatest, glm::dot(c.point, along));
  }
  return e;
}

inline void expect_near(dvec3 a, dvec3 b, double tolerance = kRounding) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

/// One manifold with this normal and depth of its deepest contact.
inline void expect_one_manifold(const std::vector<std::vector<GroundContact>>& manifolds, dvec3 normal, double depth,
                                std::size_t points) {
  ASSERT_EQ(manifolds.size(), 1u);
  EXPECT_EQ(manifolds[0].size(), points);
  expect_near(manifolds[0][0].normal, glm::normalize(normal));
  EXPECT_NEAR(manifolds[0][0].depth, depth, kRounding);
}

}  // namespace oclide::test
