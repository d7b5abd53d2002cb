// Box against cylinder; see docs/body_contacts.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/box_cylinder.cpp.
#ifndef OCLIDE_FUSED_PAIRS
#define PAIR_A SHAPE_BOX
#define PAIR_B SHAPE_CYLINDER
#define MANIFOLDS_LATER
#endif
#include "math/lanes.clh"
#include "pairs/least_penetration.clh"
#include "pairs/meeting.clh"
#pragma OPENCL FP_CONTRACT OFF

// In parts of the sum of all lengths: more than rounding makes of an overlap.
__constant float kRounding = 4e-6f;

// The cylinder in the box's frame, mirrored so that p, from its centre to the box's, has no negative component.
typedef struct BoxFrame {
  float3 a;  // half extents of the box
  float3 v;  // axis of the cylinder
  float3 p;
  float h, r;
  float slack;  // more than rounding makes of an overlap
} BoxFrame;

// Overlap along n, unit.
float box_overlap(const BoxFrame* f, float3 n) {
  const float3 across = cross3(n, f->v);
  return ((f->a.x * abs_f(n.x) + f->a.y * abs_f(n.y)) + (f->a.z * abs_f(n.z) + f->h * abs_f(dot3(n, f->v))) +
          f->r * sqrt_rn(dot3(across, across))) -
         dot3(n, f->p);
}

// The same along four directions.
float4 box_overlaps(const BoxFrame* f, float4 x, float4 y, float4 z) {
  const float3 v = f->v;
  const float4 along = (x * v.x + y * v.y) + z * v.z;
  const float4 s = y * v.z - z * v.y, t = z * v.x - x * v.z, u = x * v.y - y * v.x;
  return ((f->a.x * abs4(x) + f->a.y * abs4(y)) + (f->a.z * abs4(z) + f->h * abs4(along)) +
          f->r * sqrt4((s * s + t * t) + u * u)) -
         ((x * f->p.x + y * f->p.y) + z * f->p.z);
}

void try_box(const BoxFrame* f, float3 n, LeastOverlap* least) {
  lower_least(n, box_overlap(f, n), least);
}

float3 from_components(int k, float at_k, float at_l, float at_m) {
  return k == 0 ? (float3)(at_k, at_l, at_m) : (k == 1 ? (float3)(at_m, at_k, at_l) : (float3)(at_l, at_m, at_k));
}

// Between two directions, less than half a turn apart, the overlap is nowhere less than along z0 and z1, the points of
// Z's border that have the two for normals, seen from p: than the least of its values at both ends and the distance of
// the chord from z0 to z1. Is the latter more than `bound`? Where it counts, the chord's foot is between its ends;
// then rounding makes of it less than 1e-6 of all lengths, and `slack` is four times that. It would tell the side of a
// shorter chord.
bool chord_is_beyond(float2 z0, float2 z1, float bound, float slack) {
  const float turn = z0.x * z1.y - z0.y * z1.x, distance = bound + slack;
  const float2 chord = z1 - z0;
  const float chord2 = chord.x * chord.x + chord.y * chord.y;
  return turn > 0.0f && chord2 > slack * slack && turn * turn >= distance * distance * chord2;
}

// Rims against edges along k. Across the edge the box is a rectangle and the cylinder the sum of a segment along w and
// an ellipse with the minor axis w; n is from one axis of the rectangle to the next:
//
//       next (axis of the rectangle)
//        |   x (axis of the ellipse)     the corner between `from` and `next` is fixed, and each of the two arcs in a
//        |  /                            quadrant of the ellipse: it has a minimum where the overlap falls at its
//        | /                             begin and rises at its end
//        +------- from
//
// Quadrants: 0 from -m to l, 1 from l to m, 2 from m to -l, the three that can face p.
typedef struct Quadrant {
  int k;                         // the edge's axis
  float2 from;                   // of the axes of the rectangle, along l and m
  float2 x;                      // of the ellipse's
  bool minor;                    // x is the ellipse's minor axis
  float px, py;                  // p as seen from the corner
  float seg;                     // half length of the segment
  float from_slope, next_slope;  // of the overlap
  float from_overlap, next_overlap;
} Quadrant;

