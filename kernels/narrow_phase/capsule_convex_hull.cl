#define PAIR_A SHAPE_CAPSULE
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void capsule_convex_hull(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  (void)a;
  (void)b;
  (void)c;
  (void)margin;
  (void)m;
}

PAIR_KERNEL(narrow_phase_capsule_convex_hull, SHAPE_CAPSULE, SHAPE_CONVEX_HULL, capsule_convex_hull)
