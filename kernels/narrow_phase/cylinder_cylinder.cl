// Cylinder against cylinder; see docs/body_contacts.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_cylinder.cpp.
#ifndef OCLIDE_FUSED_PAIRS
#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CYLINDER
#endif
#include "math/lanes.clh"
#include "pairs/least_penetration.clh"
#include "pairs/manifold.clh"
#include "pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// Overlap along n, unit, in the common frame.
float cylinders_overlap(const AxisFrame* f, float3 n) {
  const float along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z, y2 = n.y * n.y;
  return ((f->h1 * abs_f(n.z) + f->h2 * abs_f(along)) +
          (f->r1 * sqrt_rn(n.x * n.x + y2) + f->r2 * sqrt_rn(y2 + across * across))) -
         dot3(n, f->p);
}

// The same along four directions, and along one a lane.
float4 cylinders_overlaps(const AxisFrame* f, float4 x, float4 y, float4 z) {
  const float4 along = f->s * x + f->k * z, across = f->k * x - f->s * z, y2 = y * y;
  return ((f->h1 * abs4(z) + f->h2 * abs4(along)) + (f->r1 * sqrt4(x * x + y2) + f->r2 * sqrt4(y2 + across * across))) -
         ((x * f->p.x + y * f->p.y) + z * f->p.z);
}
FloatW cylinders_overlaps_w(const AxisFrame* f, VecW n) {
  const FloatW along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z, y2 = n.y * n.y;
  return ((f->h1 * abs_w(n.z) + f->h2 * abs_w(along)) +
          (f->r1 * sqrt_w(n.x * n.x + y2) + f->r2 * sqrt_w(y2 + across * across))) -
         ((n.x * f->p.x + n.y * f->p.y) + n.z * f->p.z);
}

void try_cylinders(const AxisFrame* f, float3 n, LeastOverlap* least) {
  take_less(n, cylinders_overlap(f, n), least);
}

// In parts of the sum of all lengths: what rounding makes of a point's place, and what is clearly more.
__constant float kRimRounding = 5e-7f;
__constant float kClear = 2e-3f;

// Overlaps deeper than this share of the least half width are searched for other minima.
__constant float kDeepShare = 0.1f;

