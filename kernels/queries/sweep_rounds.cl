// Moving bodies: pairs of which steps along the frame do not tell when they first touch (docs/motion.md), and those
// with a half space that turns. A work-item a pair of `left`; those with a mesh are left to sweep_mesh_rounds.cl. Host:
// host/queries/motion_sweep.cpp.
#define LARGE_PROGRAM
#include "motion/round_search.clh"
#include "motion/touch_record.clh"
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
  if (s->shape == SHAPE_TRIANGLE_MESH || o->shape == SHAPE_TRIANGLE_MESH) return;
  // A half space is b.
  const bool is_a = s->shape == SHAPE_HALF_SPACE, is_plane = is_a || o->shape == SHAPE_HALF_SPACE;
  __global const BodyState* first = is_a ? o : s;
  __global const BodyState* second = is_a ? s : o;
  Mover a, b;
  set_mover(&a, first, motion + first->body);
  set_mover(&b, second, motion + second->body);
  Touch touch;
  const uint touches = search_rounds(&a, &b, motion + second->body, hulls,
                                     is_plane ? (float2)(0.0f, 1.0f) : times_of_spheres(&a, &b, hulls),
                                     two_float(2.0f, 0.0f), stand, &touch);
  if (touches == TOUCHES && is_a) turn_touch(&touch);
  if (touches == TOUCHES) store_touch(impacts + atomic_inc(stored), &touch, s->body, o->body, 0xFFFFFFFFu, 0u);
  if (touches == TOUCHES_UNKNOWN) store_unknown(stored, impacts, s->body, o->body);
}