// `across`: length of v across the edge.
void set_quadrant(const BoxFrame* f, int k, int i, float across, Quadrant* s) {
  const int l = k == 2 ? 0 : k + 1, m = l == 2 ? 0 : l + 1;
  const float vl = component(f->v, l), vm = component(f->v, m);
  const float2 w = across > 1e-6f ? (float2)(div_rn(vl, across), div_rn(vm, across)) : (float2)(1.0f, 0.0f);
  const bool along = w.x * w.y >= 0.0f;  // w between the axes l and m, or m and -l
  const float2 first = along ? (float2)(abs_f(w.x), abs_f(w.y)) : (float2)(abs_f(w.y), abs_f(w.x));
  const float2 from = i == 0 ? (float2)(0.0f, -1.0f) : (i == 1 ? (float2)(1.0f, 0.0f) : (float2)(0.0f, 1.0f));
  const float2 next = (float2)(-from.y, from.x);
  s->k = k;
  s->from = from;
  s->x = i == 1 ? first : (i == 0 ? (float2)(first.y, -first.x) : (float2)(-first.y, first.x));
  s->minor = (i == 1) == along;
  s->px = component(f->p, l) - (from.x + next.x) * component(f->a, l);
  s->py = component(f->p, m) - (from.y + next.y) * component(f->a, m);
  s->seg = f->h * across;
}

// An arc of a quadrant in axes of the ellipse, from the end nearer to the minor axis to the other, and what to look
// for.
typedef struct EdgeArc {
  float2 minor_axis, major_axis, end;
  float qx, qy;
  bool outer, inner;
} EdgeArc;

// False where the arc has no better direction.
bool set_arc(const BoxFrame* f, const Quadrant* s, bool second, const LeastOverlap* least, EdgeArc* arc) {
  const float vk = component(f->v, s->k), px = s->px, py = s->py, seg = s->seg;
  const float2 from = s->from, next = (float2)(-from.y, from.x), x = s->x, across = (float2)(-x.y, x.x);
  const float rounding = 5e-7f * (abs_f(px) + abs_f(py) + seg);
  // Slopes at the arcs' ends; at the major axis that of the segment jumps.
  const float beside = across.x * px + across.y * py, jump = s->minor ? 0.0f : seg;
  const float x_overlap = (s->minor ? f->r * abs_f(vk) + seg : f->r) - (x.x * px + x.y * py);
  const float2 beside_x = second ? across : -across;
  arc->end = second ? next : from;
  arc->minor_axis = s->minor ? x : beside_x;
  arc->major_axis = s->minor ? beside_x : x;
  const float qx = (arc->minor_axis.x * px + arc->minor_axis.y * py) - seg;
  const float qy = arc->major_axis.x * px + arc->major_axis.y * py;
  arc->qx = qx;
  arc->qy = qy;
  if (!(qy >= -rounding)) return false;
  const float falls_from = second ? jump - beside : s->from_slope;
  const float rises_to = second ? s->next_slope : -jump - beside;
  const float2 z0 = second ? x * x_overlap + across * falls_from : from * s->from_overlap + next * falls_from;
  const float2 z1 = second ? next * s->next_overlap - from * rises_to : x * x_overlap + across * rises_to;
  if (x_overlap >= least->overlap && chord_is_beyond(z0, z1, max_f(least->overlap, 0.0f), f->slack)) return false;
  arc->outer = qx > -rounding && falls_from < rounding && rises_to > -rounding;
  arc->inner = qx < 0.0f && (second == s->minor ? falls_from : -rises_to) < 0.0f;
  return arc->outer || arc->inner;
}

void try_ellipse_normal(const BoxFrame* f, int k, const EdgeArc* arc, float2 e, LeastOverlap* least) {
  const float2 n =
      unit2(e.x * arc->minor_axis.x + e.y * arc->major_axis.x, e.x * arc->minor_axis.y + e.y * arc->major_axis.y);
  try_box(f, from_components(k, 0.0f, n.x, n.y), least);
}

void try_arc(const BoxFrame* f, const Quadrant* s, const EdgeArc* arc, LeastOverlap* least) {
  const float b = f->r * abs_f(component(f->v, s->k));
  float2 e;
  if (arc->outer) {
    e = ellipse_normal(f->r, b, max_f(arc->qx, 0.0f), max_f(arc->qy, 0.0f));
    try_ellipse_normal(f, s->k, arc, e, least);
  }
  if (arc->inner) {
    const float2 pole = (float2)(s->minor ? 1.0f : 0.0f, s->minor ? 0.0f : 1.0f);
    const float2 other = (float2)(arc->end.x * arc->minor_axis.x + arc->end.y * arc->minor_axis.y,
                                  arc->end.x * arc->major_axis.x + arc->end.y * arc->major_axis.y);
    if (ellipse_inner_normal(f->r, b, arc->qx, arc->qy, s->minor ? pole : other, s->minor ? other : pole, &e))
      try_ellipse_normal(f, s->k, arc, e, least);
  }
}

