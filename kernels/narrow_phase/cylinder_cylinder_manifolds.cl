// Manifolds of the pairs that cylinder_cylinder.cl finds to meet, on a GPU: pairs/later_manifolds.clh.
#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CYLINDER
#include "pairs/later_manifolds.clh"
#pragma OPENCL FP_CONTRACT OFF

MANIFOLD_KERNEL(narrow_phase_cylinder_cylinder_manifolds, SHAPE_CYLINDER, SHAPE_CYLINDER)
