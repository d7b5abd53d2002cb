// Sphere against convex hull: apart, the hull's point nearest to the sphere's centre; a centre inside leaves through
// the nearest face. See docs/convex_hulls.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/sphere_convex_hull.cpp.
//
//   The face of least overlap is the only one that can have the nearest point inside its loop: it keeps the centre
//   farthest off. Where the foot is beside it, the nearest point is on an edge, its ends included.
#include "pairs/round_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

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
    uint edge, at;
    const float3 from_edge = from_nearest_hull_edge(hull, f.p, &edge, &at), way = off_hull(hull, edge, at, from_edge);
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
