// Sphere against box (Trushin 2015): the box's point nearest to the sphere's centre; a centre inside leaves through
// the nearest face. See docs/body_contacts.md.
//
//      edge |  face 2  | edge       face 2 k looks along axis k, face 2 k + 1 against it
//      -----+----------+-----       of faces as near as each other (kEqual): the lowest number
//    face 1 |    box   | face 0     feature of the box: 9, 3, 1 times (0 within, 1 beyond +, 2 beyond -) of x, y, z;
//      -----+----------+-----       from inside 27 + face
//      edge |  face 3  | edge
//
// Launch and output: kernels/pairs/pair.clh. Reference: host/reference/narrow_phase/sphere_box.cpp.
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// Faces whose depths differ by less are equally deep [m]: more than the rounding of a centre 50 m from its box's.
#define FACES_EQUAL 1e-5f

// Within, beyond + or beyond -.
uint zone(float p, float extent) {
  return p > extent ? 1u : (p < -extent ? 2u : 0u);
}

__attribute__((always_inline)) void sphere_box(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float3 p = (float3)(-dot3(c, b->x), -dot3(c, b->y), -dot3(c, b->z)), size = b->size;
  const float3 away = p > size ? p - size : (p < -size ? p + size : (float3)(0.0f, 0.0f, 0.0f));
  const float distance = length3(away);
  const float radius = a->size.x;
  if (!(radius - distance > -margin)) return;
  float depth = radius - distance;
  uint feature;
  if (distance > 1e-15f) {
    const float3 n = unit3(away);
    m->normal = (b->x * n.x + b->y * n.y) + b->z * n.z;
    feature = 9u * zone(p.x, size.x) + 3u * zone(p.y, size.y) + zone(p.z, size.z);
  } else {
    const float3 low = size - p, high = size + p;
    float nearest = low.x;
    uint face = 0u;
    for (uint k = 1u; k < 6u; ++k) {
      const float3 to_faces = k % 2u == 0u ? low : high;
      const float to_face = k < 2u ? to_faces.x : (k < 4u ? to_faces.y : to_faces.z);
      if (!(to_face + FACES_EQUAL < nearest)) continue;
      nearest = to_face;
      face = k;
    }
    const float3 axis = face < 2u ? b->x : (face < 4u ? b->y : b->z);
    m->normal = face % 2u == 0u ? axis : -axis;
    depth = radius + nearest;
    feature = 27u + face;
  }
  manifold_add(m, m->normal * -radius, depth, pair_feature(0u, feature));
}

PAIR_KERNEL(narrow_phase_sphere_box, SHAPE_SPHERE, SHAPE_BOX, sphere_box)
