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

float component_of(float3 n, int k) {
  return k == 0 ? n.x : (k == 1 ? n.y : n.z);
}

float3 from_components(int k, float at_k, float at_l, float at_m) {
  return k == 0 ? (float3)(at_k, at_l, at_m) : (k == 1 ? (float3)(at_m, at_k, at_l) : (float3)(at_l, at_m, at_k));
}

// The box's edge k against a rim: across the edge the box is a rectangle, the cylinder a segment and an ellipse. From
// the corner that faces n to the nearest point of its ellipse, and on while that faces another corner.
void descend_edge_rim(const BoxFrame* f, int k, float3 n, LeastOverlap* least) {
  const int l = k == 2 ? 0 : k + 1, m = l == 2 ? 0 : l + 1;
  const float vl = f->v[l], vm = f->v[m], s = sqrt_rn(vl * vl + vm * vm);
  // Axes of the ellipse: w across its disc, (-w.y, w.x) along it.
  const float2 w = s > 1e-6f ? (float2)(div_rn(vl, s), div_rn(vm, s)) : (float2)(1.0f, 0.0f);
  const float minor = f->r * abs_f(f->v[k]);
  float2 at = (float2)(component_of(n, l), component_of(n, m));
  int faced = -1;
  for (int i = 0; i < 4; ++i) {
    const float sl = sign_f(at.x), sm = sign_f(at.y), sv = sign_f(at.x * w.x + at.y * w.y);
    const int facing = (sl > 0.0f ? 1 : 0) + (sm > 0.0f ? 2 : 0) + (sv > 0.0f ? 4 : 0);
    if (facing == faced) break;
    faced = facing;
    const float end = sv * f->h;
    const float ql = (f->p[l] - sl * f->a[l]) - end * vl, qm = (f->p[m] - sm * f->a[m]) - end * vm;
    const float x = ql * w.x + qm * w.y, y = qm * w.x - ql * w.y;
    const float2 e = ellipse_normal(f->r, minor, abs_f(x), abs_f(y));
    const float ex = e.x * sign_f(x), ey = e.y * sign_f(y);
    at = (float2)(ex * w.x - ey * w.y, ex * w.y + ey * w.x);
    try_box(f, from_components(k, 0.0f, at.x, at.y), least);
  }
}

// A rim, or the side, against the box's corner: nearest points of a circle and a point; of a circle and a line.
void descend_corner(const BoxFrame* f, bool side, float3 n, LeastOverlap* least) {
  const float3 v = box_vector(f->v);
  int faced = -1;
  for (int i = 0; i < 4; ++i) {
    const float s0 = sign_f(n.x), s1 = sign_f(n.y), s2 = sign_f(n.z), sv = side ? 0.0f : sign_f(dot3(n, v));
    const int facing = (s0 > 0.0f ? 1 : 0) + (s1 > 0.0f ? 2 : 0) + (s2 > 0.0f ? 4 : 0) + (sv > 0.0f ? 8 : 0);
    if (facing == faced) break;
    faced = facing;
    const float3 q = (float3)(f->p[0] - s0 * f->a[0], f->p[1] - s1 * f->a[1], f->p[2] - s2 * f->a[2]) - v * (sv * f->h);
    const float along = dot3(q, v);
    const float3 across = q - v * along;
    const float d = length3(across);
    if (side) {
      n = unit3(across);
    } else {
      if (!(d > f->r)) break;
      n = unit3(q - across * div_rn(f->r, d));
    }
    if (dot3(n, n) < 0.5f) break;
    try_box(f, n, least);
  }
}

// The depth and its normal; false when the bodies are apart by more than margin.
bool box_cylinder_depth(const Body* a, const Body* b, float3 c, float margin, LeastOverlap* result) {
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
  try_box(&f, middle, &least);
  if (least.overlap < -margin) return false;
  // The side against edges and corners.
  for (int k = 0; k < 3; ++k) {
    const int l = k == 2 ? 0 : k + 1, m = l == 2 ? 0 : l + 1;
    float2 n = unit2(-f.v[m], f.v[l]);
    if (n.x * f.p[l] + n.y * f.p[m] < 0.0f) n = -n;
    try_box(&f, from_components(k, 0.0f, n.x, n.y), &least);
  }
  if (least.overlap < -margin) return false;
  descend_corner(&f, true, unit3(p - v * dot3(p, v)), &least);
  // Rims against edges and corners.
  const float3 start = least.n;
  for (int k = 0; k < 3; ++k) descend_edge_rim(&f, k, start, &least);
  descend_corner(&f, false, least.n, &least);
  if (!(least.overlap > -margin)) return false;
  if (flat.overlap <= flat_bound(least.overlap)) least = flat;
  result->n = unit3((x * least.n.x + y * least.n.y) + z * least.n.z);
  result->overlap = least.overlap;
  return true;
}

void box_cylinder(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  LeastOverlap least;
  if (box_cylinder_depth(a, b, c, margin, &least))
    build_manifold(SHAPE_BOX, a, SHAPE_CYLINDER, b, c, least.n, least.overlap, margin, m);
}

PAIR_KERNEL(narrow_phase_box_cylinder, SHAPE_BOX, SHAPE_CYLINDER, box_cylinder)
