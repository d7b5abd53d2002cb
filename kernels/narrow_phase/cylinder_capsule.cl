// Cylinder against capsule; see docs/body_contacts.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_capsule.cpp.
//
// The capsule is its segment, and the ball's radius is added to the depth. The least direction is a base's, or across
// one of the two axes; from an end of the segment to a rim only where the segment is outside.
#ifndef OCLIDE_FUSED_PAIRS
#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CAPSULE
#endif
#include "pairs/least_penetration.clh"
#include "pairs/meeting.clh"
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

// One end of the segment against the cylinder's nearest point.
void try_end(const AxisFrame* f, float end, LeastOverlap* least) {
  const float x = f->p.x - end * f->s, y = f->p.y, z = f->p.z - end * f->k;
  const float rho = sqrt_rn(x * x + y * y), side = rho - f->r1, base = abs_f(z) - f->h1;
  const float share = side > 0.0f ? div_rn(side, rho) : 0.0f;
  const float3 n = unit3((float3)(x * share, y * share, base > 0.0f ? sign_f(z) * base : 0.0f));
  if (dot3(n, n) > 0.5f) try_segment(f, n, least);
}

// The depth and its normal, and the best of a flat side; false when the bodies are apart by more than margin.
bool cylinder_capsule(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  const AxisFrame f = axis_frame(a, b, c);
  const float apart = -(margin + f.r2);
  LeastOverlap flat, least;
  flat.n = (float3)(0.0f, 0.0f, 1.0f);
  flat.overlap = segment_overlap(&f, flat.n);
  if (flat.overlap < apart) return false;
  least = flat;
  const float3 middle = unit3(f.p);
  if (dot3(middle, middle) > 0.5f) try_segment(&f, middle, &least);
  if (least.overlap < apart) return false;
  // The segment beside the cylinder's side.
  const float across = abs_f(f.p.x) - f.h2 * f.s;
  const float2 m1 = across > 0.0f ? unit2(across, f.p.y) : (float2)(0.0f, 1.0f);
  try_segment(&f, (float3)(m1.x * sign_f(f.p.x), m1.y, 0.0f), &least);
  if (least.overlap < apart) return false;
  // The segment's side against the cylinder's side and rims.
  const float side = f.k * f.p.x - f.s * f.p.z;
  const float2 m2 = line_rim_normal(f.r1, f.k, f.h1 * f.s, abs_f(side), f.p.y);
  const float x2 = m2.x * sign_f(side);
  try_segment(&f, (float3)(f.k * x2, m2.y, -f.s * x2), &least);
  if (least.overlap < apart) return false;
  // An end against a rim: only outside, where the segment does not meet the cylinder.
  if (least.overlap < 0.0f) {
    try_end(&f, f.h2, &least);
    try_end(&f, -f.h2, &least);
  }
  flat.overlap += f.r2;
  least.overlap += f.r2;
  if (!(least.overlap > -margin)) return false;
  put_found(found, frame_to_world(&f, least.n), least.overlap, frame_to_world(&f, flat.n), flat.overlap);
  return true;
}

MEETING_KERNEL(narrow_phase_cylinder_capsule, SHAPE_CYLINDER, SHAPE_CAPSULE, cylinder_capsule, false, NO_LONG)
