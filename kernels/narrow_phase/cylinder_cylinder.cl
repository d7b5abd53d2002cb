// Cylinder against cylinder; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_cylinder.cpp.
#include "common/least_penetration.clh"
#include "common/manifold.clh"
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// Overlap along n, unit, in the common frame.
float cylinders_overlap(const AxisFrame* f, float3 n) {
  const float along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z, y2 = n.y * n.y;
  return ((f->h1 * abs_f(n.z) + f->h2 * abs_f(along)) +
          (f->r1 * sqrt_rn(n.x * n.x + y2) + f->r2 * sqrt_rn(y2 + across * across))) -
         dot3(n, f->p);
}

// The same along four directions.
float4 cylinders_overlaps(const AxisFrame* f, float4 x, float4 y, float4 z) {
  const float4 along = f->s * x + f->k * z, across = f->k * x - f->s * z, y2 = y * y;
  return ((f->h1 * abs4(z) + f->h2 * abs4(along)) + (f->r1 * sqrt4(x * x + y2) + f->r2 * sqrt4(y2 + across * across))) -
         ((x * f->p.x + y * f->p.y) + z * f->p.z);
}

void try_cylinders(const AxisFrame* f, float3 n, LeastOverlap* least) {
  take_less(n, cylinders_overlap(f, n), least);
}

// In parts of the sum of all lengths: what rounding makes of a point's place, and what is clearly more.
__constant float kRimRounding = 5e-7f;
__constant float kClear = 2e-3f;

// Overlaps deeper than this share of the least half width are searched for other minima.
__constant float kDeepShare = 0.1f;

// From n by 0.3, 0.3^2, .. 0.3^4 of the step a1 t1 + a2 u1: the first of them that gets below `limit`.
bool shorter_step(const AxisFrame* f, float3 t1, float3 u1, float a1, float a2, float limit, float3* n,
                  float* overlap) {
  float4 b1, b2;
  b1.x = a1 * 0.3f;
  b2.x = a2 * 0.3f;
  b1.y = b1.x * 0.3f;
  b2.y = b2.x * 0.3f;
  b1.z = b1.y * 0.3f;
  b2.z = b2.y * 0.3f;
  b1.w = b1.z * 0.3f;
  b2.w = b2.z * 0.3f;
  float4 x = n->x + (t1.x * b1 + u1.x * b2), y = n->y + (t1.y * b1 + u1.y * b2), z = n->z + (t1.z * b1 + u1.z * b2);
  const float4 scale = div4((float4)(1.0f, 1.0f, 1.0f, 1.0f), sqrt4((x * x + y * y) + z * z));
  x *= scale;
  y *= scale;
  z *= scale;
  const float4 value = cylinders_overlaps(f, x, y, z);
  for (int j = 0; j < 4; ++j) {
    const float at = j == 0 ? value.x : (j == 1 ? value.y : (j == 2 ? value.z : value.w));
    if (!(at < limit)) continue;
    *overlap = at;
    *n = j == 0   ? (float3)(x.x, y.x, z.x)
         : j == 1 ? (float3)(x.y, y.y, z.y)
         : j == 2 ? (float3)(x.z, y.z, z.z)
                  : (float3)(x.w, y.w, z.w);
    return true;
  }
  return false;
}

// Rim against rim, from n: Newton's method on the sphere. Between the great circles across the two axes f is smooth;
// where one of its second derivatives is negative, the step goes downhill all the same.
void descend_rims(const AxisFrame* f, float3 n, LeastOverlap* least) {
  float overlap = cylinders_overlap(f, n);
  for (int i = 0; i < 12; ++i) {
    const float along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z;
    const float s1 = sqrt_rn(n.x * n.x + n.y * n.y), s2 = sqrt_rn(n.y * n.y + across * across);
    if (!(s1 > 1e-6f) || !(s2 > 1e-6f)) break;
    const float i1 = div_rn(1.0f, s1), i2 = div_rn(1.0f, s2);
    // g: the farthest point of the sum less p. t1 = z x n, t2 = v x n: tangents of the rims; u1 = n x t1.
    const float d1 = sign_f(n.z) * f->h1, d2 = sign_f(along) * f->h2;
    const float bend1 = f->r1 * i1, bend2 = f->r2 * i2;
    const float3 g = (float3)((d2 * f->s + bend1 * n.x + bend2 * across * f->k) - f->p.x,
                              (bend1 * n.y + bend2 * n.y) - f->p.y, (d1 + d2 * f->k - bend2 * across * f->s) - f->p.z);
    const float3 t1 = (float3)(-n.y * i1, n.x * i1, 0.0f);
    const float3 t2 = (float3)(-f->k * n.y, across, f->s * n.y) * i2;
    const float3 u1 = cross3(n, t1);
    const float g1 = dot3(g, t1), g2 = dot3(g, u1), c1 = dot3(t2, t1), c2 = dot3(t2, u1);
    // Eigenvalues and vectors of the second derivative.
    const float h11 = bend1 + bend2 * c1 * c1, h22 = bend2 * c2 * c2, h12 = bend2 * c1 * c2;
    const float mean = 0.5f * (h11 + h22), half_gap = 0.5f * (h11 - h22);
    const float spread = sqrt_rn(half_gap * half_gap + h12 * h12);
    const float2 e = half_gap >= 0.0f ? unit2(half_gap + spread, h12) : unit2(h12, spread - half_gap);
    const float high = mean + spread, low = div_rn(bend1 * h22, max_f(high, 1e-20f));
    const float floor_bend = 1e-7f * high;
    const float along1 = g1 * e.x + g2 * e.y, along2 = g2 * e.x - g1 * e.y;
    const float step1 = -div_rn(along1, max_f(abs_f(high - overlap), floor_bend));
    const float step2 = -div_rn(along2, max_f(abs_f(low - overlap), floor_bend));
    // Not even several times the expected gain would be enough, or this leads where another descent has ended.
    const float gain = abs_f(along1 * step1) + abs_f(along2 * step2);
    if (overlap - 5.0f * gain > least->overlap) break;
    float a1 = step1 * e.x - step2 * e.y, a2 = step1 * e.y + step2 * e.x;
    const float l2 = a1 * a1 + a2 * a2;
    if (l2 < 1e-11f) break;
    const float3 from_best = n - least->n;
    if (i > 0 && overlap > least->overlap && dot3(from_best, from_best) < 1e-4f && l2 < 1e-4f) break;
    if (l2 > 0.16f) {
      const float shorten = div_rn(0.4f, sqrt_rn(l2));
      a1 *= shorten;
      a2 *= shorten;
    }
    // Near the minimum, where rounding hides the gain, Newton's step is the better judge.
    const float hidden = l2 < 1e-5f ? 1e-6f * (f->r1 + f->r2) : 0.0f;
    const float3 whole = unit3(n + (t1 * a1 + u1 * a2));
    const float at_whole = cylinders_overlap(f, whole);
    if (at_whole < overlap + hidden) {
      n = whole;
      overlap = at_whole;
    } else if (!shorter_step(f, t1, u1, a1, a2, overlap + hidden, &n, &overlap)) {
      break;
    }
    if (l2 < 1e-8f) break;
  }
  if (overlap < least->overlap) {
    least->n = n;
    least->overlap = overlap;
  }
}

