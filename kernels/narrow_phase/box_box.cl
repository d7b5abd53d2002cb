// Box against box: the 15 separating axes in the frame of the first (Matulewski 2010), the likely ones first;
// see docs/body_contacts.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/box_box.cpp.
//
//   The overlap along an axis of the boxes or a cross product of two edges is the least of all when the boxes overlap.
//   When they are apart it is the distance between a corner and a face or between two edges; what other features are
//   nearest to each other shows from the corners of each against the other.
#ifndef OCLIDE_FUSED_PAIRS
#define PAIR_A SHAPE_BOX
#define PAIR_B SHAPE_BOX
#endif
#include "pairs/meeting.clh"
#pragma OPENCL FP_CONTRACT OFF

#define PREFER_APART 1e-6f  // a face is taken where it is within this length of an edge's axis [m]
#define MIN_SINE2 1e-12f    // of edges that are parallel; their cross product says nothing
#define EXACT_SINE2 1e-2f   // below, the short formula loses digits, and the axis is worked out

// Overlap along unit n, with n turned toward a.
float boxes_overlap(const Body* a, const Body* b, float3 c, float3* n) {
  const float along = dot3(*n, c);
  if (along > 0.0f) *n = -*n;
  return (reach_along(SHAPE_BOX, a, *n) + reach_along(SHAPE_BOX, b, *n)) - abs_f(along);
}

// The shortest way from a corner of `from` to the box `to`, whose centre is at c as seen from `from`'s: the difference
// and its square, when it is less than *least2.
void corners_to_box(const Body* from, const Body* to, float3 c, float3* least, float* least2) {
  ROLLED
  for (uint k = 0u; k < 8u; ++k) {
    const float3 corner = (from->x * ((k & 1u) != 0u ? from->size.x : -from->size.x) +
                           from->y * ((k & 2u) != 0u ? from->size.y : -from->size.y)) +
                          from->z * ((k & 4u) != 0u ? from->size.z : -from->size.z);
    const float3 q = corner - c;
    const float x = dot3(q, to->x), y = dot3(q, to->y), z = dot3(q, to->z);
    const float3 d = (to->x * (x - max_f(-to->size.x, min_f(x, to->size.x))) +
                      to->y * (y - max_f(-to->size.y, min_f(y, to->size.y)))) +
                     to->z * (z - max_f(-to->size.z, min_f(z, to->size.z)));
    const float d2 = dot3(d, d);
    if (!(d2 < *least2)) continue;
    *least2 = d2;
    *least = d;
  }
}

// Two boxes in the frame of the first: the second's axes (rows: along an axis of the first) and centre.
typedef struct BoxAxes {
  float3 r0, r1, r2, t, size_a, size_b;
} BoxAxes;

// The cross product of two edges with the least overlap.
typedef struct EdgeAxis {
  float overlap;
  float3 axis;
} EdgeAxis;

// Axis k of the second, and absolute values.
float3 column(const BoxAxes* s, uint k) {
  return (float3)(component(s->r0, k), component(s->r1, k), component(s->r2, k));
}
float3 absolute3(float3 v) {
  return (float3)(abs_f(v.x), abs_f(v.y), abs_f(v.z));
}

// Overlap along unit u.
float axis_overlap(const BoxAxes* s, float3 u) {
  const float3 a = s->size_a, b = s->size_b, on_b = (s->r0 * u.x + s->r1 * u.y) + s->r2 * u.z;
  const float overlap = ((abs_f(u.x) * a.x + abs_f(u.y) * a.y) + abs_f(u.z) * a.z) +
                        ((abs_f(on_b.x) * b.x + abs_f(on_b.y) * b.y) + abs_f(on_b.z) * b.z);
  return overlap - abs_f(dot3(u, s->t));
}

// The cross products of an edge of b, `along`, with the three of a; times their sines, b reaches `of_b` along them.
// True when one parts the boxes.
bool edges_part(const BoxAxes* s, float3 along, float3 of_b, float margin, EdgeAxis* least) {
  const float3 a = s->size_a, t = s->t, size = absolute3(along);
  const float3 of_a = a.yzx * size.zxy + a.zxy * size.yzx;
  const float3 apart = t.zxy * along.yzx - t.yzx * along.zxy;
  const float3 over = (of_a + of_b) - absolute3(apart);
  const float3 square = size * size, sine2 = square.yzx + square.zxy;
  const float3 sine = (float3)(sqrt_rn(sine2.x), sqrt_rn(sine2.y), sqrt_rn(sine2.z));
  const float3 per = (float3)(div_rn(1.0f, sine.x), div_rn(1.0f, sine.y), div_rn(1.0f, sine.z));
  float3 overlap = over * per;
  const float3 x = (float3)(0.0f, -along.z, along.y) * per.x, y = (float3)(along.z, 0.0f, -along.x) * per.y,
               z = (float3)(-along.y, along.x, 0.0f) * per.z;
  // An axis is worked out where it may decide; parallel edges say nothing.
  if (min_f(min_f(sine2.x, sine2.y), sine2.z) < EXACT_SINE2) {
    if (sine2.x < EXACT_SINE2) overlap.x = sine2.x > MIN_SINE2 ? axis_overlap(s, x) : MAXFLOAT;
    if (sine2.y < EXACT_SINE2) overlap.y = sine2.y > MIN_SINE2 ? axis_overlap(s, y) : MAXFLOAT;
    if (sine2.z < EXACT_SINE2) overlap.z = sine2.z > MIN_SINE2 ? axis_overlap(s, z) : MAXFLOAT;
  }
  if (min_f(min_f(overlap.x, overlap.y), overlap.z) <= -margin) return true;
  if (overlap.x < least->overlap) {
    least->overlap = overlap.x;
    least->axis = x;
  }
  if (overlap.y < least->overlap) {
    least->overlap = overlap.y;
    least->axis = y;
  }
  if (overlap.z < least->overlap) {
    least->overlap = overlap.z;
    least->axis = z;
  }
  return false;
}

