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
#define POINTS_EQUAL 1e-5f

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

// A point's place beside a capsule's axis: how far along, and the way from the axis to it in the capsule's frame.
typedef struct BesideAxis {
  float along;
  float3 away;
  float distance2;
} BesideAxis;

BesideAxis beside_axis(const Body* b, float3 p) {
  const float z = dot3(p, b->z);
  BesideAxis r;
  r.along = clamp_to(z, b->size.y);
  r.away = (float3)(dot3(p, b->x), dot3(p, b->y), z - r.along);
  r.distance2 = dot3(r.away, r.away);
  return r;
}

float3 to_world(const Body* b, float3 v) {
  return (b->x * v.x + b->y * v.y) + b->z * v.z;
}

uint end_at(float along) {
  return along > 0.0f ? 0u : 1u;
}

uint feature_at(float along, const Body* b) {
  return abs_f(along) + ENDS_LEVEL > b->size.y ? end_at(along) : SIDE;
}

// The contact beside point s of a's axis when the axes are nearly parallel and across n.
void add_beside(const Body* a, const Body* b, float3 c, float3 n, float s, float margin, Manifold* m) {
  const float along = div_rn(s - dot3(c, a->z), dot3(a->z, b->z));
  const float t = clamp_to(along, b->size.y);
  const float3 gap = (c + b->z * t) - a->z * s;
  const float up = dot3(gap, n);
  const float3 aside = (gap - n * up) - a->z * dot3(gap, a->z);
  const float radius_sum = a->size.x + b->size.x, aside2 = dot3(aside, aside);
  if (!(aside2 < radius_sum * radius_sum)) return;
  const float depth = sqrt_rn(radius_sum * radius_sum - aside2) + up;
  if (!(depth > -margin)) return;
  const float share = div_rn(a->size.x, radius_sum);
  const float3 p =
      (a->z * s + aside * share) - n * sqrt_rn(max_f(a->size.x * a->size.x - aside2 * share * share, 0.0f));
  manifold_add(m, p, depth, pair_feature(feature_at(s, a), feature_at(t, b)));
}

void capsule_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float3 u = a->z, v = b->z;
  const float radius_sum = a->size.x + b->size.x;
  const float reach = ((a->size.y + b->size.y) + (radius_sum + margin)) * 1.00001f;
  if (dot3(c, c) > reach * reach) return;

  // The nearest of the four ends to the other axis; n from b toward a.
  float s = 0.0f, t = 0.0f, nearest2 = 1e30f, distance2 = 1e30f;
  float3 n = a->x;
  for (uint k = 0u; k < 4u; ++k) {
    const bool of_a = k < 2u;
    const Body* from = of_a ? a : b;
    const float end = k % 2u == 0u ? from->size.y : -from->size.y;
    const BesideAxis r = of_a ? beside_axis(b, u * end - c) : beside_axis(a, c + v * end);
    // Two ends are nearest only where neither can be nearer to the other axis; rounding must not let them win, for n
    // would lean against the axis by as much as the foot is off.
    const bool two_ends = abs_f(r.along) == (of_a ? b : a)->size.y;
    const float as_near = two_ends ? r.distance2 * ENDS_BEHIND : r.distance2;
    if (!(as_near < nearest2)) continue;
    nearest2 = as_near;
    distance2 = r.distance2;
    s = of_a ? end : r.along;
    t = of_a ? r.along : end;
    n = of_a ? to_world(b, r.away) : -to_world(a, r.away);
  }
  float distance = sqrt_rn(distance2);
  if (distance > AXES_MEET) n = n * div_rn(1.0f, distance);

  // The common normal, where the axes cross or nearly meet.
  const float3 w = exact_cross(u, v);
  const float w2 = dot3(w, w);
  if (w2 > SAME_DIRECTION * SAME_DIRECTION) {
    const float s_cross = div_rn(dot3(cross3(c, v), w), w2), t_cross = div_rn(dot3(cross3(c, u), w), w2);
    const bool crossing = abs_f(s_cross) <= a->size.y && abs_f(t_cross) <= b->size.y;
    const float3 across = w * div_rn(1.0f, sqrt_rn(w2));
    const float along_c = dot3(across, c);
    const float overlap = ((a->size.y * abs_f(dot3(n, u)) + b->size.y * abs_f(dot3(n, v))) + dot3(n, c));
    if (crossing || distance <= AXES_MEET || overlap > AXES_MEET - abs_f(along_c)) {
      n = along_c > 0.0f ? -across : across;
      distance = abs_f(along_c);
      if (crossing) {
        s = s_cross;
        t = clamp_to(dot3(u * s - c, v), b->size.y);
      }
    }
  } else if (distance <= AXES_MEET) {
    n = a->x;
  }

  const float depth = radius_sum - distance;
  if (!(depth > -margin)) return;
  m->normal = n;
  if (w2 < NEARLY_PARALLEL * NEARLY_PARALLEL && abs_f(dot3(n, u)) < FLAT && abs_f(dot3(n, v)) < FLAT) {
    const float middle = dot3(c, u), half_length = b->size.y * abs_f(dot3(u, v));
    const float s0 = max_f(-a->size.y, middle - half_length), s1 = min_f(a->size.y, middle + half_length);
    if (s1 - s0 > POINTS_EQUAL) {
      add_beside(a, b, c, n, s1, margin, m);
      add_beside(a, b, c, n, s0, margin, m);
    }
  }
  // One point: no shared stretch, or deeper between its ends than at them.
  float deepest = -1e30f;
  for (uint k = 0u; k < m->count; ++k) deepest = max_f(deepest, m->depth[k]);
  if (deepest < depth - (1e-5f + 5e-3f * abs_f(depth))) {
    const uint feature = pair_feature(feature_at(s, a), feature_at(t, b));
    // In the place of the same end's.
    if (m->count == 2u && m->feature[1] == feature) m->count = 1u;
    if (m->count > 0u && m->feature[0] == feature) {
      m->point[0] = m->point[1];
      m->depth[0] = m->depth[1];
      m->feature[0] = m->feature[1];
      m->count -= 1u;
    }
    manifold_add(m, u * s - n * a->size.x, depth, feature);
  }
  deepest_first(m);
}

PAIR_KERNEL(narrow_phase_capsule_capsule, SHAPE_CAPSULE, SHAPE_CAPSULE, capsule_capsule)
