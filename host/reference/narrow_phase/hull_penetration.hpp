// Depth and normal of convex hulls by trying everything that docs/convex_hulls.md names: every face, every pair of
// edges, and apart every two features. Slow, and simple enough to check by reading. Coordinates are relative to the
// position of A; c is the vector from A's position to B's, and a normal points from B toward A.
#pragma once

#include <array>
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
  std::vector<std::array<dvec3, 2>> edges;  // both ends [m]

  /// h(n) of the definition: the greatest n.v [m].
  [[nodiscard]] double reach(dvec3 n) const;
};

/// `axes`: the body's axes in the world, as columns.
[[nodiscard]] TurnedHull turned_hull(const ConvexHull& hull, const dmat3& axes);

/// f(n) of the definition [m].
[[nodiscard]] double hull_overlap_along(const TurnedHull& a, const TurnedHull& b, dvec3 c, dvec3 n);

[[nodiscard]] LeastPenetration hull_hull(const TurnedHull& a, const TurnedHull& b, dvec3 c);

/// A is a sphere.
[[nodiscard]] LeastPenetration sphere_hull(double radius, const TurnedHull& b, dvec3 c);

/// B is the half space below its plane, with the outward unit normal `up`.
[[nodiscard]] LeastPenetration hull_half_space(const TurnedHull& a, dvec3 up, dvec3 c);

}  // namespace oclide::reference
