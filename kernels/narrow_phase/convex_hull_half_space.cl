#include "pairs/half_space.clh"
#pragma OPENCL FP_CONTRACT OFF

void convex_hull_half_space(const Body* a, float3 n, float height, float margin, Manifold* m) {
  (void)a;
  (void)n;
  (void)height;
  (void)margin;
  (void)m;
}

HALF_SPACE_KERNEL(narrow_phase_convex_hull_half_space, SHAPE_CONVEX_HULL, convex_hull_half_space)
