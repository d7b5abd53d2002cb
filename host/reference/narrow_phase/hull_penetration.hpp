// Depth and normal of convex hulls by trying everything that docs/convex_hulls.md names: every face, every pair of
// edges, and apart every two features. Slow, and simple enough to check by reading. Coordinates are relative to the
// position of A; c is the vector from A's position to B's, and a normal points from B toward A.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "hulls/convex_hull.hpp"
#include "reference/narrow_phase/least_penetration.hpp"

namespace oclide::reference {

/// A hull whose axes are turned into the world's, about its position.
struct TurnedHull {
  struct Face {
    dvec3 normal;                // unit, outward
    std::vector<dvec3> corners;  // counter-clockwise from outside [m]
  };
  std::vector<dvec3> vertices;  // [m]
  std::vector<Face> faces;
  std::vector<std::array<dvec3, 2>> edges;   // both ends [m]
  std::vector<std::array<dvec3, 4>> beside;  // of each edge: what its faces have before and behind it [m]

  /// h(n) of the definition: the greatest n.v [m].
  [[nodiscard]] double reach(dvec3 n) const;
};

/// `axes`: the body's axes in the world, as columns.
[[nodiscard]] TurnedHull turned_hull(const ConvexHull& hull, const dmat3& axes);

/// A box, and the segment from -half to half, as the hulls that they are.
[[nodiscard]] TurnedHull box_as_hull(const Body& box);
[[nodiscard]] TurnedHull segment_as_hull(dvec3 half);

/// Two points, one of each solid, and how far they are from each other [m].
struct NearestPoints {
  double distance = std::numeric_limits<double>::infinity();
  dvec3 of_a{0.0}, of_b{0.0};

  /// The first of equal ones stays.
  void offer(dvec3 a, dvec3 b) {
    if (const double d = glm::distance(a, b); d < distance) distance = d, of_a = a, of_b = b;
  }
};

/// Of two solids that are apart or touch; b stands at c.
[[nodiscard]] NearestPoints nearest_points(const TurnedHull& a, const TurnedHull& b, dvec3 c);

/// f(n) of the definition [m].
[[nodiscard]] double hull_overlap_along(const TurnedHull& a, const TurnedHull& b, dvec3 c, dvec3 n);

/// Empty when they are `apart` or farther from each other [m].
[[nodiscard]] std::optional<LeastPenetration> hull_hull(const TurnedHull& a, const TurnedHull& b, dvec3 c,
                                                        double apart);

/// A is a sphere.
[[nodiscard]] LeastPenetration sphere_hull(double radius, const TurnedHull& b, dvec3 c);

/// A direction and the overlap along it [m].
struct HullCandidate {
  double overlap = std::numeric_limits<double>::infinity();
  dvec3 normal{0.0};

  /// The first of equal ones stays.
  void offer(double f, dvec3 n) {
    if (f < overlap) overlap = f, normal = n;
  }
};

/// "Choice" of the definition: the normal of `least`, or that of a face of A or B; these are the best of each. `size`
/// is that of both solids [m].
[[nodiscard]] dvec3 chosen_normal(const HullCandidate& least, const HullCandidate& face_a, const HullCandidate& face_b,
                                  double size);

/// B is the half space below its plane, with the outward unit normal `up`.
[[nodiscard]] LeastPenetration hull_half_space(const TurnedHull& a, dvec3 up, dvec3 c);

}  // namespace oclide::reference
