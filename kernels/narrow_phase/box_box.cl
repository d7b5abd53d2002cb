// Box against box; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/box_box.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void box_box(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
}

PAIR_KERNEL(narrow_phase_box_box, SHAPE_BOX, SHAPE_BOX, box_box)
