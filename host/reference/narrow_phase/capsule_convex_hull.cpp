#include "reference/narrow_phase/body_pair.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {

Penetration capsule_convex_hull(const Body& /*a*/, const Body& b, dvec3 /*c*/, double /*apart*/) {
  no_geometry("pair", b.shape);
}

}  // namespace oclide::reference
