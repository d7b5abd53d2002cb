// Manifolds of the pairs that cylinder_convex_hull.cl finds to meet, on a GPU: pairs/later_manifolds.clh.
#define LARGE_ON_GPU
#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CONVEX_HULL
#define OF_POLYGONS
#include "pairs/later_manifolds.clh"
#pragma OPENCL FP_CONTRACT OFF

MANIFOLD_KERNEL(narrow_phase_cylinder_convex_hull_manifolds, SHAPE_CYLINDER, SHAPE_CONVEX_HULL)
