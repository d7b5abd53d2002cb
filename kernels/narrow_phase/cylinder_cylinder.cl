// Cylinder against cylinder; see docs/body_contacts.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_cylinder.cpp.
#ifndef OCLIDE_FUSED_PAIRS
#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CYLINDER
#define MANIFOLDS_LATER
#define SEARCH_WORDS 49u  // Starts (pairs/rim_descent.clh)
#endif
#include "pairs/cylinders_overlap.clh"
#include "pairs/meeting.clh"
#include "pairs/rim_starts.clh"
#pragma OPENCL FP_CONTRACT OFF

// In parts of the sum of all lengths: what rounding makes of a point's place, and what is clearly more.
__constant float kRimRounding = 5e-7f;
__constant float kClear = 2e-3f;

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

// Where a search is: the best direction so far and the best of a flat side, in the axes' frame, and the best across
// either side.
typedef struct CylinderSearch {
  LeastOverlap flat, least;
  float3 side1, side2;
} CylinderSearch;

#define CYLINDERS_APART 0u
#define CYLINDERS_SETTLED 1u
#define CYLINDERS_OPEN 2u  // rims may have less
// All directions but those of rim against rim.
OUTLINED uint try_all_but_rims(const AxisFrame* frame, float margin, CylinderSearch* search) {
  const AxisFrame f = *frame;
  LeastOverlap flat, least;
  // Bases, the line of centres, sides.
  const float along = f.s * f.p.x + f.k * f.p.z, side = f.k * f.p.x - f.s * f.p.z;
  const float3 base = (float3)(f.s, 0.0f, f.k) * sign_f(along);
  flat.n = (float3)(0.0f, 0.0f, 1.0f);
  const float3 middle = dot3(f.p, f.p) > 1e-12f ? unit3(f.p) : flat.n;
  const float4 overlaps =
      cylinders_overlaps(&f, (float4)(0.0f, base.x, middle.x, 0.0f), (float4)(0.0f, 0.0f, middle.y, 1.0f),
                         (float4)(1.0f, base.z, middle.z, 0.0f));
  if (any4(overlaps < -margin)) return CYLINDERS_APART;
  flat.overlap = overlaps.x;
  lower_least(base, overlaps.y, &flat);
  least = flat;
  lower_least(middle, overlaps.z, &least);
  lower_least((float3)(0.0f, 1.0f, 0.0f), overlaps.w, &least);
  // A base or the sides' crossing settles it, unless the pair is so shallow that rounding along the others may part it.
  const bool sharp = !(overlaps.z < min_f(flat.overlap, overlaps.w));
  const bool may_settle = sharp && least.overlap + margin > kClear * ((f.r1 + f.h1) + (f.r2 + f.h2));
  bool settled = false;
  float3 side1 = flat.n, side2 = flat.n;
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
      lower_least(side1, at_side1, &least);
      lower_least(side2, at_side2, &least);
      if (!(least.overlap > -margin)) return CYLINDERS_APART;
    }
    settled = is_certain(&f, &least);
  }
  search->flat = flat;
  search->least = least;
  search->side1 = side1;
  search->side2 = side2;
  return settled ? CYLINDERS_SETTLED : CYLINDERS_OPEN;
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

OUTLINED bool cylinder_cylinder(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  if (clearly_apart(a, b, c, margin)) return false;
  const AxisFrame f = axis_frame(a, b, c);
  CylinderSearch search;
  const uint state = try_all_but_rims(&f, margin, &search);
  if (state == CYLINDERS_APART) return false;
  if (state == CYLINDERS_OPEN) {
    PLACE_OF_SEARCH(Starts, starts, found)
    if (!descend(&f, search.side1, search.side2, margin, starts, &search.least)) return false;
  }
  LeastOverlap least;
  least.n = frame_to_world(&f, search.least.n);
  least.overlap = search.least.overlap;
  align_rims(a, b, c, &least);
  put_found(found, least.n, least.overlap, frame_to_world(&f, search.flat.n), search.flat.overlap);
  return true;
}
OUTLINED bool are_rims_searched(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  (void)found;
  if (clearly_apart(a, b, c, margin)) return false;
  const AxisFrame f = axis_frame(a, b, c);
  CylinderSearch search;
  return try_all_but_rims(&f, margin, &search) == CYLINDERS_OPEN;
}

MEETING_KERNEL(narrow_phase_cylinder_cylinder, SHAPE_CYLINDER, SHAPE_CYLINDER, cylinder_cylinder, true,
               are_rims_searched)