// Of rim against rim: a step of Newton's method on the sphere from n, which has this overlap, in the lanes `open`.
// Between the great circles across the two axes f is smooth; where one of its second derivatives is negative, the step
// goes downhill all the same. `lowest`: the least overlap of all that descend, or *least's; first: no step was before.
// Gives the lanes that go on.
IntW step_rims(const AxisFrame* f, VecW* at, FloatW* overlap_at, IntW open, bool first, float lowest,
               const LeastOverlap* least) {
  VecW n = *at;
  FloatW overlap = *overlap_at;
  const FloatW along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z;
  const FloatW s1 = sqrt_w(n.x * n.x + n.y * n.y), s2 = sqrt_w(n.y * n.y + across * across);
  IntW going = open & (s1 > 1e-6f) & (s2 > 1e-6f);
  const FloatW i1 = div_w((FloatW)(1.0f), s1), i2 = div_w((FloatW)(1.0f), s2);
  // g: the farthest point of the sum less p. t1 = z x n, t2 = v x n: tangents of the rims; u1 = n x t1.
  const FloatW d1 = select((FloatW)(f->h1), (FloatW)(-f->h1), n.z < 0.0f);
  const FloatW d2 = select((FloatW)(f->h2), (FloatW)(-f->h2), along < 0.0f);
  const FloatW bend1 = f->r1 * i1, bend2 = f->r2 * i2;
  const VecW g = {(d2 * f->s + bend1 * n.x + bend2 * across * f->k) - f->p.x, (bend1 * n.y + bend2 * n.y) - f->p.y,
                  (d1 + d2 * f->k - bend2 * across * f->s) - f->p.z};
  const VecW t1 = {-n.y * i1, n.x * i1, (FloatW)(0.0f)};
  const VecW t2 = {-f->k * n.y * i2, across * i2, f->s * n.y * i2};
  const VecW u1 = {-n.z * t1.y, n.z * t1.x, n.x * t1.y - n.y * t1.x};
  const FloatW g1 = g.x * t1.x + g.y * t1.y, g2 = dot_wv(g, u1), c1 = t2.x * t1.x + t2.y * t1.y, c2 = dot_wv(t2, u1);
  // Eigenvalues and vectors of the second derivative.
  const FloatW h11 = bend1 + bend2 * c1 * c1, h22 = bend2 * c2 * c2, h12 = bend2 * c1 * c2;
  const FloatW mean = 0.5f * (h11 + h22), half_gap = 0.5f * (h11 - h22);
  const FloatW spread = sqrt_w(half_gap * half_gap + h12 * h12);
  const IntW steep_first = half_gap >= 0.0f;
  FloatW ex = select(h12, half_gap + spread, steep_first), ey = select(spread - half_gap, h12, steep_first);
  const FloatW e2 = ex * ex + ey * ey, per = div_w((FloatW)(1.0f), sqrt_w(e2));
  ex = select((FloatW)(0.0f), ex * per, e2 > 1e-30f);
  ey = select((FloatW)(1.0f), ey * per, e2 > 1e-30f);
  const FloatW high = mean + spread, low = div_w(bend1 * h22, select(high, (FloatW)(1e-20f), high < 1e-20f));
  const FloatW floor_bend = 1e-7f * high;
  const FloatW along1 = g1 * ex + g2 * ey, along2 = g2 * ex - g1 * ey;
  const FloatW bend_high = abs_w(high - overlap), bend_low = abs_w(low - overlap);
  const FloatW step1 = -div_w(along1, select(bend_high, floor_bend, bend_high < floor_bend));
  const FloatW step2 = -div_w(along2, select(bend_low, floor_bend, bend_low < floor_bend));
  // Not even several times the expected gain would be enough, or this leads where another descent has ended.
  const FloatW gain = abs_w(along1 * step1) + abs_w(along2 * step2);
  going = going & !(overlap - 5.0f * gain > lowest);
  FloatW a1 = step1 * ex - step2 * ey, a2 = step1 * ey + step2 * ex;
  const FloatW l2 = a1 * a1 + a2 * a2;
  going = going & !(l2 < 1e-11f);
  const FloatW x = n.x - least->n.x, y = n.y - least->n.y, z = n.z - least->n.z;
  if (!first) going = going & !((overlap > least->overlap) & ((x * x + y * y) + z * z < 1e-4f) & (l2 < 1e-4f));
  const FloatW shorten = select((FloatW)(1.0f), div_w((FloatW)(0.4f), sqrt_w(l2)), l2 > 0.16f);
  a1 *= shorten;
  a2 *= shorten;
  // Near the minimum, where rounding hides the gain, Newton's step is the better judge. Where the whole step does not
  // get lower: 0.3, 0.3^2, .. 0.3^4 of it.
  const FloatW limit = overlap + select((FloatW)(0.0f), (FloatW)(1e-6f * (f->r1 + f->r2)), l2 < 1e-5f);
  IntW seeking = going;
  ROLLED
  for (int j = 0; j < 5 && any_w(seeking); ++j) {
    VecW way = {n.x + (t1.x * a1 + u1.x * a2), n.y + (t1.y * a1 + u1.y * a2), n.z + u1.z * a2};
    to_unit_w(&way);
    const FloatW value = cylinders_overlaps_w(f, way);
    const IntW lower = seeking & (value < limit);
    n.x = select(n.x, way.x, lower);
    n.y = select(n.y, way.y, lower);
    n.z = select(n.z, way.z, lower);
    overlap = select(overlap, value, lower);
    seeking = seeking & !lower;
    a1 *= 0.3f;
    a2 *= 0.3f;
  }
  *at = n;
  *overlap_at = overlap;
  return going & !seeking & !(l2 < 1e-8f);
}

// Directions from which a search may go downhill.
#define RIM_STARTS 16u
typedef struct Starts {
  float x[RIM_STARTS], y[RIM_STARTS], z[RIM_STARTS];
  uint open;  // bit k: it goes from the k-th
} Starts;

// Steps of a descent.
#define RIM_STEPS 12

