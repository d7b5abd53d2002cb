// Sphere against cylinder; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/sphere_cylinder.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_cylinder(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_sphere_cylinder, SHAPE_SPHERE, SHAPE_CYLINDER, sphere_cylinder)
