// Manifolds of the pairs that box_cylinder.cl finds to meet, on a GPU: pairs/later_manifolds.clh.
#define PAIR_A SHAPE_BOX
#define PAIR_B SHAPE_CYLINDER
#include "pairs/later_manifolds.clh"
#pragma OPENCL FP_CONTRACT OFF

MANIFOLD_KERNEL(narrow_phase_box_cylinder_manifolds, SHAPE_BOX, SHAPE_CYLINDER)
