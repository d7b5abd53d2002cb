// Box against convex hull; see docs/convex_hulls.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/box_convex_hull.cpp.
#define PAIR_A SHAPE_BOX
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/polytope_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

void box_convex_hull(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  polytope_hull(SHAPE_BOX, a, b, c, margin, m);
}

PAIR_KERNEL(narrow_phase_box_convex_hull, SHAPE_BOX, SHAPE_CONVEX_HULL, box_convex_hull)
