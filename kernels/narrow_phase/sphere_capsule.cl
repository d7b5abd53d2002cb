// Sphere against capsule; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/sphere_capsule.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_sphere_capsule, SHAPE_SPHERE, SHAPE_CAPSULE, sphere_capsule)
