// Cylinder against capsule; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_capsule.cpp.
//
// The capsule is its segment, and the ball's radius is added to the depth. Apart, the squared distance of a point of
// the segment to the cylinder is convex along the segment; inside, the segment meets faces and lines of the cylinder.
#include "common/least_penetration.clh"
#include "common/manifold.clh"
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// Overlap of cylinder and segment along n, unit, in the common frame.
float segment_overlap(const AxisFrame* f, float3 n) {
  return ((f->h1 * abs_f(n.z) + f->h2 * abs_f(f->s * n.x + f->k * n.z)) + f->r1 * sqrt_rn(n.x * n.x + n.y * n.y)) -
         dot3(n, f->p);
}

void try_segment(const AxisFrame* f, float3 n, LeastOverlap* least) {
  const float overlap = segment_overlap(f, n);
  if (!(overlap < least->overlap)) return;
  least->n = n;
  least->overlap = overlap;
}

// From the cylinder's nearest point to the segment's, by the root of the slope of half the squared distance.
float3 segment_to_cylinder(const AxisFrame* f) {
  float low = -f->h2, high = f->h2;
  // First guess: where the segment's line passes the cylinder's centre.
  float t = f->s * f->p.x + f->k * f->p.z;
  t = t < low ? low : (t > high ? high : t);
  float3 gap = (float3)(0.0f, 0.0f, 0.0f);
  for (int i = 0; i < 16; ++i) {
    const float x = t * f->s - f->p.x, y = -f->p.y, z = t * f->k - f->p.z;
    const float rho = sqrt_rn(x * x + y * y);
    const float side = rho - f->r1, base = abs_f(z) - f->h1;
    float slope = 0.0f, bend = 0.0f;
    gap = (float3)(0.0f, 0.0f, 0.0f);
    if (side > 0.0f) {
      const float ir = div_rn(1.0f, rho), e = x * ir, share = side * ir;
      gap.x = x * share;
      gap.y = y * share;
      slope = share * x * f->s;
      bend = f->s * f->s * (e * e + share * (1.0f - e * e));
    }
    if (base > 0.0f) {
      gap.z = sign_f(z) * base;
      slope += gap.z * f->k;
      bend += f->k * f->k;
    }
    if (slope > 0.0f)
      high = t;
    else
      low = t;
    if (!(high - low > 1e-6f * f->h2) || slope == 0.0f) break;
    float to = bend > 0.0f ? t - div_rn(slope, bend) : t;
    // Past the bracket's end: at first to the end itself, then to its middle.
    if (!(to > low && to < high)) to = slope > 0.0f ? (low == -f->h2 ? low : 0.5f * (low + high))
                                                    : (high == f->h2 ? high : 0.5f * (low + high));
    if (abs_f(to - t) <= 1e-7f * f->h2) break;
    t = to;
  }
  return gap;
}

// The depth and its normal; false when the bodies are apart by more than margin.
bool cylinder_capsule_depth(const Body* a, const Body* b, float3 c, float margin, LeastOverlap* result) {
  const AxisFrame f = axis_frame(a, b, c);
  const float apart = -(margin + f.r2);
  LeastOverlap flat, least;
  flat.n = (float3)(0.0f, 0.0f, 1.0f);
  flat.overlap = segment_overlap(&f, flat.n);
  if (flat.overlap < apart) return false;
  least = flat;
  const float3 middle = unit3(f.p);
  try_segment(&f, middle, &least);
  if (least.overlap < apart) return false;
  // The segment beside the cylinder's side.
  const float across = abs_f(f.p.x) - f.h2 * f.s;
  const float2 m1 = across > 0.0f ? unit2(across, f.p.y) : (float2)(0.0f, 1.0f);
  try_segment(&f, (float3)(m1.x * sign_f(f.p.x), m1.y, 0.0f), &least);
  if (least.overlap < apart) return false;
  const float3 gap = segment_to_cylinder(&f);
  const float g2 = dot3(gap, gap);
  if (g2 > 1e-10f * f.r1 * f.r1) {
    try_segment(&f, unit3(-gap), &least);
  } else {
    // The segment meets the cylinder: sides across, and the segment's side against a rim.
    try_segment(&f, (float3)(0.0f, 1.0f, 0.0f), &least);
    const float side = f.k * f.p.x - f.s * f.p.z;
    const float2 m2 = line_rim_normal(f.r1, f.k, f.h1 * f.s, abs_f(side), f.p.y);
    const float x2 = m2.x * sign_f(side);
    try_segment(&f, (float3)(f.k * x2, m2.y, -f.s * x2), &least);
  }
  flat.overlap += f.r2;
  least.overlap += f.r2;
  if (!(least.overlap > -margin)) return false;
  if (flat.overlap <= flat_bound(least.overlap)) least = flat;
  result->n = frame_to_world(&f, least.n);
  result->overlap = least.overlap;
  return true;
}

void cylinder_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  LeastOverlap least;
  if (cylinder_capsule_depth(a, b, c, margin, &least))
    build_manifold(SHAPE_CYLINDER, a, SHAPE_CAPSULE, b, c, least.n, least.overlap, margin, m);
}

PAIR_KERNEL(narrow_phase_cylinder_capsule, SHAPE_CYLINDER, SHAPE_CAPSULE, cylinder_capsule)
