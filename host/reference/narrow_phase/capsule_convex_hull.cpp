// The segment against the hull, less the radius.
#include "reference/narrow_phase/body_pair.hpp"
#include "reference/narrow_phase/hull_penetration.hpp"

namespace oclide::reference {

Penetration capsule_convex_hull(const Body& a, const Body& b, dvec3 c, double apart) {
  Penetration least =
      hull_hull(segment_as_hull(a.half_length() * a.axis()), turned_hull(*b.hull, b.axes), c, apart + a.radius());
  if (least) least->depth += a.radius();
  return least;
}

}  // namespace oclide::reference
