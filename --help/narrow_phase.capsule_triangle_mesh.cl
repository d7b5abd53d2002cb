#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/narrow_phase/capsule_triangle_mesh.cl"
// Capsule against a triangle mesh; see docs/mesh_contacts.md.
//
// Launch and output: kernels/meshes/candidate.clh. Reference: host/reference/narrow_phase/capsule_triangle_mesh.cpp.
#line 1 "kernels/meshes/candidate.clh"
// A candidate of the narrow phase of meshes, a convex body and a triangle, and the entry of the kernels that look at
// them (docs/mesh_contacts.md). All is in the axes of the mesh, with the origin at the body's centre.
#ifndef OCLIDE_MESHES_CANDIDATE_CLH
#define OCLIDE_MESHES_CANDIDATE_CLH
#line 1 "kernels/launch/fetch_early.clh"
// Loads begun before they are needed. What a kernel reads at places that follow from data, one after another, no
// processor foresees; where it has no thousand other work-items to go on with, it waits: half of the time of the
// smaller pair kernels of a CPU went there. A GPU has them, and is left alone.
//
// OpenCL's own prefetch() does nothing on PoCL. The address goes through an integer: the compiler's built-in knows no
// address spaces, and on these processors there is one alone. It changes no result, and may name any address.
#ifndef OCLIDE_LAUNCH_FETCH_EARLY_CLH
#define OCLIDE_LAUNCH_FETCH_EARLY_CLH

#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define FETCH_EARLY(address) __builtin_prefetch((const void*)(size_t)(address))
#define FETCHES_EARLY 1
#else
#define FETCH_EARLY(address)
#define FETCHES_EARLY 0
#endif

#endif

#line 6 "kernels/meshes/candidate.clh"
#line 1 "kernels/launch/item_run.clh"
// How the work-items of a launch share what there is to do: evenly, each some one after another, also where the host
// did not know how much there would be.
#ifndef OCLIDE_LAUNCH_ITEM_RUN_CLH
#define OCLIDE_LAUNCH_ITEM_RUN_CLH

// [first, last) of [0, count); empty where there are more work-items than it takes.
typedef struct ItemRun {
  uint first, last;
} ItemRun;

ItemRun run_of_item(uint count) {
  const uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
  const uint length = count / items + (count % items != 0u ? 1u : 0u);
  ItemRun run;
  run.first = run.last = 0u;
  if (count == 0u || item > (count - 1u) / length) return run;
  run.first = item * length;
  run.last = run.first + min(length, count - run.first);
  return run;
}

// Before a block: for each item of a run that is not empty. On a GPU that is one: where a work-item's run is longer the
// host has asked for fewer than there are, sees that by their number, and asks again. (A loop would keep all arguments
// of the kernel in registers.)
#if OCLIDE_LANES == 1
#define EACH_OF_RUN(item, run) const uint item = (run).first;
#else
#define EACH_OF_RUN(item, run) for (uint item = (run).first; item < (run).last; ++item)
#endif

#endif

#line 7 "kernels/meshes/candidate.clh"
#line 1 "kernels/meshes/mesh_edges.clh"
// Kind 2: a body on an edge of a mesh (docs/mesh_contacts.md).
#ifndef OCLIDE_MESHES_MESH_EDGES_CLH
#define OCLIDE_MESHES_MESH_EDGES_CLH
#line 1 "kernels/meshes/mesh_points.clh"
// Kind 1: points of a body on a triangle (docs/mesh_contacts.md).
#ifndef OCLIDE_MESHES_MESH_POINTS_CLH
#define OCLIDE_MESHES_MESH_POINTS_CLH
#line 1 "kernels/edges/body_points.clh"
// The points of a body that touch by themselves, and the numbers that its parts have in features.
#ifndef OCLIDE_EDGES_BODY_POINTS_CLH
#define OCLIDE_EDGES_BODY_POINTS_CLH
#line 1 "kernels/shapes/body.clh"
// A body of any bounded shape, by its number: pose, box, support point, and where a line enters it. Each function hands
// on to that of the shape (shapes/<name>.clh); `shape` mostly is a constant, so that nothing is left of the choice.
#ifndef OCLIDE_SHAPES_BODY_CLH
#define OCLIDE_SHAPES_BODY_CLH
#line 1 "kernels/shapes/box.clh"
// The box. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_BOX_CLH
#define OCLIDE_SHAPES_BOX_CLH
#line 1 "kernels/shapes/body_axes.clh"
// A body in its own frame of axes, origin at its centre: what the files of the shapes begin with.
#ifndef OCLIDE_SHAPES_BODY_AXES_CLH
#define OCLIDE_SHAPES_BODY_AXES_CLH
#line 1 "kernels/math/vec.clh"
// Vectors with a fixed order of operations: only + - * / sqrt, never a built-in dot, length or normalize.
#ifndef OCLIDE_MATH_VEC_CLH
#define OCLIDE_MATH_VEC_CLH
#line 1 "kernels/math/code.clh"
// What compilers of GPUs are told about code; on a CPU they decide for themselves. A GPU's instruction caches are
// small, its registers are shared by all work-items in flight, and its compilers unroll and inline whatever they can.
//
//   OUTLINED   before a function that is large and called from several places, or seldom: it stands once in a kernel,
//              and its registers are taken only while it runs
//   OUTLINED_OR_INLINE   the same; on a CPU it is part of what calls it
//   INLINED    before a function to which what its caller has in registers is handed by address: called as a function
//              it would force that into memory. It returns no structure: Oclgrind 21 cannot run what becomes of that
//   ROLLED     before a loop whose body is large
#ifndef OCLIDE_MATH_CODE_CLH
#define OCLIDE_MATH_CODE_CLH

#if OCLIDE_LANES == 1
#define OUTLINED static __attribute__((noinline, unused))
#define OUTLINED_OR_INLINE OUTLINED
#define INLINED __attribute__((always_inline))
#define ROLLED _Pragma("unroll 1")
#else
#define OUTLINED
#define OUTLINED_OR_INLINE __attribute__((always_inline))
#define INLINED
#define ROLLED
#endif

#endif

#line 5 "kernels/math/vec.clh"
#line 1 "kernels/math/rounding.clh"
// Division and square root, rounded to nearest even on every device.
//
//   div_rn(a, b)   a / b          sqrt_rn(a)   the square root of a
//
// Where the device rounds its own operators so (CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) they are used. Elsewhere the host
// defines OCLIDE_SOFTWARE_DIVIDE_SQRT, and the device's result, which may be off by 3 units in the last place, is only
// the first guess. Its remainder, exact as a sum of two floats (Dekker 1971), corrects it to within little more than
// half a unit; the remainder of that, which a single float holds, tells whether a neighbour is nearer. No quotient or
// root of floats lies in the middle between two.
//
// So it is with operands of 2^-50 to 2^50, about which all of this stays far from the ends of the range. Others go
// through integers: the guess is an integer quotient or root, corrected by the exact remainder in floats to within one,
// then by one. Operands are brought to [1, 4) before the guess and results are put together from bits, so subnormal
// operands and results are right also on devices that flush them. Zeros, infinities and NaN are those of IEEE 754.
#ifndef OCLIDE_MATH_ROUNDING_CLH
#define OCLIDE_MATH_ROUNDING_CLH
#line 1 "kernels/math/two_float.clh"
// Numbers as unevaluated sums hi + lo of two floats, about 48 bits (Dekker 1971, Knuth's two-sum). They carry world
// coordinates, which a single float cannot hold, into the frame of a body.
#ifndef OCLIDE_MATH_TWO_FLOAT_CLH
#define OCLIDE_MATH_TWO_FLOAT_CLH
#pragma OPENCL FP_CONTRACT OFF

typedef struct TwoFloat {
  float hi, lo;
} TwoFloat;

TwoFloat two_sum(float a, float b) {
  TwoFloat r;
  r.hi = a + b;
  const float bb = r.hi - a;
  r.lo = (a - (r.hi - bb)) + (b - bb);
  return r;
}

TwoFloat two_product(float a, float b) {
  // Split at 12 bits: 4097 = 2^12 + 1.
  const float ca = 4097.0f * a, cb = 4097.0f * b;
  const float ah = ca - (ca - a), bh = cb - (cb - b);
  const float al = a - ah, bl = b - bh;
  TwoFloat r;
  r.hi = a * b;
  r.lo = ((ah * bh - r.hi) + ah * bl + al * bh) + al * bl;
  return r;
}

TwoFloat two_float(float hi, float lo) {
  TwoFloat r;
  r.hi = hi;
  r.lo = lo;
  return r;
}

TwoFloat two_add(TwoFloat a, TwoFloat b) {
  const TwoFloat s = two_sum(a.hi, b.hi);
  return two_sum(s.hi, s.lo + (a.lo + b.lo));
}

TwoFloat two_sub(TwoFloat a, TwoFloat b) {
  return two_add(a, two_float(-b.hi, -b.lo));
}

// k * a for an integer k that a float holds.
TwoFloat two_scale(float k, TwoFloat a) {
  const TwoFloat p = two_product(k, a.hi);
  return two_sum(p.hi, p.lo + k * a.lo);
}

