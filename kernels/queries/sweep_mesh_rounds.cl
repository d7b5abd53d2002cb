// Moving bodies and moving meshes: pairs of `left`, as sweep_rounds.cl has those of other bodies.
// Host: host/queries/motion_sweep.cpp.
#define LARGE_PROGRAM
#define SWEEPS_TRIANGLES
#include "motion/round_search.clh"
#define TOUCH_TRIANGLE search_rounds
#include "queries/mesh_sweep.clh"
#pragma OPENCL FP_CONTRACT OFF

__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_mesh_rounds(
    const uint count, __global const BodyState* states, __global const MotionRecord* motion, __global const uint* hulls,
    __global uint* stored, __global const uint2* left, __global ImpactRecord* impacts) {
  IN_SEARCH_MEMORY(Standing, stand);
  IN_SEARCH_MEMORY(MeshSearch, found);
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = left[item];
  if (states[pair.x].shape != SHAPE_TRIANGLE_MESH && states[pair.y].shape != SHAPE_TRIANGLE_MESH) return;
  const uint a = states[pair.x].body, b = states[pair.y].body;
  if (!sweep_mesh(left + item, states, motion, hulls, stored, impacts, stand, found))
    store_unknown(stored, impacts, min(a, b), max(a, b));
}
