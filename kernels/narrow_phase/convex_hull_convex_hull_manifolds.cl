// Manifolds of the pairs that convex_hull_convex_hull.cl finds to meet, on a GPU: pairs/later_manifolds.clh.
#define LARGE_ON_GPU
#define PAIR_A SHAPE_CONVEX_HULL
#define PAIR_B SHAPE_CONVEX_HULL
#define OF_POLYGONS
#include "pairs/later_manifolds.clh"
#pragma OPENCL FP_CONTRACT OFF

MANIFOLD_KERNEL(narrow_phase_convex_hull_convex_hull_manifolds, SHAPE_CONVEX_HULL, SHAPE_CONVEX_HULL)
