#define PAIR_A SHAPE_CONVEX_HULL
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void convex_hull_convex_hull(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  (void)a; (void)b; (void)c; (void)margin; (void)m;
}

PAIR_KERNEL(narrow_phase_convex_hull_convex_hull, SHAPE_CONVEX_HULL, SHAPE_CONVEX_HULL, convex_hull_convex_hull)