// Rim against rim, from eight of the directions, those of `open`, in step with each other.
#if OCLIDE_LANES == 8
// Of the directions `there`, with these overlaps, the one with the least, where that is less.
void take_least_of(VecW n, FloatW overlap, IntW there, LeastOverlap* least) {
  const FloatW of_there = select((FloatW)(MAXFLOAT), overlap, there);
  const float best = least_of(of_there);
  const uint k = lowest_bit(lanes_set(of_there == best));
  take_less((float3)(lane_of(n.x, k), lane_of(n.y, k), lane_of(n.z, k)), best, least);
}

void descend_rims(const AxisFrame* f, Starts* starts, uint first, uint open_bits, LeastOverlap* least) {
  VecW n = {load_w(starts->x + first), load_w(starts->y + first), load_w(starts->z + first)};
  IntW open = ((IntW)((int)open_bits) & (IntW)(1, 2, 4, 8, 16, 32, 64, 128)) != 0;
  if (!any_w(open)) return;
  const IntW all = open;
  FloatW overlap = select((FloatW)(MAXFLOAT), cylinders_overlaps_w(f, n), open);
  for (int i = 0; i < RIM_STEPS; ++i) {
    const IntW on = step_rims(f, &n, &overlap, open, i == 0, min_f(least->overlap, least_of(overlap)), least);
    const IntW ended = open & ~on;
    if (!any_w(ended)) continue;
    take_least_of(n, overlap, ended, least);
    open &= ~ended;
    if (!any_w(open)) return;
  }
  take_least_of(n, overlap, all, least);
}
#else
// One step of one direction after another: work-items beside each other are in the same code all the time, each with
// as many rounds as it has steps.
void descend_rims(const AxisFrame* f, Starts* starts, uint first, uint open, LeastOverlap* least) {
  float overlaps[8];
  LeastOverlap found = *least;  // of those that have ended
  float lowest = least->overlap;
  for (uint bits = open; bits != 0u; bits &= bits - 1u) {
    const uint k = lowest_bit(bits), at = first + k;
    const VecW n = {starts->x[at], starts->y[at], starts->z[at]};
    overlaps[k] = cylinders_overlaps_w(f, n);
    lowest = min_f(lowest, overlaps[k]);
  }
  int i = 0;
  float next_lowest = MAXFLOAT;
  uint left = open;
  ROLLED
  while (open != 0u) {
    const uint k = lowest_bit(left), at = first + k;
    VecW n = {starts->x[at], starts->y[at], starts->z[at]};
    float overlap = overlaps[k];
    if (!step_rims(f, &n, &overlap, 1, i == 0, lowest, least)) {
      open &= ~(1u << k);
      take_less((float3)(n.x, n.y, n.z), overlap, &found);
    }
    starts->x[at] = n.x;
    starts->y[at] = n.y;
    starts->z[at] = n.z;
    overlaps[k] = overlap;
    next_lowest = min_f(next_lowest, overlap);
    left &= left - 1u;
    if (left != 0u) continue;
    // All have made the step.
    *least = found;
    lowest = min_f(least->overlap, next_lowest);
    next_lowest = MAXFLOAT;
    left = open;
    if (++i == RIM_STEPS) break;
  }
  for (; open != 0u; open &= open - 1u) {
    const uint k = lowest_bit(open), at = first + k;
    take_less((float3)(starts->x[at], starts->y[at], starts->z[at]), overlaps[k], least);
  }
}
#endif

// Directions n, whose lanes are from the k-th of eight starts on, into the places from `first` on.
void set_starts(Starts* starts, uint first, uint k, VecW n, IntW open) {
  store_w(n.x, starts->x + first + k);
  store_w(n.y, starts->y + first + k);
  store_w(n.z, starts->z + first + k);
  starts->open |= lanes_set_w(open) << (first + k);
}