TwoFloat two_times(TwoFloat a, TwoFloat b) {
  const TwoFloat p = two_product(a.hi, b.hi);
  return two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

#endif

#line 18 "kernels/math/rounding.clh"
#pragma OPENCL FP_CONTRACT OFF

#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT

float div_rn(float a, float b) {
  return a / b;
}
float sqrt_rn(float a) {
  return sqrt(a);
}

#else

// |x| = mantissa * 2^(exponent - 150) with 2^23 <= mantissa < 2^24, for x finite and not zero; bits are those of |x|.
uint split_float(uint bits, int* exponent) {
  const uint field = bits >> 23;
  if (field != 0) {
    *exponent = (int)field;
    return (bits & 0x7FFFFFu) | 0x800000u;
  }
  const int shift = (int)clz(bits) - 8;
  *exponent = 1 - shift;
  return bits << shift;
}

float div_by_integers(float a, float b) {
  const uint sign = (as_uint(a) ^ as_uint(b)) & 0x80000000u;
  const uint a_bits = as_uint(a) & 0x7FFFFFFFu;
  const uint b_bits = as_uint(b) & 0x7FFFFFFFu;

  if (a_bits >= 0x7F800000u || b_bits >= 0x7F800000u || a_bits == 0 || b_bits == 0) {
    const bool invalid = a_bits > 0x7F800000u || b_bits > 0x7F800000u || (a_bits == b_bits);  // NaN, inf/inf, 0/0
    if (invalid) return as_float(0x7FC00000u);
    return as_float(sign | (a_bits >= 0x7F800000u || b_bits == 0 ? 0x7F800000u : 0u));
  }

  int a_exponent, b_exponent;
  uint dividend = split_float(a_bits, &a_exponent);
  const uint divisor = split_float(b_bits, &b_exponent);
  // The quotient is in [1, 2) when the dividend is not less than the divisor.
  const int doubling = dividend < divisor ? 1 : 0;
  dividend <<= doubling;
  const int exponent = a_exponent - b_exponent - doubling + 127;

  // quotient = floor(dividend * 2^24 / divisor), 25 bits: the result's 24 and one to round by.
  const float divisor_float = (float)divisor;
  int quotient = (int)((float)dividend / divisor_float * 16777216.0f);
  long remainder = ((long)dividend << 24) - (long)quotient * (long)divisor;
  const int step = (int)floor((float)remainder / divisor_float);
  quotient += step;
  remainder -= (long)step * (long)divisor;
  if (remainder < 0) {
    quotient -= 1;
    remainder += (long)divisor;
  } else if (remainder >= (long)divisor) {
    quotient += 1;
    remainder -= (long)divisor;
  }

  // Round to nearest even. A subnormal result loses more bits; a carry runs on into the exponent, up to infinity.
  if (exponent >= 255) return as_float(sign | 0x7F800000u);
  const int shift = exponent >= 1 ? 1 : min(2 - exponent, 26);
  const uint kept = (uint)quotient >> shift;
  const uint half_bit = ((uint)quotient >> (shift - 1)) & 1u;
  const uint below = (uint)quotient & ((1u << (shift - 1)) - 1u);
  const uint up = half_bit & ((below != 0 || remainder != 0 ? 1u : 0u) | (kept & 1u));
  const uint exponent_bits = exponent >= 1 ? (uint)(exponent - 1) << 23 : 0u;
  return as_float(sign | (exponent_bits + kept + up));
}

float sqrt_by_integers(float a) {
  const uint bits = as_uint(a);
  if ((bits & 0x7FFFFFFFu) == 0) return a;                                          // +0, -0
  if (bits >= 0x7F800000u) return bits == 0x7F800000u ? a : as_float(0x7FC00000u);  // +inf; negative, NaN

  // a = radicand * 2^(even - 48), radicand in [2^48, 2^50).
  int exponent;
  const uint mantissa = split_float(bits, &exponent);
  const int odd = (exponent - 127) & 1;
  const long radicand = (long)mantissa << (25 + odd);
  const int half_exponent = (exponent - 127 - odd) / 2;

  // root = floor(sqrt(radicand)), 25 bits: the result's 24 and one to round by.
  const float guess = sqrt((float)mantissa * (odd != 0 ? 0x1p-22f : 0x1p-23f));
  long root = (long)(guess * 16777216.0f);
  root += (long)floor((float)(radicand - root * root) / (float)(2 * root));
  long remainder = radicand - root * root;
  if (remainder < 0) {
    root -= 1;
    remainder += 2 * root + 1;
  } else if (remainder > 2 * root) {
    remainder -= 2 * root + 1;
    root += 1;
  }

  // Round to nearest even; no float's root lies in the middle between two floats.
  const uint kept = (uint)(root >> 1);
  const uint up = (uint)(root & 1);
  return as_float(((uint)(half_exponent + 126) << 23) + kept + up);
}

// Is the exponent of a between -50 and 50?
bool is_moderate(uint bits) {
  return (bits >> 23 & 0xFFu) - 77u <= 100u;
}

// a - p * q, where that is little; exact where one float holds it.
float remainder_of(float a, float p, float q) {
  const TwoFloat product = two_product(p, q);
  return (a - product.hi) - product.lo;
}

// The unit in the last place of numbers with the exponent of a.
float unit_of(float a) {
  return as_float((as_uint(a) & 0x7F800000u) - (23u << 23));
}
// The float beside a away from 0 (way 1) or toward it (way -1).
float beside(float a, int way) {
  return as_float(as_uint(a) + (uint)way);
}
// Below a power of two floats lie twice as close.
bool is_power_of_two(float a) {
  return (as_uint(a) & 0x7FFFFFu) == 0u;
}

float div_rn(float a, float b) {
  if (!(is_moderate(as_uint(a)) && is_moderate(as_uint(b)))) return div_by_integers(a, b);
  float q = a / b;
  q += remainder_of(a, q, b) / b;
  const float rest = remainder_of(a, q, b);
  // The quotient is q + rest / b: more than half a unit away from q?
  const bool inward = ((as_uint(rest) ^ as_uint(a)) >> 31) != 0u;
  const float unit = unit_of(q) * (inward && is_power_of_two(q) ? 0.5f : 1.0f);
  const uint twice = as_uint(2.0f * rest) & 0x7FFFFFFFu, limit = as_uint(unit * b) & 0x7FFFFFFFu;
  return twice > limit ? beside(q, inward ? -1 : 1) : q;
}

float sqrt_rn(float a) {
  const uint bits = as_uint(a);
  if (!is_moderate(bits) || bits >> 31 != 0u) return sqrt_by_integers(a);
  float s = sqrt(a);
  s += 0.5f * remainder_of(a, s, s) / s;
  const float rest = remainder_of(a, s, s);
  // (s + unit / 2)^2 = s^2 + unit s + unit^2 / 4, and rest is a whole number of unit^2.
  const float limit = unit_of(s) * s;
  if (rest > limit) return beside(s, 1);
  return rest <= (is_power_of_two(s) ? -0.5f : -1.0f) * limit ? beside(s, -1) : s;
}

#endif

#endif

#line 6 "kernels/math/vec.clh"
#pragma OPENCL FP_CONTRACT OFF

float dot3(float3 a, float3 b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

float3 cross3(float3 a, float3 b) {
  return (float3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

float length3(float3 a) {
  return sqrt_rn(dot3(a, a));
}

// a / |a|; the zero vector where |a| is too small to have a direction.
float3 unit3(float3 a) {
  const float l2 = dot3(a, a);
  if (!(l2 > 1e-30f)) return (float3)(0.0f, 0.0f, 0.0f);
  return a * div_rn(1.0f, sqrt_rn(l2));
}

float clamp01(float t) {
  return t < 0.0f ? 0.0f : (t > 1.0f ? 1.0f : t);
}
float max_f(float a, float b) {
  return a > b ? a : b;
}
float min_f(float a, float b) {
  return a < b ? a : b;
}
float abs_f(float a) {
  return a < 0.0f ? -a : a;
}
float sign_f(float a) {
  return a < 0.0f ? -1.0f : 1.0f;
}

// Is any, or each, lane set, of lanes that are 0 or -1? The built-in any() and all() look at one lane after another on
// some CPUs.
bool any4(int4 lanes) {
  const ulong2 two = as_ulong2(lanes);
  return (two.x | two.y) != 0ul;
}
bool any8(int8 lanes) {
  return any4(lanes.lo | lanes.hi);
}
bool all8(int8 lanes) {
  const ulong2 two = as_ulong2(lanes.lo & lanes.hi);
  return (two.x & two.y) == ~0ul;
}

// Bit k: is lane k set?
uint lanes_set(int8 set) {
  const int8 bits = set & (int8)(1, 2, 4, 8, 16, 32, 64, 128);
  const int4 four = bits.lo | bits.hi;
  const int2 two = four.lo | four.hi;
  return (uint)(two.x | two.y);
}

// Number of the lowest bit that is set.
uint lowest_bit(uint bits) {
  return 31u - clz(bits & (0u - bits));
}

// Before a block: for each bit k that is set, from the lowest. Work-items that run side by side each take the next of
// their own; in a loop over all bits, those that have none of a number would wait for those that have it.
#define EACH_BIT(k, bits) \
  for (uint k##_left = (bits), k = 0u; k##_left != 0u && (k = lowest_bit(k##_left), true); k##_left &= k##_left - 1u)

// Largest integer not above x, for |x| < 2^31; saturates beyond.
int floor_i(float x) {
  if (!(x > -2147483000.0f)) return -2147483000;
  if (x > 2147483000.0f) return 2147483000;
  const int t = (int)x;
  return (float)t > x ? t - 1 : t;
}

#endif

#line 5 "kernels/shapes/body_axes.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct Body {
  float3 x, y, z;             // its axes in the world, unit
  float3 size;                // [m] as in the scene file
  float radius_bound;         // of its bounding sphere [m]
  __global const uint* hull;  // of a convex hull or triangle mesh: its record (shared/hulls.h, shared/meshes.h)
} Body;

// From the world's axes into the body's, and back.
float3 into_body(const Body* b, float3 v) {
  return (float3)(dot3(b->x, v), dot3(b->y, v), dot3(b->z, v));
}
float3 out_of_body(const Body* b, float3 v) {
  return (b->x * v.x + b->y * v.y) + b->z * v.z;
}

// The part of m across the body's z axis. From its components: the difference m - z (z.m) cancels where m is nearly
// along z, and what rounding leaves of it is along z as much as across.
float3 across_axis(const Body* b, float3 m) {
  return b->x * dot3(b->x, m) + b->y * dot3(b->y, m);
}

// |from + t * step|^2 <= r^2 for t in [*t0, *t1]; false where for none.
bool inside_ball_interval(float3 from, float3 step, float r, float* t0, float* t1) {
  const float qa = dot3(step, step), qb = dot3(step, from), qc = dot3(from, from) - r * r;
  if (qa < 1e-12f) {
    *t0 = -1e30f;
    *t1 = 1e30f;
    return qc <= 0.0f;
  }
  const float disc = qb * qb - qa * qc;
  if (!(disc > 0.0f)) return false;
  const float root = sqrt_rn(disc);
  *t0 = div_rn(-qb - root, qa);
  *t1 = div_rn(-qb + root, qa);
  return true;
}

// |start + t * slope| <= extent for t in [*t0, *t1]; false where for none.
bool inside_slab_interval(float start, float slope, float extent, float* t0, float* t1) {
  if (abs_f(slope) < 1e-7f) {
    *t0 = -1e30f;
    *t1 = 1e30f;
    return abs_f(start) <= extent;
  }
  const float inverse = div_rn(1.0f, slope);
  const float ta = (-extent - start) * inverse, tb = (extent - start) * inverse;
  *t0 = min_f(ta, tb);
  *t1 = max_f(ta, tb);
  return true;
}

// The line q + t * d inside the round side about the z axis, of the size's radius and half length.
bool inside_round_side(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  const float along = dot3(b->z, q), slope = dot3(b->z, d);
  const float3 from = q - b->z * along, step = d - b->z * slope;
  float side0, side1, base0, base1;
  const bool hit = inside_ball_interval(from, step, b->size.x, &side0, &side1) &&
                   inside_slab_interval(along, slope, b->size.y, &base0, &base1) &&
                   max_f(side0, base0) <= min_f(side1, base1);
  if (hit) {
    *t0 = max_f(side0, base0);
    *t1 = min_f(side1, base1);
  }
  return hit;
}

#endif

#line 5 "kernels/shapes/box.clh"
#pragma OPENCL FP_CONTRACT OFF

float box_bounding_radius(const Body* b) {
  return length3(b->size);
}

float3 box_extents(const Body* b) {
  const float3 s = b->size;
  return (float3)(s.x * abs_f(b->x.x) + s.y * abs_f(b->y.x) + s.z * abs_f(b->z.x),
                  s.x * abs_f(b->x.y) + s.y * abs_f(b->y.y) + s.z * abs_f(b->z.y),
                  s.x * abs_f(b->x.z) + s.y * abs_f(b->y.z) + s.z * abs_f(b->z.z));
}

float box_reach_along(const Body* b, float3 n) {
  return (abs_f(dot3(b->x, n)) * b->size.x + abs_f(dot3(b->y, n)) * b->size.y) + abs_f(dot3(b->z, n)) * b->size.z;
}

float3 box_lowest_point(const Body* b, float3 m) {
  return (b->x * (-sign_f(dot3(b->x, m)) * b->size.x) + b->y * (-sign_f(dot3(b->y, m)) * b->size.y)) +
         b->z * (-sign_f(dot3(b->z, m)) * b->size.z);
}

float box_outside_distance(const Body* b, float3 q) {
  return max_f(max_f(abs_f(dot3(q, b->x)) - b->size.x, abs_f(dot3(q, b->y)) - b->size.y),
               max_f(abs_f(dot3(q, b->z)) - b->size.z, 0.0f));
}

bool box_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  const float3 s = b->size;
  float a0, a1;
  *t0 = -1e30f;
  *t1 = 1e30f;
  for (int k = 0; k < 3; ++k) {
    const float3 axis = k == 0 ? b->x : (k == 1 ? b->y : b->z);
    const float slope = dot3(axis, d);
    if (!inside_slab_interval(dot3(axis, q), slope, k == 0 ? s.x : (k == 1 ? s.y : s.z), &a0, &a1)) return false;
    *t0 = max_f(*t0, a0);
    *t1 = min_f(*t1, a1);
  }
  return *t0 <= *t1;
}

#endif

#line 6 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/capsule.clh"
// The capsule. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_CAPSULE_CLH
#define OCLIDE_SHAPES_CAPSULE_CLH
#line 5 "kernels/shapes/capsule.clh"
#pragma OPENCL FP_CONTRACT OFF

float capsule_bounding_radius(const Body* b) {
  return b->size.x + b->size.y;
}

float3 capsule_extents(const Body* b) {
  const float3 v = b->z;
  const float3 axis = (float3)(abs_f(v.x), abs_f(v.y), abs_f(v.z)) * b->size.y;
  return axis + b->size.x;
}

float capsule_reach_along(const Body* b, float3 n) {
  return b->size.y * abs_f(dot3(b->z, n)) + b->size.x * sqrt_rn(dot3(n, n));
}

float3 capsule_lowest_point(const Body* b, float3 m) {
  const float3 base = b->z * (-sign_f(dot3(b->z, m)) * b->size.y);
  return base + unit3(m) * -b->size.x;
}

float capsule_outside_distance(const Body* b, float3 q) {
  const float z = dot3(q, b->z);
  return max_f(length3(q - b->z * max_f(-b->size.y, min_f(z, b->size.y))) - b->size.x, 0.0f);
}

// The round side, and the balls at its ends.
bool capsule_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  bool hit = inside_round_side(b, q, d, t0, t1);
  for (int k = 0; k < 2; ++k) {
    const float3 c = q - b->z * (k == 0 ? -b->size.y : b->size.y);
    float a0, a1;
    if (!inside_ball_interval(c, d, b->size.x, &a0, &a1)) continue;
    *t0 = hit ? min_f(*t0, a0) : a0;
    *t1 = hit ? max_f(*t1, a1) : a1;
    hit = true;
  }
  return hit;
}

#endif

#line 7 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/convex_hull.clh"
// The convex hull: its parts, and what each shape has (shapes/body.clh). Points and directions of hull_*() are in the
// body's own axes, those of convex_hull_*() in the world's.
//
// The vertices are the shape; planes only name directions (docs/convex_hulls.md). Loops go over all vertices or faces
// in their order: work-items side by side mostly have the same hull, and read the same row.
#ifndef OCLIDE_SHAPES_CONVEX_HULL_CLH
#define OCLIDE_SHAPES_CONVEX_HULL_CLH
#line 1 "kernels/math/vec8.clh"
// Eight vectors side by side: to the bit what math/vec.clh gives for each of them.
#ifndef OCLIDE_MATH_VEC8_CLH
#define OCLIDE_MATH_VEC8_CLH
#line 5 "kernels/math/vec8.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct Vec8 {
  float8 x, y, z;
} Vec8;

float8 abs8(float8 a) {
  return as_float8(as_int8(a) & 0x7FFFFFFF);
}
float8 dot8(Vec8 a, float3 b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
float8 dot8v(Vec8 a, Vec8 b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

// Roots and quotients, each the bits of the scalar one.
float8 sqrt8(float8 a) {
#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT
  return sqrt(a);
#else
  return (float8)(sqrt_rn(a.s0), sqrt_rn(a.s1), sqrt_rn(a.s2), sqrt_rn(a.s3), sqrt_rn(a.s4), sqrt_rn(a.s5),
                  sqrt_rn(a.s6), sqrt_rn(a.s7));
#endif
}
float8 div8(float8 a, float8 b) {
#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT
  return a / b;
#else
  return (float8)(div_rn(a.s0, b.s0), div_rn(a.s1, b.s1), div_rn(a.s2, b.s2), div_rn(a.s3, b.s3), div_rn(a.s4, b.s4),
                  div_rn(a.s5, b.s5), div_rn(a.s6, b.s6), div_rn(a.s7, b.s7));
#endif
}

// 1 / |a|; 0 where |a| is too small to have a direction.
float8 inverse_length8(Vec8 a) {
  const float8 l2 = (a.x * a.x + a.y * a.y) + a.z * a.z;
  return select((float8)(0.0f), div8((float8)(1.0f), sqrt8(l2)), l2 > 1e-30f);
}
void to_unit8(Vec8* a) {
  const float8 scale = inverse_length8(*a);
  a->x *= scale;
  a->y *= scale;
  a->z *= scale;
}

float8 max8(float8 a, float8 b) {
  return select(b, a, a > b);
}
float8 min8(float8 a, float8 b) {
  return select(b, a, a < b);
}

float least_of(float8 a) {
  const float4 four = select(a.lo, a.hi, a.hi < a.lo);
  const float2 two = select(four.lo, four.hi, four.hi < four.lo);
  return min_f(two.x, two.y);
}
// The k-th of eight.
float lane_of(float8 a, uint k) {
  const float4 four = (k & 4u) != 0u ? a.hi : a.lo;
  const float2 two = (k & 2u) != 0u ? four.hi : four.lo;
  return (k & 1u) != 0u ? two.y : two.x;
}

// `extent` with the sign that is not that of a.
float8 against8(float8 a, float8 extent) {
  return select(-extent, extent, a < 0.0f);
}

#endif

#line 9 "kernels/shapes/convex_hull.clh"
#line 10 "kernels/shapes/convex_hull.clh"
#line 1 "kernels/shared/hulls.h"
// How a scene's convex hulls lie in the one buffer of words that kernels have them in (docs/convex_hulls.md), before
// its triangle meshes (shared/meshes.h). Includable from C++ and from OpenCL C.
//
//   word k: where the record of hull k begins, in rows of four words     records, one after another
//           (from the number of hulls on: the records of meshes)
//   record: HULL_* words, rows of vertices, faces and edges, corners of faces, neighbours of vertices
//
// Rows are 16 bytes and stand at multiples of that, so that each is one load.
#ifndef OCLIDE_SHARED_HULLS_H
#define OCLIDE_SHARED_HULLS_H

// The words that a record begins with. Lengths [m] are the bits of floats. FIRST: rows from the record's begin on, of
// corners, sides and neighbours words.
enum {
  HULL_VERTICES,  // how many
  HULL_FACES,
  HULL_EDGES,
  HULL_MOST_CORNERS,     // of a face
  HULL_FIRST_VERTEX,     // rows: x, y, z, number of its first neighbour; one more row for the end
  HULL_FIRST_FACE,       // two rows each: unit normal outward, offset; number of its first corner, how many, -, -
  HULL_FIRST_EDGE,       // rows: two vertices, two faces, as HullEdge has them
  HULL_FIRST_CORNER,     // words: the vertices of the faces' loops
  HULL_FIRST_SIDE,       // words: the edge from each corner of a loop to the next
  HULL_FIRST_NEIGHBOUR,  // words: vertices
  HULL_RADIUS,           // of the sphere about the body's position that holds the hull, rounded up
  HULL_FLAT_SLACK,
  HULL_LOWER,  // three words each: corners of the box around the vertices, in the body's axes
  HULL_UPPER = HULL_LOWER + 3,
  HULL_MIDDLE = HULL_UPPER + 3,         // a point well within
  HULL_INNER_RADIUS = HULL_MIDDLE + 3,  // of a ball about it that the hull holds, rounded down
  HULL_WORDS = 24
};

// A body's size has the index of its hull as a float, which is exact up to here.
#define MOST_HULLS 0x1000000

#endif

#line 11 "kernels/shapes/convex_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// The record of a hull among all.
__global const uint* hull_record(__global const uint* hulls, float index) {
  return hulls + 4u * (size_t)hulls[(uint)index];
}

float hull_number(__global const uint* hull, uint word) {
  return as_float(hull[word]);
}
float3 hull_point(__global const uint* hull, uint word) {
  return (float3)(as_float(hull[word]), as_float(hull[word + 1u]), as_float(hull[word + 2u]));
}
uint4 hull_row(__global const uint* hull, uint row) {
  return ((__global const uint4*)hull)[row];
}

float3 hull_vertex(__global const uint* hull, uint k) {
  return as_float3(hull_row(hull, hull[HULL_FIRST_VERTEX] + k).xyz);
}
// The normal of a face, and the greatest normal . v of its vertices as w.
float4 hull_face(__global const uint* hull, uint k) {
  return as_float4(hull_row(hull, hull[HULL_FIRST_FACE] + 2u * k));
}
#if OCLIDE_LANES != 1
// Normals of eight faces from the k-th on. What is read beyond the last are rows of edges and words of corners, of
// which there are enough: at least 3 / 2 edges a face, and 12 corners, sides and neighbours each.
INLINED void hull_normals8(__global const uint* hull, uint k, Vec8* n) {
  __global const float* rows = (__global const float*)hull + 4u * ((size_t)hull[HULL_FIRST_FACE] + 2u * k);
  const float16 p = vload16(0, rows), q = vload16(1, rows), r = vload16(2, rows), s = vload16(3, rows);
  n->x = (float8)(p.s0, p.s8, q.s0, q.s8, r.s0, r.s8, s.s0, s.s8);
  n->y = (float8)(p.s1, p.s9, q.s1, q.s9, r.s1, r.s9, s.s1, s.s9);
  n->z = (float8)(p.s2, p.sa, q.s2, q.sa, r.s2, r.sa, s.s2, s.sa);
}
// Of the eight from the k-th on, those that there are.
uint hull_eight(uint k, uint count) {
  return count - k < 8u ? (1u << (count - k)) - 1u : 255u;
}
#endif
// Its loop: the number of its first corner, and how many it has.
uint2 hull_loop(__global const uint* hull, uint k) {
  return hull_row(hull, hull[HULL_FIRST_FACE] + 2u * k + 1u).xy;
}
// The vertex at a corner of a loop, and the edge from there to the loop's next one.
uint hull_corner(__global const uint* hull, uint corner) {
  return hull[hull[HULL_FIRST_CORNER] + corner];
}
uint hull_side(__global const uint* hull, uint corner) {
  return hull[hull[HULL_FIRST_SIDE] + corner];
}
// Its two vertices, the lower first, and the faces whose loops go from the first to the second, and back.
uint4 hull_edge(__global const uint* hull, uint k) {
  return hull_row(hull, hull[HULL_FIRST_EDGE] + k);
}
// The vertices at the other ends of a vertex's edges are hull_neighbour(hull, k), first <= k < last.
uint2 hull_neighbours(__global const uint* hull, uint vertex) {
  const uint row = hull[HULL_FIRST_VERTEX] + vertex;
  return (uint2)(hull_row(hull, row).w, hull_row(hull, row + 1u).w);
}
uint hull_neighbour(__global const uint* hull, uint k) {
  return hull[hull[HULL_FIRST_NEIGHBOUR] + k];
}

#if OCLIDE_LANES != 1
// The number `at` of the greatest, the lowest of several.
uint first_of_greatest8(float8 best, uint8 at) {
  const int4 of_four = (best.hi > best.lo) | ((best.hi == best.lo) & (at.hi < at.lo));
  const float4 best4 = select(best.lo, best.hi, of_four);
  const uint4 at4 = select(at.lo, at.hi, of_four);
  const int2 of_two = (best4.hi > best4.lo) | ((best4.hi == best4.lo) & (at4.hi < at4.lo));
  const float2 best2 = select(best4.lo, best4.hi, of_two);
  const uint2 at2 = select(at4.lo, at4.hi, of_two);
  return best2.y > best2.x || (best2.y == best2.x && at2.y < at2.x) ? at2.y : at2.x;
}
#endif

// The vertex farthest along d, the lowest number of several.
OUTLINED uint hull_farthest_vertex(__global const uint* hull, float3 d) {
  const uint count = hull[HULL_VERTICES], first = hull[HULL_FIRST_VERTEX];
#if OCLIDE_LANES == 1
  float best = -MAXFLOAT;
  uint at = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float along = dot3(as_float3(hull_row(hull, first + k).xyz), d);
    if (!(along > best)) continue;
    best = along;
    at = k;
  }
  return at;
#else
  // Eight at once. What is read beyond the last are rows of faces, of which there are eight at least.
  __global const float* rows = (__global const float*)hull + 4u * (size_t)first;
  float8 best = -MAXFLOAT;
  uint8 at = 0u, number = (uint8)(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u);
  for (uint k = 0u; k < count; k += 8u) {
    const float16 low = vload16(0, rows + 4u * k), high = vload16(1, rows + 4u * k);
    const float8 x = (float8)(low.s0, low.s4, low.s8, low.sc, high.s0, high.s4, high.s8, high.sc);
    const float8 y = (float8)(low.s1, low.s5, low.s9, low.sd, high.s1, high.s5, high.s9, high.sd);
    const float8 z = (float8)(low.s2, low.s6, low.sa, low.se, high.s2, high.s6, high.sa, high.se);
    const float8 along = (x * d.x + y * d.y) + z * d.z;
    const int8 farther = (along > best) & (number < count);
    best = select(best, along, farther);
    at = select(at, number, farther);
    number += 8u;
  }
  return first_of_greatest8(best, at);
#endif
}
// The face whose normal is nearest to d, the lowest number of several. Not by the cosine, which is the same for all
// small angles.
float hull_normal_off2(__global const uint* hull, uint face, float3 d) {
  const float3 off = hull_face(hull, face).xyz - d;
  return dot3(off, off);
}
INLINED uint hull_face_nearest(__global const uint* hull, float3 d) {
  const uint count = hull[HULL_FACES];
#if OCLIDE_LANES == 1
  float least = MAXFLOAT;
  uint at = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float off2 = hull_normal_off2(hull, k, d);
    if (!(off2 < least)) continue;
    least = off2;
    at = k;
  }
  return at;
#else
  float8 least = MAXFLOAT;
  uint8 at = 0u, number = (uint8)(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u);
  for (uint k = 0u; k < count; k += 8u) {
    Vec8 n;
    hull_normals8(hull, k, &n);
    const float8 x = n.x - d.x, y = n.y - d.y, z = n.z - d.z, off2 = (x * x + y * y) + z * z;
    const int8 nearer = (off2 < least) & (number < count);
    least = select(least, off2, nearer);
    at = select(at, number, nearer);
    number += 8u;
  }
  return first_of_greatest8(-least, at);
#endif
}

// The farthest vertex, and d . v there; and that alone.
INLINED uint hull_farthest(__global const uint* hull, float3 d, float* reach) {
  const uint at = hull_farthest_vertex(hull, d);
  *reach = dot3(hull_vertex(hull, at), d);
  return at;
}
float hull_reach(__global const uint* hull, float3 d) {
  return dot3(hull_vertex(hull, hull_farthest_vertex(hull, d)), d);
}

float convex_hull_bounding_radius(const Body* b) {
  return hull_number(b->hull, HULL_RADIUS);
}

float convex_hull_reach_along(const Body* b, float3 n) {
  return hull_reach(b->hull, into_body(b, n));
}

// Bounds of the same, without a look at the vertices: of the ball in the hull and of the box around it.
INLINED void convex_hull_reach_bounds(const Body* b, float3 n, float* least, float* most) {
  __global const uint* hull = b->hull;
  const float3 d = into_body(b, n);
  const float3 low = hull_point(hull, HULL_LOWER), high = hull_point(hull, HULL_UPPER);
  const float size = (abs_f(n.x) + abs_f(n.y)) + abs_f(n.z);
  const float rounding = 1e-6f * hull_number(hull, HULL_RADIUS) * size;
  *most = ((d.x < 0.0f ? low.x : high.x) * d.x + (d.y < 0.0f ? low.y : high.y) * d.y) +
          (d.z < 0.0f ? low.z : high.z) * d.z + rounding;
  // |n| is no less than its size / sqrt(3).
  *least = (dot3(hull_point(hull, HULL_MIDDLE), d) + hull_number(hull, HULL_INNER_RADIUS) * (0.577f * size)) - rounding;
}

// Corners of the box along the world's axes, relative to the body's position.
INLINED void convex_hull_box(const Body* b, float3* low, float3* high) {
  __global const uint* hull = b->hull;
  const uint count = hull[HULL_VERTICES];
  float3 least = out_of_body(b, hull_vertex(hull, 0u)), most = least;
  ROLLED
  for (uint k = 1u; k < count; ++k) {
    const float3 p = out_of_body(b, hull_vertex(hull, k));
    least = (float3)(min_f(least.x, p.x), min_f(least.y, p.y), min_f(least.z, p.z));
    most = (float3)(max_f(most.x, p.x), max_f(most.y, p.y), max_f(most.z, p.z));
  }
  *low = least;
  *high = most;
}

float3 convex_hull_lowest_point(const Body* b, float3 m) {
  return out_of_body(b, hull_vertex(b->hull, hull_farthest_vertex(b->hull, into_body(b, -m))));
}

// Is q over a face, seen along its normal?
INLINED bool is_over_hull_face(__global const uint* hull, uint face, float3 q) {
  const float3 n = hull_face(hull, face).xyz;
  const uint2 loop = hull_loop(hull, face);
  float3 from = hull_vertex(hull, hull_corner(hull, loop.x + loop.y - 1u));
  ROLLED
  for (uint k = 0u; k < loop.y; ++k) {
    const float3 to = hull_vertex(hull, hull_corner(hull, loop.x + k));
    if (dot3(cross3(to - from, q - from), n) < 0.0f) return false;
    from = to;
  }
  return true;
}

// The part of a across e.
float3 part_across(float3 a, float3 e) {
  return a - e * div_rn(dot3(a, e), dot3(e, e));
}

// From the point of an edge that is nearest to p; *at: 0 at its first vertex, 1 between, 2 at its second. Measured from
// the nearer vertex, so that rounding turns no way near it.
float3 from_hull_edge(float3 first, float3 second, float3 p, uint* at) {
  const float3 along = second - first;
  const float of_first = dot3(p - first, along), of_second = dot3(p - second, along);
  *at = of_first <= 0.0f ? 0u : (of_second >= 0.0f ? 2u : 1u);
  const bool by_second = of_first > -of_second;
  const float3 way = by_second ? p - second : p - first;
  return *at == 1u ? way - along * div_rn(by_second ? of_second : of_first, dot3(along, along)) : way;
}

// A way off the hull from a point of an edge leads into no face or edge beside the point. Less what it does so by
// rounding: a small way may be turned far by it.
OUTLINED float3 off_hull(__global const uint* hull, uint edge, uint at, float3 way) {
  const uint4 row = hull_edge(hull, edge);
  if (at == 1u) {
    const float3 along = hull_vertex(hull, row.y) - hull_vertex(hull, row.x);
    way = part_across(way, along);
    const float3 left = cross3(hull_face(hull, row.z).xyz, along), right = cross3(along, hull_face(hull, row.w).xyz);
    if (dot3(way, left) > 0.0f) way = part_across(way, left);
    if (dot3(way, right) > 0.0f) way = part_across(way, right);
    return way;
  }
  const uint vertex = at == 0u ? row.x : row.y;
  const float3 v = hull_vertex(hull, vertex);
  const uint2 neighbours = hull_neighbours(hull, vertex);
  ROLLED
  for (uint k = 0u; k < 2u * (neighbours.y - neighbours.x); ++k) {
    const uint turn = k < neighbours.y - neighbours.x ? k : k - (neighbours.y - neighbours.x);
    const float3 along = hull_vertex(hull, hull_neighbour(hull, neighbours.x + turn)) - v;
    if (dot3(way, along) > 0.0f) way = part_across(way, along);
  }
  return way;
}

// From the point of all edges that is nearest to p; which edge, and *at as in from_hull_edge.
INLINED float3 from_nearest_hull_edge(__global const uint* hull, float3 p, uint* edge, uint* at) {
  const uint count = hull[HULL_EDGES];
  float least2 = MAXFLOAT;
  float3 nearest = (float3)(0.0f, 0.0f, 0.0f);
  *edge = *at = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const uint4 row = hull_edge(hull, k);
    uint at_k;
    const float3 way = from_hull_edge(hull_vertex(hull, row.x), hull_vertex(hull, row.y), p, &at_k);
    const float distance2 = dot3(way, way);
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    nearest = way;
    *edge = k;
    *at = at_k;
  }
  return nearest;
}

