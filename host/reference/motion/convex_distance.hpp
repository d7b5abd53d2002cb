// The distance of two convex solids from below and from above, by their farthest points alone.
#pragma once

#include "reference/motion/moving_solid.hpp"

namespace oclide::reference {

/// Without rounding: spheres are points, capsules segments.
struct ConvexDistance {
  double lower = 0.0;  // along `normal` they are this far apart, proven by a plane on either side; 0: unknown [m]
  double upper = 0.0;  // of `on_a` and `on_b` [m]
  dvec3 normal{0.0};   // unit, from B toward A; zero where none separates them
  dvec3 on_a{0.0}, on_b{0.0};  // [m]
};

/// Until upper - rounding is no more than `enough`, or lower - rounding is at least upper - rounding but for the part
/// `error` of it, or rounding of numbers ends the search.
[[nodiscard]] ConvexDistance convex_distance(const PlacedSolid& a, const PlacedSolid& b, double error, double enough);

}  // namespace oclide::reference
