// Sphere against half space: its lowest point; see docs/body_contacts.md. Launch and output:
// kernels/pairs/half_space.clh. Reference: host/reference/narrow_phase/sphere_half_space.cpp.
#include "pairs/half_space.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_half_space(const Body* a, float3 n, float height, float margin, Manifold* m) {
  const float depth = a->size.x - height;
  if (depth > -margin) manifold_add(m, n * -a->size.x, depth, pair_feature(0u, 0u));
}

HALF_SPACE_KERNEL(narrow_phase_sphere_half_space, SHAPE_SPHERE, sphere_half_space)