// The opposite, across three edges, with z0 = (overlap, slope) at a quadrant's begin and z1 = (-slope, overlap) at its
// end.
int4 chords_are_near(float4 from_overlap, float4 from_slope, float4 next_overlap, float4 next_slope, float bound) {
  const float4 turn = from_overlap * next_overlap + from_slope * next_slope;
  const float4 x = from_overlap + next_slope, y = next_overlap - from_slope;
  return turn <= 0.0f || turn * turn < bound * bound * (x * x + y * y);
}

// Of the quadrants of all edges, by edge (x, y, z): the length of v across it, slopes and overlaps at their begins and
// ends.
typedef struct EdgeValues {
  float3 across, slope0, slope1, slope2, next0, next1, next2, far_l, far_m, over_l, over_m;
} EdgeValues;

void quadrant_of(const BoxFrame* f, const EdgeValues* all, int at, Quadrant* s) {
  const int edge = at >= 6 ? 2 : (at >= 3 ? 1 : 0), i = at - 3 * edge;
  set_quadrant(f, edge, i, component(all->across, edge), s);
  s->from_slope = component(i == 0 ? all->slope0 : (i == 1 ? all->slope1 : all->slope2), edge);
  s->next_slope = component(i == 0 ? all->next0 : (i == 1 ? all->next1 : all->next2), edge);
  s->from_overlap = component(i == 0 ? all->far_m : (i == 1 ? all->over_l : all->over_m), edge);
  s->next_overlap = component(i == 0 ? all->over_l : (i == 1 ? all->over_m : all->far_l), edge);
}

// All edges: of their quadrants those that may hold a better direction. `overlaps` are those along the box's axes;
// across[k] is the length of v across axis k.
void try_edges(const BoxFrame* f, float4 overlaps, float4 across, LeastOverlap* least) {
  const float4 v = (float4)(f->v, 0.0f), p = (float4)(f->p, 0.0f), a = (float4)(f->a, 0.0f);
  const float4 sign = (float4)(sign_f(v.x), sign_f(v.y), sign_f(v.z), 1.0f);
  const float4 divisor = (float4)(max_f(across.x, 1e-12f), max_f(across.y, 1e-12f), max_f(across.z, 1e-12f), 1.0f);
  // The cylinder's farthest point along an axis of the box is, but for its component along it, so many times v.
  const float4 scale = sign * f->h - div4(f->r * v, divisor);
  const float4 reach_l = scale.zxyw * v.yzxw, reach_m = scale.yzxw * v.zxyw;
  const float4 p_l = p.yzxw, p_m = p.zxyw, a_l = a.yzxw, a_m = a.zxyw;
  const float4 over_l = overlaps.yzxw, over_m = overlaps.zxyw;
  // For each k those at the begins and ends of its three quadrants.
  const float4 slope0 = -reach_l - (p_l - a_l), slope1 = reach_m - (p_m - a_m), slope2 = -reach_l + (p_l + a_l);
  const float4 next0 = reach_m - (p_m + a_m), next1 = -reach_l + (p_l - a_l), next2 = reach_m + (p_m - a_m);
  const float4 far_l = over_l + 2.0f * p_l, far_m = over_m + 2.0f * p_m;
  const float bound = max_f(least->overlap, 0.0f) + f->slack;
  const int4 near = (chords_are_near(far_m, slope0, over_l, next0, bound) & 1) |
                    (chords_are_near(over_l, slope1, over_m, next1, bound) & 2) |
                    (chords_are_near(over_m, slope2, far_l, next2, bound) & 4);
  if (((near.x | near.y) | near.z) == 0) return;
  const EdgeValues all = {across.xyz, slope0.xyz, slope1.xyz, slope2.xyz, next0.xyz, next1.xyz,
                          next2.xyz,  far_l.xyz,  far_m.xyz,  over_l.xyz, over_m.xyz};
  uint bits = (uint)near.x | (uint)near.y << 3 | (uint)near.z << 6;
  Quadrant s;
  EdgeArc arc;
#if OCLIDE_LANES != 1
  for (; bits != 0u; bits &= bits - 1u) {
    quadrant_of(f, &all, 31 - (int)clz(bits & -bits), &s);
    for (uint k = 0u; k < 2u; ++k)
      if (set_arc(f, &s, k == 1u, least, &arc)) try_arc(f, &s, &arc, least);
  }
#else
  // First on to the next arc that is to be searched: so work-items beside each other search together.
  bool second = true;  // of a quadrant's arcs the second was the last
  ROLLED
  while (true) {
    bool found = false;
    ROLLED
    while (!found && !(second && bits == 0u)) {
      second = !second;
      if (!second) {
        quadrant_of(f, &all, 31 - (int)clz(bits & -bits), &s);
        bits &= bits - 1u;
      }
      found = set_arc(f, &s, second, least, &arc);
    }
    if (!found) return;
    try_arc(f, &s, &arc, least);
  }
#endif
}

