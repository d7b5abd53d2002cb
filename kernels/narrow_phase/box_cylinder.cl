// Box against cylinder; see docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/box_cylinder.cpp.
#include "common/least_penetration.clh"
#include "common/manifold.clh"
#include "common/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

// The cylinder in the box's frame, mirrored so that p, from its centre to the box's, has no negative component.
typedef struct BoxFrame {
  float a[3];  // half extents of the box
  float v[3];  // axis of the cylinder
  float p[3];
  float h, r;
} BoxFrame;

float3 box_vector(const float* a) {
  return (float3)(a[0], a[1], a[2]);
}

// Overlap along n, unit.
float box_overlap(const BoxFrame* f, float3 n) {
  const float3 v = box_vector(f->v);
  const float3 across = cross3(n, v);
  return ((f->a[0] * abs_f(n.x) + f->a[1] * abs_f(n.y)) + (f->a[2] * abs_f(n.z) + f->h * abs_f(dot3(n, v))) +
          f->r * sqrt_rn(dot3(across, across))) -
         dot3(n, box_vector(f->p));
}

void try_box(const BoxFrame* f, float3 n, LeastOverlap* least) {
  const float overlap = box_overlap(f, n);
  if (!(overlap < least->overlap)) return;
  least->n = n;
  least->overlap = overlap;
}

float3 from_components(int k, float at_k, float at_l, float at_m) {
  return k == 0 ? (float3)(at_k, at_l, at_m) : (k == 1 ? (float3)(at_m, at_k, at_l) : (float3)(at_l, at_m, at_k));
}

// Rims against edges along k. Across the edge the box is a rectangle and the cylinder the sum of a segment along w and
// an ellipse with the minor axis w; n is from one axis of the rectangle to the next:
//
//       next (axis of the rectangle)
//        |   x (axis of the ellipse)     the corner between `from` and `next` is fixed, and each of the two arcs in a
//        |  /                            quadrant of the ellipse: it has a minimum where the overlap falls at its
//        | /                             begin and rises at its end
//        +------- from
//
// `reach` is the cylinder's farthest point along an axis of the box (row), across it (column).
void try_edges(const BoxFrame* f, int k, const float* reach, LeastOverlap* least) {
  const int l = k == 2 ? 0 : k + 1, m = l == 2 ? 0 : l + 1;
  const float vl = f->v[l], vm = f->v[m], s = sqrt_rn(vl * vl + vm * vm);
  const float2 w = s > 1e-6f ? (float2)(div_rn(vl, s), div_rn(vm, s)) : (float2)(1.0f, 0.0f);
  const float seg = f->h * s;
  const bool along = w.x * w.y >= 0.0f;  // w between the axes l and m, or m and -l
  const float2 first = along ? (float2)(abs_f(w.x), abs_f(w.y)) : (float2)(abs_f(w.y), abs_f(w.x));
  for (int i = 0; i < 3; ++i) {
    // Quadrants from -m to l, from l to m, from m to -l: the three that can face p.
    const float2 from = i == 0 ? (float2)(0.0f, -1.0f) : (i == 1 ? (float2)(1.0f, 0.0f) : (float2)(0.0f, 1.0f));
    const float2 next = (float2)(-from.y, from.x);
    const float2 x = i == 1 ? first : (i == 0 ? (float2)(first.y, -first.x) : (float2)(-first.y, first.x));
    const float2 across = (float2)(-x.y, x.x);
    const bool minor = (i == 1) == along;  // x is the ellipse's minor axis
    const float px = f->p[l] - (from.x + next.x) * f->a[l], py = f->p[m] - (from.y + next.y) * f->a[m];
    // Slopes at the arcs' ends; at the major axis that of the segment jumps.
    const float reach_l = i == 0 ? reach[3 * m + l] : (i == 1 ? reach[3 * l + m] : reach[3 * m + l]);
    const float reach_m = i == 1 ? reach[3 * m + l] : reach[3 * l + m];
    const float slope_from = (i == 1 ? reach_l : -reach_l) - (next.x * px + next.y * py);
    const float slope_next = (i == 1 ? -reach_m : reach_m) + (from.x * px + from.y * py);
    const float rounding = 5e-7f * (abs_f(px) + abs_f(py) + seg);
    const float beside = across.x * px + across.y * py, jump = minor ? 0.0f : seg;
    for (int arc = 0; arc < 2; ++arc) {
      // In axes of the ellipse, the arc from the end nearer to the minor axis to the other.
      const float2 end = arc == 0 ? from : next, beside_x = arc == 0 ? -across : across;
      const float2 minor_axis = minor ? x : beside_x, major_axis = minor ? beside_x : x;
      const float qx = (minor_axis.x * px + minor_axis.y * py) - seg, qy = major_axis.x * px + major_axis.y * py;
      if (!(qy >= -rounding)) continue;
      const float falls_from = arc == 0 ? slope_from : jump - beside, rises_to = arc == 0 ? -jump - beside : slope_next;
      float2 e;
      if (qx > -rounding && falls_from < rounding && rises_to > -rounding) {
        e = ellipse_normal(f->r, f->r * abs_f(f->v[k]), max_f(qx, 0.0f), max_f(qy, 0.0f));
        const float2 n = unit2(e.x * minor_axis.x + e.y * major_axis.x, e.x * minor_axis.y + e.y * major_axis.y);
        try_box(f, from_components(k, 0.0f, n.x, n.y), least);
      }
      if (qx < 0.0f && ((arc == 0) != minor ? falls_from : -rises_to) < 0.0f) {
        const float2 pole = (float2)(minor ? 1.0f : 0.0f, minor ? 0.0f : 1.0f);
        const float2 other =
            (float2)(end.x * minor_axis.x + end.y * minor_axis.y, end.x * major_axis.x + end.y * major_axis.y);
        if (!ellipse_inner_normal(f->r, f->r * abs_f(f->v[k]), qx, qy, minor ? pole : other, minor ? other : pole, &e))
          continue;
        const float2 n = unit2(e.x * minor_axis.x + e.y * major_axis.x, e.x * minor_axis.y + e.y * major_axis.y);
        try_box(f, from_components(k, 0.0f, n.x, n.y), least);
      }
    }
  }
}

