// Moving bodies and half spaces that turn: pairs of `left`, as sweep_rounds.cl has those of other bodies.
// Host: host/queries/motion_sweep.cpp.
#define LARGE_PROGRAM
#define SWEEPS_HALF_SPACES
#include "motion/round_search.clh"
#include "motion/touch_record.clh"
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
  Mover body, plane;
  set_mover(&body, s, motion + s->body);
  set_mover(&plane, o, motion + o->body);
  stand->record_b = motion + o->body;
  Touch touch;
  const uint touches = search_rounds(&body, &plane, hulls, (float2)(0.0f, 1.0f), two_float(2.0f, 0.0f), stand, &touch);
  const uint first = min(s->body, o->body), second = max(s->body, o->body);
  if (touches == TOUCHES && first == o->body) turn_touch(&touch);
  if (touches == TOUCHES) store_touch(impacts + atomic_inc(stored), &touch, first, second, 0xFFFFFFFFu, 0u);
  if (touches == TOUCHES_UNKNOWN) store_unknown(stored, impacts, first, second);
}
