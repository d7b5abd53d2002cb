// Moving bodies and moving meshes: when each pair first touches, and at which triangle (docs/motion.md). A work-item a
// pair that has a mesh; sweep_insides.cl has been there before. Host: host/queries/motion_sweep.cpp.
#define SWEEPS_TRIANGLES
#include "motion/first_touch.clh"
#define TOUCH_TRIANGLE first_touch
#include "queries/mesh_sweep.clh"
#pragma OPENCL FP_CONTRACT OFF

__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_meshes(const uint count, __global const uint2* pairs,
                                                                          __global const BodyState* states,
                                                                          __global const MotionRecord* motion,
                                                                          __global const uint* hulls,
                                                                          __global uint* stored, __global uint2* left,
                                                                          __global ImpactRecord* impacts) {
  IN_SEARCH_MEMORY(Standing, stand);
  IN_SEARCH_MEMORY(MeshSearch, found);
  const uint item = (uint)get_global_id(0);
  if (item >= count || pairs[item].x == SWEPT) return;
  if (states[pairs[item].x].shape != SHAPE_TRIANGLE_MESH && states[pairs[item].y].shape != SHAPE_TRIANGLE_MESH) return;
  if (!sweep_mesh(pairs + item, states, motion, hulls, stored, impacts, stand, found))
    leave_pair(stored, left, pairs[get_global_id(0)]);
}