bool box_box(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  const float reach = (a->radius_bound + b->radius_bound) + margin;
  if (!(dot3(c, c) < reach * reach)) return false;

  // b's axes and centre in the frame of a: r[i][j] = a's axis i along b's axis j.
  const float3 t = (float3)(dot3(a->x, c), dot3(a->y, c), dot3(a->z, c));
  const float3 r0 = (float3)(dot3(a->x, b->x), dot3(a->x, b->y), dot3(a->x, b->z));
  const float3 r1 = (float3)(dot3(a->y, b->x), dot3(a->y, b->y), dot3(a->y, b->z));
  const float3 r2 = (float3)(dot3(a->z, b->x), dot3(a->z, b->y), dot3(a->z, b->z));
  const float3 p0 = absolute3(r0);
  const float3 p1 = absolute3(r1);
  const float3 p2 = absolute3(r2);

  // The faces of a, then those of b. (Each sum in a fixed order.)
  const float3 over_a = (a->size + (float3)(dot3(p0, b->size), dot3(p1, b->size), dot3(p2, b->size))) - absolute3(t);
  if (over_a.x <= -margin || over_a.y <= -margin || over_a.z <= -margin) return false;
  const float3 t_b = (r0 * t.x + r1 * t.y) + r2 * t.z;
  const float3 over_b = (b->size + ((p0 * a->size.x + p1 * a->size.y) + p2 * a->size.z)) - absolute3(t_b);
  if (over_b.x <= -margin || over_b.y <= -margin || over_b.z <= -margin) return false;
  float face = over_a.x;
  float3 n = a->x * (t.x > 0.0f ? -1.0f : 1.0f);
  if (over_a.y < face) {
    face = over_a.y;
    n = a->y * (t.y > 0.0f ? -1.0f : 1.0f);
  }
  if (over_a.z < face) {
    face = over_a.z;
    n = a->z * (t.z > 0.0f ? -1.0f : 1.0f);
  }
  if (over_b.x < face) {
    face = over_b.x;
    n = b->x * (t_b.x > 0.0f ? -1.0f : 1.0f);
  }
  if (over_b.y < face) {
    face = over_b.y;
    n = b->y * (t_b.y > 0.0f ? -1.0f : 1.0f);
  }
  if (over_b.z < face) {
    face = over_b.z;
    n = b->z * (t_b.z > 0.0f ? -1.0f : 1.0f);
  }

  // The nine cross products of edges: (overlap, its axis in the frame of a) of the least. Columns: an axis of b.
  EdgeAxis edge;
  edge.overlap = MAXFLOAT;
  edge.axis = (float3)(0.0f, 0.0f, 0.0f);
  const BoxAxes axes = {r0, r1, r2, t, a->size, b->size};
  ROLLED
  for (uint k = 0u; k < 3u; ++k) {
    const uint next = next_axis(k), last = next_axis(next);
    const float3 of_b = absolute3(column(&axes, last)) * component(b->size, next) +
                        absolute3(column(&axes, next)) * component(b->size, last);
    if (edges_part(&axes, column(&axes, k), of_b, margin, &edge)) return false;
  }
  const float3 face_n = n;
  float depth = face;
  if (edge.overlap < face - PREFER_APART) {
    depth = edge.overlap;
    n = unit3((a->x * edge.axis.x + a->y * edge.axis.y) + a->z * edge.axis.z);
    if (dot3(n, c) > 0.0f) n = -n;
  }

  // Apart, corners may be nearest to edges and corners, which no axis shows.
  if (depth < -FLAT_LENGTH) {
    float3 of_a = (float3)(0.0f, 0.0f, 0.0f), of_b = of_a;
    float least_a = MAXFLOAT, least_b = MAXFLOAT;
    corners_to_box(a, b, c, &of_a, &least_a);
    corners_to_box(b, a, -c, &of_b, &least_b);
    // An axis along which the nearest points lie over each other stays. So far from a centre rounding hides which is
    // less; the way's points are there. It also hides which of two corners is nearer: the other one is asked, too.
    const float rounding = 4e-7f * (a->radius_bound + b->radius_bound);
    const float3 axis = n;
    float less_than = depth + rounding;
    ROLLED
    for (uint i = 0u; i < 2u; ++i) {
      const float3 between = (least_b < least_a) == (i == 0u) ? -of_b : of_a;
      float3 way = unit3(between);
      if (!(dot3(way, way) > 0.0f)) continue;
      const float3 aside = between - axis * dot3(between, axis);
      float overlap = boxes_overlap(a, b, c, &way);
      // Nearly touching, the way is not exact: across an edge that it meets nearly at a right angle it is better.
      ROLLED
      for (uint k = 0u; k < 6u; ++k) {
        const float3 e = k < 3u ? box_axis(a, k) : box_axis(b, k - 3u);
        const float along = dot3(way, e);
        if (!(abs_f(along) < 2e-3f)) continue;
        float3 across = unit3(way - e * along);
        const float better = boxes_overlap(a, b, c, &across);
        if (!(better < overlap)) continue;
        overlap = better;
        way = across;
      }
      if (overlap < less_than && dot3(aside, aside) > FLAT_LENGTH * FLAT_LENGTH) {
        less_than = depth = overlap;
        n = way;
      }
    }
  }
  put_found(found, n, depth, face_n, face);
  return true;
}

MEETING_KERNEL(narrow_phase_box_box, SHAPE_BOX, SHAPE_BOX, box_box, false, NO_LONG)
