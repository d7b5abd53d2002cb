// Cylinder against capsule; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_capsule.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void cylinder_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_cylinder_capsule, SHAPE_CYLINDER, SHAPE_CAPSULE, cylinder_capsule)