// The side against the box's corners: seen along the axis, the box is a hexagon, and the corner is its point nearest
// to p when it lies along n.
void try_side_corners(const BoxFrame* f, LeastOverlap* least) {
  const float3 v = box_vector(f->v);
  for (int i = 0; i < 7; ++i) {
    const float3 s = (float3)(i & 1 ? -1.0f : 1.0f, i & 2 ? -1.0f : 1.0f, i & 4 ? -1.0f : 1.0f);
    float3 q = box_vector(f->p) - box_vector(f->a) * s;
    q -= v * dot3(q, v);
    if (q.x * s.x >= 0.0f && q.y * s.y >= 0.0f && q.z * s.z >= 0.0f && dot3(q, q) > 1e-12f) {
      const float3 n = unit3(q);
      try_box(f, unit3(n - v * dot3(n, v)), least);
    }
  }
}

// Apart: a rim against a corner, nearest points of a circle and a point; they are those of the bodies when box and axis
// end there along n.
void try_rim_corners(const BoxFrame* f, LeastOverlap* least) {
  const float3 v = box_vector(f->v);
  for (int i = 0; i < 14; ++i) {
    const float3 s = (float3)(i & 2 ? -1.0f : 1.0f, i & 4 ? -1.0f : 1.0f, i & 8 ? -1.0f : 1.0f);
    const float end = i & 1 ? -1.0f : 1.0f;
    const float3 q = box_vector(f->p) - box_vector(f->a) * s;
    const float height = dot3(q, v), along = height - end * f->h;
    if (!(along * end >= 0.0f)) continue;
    const float3 across = q - v * height;
    const float d2 = dot3(across, across);
    if (!(d2 > f->r * f->r)) continue;
    const float d = sqrt_rn(d2);
    const float3 n = v * along + across * div_rn(d - f->r, d);
    if (n.x * s.x >= 0.0f && n.y * s.y >= 0.0f && n.z * s.z >= 0.0f && dot3(n, n) > 1e-16f) try_box(f, unit3(n), least);
  }
}

