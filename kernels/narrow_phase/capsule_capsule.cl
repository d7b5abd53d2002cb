// Capsule against capsule; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/capsule_capsule.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void capsule_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_capsule_capsule, SHAPE_CAPSULE, SHAPE_CAPSULE, capsule_capsule)
