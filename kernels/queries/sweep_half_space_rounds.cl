// Moving bodies and half spaces that turn: pairs of `left`, as sweep_rounds.cl has those of other bodies.
// Host: host/queries/motion_sweep.cpp.
#define LARGE_PROGRAM
#define SWEEPS_HALF_SPACES
#include "queries/round_sweep.clh"
#pragma OPENCL FP_CONTRACT OFF

__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_half_space_rounds(
    const uint count, __global const BodyState* states, __global const MotionRecord* motion, __global const uint* hulls,
    __global uint* stored, __global const uint2* left, __global ImpactRecord* impacts) {
  IN_SEARCH_MEMORY(Standing, stand);
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = left[item];
  const bool plane_first = states[pair.x].shape == SHAPE_HALF_SPACE;
  __global const BodyState* s = states + (plane_first ? pair.y : pair.x);
  __global const BodyState* o = states + (plane_first ? pair.x : pair.y);
  if (o->shape != SHAPE_HALF_SPACE) return;
  sweep_by_rounds(s, o, motion, hulls, stored, impacts, stand);
}
