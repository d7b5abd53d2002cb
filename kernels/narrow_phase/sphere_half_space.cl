// Sphere against half space; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/sphere_half_space.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_half_space(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_sphere_half_space, SHAPE_SPHERE, SHAPE_HALF_SPACE, sphere_half_space)
