// Cylinder against cylinder; see docs/body_contacts.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_cylinder.cpp.
#include "pairs/least_penetration.clh"
#include "pairs/manifold.clh"
#include "pairs/pair.clh"
#include "shapes/body8.clh"
#pragma OPENCL FP_CONTRACT OFF

// Overlap along n, unit, in the common frame.
float cylinders_overlap(const AxisFrame* f, float3 n) {
  const float along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z, y2 = n.y * n.y;
  return ((f->h1 * abs_f(n.z) + f->h2 * abs_f(along)) +
          (f->r1 * sqrt_rn(n.x * n.x + y2) + f->r2 * sqrt_rn(y2 + across * across))) -
         dot3(n, f->p);
}

// The same along four and eight directions.
float4 cylinders_overlaps(const AxisFrame* f, float4 x, float4 y, float4 z) {
  const float4 along = f->s * x + f->k * z, across = f->k * x - f->s * z, y2 = y * y;
  return ((f->h1 * abs4(z) + f->h2 * abs4(along)) + (f->r1 * sqrt4(x * x + y2) + f->r2 * sqrt4(y2 + across * across))) -
         ((x * f->p.x + y * f->p.y) + z * f->p.z);
}
float8 cylinders_overlaps8(const AxisFrame* f, Vec8 n) {
  const float8 along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z, y2 = n.y * n.y;
  return ((f->h1 * abs8(n.z) + f->h2 * abs8(along)) +
          (f->r1 * sqrt8(n.x * n.x + y2) + f->r2 * sqrt8(y2 + across * across))) -
         dot8(n, f->p);
}

void try_cylinders(const AxisFrame* f, float3 n, LeastOverlap* least) {
  take_less(n, cylinders_overlap(f, n), least);
}

// In parts of the sum of all lengths: what rounding makes of a point's place, and what is clearly more.
__constant float kRimRounding = 5e-7f;
__constant float kClear = 2e-3f;

// Overlaps deeper than this share of the least half width are searched for other minima.
__constant float kDeepShare = 0.1f;

// Of the directions `there`, with these overlaps, the one with the least, where that is less.
void take_least_of(Vec8 n, float8 overlap, int8 there, LeastOverlap* least) {
  const float8 of_there = select((float8)(MAXFLOAT), overlap, there);
  const float best = least_of(of_there);
  const uint k = lowest_bit(lanes_set(of_there == best));
  take_less((float3)(lane_of(n.x, k), lane_of(n.y, k), lane_of(n.z, k)), best, least);
}

