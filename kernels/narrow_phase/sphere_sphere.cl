// Sphere against sphere: along the line of centres (Trushin 2015); see docs/body_contacts.md.
//
//      ( a )P--Q( b )      n from b to a; one formula whether the centres lie outside or inside
//
// Coincident centres: (0, 0, 1). Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/sphere_sphere.cpp.
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_sphere(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float distance = length3(c);
  const float depth = (a->size.x + b->size.x) - distance;
  if (!(depth > -margin)) return;
  m->normal = distance > 1e-15f ? unit3(-c) : (float3)(0.0f, 0.0f, 1.0f);
  manifold_add(m, m->normal * -a->size.x, depth, pair_feature(0u, 0u));
}

PAIR_KERNEL(narrow_phase_sphere_sphere, SHAPE_SPHERE, SHAPE_SPHERE, sphere_sphere)
