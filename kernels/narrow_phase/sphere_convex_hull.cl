// Sphere against convex hull: apart, the hull's point nearest to the sphere's centre; a centre inside leaves through the
// nearest face. See docs/convex_hulls.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/sphere_convex_hull.cpp.
//
//   The face of least overlap is the only one that can have the nearest point inside its loop: it keeps the centre
//   farthest off. Where the foot is beside it, the nearest point is on an edge, its ends included.
#include "pairs/round_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// From the point of an edge that is nearest to p; *t: where, 0 to 1 from the first vertex.
float3 from_hull_edge(__global const uint* hull, uint edge, float3 p, float* t) {
  const uint4 row = hull_edge(hull, edge);
  const float3 v = hull_vertex(hull, row.x), w = hull_vertex(hull, row.y), along = w - v;
  *t = clamp01(div_rn(dot3(p - v, along), dot3(along, along)));
  return *t < 1.0f ? (p - v) - along * *t : p - w;
}

uint nearest_hull_edge(__global const uint* hull, float3 p) {
  const uint count = hull[HULL_EDGES];
  float least2 = MAXFLOAT, t;
  uint nearest = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float3 way = from_hull_edge(hull, k, p, &t);
    const float distance2 = dot3(way, way);
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    nearest = k;
  }
  return nearest;
}

__attribute__((always_inline)) void sphere_convex_hull(const Body* a, const Body* b, float3 c, float margin,
                                                       Manifold* m) {
  const float size = a->radius_bound + b->radius_bound, reach = size + margin;
  if (!(dot3(c, c) < reach * reach)) return;
  __global const uint* hull = b->hull;
  const RoundInHull f = round_in_hull(a, b, c);
  const float radius = a->size.x;
  uint face;
  if (!least_hull_face(SHAPE_SPHERE, &f, hull, -margin - radius, &face)) return;
  float3 n = hull_face(hull, face).xyz;
  float overlap = round_hull_overlap(SHAPE_SPHERE, &f, hull, n);
  uint feature = hull[HULL_VERTICES] + hull[HULL_EDGES] + face;
  // Off a sharp corner no face is far, and rounding may hide that they are beneath the centre.
  if (overlap < 1e-6f * size && !is_over_hull_face(hull, face, f.p)) {
    const uint edge = nearest_hull_edge(hull, f.p);
    float t;
    float3 way = from_hull_edge(hull, edge, f.p, &t);
    const uint4 row = hull_edge(hull, edge);
    const bool within = t > 0.0f && t < 1.0f;
    if (within) way = part_across(way, hull_vertex(hull, row.y) - hull_vertex(hull, row.x));
    const float3 to_centre = unit3(way);
    const float nearest = round_hull_overlap(SHAPE_SPHERE, &f, hull, to_centre);
    if (dot3(way, way) > HULL_TOUCHES * HULL_TOUCHES && nearest < overlap) {
      n = to_centre;
      overlap = nearest;
      feature = within ? hull[HULL_VERTICES] + edge : (t > 0.0f ? row.y : row.x);
    }
  }
  if (!(overlap + radius > -margin)) return;
  m->normal = unit3(out_of_body(b, n));
  manifold_add(m, m->normal * -radius, overlap + radius, pair_feature(0u, feature));
}

PAIR_KERNEL(narrow_phase_sphere_convex_hull, SHAPE_SPHERE, SHAPE_CONVEX_HULL, sphere_convex_hull)