// Rim against rim, from the directions `open` of eight, side by side: Newton's method on the sphere. Between the great
// circles across the two axes f is smooth; where one of its second derivatives is negative, the step goes downhill all
// the same.
void descend_rims(const AxisFrame* f, Vec8 n, int8 open, LeastOverlap* least) {
  if (!any8(open)) return;
  const int8 all = open;
  float8 overlap = select((float8)(MAXFLOAT), cylinders_overlaps8(f, n), open);
  for (int i = 0; i < 12; ++i) {
    const float8 along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z;
    const float8 s1 = sqrt8(n.x * n.x + n.y * n.y), s2 = sqrt8(n.y * n.y + across * across);
    int8 going = open & (s1 > 1e-6f) & (s2 > 1e-6f);
    const float8 i1 = div8((float8)(1.0f), s1), i2 = div8((float8)(1.0f), s2);
    // g: the farthest point of the sum less p. t1 = z x n, t2 = v x n: tangents of the rims; u1 = n x t1.
    const float8 d1 = select((float8)(f->h1), (float8)(-f->h1), n.z < 0.0f);
    const float8 d2 = select((float8)(f->h2), (float8)(-f->h2), along < 0.0f);
    const float8 bend1 = f->r1 * i1, bend2 = f->r2 * i2;
    const Vec8 g = {(d2 * f->s + bend1 * n.x + bend2 * across * f->k) - f->p.x, (bend1 * n.y + bend2 * n.y) - f->p.y,
                    (d1 + d2 * f->k - bend2 * across * f->s) - f->p.z};
    const Vec8 t1 = {-n.y * i1, n.x * i1, (float8)(0.0f)};
    const Vec8 t2 = {-f->k * n.y * i2, across * i2, f->s * n.y * i2};
    const Vec8 u1 = {-n.z * t1.y, n.z * t1.x, n.x * t1.y - n.y * t1.x};
    const float8 g1 = g.x * t1.x + g.y * t1.y, g2 = dot8v(g, u1), c1 = t2.x * t1.x + t2.y * t1.y, c2 = dot8v(t2, u1);
    // Eigenvalues and vectors of the second derivative.
    const float8 h11 = bend1 + bend2 * c1 * c1, h22 = bend2 * c2 * c2, h12 = bend2 * c1 * c2;
    const float8 mean = 0.5f * (h11 + h22), half_gap = 0.5f * (h11 - h22);
    const float8 spread = sqrt8(half_gap * half_gap + h12 * h12);
    const int8 first = half_gap >= 0.0f;
    float8 ex = select(h12, half_gap + spread, first), ey = select(spread - half_gap, h12, first);
    const float8 e2 = ex * ex + ey * ey, per = div8((float8)(1.0f), sqrt8(e2));
    ex = select((float8)(0.0f), ex * per, e2 > 1e-30f);
    ey = select((float8)(1.0f), ey * per, e2 > 1e-30f);
    const float8 high = mean + spread, low = div8(bend1 * h22, select(high, (float8)(1e-20f), high < 1e-20f));
    const float8 floor_bend = 1e-7f * high;
    const float8 along1 = g1 * ex + g2 * ey, along2 = g2 * ex - g1 * ey;
    const float8 bend_high = abs8(high - overlap), bend_low = abs8(low - overlap);
    const float8 step1 = -div8(along1, select(bend_high, floor_bend, bend_high < floor_bend));
    const float8 step2 = -div8(along2, select(bend_low, floor_bend, bend_low < floor_bend));
    // Not even several times the expected gain would be enough, or this leads where another descent has ended.
    const float8 gain = abs8(along1 * step1) + abs8(along2 * step2);
    going &= ~(overlap - 5.0f * gain > min_f(least->overlap, least_of(overlap)));
    float8 a1 = step1 * ex - step2 * ey, a2 = step1 * ey + step2 * ex;
    const float8 l2 = a1 * a1 + a2 * a2;
    going &= ~(l2 < 1e-11f);
    const float8 x = n.x - least->n.x, y = n.y - least->n.y, z = n.z - least->n.z;
    if (i > 0) going &= ~((overlap > least->overlap) & ((x * x + y * y) + z * z < 1e-4f) & (l2 < 1e-4f));
    const float8 shorten = select((float8)(1.0f), div8((float8)(0.4f), sqrt8(l2)), l2 > 0.16f);
    a1 *= shorten;
    a2 *= shorten;
    // Near the minimum, where rounding hides the gain, Newton's step is the better judge. Where the whole step does not
    // get lower: 0.3, 0.3^2, .. 0.3^4 of it.
    const float8 limit = overlap + select((float8)(0.0f), (float8)(1e-6f * (f->r1 + f->r2)), l2 < 1e-5f);
    int8 seeking = going;
    for (int j = 0; j < 5 && any8(seeking); ++j) {
      Vec8 way = {n.x + (t1.x * a1 + u1.x * a2), n.y + (t1.y * a1 + u1.y * a2), n.z + u1.z * a2};
      to_unit8(&way);
      const float8 value = cylinders_overlaps8(f, way);
      const int8 lower = seeking & (value < limit);
      n.x = select(n.x, way.x, lower);
      n.y = select(n.y, way.y, lower);
      n.z = select(n.z, way.z, lower);
      overlap = select(overlap, value, lower);
      seeking &= ~lower;
      a1 *= 0.3f;
      a2 *= 0.3f;
    }
    const int8 ended = open & ~(going & ~seeking & ~(l2 < 1e-8f));
    if (!any8(ended)) continue;
    take_least_of(n, overlap, ended, least);
    open &= ~ended;
    if (!any8(open)) return;
  }
  take_least_of(n, overlap, all, least);
}

// Eight directions from which a search may go downhill.
typedef struct Starts {
  Vec8 n;
  uint open;  // bit k: it goes from the k-th
} Starts;

