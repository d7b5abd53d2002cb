// Cylinder against cylinder; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_cylinder.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void cylinder_cylinder(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_cylinder_cylinder, SHAPE_CYLINDER, SHAPE_CYLINDER, cylinder_cylinder)
