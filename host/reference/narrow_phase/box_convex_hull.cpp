// The box as the hull of its corners.
#include "reference/narrow_phase/body_pair.hpp"
#include "reference/narrow_phase/hull_penetration.hpp"

namespace oclide::reference {

Penetration box_convex_hull(const Body& a, const Body& b, dvec3 c, double apart) {
  return hull_hull(box_as_hull(a), turned_hull(*b.hull, b.axes), c, apart);
}

}  // namespace oclide::reference
