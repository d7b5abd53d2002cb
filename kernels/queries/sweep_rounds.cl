// Moving bodies: pairs of which steps along the frame do not tell when they first touch (docs/motion.md). A work-item a
// pair of `left`; those with a mesh are left to sweep_mesh_rounds.cl, those with a half space to
// sweep_half_space_rounds.cl. Host: host/queries/motion_sweep.cpp.
#define LARGE_PROGRAM
#include "queries/round_sweep.clh"
#pragma OPENCL FP_CONTRACT OFF

__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_rounds(
    const uint count, __global const BodyState* states, __global const MotionRecord* motion, __global const uint* hulls,
    __global uint* stored, __global const uint2* left, __global ImpactRecord* impacts) {
  IN_SEARCH_MEMORY(Standing, stand);
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = left[item];
  const bool turned = states[pair.y].body < states[pair.x].body;
  __global const BodyState* s = states + (turned ? pair.y : pair.x);
  __global const BodyState* o = states + (turned ? pair.x : pair.y);
  if ((CONVEX_SHAPES >> s->shape & CONVEX_SHAPES >> o->shape & 1u) == 0u) return;
  sweep_by_rounds(s, o, motion, hulls, stored, impacts, stand);
}
