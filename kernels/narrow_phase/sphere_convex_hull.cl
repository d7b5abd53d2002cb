#define PAIR_A SHAPE_SPHERE
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_convex_hull(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  (void)a;
  (void)b;
  (void)c;
  (void)margin;
  (void)m;
}

PAIR_KERNEL(narrow_phase_sphere_convex_hull, SHAPE_SPHERE, SHAPE_CONVEX_HULL, sphere_convex_hull)