// Where the face that p is farthest out of has it not over itself, the nearest point is on an edge: beside a sharp one
// p is much farther off than out of any plane.
OUTLINED float hull_outside_distance(__global const uint* hull, float3 p) {
  const uint count = hull[HULL_FACES];
  float outside = 0.0f;
  uint face = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float4 plane = hull_face(hull, k);
    const float above = dot3(plane.xyz, p) - plane.w;
    if (!(above > outside)) continue;
    outside = above;
    face = k;
  }
  if (!(outside > 0.0f) || is_over_hull_face(hull, face, p)) return outside;
  uint edge, at;
  const float3 way = from_nearest_hull_edge(hull, p, &edge, &at);
  return max_f(outside, length3(off_hull(hull, edge, at, way)));
}
float convex_hull_outside_distance(const Body* b, float3 q) {
  return hull_outside_distance(b->hull, into_body(b, q));
}

// Where the line p + t way enters and leaves; it misses where it leaves before it enters.
OUTLINED float2 hull_line_inside(__global const uint* hull, float3 p, float3 way) {
  const uint count = hull[HULL_FACES];
  float enter = -1e30f, leave = 1e30f;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float4 face = hull_face(hull, k);
    const float above = dot3(face.xyz, p) - face.w, slope = dot3(face.xyz, way);
    if (abs_f(slope) < 1e-7f) {
      if (above > 0.0f) return (float2)(1.0f, 0.0f);
      continue;
    }
    const float t = div_rn(-above, slope);
    if (slope < 0.0f)
      enter = max_f(enter, t);
    else
      leave = min_f(leave, t);
  }
  return (float2)(enter, leave);
}
bool convex_hull_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  const float2 inside = hull_line_inside(b->hull, into_body(b, q), into_body(b, d));
  *t0 = inside.x;
  *t1 = inside.y;
  return inside.x <= inside.y;
}

#endif

#line 8 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/cylinder.clh"
// The cylinder. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_CYLINDER_CLH
#define OCLIDE_SHAPES_CYLINDER_CLH
#line 5 "kernels/shapes/cylinder.clh"
#pragma OPENCL FP_CONTRACT OFF

float cylinder_bounding_radius(const Body* b) {
  return sqrt_rn(b->size.x * b->size.x + b->size.y * b->size.y);
}

// Text 001, eq. 2-3.
float3 cylinder_extents(const Body* b) {
  const float3 s = b->size, v = b->z;
  const float3 axis = (float3)(abs_f(v.x), abs_f(v.y), abs_f(v.z)) * s.y;
  // Sines, not by way of the cosines, which say little of small ones: 1 - v.x^2 is off by 1e-7, its root by 3e-4.
  const float x2 = v.x * v.x, y2 = v.y * v.y, z2 = v.z * v.z;
  return axis + (float3)(sqrt_rn(y2 + z2), sqrt_rn(z2 + x2), sqrt_rn(x2 + y2)) * s.x;
}

float cylinder_reach_along(const Body* b, float3 n) {
  return b->size.y * abs_f(dot3(b->z, n)) + b->size.x * length3(cross3(b->z, n));
}

// The direction in which a cylinder's rim is farthest along -m; zero where m is along the axis.
float3 rim_direction(const Body* b, float3 m) {
  return -unit3(across_axis(b, m));
}

float3 cylinder_lowest_point(const Body* b, float3 m) {
  const float3 base = b->z * (-sign_f(dot3(b->z, m)) * b->size.y);
  return base + rim_direction(b, m) * b->size.x;
}

float cylinder_outside_distance(const Body* b, float3 q) {
  const float z = dot3(q, b->z);
  const float r = length3(q - b->z * z);
  return max_f(max_f(r - b->size.x, abs_f(z) - b->size.y), 0.0f);
}

bool cylinder_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  return inside_round_side(b, q, d, t0, t1);
}

#endif

#line 9 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/sphere.clh"
// The sphere. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_SPHERE_CLH
#define OCLIDE_SHAPES_SPHERE_CLH
#line 5 "kernels/shapes/sphere.clh"
#pragma OPENCL FP_CONTRACT OFF

float sphere_bounding_radius(const Body* b) {
  return b->size.x;
}

float3 sphere_extents(const Body* b) {
  return (float3)(b->size.x, b->size.x, b->size.x);
}

float sphere_reach_along(const Body* b, float3 n) {
  return b->size.x * sqrt_rn(dot3(n, n));
}

float3 sphere_lowest_point(const Body* b, float3 m) {
  return unit3(m) * -b->size.x;
}

float sphere_outside_distance(const Body* b, float3 q) {
  return max_f(length3(q) - b->size.x, 0.0f);
}

bool sphere_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  return inside_ball_interval(q, d, b->size.x, t0, t1);
}

#endif

#line 10 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/triangle_mesh.clh"
// The triangle mesh: its parts, in the body's own axes, and what the broad phase asks of it. See shared/meshes.h and
// docs/mesh_contacts.md.
#ifndef OCLIDE_SHAPES_TRIANGLE_MESH_CLH
#define OCLIDE_SHAPES_TRIANGLE_MESH_CLH
#line 6 "kernels/shapes/triangle_mesh.clh"
#line 1 "kernels/shared/meshes.h"
// How a scene's triangle meshes lie in the buffer of words that has its convex hulls too (shared/hulls.h,
// docs/mesh_contacts.md). Includable from C++ and from OpenCL C.
//
//   record: MESH_* words, rows of vertices, triangles and boxes, neighbours of vertices
//
// Rows are 16 bytes. Triangles stand in the order of the tree: its groups of eight boxes, as those of bodies
// (broad_phase/body_tree.clh), are eight triangles each at level 0; box k of level l + 1 holds all of group k of level
// l. A group is 8 x (x low, y low, z low, x high, y high, z high), 12 rows; what is missing at the end of a level is an
// empty box. The top level is one group.
#ifndef OCLIDE_SHARED_MESHES_H
#define OCLIDE_SHARED_MESHES_H
#line 13 "kernels/shared/meshes.h"

// The words that a record begins with. FIRST: rows from the record's begin on, of neighbours words. CORNERS,
// FIRST_CORNER and RADIUS stand where the record of a hull has its vertices and radius: the broad phase of bodies takes
// a mesh for the hull of the box around it.
enum {
  MESH_CORNERS,    // of that box, 8
  MESH_TRIANGLES,  // how many
  MESH_VERTICES,
  MESH_LEVELS,           // of the tree, one at least
  MESH_FIRST_CORNER,     // rows: x, y, z, -
  MESH_IS_SOLID,         // 0 or 1
  MESH_FIRST_VERTEX,     // rows: x, y, z, number of its first neighbour; one more row for the end
  MESH_FIRST_TRIANGLE,   // three rows each: MESH_ROW_*
  MESH_FIRST_NEIGHBOUR,  // words: the vertices at the other ends of a vertex's edges
  MESH_UNUSED,
  MESH_RADIUS,  // of the sphere about the body's position that holds the mesh, rounded up
  MESH_LEVEL,   // rows: where each level's groups begin, level 0 first
  MESH_MOST_LEVELS = 11,
  MESH_WORDS = (MESH_LEVEL + MESH_MOST_LEVELS + 3) / 4 * 4
};

// Of a triangle a, b, c, whose edge 0 goes from a to b, edge 1 from b to c, edge 2 from c to a:
#define MESH_ROW_VERTICES 0u  // a, b, c; number in the file, `element`
#define MESH_ROW_NEIGHBOURS \
  1u                       // the triangle at the other side of each edge, MESH_NONE at a border; number of its face
#define MESH_ROW_PLANE 2u  // unit normal; MESH_FLAG_*
#define MESH_ROWS_OF_TRIANGLE 3u
#define MESH_ROWS_OF_GROUP 12u
#define MESH_NONE 0xFFFFFFFFu

// Flags of a triangle. Of each edge two bits, MESH_EDGE_*, as it is seen from the front; which edges and vertices it is
// the one to look at: the first of both triangles that an edge joins, each at a border, and the first of all that have
// the vertex; which vertices are not plain; its material.
#define MESH_EDGE_FLAT 0u
#define MESH_EDGE_CONVEX 1u
#define MESH_EDGE_CONCAVE 2u
#define MESH_EDGE_BORDER 3u
#define MESH_FLAG_EDGE(k) (2u * (k))    // shift
#define MESH_FLAG_OWNS_EDGE 0x40u       // << k
#define MESH_FLAG_OWNS_VERTEX 0x200u    // << k
#define MESH_FLAG_SHARP_VERTEX 0x1000u  // << k: takes part
#define MESH_FLAG_MATERIAL 24u          // shift

#endif

#line 7 "kernels/shapes/triangle_mesh.clh"
#pragma OPENCL FP_CONTRACT OFF

// Differences of places: none.
typedef char a_mesh_has_the_corners_of_its_box_as_a_hull_its_vertices[((int)MESH_CORNERS - (int)HULL_VERTICES |
                                                                       (int)MESH_FIRST_CORNER - (int)HULL_FIRST_VERTEX |
                                                                       (int)MESH_RADIUS - (int)HULL_RADIUS) == 0
                                                                          ? 1
                                                                          : -1];

float mesh_number(__global const uint* mesh, uint word) {
  return as_float(mesh[word]);
}
float3 mesh_point(__global const uint* mesh, uint word) {
  return (float3)(as_float(mesh[word]), as_float(mesh[word + 1u]), as_float(mesh[word + 2u]));
}
uint4 mesh_row(__global const uint* mesh, uint row) {
  return ((__global const uint4*)mesh)[row];
}
float3 mesh_vertex(__global const uint* mesh, uint k) {
  return as_float3(mesh_row(mesh, mesh[MESH_FIRST_VERTEX] + k).xyz);
}
// Row MESH_ROW_* of a triangle.
uint4 mesh_triangle(__global const uint* mesh, uint k, uint row) {
  return mesh_row(mesh, mesh[MESH_FIRST_TRIANGLE] + MESH_ROWS_OF_TRIANGLE * k + row);
}
// The vertices at the other ends of a vertex's edges are mesh_neighbour(mesh, k), first <= k < last.
uint2 mesh_neighbours(__global const uint* mesh, uint vertex) {
  const uint row = mesh[MESH_FIRST_VERTEX] + vertex;
  return (uint2)(mesh_row(mesh, row).w, mesh_row(mesh, row + 1u).w);
}
uint mesh_neighbour(__global const uint* mesh, uint k) {
  return mesh[mesh[MESH_FIRST_NEIGHBOUR] + k];
}
// The 48 numbers of a group of boxes.
__global const float* mesh_group(__global const uint* mesh, uint level, uint group) {
  return (__global const float*)mesh + 4u * ((size_t)mesh[MESH_LEVEL + level] + MESH_ROWS_OF_GROUP * (size_t)group);
}

float triangle_mesh_bounding_radius(const Body* b) {
  return mesh_number(b->hull, MESH_RADIUS);
}

#endif

#line 11 "kernels/shapes/body.clh"
#line 1 "kernels/shared/abi.h"
// Records that host and device both see. Plain 4- and 8-byte scalars only, no float3; a test compares every size and
// offset on host and device. Records are aligned to 8 or 16 bytes where their size allows it: a GPU then reads and
// writes so much at once. Includable from C++ and from OpenCL C.
#ifndef OCLIDE_SHARED_ABI_H
#define OCLIDE_SHARED_ABI_H

#ifndef __cplusplus
#define OCLIDE_F32 float
#define OCLIDE_U32 uint
#define OCLIDE_I32 int
#define OCLIDE_U64 ulong
#define OCLIDE_ALIGNED(bytes) __attribute__((aligned(bytes)))
#else
#include <cstdint>
#define OCLIDE_F32 float
#define OCLIDE_U32 std::uint32_t
#define OCLIDE_I32 std::int32_t
#define OCLIDE_U64 std::uint64_t
#define OCLIDE_ALIGNED(bytes) alignas(bytes)
#endif

#line 1 "kernels/shared/limits.h"
// Numbers that kernels and host both count with. Includable from C++ and from OpenCL C.
#ifndef OCLIDE_SHARED_LIMITS_H
#define OCLIDE_SHARED_LIMITS_H

// Work-items of a group that one work-group kernels are launched with, at most.
#define LONE_GROUP 64
#define TERRAIN_GROUP 256  // at most, of a narrow-phase kernel of bodies against terrain, on a GPU

// The tree over the boxes of bodies: kernels/broad_phase/body_tree.clh.
#define GROUP_WIDTH 8u          // boxes of a group
#define GROUP_FLOATS 64u        // numbers of a group
#define LEAF_SPHERE_FLOATS 16u  // numbers of a group of leaves that are not boxes
#define SHAPE_BITS 4u           // of the word that has a leaf's shape and the number of its move
#define MAX_LEVELS 11           // of a tree over 2^31 bodies

// Terrain.
#define BOUNDS_SHIFT 2    // level 1 of the pyramid covers 4 x 4 cells, each further level 4 x 4 of the level below
#define RANGE_BODIES 16u  // bodies of a work-item of broad_phase/terrain_range.cl
#define CHUNK_SITES 64u   // sites of a chunk of broad_phase/terrain_candidates.cl

// Primitives.
#define TILE_ITEMS 4         // elements that a work-item takes of a tile
#define SERIAL_DIGIT_BITS 8  // of a digit of radix_sort.cl, where one work-item sorts a chunk
#define GROUP_DIGIT_BITS 4   // where a work-group does

// Compound bodies: numbers of a part's pose in its body, its position and a unit quaternion w, x, y, z.
#define LOCAL_POSE_NUMBERS 7u

#endif

#line 23 "kernels/shared/abi.h"
#line 1 "kernels/shared/shapes.h"
// The one list of shapes, which both compilers expand. Includable from C++ and from OpenCL C.
//
// A new shape is a row of OCLIDE_SHAPES and a place in one of the classes below it. Whoever goes through a list names
// functions of each shape (`sphere_bounding_radius`), so that a shape without geometry does not compile. What is to be
// written: docs/adding_a_shape.md.
#ifndef OCLIDE_SHARED_SHAPES_H
#define OCLIDE_SHARED_SHAPES_H

// X(NAME, name, number, words, meaning, size 0, size 1, size 2), in the order of the numbers.
//   NAME, name  SHAPE_NAME and OCLIDE_NAME in C, Shape::name in C++, Shape.NAME in Python; stem of files and functions
//   number      in scene files, kernels and the C API
//   words       in messages and JSON
//   meaning     of the three numbers of a size: lengths [m], each with its name or unused; index of a hull, compound or
//               mesh; nothing
// clang-format off
#define OCLIDE_SHAPES(X)                                                                                          \
  X(SPHERE,      sphere,      0, "sphere",        lengths, "radius", "", "")                                      \
  X(BOX,         box,         1, "box",           lengths, "half extent x", "half extent y", "half extent z")     \
  X(CYLINDER,    cylinder,    2, "cylinder",      lengths, "radius", "half length", "")                           \
  X(CAPSULE,     capsule,     3, "capsule",       lengths, "radius", "half length", "")                           \
  X(CONVEX_HULL, convex_hull, 4, "convex hull",   index,   "hull", "", "")                                        \
  X(HALF_SPACE,  half_space,  5, "half space",    nothing, "", "", "")                                            \
  X(COMPOUND,    compound,    6, "compound body", index,   "compound", "", "")                                    \
  X(TRIANGLE_MESH, triangle_mesh, 7, "triangle mesh", index, "mesh", "", "")
// clang-format on

// Classes, each part of the next one: X(NAME, name), in the order of the numbers. A shape in none of them, but for half
// spaces and compound bodies, is not supported yet.

// Symmetric about their centre. Kernels measure them from the centre to one side alone, and look at eight side by side.
// All others are measured in every direction by itself, and culled by their planes alone.
#define OCLIDE_SYMMETRIC_SHAPES(X) X(SPHERE, sphere) X(BOX, box) X(CYLINDER, cylinder) X(CAPSULE, capsule)
// Bounded and convex: they have a farthest point in every direction. They meet terrain, and may be parts of compound
// bodies. Those that are not symmetric come after OCLIDE_SYMMETRIC_SHAPES(X), as X(NAME, name).
#define OCLIDE_CONVEX_SHAPES(X) OCLIDE_SYMMETRIC_SHAPES(X) X(CONVEX_HULL, convex_hull)
// Bounded: they have a box and a bounding sphere, and stand in the tree of the broad phase. Triangle meshes are met by
// convex shapes alone.
#define OCLIDE_BOUNDED_SHAPES(X) OCLIDE_CONVEX_SHAPES(X) X(TRIANGLE_MESH, triangle_mesh)

// What a convex shape turns to others. Each is in one of the first two, and in one of the last two.

// Sharp: flat sides, with edges or rims around them, which the ground's edges meet by a turn of the normal.
#define OCLIDE_SHARP_SHAPES(X) X(BOX, box) X(CYLINDER, cylinder) X(CONVEX_HULL, convex_hull)
// Rounded: the hull of balls.
#define OCLIDE_ROUNDED_SHAPES(X) X(SPHERE, sphere) X(CAPSULE, capsule)

// With flat sides or straight lines: two of them can share several contacts.
#define OCLIDE_SIDED_SHAPES(X) X(BOX, box) X(CYLINDER, cylinder) X(CAPSULE, capsule) X(CONVEX_HULL, convex_hull)
// With points alone.
#define OCLIDE_SIDELESS_SHAPES(X) X(SPHERE, sphere)

// The numbers, and one more than the greatest.
#define OCLIDE_SHAPE_NUMBER(NAME, name, number, words, meaning, size0, size1, size2) SHAPE_##NAME = number,
enum { OCLIDE_SHAPES(OCLIDE_SHAPE_NUMBER) SHAPES_END };
#undef OCLIDE_SHAPE_NUMBER

// The classes as bits.
#define OCLIDE_SHAPE_BIT(NAME, name) | 1u << SHAPE_##NAME
#define SYMMETRIC_SHAPES (0u OCLIDE_SYMMETRIC_SHAPES(OCLIDE_SHAPE_BIT))
#define CONVEX_SHAPES (0u OCLIDE_CONVEX_SHAPES(OCLIDE_SHAPE_BIT))
#define BOUNDED_SHAPES (0u OCLIDE_BOUNDED_SHAPES(OCLIDE_SHAPE_BIT))
#define SHARP_SHAPES (0u OCLIDE_SHARP_SHAPES(OCLIDE_SHAPE_BIT))
#define ROUNDED_SHAPES (0u OCLIDE_ROUNDED_SHAPES(OCLIDE_SHAPE_BIT))
#define SIDED_SHAPES (0u OCLIDE_SIDED_SHAPES(OCLIDE_SHAPE_BIT))
#define SIDELESS_SHAPES (0u OCLIDE_SIDELESS_SHAPES(OCLIDE_SHAPE_BIT))

#endif

#line 24 "kernels/shared/abi.h"

// Where one terrain lies in the terrain buffers, and its lattice. Real numbers are pairs of floats: value = hi + lo.
typedef struct TerrainRecord {
  OCLIDE_U64 vertex_offset;  // of its first height
  OCLIDE_U64 low_offset;     // of the low parts of its heights
  OCLIDE_U64 cell_offset;    // of its first cell flag
  OCLIDE_U64 material_offset;
  OCLIDE_U64 bounds_offset;                                           // of its pyramid's first level
  OCLIDE_U64 face_name_offset;                                        // of its table of names of faces
  OCLIDE_I32 rows, cols;                                              // vertices
  OCLIDE_F32 origin_x_hi, origin_x_lo, origin_y_hi, origin_y_lo;      // [m]
  OCLIDE_F32 spacing_x_hi, spacing_x_lo, spacing_y_hi, spacing_y_lo;  // [m]
  OCLIDE_F32 cells_x_hi, cells_x_lo, cells_y_hi, cells_y_lo;          // 1 / spacing [1/m]
  OCLIDE_U32 has_low, has_material, has_open;                         // flags; has_open: some cells are open
  OCLIDE_U32 unused;
} TerrainRecord;

// The pose of a body in this frame, in the order of the scene.
typedef struct OCLIDE_ALIGNED(8) PoseRecord {
  OCLIDE_F32 position_high[3], position_low[3];  // of the centre, two floats [m]
  OCLIDE_F32 orientation[4];                     // unit quaternion w, x, y, z
} PoseRecord;

// What does not change of a body, in slot order: by shape (see SHAPE_*), then by where on the ground.
typedef struct OCLIDE_ALIGNED(8) BodyRecord {
  OCLIDE_U32 body;     // index in the scene
  OCLIDE_U32 terrain;  // index of its environment's terrain
  OCLIDE_U32 shape;    // SHAPE_*
  OCLIDE_F32 size[3];  // [m] as in the scene file
} BodyRecord;

// A body's place on its terrain's lattice in this frame, and of its pose what is needed there, so that it is gathered
// once; everything local is relative to the body's centre.
typedef struct OCLIDE_ALIGNED(16) GridPose {
  OCLIDE_I32 cell_i, cell_j;      // cell of the centre (may be outside the grid)
  OCLIDE_F32 offset_x, offset_y;  // of the centre from that cell's vertex (i, j) [m]
  OCLIDE_I32 first_i, first_j;    // lattice sites to look at: those of its range that it may touch
  OCLIDE_U32 count_i, count_j;    // rows of them, sites in a row
  OCLIDE_U32 beyond;              // sites of the range beyond these, 8 bits each: before and after in i, in j
  OCLIDE_F32 lowest;              // lowest z of body and margin relative to the centre [m]
  OCLIDE_U32 flat;                // the range is one horizontal plane of solid cells: a single site stands for it
  OCLIDE_F32 z_high, z_low;       // height of the centre, two floats [m]
  OCLIDE_F32 orientation[4];      // unit quaternion w, x, y, z
  OCLIDE_U32 unused[3];
} GridPose;

