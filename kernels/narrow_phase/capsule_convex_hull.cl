// Capsule against convex hull: the capsule's segment against the hull, less the radius; see docs/convex_hulls.md.
// Launch and output: kernels/pairs/pair.clh. Reference: host/reference/narrow_phase/capsule_convex_hull.cpp.
//
//   Where the segment meets the hull, the least overlap is along a face's normal, or across the segment and an edge.
//   Where it is apart, the face of least overlap is the only one that can have the nearest point inside its loop, under
//   the segment's lower end. Else the nearest point is on an edge, its ends included.
#define PAIR_A SHAPE_CAPSULE
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/manifold.clh"
#include "pairs/round_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// Along normals across the axis and an edge whose arc they are on: faces at the edge that lean to different ends.
INLINED void try_edges_across_axis(const RoundInHull* f, __global const uint* hull, LeastOverlap* least) {
  const uint count = hull[HULL_EDGES];
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const uint4 row = hull_edge(hull, k);
    const float3 first = hull_face(hull, row.z).xyz, second = hull_face(hull, row.w).xyz;
    const float lean = dot3(first, f->v), other_lean = dot3(second, f->v);
    if (lean * other_lean > 0.0f) continue;
    const float3 v = hull_vertex(hull, row.x);
    const float3 cross = cross_of_units(unit3(hull_vertex(hull, row.y) - v), f->v);
    const float sine2 = dot3(cross, cross);
    if (!(sine2 > HULL_PARALLEL_SINE2)) continue;
    float3 n = cross * div_rn(1.0f, sqrt_rn(sine2));
    if (dot3(n, first + second) < 0.0f) n = -n;
    if (!(dot3(n, v - f->p) < least->overlap)) continue;
    take_less(n, round_hull_overlap(SHAPE_CAPSULE, f, hull, n), least);
  }
}

// The segment against an edge: the nearest points are s along the axis from the centre, and t of the edge from its
// first vertex; returned is the way from the edge to the segment.
float3 from_edge_to_segment(const RoundInHull* f, float3 vertex, float3 edge, float* s, float* t) {
  const float3 to = vertex - f->p, cross = cross3(f->v, edge);
  const float length2 = dot3(edge, edge), cross2 = dot3(cross, cross);
  // Where the lines are nearest to each other. Not by way of their cosine, which says little of small angles.
  float at = 0.0f;
  if (cross2 > HULL_PARALLEL_SINE2 * length2)
    at = max_f(-f->h, min_f(div_rn(dot3(cross3(to, edge), cross), cross2), f->h));
  *t = clamp01(div_rn(dot3(f->v * at - to, edge), length2));
  const float3 point = to + edge * *t;
  *s = max_f(-f->h, min_f(dot3(point, f->v), f->h));
  return f->v * *s - point;
}

INLINED void try_nearest_edge(const RoundInHull* f, __global const uint* hull, LeastOverlap* least) {
  const uint count = hull[HULL_EDGES];
  float least2 = MAXFLOAT, s, t;
  uint nearest = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const uint4 row = hull_edge(hull, k);
    const float3 v = hull_vertex(hull, row.x);
    const float3 way = from_edge_to_segment(f, v, hull_vertex(hull, row.y) - v, &s, &t);
    const float distance2 = dot3(way, way);
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    nearest = k;
  }
  if (!(least2 > HULL_TOUCHES * HULL_TOUCHES)) return;
  // Across what it ends within, for a small difference is little but rounding.
  const uint4 row = hull_edge(hull, nearest);
  const float3 v = hull_vertex(hull, row.x), edge = hull_vertex(hull, row.y) - v;
  float3 way = from_edge_to_segment(f, v, edge, &s, &t);
  const bool within_edge = t > 0.0f && t < 1.0f, within_axis = abs_f(s) < f->h;
  if (within_edge) way = part_across(way, edge);
  if (within_axis) way = part_across(way, f->v);
  if (within_edge && within_axis) {
    const float3 cross = cross_of_units(unit3(edge), f->v);
    if (dot3(cross, cross) > HULL_PARALLEL_SINE2) way = dot3(cross, way) < 0.0f ? -cross : cross;
  }
  const float3 n = unit3(way);
  if (dot3(n, n) > 0.0f) take_less(n, round_hull_overlap(SHAPE_CAPSULE, f, hull, n), least);
}

void capsule_convex_hull(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float size = a->radius_bound + b->radius_bound, reach = size + margin;
  if (!(dot3(c, c) < reach * reach)) return;
  __global const uint* hull = b->hull;
  const RoundInHull f = round_in_hull(a, b, c);
  const float rounding = 1e-6f * size;
  uint face;
  if (!least_hull_face(SHAPE_CAPSULE, &f, hull, -margin - f.r, &face)) return;
  LeastOverlap flat, least;
  flat.n = hull_face(hull, face).xyz;
  flat.overlap = round_hull_overlap(SHAPE_CAPSULE, &f, hull, flat.n);
  least = flat;
  const float3 lower_end = f.p - f.v * (f.h * sign_f(dot3(f.v, flat.n)));
  if (!(flat.overlap < 0.0f && is_over_hull_face(hull, face, lower_end))) {
    try_edges_across_axis(&f, hull, &least);
    if (!(least.overlap + f.r > -margin)) return;
    // Off a sharp corner no side is far, and rounding may hide that they are apart.
    if (least.overlap < rounding) try_nearest_edge(&f, hull, &least);
  }
  if (!(least.overlap + f.r > -margin)) return;
  const float3 flat_n = unit3(out_of_body(b, flat.n)), n = unit3(out_of_body(b, least.n));
  build_manifold_flat_first(SHAPE_CAPSULE, a, SHAPE_CONVEX_HULL, b, c, flat_n, flat.overlap + f.r, n,
                            least.overlap + f.r, margin, m);
}

PAIR_KERNEL(narrow_phase_capsule_convex_hull, SHAPE_CAPSULE, SHAPE_CONVEX_HULL, capsule_convex_hull)
