// Moving bodies, second half: when the two of each pair first touch. A work-item a pair that the broad phase found;
// pairs with a mesh are left to sweep_meshes.cl. Impacts go from `stored` on into `impacts`, which has room for all.
#include "motion/half_space_touch.clh"
#include "motion/touch_record.clh"
#pragma OPENCL FP_CONTRACT OFF

__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_bodies(const uint count, __global const uint2* pairs,
                                                                          __global const BodyState* states,
                                                                          __global const MotionRecord* motion,
                                                                          __global const uint* hulls,
                                                                          __global uint* stored, __global uint2* left,
                                                                          __global ImpactRecord* impacts) {
  IN_SEARCH_MEMORY(Standing, stand);
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = pairs[item];
  const bool turned = states[pair.y].body < states[pair.x].body;
  __global const BodyState* s = states + (turned ? pair.y : pair.x);
  __global const BodyState* o = states + (turned ? pair.x : pair.y);
  if (s->shape == SHAPE_TRIANGLE_MESH || o->shape == SHAPE_TRIANGLE_MESH) return;
  Mover a, b;
  set_mover(&a, s, motion + s->body);
  set_mover(&b, o, motion + o->body);
  Touch touch;
  uint touches;
  if (s->shape == SHAPE_HALF_SPACE || o->shape == SHAPE_HALF_SPACE) {
    const bool is_a = s->shape == SHAPE_HALF_SPACE;
    touches = half_space_touch(is_a ? &b : &a, is_a ? &a : &b, hulls, &touch);
    if (touches == TOUCHES && is_a) turn_touch(&touch);
  } else {
    touches = first_touch(&a, &b, hulls, times_of_spheres(&a, &b, hulls), two_float(2.0f, 0.0f), stand, &touch);
  }
  if (touches == TOUCHES_UNKNOWN) leave_pair(stored, left, pairs[item]);
  if (touches == TOUCHES) store_touch(impacts + atomic_inc(stored), &touch, s->body, o->body, 0xFFFFFFFFu, 0u);
}