// One contact before and after reduction; positions relative to the body's centre.
typedef struct OCLIDE_ALIGNED(8) ContactRecord {
  OCLIDE_F32 point[3];   // [m]
  OCLIDE_F32 normal[3];  // unit
  OCLIDE_F32 depth;      // [m]
  OCLIDE_U32 feature;
  OCLIDE_U32 material;  // 0..255; before reduction with CONTACT_* flags
  OCLIDE_U32 manifold;  // number within the body after reduction
} ContactRecord;

// What came of one slot of a small frame.
typedef struct OCLIDE_ALIGNED(16) SlotOutcome {
  OCLIDE_U64 sites;
  OCLIDE_U32 candidates;
  OCLIDE_U32 found;      // contacts of the narrow phase
  OCLIDE_U32 unreduced;  // those of them that count as such
  OCLIDE_U32 manifolds;
  OCLIDE_U32 first;  // of its contacts; behind the last slot: the number of all
  OCLIDE_U32 unused;
} SlotOutcome;

// What does not change of a body that meets bodies: those of the tree first, then half spaces.
typedef struct OCLIDE_ALIGNED(16) PairBody {
  OCLIDE_U64 key;                    // environment and size class: the high bits of its key in the tree
  OCLIDE_F32 size[3];                // [m] as in the scene file
  OCLIDE_U32 shape;                  // SHAPE_*
  OCLIDE_U32 body;                   // index in the scene
  OCLIDE_U32 environment;            // rank among the scene's environments
  OCLIDE_U32 group, category, mask;  // as in the scene file
  OCLIDE_U32 unused;
} PairBody;

// A body of the pairs' tree in this frame, in the order of the tree's leaves; half spaces follow.
typedef struct OCLIDE_ALIGNED(16) BodyState {
  OCLIDE_F32 position_high[3], position_low[3];  // of the centre, two floats [m]
  OCLIDE_F32 orientation[4];                     // unit quaternion w, x, y, z
  OCLIDE_F32 size[3];                            // [m] as in the scene file
  OCLIDE_U32 shape;                              // SHAPE_*
  OCLIDE_U32 body;                               // index in the scene
  OCLIDE_U32 record;                             // index of its PairBody
} BodyState;

// The pose of a body that moved since the frame before.
typedef struct MovedPose {
  PoseRecord pose;
  OCLIDE_U32 body;  // index in the scene
  OCLIDE_U32 unused;
} MovedPose;

#define ANY_KIND 0xFFFFFFFFu  // of pairs: see STATES_KERNEL_OF in kernels/pairs/pair.clh

// What a narrow-phase kernel found of one pair of bodies.
typedef struct OCLIDE_ALIGNED(16) PairResult {
  OCLIDE_U32 body_a, body_b;  // indices in the scene, body_a < body_b
  OCLIDE_U32 first, count;    // its contacts in the store
} PairResult;

// One contact of two bodies; the point is relative to A's centre, to B's where A is a half space or mesh (its own may
// be kilometres away).
typedef struct OCLIDE_ALIGNED(16) PairContactRecord {
  OCLIDE_F32 point[3];   // [m]
  OCLIDE_F32 normal[3];  // unit, from B toward A
  OCLIDE_F32 depth;      // [m]
  OCLIDE_U32 feature;
} PairContactRecord;

// A convex body that may touch a triangle mesh, in the axes of the mesh (docs/mesh_contacts.md).
typedef struct OCLIDE_ALIGNED(16) MeshPair {
  OCLIDE_F32 orientation[4];                 // of the body in the mesh's axes, unit quaternion w, x, y, z
  OCLIDE_F32 mesh_orientation[4];            // of the mesh in the world
  OCLIDE_F32 centre_high[3], centre_low[3];  // of the body, two floats [m]
  OCLIDE_F32 size[3];                        // of the body [m] as in the scene file
  OCLIDE_U32 shape;                          // of the body, SHAPE_*
  OCLIDE_F32 lower[3], upper[3];             // of the box around the body, margin and rounding, in the mesh [m]
  OCLIDE_F32 eye[3];                         // from the body's centre [m]
  OCLIDE_U32 mesh;                           // number of the mesh's record among hulls and meshes
  OCLIDE_F32 out[3];                         // where the middle is in a solid: unit, to the nearest point, the eye
  OCLIDE_U32 is_inside;                      // 1: it is
  OCLIDE_U32 nearest;                        // the triangle of that point
  OCLIDE_U32 body, mesh_body;                // indices in the scene
  OCLIDE_U32 unused;
} MeshPair;

// Of a contact's `material` before reduction, which is a triangle here: kind 4; of a triangle that is hidden.
#define CONTACT_REST 0x80000000u
#define CONTACT_HIDDEN 0x40000000u
#define CONTACT_TRIANGLE 0x3FFFFFFFu  // the triangle

// What is said of a contact of a mesh beside the rest.
typedef struct OCLIDE_ALIGNED(8) MeshTag {
  OCLIDE_U32 element;   // number of the triangle in the file; 0xFFFFFFFF: no mesh
  OCLIDE_U32 material;  // 0..255
} MeshTag;

// A ray; its direction is a unit vector.
typedef struct OCLIDE_ALIGNED(16) RayRecord {
  OCLIDE_F32 origin_high[3], origin_low[3];        // two floats [m]
  OCLIDE_F32 direction_high[3], direction_low[3];  // two floats
  OCLIDE_F32 length;                               // [m], FLT_MAX at most
  OCLIDE_U32 terrain;                              // of its environment; RAY_NONE: none
  OCLIDE_U32 environment;                          // rank among those of the bodies; RAY_NONE: none is in it
  OCLIDE_U32 mask;                                 // of the categories that it meets
} RayRecord;
#define RAY_NONE 0xFFFFFFFFu

// The z axis of a half space, three sums of two floats, unit.
typedef struct OCLIDE_ALIGNED(8) PlaneRecord {
  OCLIDE_F32 axis_high[3], axis_low[3];
} PlaneRecord;

// What a ray hits first.
typedef struct OCLIDE_ALIGNED(16) HitRecord {
  OCLIDE_F32 distance_high, distance_low;  // two floats [m]; HIT_NOTHING: of no meaning
  OCLIDE_U32 body;                         // index in the scene, HIT_TERRAIN, HIT_NOTHING
  OCLIDE_U32 element;                      // triangle, as docs/rays.md says; 0xFFFFFFFF: none
  OCLIDE_F32 normal[3];                    // unit
  OCLIDE_U32 material;                     // 0..255
} HitRecord;
#define HIT_TERRAIN 0xFFFFFFFFu
#define HIT_NOTHING 0xFFFFFFFEu

// How a body moves over a frame (docs/motion.md).
typedef struct OCLIDE_ALIGNED(16) MotionRecord {
  OCLIDE_F32 displacement_high[3], displacement_low[3];  // two floats [m]
  OCLIDE_F32 axis[3];                                    // of rotation, unit; zero where it does not turn
  OCLIDE_F32 angle_high, angle_low;                      // two floats, >= 0 [rad]
  OCLIDE_F32 arm[3];                                     // of its position from the point that it turns about [m]
  OCLIDE_U32 unused[2];
} MotionRecord;

// The first touch of a pair.
typedef struct OCLIDE_ALIGNED(16) ImpactRecord {
  OCLIDE_F32 time_high, time_low;  // two floats, 0 to 1
  OCLIDE_U32 body_a, body_b;       // indices in the scene, body_b HIT_TERRAIN; body_a HIT_NOTHING: they do not touch
  OCLIDE_F32 point[3];             // from A's position as its displacement alone moves it [m]; from B's where A is a
                                   // half space or mesh
  OCLIDE_U32 element;              // 0xFFFFFFFF: none
  OCLIDE_F32 normal[3];            // unit, from B toward A
  OCLIDE_U32 material;             // 0..255
} ImpactRecord;

// A manifold as tracking knows it, in the order of body_a, body_b, shapes. docs/tracking.md.
typedef struct OCLIDE_ALIGNED(16) TrackedManifold {
  OCLIDE_U32 body_a, body_b;  // indices in the scene; body_b = 0xFFFFFFFF is terrain
  OCLIDE_U32 shapes;          // part of body_a in the upper 16 bits, of body_b in the lower
  OCLIDE_U32 first;           // where its contacts begin
} TrackedManifold;

// The manifolds of one name, in this frame and in the one before.
typedef struct OCLIDE_ALIGNED(16) TrackedName {
  OCLIDE_U32 first, end, last_first, last_end;
} TrackedName;

// What became of a manifold since the frame before.
typedef struct OCLIDE_ALIGNED(8) ManifoldChange {
  OCLIDE_U32 body_a, body_b, shapes;  // as of TrackedManifold
  OCLIDE_U32 change;                  // CHANGE_*
  OCLIDE_U32 manifold;                // its number in this frame; 0xFFFFFFFF: ended
  OCLIDE_U32 previous;                // its number in the frame before; 0xFFFFFFFF: began
} ManifoldChange;

#define CHANGE_BEGIN 0u
#define CHANGE_PERSIST 1u
#define CHANGE_END 2u

// Flags of a cell: it is open; and which of its site's edges are flat, 0 right, 1 up, 2 diagonal.
#define CELL_OPEN 1u
#define CELL_FLAT 2u  // << number of the edge
#define FLAG_RUN 8    // cells that one work-item finds the flags of

// The face of element 1 of each cell, within its tile of FACE_TILE x FACE_TILE cells: the cell of the tile that is its
// first one, row by row. Or, of a face that leads out of the tile, FACE_LEADS_OUT and a number below FACE_NAMES; the
// table of names has, tile by tile, the first cell of each of these in the terrain. What it has of an element without a
// flat edge does not count. See kernels/terrain/ground_feature.clh.
#define FACE_TILE 64
#define FACE_NAMES 256
#define FACE_LEADS_OUT 0x8000u

#define NO_CANDIDATE 0xFFFFFFFFu  // of a store slot that stayed empty
#define CONTACT_LIFT 0x80000000u  // a lift, kept only where it is needed
#define CONTACT_WALL 0x40000000u  // pushes out of a wall: no lift is needed
// Its point is the body's lowest along its normal, on an element seen from above: its move leaves nothing of the gap
// over the point, which is its depth / normal.z. So no lift is recorded for that.
#define CONTACT_COVERS 0x20000000u

// Of a body without a slot: one that cannot meet terrain. Of the first two points of contact are told from the other
// body, for their own position may be far away.
#define SLOT_MESH 0xFFFFFFFDu
#define SLOT_HALF_SPACE 0xFFFFFFFEu
#define SLOT_NONE 0xFFFFFFFFu

// Places of the numbers that upload/resident_poses.cl reports: the first body whose position, low part of it, or
// orientation cannot be used (0xFFFFFFFF: none), and how many are far from where the leaves of the tree were sorted.
#define RESIDENT_BAD_POSITION 0
#define RESIDENT_BAD_POSITION_LOW 1
#define RESIDENT_BAD_ORIENTATION 2
#define RESIDENT_STRAYED 3

#endif

#line 12 "kernels/shapes/body.clh"
#pragma OPENCL FP_CONTRACT OFF

// A shape in neither class would be passed over where a class is gone through.
typedef char every_convex_shape_is_sharp_or_rounded[(SHARP_SHAPES ^ ROUNDED_SHAPES) == CONVEX_SHAPES ? 1 : -1];
typedef char every_convex_shape_is_sided_or_sideless[(SIDED_SHAPES ^ SIDELESS_SHAPES) == CONVEX_SHAPES ? 1 : -1];

// Is the shape symmetric about its centre? With OCLIDE_NO_SYMMETRY kernels take none for that, so that tests can hold
// what is done with symmetric shapes alone against what is done with any.
#ifndef OCLIDE_NO_SYMMETRY
#define TAKEN_AS_SYMMETRIC SYMMETRIC_SHAPES
#else
#define TAKEN_AS_SYMMETRIC 0u
#endif
#define ALL_ARE_SYMMETRIC (TAKEN_AS_SYMMETRIC == BOUNDED_SHAPES)
bool is_symmetric(uint shape) {
  return ALL_ARE_SYMMETRIC || (TAKEN_AS_SYMMETRIC >> shape & 1u) != 0u;
}

// Of the bounding sphere about the centre.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_bounding_radius(b);
float bounding_radius(uint shape, const Body* b) {
  switch (shape) { OCLIDE_BOUNDED_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// The point that stands for the body where the ground is asked over one point alone (docs/terrain_contacts.md).
float3 body_centre(uint shape, const Body* b) {
  return shape == SHAPE_CONVEX_HULL ? out_of_body(b, hull_point(b->hull, HULL_MIDDLE)) : (float3)(0.0f, 0.0f, 0.0f);
}

// Axes from a unit quaternion w, x, y, z. `hulls`: those of the scene (shared/hulls.h).
Body body_at(uint shape, float3 size, float w, float x, float y, float z, __global const uint* hulls) {
  Body b;
  b.x = (float3)(1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y + w * z), 2.0f * (x * z - w * y));
  b.y = (float3)(2.0f * (x * y - w * z), 1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z + w * x));
  b.z = (float3)(2.0f * (x * z + w * y), 2.0f * (y * z - w * x), 1.0f - 2.0f * (x * x + y * y));
  b.size = size;
  b.hull = shape == SHAPE_CONVEX_HULL || shape == SHAPE_TRIANGLE_MESH ? hull_record(hulls, size.x) : hulls;
  b.radius_bound = bounding_radius(shape, &b);
  return b;
}

// How far the body reaches from its centre along n, times |n|.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_reach_along(b, n);
float reach_along(uint shape, const Body* b, float3 n) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// Half extents along the world's axes, of symmetric shapes.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_extents(b);
float3 body_extents(uint shape, const Body* b) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  return (float3)(0.0f, 0.0f, 0.0f);
}
#undef OCLIDE_CASE

// The corners of the box along the world's axes around a body.
typedef struct BodyBox {
  float3 low, high;  // relative to its centre [m]
} BodyBox;

BodyBox body_box(uint shape, const Body* b) {
  BodyBox box;
  if (is_symmetric(shape)) {
    box.high = body_extents(shape, b);
    box.low = -box.high;
    return box;
  }
  // Of a mesh that of the box around it, which its record has as a hull's has its vertices.
  if (shape == SHAPE_CONVEX_HULL || shape == SHAPE_TRIANGLE_MESH) {
    convex_hull_box(b, &box.low, &box.high);
    return box;
  }
  const float3 x = (float3)(1.0f, 0.0f, 0.0f), y = (float3)(0.0f, 1.0f, 0.0f), z = (float3)(0.0f, 0.0f, 1.0f);
  box.high = (float3)(reach_along(shape, b, x), reach_along(shape, b, y), reach_along(shape, b, z));
  box.low = -(float3)(reach_along(shape, b, -x), reach_along(shape, b, -y), reach_along(shape, b, -z));
  return box;
}

// Is the whole body above the plane through `point` (relative to its centre) with this normal (of any length, z > 0),
// by more than margin and rounding? Then it touches nothing that lies in the plane.
bool clears_plane(uint shape, const Body* b, float3 point, float3 normal, float margin) {
  const float size = abs_f(normal.x) + abs_f(normal.y) + abs_f(normal.z);
  const float slack = (margin + 2e-5f) * size +
                      4e-7f * ((abs_f(point.x * normal.x) + abs_f(point.y * normal.y)) + abs_f(point.z * normal.z));
  const float away = dot3(point, normal);
  // Mostly a hull's box and the ball in it tell.
  if (shape == SHAPE_CONVEX_HULL) {
    float least, most;
    convex_hull_reach_bounds(b, -normal, &least, &most);
    if ((away + most) + slack < 0.0f) return true;
    if (away + least > 0.0f) return false;
  }
  return (away + reach_along(shape, b, -normal)) + slack < 0.0f;
}

// Farthest point of the body along -m (m of any length but 0).
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_lowest_point(b, m);
float3 lowest_point(uint shape, const Body* b, float3 m) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return (float3)(0.0f, 0.0f, 0.0f);
}
#undef OCLIDE_CASE

// How far q is outside the body, 0 inside: a lower bound of the distance, exact off a face; off a corner the distance
// is up to WIDE_MARGIN times as much.
#define WIDE_MARGIN 1.75f
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_outside_distance(b, q);
float outside_distance(uint shape, const Body* b, float3 q) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// The line q + t * d inside the body: [*t0, *t1]. False where it misses.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_line_inside(b, q, d, t0, t1);
bool line_inside(uint shape, const Body* b, float3 q, float3 d, float* t0, float* t1) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

#endif

#line 5 "kernels/edges/body_points.clh"
#pragma OPENCL FP_CONTRACT OFF

// Kind 1: the points of a body that have a ball around them: the centre of a sphere, 2 ends of a capsule, 8 corners of
// a box, the vertices of a hull. Bit p of a mask of points `first`: point first + p.
float3 rounded_point(uint shape, const Body* b, uint p) {
  if (shape == SHAPE_SPHERE) return (float3)(0.0f, 0.0f, 0.0f);
  if (shape == SHAPE_CONVEX_HULL) return out_of_body(b, hull_vertex(b->hull, p));
  if (shape == SHAPE_CAPSULE) return b->z * (p == 0u ? -b->size.y : b->size.y);
  return (b->x * (p & 1u ? b->size.x : -b->size.x) + b->y * (p & 2u ? b->size.y : -b->size.y)) +
         b->z * (p & 4u ? b->size.z : -b->size.z);
}
// The radius of the ball [m].
float rounded_radius(uint shape, const Body* b) {
  return shape == SHAPE_BOX || shape == SHAPE_CONVEX_HULL ? 0.0f : b->size.x;
}
// Of a hull, what is no vertex is numbered from here on: any number of vertices come before it.
#define HULL_PARTS 0x80000000u
uint part_number(uint shape, uint part) {
  return shape == SHAPE_CONVEX_HULL ? HULL_PARTS + part : part;
}
// A face of a hull: one end of the part of it that is over an edge, the other, or the vertex that leaves through it.
uint face_number(uint face, uint what) {
  return HULL_PARTS + 32u + 4u * face + what;
}
// The direction from a capsule's other end to point p; zero of others.
float3 outward_of(uint shape, const Body* b, uint p) {
  if (shape != SHAPE_CAPSULE) return (float3)(0.0f, 0.0f, 0.0f);
  return p == 0u ? -b->z : b->z;
}

// A capsule's end counts where its ball makes the body's surface: m . outward at most this (about 1e-3 rad past level).
#define END_SLACK 1e-3f

#endif

#line 5 "kernels/meshes/mesh_points.clh"
#line 1 "kernels/edges/edge_touch.clh"
// Where a sharp body touches an edge, once the normal is known (edges/edge_root.clh): at most two points.
#ifndef OCLIDE_EDGES_EDGE_TOUCH_CLH
#define OCLIDE_EDGES_EDGE_TOUCH_CLH
#line 1 "kernels/edges/edge_root.clh"
// The normal along which a sharp body leaves an edge: by turning it from one side of the edge to the other until the
// body's lowest point stands over the edge (kind 3 of docs/terrain_contacts.md).
//
//             n1    m*    n2
//               \   |   /           across the edge: the body's lowest point along n1 projects past the edge on the
//     ___________\__|__/_____       far side of side 1, the lowest along n2 past it on the far side of side 2
//         side 1   \ | /   side 2
#ifndef OCLIDE_EDGES_EDGE_ROOT_CLH
#define OCLIDE_EDGES_EDGE_ROOT_CLH
#if OCLIDE_LANES != 1
#line 1 "kernels/shapes/body8.clh"
// Eight directions side by side against one body: to the bit what shapes/body.clh gives for each of them.
#ifndef OCLIDE_SHAPES_BODY8_CLH
#define OCLIDE_SHAPES_BODY8_CLH
#line 5 "kernels/shapes/body8.clh"
#line 6 "kernels/shapes/body8.clh"
#pragma OPENCL FP_CONTRACT OFF

// Of what is round, a base's rim or a ball, the farthest points along -m, from its middle.
void round_points(uint shape, const Body* b, Vec8 m, Vec8* p) {
  Vec8 round = m;
  if (shape == SHAPE_CYLINDER) {
    const float8 on_x = dot8(m, b->x), on_y = dot8(m, b->y);
    round.x = b->x.x * on_x + b->y.x * on_y;
    round.y = b->x.y * on_x + b->y.y * on_y;
    round.z = b->x.z * on_x + b->y.z * on_y;
  }
  const float8 inverse = inverse_length8(round);
  p->x = round.x * inverse * -b->size.x;
  p->y = round.y * inverse * -b->size.x;
  p->z = round.z * inverse * -b->size.x;
}

void sphere_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  round_points(SHAPE_SPHERE, b, m, p);
}
void box_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  const float3 s = b->size;
  const float8 cx = against8(dot8(m, b->x), s.x), cy = against8(dot8(m, b->y), s.y), cz = against8(dot8(m, b->z), s.z);
  p->x = (b->x.x * cx + b->y.x * cy) + b->z.x * cz;
  p->y = (b->x.y * cx + b->y.y * cy) + b->z.y * cz;
  p->z = (b->x.z * cx + b->y.z * cy) + b->z.z * cz;
}
void round_lowest_points(uint shape, const Body* b, Vec8 m, Vec8* p) {
  round_points(shape, b, m, p);
  const float8 end = against8(dot8(m, b->z), b->size.y);
  p->x = b->z.x * end + p->x;
  p->y = b->z.y * end + p->y;
  p->z = b->z.z * end + p->z;
}
void cylinder_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  round_lowest_points(SHAPE_CYLINDER, b, m, p);
}
void capsule_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  round_lowest_points(SHAPE_CAPSULE, b, m, p);
}

