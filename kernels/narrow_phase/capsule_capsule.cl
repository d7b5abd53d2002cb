// Capsule against capsule: the nearest points of the two axes; see docs/body_contacts.md.
//
//        ______u______             the axes cross (seen along their common normal w = u x v): along w
//            /                     else an end of one is nearest to the other: along the line between
//           / v                    nearly parallel: two contacts, at the ends of the stretch they share
//
// Features: end 0 (at +z), end 1, side 2. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/capsule_capsule.cpp.
#include "pairs/manifold_order.clh"
#pragma OPENCL FP_CONTRACT OFF

#define SIDE 2u
// Axes nearer to each other than this meet [m].
#define AXES_MEET 1e-6f
// Sine of the angle between axes below which no direction is perpendicular to both more than others.
#define SAME_DIRECTION 1e-6f
// Sine of the angle between two axes, and of each with the plane across n, for two contacts.
#define ENDS_BEHIND 1.000001f  // squared distances
#define NEARLY_PARALLEL 0.02f
#define FLAT 1e-3f
// Ends less far from each other along the axes stand side by side, for the contact's feature [m].
#define ENDS_LEVEL 1e-3f
// A normal along which the overlap is more than it should be by that much, and that part of the distance, leans against
// one of the axes [m].
#define LEANS 1e-5f
#define LEANS_SHARE 2.5e-7f

// a b - c d without cancellation of rounded products.
float difference_of_products(float a, float b, float c, float d) {
  const TwoFloat p = two_product(a, b), q = two_product(c, d);
  return (p.hi - q.hi) + (p.lo - q.lo);
}

float3 exact_cross(float3 a, float3 b) {
  return (float3)(difference_of_products(a.y, b.z, a.z, b.y), difference_of_products(a.z, b.x, a.x, b.z),
                  difference_of_products(a.x, b.y, a.y, b.x));
}

float clamp_to(float t, float extent) {
  return t > extent ? extent : (t < -extent ? -extent : t);
}

float3 to_world(const Body* b, float3 v) {
  return (b->x * v.x + b->y * v.y) + b->z * v.z;
}

// From b's nearest place t to a's, s, one of them an end: of a where k is less than 2, at +z where k is even.
typedef struct EndAndAxis {
  float s, t, distance2;
  float3 way;
  bool two_ends;
} EndAndAxis;

EndAndAxis end_and_axis(const Body* a, const Body* b, float3 c, uint k) {
  const bool of_a = k < 2u;
  const Body* from = of_a ? a : b;
  const Body* to = of_a ? b : a;
  const float end = (k & 1u) == 0u ? from->size.y : -from->size.y;
  const float3 p = of_a ? from->z * end - c : c + from->z * end;
  const float z = dot3(p, to->z), along = clamp_to(z, to->size.y);
  const float3 away = (float3)(dot3(p, to->x), dot3(p, to->y), z - along);  // in the frame of `to`
  EndAndAxis e;
  e.s = of_a ? end : along;
  e.t = of_a ? along : end;
  e.distance2 = dot3(away, away);
  e.way = of_a ? to_world(to, away) : -to_world(to, away);
  e.two_ends = abs_f(along) == to->size.y;
  return e;
}

// Of two segments along n, unit.
float segments_overlap(const Body* a, const Body* b, float3 c, float3 n) {
  return (a->size.y * abs_f(dot3(n, a->z)) + b->size.y * abs_f(dot3(n, b->z))) + dot3(n, c);
}

// Is place `along` of the axis at its end toward `sense`, +1 or -1?
bool is_at_end(const Body* b, float along, float sense) {
  return along * sense + ENDS_LEVEL > b->size.y;
}
uint end_or_side(const Body* b, float along, float sense) {
  return is_at_end(b, along, sense) ? (sense > 0.0f ? 0u : 1u) : SIDE;
}
uint feature_at(const Body* b, float along) {
  return end_or_side(b, along, along > 0.0f ? 1.0f : -1.0f);
}

// Beside place s of a's axis, where the axes are nearly parallel and b's centre lies beside place `middle`.
float place_on_b(const Body* a, const Body* b, float middle, float s) {
  return clamp_to(div_rn(s - middle, dot3(a->z, b->z)), b->size.y);
}

// Of the end s of the stretch that both share, toward `sense` along a's axis: one of them ends there, or both do. Their
// other ends have no part in it, however short the stretch. So its two ends have different features.
uint stretch_feature(const Body* a, const Body* b, float middle, float s, float sense) {
  return pair_feature(end_or_side(a, s, sense),
                      end_or_side(b, place_on_b(a, b, middle, s), dot3(a->z, b->z) < 0.0f ? -sense : sense));
}

// The contact at an end of that stretch, where the axes are across n too.
void add_beside(const Body* a, const Body* b, float3 c, float3 n, float middle, float s, float sense, float margin,
                Manifold* m) {
  const float3 gap = (c + b->z * place_on_b(a, b, middle, s)) - a->z * s;
  const float up = dot3(gap, n);
  const float3 beside = gap - n * up, aside = beside - a->z * dot3(beside, a->z);
  const float radius_sum = a->size.x + b->size.x, aside2 = dot3(aside, aside);
  if (!(aside2 < radius_sum * radius_sum)) return;
  const float depth = sqrt_rn(radius_sum * radius_sum - aside2) + up;
  if (!(depth > -margin)) return;
  const float share = div_rn(a->size.x, radius_sum);
  const float3 up_from_a = n - a->z * dot3(n, a->z);
  const float3 p =
      (a->z * s + aside * share) - up_from_a * sqrt_rn(max_f(a->size.x * a->size.x - aside2 * share * share, 0.0f));
  manifold_add(m, p, depth, stretch_feature(a, b, middle, s, sense));
}