// The depth and its normal, and the best of a flat side; false when the bodies are apart by more than margin.
bool box_cylinder_depth(const Body* a, const Body* b, float3 c, float margin, LeastOverlap* flat_result,
                        LeastOverlap* result) {
  BoxFrame f;
  float3 x = a->x, y = a->y, z = a->z;
  float3 p = (float3)(-dot3(c, x), -dot3(c, y), -dot3(c, z));
  if (p.x < 0.0f) x = -x;
  if (p.y < 0.0f) y = -y;
  if (p.z < 0.0f) z = -z;
  p = (float3)(abs_f(p.x), abs_f(p.y), abs_f(p.z));
  float3 v = (float3)(dot3(b->z, x), dot3(b->z, y), dot3(b->z, z));
  if (dot3(v, p) < 0.0f) v = -v;
  f.a[0] = a->size.x;
  f.a[1] = a->size.y;
  f.a[2] = a->size.z;
  f.v[0] = v.x;
  f.v[1] = v.y;
  f.v[2] = v.z;
  f.p[0] = p.x;
  f.p[1] = p.y;
  f.p[2] = p.z;
  f.r = b->size.x;
  f.h = b->size.y;

  // Faces and bases.
  LeastOverlap flat, least;
  flat.n = (float3)(1.0f, 0.0f, 0.0f);
  flat.overlap = box_overlap(&f, flat.n);
  try_box(&f, (float3)(0.0f, 1.0f, 0.0f), &flat);
  try_box(&f, (float3)(0.0f, 0.0f, 1.0f), &flat);
  try_box(&f, v, &flat);
  if (flat.overlap < -margin) return false;
  least = flat;
  const float3 middle = unit3(p);
  if (dot3(middle, middle) > 0.5f) try_box(&f, middle, &least);
  if (least.overlap < -margin) return false;
  // The side against edges and corners.
  for (int k = 0; k < 3; ++k) {
    const int l = k == 2 ? 0 : k + 1, m = l == 2 ? 0 : l + 1;
    float2 n = unit2(-f.v[m], f.v[l]);
    if (n.x * f.p[l] + n.y * f.p[m] < 0.0f) n = -n;
    try_box(&f, from_components(k, 0.0f, n.x, n.y), &least);
  }
  if (least.overlap < -margin) return false;
  try_side_corners(&f, &least);
  if (least.overlap < -margin) return false;
  // Rims against edges.
  float reach[9];
  for (int k = 0; k < 3; ++k) {
    const float l = f.v[k == 2 ? 0 : k + 1], m = f.v[k == 0 ? 2 : k - 1];
    const float scale = sign_f(f.v[k]) * f.h - div_rn(f.r * f.v[k], max_f(sqrt_rn(l * l + m * m), 1e-12f));
    for (int i = 0; i < 3; ++i) reach[3 * k + i] = scale * f.v[i];
  }
  for (int k = 0; k < 3; ++k) try_edges(&f, k, reach, &least);
  if (least.overlap < 0.0f) try_rim_corners(&f, &least);
  if (!(least.overlap > -margin)) return false;
  flat_result->n = unit3((x * flat.n.x + y * flat.n.y) + z * flat.n.z);
  flat_result->overlap = flat.overlap;
  result->n = unit3((x * least.n.x + y * least.n.y) + z * least.n.z);
  result->overlap = least.overlap;
  return true;
}

void box_cylinder(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  LeastOverlap flat, least;
  if (box_cylinder_depth(a, b, c, margin, &flat, &least))
    build_manifold_flat_first(SHAPE_BOX, a, SHAPE_CYLINDER, b, c, flat.n, flat.overlap, least.n, least.overlap, margin,
                              m);
}

PAIR_KERNEL(narrow_phase_box_cylinder, SHAPE_BOX, SHAPE_CYLINDER, box_cylinder)
