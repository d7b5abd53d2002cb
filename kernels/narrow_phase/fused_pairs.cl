// Many kinds of pairs under one kernel, for few pairs of many kinds: there a command to the device takes longer than
// what it does. Kinds with hulls have kernels of their own: a scene without hulls compiles nothing of them. The
// functions are those of the kinds' own files, to the bit.
//
// Launch and output: kernels/pairs/pair.clh.
#define OCLIDE_FUSED_PAIRS
#include "narrow_phase/box_box.cl"
#include "narrow_phase/box_capsule.cl"
#include "narrow_phase/box_cylinder.cl"
#include "narrow_phase/box_half_space.cl"
#include "narrow_phase/capsule_capsule.cl"
#include "narrow_phase/capsule_half_space.cl"
#include "narrow_phase/cylinder_capsule.cl"
#include "narrow_phase/cylinder_cylinder.cl"
#include "narrow_phase/cylinder_half_space.cl"
#include "narrow_phase/sphere_box.cl"
#include "narrow_phase/sphere_capsule.cl"
#include "narrow_phase/sphere_cylinder.cl"
#include "narrow_phase/sphere_half_space.cl"
#include "narrow_phase/sphere_sphere.cl"
#include "shared/pairs.h"
#pragma OPENCL FP_CONTRACT OFF

#define CASE(FIRST, first_name, SECOND, second_name)                                        \
  case SHAPE_##FIRST* SHAPES_END + SHAPE_##SECOND:                                          \
    narrow_phase_##first_name##_##second_name##_states(first, second, hulls, margin, c, m); \
    break;

void states_of_any_kind(__global const BodyState** first, __global const BodyState** second, __global const uint* hulls,
                        float margin, float3* c, Manifold* m) {
  switch ((*first)->shape * SHAPES_END + (*second)->shape) { OCLIDE_PAIRS_FUSED(CASE) }
}
#undef CASE

#define CASE(FIRST, first_name, SECOND, second_name) \
  case SHAPE_##FIRST* SHAPES_END + SHAPE_##SECOND:   \
    return true;
bool has_function(uint first, uint second) {
  switch (first * SHAPES_END + second) { OCLIDE_PAIRS_FUSED(CASE) }
  return false;
}
#undef CASE
#define HAS_FUNCTION(first, second) has_function((first)->shape, (second)->shape)

STATES_KERNEL_OF(narrow_phase_fused_pairs, states_of_any_kind)
