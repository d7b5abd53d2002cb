// The shapes, by what the definition of a contact asks of them. A body stands at the origin of a frame that has the
// directions of the world and the body's centre as its origin, so that nothing here loses digits far from home.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "hulls/convex_hull.hpp"
#include "meshes/triangle_mesh.hpp"
#include "oclide/oclide.hpp"

namespace oclide::reference {

using glm::dmat3;
using glm::dvec2;
using glm::dvec3;

/// A ball of radius `radius` around `centre`; the body is the convex hull of its rounded points (not for cylinders).
struct RoundedPoint {
  dvec3 centre;   // [m]
  double radius;  // [m]
};

/// Where the vertical line through a point enters the body from below.
struct LowestPoint {
  double z;            // [m]
  dvec3 inner_normal;  // unit, points into the body
};

/// A point a + t (b - a) of a segment and its height over the lowest point of the body on the same vertical.
struct Gap {
  double t;
  double height;  // [m]
};

/// The part of a line p + t d between two parameters; infinite ends where a half space has them.
struct LineInterval {
  double lo, hi;    // [m]
  dvec3 normal_lo;  // unit, outward, where the line enters; zero where it never does
};

/// The corners of a box along the world's axes.
struct Bounds {
  dvec3 lower, upper;  // [m]
};

struct Body {
  Shape shape = Shape::sphere;
  dvec3 size{0.0};                   // as in Bodies::size [m]
  dmat3 axes{1.0};                   // columns: the body's axes in the world, orthonormal
  const ConvexHull* hull = nullptr;  // of a convex hull; of the scene, which outlives the body, or `own_hull`
  std::shared_ptr<const ConvexHull> own_hull{};  // of an eroded one
  const TriangleMesh* mesh = nullptr;            // of a triangle mesh; of the scene, which outlives the body

  [[nodiscard]] dvec3 axis() const { return axes[2]; }
  [[nodiscard]] double radius() const { return size.x; }
  [[nodiscard]] double half_length() const { return size.y; }

  /// Where the body stands, for what the ground asks over one point: of a convex hull the middle of its volume.
  [[nodiscard]] dvec3 middle() const { return hull ? axes * hull->centroid : dvec3(0.0); }
  /// The point of the body farthest along `direction` (any one of them where there are several). Not of half spaces.
  [[nodiscard]] dvec3 support(dvec3 direction) const;
  /// Distance to the body's surface, negative inside. Exact inside and outside.
  [[nodiscard]] double signed_distance(dvec3 point) const;
  /// The point of the body that is nearest to a point outside of it. Not of half spaces.
  [[nodiscard]] dvec3 nearest(dvec3 point) const;
  /// Empty where the vertical through `at` misses the body.
  [[nodiscard]] std::optional<LowestPoint> lowest_on_vertical(dvec2 at) const;
  /// The part of the line through a point along a unit vector that is in the body; empty where it misses.
  [[nodiscard]] std::optional<LineInterval> interval_on_line(dvec3 point, dvec3 direction) const;
  /// The greatest gap along a segment that is not vertical, by search; empty where no vertical meets both.
  [[nodiscard]] std::optional<Gap> greatest_gap(dvec3 a, dvec3 b) const;
  /// Of the bounding sphere around the centre [m].
  [[nodiscard]] double bounding_radius() const;
  [[nodiscard]] Bounds bounds() const;
  /// Sphere: 1; capsule: 2; box, convex hull: its corners, of radius 0; cylinder: none.
  [[nodiscard]] std::vector<RoundedPoint> rounded_points() const;
  /// All points of the body that stay in it when moved by any vector up to `distance`; of a convex hull, most of them.
  /// Empty when nothing is left.
  [[nodiscard]] std::optional<Body> eroded(double distance) const;
};

/// `orientation` is a quaternion w, x, y, z of any non-zero length.
[[nodiscard]] Body make_body(Shape shape, std::array<double, 3> size, std::array<double, 4> orientation,
                             const ConvexHull* hull = nullptr, const TriangleMesh* mesh = nullptr);

}  // namespace oclide::reference
