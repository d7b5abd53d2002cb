// convex_hull against a triangle mesh; see docs/mesh_contacts.md.
//
// Launch and output: kernels/meshes/candidate.clh. Reference:
// host/reference/narrow_phase/convex_hull_triangle_mesh.cpp.
#include "meshes/candidate.clh"
#pragma OPENCL FP_CONTRACT OFF

void convex_hull_triangle(const MeshSurface* g, const MeshSite* s, const Body* b, MeshSink* sink) {
  (void)g;
  (void)s;
  (void)b;
  (void)sink;
}

MESH_KERNEL(narrow_phase_convex_hull_triangle_mesh, SHAPE_CONVEX_HULL, convex_hull_triangle)
