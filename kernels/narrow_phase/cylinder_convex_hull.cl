// Cylinder against convex hull; see docs/convex_hulls.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_convex_hull.cpp.
//
//   Least overlap along the hull's faces, the bases, the side at an edge and at a vertex, a rim at an edge; apart also
//   a rim at a vertex. What a lower bound leaves no room for is not searched (pairs/least_penetration.clh).
#define LARGE_ON_GPU
#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CONVEX_HULL
#define MANIFOLDS_LATER
#include "pairs/meeting.clh"
#include "pairs/round_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// Between two directions, less than half a turn apart, the overlap is nowhere less than along z0 and z1, the points of
// the sum's border that have the two for normals, seen from p: than the least of its values at both ends and the
// distance of the chord from z0 to z1. Is the latter more than `bound`, and by more than rounding, `slack`, which would
// tell the side of a shorter chord?
bool hull_chord_is_beyond(float2 z0, float2 z1, float bound, float slack) {
  const float turn = z0.x * z1.y - z0.y * z1.x, distance = bound + slack;
  const float2 chord = z1 - z0;
  const float chord2 = chord.x * chord.x + chord.y * chord.y;
  return turn > 0.0f && chord2 > slack * slack && turn * turn >= distance * distance * chord2;
}

INLINED void try_round(const RoundInHull* f, __global const uint* hull, float3 n, LeastOverlap* least) {
  lower_least(n, round_hull_overlap(SHAPE_CYLINDER, f, hull, n), least);
}

// A cylinder seen along an edge of the hull, from the edge: the sum of a segment along x and an ellipse whose minor
// axis is x. A quadrant of the two is mirrored to x and y >= 0.
//
//        y   .n2      n goes along the edge's arc from the normal of its first face to that of the second
//        |  /         (counter-clockwise about the edge, from its first vertex to the second), one quadrant at a time
//        | /   .n1
//        +------- x
typedef struct EdgeView {
  float3 x, y;   // across the edge; y across the cylinder's axis too
  float px, py;  // p as seen from the edge
  float seg;     // half length of the segment
  float b;       // half the minor axis of the ellipse, r the major
} EdgeView;

// The point of the ellipse with the normal m, m.x and m.y >= 0.
float2 ellipse_point(float r, float b, float2 m) {
  const float reach = sqrt_rn(b * m.x * (b * m.x) + r * m.y * (r * m.y));
  if (!(reach > 1e-12f)) return (float2)(0.0f, r);
  const float per = div_rn(1.0f, reach);
  return (float2)(b * b * m.x * per, r * r * m.y * per);
}

// Between two normals of a mirrored quadrant, from the one nearer to x: the least overlap of a rim at the edge.
// `mirror`: the signs of the quadrant.
INLINED void try_rim(const RoundInHull* f, __global const uint* hull, const EdgeView* view, float2 mirror, float2 low,
                     float2 high, float slack, LeastOverlap* least) {
  const float qx = mirror.x * view->px - view->seg, qy = mirror.y * view->py, r = f->r, b = view->b;
  const float rounding = 5e-7f * ((abs_f(qx) + abs_f(qy)) + r);
  if (!(qy >= -rounding)) return;
  const float2 q = (float2)(qx, qy), z0 = ellipse_point(r, b, low) - q, z1 = ellipse_point(r, b, high) - q;
  const float overlap0 = low.x * z0.x + low.y * z0.y, overlap1 = high.x * z1.x + high.y * z1.y;
  if (min_f(overlap0, overlap1) >= least->overlap && hull_chord_is_beyond(z0, z1, max_f(least->overlap, 0.0f), slack))
    return;
  const float falls = low.x * z0.y - low.y * z0.x, rises = high.x * z1.y - high.y * z1.x;
  for (uint inner = 0u; inner < 2u; ++inner) {
    float2 e;
    if (inner == 0u) {
      if (!(qx > -rounding && falls < rounding && rises > -rounding)) continue;
      e = ellipse_normal(r, b, max_f(qx, 0.0f), max_f(qy, 0.0f));
    } else if (!(qx < 0.0f && falls < 0.0f) || !ellipse_inner_normal(r, b, qx, qy, low, high, &e)) {
      continue;
    }
    const float2 z = ellipse_point(r, b, e) - q;
    if (!(e.x * z.x + e.y * z.y < least->overlap)) continue;
    try_round(f, hull, unit3(view->x * (mirror.x * e.x) + view->y * (mirror.y * e.y)), least);
  }
}

