// Sphere against capsule: the nearest point of the capsule's axis; see docs/body_contacts.md.
//
//         (  0 )------- axis -------( 1  )      feature of the capsule: end 0 (at +z), end 1, side 2
//
// A centre on the axis leaves along the capsule's x. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/sphere_capsule.cpp.
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// Nearer to the axis than this is on it [m].
#define ON_AXIS 1e-6f

__attribute__((always_inline)) void sphere_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float x = -dot3(c, b->x), y = -dot3(c, b->y), z = -dot3(c, b->z);
  const float beyond = z > b->size.y ? z - b->size.y : (z < -b->size.y ? z + b->size.y : 0.0f);
  const float distance = length3((float3)(x, y, beyond));
  const float depth = (a->size.x + b->size.x) - distance;
  if (!(depth > -margin)) return;
  m->normal = b->x;
  if (distance > ON_AXIS) {
    const float inverse = div_rn(1.0f, distance);
    m->normal = (b->x * (x * inverse) + b->y * (y * inverse)) + b->z * (beyond * inverse);
  }
  const uint feature = beyond > 0.0f ? 0u : (beyond < 0.0f ? 1u : 2u);
  manifold_add(m, m->normal * -a->size.x, depth, pair_feature(0u, feature));
}

PAIR_KERNEL(narrow_phase_sphere_capsule, SHAPE_SPHERE, SHAPE_CAPSULE, sphere_capsule)
