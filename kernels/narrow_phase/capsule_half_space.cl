// Capsule against half space; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/capsule_half_space.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void capsule_half_space(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_capsule_half_space, SHAPE_CAPSULE, SHAPE_HALF_SPACE, capsule_half_space)
