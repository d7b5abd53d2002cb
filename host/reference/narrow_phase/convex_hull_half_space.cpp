#include "reference/narrow_phase/body_pair.hpp"
#include "reference/narrow_phase/hull_penetration.hpp"

namespace oclide::reference {

Penetration convex_hull_half_space(const Body& a, const Body& b, dvec3 c, double apart) {
  const LeastPenetration least = hull_half_space(turned_hull(*a.hull, a.axes), b.axis(), c);
  return unless_apart(least.depth, least.normal, apart);
}

}  // namespace oclide::reference