// Both rims and the side at an edge. Where p is beneath both faces' planes at the edge, by `low` or more, n is a sum of
// their normals of at least its own length: along it p is as far beneath the vertex, and the cylinder reaches as far as
// the ball that it holds.
INLINED void try_hull_edge(const RoundInHull* f, __global const uint* hull, uint edge, float slack,
                           LeastOverlap* least) {
  const uint4 row = hull_edge(hull, edge);
  const float3 first = hull_face(hull, row.z).xyz, second = hull_face(hull, row.w).xyz;
  const float3 vertex = hull_vertex(hull, row.x);
  const float low = min_f(dot3(first, vertex - f->p), dot3(second, vertex - f->p));
  if (low >= 0.0f && low + min_f(f->r, f->h) >= least->overlap + slack) return;
  const float3 along = unit3(hull_vertex(hull, row.y) - vertex);
  const float3 cross = cross_of_units(along, f->v);
  const float sine2 = dot3(cross, cross), sine = sqrt_rn(sine2);
  EdgeView view;
  view.y = sine2 > HULL_PARALLEL_SINE2 ? cross * div_rn(1.0f, sine) : first;
  view.x = cross3(view.y, along);
  view.px = dot3(f->p - vertex, view.x);
  view.py = dot3(f->p - vertex, view.y);
  view.seg = f->h * sine;
  view.b = f->r * abs_f(dot3(along, f->v));
  float2 at = unit2(dot3(first, view.x), dot3(first, view.y));
  const float2 end = unit2(dot3(second, view.x), dot3(second, view.y));
  // Two faces in one plane, but for rounding.
  if (!(at.x * end.y - at.y * end.x > 0.0f) && at.x * end.x + at.y * end.y > 0.0f) return;
  ROLLED
  for (uint k = 0u; k < 3u; ++k) {
    // The quadrant after `at`, and the axis at its end.
    const bool upper = at.y > 0.0f || (at.y == 0.0f && at.x > 0.0f);
    const bool to_y = upper ? at.x > 0.0f : at.x < 0.0f;  // from the x axis to the y axis
    const float2 axis = to_y ? (float2)(0.0f, upper ? 1.0f : -1.0f) : (float2)(upper ? -1.0f : 1.0f, 0.0f);
    const bool last = end.x * axis.x + end.y * axis.y >= 0.0f && end.x * axis.y - end.y * axis.x >= 0.0f;
    const float2 next = last ? end : axis;
    // Signs of the quadrant: x is positive in the one that ends at +y and the one that ends at +x.
    const float2 mirror = (float2)(to_y == upper ? 1.0f : -1.0f, upper ? 1.0f : -1.0f);
    const float2 m0 = mirror * at, m1 = mirror * next;
    try_rim(f, hull, &view, mirror, to_y ? m0 : m1, to_y ? m1 : m0, slack, least);
    if (last) return;
    if (to_y && f->r - axis.y * view.py < least->overlap) try_round(f, hull, view.y * axis.y, least);
    at = next;
  }
}

// Along n, with the overlap that the vertex alone has: no neighbour may be so far along n that it is no better.
INLINED void try_at_vertex(const RoundInHull* f, __global const uint* hull, uint vertex, float3 v, float3 n,
                           float overlap, LeastOverlap* least) {
  const float room = least->overlap - overlap;
  if (!(room > 0.0f)) return;
  const uint2 neighbours = hull_neighbours(hull, vertex);
  ROLLED
  for (uint k = neighbours.x; k < neighbours.y; ++k)
    if (dot3(hull_vertex(hull, hull_neighbour(hull, k)) - v, n) >= room) return;
  try_round(f, hull, n, least);
}