// From beside the lines of the sides and beside the poles, to both ends of each, where the overlap falls from there;
// `side1` and `side2` are the best directions across the axes.
void starts_at_lines(const AxisFrame* f, float3 side1, float3 side2, uint first, Starts* starts) {
  const float nudge = 0.001f, s = f->s, k = f->k, x = f->p.x, y = f->p.y, across = k * x - s * f->p.z;
  // From each pole toward the point that the other body's base has there.
  const float reach1 = f->h2 * s - f->r2 * k, reach2 = f->h1 * s - f->r1 * k;
  const float2 upper1 = unit2(x - reach1, y) * nudge, lower1 = unit2(x + reach1, y) * nudge;
  const float2 upper2 = unit2(across + reach2, y) * nudge, lower2 = unit2(across - reach2, y) * nudge;
  ROLLED
  for (uint i = 0u; i < 8u; i += LANES) {
    const VecW line = {of_eight_w(i, side1.x, side2.x, 0.0f, s, side1.x, side2.x, 0.0f, -s),
                       of_eight_w(i, side1.y, side2.y, 0.0f, 0.0f, side1.y, side2.y, 0.0f, 0.0f),
                       of_eight_w(i, 0.0f, side2.z, 1.0f, k, 0.0f, side2.z, -1.0f, -k)};
    const VecW aside = {
        of_eight_w(i, 0.0f, s * nudge, upper1.x, k * upper2.x, 0.0f, -s * nudge, lower1.x, k * lower2.x),
        of_eight_w(i, 0.0f, 0.0f, upper1.y, upper2.y, 0.0f, 0.0f, lower1.y, lower2.y),
        of_eight_w(i, nudge, k * nudge, 0.0f, -s * upper2.x, -nudge, -k * nudge, 0.0f, -s * lower2.x)};
    VecW n = {line.x + aside.x, line.y + aside.y, line.z + aside.z};
    to_unit_w(&n);
    set_starts(starts, first, i, n, cylinders_overlaps_w(f, n) < cylinders_overlaps_w(f, line));
  }
}

// From between the upper poles and between the lower ones, where the overlap falls from both; and in each of the four
// sectors, by the signs along the axes, from the corner of the two axes that it sees.
void starts_in_sectors(const AxisFrame* f, uint first, Starts* starts) {
  const float nudge = 0.002f, s = f->s, k = f->k;
  const FloatW none = (FloatW)(0.0f);
  const float2 out = unit2(f->p.x, f->p.y) * nudge;
  // Six starts; lanes beyond are none.
  ROLLED
  for (uint i = 0u; i < 6u; i += LANES) {
    const FloatW end1 = of_eight_w(i, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 0.0f, 0.0f);
    const FloatW end2 = of_eight_w(i, 1.0f, -1.0f, 1.0f, 1.0f, -1.0f, -1.0f, 0.0f, 0.0f);
    const IntW sectors = of_eight_w(i, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f, 0.0f, 0.0f) != 0.0f;
    const IntW between = of_eight_w(i, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f) != 0.0f;
    const FloatW level = end2 * f->h2;
    const VecW corner = {f->p.x - level * s, none + f->p.y, f->p.z - end1 * f->h1 - level * k};
    const IntW sees = (end1 * corner.z > 0.0f) & (end2 * (s * corner.x + k * corner.z) > 0.0f);
    const VecW pole1 = {none, none, end1}, pole2 = {end2 * s, none, end2 * k};
    VecW n = {select(pole2.x + out.x, corner.x, sectors), select(none + out.y, corner.y, sectors),
              select(pole1.z + pole2.z, corner.z, sectors)};
    to_unit_w(&n);
    const FloatW at = cylinders_overlaps_w(f, n);
    const IntW falls = (at < cylinders_overlaps_w(f, pole1)) & (at < cylinders_overlaps_w(f, pole2));
    set_starts(starts, first, i, n, (sees & sectors) | (falls & between));
  }
}