// From beside the lines of the sides and beside the poles, to both ends of each, where the overlap falls from there;
// `side1` and `side2` are the best directions across the axes.
void starts_at_lines(const AxisFrame* f, float3 side1, float3 side2, Starts* starts) {
  const float nudge = 0.001f, s = f->s, k = f->k, x = f->p.x, y = f->p.y, across = k * x - s * f->p.z;
  // From each pole toward the point that the other body's base has there.
  const float reach1 = f->h2 * s - f->r2 * k, reach2 = f->h1 * s - f->r1 * k;
  const float2 upper1 = unit2(x - reach1, y) * nudge, lower1 = unit2(x + reach1, y) * nudge;
  const float2 upper2 = unit2(across + reach2, y) * nudge, lower2 = unit2(across - reach2, y) * nudge;
  const Vec8 line = {(float8)(side1.x, side2.x, 0.0f, s, side1.x, side2.x, 0.0f, -s),
                     (float8)(side1.y, side2.y, 0.0f, 0.0f, side1.y, side2.y, 0.0f, 0.0f),
                     (float8)(0.0f, side2.z, 1.0f, k, 0.0f, side2.z, -1.0f, -k)};
  const Vec8 aside = {(float8)(0.0f, s * nudge, upper1.x, k * upper2.x, 0.0f, -s * nudge, lower1.x, k * lower2.x),
                      (float8)(0.0f, 0.0f, upper1.y, upper2.y, 0.0f, 0.0f, lower1.y, lower2.y),
                      (float8)(nudge, k * nudge, 0.0f, -s * upper2.x, -nudge, -k * nudge, 0.0f, -s * lower2.x)};
  starts->n.x = line.x + aside.x;
  starts->n.y = line.y + aside.y;
  starts->n.z = line.z + aside.z;
  to_unit8(&starts->n);
  starts->open = lanes_set(cylinders_overlaps8(f, starts->n) < cylinders_overlaps8(f, line));
}

// From between the upper poles and between the lower ones, where the overlap falls from both; and in each of the four
// sectors, by the signs along the axes, from the corner of the two axes that it sees.
void starts_in_sectors(const AxisFrame* f, Starts* starts) {
  const float nudge = 0.002f, s = f->s, k = f->k;
  const float8 end1 = (float8)(1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 0.0f, 0.0f);
  const float8 end2 = (float8)(1.0f, -1.0f, 1.0f, 1.0f, -1.0f, -1.0f, 0.0f, 0.0f);
  const int8 sectors = (int8)(0, 0, -1, -1, -1, -1, 0, 0);
  const float8 level = end2 * f->h2, none = (float8)(0.0f);
  const Vec8 corner = {f->p.x - level * s, none + f->p.y, f->p.z - end1 * f->h1 - level * k};
  const int8 sees = (end1 * corner.z > 0.0f) & (end2 * (s * corner.x + k * corner.z) > 0.0f);
  const Vec8 pole1 = {none, none, end1}, pole2 = {end2 * s, none, end2 * k};
  const float2 out = unit2(f->p.x, f->p.y) * nudge;
  starts->n.x = select(pole2.x + out.x, corner.x, sectors);
  starts->n.y = select(none + out.y, corner.y, sectors);
  starts->n.z = select(pole1.z + pole2.z, corner.z, sectors);
  to_unit8(&starts->n);
  const float8 at = cylinders_overlaps8(f, starts->n);
  const int8 falls = (at < cylinders_overlaps8(f, pole1)) & (at < cylinders_overlaps8(f, pole2));
  starts->open = (lanes_set(sees) & 0x3Cu) | (lanes_set(falls) & 0x03u);
}

// Downhill from all of both, as many side by side as there is room for.
void descend_from(const AxisFrame* f, const Starts* a, const Starts* b, LeastOverlap* least) {
  float x[16], y[16], z[16];
  vstore8(a->n.x, 0, x);
  vstore8(b->n.x, 1, x);
  vstore8(a->n.y, 0, y);
  vstore8(b->n.y, 1, y);
  vstore8(a->n.z, 0, z);
  vstore8(b->n.z, 1, z);
  int count = 0;
  for (uint bits = a->open | b->open << 8; bits != 0u; bits &= bits - 1u) {
    const uint from = lowest_bit(bits);
    x[count] = x[from];
    y[count] = y[from];
    z[count] = z[from];
    ++count;
  }
  for (int first = 0; first < count; first += 8) {
    const Vec8 n = {vload8(0, x + first), vload8(0, y + first), vload8(0, z + first)};
    descend_rims(f, n, (int8)(0, 1, 2, 3, 4, 5, 6, 7) < count - first, least);
  }
}

