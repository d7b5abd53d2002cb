#define PAIR_A SHAPE_BOX
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void box_convex_hull(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  (void)a; (void)b; (void)c; (void)margin; (void)m;
}

PAIR_KERNEL(narrow_phase_box_convex_hull, SHAPE_BOX, SHAPE_CONVEX_HULL, box_convex_hull)