void convex_hull_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  __global const uint* hull = b->hull;
  const uint count = hull[HULL_VERTICES];
  m.x = -m.x;
  m.y = -m.y;
  m.z = -m.z;
  const Vec8 down = {dot8(m, b->x), dot8(m, b->y), dot8(m, b->z)};
  float8 reach = (float8)(-MAXFLOAT), x = (float8)(0.0f), y = x, z = x;
  for (uint k = 0u; k < count; ++k) {
    const float3 v = hull_vertex(hull, k);
    const float8 along = dot8(down, v);
    const int8 farther = along > reach;
    reach = select(reach, along, farther);
    x = select(x, (float8)(v.x), farther);
    y = select(y, (float8)(v.y), farther);
    z = select(z, (float8)(v.z), farther);
  }
  p->x = (b->x.x * x + b->y.x * y) + b->z.x * z;
  p->y = (b->x.y * x + b->y.y * y) + b->z.y * z;
  p->z = (b->x.z * x + b->y.z * y) + b->z.z * z;
}

// Farthest points of the body along -m; of shapes that have no function for eight, one after another.
#define OCLIDE_CASE(NAME, name)    \
  case SHAPE_##NAME:               \
    name##_lowest_points(b, m, p); \
    return;
void lowest_points(uint shape, const Body* b, Vec8 m, Vec8* p) {
  if (is_symmetric(shape)) {
    switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  }
  if (shape == SHAPE_CONVEX_HULL) {
    convex_hull_lowest_points(b, m, p);
    return;
  }
  float x[8], y[8], z[8];
  for (uint k = 0u; k < 8u; ++k) {
    const float3 point = lowest_point(shape, b, (float3)(lane_of(m.x, k), lane_of(m.y, k), lane_of(m.z, k)));
    x[k] = point.x;
    y[k] = point.y;
    z[k] = point.z;
  }
  *p = (Vec8){vload8(0, x), vload8(0, y), vload8(0, z)};
}
#undef OCLIDE_CASE

// The seven points at which three steps of bisection may look, in order: lane 3 is the first step's; to the bit the
// values that the steps themselves give. Lane 7 is hi.
float8 bisection_points(float lo, float hi) {
  const float t3 = 0.5f * (lo + hi);
  const float t1 = 0.5f * (lo + t3), t5 = 0.5f * (t3 + hi);
  return (float8)(0.5f * (lo + t1), t1, 0.5f * (t1 + t3), t3, 0.5f * (t3 + t5), t5, 0.5f * (t5 + hi), hi);
}

#endif

#line 12 "kernels/edges/edge_root.clh"
#endif
#line 14 "kernels/edges/edge_root.clh"
#line 1 "kernels/edges/edge.clh"
// An edge of the ground or of a mesh, between the normals of what is beside it.
#ifndef OCLIDE_EDGES_EDGE_CLH
#define OCLIDE_EDGES_EDGE_CLH
#line 5 "kernels/edges/edge.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct Edge {
  float3 base;         // its point nearest to the body's centre: what is near is exact, however long the edge
  float3 along;        // unit
  float t0, t1;        // its ends: base + t * along
  float3 left, right;  // unit normals on both sides; the horizontal outward direction where a side is open
  bool has_left, has_right, convex;
  bool flat;  // of interest to a cylinder's rim, and to the lift over a ridge
  uint material;
} Edge;

// From an edge's first vertex and the way to its second: the point nearest to the body's centre, and the ends.
void place_base(Edge* e) {
  const float length = length3(e->along);
  e->along = e->along * div_rn(1.0f, length);
  const float to_base = min_f(max_f(-dot3(e->base, e->along), 0.0f), length);
  e->base = e->base + e->along * to_base;
  e->t0 = -to_base;
  e->t1 = length - to_base;
}

// How far the body must move along m so that all of it is past the edge.
float way_off_edge(const Edge* e, uint shape, const Body* b, float3 m) {
  return dot3(e->base - lowest_point(shape, b, m), m);
}

#endif

#line 15 "kernels/edges/edge_root.clh"
#pragma OPENCL FP_CONTRACT OFF

#define LEVEL_TIE 4e-6f   // sine up to which a side of the body is level with an element
#define ROOT_WIDTH 1e-7f  // of a normal between two [rad], about as floats have it
#define ROOT_ROUNDS 16    // at most: every other one leaves a ninth

// Between the normals of both sides, t = 0 at the left one; not of unit length.
float3 edge_normal(const Edge* e, float t) {
  return e->left * (1.0f - t) + e->right * t;
}

// Up to this m_k a side of the body across axis k is level with m.
float level_tie(float3 m) {
  return LEVEL_TIE * (abs_f(m.x) + abs_f(m.y) + abs_f(m.z));
}

float3 box_lowest_point_toward(const Body* b, float3 m, float3 c, float side) {
  const float tie = level_tie(m);
  const float mx = dot3(b->x, m), my = dot3(b->y, m), mz = dot3(b->z, m);
  const float sx = abs_f(mx) > tie ? -sign_f(mx) : side * sign_f(dot3(b->x, c));
  const float sy = abs_f(my) > tie ? -sign_f(my) : side * sign_f(dot3(b->y, c));
  const float sz = abs_f(mz) > tie ? -sign_f(mz) : side * sign_f(dot3(b->z, c));
  return (b->x * (sx * b->size.x) + b->y * (sy * b->size.y)) + b->z * (sz * b->size.z);
}
float3 cylinder_lowest_point_toward(const Body* b, float3 m, float3 c, float side) {
  const float tie = level_tie(m);
  const float mz = dot3(b->z, m);
  const float3 level = across_axis(b, m);
  const float3 rim = dot3(level, level) > tie * tie ? -unit3(level) : unit3(across_axis(b, c)) * side;
  return b->z * ((abs_f(mz) > tie ? -sign_f(mz) : side * sign_f(dot3(b->z, c))) * b->size.y) + rim * b->size.x;
}

// Is vertex v of a hull as low as its lowest one along -down, both in the body's axes: a line between them would be
// level within the slack, or their heights are one but for rounding.
bool is_as_low(__global const uint* hull, float3 v, float3 low, float3 down) {
  const float3 d = v - low;
  const float size = abs_f(down.x) + abs_f(down.y) + abs_f(down.z);
  const float height = -dot3(d, down) - 3e-7f * hull_number(hull, HULL_RADIUS) * size;
  const float tie = LEVEL_TIE * size;
  return height <= 0.0f || height * height <= tie * tie * dot3(d, d);
}
OUTLINED uint hull_lowest_toward(__global const uint* hull, float3 down, float3 way) {
  const uint count = hull[HULL_VERTICES];
  uint found = hull_farthest_vertex(hull, down);
  const float3 low = hull_vertex(hull, found);
  float3 at = low;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float3 v = hull_vertex(hull, k);
    if (!(dot3(v - at, way) > 0.0f) || !is_as_low(hull, v, low, down)) continue;
    found = k;
    at = v;
  }
  return found;
}
float3 convex_hull_lowest_point_toward(const Body* b, float3 m, float3 c, float side) {
  return out_of_body(b, hull_vertex(b->hull, hull_lowest_toward(b->hull, into_body(b, -m), into_body(b, c) * side)));
}

// A sharp body's lowest point along m; where several are as low within a slack of directions, the one that is farthest
// along c (side = 1) or along -c (-1).
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_lowest_point_toward(b, m, c, side);
float3 lowest_point_toward(uint shape, const Body* b, float3 m, float3 c, float side) {
  switch (shape) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return (float3)(0.0f, 0.0f, 0.0f);
}
#undef OCLIDE_CASE

// How far the lowest point of a cylinder's base along the normal at t stands past the edge, on the right side of it: of
// the base whose middle is at z * end.
INLINED float edge_gap(const Edge* e, const Body* b, float end, float t) {
  const float3 m = edge_normal(e, t);
  const float3 p = rim_direction(b, m) * b->size.x + (b->z * end - e->base);
  return dot3(p, cross3(e->along, m));
}
#if OCLIDE_LANES != 1
// The same at eight t.
float8 edge_gaps(const Edge* e, const Body* b, float8 end, float8 t) {
  const float3 left = e->left, right = e->right, along = e->along;
  const float8 rest = 1.0f - t;
  Vec8 m;
  m.x = left.x * rest + right.x * t;
  m.y = left.y * rest + right.y * t;
  m.z = left.z * rest + right.z * t;
  Vec8 p;
  round_points(SHAPE_CYLINDER, b, m, &p);
  p.x += b->z.x * end - e->base.x;
  p.y += b->z.y * end - e->base.y;
  p.z += b->z.z * end - e->base.z;
  return (p.x * (along.y * m.z - along.z * m.y) + p.y * (along.z * m.x - along.x * m.z)) +
         p.z * (along.x * m.y - along.y * m.x);
}
#endif

// The same at an end of the arc, where a side of the body may be level with the element: of its points the one farthest
// past the edge (side = 1) or least (-1). A point straight under the edge counts as past it.
INLINED float edge_gap_toward(const Edge* e, uint shape, const Body* b, float3 n, float side) {
  const float3 c = cross3(e->along, n);
  return dot3(lowest_point_toward(shape, b, n, c, side) - e->base, c) + side * 2e-6f;
}

// The root of a box: from one turn at which an axis of it is level with m to the next the lowest corner stays the same,
// and g is linear in t; at the turn the corner jumps, and g falls. False where there is none.
bool box_edge_root(const Edge* e, const Body* b, float3* root) {
  const float3 c_left = cross3(e->along, e->left), c_right = cross3(e->along, e->right);
  const float3 in_left = (float3)(dot3(b->x, e->left), dot3(b->y, e->left), dot3(b->z, e->left));
  const float3 in_right = (float3)(dot3(b->x, e->right), dot3(b->y, e->right), dot3(b->z, e->right));
  // Where each axis is level, 1 for one that never is.
  float turn_x = in_left.x * in_right.x < 0.0f ? div_rn(in_left.x, in_left.x - in_right.x) : 1.0f;
  float turn_y = in_left.y * in_right.y < 0.0f ? div_rn(in_left.y, in_left.y - in_right.y) : 1.0f;
  float turn_z = in_left.z * in_right.z < 0.0f ? div_rn(in_left.z, in_left.z - in_right.z) : 1.0f;
  // Half of each side of the box, toward the lowest corner of the first piece.
  float3 x = b->x * (-sign_f(turn_x < 1.0f ? in_left.x : in_left.x + in_right.x) * b->size.x);
  float3 y = b->y * (-sign_f(turn_y < 1.0f ? in_left.y : in_left.y + in_right.y) * b->size.y);
  float3 z = b->z * (-sign_f(turn_z < 1.0f ? in_left.z : in_left.z + in_right.z) * b->size.z);
  // At both ends of the arc a side of the body that is level with the element counts as past the edge.
  float t = 0.0f, gap = edge_gap_toward(e, SHAPE_BOX, b, e->left, 1.0f), least = 1e30f;
  ROLLED
  for (int piece = 0; piece < 4; ++piece) {
    const float3 corner = ((x + y) + z) - e->base;
    const float left = dot3(corner, c_left), right = dot3(corner, c_right);
    const float next = min_f(turn_x, min_f(turn_y, turn_z));
    const float start = left * (1.0f - t) + right * t, end = left * (1.0f - next) + right * next;
    // The fall at the turn before the piece, or within it.
    if ((gap > 0.0f && start <= 0.0f) || (start > 0.0f && end <= 0.0f)) {
      const float at = start > 0.0f ? min_f(max_f(div_rn(left, left - right), t), next) : t;
      const float3 m = unit3(edge_normal(e, at));
      const float depth = -dot3(corner, m);
      if (depth < least) {
        least = depth;
        *root = m;
      }
    }
    gap = end;
    t = next;
    if (t >= 1.0f) break;
    if (turn_x <= t) {
      x = -x;
      turn_x = 1.0f;
    } else if (turn_y <= t) {
      y = -y;
      turn_y = 1.0f;
    } else {
      z = -z;
      turn_z = 1.0f;
    }
  }
  if (gap > 0.0f && edge_gap_toward(e, SHAPE_BOX, b, e->right, -1.0f) < 0.0f) {
    const float depth = dot3(e->base - ((x + y) + z), e->right);
    if (depth < least) {
      least = depth;
      *root = e->right;
    }
  }
  return least < 1e30f;
}

// The root of a hull, as of a box: along the arc one vertex after another is the lowest. A vertex's height is linear in
// t, so that the next one is that which the present one meets first. Each falls faster than the one before it, which
// brings the walk to its end whatever rounding does. False where there is none.
bool convex_hull_edge_root(const Edge* e, const Body* b, float3* root) {
  __global const uint* hull = b->hull;
  const uint count = hull[HULL_VERTICES];
  const float3 base = into_body(b, e->base), first = into_body(b, e->left), turned = into_body(b, e->right - e->left);
  const float3 c_left = into_body(b, cross3(e->along, e->left)), c_right = into_body(b, cross3(e->along, e->right));
  float3 p = hull_vertex(hull, hull_farthest_vertex(hull, -first));
  // At both ends of the arc a side of the body that is level with the element counts as past the edge.
  float t = 0.0f, gap = edge_gap_toward(e, SHAPE_CONVEX_HULL, b, e->left, 1.0f), least = 1e30f;
  for (;;) {
    const float3 normal = first + turned * t;
    const float fall = dot3(p, turned);
    float rise = 1.0f, gain = 0.0f;  // of the next vertex: t + rise / gain is where it is as low
    float3 next_vertex = p;
    ROLLED
    for (uint k = 0u; k < count; ++k) {
      const float3 v = hull_vertex(hull, k);
      if (!(dot3(v, turned) < fall)) continue;
      const float3 d = v - p;
      const float faster = -dot3(d, turned), above = max_f(dot3(d, normal), 0.0f);
      if (!(faster > 0.0f)) continue;
      const float own = above * gain, other = rise * faster;
      if (own < other || (own == other && faster > gain)) {
        rise = above;
        gain = faster;
        next_vertex = v;
      }
    }
    const float next = rise < gain * (1.0f - t) ? t + div_rn(rise, gain) : 1.0f;
    const float3 d = p - base;
    const float left = dot3(d, c_left), right = dot3(d, c_right);
    const float start = left * (1.0f - t) + right * t, end = left * (1.0f - next) + right * next;
    // The fall at the turn before the piece, or within it.
    if ((gap > 0.0f && start <= 0.0f) || (start > 0.0f && end <= 0.0f)) {
      const float at = start > 0.0f ? min_f(max_f(div_rn(left, left - right), t), next) : t;
      const float3 m = unit3(edge_normal(e, at));
      const float depth = -dot3(d, into_body(b, m));
      if (depth < least) {
        least = depth;
        *root = m;
      }
    }
    gap = end;
    t = next;
    if (t >= 1.0f) break;
    p = next_vertex;
  }
  if (gap > 0.0f && edge_gap_toward(e, SHAPE_CONVEX_HULL, b, e->right, -1.0f) < 0.0f) {
    const float depth = dot3(base - p, into_body(b, e->right));
    if (depth < least) {
      least = depth;
      *root = e->right;
    }
  }
  return least < 1e30f;
}

// The roots of a cylinder so far: the one of least depth.
typedef struct EdgeRoot {
  float3 m;  // unit
  float depth;
} EdgeRoot;

INLINED void take_root(const Edge* e, const Body* b, float t, EdgeRoot* root) {
  const float3 m = unit3(edge_normal(e, t));
  const float depth = dot3(e->base - lowest_point(SHAPE_CYLINDER, b, m), m);
  if (!(depth < root->depth)) return;
  root->m = m;
  root->depth = depth;
}

// Looks for a root between t0 and t1, where the base at `end` is the lower one, and takes it: narrows the interval from
// where g is above 0 to where it is not, to `least`, to what is around the place where the chord of g is 0 and to a
// ninth of it, in turn.
#if OCLIDE_LANES == 1
__constant float kAroundChord[8] = {-0.1f, -0.01f, -3e-4f, -1e-5f, 1e-5f, 3e-4f, 0.01f, 0.1f};

INLINED void find_root(const Edge* e, const Body* b, float end, float t0, float gap0, float t1, float gap1, float least,
                       EdgeRoot* root) {
  if (!(gap0 > 0.0f && gap1 <= 0.0f)) return;
  ROLLED
  for (int k = 0; k < ROOT_ROUNDS && t1 - t0 > least; ++k) {
    const float first = t0, last = t1, width = t1 - t0, ninth = width * (1.0f / 9.0f);
    const float middle = t0 + width * div_rn(gap0, gap0 - gap1);
    ROLLED
    for (int p = 0; p < 8; ++p) {
      const float at =
          k % 2 != 0 ? first + ninth * (float)(p + 1) : min_f(max_f(middle + width * kAroundChord[p], first), last);
      const float gap = edge_gap(e, b, end, at);
      if (!(gap > 0.0f)) {
        t1 = at;
        gap1 = gap;
        break;
      }
      t0 = at;
      gap0 = gap;
    }
  }
  take_root(e, b, 0.5f * (t0 + t1), root);
}
#else
void find_root(const Edge* e, const Body* b, float end, float t0, float gap0, float t1, float gap1, float least,
               EdgeRoot* root) {
  if (!(gap0 > 0.0f && gap1 <= 0.0f)) return;
  // Both ends and what is between them, in order.
  float t[10], gap[10];
  t[0] = t0;
  t[9] = t1;
  gap[0] = gap0;
  gap[9] = gap1;
  for (int k = 0; k < ROOT_ROUNDS && t[9] - t[0] > least; ++k) {
    const float width = t[9] - t[0];
    float8 at;
    if (k % 2 != 0) {
      at = t[0] + (width * (1.0f / 9.0f)) * (float8)(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f);
    } else {
      const float middle = t[0] + width * div_rn(gap[0], gap[0] - gap[9]);
      at = middle + width * (float8)(-0.1f, -0.01f, -3e-4f, -1e-5f, 1e-5f, 3e-4f, 0.01f, 0.1f);
      at = min8(max8(at, (float8)(t[0])), (float8)(t[9]));
    }
    const float8 gaps = edge_gaps(e, b, (float8)(end), at);
    const uint not_past = lanes_set(~(gaps > 0.0f));
    const uint first = not_past != 0u ? lowest_bit(not_past) : 8u;
    vstore8(at, 0, t + 1);
    vstore8(gaps, 0, gap + 1);
    const float from = t[first], to = t[first + 1u], gap_from = gap[first], gap_to = gap[first + 1u];
    t[0] = from;
    t[9] = to;
    gap[0] = gap_from;
    gap[9] = gap_to;
  }
  take_root(e, b, 0.5f * (t[0] + t[9]), root);
}
#endif

// The root of a cylinder: at a ridge, where the normal turns through level with the axis, the lowest point goes from
// one base to the other, and g falls. Before and behind that it is looked for where g falls from above 0 to below, in
// parts the finer the wider the arc: over a wide one there may be several, and the one of least depth is the way out.
// False where there is none.
bool cylinder_edge_root(const Edge* e, const Body* b, float3* found) {
  const float3 turned = e->right - e->left;
  const float turned2 = dot3(turned, turned);
  const int parts = turned2 > 0.25f ? 8 : (turned2 > 0.01f ? 2 : 1);
  const float width = parts == 8 ? 0.125f : (parts == 2 ? 0.5f : 1.0f);
  const float narrow = div_rn(ROOT_WIDTH, max_f(sqrt_rn(turned2), 1e-6f));
  const float on_left = dot3(b->z, e->left), on_right = dot3(b->z, e->right);
  const bool turns_over =
      on_left * on_right < 0.0f && abs_f(on_left) > level_tie(e->left) && abs_f(on_right) > level_tie(e->right);
  const float turn = turns_over ? div_rn(on_left, on_left - on_right) : 2.0f;
  const float end = -sign_f(turns_over ? on_left : on_left + on_right) * b->size.y;  // of the lower base, up to there
  // At both ends of the arc a side of the body that is level with the element counts as past the edge.
  float gap = edge_gap_toward(e, SHAPE_CYLINDER, b, e->left, 1.0f);
#if OCLIDE_LANES != 1
  float gaps[8];
  if (parts > 1) {
    const float8 t = width * (float8)(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f);
    vstore8(edge_gaps(e, b, select((float8)(-end), (float8)(end), t < turn), t), 0, gaps);
  }
#endif
  EdgeRoot root;
  root.m = e->left;
  root.depth = 1e30f;
  ROLLED
  for (int part = 0; part < parts; ++part) {
    const float t0 = (float)part * width, t1 = (float)(part + 1) * width, gap_before = gap;
    const bool turns = turn > t0 && turn <= t1;
    if (part + 1 == parts && !turns && !(gap_before > 0.0f)) break;
    if (part + 1 == parts)
      gap = edge_gap_toward(e, SHAPE_CYLINDER, b, e->right, -1.0f);
    else
#if OCLIDE_LANES == 1
      gap = edge_gap(e, b, t1 < turn ? end : -end, t1);
#else
      gap = gaps[part];
#endif
    // In a valley g rises where the lowest point goes over to the other base.
    if (!e->convex && !(gap_before > 0.0f && gap <= 0.0f)) continue;
    // Where the normal turns over, what is before that and what is behind it.
    ROLLED
    for (int k = 0; k < (turns ? 2 : 1); ++k) {
      const bool before = k == 0;
      const float lower = turns ? (before ? end : -end) : (t0 < turn ? end : -end);
      const float at_turn = turns ? edge_gap(e, b, lower, turn) : gap;
      if (turns && before && at_turn > 0.0f && edge_gap(e, b, -end, turn) <= 0.0f) take_root(e, b, turn, &root);
      find_root(e, b, lower, before ? t0 : turn, before ? gap_before : at_turn, turns && before ? turn : t1,
                turns && before ? at_turn : gap, narrow, &root);
    }
  }
  *found = root.m;
  return root.depth < 1e30f;
}

#endif

#line 5 "kernels/edges/edge_touch.clh"
#pragma OPENCL FP_CONTRACT OFF

