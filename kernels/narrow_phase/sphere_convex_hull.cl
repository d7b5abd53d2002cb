// Sphere against convex hull: apart, the hull's point nearest to the sphere's centre; a centre inside leaves through the
// nearest face. See docs/convex_hulls.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/sphere_convex_hull.cpp.
//
//   The face of least overlap is the only one that can have the nearest point inside its loop: it keeps the centre
//   farthest off. Where the foot is beside it, the nearest point is on an edge, its ends included.
#include "pairs/round_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// From the point of an edge that is nearest to p; *at: 0 at its first vertex, 1 between, 2 at its second. Measured from
// the nearer vertex, so that rounding turns no way near it.
float3 from_hull_edge(__global const uint* hull, uint edge, float3 p, uint* at) {
  const uint4 row = hull_edge(hull, edge);
  const float3 v = hull_vertex(hull, row.x), w = hull_vertex(hull, row.y), along = w - v;
  const float of_first = dot3(p - v, along), of_second = dot3(p - w, along);
  *at = of_first <= 0.0f ? 0u : (of_second >= 0.0f ? 2u : 1u);
  const bool second = of_first > -of_second;
  const float3 from = second ? p - w : p - v;
  return *at == 1u ? from - along * div_rn(second ? of_second : of_first, dot3(along, along)) : from;
}

uint nearest_hull_edge(__global const uint* hull, float3 p) {
  const uint count = hull[HULL_EDGES];
  float least2 = MAXFLOAT;
  uint nearest = 0u, at;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float3 way = from_hull_edge(hull, k, p, &at);
    const float distance2 = dot3(way, way);
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    nearest = k;
  }
  return nearest;
}

__attribute__((always_inline)) void sphere_convex_hull(const Body* a, const Body* b, float3 c, float margin,
                                                       Manifold* m) {
  const float size = a->radius_bound + b->radius_bound, rounding = 1e-6f * size, reach = size + margin;
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
  if (overlap < rounding && !is_over_hull_face(hull, face, f.p)) {
    const uint edge = nearest_hull_edge(hull, f.p);
    const uint4 row = hull_edge(hull, edge);
    uint at;
    float3 way = from_hull_edge(hull, edge, f.p, &at);
    if (at == 1u) way = part_across(way, hull_vertex(hull, row.y) - hull_vertex(hull, row.x));
    const float distance = length3(way);
    const float3 to_centre = unit3(way);
    const float along_way = round_hull_overlap(SHAPE_SPHERE, &f, hull, to_centre);
    if (distance > HULL_TOUCHES && along_way < overlap + rounding) {
      n = to_centre;
      overlap = -distance;
      feature = at == 1u ? hull[HULL_VERTICES] + edge : (at == 0u ? row.x : row.y);
    }
  }
  if (!(overlap + radius > -margin)) return;
  m->normal = unit3(out_of_body(b, n));
  manifold_add(m, m->normal * -radius, overlap + radius, pair_feature(0u, feature));
}

PAIR_KERNEL(narrow_phase_sphere_convex_hull, SHAPE_SPHERE, SHAPE_CONVEX_HULL, sphere_convex_hull)