// The lowest of 25 directions in each sector, four starts, and four that are none.
void starts_all_over(const AxisFrame* f, Starts* starts) {
  float least[4];
  for (uint k = 0u; k < 8u; ++k) {
    if (k < 4u) least[k] = MAXFLOAT;
    starts->x[k] = 0.0f;
    starts->y[k] = 1.0f;
    starts->z[k] = 0.0f;
  }
  starts->open = 0u;
  ROLLED
  for (int i = 0; i < 25; ++i) {
    const float x = -1.0f + 0.5f * (float)(i / 5), w = -1.0f + 0.5f * (float)(i % 5);
    const float3 n = unit3((float3)(x, max_f(1.5f - max_f(abs_f(x), abs_f(w)), 0.1f), w));
    const uint k = (n.z < 0.0f ? 1u : 0u) + (f->s * n.x + f->k * n.z < 0.0f ? 2u : 0u);
    const float overlap = cylinders_overlap(f, n);
    if (!(overlap < least[k])) continue;
    least[k] = overlap;
    starts->x[k] = n.x;
    starts->y[k] = n.y;
    starts->z[k] = n.z;
    starts->open |= 1u << k;
  }
}

// Those of the starts that are open, without gaps.
uint pack_starts(Starts* starts) {
  uint count = 0u;
  for (uint bits = starts->open; bits != 0u; bits &= bits - 1u) {
    const uint from = lowest_bit(bits);
    starts->x[count] = starts->x[from];
    starts->y[count] = starts->y[from];
    starts->z[count] = starts->z[from];
    ++count;
  }
  starts->open = (1u << count) - 1u;
  return count;
}

// Downhill from all starts, as many side by side as there is room for, and deep inside from all over, for there may be
// more. `side1` and `side2`: see starts_at_lines(). False when the bodies are apart by more than margin.
bool descend(const AxisFrame* f, float3 side1, float3 side2, float margin, LeastOverlap* least) {
  Starts starts;
  starts.open = 0u;
  starts_at_lines(f, side1, side2, 0u, &starts);
  starts_in_sectors(f, 8u, &starts);
  uint count = pack_starts(&starts);
  bool all_over = false;
  ROLLED
  for (uint first = 0u;; first += 8u) {
    if (first >= count) {
      if (all_over) break;
      all_over = true;
      if (least->overlap < -margin) return false;
      if (!(least->overlap > kDeepShare * min_f(min_f(f->h1, f->r1), min_f(f->h2, f->r2)))) break;
      starts_all_over(f, &starts);
      first = 0u;
      count = 8u;
    }
    descend_rims(f, &starts, first, starts.open >> first & 0xFFu, least);
  }
  return least->overlap > -margin;
}

// A point of one body that is `base` below a base of the other and `side` below its side shows that along any n
//
//     f(n) >= base |n.axis| + side |n x axis| >= min(base, side)   (where that is positive; else base or side itself)
//
// So when the lesser of them is the overlap along some n, no direction has less, but for kRimRounding of all lengths:
// 1e-4 m where they are 200 m together. When the other one is clearly more, all directions beside n have clearly more,
// too, and a search would find nothing else.
bool point_decides(float base, float side, float overlap, float size) {
  return min_f(base, side) > overlap - kRimRounding * size && max_f(base, side) > max_f(overlap, 0.0f) + kClear * size;
}

// Is the best direction so far, least->n, the best of all?
bool is_certain(const AxisFrame* f, const LeastOverlap* least) {
  const float3 n = least->n;
  const float size = (f->r1 + f->h1) + (f->r2 + f->h2);
  const float along = f->s * n.x + f->k * n.z;
  const float3 v = (float3)(f->s, 0.0f, f->k);
  // Where the sides' lines cross: on that of the second body.
  if (n.y == 1.0f) {
    const float t = div_rn(f->p.x, max_f(f->s, 0.01f)), first = f->h1 - abs_f(t * f->k - f->p.z),
                second = f->h2 - abs_f(t);
    const float side = max_f(f->r1 - abs_f(f->p.y - f->r2), f->r2 - abs_f(f->p.y - f->r1));
    return f->s > 0.01f && min_f(first, second) * f->s > kClear * size &&
           point_decides(min_f(first, second), side, least->overlap, size);
  }
  // The second body's farthest point along n, in the first.
  float3 outward = n - v * along;
  outward -= v * dot3(v, outward);
  float3 q = v * (sign_f(along) * f->h2) - f->p;
  if (dot3(outward, outward) > 1e-6f) q += unit3(outward) * f->r2;
  if (point_decides(f->h1 - abs_f(q.z), f->r1 - sqrt_rn(q.x * q.x + q.y * q.y), least->overlap, size)) return true;
  // The first body's, in the second.
  float3 p = f->p;
  p.z -= sign_f(n.z) * f->h1;
  const float rim2 = n.x * n.x + n.y * n.y;
  if (rim2 > 1e-6f) {
    const float scale = div_rn(f->r1, sqrt_rn(rim2));
    p.x -= n.x * scale;
    p.y -= n.y * scale;
  }
  const float height = f->s * p.x + f->k * p.z, across = f->k * p.x - f->s * p.z;
  return point_decides(f->h2 - abs_f(height), f->r2 - sqrt_rn(across * across + p.y * p.y), least->overlap, size);
}

