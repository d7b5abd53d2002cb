// Sphere against cylinder: the cylinder's point nearest to the sphere's centre; a centre inside leaves through the
// nearer of base and side. See docs/body_contacts.md.
//
//     rim |   base 0   | rim        radius of the centre about the axis ->
//     ----+-----|------+----        feature of the cylinder: base 0, 1; rim 2, 3 of that base; side 4
//    side |   axis     | side       base and side as near as each other: the base; a centre on the axis leaves
//     ----+-----|------+----        through the side along the cylinder's x
//     rim |   base 1   | rim
//
// Launch and output: kernels/pairs/pair.clh. Reference: host/reference/narrow_phase/sphere_cylinder.cpp.
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// Nearer to the axis than this is on it; depths that differ by less are equal [m].
#define ON_AXIS 1e-6f
#define DEPTHS_EQUAL 1e-5f

__attribute__((always_inline)) void sphere_cylinder(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float x = -dot3(c, b->x), y = -dot3(c, b->y), z = -dot3(c, b->z);
  const float from_axis = sqrt_rn(x * x + y * y);
  const float beyond_side = from_axis - b->size.x, beyond_base = abs_f(z) - b->size.y;
  const float out_radial = max_f(beyond_side, 0.0f), out_axial = max_f(beyond_base, 0.0f);
  const float distance = sqrt_rn(out_radial * out_radial + out_axial * out_axial);
  const float radius = a->size.x;
  if (!(radius - distance > -margin)) return;

  const float3 to_base = z < 0.0f ? -b->z : b->z;
  const uint base = z < 0.0f ? 1u : 0u;
  float3 to_side = b->x;
  if (from_axis > ON_AXIS) to_side = b->x * div_rn(x, from_axis) + b->y * div_rn(y, from_axis);

  float depth = radius - distance;
  uint feature = 2u + base;
  if (distance > 1e-15f) {
    m->normal = to_side * div_rn(out_radial, distance) + to_base * div_rn(out_axial, distance);
    if (out_radial == 0.0f) feature = base;
    if (out_axial == 0.0f) feature = 4u;
  } else if (beyond_base + DEPTHS_EQUAL > beyond_side) {
    m->normal = to_base;
    depth = radius - beyond_base;
    feature = base;
  } else {
    m->normal = to_side;
    depth = radius - beyond_side;
    feature = 4u;
  }
  manifold_add(m, m->normal * -radius, depth, pair_feature(0u, feature));
}

PAIR_KERNEL(narrow_phase_sphere_cylinder, SHAPE_SPHERE, SHAPE_CYLINDER, sphere_cylinder)
