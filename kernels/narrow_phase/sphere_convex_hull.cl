// Sphere against convex hull: apart, the hull's point nearest to the sphere's centre; a centre inside leaves through
// the nearest face. See docs/convex_hulls.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/sphere_convex_hull.cpp.
//
//   The face of least overlap is the only one that can have the nearest point inside its loop: it keeps the centre
//   farthest off. Where the foot is beside it, the nearest point is on an edge, its ends included.
#include "pairs/round_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// Far from a small hull many edges are as near but for rounding, and the one that was found may not be the nearest. A
// way from it that leads into a face beside it or along another edge tells so, for it tells places on the hull apart.
// Then from there on, over one face or edge after another, until the way leads into none.
#define HULL_WALK_STEPS 16u
INLINED float3 walk_to_nearest(__global const uint* hull, float3 p, float rounding, uint* edge, uint* at, float3 way) {
  ROLLED
  for (uint step = 0u; step < HULL_WALK_STEPS; ++step) {
    const float3 off = off_hull(hull, *edge, *at, way), turned = off - way;
    if (!(dot3(turned, turned) > rounding * rounding)) return off;
    const uint4 row = hull_edge(hull, *edge);
    // Between the ends of an edge the sides of the face that the way leads into, at an end all edges there.
    const float3 along = hull_vertex(hull, row.y) - hull_vertex(hull, row.x);
    const uint face = dot3(way, cross3(hull_face(hull, row.z).xyz, along)) > 0.0f ? row.z : row.w;
    const uint vertex = *at == 0u ? row.x : row.y;
    if (*at == 1u && is_over_hull_face(hull, face, p)) return off;
    float least2 = MAXFLOAT;
    float3 nearest = way;
    uint next = *edge, next_at = *at;
    ROLLED
    for (uint k = 0u; k < hull[HULL_EDGES]; ++k) {
      const uint4 other = hull_edge(hull, k);
      if (*at == 1u ? other.z != face && other.w != face : other.x != vertex && other.y != vertex) continue;
      uint at_k;
      const float3 way_k = from_hull_edge(hull_vertex(hull, other.x), hull_vertex(hull, other.y), p, &at_k);
      // As far as its foot is from the first way's.
      const float3 from_foot = way_k - off;
      const float distance2 = dot3(from_foot, from_foot);
      if (!(distance2 < least2)) continue;
      least2 = distance2;
      nearest = way_k;
      next = k;
      next_at = at_k;
    }
    if (next == *edge && next_at == *at) return way;
    *edge = next;
    *at = next_at;
    way = nearest;
  }
  return way;
}

__attribute__((always_inline)) void sphere_convex_hull(const Body* a, const Body* b, float3 c, float margin,
                                                       Manifold* m) {
  const float size = a->radius_bound + b->radius_bound, rounding = 1e-6f * size, reach = size + margin;
  if (!(dot3(c, c) < reach * reach)) return;
  __global const uint* hull = b->hull;
  const RoundInHull f = round_in_hull(a, b, c);
  const float radius = a->size.x;
  uint face;
  if (!least_hull_face(SHAPE_SPHERE, &f, hull, -margin - radius, rounding, &face)) return;
  float3 n = hull_face(hull, face).xyz;
  float overlap = round_hull_overlap(SHAPE_SPHERE, &f, hull, n);
  uint feature = hull[HULL_VERTICES] + hull[HULL_EDGES] + face;
  // Off a sharp corner no face is far, and rounding may hide that they are beneath the centre.
  if (overlap < rounding && !is_over_hull_face(hull, face, f.p)) {
    uint edge, at;
    const float3 from_edge = from_nearest_hull_edge(hull, f.p, &edge, &at);
    const float3 way = walk_to_nearest(hull, f.p, rounding, &edge, &at, from_edge);
    const float distance = length3(way);
    const float3 to_centre = unit3(way);
    if (distance > HULL_TOUCHES &&
        (overlap < -rounding || round_hull_overlap(SHAPE_SPHERE, &f, hull, to_centre) < overlap + rounding)) {
      const uint4 row = hull_edge(hull, edge);
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