// The side at each vertex or, apart, the rim: nearest points of a circle and a point. The hull holds a ball, so that
// no vertex is farthest along n that is no farther than the ball.
INLINED void try_hull_vertices(const RoundInHull* f, __global const uint* hull, bool rim, float slack,
                               LeastOverlap* least) {
  const float3 middle = hull_point(hull, HULL_MIDDLE);
  const float inner = hull_number(hull, HULL_INNER_RADIUS);
  const uint count = hull[HULL_VERTICES];
  const float beside = max_f((rim ? f->r : f->r - least->overlap) - slack, 0.0f);  // less is known to be no better
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float3 v = hull_vertex(hull, k), from = f->p - v;
    const float height = dot3(from, f->v);
    const float3 about = from - f->v * height;
    if (dot3(about, about) < beside * beside) continue;
    const float3 across = part_across(about, f->v);
    const float d = length3(across);
    float3 way = across;
    float length = d, overlap = f->r - d;
    if (rim) {
      const float beyond = abs_f(height) - f->h, aside = d - f->r;
      if (!(beyond >= 0.0f && aside > 0.0f)) continue;
      way = f->v * (height < 0.0f ? -beyond : beyond) + across * div_rn(aside, d);
      length = length3(way);
      overlap = -length;
    }
    if (!(length > 1e-6f && overlap < least->overlap)) continue;
    if (dot3(v - middle, way) < inner * length) continue;
    try_at_vertex(f, hull, k, v, unit3(way), overlap, least);
  }
}

// The depth and its normal, and the best of a flat side, in the hull's axes; false when the bodies are apart by more
// than margin.
__attribute__((always_inline)) bool cylinder_hull_depth(const Body* a, const Body* b, float3 c, float margin,
                                                        LeastOverlap* flat_result, LeastOverlap* result) {
  __global const uint* hull = b->hull;
  const RoundInHull f = round_in_hull(a, b, c);
  const float rounding = 4e-6f * (a->radius_bound + b->radius_bound);
  uint face;
  if (!least_hull_face(SHAPE_CYLINDER, &f, hull, -margin, rounding, &face)) return false;
  LeastOverlap flat, least;
  flat.n = f.v;
  flat.overlap = (hull_reach(hull, f.v) - dot3(f.v, f.p)) + f.h;
  const float other_base = (hull_reach(hull, -f.v) + dot3(f.v, f.p)) + f.h;
  if (other_base + HULL_FACES_EQUAL < flat.overlap) {
    flat.n = -f.v;
    flat.overlap = other_base;
  }
  least = flat;
  // A base, unless the face is clearly nearer.
  const float3 n = hull_face(hull, face).xyz;
  const float overlap = round_hull_overlap(SHAPE_CYLINDER, &f, hull, n);
  lower_least(n, overlap, &least);
  if (overlap + HULL_FACES_EQUAL < flat.overlap) flat = least;
  if (!(least.overlap > -margin)) return false;
  try_hull_vertices(&f, hull, false, rounding, &least);
  if (!(least.overlap > -margin)) return false;
  const uint count = hull[HULL_EDGES];
  ROLLED
  for (uint k = 0u; k < count; ++k) try_hull_edge(&f, hull, k, rounding, &least);
  if (least.overlap < rounding) try_hull_vertices(&f, hull, true, rounding, &least);
  *flat_result = flat;
  *result = least;
  return least.overlap > -margin;
}

bool cylinder_convex_hull(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  const float reach = (a->radius_bound + b->radius_bound) + margin;
  if (!(dot3(c, c) < reach * reach)) return false;
  LeastOverlap flat, least;
  if (!cylinder_hull_depth(a, b, c, margin, &flat, &least)) return false;
  put_found(found, unit3(out_of_body(b, least.n)), least.overlap, unit3(out_of_body(b, flat.n)), flat.overlap);
  return true;
}

MEETING_KERNEL(narrow_phase_cylinder_convex_hull, SHAPE_CYLINDER, SHAPE_CONVEX_HULL, cylinder_convex_hull, false,
               NO_LONG)