// Are the bodies apart by more than margin along an axis or the line of centres? Sines are taken for up to 1e-3 more
// than they are, which is more than rounding makes of small ones.
bool clearly_apart(const Body* a, const Body* b, float3 c, float margin) {
  const float r1 = a->size.x, h1 = a->size.y, r2 = b->size.x, h2 = b->size.y;
  const float cosine = abs_f(dot3(a->z, b->z)), on_a = abs_f(dot3(a->z, c)), on_b = abs_f(dot3(b->z, c));
  const float c2 = dot3(c, c);
  const float4 root =
      sqrt4((float4)(max_f(1.0f - cosine * cosine, 0.0f) + 1e-6f, max_f(c2 - on_a * on_a, 0.0f) + 1e-6f * c2,
                     max_f(c2 - on_b * on_b, 0.0f) + 1e-6f * c2, c2));
  const float gap = margin + 8.0f * kRimRounding * ((r1 + h1) + (r2 + h2));
  const float bases = min_f((h1 + h2 * cosine) + r2 * root.x - on_a, (h2 + h1 * cosine) + r1 * root.x - on_b);
  const float centres = ((h1 * on_a + h2 * on_b) + (r1 * root.y + r2 * root.z)) - c2;
  return min_f(bases + gap, centres + gap * root.w) < 0.0f;
}

// The depth and its normal, and the best of a flat side; false when the bodies are apart by more than margin.
OUTLINED bool cylinder_cylinder_depth(const Body* a, const Body* b, float3 c, float margin, LeastOverlap* flat_result,
                                      LeastOverlap* result) {
  if (clearly_apart(a, b, c, margin)) return false;
  const AxisFrame f = axis_frame(a, b, c);
  LeastOverlap flat, least;
  // Bases, the line of centres, sides.
  const float along = f.s * f.p.x + f.k * f.p.z, side = f.k * f.p.x - f.s * f.p.z;
  const float3 base = (float3)(f.s, 0.0f, f.k) * sign_f(along);
  flat.n = (float3)(0.0f, 0.0f, 1.0f);
  const float3 middle = dot3(f.p, f.p) > 1e-12f ? unit3(f.p) : flat.n;
  const float4 overlaps =
      cylinders_overlaps(&f, (float4)(0.0f, base.x, middle.x, 0.0f), (float4)(0.0f, 0.0f, middle.y, 1.0f),
                         (float4)(1.0f, base.z, middle.z, 0.0f));
  if (any4(overlaps < -margin)) return false;
  flat.overlap = overlaps.x;
  take_less(base, overlaps.y, &flat);
  least = flat;
  take_less(middle, overlaps.z, &least);
  take_less((float3)(0.0f, 1.0f, 0.0f), overlaps.w, &least);
  // A base or the sides' crossing settles it, unless the pair is so shallow that rounding along the others may part it.
  const bool sharp = !(overlaps.z < min_f(flat.overlap, overlaps.w));
  const bool may_settle = sharp && least.overlap + margin > kClear * ((f.r1 + f.h1) + (f.r2 + f.h2));
  bool settled = false;
  float3 side1, side2;
  ROLLED
  for (uint step = may_settle ? 0u : 1u; step < 2u && !settled; ++step) {
    if (step == 1u) {
      // Each side against the other's rim.
      const float2 m1 = line_rim_normal(f.r2, f.k, f.h2 * f.s, abs_f(f.p.x), f.p.y);
      const float2 m2 = line_rim_normal(f.r1, f.k, f.h1 * f.s, abs_f(side), f.p.y);
      const float x2 = m2.x * sign_f(side);
      side1 = (float3)(m1.x * sign_f(f.p.x), m1.y, 0.0f);
      side2 = (float3)(f.k * x2, m2.y, -f.s * x2);
      const float at_side1 = cylinders_overlap(&f, side1), at_side2 = cylinders_overlap(&f, side2);
      take_less(side1, at_side1, &least);
      take_less(side2, at_side2, &least);
      if (!(least.overlap > -margin)) return false;
    }
    settled = is_certain(&f, &least);
  }
  if (!settled && !descend(&f, side1, side2, margin, &least)) return false;
  flat_result->n = frame_to_world(&f, flat.n);
  flat_result->overlap = flat.overlap;
  result->n = frame_to_world(&f, least.n);
  result->overlap = least.overlap;
  return true;
}

