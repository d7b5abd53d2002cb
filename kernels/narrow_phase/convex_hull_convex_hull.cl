// Convex hull against convex hull; see docs/convex_hulls.md. Launch and output: kernels/pairs/meeting.clh. Reference:
// host/reference/narrow_phase/convex_hull_convex_hull.cpp.
#define LARGE_ON_GPU
#define PAIR_A SHAPE_CONVEX_HULL
#define PAIR_B SHAPE_CONVEX_HULL
#define MANIFOLDS_LATER
#define SEARCH_WORDS 116u  // PolytopeSearch (pairs/polytope_hull.clh)
#include "pairs/polytope_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

bool convex_hull_convex_hull(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  return polytope_hull(SHAPE_CONVEX_HULL, a, b, c, margin, found);
}
bool convex_hull_convex_hull_is_long(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  return polytope_hull_is_long(SHAPE_CONVEX_HULL, a, b, c, margin, found);
}

MEETING_KERNEL(narrow_phase_convex_hull_convex_hull, SHAPE_CONVEX_HULL, SHAPE_CONVEX_HULL, convex_hull_convex_hull,
               true, convex_hull_convex_hull_is_long)
