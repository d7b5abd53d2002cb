// The line of centres.
#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration sphere_sphere(const Body& a, const Body& b, dvec3 c, double apart) {
  const double distance = glm::length(c);
  const dvec3 normal = distance > 0.0 ? -c / distance : dvec3(0.0, 0.0, 1.0);
  return unless_apart(a.radius() + b.radius() - distance, normal, apart);
}

}  // namespace oclide::reference
