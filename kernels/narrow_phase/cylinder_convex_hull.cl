#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void cylinder_convex_hull(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  (void)a;
  (void)b;
  (void)c;
  (void)margin;
  (void)m;
}

PAIR_KERNEL(narrow_phase_cylinder_convex_hull, SHAPE_CYLINDER, SHAPE_CONVEX_HULL, cylinder_convex_hull)
