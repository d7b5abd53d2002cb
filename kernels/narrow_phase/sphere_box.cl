// Sphere against box; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/sphere_box.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_box(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_sphere_box, SHAPE_SPHERE, SHAPE_BOX, sphere_box)
