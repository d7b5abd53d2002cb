// All kinds of pairs under one kernel, for few pairs of many kinds: there a command to the device takes longer than
// what it does. The functions are those of the kinds' own files, to the bit.
//
// Launch and output: kernels/pairs/pair.clh.
#define OCLIDE_FEW_PAIRS
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
#pragma OPENCL FP_CONTRACT OFF

#define CASE(first_shape, second_shape, name)                  \
  case first_shape * 8u + second_shape:                        \
    narrow_phase_##name##_states(first, second, margin, c, m); \
    break

void states_of_any_kind(__global const BodyState** first, __global const BodyState** second, float margin, float3* c,
                        Manifold* m) {
  switch ((*first)->shape * 8u + (*second)->shape) {
    CASE(SHAPE_SPHERE, SHAPE_SPHERE, sphere_sphere);
    CASE(SHAPE_SPHERE, SHAPE_BOX, sphere_box);
    CASE(SHAPE_SPHERE, SHAPE_CYLINDER, sphere_cylinder);
    CASE(SHAPE_SPHERE, SHAPE_CAPSULE, sphere_capsule);
    CASE(SHAPE_SPHERE, SHAPE_HALF_SPACE, sphere_half_space);
    CASE(SHAPE_BOX, SHAPE_BOX, box_box);
    CASE(SHAPE_BOX, SHAPE_CYLINDER, box_cylinder);
    CASE(SHAPE_BOX, SHAPE_CAPSULE, box_capsule);
    CASE(SHAPE_BOX, SHAPE_HALF_SPACE, box_half_space);
    CASE(SHAPE_CYLINDER, SHAPE_CYLINDER, cylinder_cylinder);
    CASE(SHAPE_CYLINDER, SHAPE_CAPSULE, cylinder_capsule);
    CASE(SHAPE_CYLINDER, SHAPE_HALF_SPACE, cylinder_half_space);
    CASE(SHAPE_CAPSULE, SHAPE_CAPSULE, capsule_capsule);
    CASE(SHAPE_CAPSULE, SHAPE_HALF_SPACE, capsule_half_space);
    default:
      break;
  }
}

STATES_KERNEL_OF(narrow_phase_few_pairs, states_of_any_kind)
