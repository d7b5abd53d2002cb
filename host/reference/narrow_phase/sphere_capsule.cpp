// The nearest point of the capsule's segment.
#include <algorithm>

#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration sphere_capsule(const Body& a, const Body& b, dvec3 c, double apart) {
  const double z = std::clamp(glm::dot(-c, b.axis()), -b.half_length(), b.half_length());
  const dvec3 way = -c - z * b.axis();
  const double distance = glm::length(way);
  const bool off_axis = distance > kOnAxis * (b.radius() + b.half_length());
  return unless_apart(a.radius() + b.radius() - distance, off_axis ? way / distance : b.axes[0], apart);
}

}  // namespace oclide::reference