// How far outside the body a point of a ridge is still in it [m]: the ends of the part under a face stand exactly over
// the body's sides.
#define IN_BODY_SLACK 4e-5f
// How far off the side that it faces a vertex within the margin may be, beside it: rounding [m].
#define OFF_SIDE_SLACK 1e-5f

// Who asks for contacts says what is to be done with each, and what that takes: point p of the body and q of the edge,
// normal, depth, and the number of the body's part.
typedef struct EdgeReport EdgeReport;
INLINED void report_on_edge(const EdgeReport* r, const Edge* e, uint shape, const Body* b, float3 p, float3 q, float3 m,
                            float depth, uint body);

// How far q is outside a hull. Its edges may be as sharp as a blade, and planes then tell little of the distance.
OUTLINED float hull_distance(__global const uint* hull, float3 q) {
  const uint faces = hull[HULL_FACES], edges = hull[HULL_EDGES];
  float outside = 0.0f;
  float3 foot = q;
  ROLLED
  for (uint k = 0u; k < faces; ++k) {
    const float4 face = hull_face(hull, k);
    const float above = dot3(face.xyz, q) - face.w;
    if (!(above > outside)) continue;
    outside = above;
    foot = q - face.xyz * above;
  }
  if (!(outside > 0.0f) || hull_outside_distance(hull, foot) <= 1e-6f) return outside;
  float nearest2 = MAXFLOAT;
  ROLLED
  for (uint k = 0u; k < edges; ++k) {
    const uint4 edge = hull_edge(hull, k);
    const float3 from = hull_vertex(hull, edge.x), along = hull_vertex(hull, edge.y) - from, d = q - from;
    const float3 way = d - along * clamp01(div_rn(dot3(d, along), dot3(along, along)));
    nearest2 = min_f(nearest2, dot3(way, way));
  }
  return max_f(outside, sqrt_rn(nearest2));
}
float edge_distance(uint shape, const Body* b, float3 q) {
  return shape == SHAPE_CONVEX_HULL ? hull_distance(b->hull, into_body(b, q)) : outside_distance(shape, b, q);
}

bool box_part_on_side(const Body* b, uint face, float3 f, float offset, float3 i0, float3 i1, float* t0, float* t1) {
  (void)face;
  (void)offset;
  ROLLED
  for (int k = 0; k < 3; ++k) {
    const float3 axis = k == 0 ? b->x : (k == 1 ? b->y : b->z);
    const float extent = k == 0 ? b->size.x : (k == 1 ? b->size.y : b->size.z);
    if (abs_f(dot3(axis, f)) > 0.5f) continue;
    const float start = dot3(axis, i0), slope = dot3(axis, i1);
    if (abs_f(slope) > 1e-7f) {
      const float inverse = div_rn(1.0f, slope);
      const float ta = (-extent - start) * inverse, tb = (extent - start) * inverse;
      *t0 = max_f(*t0, min_f(ta, tb));
      *t1 = min_f(*t1, max_f(ta, tb));
    } else if (abs_f(start) > extent) {
      return false;
    }
  }
  return true;
}
bool cylinder_part_on_side(const Body* b, uint face, float3 f, float offset, float3 i0, float3 i1, float* t0,
                           float* t1) {
  (void)face;
  const float3 c = i0 - f * offset;  // from the base's centre
  const float qa = dot3(i1, i1), qb = dot3(i1, c), qc = dot3(c, c) - b->size.x * b->size.x;
  const float disc = qb * qb - qa * qc;
  if (!(disc > 0.0f) || !(qa > 1e-12f)) return false;
  const float root = sqrt_rn(disc), inverse = div_rn(1.0f, qa);
  *t0 = max_f(*t0, (-qb - root) * inverse);
  *t1 = min_f(*t1, (-qb + root) * inverse);
  return true;
}

bool convex_hull_part_on_side(const Body* b, uint face, float3 f, float offset, float3 i0, float3 i1, float* t0,
                              float* t1) {
  (void)f;
  (void)offset;
  __global const uint* hull = b->hull;
  const float3 normal = hull_face(hull, face).xyz, p = into_body(b, i0), way = into_body(b, i1);
  const uint2 loop = hull_loop(hull, face);
  float3 from = hull_vertex(hull, hull_corner(hull, loop.x + loop.y - 1u));
  ROLLED
  for (uint k = 0u; k < loop.y; ++k) {
    const float3 to = hull_vertex(hull, hull_corner(hull, loop.x + k));
    const float3 outward = cross3(to - from, normal);
    const float start = dot3(p - from, outward), slope = dot3(way, outward);
    from = to;
    if (abs_f(slope) > 1e-7f * (abs_f(outward.x) + abs_f(outward.y) + abs_f(outward.z))) {
      const float t = div_rn(-start, slope);
      if (slope < 0.0f)
        *t0 = max_f(*t0, t);
      else
        *t1 = min_f(*t1, t);
    } else if (start > 0.0f) {
      return false;
    }
  }
  return true;
}

// Cuts the part [*t0, *t1] of a line i0 + t i1 in the plane of a flat side, as face_on_edge() has it, down to what is
// on that side. False where the line misses it. `face`: of a hull, its number.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_part_on_side(b, face, f, offset, i0, i1, t0, t1);
bool part_on_side(uint shape, const Body* b, uint face, float3 f, float offset, float3 i0, float3 i1, float* t0,
                  float* t1) {
  switch (shape) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

// The side of the body whose outward normal is f, f.x = offset on it: both ends of the part of the edge whose image
// along m is on that side. False where there is none.
INLINED bool face_on_edge(const Edge* e, uint shape, const Body* b, uint face, float3 f, float offset, float3 m,
                          const EdgeReport* r) {
  // Image I(t) = I0 + t * I1 of a + t * along.
  const float over = div_rn(1.0f, dot3(m, f));
  const float3 i0 = e->base - m * ((dot3(e->base, f) - offset) * over);
  const float3 i1 = e->along - m * (dot3(e->along, f) * over);
  float t0 = e->t0, t1 = e->t1;
  if (!part_on_side(shape, b, face, f, offset, i0, i1, &t0, &t1) || !(t0 <= t1)) return false;
  // A ridge that ends at its deeper end has its vertex there, whose contact is the one; unless it is all but level.
  const float fall = dot3((e->along - i1), m);  // growth of the depth along the edge
  if (abs_f(fall) > 0.05f && (fall > 0.0f ? t1 >= e->t1 : t0 <= e->t0)) return true;
  const int ends = t1 - t0 > 1e-6f ? 2 : 1;
  ROLLED
  for (int k = 0; k < ends; ++k) {
    const float t = k == 0 ? t0 : t1;
    const float3 q = e->base + e->along * t;
    const float3 p = i0 + i1 * t;
    report_on_edge(r, e, shape, b, p, q, m, dot3(q - p, m),
                   shape == SHAPE_CONVEX_HULL ? face_number(face, (uint)k) : 16u + (uint)k);
  }
  return true;
}

// A side of the body that looks along -m within 45 degrees, none on a flat edge: its contacts. False where there is
// none.
INLINED bool box_side_on_edge(const Edge* e, const Body* b, float3 m, const EdgeReport* r) {
  const float cx = dot3(b->x, m), cy = dot3(b->y, m), cz = dot3(b->z, m);
  const float ax = abs_f(cx), ay = abs_f(cy), az = abs_f(cz);
  const float3 f = ax >= ay && ax >= az ? b->x * -sign_f(cx) : (ay >= az ? b->y * -sign_f(cy) : b->z * -sign_f(cz));
  const float offset = ax >= ay && ax >= az ? b->size.x : (ay >= az ? b->size.y : b->size.z);
  return max_f(ax, max_f(ay, az)) >= 0.70710678f && face_on_edge(e, SHAPE_BOX, b, 0u, f, offset, m, r);
}
INLINED bool cylinder_side_on_edge(const Edge* e, const Body* b, float3 m, const EdgeReport* r) {
  if (e->flat) return false;
  const float cz = dot3(b->z, m);
  if (abs_f(cz) >= 0.70710678f) return face_on_edge(e, SHAPE_CYLINDER, b, 0u, b->z * -sign_f(cz), b->size.y, m, r);
  const float3 across = cross3(b->z, e->along);
  if (!(dot3(across, across) < 1e-8f)) return false;
  // The generator line lies along the edge: both ends of the overlap.
  const float3 foot = rim_direction(b, m) * b->size.x;
  const float za = dot3(foot - e->base, e->along), zh = b->size.y;
  const float t0 = max_f(za - zh, e->t0), t1 = min_f(za + zh, e->t1);
  if (!(t0 <= t1)) return true;
  // Along m from each to the side: the two lines may part by a tenth of a millimetre a metre.
  const float3 way = across_axis(b, m);
  ROLLED
  for (int k = 0; k < 2; ++k) {
    const float3 q = e->base + e->along * (k == 0 ? t0 : t1);
    float enter, leave;
    if (!inside_ball_interval(across_axis(b, q), way, b->size.x, &enter, &leave)) continue;
    report_on_edge(r, e, SHAPE_CYLINDER, b, q + m * enter, q, m, -enter, 18u + (uint)k);
  }
  return true;
}

// Of the faces around a hull's lowest vertices, farthest along `down`, that whose normal is nearest to it; the number
// of faces where none has a cosine of `nearest`.
INLINED uint hull_face_toward(__global const uint* hull, float3 down, float nearest) {
  const uint edges = hull[HULL_EDGES];
  const float3 low = hull_vertex(hull, hull_farthest_vertex(hull, down));
  uint face = hull[HULL_FACES];
  ROLLED
  for (uint k = 0u; k < edges; ++k) {
    const uint4 edge = hull_edge(hull, k);
    if (!is_as_low(hull, hull_vertex(hull, edge.x), low, down) &&
        !is_as_low(hull, hull_vertex(hull, edge.y), low, down))
      continue;
    const float one = dot3(hull_face(hull, edge.z).xyz, down), other = dot3(hull_face(hull, edge.w).xyz, down);
    const uint of_edge = one > other || (one == other && edge.z < edge.w) ? edge.z : edge.w;
    const float near = max_f(one, other);
    if (near < nearest || (near == nearest && of_edge > face)) continue;
    nearest = near;
    face = of_edge;
  }
  return face;
}
INLINED bool convex_hull_side_on_edge(const Edge* e, const Body* b, float3 m, const EdgeReport* r) {
  __global const uint* hull = b->hull;
  const uint face = hull_face_toward(hull, into_body(b, -m), 0.70710678f);
  if (face == hull[HULL_FACES]) return false;
  const float4 plane = hull_face(hull, face);
  return face_on_edge(e, SHAPE_CONVEX_HULL, b, face, out_of_body(b, plane.xyz), plane.w, m, r);
}

// The contacts of a sharp body with an edge whose normal is m.
#define OCLIDE_CASE(NAME, name)                  \
  case SHAPE_##NAME:                             \
    if (name##_side_on_edge(e, b, m, r)) return; \
    break;
INLINED void touch_edge(const Edge* e, uint shape, const Body* b, float3 m, const EdgeReport* r) {
  switch (shape) {
    OCLIDE_SHARP_SHAPES(OCLIDE_CASE)
    default:
      return;
  }

  // Where the side of the body that supports at m passes the edge; pa = pb where that is a single point.
  const float3 c = cross3(e->along, m);
  const float3 pa = lowest_point_toward(shape, b, m, c, 1.0f), pb = lowest_point_toward(shape, b, m, c, -1.0f);
  const float ga = dot3(pa - e->base, c), gb = dot3(pb - e->base, c);
  // An edge of a hull may lie along that of the ground.
  const float tau = ga - gb > (shape == SHAPE_CONVEX_HULL ? 2e-6f : 1e-9f) ? clamp01(div_rn(ga, ga - gb)) : 0.0f;
  const float3 p = pa + (pb - pa) * tau;
  const float along = dot3(p - e->base, e->along);
  const float slack = 2e-6f;
  if (along < e->t0 - slack || along > e->t1 + slack) return;
  const float depth = dot3(e->base - p, m);
  // On a flat edge the point of the rim that elements know (kind 2, A1).
  const uint body = part_number(shape, !e->flat ? 20u : (dot3(b->z, m) < 0.0f ? 4u : 0u));
  report_on_edge(r, e, shape, b, p, p + m * depth, m, depth, body);
}
#undef OCLIDE_CASE

#endif

#line 6 "kernels/meshes/mesh_points.clh"
#line 1 "kernels/meshes/mesh_sink.clh"
// Where the contacts of a body and a triangle go, and what they are called.
#ifndef OCLIDE_MESHES_MESH_SINK_CLH
#define OCLIDE_MESHES_MESH_SINK_CLH
#line 1 "kernels/launch/store.clh"
// Slots of a store that all work-items share, in whatever order they come. A work-item that looks at several
// candidates one after another takes its slots in blocks, so that processors seldom wait for each other at the
// counter; what is left of its last block stays empty.
#ifndef OCLIDE_LAUNCH_STORE_CLH
#define OCLIDE_LAUNCH_STORE_CLH

typedef struct StoreSlots {
  __global uint* taken;  // of all work-items so far
  uint block;            // taken at a time, at least
  uint next, end;        // of this work-item's last block, what is left
} StoreSlots;

StoreSlots store_slots_in(__global uint* taken, uint block) {
  StoreSlots slots;
  slots.taken = taken;
  slots.block = block;
  slots.next = slots.end = 0u;
  return slots;
}

// The first of `count` slots one after another.
uint take_store_slots(StoreSlots* slots, uint count) {
  if (count > slots->end - slots->next) {
    const uint block = count > slots->block ? count : slots->block;
    slots->next = atomic_add(slots->taken, block);
    slots->end = slots->next + block;
  }
  const uint first = slots->next;
  slots->next += count;
  return first;
}

#endif

#line 5 "kernels/meshes/mesh_sink.clh"
#line 1 "kernels/math/feature_number.clh"
// A feature's number, mixed of what names it: a place (i, j) and its kind, and a part of the body.
#ifndef OCLIDE_MATH_FEATURE_NUMBER_CLH
#define OCLIDE_MATH_FEATURE_NUMBER_CLH

uint mix_feature(uint h) {
  h ^= h >> 16;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  return h ^ (h >> 16);
}

uint feature_number(uint i, uint j, uint ground, uint body) {
  const uint h = mix_feature(i * 0x9E3779B1u + ground);
  return mix_feature(h ^ (j * 0x7FEB352Du + body * 0x01000193u));
}

#endif

#line 6 "kernels/meshes/mesh_sink.clh"
#line 7 "kernels/meshes/mesh_sink.clh"
#line 8 "kernels/meshes/mesh_sink.clh"
#pragma OPENCL FP_CONTRACT OFF

// Features of a mesh: a face by its number, an edge by its two vertices, a vertex.
#define FEATURE_MESH_FACE 32u
#define FEATURE_MESH_EDGE 33u  // + 1 on the left side of a concave one, + 2 on its right side
#define FEATURE_MESH_VERTEX 36u

// Into the next free slots of a store that all share, in whatever order they come; `candidate` and number tell their
// place in the order that counts. What does not fit is counted all the same.
typedef struct MeshSink {
  __global ContactRecord* store;
  __global uint* store_candidates;
  StoreSlots slots;
  uint capacity;
  uint candidate;
  uint count;    // of this candidate
  float margin;  // [m]
} MeshSink;

// `triangle`: of the mesh; CONTACT_REST may be set in it.
INLINED void store_mesh_contact(MeshSink* sink, float3 point, float3 normal, float depth, uint feature, uint triangle) {
  if (!(depth > -sink->margin)) return;
  const uint slot = take_store_slots(&sink->slots, 1u);
  if (slot < sink->capacity) {
    __global ContactRecord* to = sink->store + slot;
    to->point[0] = point.x;
    to->point[1] = point.y;
    to->point[2] = point.z;
    to->normal[0] = normal.x;
    to->normal[1] = normal.y;
    to->normal[2] = normal.z;
    to->depth = depth;
    to->feature = feature;
    to->material = triangle;
    to->manifold = sink->count;
    sink->store_candidates[slot] = sink->candidate;
  }
  ++sink->count;
}

#endif

#line 7 "kernels/meshes/mesh_points.clh"
#line 1 "kernels/meshes/mesh_surface.clh"
// A mesh as seen from a body's centre, in the mesh's axes: its triangles, their planes and outlines, and which of them
// take part (docs/mesh_contacts.md).
#ifndef OCLIDE_MESHES_MESH_SURFACE_CLH
#define OCLIDE_MESHES_MESH_SURFACE_CLH
#line 6 "kernels/meshes/mesh_surface.clh"
#line 7 "kernels/meshes/mesh_surface.clh"
#line 8 "kernels/meshes/mesh_surface.clh"
#line 9 "kernels/meshes/mesh_surface.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct MeshSurface {
  __global const uint* mesh;  // its record
  float3 centre_high, centre_low;
  float3 eye;
  bool solid;
  bool inside;  // the body's middle is in the solid
} MeshSurface;

// What the eye sees of a triangle.
#define SEEN_PART 1u  // it takes part
#define SEEN_BACK 2u  // of a sheet: it is seen from behind

// A triangle.
typedef struct MeshSite {
  uint triangle;
  uint4 vertices;    // MESH_ROW_VERTICES
  uint4 neighbours;  // MESH_ROW_NEIGHBOURS
  uint flags;        // MESH_FLAG_*
  uint seen;         // SEEN_*
  float3 n;          // unit normal, of a sheet turned to the eye's side
  float offset;      // n.x of its plane's points
  uint beyond;       // of each vertex six bits, that it is beyond a plane on one side of which the body is
} MeshSite;

// A vertex of the mesh, from the body's centre: exact near it.
float3 vertex_from_centre(const MeshSurface* g, uint vertex) {
  return (mesh_vertex(g->mesh, vertex) - g->centre_high) - g->centre_low;
}
// What a row has of corner or edge k of a triangle, k up to 3. (Clang 19 cannot make PTX of a function that is handed
// the row and takes one part of it.)
uint one_of_three(uint first, uint second, uint third, uint k) {
  return k == 1u ? second : (k == 2u ? third : first);
}
#define OF_CORNER(row, k) one_of_three((row).x, (row).y, (row).z, k)

// From here on a float is too coarse for what is far, and its planes and edges are brought near in two [m^2].
#define FAR2 4096.0f

// A component of a vertex, from the body's centre.
TwoFloat far_component(float vertex, float high, float low) {
  const TwoFloat d = two_sum(vertex, -high);
  return two_sum(d.hi, d.lo - low);
}
// n.v of a vertex.
float far_height(const MeshSurface* g, uint vertex, float3 n) {
  const float3 v = mesh_vertex(g->mesh, vertex);
  const TwoFloat x = far_component(v.x, g->centre_high.x, g->centre_low.x);
  const TwoFloat y = far_component(v.y, g->centre_high.y, g->centre_low.y);
  const TwoFloat z = far_component(v.z, g->centre_high.z, g->centre_low.z);
  const TwoFloat px = two_product(n.x, x.hi), py = two_product(n.y, y.hi), pz = two_product(n.z, z.hi);
  const TwoFloat xy = two_sum(px.hi, py.hi), xyz = two_sum(xy.hi, pz.hi);
  return xyz.hi + ((xyz.lo + xy.lo) + ((px.lo + py.lo) + pz.lo) + ((n.x * x.lo + n.y * y.lo) + n.z * z.lo));
}
// n.v of the plane near the body's centre. The vertices' own heights differ by what rounding turned n.
OUTLINED float far_offset(const MeshSurface* g, uint4 vertices, float3 n) {
  const float3 v0 = mesh_vertex(g->mesh, vertices.x), from = -vertex_from_centre(g, vertices.x);
  const float3 e1 = mesh_vertex(g->mesh, vertices.y) - v0, e2 = mesh_vertex(g->mesh, vertices.z) - v0;
  const float3 area = cross3(e1, e2);
  const float inverse = div_rn(1.0f, dot3(area, area));
  const float w1 = clamp01(dot3(cross3(from, e2), area) * inverse);
  const float w2 = clamp01(dot3(cross3(e1, from), area) * inverse);
  const float h0 = far_height(g, vertices.x, n);
  return h0 + (w1 * (far_height(g, vertices.y, n) - h0) + w2 * (far_height(g, vertices.z, n) - h0));
}
// Component of the point between two vertices, a part t of the way.
float far_between(float from, float to, float t, float high, float low) {
  const TwoFloat start = far_component(from, high, low), way = two_sum(to, -from);
  const TwoFloat part = two_product(way.hi, t), sum = two_sum(start.hi, part.hi);
  return sum.hi + (sum.lo + ((start.lo + part.lo) + way.lo * t));
}
OUTLINED float3 far_point_between(const MeshSurface* g, uint from, uint to, float t) {
  const float3 p = mesh_vertex(g->mesh, from), q = mesh_vertex(g->mesh, to);
  return (float3)(far_between(p.x, q.x, t, g->centre_high.x, g->centre_low.x),
                  far_between(p.y, q.y, t, g->centre_high.y, g->centre_low.y),
                  far_between(p.z, q.z, t, g->centre_high.z, g->centre_low.z));
}

// n.x of the plane of a triangle.
INLINED float plane_offset(const MeshSurface* g, uint4 vertices, float3 n) {
  float3 nearest = vertex_from_centre(g, vertices.x);
  float least2 = dot3(nearest, nearest), most2 = least2;
  ROLLED
  for (uint k = 1u; k < 3u; ++k) {
    const float3 v = vertex_from_centre(g, OF_CORNER(vertices, k));
    const float v2 = dot3(v, v);
    most2 = max_f(most2, v2);
    if (v2 < least2) nearest = v;
    least2 = min_f(least2, v2);
  }
  return most2 > FAR2 ? far_offset(g, vertices, n) : dot3(n, nearest);
}

// The line of an edge, measured from its end that is nearer to the body.
INLINED void line_of_edge(const MeshSurface* g, uint from, uint to, Edge* e) {
  const float3 a = vertex_from_centre(g, from), b = vertex_from_centre(g, to);
  const bool turned = dot3(b, b) < dot3(a, a);
  const uint near = turned ? to : from, other = turned ? from : to;
  e->base = turned ? b : a;
  e->along = mesh_vertex(g->mesh, other) - mesh_vertex(g->mesh, near);
  place_base(e);
  if (max_f(dot3(a, a), dot3(b, b)) > FAR2) e->base = far_point_between(g, near, other, div_rn(-e->t0, e->t1 - e->t0));
  if (!turned) return;
  const float t0 = e->t0;
  e->along = -e->along;
  e->t0 = -e->t1;
  e->t1 = -t0;
}

float3 front_normal(const MeshSurface* g, uint triangle) {
  return as_float3(mesh_triangle(g->mesh, triangle, MESH_ROW_PLANE).xyz);
}
bool is_seen_from_behind(const MeshSurface* g, uint triangle) {
  const float3 d = g->eye - vertex_from_centre(g, mesh_triangle(g->mesh, triangle, MESH_ROW_VERTICES).x);
  const float slack = g->solid ? 1e-5f + 1e-6f * ((abs_f(d.x) + abs_f(d.y)) + abs_f(d.z)) : 0.0f;
  return dot3(front_normal(g, triangle), d) < -slack;
}
uint edge_class(uint flags, uint k) {
  return flags >> MESH_FLAG_EDGE(k) & 3u;
}

// SEEN_* of a triangle. One of a sheet is hidden where it is behind an edge that is concave from its own side.
OUTLINED uint seen_of(const MeshSurface* g, uint triangle) {
  const bool back = is_seen_from_behind(g, triangle);
  if (g->solid) return back ? 0u : SEEN_PART;
  const uint flags = mesh_triangle(g->mesh, triangle, MESH_ROW_PLANE).w;
  const uint4 neighbours = mesh_triangle(g->mesh, triangle, MESH_ROW_NEIGHBOURS);
  ROLLED
  for (uint k = 0u; k < 3u; ++k) {
    if (edge_class(flags, k) != (back ? MESH_EDGE_CONVEX : MESH_EDGE_CONCAVE)) continue;
    if (is_seen_from_behind(g, OF_CORNER(neighbours, k)) != back) return back ? SEEN_BACK : 0u;
  }
  return SEEN_PART | (back ? SEEN_BACK : 0u);
}

// Does a triangle around a vertex take part? From one to the next, from `first` on.
OUTLINED bool vertex_takes_part(const MeshSurface* g, uint first, uint vertex) {
  uint count = 0u;
  bool closed = false;
  ROLLED
  for (uint way = 0u; way < 2u && !closed; ++way) {
    uint triangle = first;
    do {
      if (way == 0u || triangle != first) {
        if (seen_of(g, triangle) & SEEN_PART) return true;
        ++count;
      }
      const uint4 vertices = mesh_triangle(g->mesh, triangle, MESH_ROW_VERTICES);
      const uint k = vertices.x == vertex ? 0u : (vertices.y == vertex ? 1u : 2u);
      const uint4 neighbours = mesh_triangle(g->mesh, triangle, MESH_ROW_NEIGHBOURS);
      triangle = OF_CORNER(neighbours, way == 0u ? (k + 2u) % 3u : k);
      closed = triangle == first;
    } while (!closed && triangle != MESH_NONE);
  }
  // Where not all edges have been seen, others meet at the vertex: they may take part.
  const uint2 of_vertex = mesh_neighbours(g->mesh, vertex);
  return count + (closed ? 0u : 1u) != of_vertex.y - of_vertex.x;
}

// Is m in the cone of a vertex?
bool in_vertex_cone(const MeshSurface* g, uint vertex, float3 m) {
  const float3 v = mesh_vertex(g->mesh, vertex);
  const uint2 neighbours = mesh_neighbours(g->mesh, vertex);
  ROLLED
  for (uint k = neighbours.x; k < neighbours.y; ++k) {
    const float3 e = mesh_vertex(g->mesh, mesh_neighbour(g->mesh, k)) - v;
    const float along = dot3(m, e);
    if (along > 0.0f && along * along > 1e-12f * dot3(e, e)) return false;
  }
  return true;
}

// As it is seen from the front: what it takes to see whether the body reaches its plane.
INLINED void mesh_site_from_front(const MeshSurface* g, uint triangle, MeshSite* s) {
  s->triangle = triangle;
  s->vertices = mesh_triangle(g->mesh, triangle, MESH_ROW_VERTICES);
  const uint4 plane = mesh_triangle(g->mesh, triangle, MESH_ROW_PLANE);
  s->flags = plane.w;
  s->n = as_float3(plane.xyz);
  s->offset = plane_offset(g, s->vertices, s->n);
}
// The rest of it, and from the eye's side.
INLINED void see_mesh_site(const MeshSurface* g, MeshSite* s) {
  s->neighbours = mesh_triangle(g->mesh, s->triangle, MESH_ROW_NEIGHBOURS);
  s->seen = seen_of(g, s->triangle);
  if (!(s->seen & SEEN_BACK)) return;
  s->n = -s->n;
  s->offset = -s->offset;
}

// Edge k of a triangle as a line, and the unit direction in its plane that leads out across it.
INLINED void side_of_site(const MeshSurface* g, const MeshSite* s, uint k, Edge* e, float3* outward) {
  line_of_edge(g, OF_CORNER(s->vertices, k), OF_CORNER(s->vertices, k + 1u), e);
  *outward = cross3(e->along, s->seen & SEEN_BACK ? -s->n : s->n);
}

// Which of some points, a bit each, are in a triangle: not beyond a side by more than a slack, and beside one where
// they are beyond any.
typedef struct Outline {
  uint in, beyond, beside;
} Outline;

INLINED void hold_to_side(const Edge* e, float3 outward, float3 q, float slack, uint bit, Outline* o) {
  const float3 d = q - e->base;
  const float out = dot3(d, outward), t = dot3(d, e->along);
  if (!(out > 0.0f)) return;
  o->beyond |= bit;
  if (out > slack) o->in &= ~bit;
  if (t >= e->t0 - slack && t <= e->t1 + slack) o->beside |= bit;
}
uint in_outline_of_all(const Outline* o) {
  return o->in & (~o->beyond | o->beside);
}
// How far outside a foot still counts [m]: rounding.
float foot_slack(const Body* b) {
  return 4e-6f + 2.4e-7f * b->radius_bound;
}
// Beyond a flat edge, what two slightly different normals leave open between them at a distance from the plane: 2^-12.
#define FLAT_EDGE_PART 2.4414063e-4f

#endif

#line 8 "kernels/meshes/mesh_points.clh"
#pragma OPENCL FP_CONTRACT OFF

// Up to this sine a cylinder's base is level with a triangle, and its rim has the same points on all of a face.
#define LEVEL_BASE 1e-5f

// What a body turns to a triangle.
typedef struct Feet {
  uint count;  // of points
  uint face;   // of a hull; of a box the axis
  uint first;  // of a hull: corner of its loop; of a box and a cylinder: bits of the lower side
  float3 w;    // of a cylinder: from the axis to A1
} Feet;

void sphere_feet(const Body* b, float3 n, Feet* f) {
  (void)b;
  (void)n;
  f->count = 1u;
}
void capsule_feet(const Body* b, float3 n, Feet* f) {
  (void)b;
  (void)n;
  f->count = 2u;
}
INLINED void box_feet(const Body* b, float3 n, Feet* f) {
  const float x = dot3(b->x, n), y = dot3(b->y, n), z = dot3(b->z, n);
  f->face = abs_f(x) >= abs_f(y) && abs_f(x) >= abs_f(z) ? 0u : (abs_f(y) >= abs_f(z) ? 1u : 2u);
  f->first = (x < 0.0f ? 1u : 0u) | (y < 0.0f ? 2u : 0u) | (z < 0.0f ? 4u : 0u);
  f->count = 4u;
}
INLINED void cylinder_feet(const Body* b, float3 n, Feet* f) {
  const float along = dot3(b->z, n);
  const float3 across = across_axis(b, n);
  const float3 level = abs_f(n.x) < 0.9f ? (float3)(1.0f, 0.0f, 0.0f) : (float3)(0.0f, 1.0f, 0.0f);
  f->w = (dot3(across, across) < LEVEL_BASE * LEVEL_BASE ? unit3(across_axis(b, level)) : -unit3(across)) * b->size.x;

  f->first = along < 0.0f ? 1u : 0u;
  f->count = abs_f(along) >= 0.70710678f ? 5u : 2u;
}
INLINED void convex_hull_feet(const Body* b, float3 n, Feet* f) {
  f->face = hull_face_toward(b->hull, into_body(b, -n), -2.0f);
  const uint2 loop = hull_loop(b->hull, f->face);
  f->first = loop.x;
  f->count = loop.y;
}
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    name##_feet(b, n, f);       \
    return;
INLINED void feet_of(uint shape, const Body* b, float3 n, Feet* f) {
  f->count = f->face = f->first = 0u;
  f->w = n;
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
}
#undef OCLIDE_CASE

// Point p of them, and its number.
INLINED float3 sphere_foot(const Body* b, const Feet* f, uint p, uint* body) {
  (void)f;
  *body = p;
  return rounded_point(SHAPE_SPHERE, b, p);
}
INLINED float3 capsule_foot(const Body* b, const Feet* f, uint p, uint* body) {
  (void)f;
  *body = p;
  return rounded_point(SHAPE_CAPSULE, b, p);
}
// The lowest corner, and those beside it and across the face.
INLINED float3 box_foot(const Body* b, const Feet* f, uint p, uint* body) {
  const uint one = 1u << (f->face + 1u) % 3u, other = 1u << (f->face + 2u) % 3u;
  *body = f->first ^ ((p & 1u ? one : 0u) | (p & 2u ? other : 0u));
  return rounded_point(SHAPE_BOX, b, *body);
}
// A1, A2, B1, both D1.
INLINED float3 cylinder_foot(const Body* b, const Feet* f, uint p, uint* body) {
  const uint lower = 4u * f->first, upper = 4u - lower;
  *body = p == 0u ? lower : (p == 1u ? upper : lower + p - 1u);
  const float3 v = f->first != 0u ? -b->z : b->z;
  if (p == 1u) return v * b->size.y + f->w;
  const float3 on_rim = p < 3u ? f->w : cross3(v, f->w);
  return v * -b->size.y + (p == 2u || p == 4u ? -on_rim : on_rim);
}
INLINED float3 convex_hull_foot(const Body* b, const Feet* f, uint p, uint* body) {
  *body = hull_corner(b->hull, f->first + p);
  return rounded_point(SHAPE_CONVEX_HULL, b, *body);
}
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_foot(b, f, p, body);
INLINED float3 foot_at(uint shape, const Body* b, const Feet* f, uint p, uint* body) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return (float3)(0.0f, 0.0f, 0.0f);
}
#undef OCLIDE_CASE
float ball_radius(uint shape, const Body* b) {
  return SHARP_SHAPES >> shape & 1u ? 0.0f : b->size.x;
}

