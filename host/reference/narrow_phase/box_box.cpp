// By search over all directions.
#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration box_box(const Body& a, const Body& b, dvec3 c, double apart) {
  return least_penetration(a, b, c, apart);
}

}  // namespace oclide::reference