// The side against the box's corners: seen along the axis, the box is a hexagon, and the corner is its point nearest
// to p when it lies along n. The overlap is then the radius less the corner's distance from the axis.
void try_side_corners(const BoxFrame* f, LeastOverlap* least) {
  const float3 v = f->v, p = f->p, a = f->a;
  const float8 sx = (float8)(1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f);
  const float8 sy = (float8)(1.0f, 1.0f, -1.0f, -1.0f, 1.0f, 1.0f, -1.0f, -1.0f);
  const float8 sz = (float8)(1.0f, 1.0f, 1.0f, 1.0f, -1.0f, -1.0f, -1.0f, -1.0f);
  float8 x = p.x - a.x * sx, y = p.y - a.y * sy, z = p.z - a.z * sz;
  const float8 along = (x * v.x + y * v.y) + z * v.z;
  x -= v.x * along;
  y -= v.y * along;
  z -= v.z * along;
  const float8 distance2 = (x * x + y * y) + z * z;
  // The farthest corner is never the nearest.
  const float room = max_f(f->r - (least->overlap + f->slack), 0.0f);
  const int8 numbers = (int8)(1, 2, 4, 8, 16, 32, 64, 0);
  // Of an edge all but along the axis rounding may tell the wrong end.
  const float least_side = -0.125f * f->slack;
  const int8 near = x * sx >= least_side && y * sy >= least_side && z * sz >= least_side && distance2 > 1e-12f &&
                    distance2 >= room * room;
  if (!any8(near)) return;
  const int8 set = near & numbers;
  const int4 half_set = set.lo | set.hi;
  for (uint bits = (uint)(half_set.x | half_set.y | half_set.z | half_set.w); bits != 0u; bits &= bits - 1u) {
    const int i = 31 - (int)clz(bits & -bits);
    float3 q = p - a * (float3)(i & 1 ? -1.0f : 1.0f, i & 2 ? -1.0f : 1.0f, i & 4 ? -1.0f : 1.0f);
    q -= v * dot3(q, v);
    const float3 n = unit3(q);
    try_box(f, unit3(n - v * dot3(n, v)), least);
  }
}

// Apart: a rim against a corner, nearest points of a circle and a point; they are those of the bodies when box and axis
// end there along n.
void try_rim_corners(const BoxFrame* f, LeastOverlap* least) {
  const float3 v = f->v;
  ROLLED
  for (int i = 0; i < 14; ++i) {
    const float3 s = (float3)(i & 2 ? -1.0f : 1.0f, i & 4 ? -1.0f : 1.0f, i & 8 ? -1.0f : 1.0f);
    const float end = i & 1 ? -1.0f : 1.0f;
    const float3 q = f->p - f->a * s;
    const float height = dot3(q, v), along = height - end * f->h;
    if (!(along * end >= 0.0f)) continue;
    const float3 across = q - v * height;
    const float d2 = dot3(across, across);
    if (!(d2 > f->r * f->r)) continue;
    const float d = sqrt_rn(d2);
    const float3 n = v * along + across * div_rn(d - f->r, d);
    if (n.x * s.x >= 0.0f && n.y * s.y >= 0.0f && n.z * s.z >= 0.0f && dot3(n, n) > 1e-16f) try_box(f, unit3(n), least);
  }
}