// Of points [first, first + 32) those below the plane, or within the margin of it.
INLINED uint feet_below(const MeshSite* s, uint shape, const Body* b, const Feet* f, uint first, float margin) {
  uint below = 0u;
  const float least = -(margin + ball_radius(shape, b));
  ROLLED
  for (uint p = first; p < min(f->count, first + 32u); ++p) {
    uint body;
    const float3 x = foot_at(shape, b, f, p, &body);
    if (s->offset - dot3(x, s->n) > least && dot3(s->n, outward_of(shape, b, body)) <= END_SLACK)
      below |= 1u << (p - first);
  }
  return below;
}

// Takes out of a mask of points those whose feet are beyond side k.
INLINED void hold_feet(const MeshSite* s, uint k, const Edge* e, float3 outward, uint shape, const Body* b,
                       const Feet* f, uint first, Outline* o) {
  const float slack = foot_slack(b), part = edge_class(s->flags, k) == MESH_EDGE_FLAT ? FLAT_EDGE_PART : 0.0f;
  ROLLED
  EACH_BIT(p, o->in) {
    uint body;
    const float3 x = foot_at(shape, b, f, first + p, &body);
    const float below = s->offset - dot3(x, s->n);
    hold_to_side(e, outward, x + s->n * below, slack + part * abs_f(below), 1u << p, o);
  }
}

// Stores the contacts of a mask of points, up to a depth. Returns the greatest depth.
INLINED float store_feet(const MeshSite* s, uint shape, const Body* b, const Feet* f, uint first, uint points,
                         float most, MeshSink* sink) {
  const float rho = ball_radius(shape, b);
  float deepest = -MAXFLOAT;
  ROLLED
  EACH_BIT(p, points) {
    uint body;
    const float3 x = foot_at(shape, b, f, first + p, &body);
    const float depth = rho + (s->offset - dot3(x, s->n));
    if (depth > most) continue;
    store_mesh_contact(sink, x - s->n * rho, s->n, depth, feature_number(s->neighbours.w, 0u, FEATURE_MESH_FACE, body),
                       s->triangle);
    deepest = max_f(deepest, depth);
  }
  return deepest;
}

#endif

#line 5 "kernels/meshes/mesh_edges.clh"
#pragma OPENCL FP_CONTRACT OFF

// Edge k of a triangle, and which of the triangles beside it take part: bit 0 the left one, bit 1 the right one. Both
// as the eye sees them: of a sheet from behind the edge goes the other way.
INLINED uint mesh_edge_at(const MeshSurface* g, const MeshSite* s, uint k, Edge* e) {
  const uint class = edge_class(s->flags, k), other = OF_CORNER(s->neighbours, k);
  uint seen = s->seen;
  float3 right = s->n;
  bool back = (s->seen & SEEN_BACK) != 0u;
  if (class != MESH_EDGE_BORDER) {
    seen = seen_of(g, other);
    right = front_normal(g, other);
    if ((seen ^ s->seen) & SEEN_BACK) back = class == MESH_EDGE_CONCAVE;
  }
  const uint parts = class == MESH_EDGE_BORDER ? s->seen & SEEN_PART : (s->seen & SEEN_PART) | (seen & SEEN_PART) << 1;
  if (parts == 0u) return 0u;
  line_of_edge(g, OF_CORNER(s->vertices, back ? k + 1u : k), OF_CORNER(s->vertices, back ? k : k + 1u), e);
  e->has_left = e->has_right = true;
  e->flat = false;
  e->convex = class == MESH_EDGE_BORDER || (class == MESH_EDGE_CONVEX) != back;
  e->left = back == ((s->seen & SEEN_BACK) != 0u) ? s->n : -s->n;
  e->right = class == MESH_EDGE_BORDER ? cross3(e->along, e->left) : (back ? -right : right);
  e->material = 0u;
  return parts;
}

uint mesh_edge_number(const MeshSite* s, uint k, uint side, uint body) {
  const uint from = OF_CORNER(s->vertices, k), to = OF_CORNER(s->vertices, k + 1u);
  return feature_number(min(from, to), max(from, to), FEATURE_MESH_EDGE + side, body);
}

// Is a direction in the arc of an edge? It has no part into either side.
bool in_edge_arc(const Edge* e, float3 m, float slack) {
  return dot3(m, cross3(e->left, e->along)) <= slack && dot3(m, cross3(e->along, e->right)) <= slack;
}

// No contact of an edge is deeper: the ways off its sides are as good.
float deepest_on_mesh_edge(const Edge* e, uint shape, const Body* b) {
  const float way = min_f(way_off_edge(e, shape, b, e->left), way_off_edge(e, shape, b, e->right));
  return way + (1e-3f * abs_f(way) + 1e-4f);
}

INLINED void balls_on_edge(const MeshSite* s, uint shape, const Body* b, const Edge* e, uint k, MeshSink* sink) {
  const float rho = b->size.x, reach = rho + sink->margin;
  ROLLED
  for (uint p = 0u; p < (shape == SHAPE_CAPSULE ? 2u : 1u); ++p) {
    const float3 x = rounded_point(shape, b, p);
    const float t = dot3(x - e->base, e->along);
    if (t < e->t0 || t > e->t1) continue;
    const float3 d = x - (e->base + e->along * t);
    const float distance = length3(d);
    if (!(distance > 1e-7f) || !(distance < reach) || !in_edge_arc(e, d, 1e-6f * distance)) continue;
    const float3 m = d * div_rn(1.0f, distance);
    if (dot3(m, outward_of(shape, b, p)) > END_SLACK) continue;
    store_mesh_contact(sink, x - m * rho, m, rho - distance, mesh_edge_number(s, k, 0u, p), s->triangle);
  }
}

// The inside of a capsule's axis.
INLINED void axis_on_edge(const MeshSite* s, const Body* b, const Edge* e, uint k, MeshSink* sink) {
  const float3 axis = b->z;
  float3 m = cross3(axis, e->along);
  if (dot3(m, m) < 1e-8f) return;  // parallel: the ends have it
  m = unit3(m);
  if (!in_edge_arc(e, m, 1e-6f)) m = -m;
  if (!in_edge_arc(e, m, 1e-6f)) return;
  // Nearest points of two lines: axis z * t, edge base + along * u.
  const float c = dot3(axis, e->along);
  const float da = dot3(e->base, axis), de = dot3(e->base, e->along);
  const float inverse = div_rn(1.0f, 1.0f - c * c);
  const float t = (da - c * de) * inverse, u = (c * da - de) * inverse;
  if (abs_f(t) > b->size.y || u < e->t0 - 2e-6f || u > e->t1 + 2e-6f) return;
  const float3 x = axis * t;
  const float depth = b->size.x + dot3(e->base + e->along * u - x, m);
  // The edge is inside the capsule (not beyond its other side), or within margin.
  if (!(depth > -sink->margin) || depth > 2.0f * b->size.x || depth > deepest_on_mesh_edge(e, SHAPE_CAPSULE, b)) return;
  store_mesh_contact(sink, x - m * b->size.x, m, depth, mesh_edge_number(s, k, 0u, 8u), s->triangle);
}

