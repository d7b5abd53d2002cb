// Capsule against convex hull: the capsule's segment against the hull, less the radius; see docs/convex_hulls.md.
// Launch and output: kernels/pairs/pair.clh. Reference: host/reference/narrow_phase/capsule_convex_hull.cpp.
//
//   Where the segment meets the hull, the least overlap is along a face's normal, or across the segment and an edge.
//   Where it is apart, the face of least overlap is the only one that can have the nearest point inside its loop, under
//   the segment's lower end. Else the nearest point is on an edge, its ends included.
#define PAIR_A SHAPE_CAPSULE
#define PAIR_B SHAPE_CONVEX_HULL
#include "pairs/meeting.clh"
#include "pairs/round_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// Along normals across the axis and an edge whose arc they are on: faces at the edge that lean to different ends.
INLINED void try_edges_across_axis(const RoundInHull* f, __global const uint* hull, float rounding,
                                   LeastOverlap* least) {
  const uint count = hull[HULL_EDGES];
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const uint4 row = hull_edge(hull, k);
    const float3 first = hull_face(hull, row.z).xyz, second = hull_face(hull, row.w).xyz;
    const float lean = dot3(first, f->v), other_lean = dot3(second, f->v);
    if (lean * other_lean > 0.0f) continue;
    const float3 v = hull_vertex(hull, row.x);
    // Their sum of the length 1 is no shorter: along it the axis is as far beneath the vertex.
    const float low = min_f(dot3(first, v - f->p), dot3(second, v - f->p));
    if (low >= 0.0f && low >= least->overlap + rounding) continue;
    const float3 cross = cross_of_units(unit3(hull_vertex(hull, row.y) - v), f->v);
    const float sine2 = dot3(cross, cross);
    if (!(sine2 > HULL_PARALLEL_SINE2)) continue;
    float3 n = cross * div_rn(1.0f, sqrt_rn(sine2));
    if (dot3(n, first + second) < 0.0f) n = -n;
    if (!(dot3(n, v - f->p) < least->overlap)) continue;
    lower_least(n, round_hull_overlap(SHAPE_CAPSULE, f, hull, n), least);
  }
}

// From the nearest point of an edge to that of the segment, which is *s along the axis from its centre; *at as in
// from_hull_edge.
float3 from_edge_to_segment(const RoundInHull* f, float3 first, float3 second, float* s, uint* at) {
  const float3 edge = second - first, cross = cross3(f->v, edge);
  const float cross2 = dot3(cross, cross);
  // Where the lines are nearest to each other. Not by way of their cosine, which says little of small angles.
  float start = 0.0f;
  if (cross2 > HULL_PARALLEL_SINE2 * dot3(edge, edge))
    start = max_f(-f->h, min_f(div_rn(dot3(cross3(first - f->p, edge), cross), cross2), f->h));
  const float3 way = from_hull_edge(first, second, f->p + f->v * start, at);
  *s = max_f(-f->h, min_f(start - dot3(way, f->v), f->h));
  return way + f->v * (*s - start);
}

// Apart, the way from the nearest edge.
INLINED void try_nearest_edge(const RoundInHull* f, __global const uint* hull, float rounding, LeastOverlap* least) {
  const uint count = hull[HULL_EDGES];
  const float beneath = rounding + 2.0f * hull_number(hull, HULL_FLAT_SLACK);
  float least2 = MAXFLOAT, s = 0.0f;
  float3 way = f->v;
  uint edge = 0u, at = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const uint4 row = hull_edge(hull, k);
    const float3 vertex = hull_vertex(hull, row.x), first = hull_face(hull, row.z).xyz,
                 second = hull_face(hull, row.w).xyz;
    // What is nearest to the edge is above the plane of a face beside it.
    if (dot3(first, f->p - vertex) + f->h * abs_f(dot3(first, f->v)) < -beneath &&
        dot3(second, f->p - vertex) + f->h * abs_f(dot3(second, f->v)) < -beneath)
      continue;
    float s_k;
    uint at_k;
    const float3 way_k = from_edge_to_segment(f, vertex, hull_vertex(hull, row.y), &s_k, &at_k);
    const float distance2 = dot3(way_k, way_k);
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    way = way_k;
    s = s_k;
    edge = k;
    at = at_k;
  }
  if (!(least2 < MAXFLOAT)) return;
  const bool within = abs_f(s) < f->h;
  ROLLED
  for (uint k = 0u; k < 2u; ++k) {
    way = off_hull(hull, edge, at, way);
    if (within) way = part_across(way, f->v);
  }
  const float distance = length3(way);
  if (!(distance > HULL_TOUCHES)) return;
  float3 n = unit3(way);
  float overlap = round_hull_overlap(SHAPE_CAPSULE, f, hull, n);
  if (at == 1u && within) {
    // That across both has more digits.
    const uint4 row = hull_edge(hull, edge);
    const float3 cross = cross_of_units(unit3(hull_vertex(hull, row.y) - hull_vertex(hull, row.x)), f->v);
    const float3 across = unit3(dot3(cross, way) < 0.0f ? -cross : cross);
    const float across_overlap = round_hull_overlap(SHAPE_CAPSULE, f, hull, across);
    if (dot3(cross, cross) > HULL_PARALLEL_SINE2 && across_overlap < overlap + rounding) {
      n = across;
      overlap = across_overlap;
    }
  }
  if (least->overlap >= -rounding && !(overlap < least->overlap + rounding)) return;
  if (overlap < least->overlap + rounding) least->n = n;
  least->overlap = min_f(least->overlap, -distance);
}

bool capsule_convex_hull(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  const float size = a->radius_bound + b->radius_bound, reach = size + margin;
  if (!(dot3(c, c) < reach * reach)) return false;
  __global const uint* hull = b->hull;
  const RoundInHull f = round_in_hull(a, b, c);
  const float rounding = 1e-6f * size;
  uint face;
  if (!least_hull_face(SHAPE_CAPSULE, &f, hull, -margin - f.r, rounding, &face)) return false;
  LeastOverlap flat, least;
  flat.n = hull_face(hull, face).xyz;
  flat.overlap = round_hull_overlap(SHAPE_CAPSULE, &f, hull, flat.n);
  least = flat;
  const float3 lower_end = f.p - f.v * (f.h * sign_f(dot3(f.v, flat.n)));
  if (!(flat.overlap < 0.0f && is_over_hull_face(hull, face, lower_end))) {
    try_edges_across_axis(&f, hull, rounding, &least);
    if (!(least.overlap + f.r > -margin)) return false;
    // Off a sharp corner no side is far, and rounding may hide that they are apart.
    if (least.overlap < rounding) try_nearest_edge(&f, hull, rounding, &least);
  }
  if (!(least.overlap + f.r > -margin)) return false;
  put_found(found, unit3(out_of_body(b, least.n)), least.overlap + f.r, unit3(out_of_body(b, flat.n)),
            flat.overlap + f.r);
  return true;
}

MEETING_KERNEL(narrow_phase_capsule_convex_hull, SHAPE_CAPSULE, SHAPE_CONVEX_HULL, capsule_convex_hull, false, NO_LONG)
