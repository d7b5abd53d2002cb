// Sphere against box (text 000): the box's point nearest to the sphere's centre; a centre inside leaves through the
// nearest face. See docs/body_contacts.md.
//
//      edge |  face 2  | edge       face 2 k looks along axis k, face 2 k + 1 against it
//      -----+----------+-----       of faces as near as each other (kEqual): the lowest number
//    face 1 |    box   | face 0     feature of the box: 9, 3, 1 times (0 within, 1 beyond +, 2 beyond -) of x, y, z;
//      -----+----------+-----       from inside 27 + face
//      edge |  face 3  | edge
//
// Launch and output: kernels/common/pair.clh. Reference: host/reference/narrow_phase/sphere_box.cpp.
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// Faces whose depths differ by less are equally deep [m]: more than the rounding of a centre 50 m from its box's.
#define FACES_EQUAL 1e-5f

float axis_value(float3 v, uint k) {
  return k == 0u ? v.x : (k == 1u ? v.y : v.z);
}

void sphere_box(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float3 centre = (float3)(-dot3(c, b->x), -dot3(c, b->y), -dot3(c, b->z));
  float outside[3];
  uint region = 0u;
  for (uint k = 0u; k < 3u; ++k) {
    const float p = axis_value(centre, k), extent = axis_value(b->size, k);
    outside[k] = p > extent ? p - extent : (p < -extent ? p + extent : 0.0f);
    region = 3u * region + (p > extent ? 1u : (p < -extent ? 2u : 0u));
  }
  const float3 away = (float3)(outside[0], outside[1], outside[2]);
  const float distance = length3(away);
  const float radius = a->size.x;
  if (!(radius - distance > -margin)) return;
  if (distance > 1e-15f) {
    const float3 n = unit3(away);
    m->normal = (b->x * n.x + b->y * n.y) + b->z * n.z;
    manifold_add(m, m->normal * -radius, radius - distance, pair_feature(0u, region));
    return;
  }
  float nearest = 1e30f;
  uint face = 0u;
  for (uint k = 0u; k < 6u; ++k) {
    const float p = axis_value(centre, k / 2u), extent = axis_value(b->size, k / 2u);
    const float to_face = k % 2u == 0u ? extent - p : extent + p;
    if (!(to_face + FACES_EQUAL < nearest)) continue;
    nearest = to_face;
    face = k;
  }
  const float3 axis = face < 2u ? b->x : (face < 4u ? b->y : b->z);
  m->normal = face % 2u == 0u ? axis : -axis;
  manifold_add(m, m->normal * -radius, radius + nearest, pair_feature(0u, 27u + face));
}

PAIR_KERNEL(narrow_phase_sphere_box, SHAPE_SPHERE, SHAPE_BOX, sphere_box)