// The root of a sharp body's least depth. A wide arc is looked at by halves, for the normal between is short.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_edge_root(e, b, m);
bool edge_root(uint shape, const Edge* e, const Body* b, float3* m) {
  switch (shape) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE
INLINED bool mesh_edge_root(uint shape, Edge* e, const Body* b, float3* found) {
  const float3 left = e->left, right = e->right;
  const bool wide = dot3(left, right) < -0.01f;
  const float3 middle = wide ? unit3(cross3(e->along, left) + cross3(right, e->along)) : right;
  float least = 1e30f;
  ROLLED
  for (uint half_arc = 0u; half_arc < (wide ? 2u : 1u); ++half_arc) {
    e->left = half_arc == 0u ? left : middle;
    e->right = half_arc == 0u ? middle : right;
    float3 m;
    if (!edge_root(shape, e, b, &m)) continue;
    const float depth = way_off_edge(e, shape, b, m);
    if (!(depth < least)) continue;
    least = depth;
    *found = m;
  }
  e->left = left;
  e->right = right;
  return least < 1e30f;
}

struct EdgeReport {
  const MeshSite* s;
  uint k;
  float deepest;
  MeshSink* sink;
};
INLINED void report_on_edge(const EdgeReport* r, const Edge* e, uint shape, const Body* b, float3 p, float3 q, float3 m,
                            float depth, uint body) {
  (void)e;
  if (!(depth > -r->sink->margin) || depth > r->deepest) return;
  // The margin is for what is apart: it makes no deeper contacts.
  if (edge_distance(shape, b, q) > IN_BODY_SLACK + (depth < 0.0f ? r->sink->margin : 0.0f)) return;
  store_mesh_contact(r->sink, p, m, depth, mesh_edge_number(r->s, r->k, 0u, body), r->s->triangle);
}
INLINED void sharp_on_edge(const MeshSite* s, uint shape, const Body* b, Edge* e, uint k, MeshSink* sink) {
  float3 m;
  if (!mesh_edge_root(shape, e, b, &m)) return;
  const EdgeReport report = {s, k, deepest_on_mesh_edge(e, shape, b), sink};
  touch_edge(e, shape, b, m, &report);
}

#define SHARP_VALLEY 0.70710678f  // the cosine between the sides of one is less
#define LEAST_INSIDE 2e-5f        // [m]

// A part of a concave edge in a sharp body: both ends against each side that takes part.
INLINED void inside_on_edge(const MeshSite* s, uint shape, const Body* b, const Edge* e, uint k, uint parts,
                            MeshSink* sink) {
  float t0, t1;
  if (!(dot3(e->left, e->right) < SHARP_VALLEY) || !line_inside(shape, b, e->base, e->along, &t0, &t1)) return;
  t0 = max_f(t0, e->t0);
  t1 = min_f(t1, e->t1);
  if (!(t0 <= t1)) return;
  const uint ends = t1 - t0 > 1e-6f ? 2u : 1u;
  ROLLED
  for (uint at = 0u; at < 4u; ++at) {
    const uint side = at >> 1, end = at & 1u;
    if (!(parts >> side & 1u) || end >= ends) continue;
    const float3 q = e->base + e->along * (end == 0u ? t0 : t1), n = side == 0u ? e->left : e->right;
    float enter, depth;
    if (!line_inside(shape, b, q, -n, &enter, &depth) || !(depth > LEAST_INSIDE)) continue;
    store_mesh_contact(sink, q - n * depth, n, depth, mesh_edge_number(s, k, 1u + side, part_number(shape, 22u + end)),
                       side == 0u ? s->triangle : OF_CORNER(s->neighbours, k));
  }
}

OUTLINED void body_on_edge(const MeshSurface* g, const MeshSite* s, uint shape, const Body* b, uint k, MeshSink* sink) {
  Edge e;
  const uint parts = mesh_edge_at(g, s, k, &e);
  if (parts == 0u) return;
  const float reach = b->radius_bound + sink->margin;
  if (dot3(e.base, e.base) > reach * reach) return;
  if (SHARP_SHAPES >> shape & 1u) {
    if (e.convex)
      sharp_on_edge(s, shape, b, &e, k, sink);
    else
      inside_on_edge(s, shape, b, &e, k, parts, sink);
    return;
  }
  if (!e.convex) return;
  balls_on_edge(s, shape, b, &e, k, sink);
  if (shape == SHAPE_CAPSULE) axis_on_edge(s, b, &e, k, sink);
}

#endif

#line 8 "kernels/meshes/candidate.clh"
#line 1 "kernels/meshes/mesh_rest.clh"
// Kind 4: what of a body is behind a triangle that it reaches through (docs/mesh_contacts.md).
#ifndef OCLIDE_MESHES_MESH_REST_CLH
#define OCLIDE_MESHES_MESH_REST_CLH
#line 5 "kernels/meshes/mesh_rest.clh"
#pragma OPENCL FP_CONTRACT OFF

#define LEAST_REST 2e-5f  // [m]

// Is a point of a triangle's plane in the triangle?
INLINED bool in_triangle(const MeshSurface* g, const MeshSite* s, float3 q, float slack) {
  Outline o;
  o.in = 1u;
  o.beyond = o.beside = 0u;
  ROLLED
  for (uint k = 0u; k < 3u && o.in != 0u; ++k) {
    Edge e;
    float3 outward;
    side_of_site(g, s, k, &e, &outward);
    hold_to_side(&e, outward, q, slack, 1u, &o);
  }
  return in_outline_of_all(&o) != 0u;
}

// The middle of the part of side k that is in the body.
INLINED bool middle_in_body(const MeshSurface* g, const MeshSite* s, uint k, uint shape, const Body* b, float3* q) {
  Edge e;
  line_of_edge(g, OF_CORNER(s->vertices, k), OF_CORNER(s->vertices, k + 1u), &e);
  float t0, t1;
  if (!line_inside(shape, b, e.base, e.along, &t0, &t1)) return false;
  t0 = max_f(t0, e.t0);
  t1 = min_f(t1, e.t1);
  *q = e.base + e.along * (0.5f * (t0 + t1));
  return t0 <= t1;
}

// Where the way from the eye to a point `depth` below the plane meets it.
float3 crossing_from_eye(const MeshSurface* g, const MeshSite* s, float3 low, float depth) {
  const float eye = max_f(dot3(s->n, g->eye) - s->offset, 0.0f);
  return g->eye + (low - g->eye) * div_rn(eye, eye + depth);
}

// P and y of the triangle's rest; y is below 0 where none of the points q is in the body. `low`: the body's lowest
// point along n, `depth` > 0 below the plane. Of several q whose rests are one but for rounding the first counts: the
// vertices, the sides, the foot of the lowest point, where the way to it from the eye meets the triangle. A vertex that
// is beyond a plane is not in the body, nor is a side whose ends both are.
OUTLINED float4 find_rest(const MeshSurface* g, const MeshSite* s, uint shape, const Body* b, float3 low, float depth) {
  const float tie = 1e-6f + 1e-6f * b->radius_bound;
  float4 rest = (float4)(low, -1.0f);
  ROLLED
  for (uint k = 0u; k < 8u; ++k) {
    float3 q;
    if (k < 6u) {
      const uint own = s->beyond >> 6u * (k % 3u) & 63u, next = s->beyond >> 6u * ((k + 1u) % 3u) & 63u;
      if ((k < 3u ? own : own & next) != 0u) continue;
    }
    if (k < 3u) {
      q = vertex_from_centre(g, OF_CORNER(s->vertices, k));
    } else if (k < 6u) {
      if (!middle_in_body(g, s, k - 3u, shape, b, &q)) continue;
    } else {
      q = k == 6u ? low + s->n * depth : crossing_from_eye(g, s, low, depth);
      if (!in_triangle(g, s, q, foot_slack(b))) continue;
    }
    float enter, y;
    if (!line_inside(shape, b, q, -s->n, &enter, &y) || !(y > rest.w + tie)) continue;
    // Sides are in the body as far as they are looked at, and the way from the eye.
    if ((k < 3u || k == 6u) && enter > foot_slack(b)) continue;
    rest = (float4)(q - s->n * y, y);
  }
  return rest;
}

#endif

#line 9 "kernels/meshes/candidate.clh"
#line 1 "kernels/meshes/mesh_vertices.clh"
// Kind 3: a vertex of a mesh and a body (docs/mesh_contacts.md).
#ifndef OCLIDE_MESHES_MESH_VERTICES_CLH
#define OCLIDE_MESHES_MESH_VERTICES_CLH
#line 5 "kernels/meshes/mesh_vertices.clh"
#pragma OPENCL FP_CONTRACT OFF

// The shortest way on which vertex v leaves the body, or, where it is outside, the way from it to the nearest point.
typedef struct VertexWay {
  float3 m;  // unit
  float depth;
  uint body;  // number of the body's part
} VertexWay;

INLINED bool ball_vertex_way(const Body* b, float3 x, float3 v, uint body, VertexWay* w) {
  const float3 d = x - v;
  const float distance = length3(d);
  w->m = d * div_rn(1.0f, max_f(distance, 1e-7f));
  w->depth = b->size.x - distance;
  w->body = body;
  return distance > 1e-7f;
}
INLINED bool sphere_vertex_way(const Body* b, float3 v, VertexWay* w) {
  return ball_vertex_way(b, (float3)(0.0f, 0.0f, 0.0f), v, 0u, w);
}
INLINED bool capsule_vertex_way(const Body* b, float3 v, VertexWay* w) {
  const float z = dot3(v, b->z), h = b->size.y, t = max_f(-h, min_f(z, h));
  return ball_vertex_way(b, b->z * t, v, z < -h ? 0u : (z > h ? 1u : 8u), w);
}
INLINED bool box_vertex_way(const Body* b, float3 v, VertexWay* w) {
  const float3 q = into_body(b, v), s = b->size;
  const float3 out =
      (float3)(max_f(-s.x, min_f(q.x, s.x)), max_f(-s.y, min_f(q.y, s.y)), max_f(-s.z, min_f(q.z, s.z))) - q;
  const float distance = length3(out);
  if (distance > 0.0f) {
    w->m = out_of_body(b, out * div_rn(1.0f, distance));
    w->depth = -distance;
    w->body = 14u;
    return true;
  }
  const float x = s.x - abs_f(q.x), y = s.y - abs_f(q.y), z = s.z - abs_f(q.z);
  const uint axis = x <= y && x <= z ? 0u : (y <= z ? 1u : 2u);
  const float on = axis == 0u ? q.x : (axis == 1u ? q.y : q.z);
  w->m = (axis == 0u ? b->x : (axis == 1u ? b->y : b->z)) * -sign_f(on);
  w->depth = axis == 0u ? x : (axis == 1u ? y : z);
  w->body = 8u + 2u * axis + (on < 0.0f ? 1u : 0u);
  return true;
}
INLINED bool cylinder_vertex_way(const Body* b, float3 v, VertexWay* w) {
  const float z = dot3(v, b->z);
  const float3 across = across_axis(b, v);
  const float radius = length3(across);
  const float3 inward = across * div_rn(-1.0f, max_f(radius, 1e-7f));
  const float side = b->size.x - radius, base = b->size.y - abs_f(z);
  const float3 down = b->z * -sign_f(z);
  w->body = 14u;
  if (side < 0.0f && base < 0.0f) {
    const float distance = sqrt_rn(side * side + base * base);
    w->m = (inward * side + down * base) * div_rn(-1.0f, distance);
    w->depth = -distance;
    return true;
  }
  // Outside there is but one that it is beyond.
  const bool by_side = side < base && radius > 1e-7f;
  w->m = by_side ? inward : down;
  w->depth = by_side ? side : base;
  w->body = by_side ? 20u : (z < 0.0f ? 9u : 8u);
  return true;
}
INLINED bool convex_hull_vertex_way(const Body* b, float3 v, VertexWay* w) {
  __global const uint* hull = b->hull;
  const float3 q = into_body(b, v);
  const uint faces = hull[HULL_FACES];
  float least = MAXFLOAT;
  uint face = 0u;
  ROLLED
  for (uint k = 0u; k < faces; ++k) {
    const float4 plane = hull_face(hull, k);
    const float depth = plane.w - dot3(plane.xyz, q);
    if (!(depth < least)) continue;
    least = depth;
    face = k;
  }
  w->m = out_of_body(b, -hull_face(hull, face).xyz);
  w->depth = least;
  w->body = face_number(face, 2u);
  if (!(least < 0.0f) || is_over_hull_face(hull, face, q)) return true;
  uint edge, at;
  const float3 way = from_nearest_hull_edge(hull, q, &edge, &at);
  const float3 off = off_hull(hull, edge, at, way);
  const float distance = length3(off);
  if (!(distance > -least)) return true;
  w->m = out_of_body(b, off * div_rn(-1.0f, distance));
  w->depth = -distance;
  w->body = HULL_PARTS + 21u;
  return true;
}

#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_vertex_way(b, v, w);
INLINED bool vertex_way(uint shape, const Body* b, float3 v, VertexWay* w) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

INLINED void body_on_vertex(const MeshSurface* g, const MeshSite* s, uint shape, const Body* b, uint k,
                            MeshSink* sink) {
  const uint vertex = OF_CORNER(s->vertices, k);
  const float3 v = vertex_from_centre(g, vertex);
  const float reach = b->radius_bound + sink->margin;
  if (!(dot3(v, v) < reach * reach)) return;
  VertexWay way;
  if (!vertex_way(shape, b, v, &way) || !(way.depth > -sink->margin)) return;
  if (!in_vertex_cone(g, vertex, way.m)) return;
  if (!(s->seen & SEEN_PART) && !vertex_takes_part(g, s->triangle, vertex)) return;
  store_mesh_contact(sink, v - way.m * way.depth, way.m, way.depth,
                     feature_number(vertex, 0u, FEATURE_MESH_VERTEX, way.body), s->triangle);
}

#endif

#line 10 "kernels/meshes/candidate.clh"
#pragma OPENCL FP_CONTRACT OFF

MeshSurface surface_of(__global const MeshPair* p, __global const uint* hulls) {
  MeshSurface g;
  g.mesh = hulls + 4u * (size_t)hulls[p->mesh];
  g.centre_high = (float3)(p->centre_high[0], p->centre_high[1], p->centre_high[2]);
  g.centre_low = (float3)(p->centre_low[0], p->centre_low[1], p->centre_low[2]);
  g.eye = (float3)(p->eye[0], p->eye[1], p->eye[2]);
  g.solid = g.mesh[MESH_IS_SOLID] != 0u;
  g.inside = p->is_inside != 0u;
  return g;
}

// A point that is deeper counts only where the triangle has a point in the body [m].
#define LEAST_DEEP 1e-4f

// The corners of the box around a body along its own axes.
INLINED void own_box(uint shape, const Body* b, float3* low, float3* high) {
  if (shape == SHAPE_CONVEX_HULL) {
    *low = hull_point(b->hull, HULL_LOWER);
    *high = hull_point(b->hull, HULL_UPPER);
    return;
  }
  const float3 s = b->size;
  *high = shape == SHAPE_BOX
              ? s
              : (float3)(s.x, s.x, shape == SHAPE_CYLINDER ? s.y : (shape == SHAPE_CAPSULE ? s.x + s.y : s.x));
  *low = -*high;
}

// Where the corners of a triangle are beyond a box, by more than rounding: six bits each, a side of the box each.
uint beyond_box(float3 v, float3 low, float3 high, float slack) {
  return (v.x < low.x - slack ? 1u : 0u) | (v.y < low.y - slack ? 2u : 0u) | (v.z < low.z - slack ? 4u : 0u) |
         (v.x > high.x + slack ? 8u : 0u) | (v.y > high.y + slack ? 16u : 0u) | (v.z > high.z + slack ? 32u : 0u);
}

// Does the body end before a triangle along one of its own axes, by more than room? `low`, `high`: of its own box.
// `beyond`: which corners are not in that box; what is not, by so much, makes no rest.
INLINED bool ends_before(const MeshSurface* g, uint triangle, uint shape, const Body* b, float3 low, float3 high,
                         float room, uint* beyond) {
  const uint4 vertices = mesh_triangle(g->mesh, triangle, MESH_ROW_VERTICES);
  const float more = 1e-5f * b->radius_bound;
  uint all = 63u, outside = 0u;
#pragma unroll
  for (uint k = 0u; k < 3u; ++k) {
    const float3 from_centre = vertex_from_centre(g, OF_CORNER(vertices, k));
    const float3 v = shape == SHAPE_SPHERE ? from_centre : into_body(b, from_centre);
    const float rounding = 2e-5f + 1e-6f * (abs_f(v.x) + abs_f(v.y) + abs_f(v.z));
    all &= beyond_box(v, low, high, room + rounding);
    outside |= beyond_box(v, low, high, 2.0f * rounding + more) << 6u * k;
  }
  *beyond = outside;
  return all != 0u;
}

// All contacts of a body and a triangle. `shape` is a constant.
INLINED void body_triangle(uint shape, const MeshSurface* g, uint triangle, const Body* b, MeshSink* sink) {
  // The points of a body that is inside count on what it does not reach.
  MeshSite site;
  site.beyond = 0u;
  if (!g->inside) {
    float3 low, high;
    own_box(shape, b, &low, &high);
    const float aside = 2.0f * (foot_slack(b) + FLAT_EDGE_PART * (2.0f * b->radius_bound + sink->margin));
    if (ends_before(g, triangle, shape, b, low, high, (sink->margin + 2.0f * LEAST_DEEP) + aside, &site.beyond)) return;
  }
  mesh_site_from_front(g, triangle, &site);
  const MeshSite* s = &site;
  const float3 on_plane = s->n * s->offset;
  if (clears_plane(shape, b, on_plane, s->n, sink->margin) || clears_plane(shape, b, on_plane, -s->n, sink->margin))
    return;
  see_mesh_site(g, &site);
  const bool takes_part = (s->seen & SEEN_PART) != 0u;
  const float reach = b->radius_bound + sink->margin;
  const float room = sink->margin + 2.0f * (foot_slack(b) + FLAT_EDGE_PART * (b->radius_bound + abs_f(s->offset)));
  const float3 low = lowest_point(shape, b, s->n);
  const float below = s->offset - dot3(low, s->n);
  float deepest = -MAXFLOAT;
  float most = g->inside || !(below > LEAST_DEEP) ? MAXFLOAT : -1.0f;  // of a point's depth; below 0: not known yet
  uint near_edges = 0u;
  Feet feet;
  feet_of(shape, b, s->n, &feet);
  // A hull's face has any number of corners.
  ROLLED
  for (uint first = 0u; first == 0u || (shape == SHAPE_CONVEX_HULL && takes_part && first < feet.count); first += 32u) {
    Outline outline;
    outline.in = takes_part ? feet_below(s, shape, b, &feet, first, sink->margin) : 0u;
    outline.beyond = outline.beside = 0u;
    ROLLED
    for (uint k = 0u; k < 3u; ++k) {
      Edge e;
      float3 outward;
      side_of_site(g, s, k, &e, &outward);
      if (first == 0u && clears_plane(shape, b, e.base, outward, room)) return;
      if (dot3(e.base, e.base) < reach * reach) near_edges |= 1u << k;
      hold_feet(s, k, &e, outward, shape, b, &feet, first, &outline);
    }
    const uint points = in_outline_of_all(&outline);
    // Mostly the way from the eye tells.
    if (points != 0u && most < 0.0f)
      most = in_triangle(g, s, crossing_from_eye(g, s, low, below), foot_slack(b)) ||
                     find_rest(g, s, shape, b, low, below).w >= 0.0f
                 ? MAXFLOAT
                 : LEAST_DEEP;
    deepest = max_f(deepest, store_feet(s, shape, b, &feet, first, points, most, sink));
  }
  // The contact of the body's lowest point takes it off all of the triangle. A body may be in one that is hidden, too.
  if ((takes_part || !g->solid) && below > LEAST_REST && !(deepest >= 0.999f * below - 1e-5f)) {
    const float4 rest = find_rest(g, s, shape, b, low, below);
    if (rest.w > LEAST_REST) {
      const uint body = part_number(shape, 26u);
      store_mesh_contact(sink, rest.xyz, s->n, rest.w, feature_number(s->neighbours.w, 0u, FEATURE_MESH_FACE, body),
                         s->triangle | CONTACT_REST | (takes_part ? 0u : CONTACT_HIDDEN));
    }
  }
  uint edges = 0u, vertices = 0u;
  ROLLED
  for (uint k = 0u; k < 3u; ++k) {
    if (edge_class(s->flags, k) != MESH_EDGE_FLAT && (s->flags & MESH_FLAG_OWNS_EDGE << k))
      edges |= near_edges & 1u << k;
    const uint sharp_and_owned = MESH_FLAG_OWNS_VERTEX << k | MESH_FLAG_SHARP_VERTEX << k;
    if ((s->flags & sharp_and_owned) == sharp_and_owned) vertices |= 1u << k;
  }
  ROLLED
  EACH_BIT(k, edges) {
    body_on_edge(g, s, shape, b, k, sink);
  }
  ROLLED
  EACH_BIT(k, vertices) {
    body_on_vertex(g, s, shape, b, k, sink);
  }
}

// The triangle of a candidate to come, and after that its vertices.
#define TRIANGLE_AHEAD 8u
#define VERTICES_AHEAD 4u
INLINED void fetch_triangle_early(__global const MeshPair* p, __global const uint* hulls, uint triangle,
                                  bool vertices) {
  __global const uint* mesh = hulls + 4u * (size_t)hulls[p->mesh];
  __global const uint4* rows = (__global const uint4*)mesh;
  __global const uint4* own = rows + (mesh[MESH_FIRST_TRIANGLE] + MESH_ROWS_OF_TRIANGLE * triangle);
  FETCH_EARLY(own);
  FETCH_EARLY(own + (MESH_ROWS_OF_TRIANGLE - 1u));
  if (!vertices) return;
  const uint4 corners = own[MESH_ROW_VERTICES];
  const uint first = mesh[MESH_FIRST_VERTEX];
  FETCH_EARLY(rows + (first + corners.x));
  FETCH_EARLY(rows + (first + corners.y));
  FETCH_EARLY(rows + (first + corners.z));
}

// The arguments and the thin entry of every kernel of bodies against meshes, MESH_KERNEL(name, SHAPE).
// The work-items share the candidates of mesh pairs [first_pair, last_pair) evenly. Writes counts[candidate], and the
// contacts into the shared store; contact_order.cl then brings them into the order of candidates. Where the store was
// too small the host sees it by the counts, makes it larger, and runs the kernel again.
#define MESH_KERNEL(name, SHAPE)                                                                                      \
  __attribute__((vec_type_hint(float4))) __kernel void name(                                                          \
      const uint first_pair, const uint last_pair, const uint block, __global const uint* first_candidate,            \
      __global const uint* candidate_pairs, __global const uint* candidate_triangles, __global const MeshPair* pairs, \
      __global const uint* hulls, const float margin, __global uint* counts, const uint capacity,                     \
      __global uint* stored, __global uint* store_candidates, __global ContactRecord* store) {                        \
    const uint first = first_candidate[first_pair], count = first_candidate[last_pair] - first;                       \
    ItemRun run = run_of_item(count);                                                                                 \
    if (run.first == run.last) return;                                                                                \
    run.first += first;                                                                                               \
    run.last += first;                                                                                                \
    MeshSink sink;                                                                                                    \
    sink.store = store;                                                                                               \
    sink.store_candidates = store_candidates;                                                                         \
    sink.slots = store_slots_in(stored, block);                                                                       \
    sink.capacity = capacity;                                                                                         \
    sink.margin = margin;                                                                                             \
    EACH_OF_RUN(candidate, run) {                                                                                     \
      for (uint ahead = VERTICES_AHEAD; FETCHES_EARLY && ahead <= TRIANGLE_AHEAD;                                     \
           ahead += TRIANGLE_AHEAD - VERTICES_AHEAD)                                                                  \
        if (candidate + ahead < run.last)                                                                             \
          fetch_triangle_early(pairs + candidate_pairs[candidate + ahead], hulls,                                     \
                               candidate_triangles[candidate + ahead], ahead == VERTICES_AHEAD);                      \
      __global const MeshPair* p = pairs + candidate_pairs[candidate];                                                \
      const MeshSurface surface = surface_of(p, hulls);                                                               \
      const Body body = body_at(SHAPE, (float3)(p->size[0], p->size[1], p->size[2]), p->orientation[0],               \
                                p->orientation[1], p->orientation[2], p->orientation[3], hulls);                      \
      sink.candidate = candidate;                                                                                     \
      sink.count = 0u;                                                                                                \
      body_triangle(SHAPE, &surface, candidate_triangles[candidate], &body, &sink);                                   \
      counts[candidate] = sink.count;                                                                                 \
    }                                                                                                                 \
    for (uint empty = sink.slots.next; empty < min(sink.slots.end, capacity); ++empty)                                \
      store_candidates[empty] = NO_CANDIDATE;                                                                         \
  }

#endif

#line 5 "kernels/narrow_phase/capsule_triangle_mesh.cl"
#pragma OPENCL FP_CONTRACT OFF

MESH_KERNEL(narrow_phase_capsule_triangle_mesh, SHAPE_CAPSULE)