void capsule_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float3 u = a->z, v = b->z;
  const float radius_sum = a->size.x + b->size.x;
  const float reach = ((a->size.y + b->size.y) + (radius_sum + margin)) * 1.00001f;
  if (dot3(c, c) > reach * reach) return;

  // The nearest of the four ends to the other axis; n from b toward a. Of nearly parallel axes two ends are as near as
  // each other but for rounding, and n leans against the axis of the one that is not the nearest. The overlap shows it,
  // and among those that are as near it tells one from the other.
  float s = 0.0f, t = 0.0f, nearest2 = 1e30f, distance = 1e30f, overlap = 1e30f;
  float3 n = a->x;
  ROLLED
  for (uint k = 0u; k < 8u; ++k) {
    if (k == 4u && !(distance > AXES_MEET && overlap + distance > LEANS)) break;
    const EndAndAxis e = end_and_axis(a, b, c, k & 3u);
    // Two ends are nearest only where neither can be nearer to the other axis; rounding must not let them win, for n
    // would lean against the axis by as much as the foot is off.
    const float as_near2 = e.two_ends ? e.distance2 * ENDS_BEHIND : e.distance2;
    const float distance_k = sqrt_rn(e.distance2);
    if (k < 4u ? !(as_near2 < nearest2)
               : !(distance_k > AXES_MEET && distance_k < distance + (LEANS + LEANS_SHARE * distance)))
      continue;
    const float3 n_k = distance_k > AXES_MEET ? e.way * div_rn(1.0f, distance_k) : e.way;
    const float overlap_k = segments_overlap(a, b, c, n_k);
    if (k >= 4u && !(overlap_k < overlap)) continue;
    nearest2 = min_f(nearest2, as_near2);
    overlap = overlap_k;
    distance = distance_k;
    s = e.s;
    t = e.t;
    n = n_k;
  }

  // The common normal, where the axes cross or nearly meet: of parallel ones x. Where they lie in each other the ends
  // are as near as rounding has it, in any direction.
  const float3 w = exact_cross(u, v);
  const float w2 = dot3(w, w);
  const bool parallel = !(w2 > SAME_DIRECTION * SAME_DIRECTION);
  float s_cross = MAXFLOAT, t_cross = MAXFLOAT;
  float3 across = a->x;
  if (!parallel) {
    s_cross = div_rn(dot3(cross3(c, v), w), w2);
    t_cross = div_rn(dot3(cross3(c, u), w), w2);
    across = w * div_rn(1.0f, sqrt_rn(w2));
  }
  const bool crossing = abs_f(s_cross) <= a->size.y && abs_f(t_cross) <= b->size.y;
  const float along_c = dot3(across, c);
  if (crossing || distance <= AXES_MEET || overlap > AXES_MEET - abs_f(along_c)) {
    n = along_c > 0.0f ? -across : across;
    distance = abs_f(along_c);
    if (crossing) {
      s = s_cross;
      t = clamp_to(dot3(u * s - c, v), b->size.y);
    }
  }

  const float depth = radius_sum - distance;
  if (!(depth > -margin)) return;
  m->normal = n;
  if (w2 < NEARLY_PARALLEL * NEARLY_PARALLEL && abs_f(dot3(n, u)) < FLAT && abs_f(dot3(n, v)) < FLAT) {
    // Of the lines of the sides: those of thick capsules lie off the axes where n leans against them.
    const float cosine = dot3(u, v), half_length = b->size.y * abs_f(cosine);
    const float middle = dot3(c, u) + b->size.x * (dot3(n, u) - dot3(n, v) * cosine);
    const float s0 = max_f(-a->size.y, middle - half_length), s1 = min_f(a->size.y, middle + half_length);
    if (s1 - s0 > SAME_POINT) {
      add_beside(a, b, c, n, middle, s1, 1.0f, margin, m);
      add_beside(a, b, c, n, middle, s0, -1.0f, margin, m);
    }
  }
  // One point: no shared stretch, or deeper between its ends than at them.
  float deepest = -1e30f;
  for (uint k = 0u; k < m->count; ++k) deepest = max_f(deepest, m->depth[k]);
  if (deepest < depth - (1e-5f + 5e-3f * abs_f(depth))) {
    const float3 place = u * s - n * a->size.x;
    uint feature = pair_feature(feature_at(a, s), feature_at(b, t)), kept = 0u;
    // In the place of an end that is there.
    for (uint k = 0u; k < m->count; ++k) {
      const bool is_there = abs_f(dot3(m->point[k] - place, u)) < ENDS_LEVEL;
      if (is_there) feature = m->feature[k];
      if (m->feature[k] == feature) continue;
      m->point[kept] = m->point[k];
      m->depth[kept] = m->depth[k];
      m->feature[kept] = m->feature[k];
      kept += 1u;
    }
    m->count = kept;
    manifold_add(m, place, depth, feature);
  }
  deepest_first(m);
}

PAIR_KERNEL(narrow_phase_capsule_capsule, SHAPE_CAPSULE, SHAPE_CAPSULE, capsule_capsule)