// From beside a minimum across an axis, when the overlap falls from there.
void descend_from(const AxisFrame* f, float3 n, float below, LeastOverlap* least) {
  if (cylinders_overlap(f, n) < below) descend_rims(f, n, least);
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
  const float3 outward = n - v * along;
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
  // Rims: downhill from the sides and the poles.
  const float nudge = 0.001f;
  const float3 z = (float3)(0.0f, 0.0f, 1.0f), v = (float3)(f.s, 0.0f, f.k);
  for (int i = 0; i < 2; ++i) {
    const float end = i == 0 ? 1.0f : -1.0f, way = end * nudge;
    descend_from(&f, unit3(side1 + z * way), at_side1, &least);
    descend_from(&f, unit3(side2 + v * way), at_side2, &least);
    const float3 pole1 = z * end, pole2 = v * end;
    const float at_pole1 = cylinders_overlap(&f, pole1), at_pole2 = cylinders_overlap(&f, pole2);
    const float down1 = f.p.x - end * (f.h2 * f.s - f.r2 * f.k), down2 = side + end * (f.h1 * f.s - f.r1 * f.k);
    descend_from(&f, unit3(pole1 + unit3((float3)(down1, f.p.y, 0.0f)) * nudge), at_pole1, &least);
    descend_from(&f, unit3(pole2 + unit3((float3)(f.k * down2, f.p.y, -f.s * down2)) * nudge), at_pole2, &least);
    descend_from(&f, unit3((pole1 + pole2) + unit3((float3)(f.p.x, f.p.y, 0.0f)) * (2.0f * nudge)),
                 min_f(at_pole1, at_pole2), &least);
    if (least.overlap < -margin) return false;
  }
  for (int i = 0; i < 4; ++i) {
    // From the corner of the two axes that the sector sees.
    const float e1 = i & 1 ? -1.0f : 1.0f, e2 = i & 2 ? -1.0f : 1.0f;
    const float3 q = (float3)(f.p.x - e2 * f.h2 * f.s, f.p.y, f.p.z - e1 * f.h1 - e2 * f.h2 * f.k);
    if (e1 * q.z > 0.0f && e2 * (f.s * q.x + f.k * q.z) > 0.0f) descend_rims(&f, unit3(q), &least);
  }
  if (least.overlap > kDeepShare * min_f(min_f(f.h1, f.r1), min_f(f.h2, f.r2))) {
    // Deep inside there may be more: from the lowest of 25 directions in each sector, by the signs along the axes.
    LeastOverlap start[4];
    for (int i = 0; i < 4; ++i) start[i].overlap = 1e30f;
    for (int i = 0; i < 25; ++i) {
      const float x = -1.0f + 0.5f * (float)(i / 5), w = -1.0f + 0.5f * (float)(i % 5);
      const float3 n = unit3((float3)(x, max_f(1.5f - max_f(abs_f(x), abs_f(w)), 0.1f), w));
      try_cylinders(&f, n, start + (n.z < 0.0f ? 1 : 0) + (f.s * n.x + f.k * n.z < 0.0f ? 2 : 0));
    }
    for (int i = 0; i < 4; ++i)
      if (start[i].overlap < 1e29f) descend_rims(&f, start[i].n, &least);
  }
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
    const float3 out_a = n - a->z * along_a, out_b = n - b->z * along_b;
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
