// The box's deepest corner along the plane's normal.
#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration box_half_space(const Body& a, const Body& b, dvec3 c, double apart) {
  const dvec3 m = b.axis();
  const double reach = glm::dot(a.size, glm::abs(m * a.axes));
  return unless_apart(glm::dot(c, m) + reach, m, apart);
}

}  // namespace oclide::reference