// Where two rims meet, the least direction to the last digits: the overlap is so flat about it that to compare overlaps
// leaves it off by more than a contact's place allows. The foremost points of both lie one behind the other along it;
// Newton's method on the vector between them, whose derivative is that of the two circles, finds it from nearby.
OUTLINED void align_rims(const Body* a, const Body* b, float3 c, LeastOverlap* least) {
  float3 n = least->n;
  const float end_a = dot3(a->z, n) > 0.0f ? 1.0f : -1.0f, end_b = dot3(b->z, n) > 0.0f ? 1.0f : -1.0f;
  float before = MAXFLOAT;
  for (uint k = 0u; k < 4u; ++k) {
    const float along_a = dot3(a->z, n), along_b = dot3(b->z, n);
    const float3 out_a = across_axis(a, n), out_b = across_axis(b, n);
    const float sine_a = length3(out_a), sine_b = length3(out_b);
    // Not about a base's normal, where the rim's foremost point goes all round, nor past an axis, to another rim.
    if (sine_a < 0.003f || sine_b < 0.003f || along_a * end_a < 0.0f || along_b * end_b < 0.0f) return;
    const float bend_a = div_rn(a->size.x, sine_a), bend_b = div_rn(b->size.x, sine_b);
    const float3 on_a = out_a * -bend_a - a->z * (end_a * a->size.y);
    const float3 on_b = (c + out_b * bend_b) + b->z * (end_b * b->size.y);
    const float3 apart = on_b - on_a;
    const float overlap = dot3(apart, n);
    const float3 aside = apart - n * overlap;
    const float aside2 = dot3(aside, aside);
    if (aside2 < before && k > 0u) {
      least->n = n;
      least->overlap = overlap;
    }
    if (aside2 < 1e-10f || !(aside2 < before)) return;
    before = aside2;
    // In the plane across n: e along the rim of a, and g.
    const float3 e = unit3(cross3(a->z, out_a)), g = cross3(n, e), t = unit3(cross3(b->z, out_b));
    const float u = dot3(t, e), v = dot3(t, g);
    const float ee = (bend_a + bend_b * u * u) - overlap, eg = bend_b * u * v, gg = bend_b * v * v - overlap;
    const float determinant = ee * gg - eg * eg;
    if (!(ee > 0.0f) || !(determinant > 1e-4f * ee * ee)) return;
    const float x = dot3(aside, e), y = dot3(aside, g);
    const float step_e = div_rn(eg * y - gg * x, determinant), step_g = div_rn(eg * x - ee * y, determinant);
    if (!(step_e * step_e + step_g * step_g < 1e-4f)) return;
    n = unit3(n + (e * step_e + g * step_g));
  }
}

void cylinder_cylinder(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  LeastOverlap flat, least;
  if (!cylinder_cylinder_depth(a, b, c, margin, &flat, &least)) return;
  align_rims(a, b, c, &least);
  build_manifold_flat_first(SHAPE_CYLINDER, a, SHAPE_CYLINDER, b, c, flat.n, flat.overlap, least.n, least.overlap,
                            margin, m);
}

PAIR_KERNEL(narrow_phase_cylinder_cylinder, SHAPE_CYLINDER, SHAPE_CYLINDER, cylinder_cylinder)