// Downhill from the lowest of 25 directions in each sector.
void descend_from_all_over(const AxisFrame* f, LeastOverlap* least) {
  LeastOverlap start[4];
  for (int i = 0; i < 4; ++i) {
    start[i].n = (float3)(0.0f, 1.0f, 0.0f);
    start[i].overlap = MAXFLOAT;
  }
  for (int i = 0; i < 25; ++i) {
    const float x = -1.0f + 0.5f * (float)(i / 5), w = -1.0f + 0.5f * (float)(i % 5);
    const float3 n = unit3((float3)(x, max_f(1.5f - max_f(abs_f(x), abs_f(w)), 0.1f), w));
    try_cylinders(f, n, start + (n.z < 0.0f ? 1 : 0) + (f->s * n.x + f->k * n.z < 0.0f ? 2 : 0));
  }
  const float3 a = start[0].n, b = start[1].n, c = start[2].n, d = start[3].n;
  const Vec8 from = {(float8)(a.x, b.x, c.x, d.x, 0.0f, 0.0f, 0.0f, 0.0f),
                     (float8)(a.y, b.y, c.y, d.y, 1.0f, 1.0f, 1.0f, 1.0f),
                     (float8)(a.z, b.z, c.z, d.z, 0.0f, 0.0f, 0.0f, 0.0f)};
  const float4 overlap = (float4)(start[0].overlap, start[1].overlap, start[2].overlap, start[3].overlap);
  descend_rims(f, from, (int8)(overlap < MAXFLOAT, 0, 0, 0, 0), least);
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

bool to_result(const AxisFrame* f, const LeastOverlap* flat, const LeastOverlap* least, LeastOverlap* flat_result,
               LeastOverlap* result) {
  flat_result->n = frame_to_world(f, flat->n);
  flat_result->overlap = flat->overlap;
  result->n = frame_to_world(f, least->n);
  result->overlap = least->overlap;
  return true;
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
bool cylinder_cylinder_depth(const Body* a, const Body* b, float3 c, float margin, LeastOverlap* flat_result,
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
  if (sharp && least.overlap + margin > kClear * ((f.r1 + f.h1) + (f.r2 + f.h2)) && is_certain(&f, &least))
    return to_result(&f, &flat, &least, flat_result, result);
  // Each side against the other's rim.
  const float2 m1 = line_rim_normal(f.r2, f.k, f.h2 * f.s, abs_f(f.p.x), f.p.y);
  const float2 m2 = line_rim_normal(f.r1, f.k, f.h1 * f.s, abs_f(side), f.p.y);
  const float x2 = m2.x * sign_f(side);
  const float3 side1 = (float3)(m1.x * sign_f(f.p.x), m1.y, 0.0f), side2 = (float3)(f.k * x2, m2.y, -f.s * x2);
  const float at_side1 = cylinders_overlap(&f, side1), at_side2 = cylinders_overlap(&f, side2);
  take_less(side1, at_side1, &least);
  take_less(side2, at_side2, &least);
  if (!(least.overlap > -margin)) return false;
  if (is_certain(&f, &least)) return to_result(&f, &flat, &least, flat_result, result);
  Starts lines, sectors;
  starts_at_lines(&f, side1, side2, &lines);
  starts_in_sectors(&f, &sectors);
  descend_from(&f, &lines, &sectors, &least);
  if (least.overlap < -margin) return false;
  // Deep inside there may be more.
  if (least.overlap > kDeepShare * min_f(min_f(f.h1, f.r1), min_f(f.h2, f.r2))) descend_from_all_over(&f, &least);
  if (!(least.overlap > -margin)) return false;
  return to_result(&f, &flat, &least, flat_result, result);
}

// Where two rims meet, the least direction to the last digits: the overlap is so flat about it that to compare overlaps
// leaves it off by more than a contact's place allows. The foremost points of both lie one behind the other along it;
// Newton's method on the vector between them, whose derivative is that of the two circles, finds it from nearby.
void align_rims(const Body* a, const Body* b, float3 c, LeastOverlap* least) {
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
