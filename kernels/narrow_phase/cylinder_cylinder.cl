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

bool try_cylinders(const AxisFrame* f, float3 n, LeastOverlap* least) {
  const float overlap = cylinders_overlap(f, n);
  if (!(overlap < least->overlap)) return false;
  least->n = n;
  least->overlap = overlap;
  return true;
}

// Rim against rim: descends from least->n by Newton's method on the sphere.
void descend_rims(const AxisFrame* f, float3 n, LeastOverlap* least) {
  float overlap = cylinders_overlap(f, n);
  for (int i = 0; i < 8; ++i) {
    const float along = f->s * n.x + f->k * n.z, across = f->k * n.x - f->s * n.z;
    const float s1 = sqrt_rn(n.x * n.x + n.y * n.y), s2 = sqrt_rn(n.y * n.y + across * across);
    if (!(s1 > 1e-6f) || !(s2 > 1e-6f)) break;
    const float i1 = div_rn(1.0f, s1), i2 = div_rn(1.0f, s2);
    // The support point less p; tangents t1 = z x n, t2 = v x n of the rims, and u1 = n x t1.
    const float d1 = sign_f(n.z) * f->h1, d2 = sign_f(along) * f->h2;
    const float across1 = f->r1 * i1, across2 = f->r2 * i2;
    const float3 g = (float3)((d2 * f->s + across1 * n.x + across2 * across * f->k) - f->p.x,
                              (across1 * n.y + across2 * n.y) - f->p.y,
                              (d1 + d2 * f->k - across2 * across * f->s) - f->p.z);
    const float3 t1 = (float3)(-n.y * i1, n.x * i1, 0.0f);
    const float3 t2 = (float3)(-f->k * n.y, across, f->s * n.y) * i2;
    const float3 u1 = cross3(n, t1);
    const float g1 = dot3(g, t1), g2 = dot3(g, u1), c1 = dot3(t2, t1), c2 = dot3(t2, u1);
    float h11 = across1 + across2 * c1 * c1, h22 = across2 * c2 * c2;
    const float h12 = across2 * c1 * c2;
    const float trace = h11 + h22;
    float shift = -overlap;
    if (overlap > 0.0f && !((h11 - overlap) * (h22 - overlap) - h12 * h12 > 1e-3f * trace * trace))
      shift = 1e-3f * trace;
    h11 += shift;
    h22 += shift;
    const float det = h11 * h22 - h12 * h12;
    if (!(det > 0.0f)) break;
    const float id = div_rn(1.0f, det);
    float a1 = (h12 * g2 - h22 * g1) * id, a2 = (h12 * g1 - h11 * g2) * id;
    const float l2 = a1 * a1 + a2 * a2;
    if (l2 < 1e-10f) break;
    if (l2 > 0.25f) {
      const float shorten = div_rn(0.5f, sqrt_rn(l2));
      a1 *= shorten;
      a2 *= shorten;
    }
    bool lower = false;
    for (int j = 0; j < 4 && !lower; ++j) {
      const float3 to = unit3(n + (t1 * a1 + u1 * a2));
      const float value = cylinders_overlap(f, to);
      lower = value < overlap;
      if (lower) {
        n = to;
        overlap = value;
      }
      a1 *= 0.3f;
      a2 *= 0.3f;
    }
    if (!lower) break;
  }
  if (overlap < least->overlap) {
    least->n = n;
    least->overlap = overlap;
  }
}

// The depth and its normal; false when the bodies are apart by more than margin.
bool cylinder_cylinder_depth(const Body* a, const Body* b, float3 c, float margin, LeastOverlap* result) {
  const AxisFrame f = axis_frame(a, b, c);
  LeastOverlap flat, least;
  // Bases.
  flat.n = (float3)(0.0f, 0.0f, 1.0f);
  flat.overlap = cylinders_overlap(&f, flat.n);
  const float along = f.s * f.p.x + f.k * f.p.z, side = f.k * f.p.x - f.s * f.p.z;
  try_cylinders(&f, (float3)(f.s, 0.0f, f.k) * sign_f(along), &flat);
  if (flat.overlap < -margin) return false;
  const float3 middle = dot3(f.p, f.p) > 1e-12f ? unit3(f.p) : flat.n;
  least = flat;
  if (try_cylinders(&f, middle, &least) && least.overlap < -margin) return false;
  // Sides, then each side against the other's rim.
  try_cylinders(&f, (float3)(0.0f, 1.0f, 0.0f), &least);
  const float2 m1 = line_rim_normal(f.r2, f.k, f.h2 * f.s, abs_f(f.p.x), f.p.y);
  try_cylinders(&f, (float3)(m1.x * sign_f(f.p.x), m1.y, 0.0f), &least);
  if (least.overlap < -margin) return false;
  const float2 m2 = line_rim_normal(f.r1, f.k, f.h1 * f.s, abs_f(side), f.p.y);
  const float x2 = m2.x * sign_f(side);
  try_cylinders(&f, (float3)(f.k * x2, m2.y, -f.s * x2), &least);
  if (least.overlap < -margin) return false;
  // Rims.
  const float3 start = least.n;
  const float3 e1 = abs_f(start.y) < 0.7f ? unit3(cross3(start, (float3)(0.0f, 1.0f, 0.0f)))
                                           : unit3(cross3(start, (float3)(1.0f, 0.0f, 0.0f)));
  const float3 e2 = cross3(start, e1);
  float3 best_near = start;
  float near = 1e30f;
  for (int i = 0; i < 8; ++i) {
    const float d = 0.1f * (i & 4 ? 0.7071f : 1.0f), sx = i & 1 ? -d : d, sy = i & 2 ? -d : d;
    const float3 n = unit3(start + (i & 4 ? e1 * sx + e2 * sy : (i & 2 ? e2 * sx : e1 * sx)));
    const float value = cylinders_overlap(&f, n);
    if (value < near) {
      near = value;
      best_near = n;
    }
  }
  descend_rims(&f, best_near, &least);
  descend_rims(&f, middle, &least);
  if (!(least.overlap > -margin)) return false;
  if (flat.overlap <= flat_bound(least.overlap)) least = flat;
  result->n = frame_to_world(&f, least.n);
  result->overlap = least.overlap;
  return true;
}

void cylinder_cylinder(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  LeastOverlap least;
  if (cylinder_cylinder_depth(a, b, c, margin, &least))
    build_manifold(SHAPE_CYLINDER, a, SHAPE_CYLINDER, b, c, least.n, least.overlap, margin, m);
}

PAIR_KERNEL(narrow_phase_cylinder_cylinder, SHAPE_CYLINDER, SHAPE_CYLINDER, cylinder_cylinder)
