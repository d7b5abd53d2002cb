// The deepest point of the capsule's lower ball along the plane's normal.
#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration capsule_half_space(const Body& a, const Body& b, dvec3 c, double apart) {
  const dvec3 m = b.axis();
  const double reach = a.half_length() * glm::abs(glm::dot(a.axis(), m)) + a.radius();
  return unless_apart(glm::dot(c, m) + reach, m, apart);
}

}  // namespace oclide::reference