// The depth and its normal, and the best of a flat side; false when the bodies are apart by more than margin.
bool box_cylinder(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  const float3 at = (float3)(-dot3(c, a->x), -dot3(c, a->y), -dot3(c, a->z));
  const float3 mirror = (float3)(sign_f(at.x), sign_f(at.y), sign_f(at.z));
  const float3 p = (float3)(abs_f(at.x), abs_f(at.y), abs_f(at.z));
  float3 v = (float3)(dot3(b->z, a->x * mirror.x), dot3(b->z, a->y * mirror.y), dot3(b->z, a->z * mirror.z));
  if (dot3(v, p) < 0.0f) v = -v;
  const float r = b->size.x, h = b->size.y;

  // Faces and bases. length: of v across each axis of the box, and of p.
  const float3 extent = a->size, cosine = (float3)(abs_f(v.x), abs_f(v.y), abs_f(v.z));
  const float4 minus_m = (float4)(-v.z, -v.x, -v.y, 0.0f), plus_l = (float4)(v.y, v.z, v.x, 0.0f);
  float4 length2 = minus_m * minus_m + plus_l * plus_l;
  length2.w = dot3(p, p);
  const float4 length = sqrt4(length2);
  const float3 faces = ((extent + h * cosine) + r * length.xyz) - p;
  const float bases =
      ((extent.x * cosine.x + extent.y * cosine.y) + (extent.z * cosine.z + h * dot3(v, v))) - dot3(v, p);
  if (faces.x < -margin || faces.y < -margin || faces.z < -margin || bases < -margin) return false;

  // Side by side: the side against edges of each axis, the line of centres.
  BoxFrame f;
  f.a = extent;
  f.v = v;
  f.p = p;
  f.r = r;
  f.h = h;
  f.slack = kRounding * (((extent.x + extent.y) + extent.z) + (r + h));
  const int4 has = length2 > 1e-30f;
  const float4 inverse = div4((float4)(1.0f, 1.0f, 1.0f, 1.0f), length);
  float4 at_l = has ? minus_m * inverse : (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  float4 at_m = has ? plus_l * inverse : (float4)(1.0f, 1.0f, 1.0f, 1.0f);
  const int4 away = at_l * (float4)(p.yzx, 0.0f) + at_m * (float4)(p.zxy, 0.0f) < 0.0f;
  at_l = away ? -at_l : at_l;
  at_m = away ? -at_m : at_m;
  const float3 middle = has.w != 0 ? p * inverse.w : (float3)(1.0f, 0.0f, 0.0f);
  const float4 nx = (float4)(0.0f, at_m.y, at_l.z, middle.x), ny = (float4)(at_l.x, 0.0f, at_m.z, middle.y),
               nz = (float4)(at_m.x, at_l.y, 0.0f, middle.z);
  const float4 overlaps = box_overlaps(&f, nx, ny, nz);
  if (any4(overlaps < -margin)) return false;

  LeastOverlap flat, least;
  flat.n = (float3)(1.0f, 0.0f, 0.0f);
  flat.overlap = faces.x;
  lower_least((float3)(0.0f, 1.0f, 0.0f), faces.y, &flat);
  lower_least((float3)(0.0f, 0.0f, 1.0f), faces.z, &flat);
  lower_least(v, bases, &flat);
  least = flat;
  lower_least(middle, overlaps.w, &least);
  lower_least((float3)(0.0f, ny.x, nz.x), overlaps.x, &least);
  lower_least((float3)(nx.y, 0.0f, nz.y), overlaps.y, &least);
  lower_least((float3)(nx.z, ny.z, 0.0f), overlaps.z, &least);

  try_side_corners(&f, &least);
  if (least.overlap < -margin) return false;
  try_edges(&f, (float4)(faces, 0.0f), length, &least);
  if (least.overlap < 0.0f) try_rim_corners(&f, &least);
  if (!(least.overlap > -margin)) return false;
  flat.n *= mirror;
  least.n *= mirror;
  put_found(found, unit3((a->x * least.n.x + a->y * least.n.y) + a->z * least.n.z), least.overlap,
            unit3((a->x * flat.n.x + a->y * flat.n.y) + a->z * flat.n.z), flat.overlap);
  return true;
}

MEETING_KERNEL(narrow_phase_box_cylinder, SHAPE_BOX, SHAPE_CYLINDER, box_cylinder, false, NO_LONG)
