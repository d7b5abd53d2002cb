// Convex hull against a triangle mesh; see docs/mesh_contacts.md.
//
// Launch and output: kernels/meshes/candidate.clh. Reference:
// host/reference/narrow_phase/convex_hull_triangle_mesh.cpp.
#define LARGE_ON_GPU
#include "meshes/candidate.clh"
#pragma OPENCL FP_CONTRACT OFF

MESH_KERNEL(narrow_phase_convex_hull_triangle_mesh, SHAPE_CONVEX_HULL)
