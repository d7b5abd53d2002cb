// The cylinder's deepest rim point along the plane's normal.
#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration cylinder_half_space(const Body& a, const Body& b, dvec3 c, double apart) {
  const dvec3 m = b.axis();
  const double reach =
      a.half_length() * glm::abs(glm::dot(a.axis(), m)) + a.radius() * glm::length(glm::cross(a.axis(), m));
  return unless_apart(glm::dot(c, m) + reach, m, apart);
}

}  // namespace oclide::reference
