// The hull's point nearest to the sphere's centre; from inside, the nearest face.
#include "reference/narrow_phase/body_pair.hpp"
#include "reference/narrow_phase/hull_penetration.hpp"

namespace oclide::reference {

Penetration sphere_convex_hull(const Body& a, const Body& b, dvec3 c, double apart) {
  const LeastPenetration least = sphere_hull(a.radius(), turned_hull(*b.hull, b.axes), c);
  return unless_apart(least.depth, least.normal, apart);
}

}  // namespace oclide::reference
