// The cylinder's point nearest to the sphere's centre: side, base or rim; from inside, the nearer of side and bases.
#include <algorithm>
#include <cmath>

#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration sphere_cylinder(const Body& a, const Body& b, dvec3 c, double apart) {
  // The sphere's centre: z along the axis, r across it in direction `outward`.
  const double z = glm::dot(-c, b.axis());
  const dvec3 across = -c - z * b.axis();
  const double r = glm::length(across);
  const dvec3 outward = r > kOnAxis * (b.radius() + b.half_length()) ? across / r : b.axes[0];
  const dvec3 up = std::copysign(1.0, z) * b.axis();

  const double past_side = r - b.radius(), past_base = std::abs(z) - b.half_length();
  if (past_side <= 0.0 && past_base <= 0.0) {
    const bool base = past_base >= past_side;
    return unless_apart(a.radius() - std::max(past_base, past_side), base ? up : outward, apart);
  }
  const dvec3 way = std::max(past_side, 0.0) * outward + std::max(past_base, 0.0) * up;
  const double distance = glm::length(way);
  return unless_apart(a.radius() - distance, way / distance, apart);
}

}  // namespace oclide::reference
