#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/queries/cast_rays.cl"
// Rays: what each hits first of the terrain of its environment, and of the bodies (docs/rays.md). A work-item a ray;
// the terrain first, so that the search among bodies ends there.
//
// Bodies are found down their tree (broad_phase/body_tree.clh), the nearest boxes first. Of hits that count as equally
// far the body with the lowest index is wanted. Where any came so close to the first one, the tree is gone down once
// more, to that distance, for the lowest index. Reference: host/reference/rays. Host: host/queries/ray_cast.cpp.
#line 1 "kernels/rays/body_ray.clh"
// A ray against a convex body of any shape, by its number. Each function hands on to that of the shape
// (rays/<name>_ray.clh), in the body's axes: `foot` is the point of the ray's line that is nearest to its position,
// `way` the line's unit direction.
#ifndef OCLIDE_RAYS_BODY_RAY_CLH
#define OCLIDE_RAYS_BODY_RAY_CLH
#line 1 "kernels/rays/box_ray.clh"
// A ray against a box. What each function is: rays/body_ray.clh.
#ifndef OCLIDE_RAYS_BOX_RAY_CLH
#define OCLIDE_RAYS_BOX_RAY_CLH
#line 1 "kernels/rays/ray.clh"
// A ray, and the line that it is part of beside a body (docs/rays.md). Distances along it are sums of two floats: ten
// kilometres out a float has steps of a millimetre.
#ifndef OCLIDE_RAYS_RAY_CLH
#define OCLIDE_RAYS_RAY_CLH
#line 1 "kernels/math/two_vec.clh"
// Vectors whose components are sums of two floats.
#ifndef OCLIDE_MATH_TWO_VEC_CLH
#define OCLIDE_MATH_TWO_VEC_CLH
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

#line 5 "kernels/math/two_vec.clh"
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

#line 6 "kernels/math/two_vec.clh"
#line 7 "kernels/math/two_vec.clh"
#pragma OPENCL FP_CONTRACT OFF

// a / b; b is not zero.
TwoFloat two_div(TwoFloat a, TwoFloat b) {
  const float q = div_rn(a.hi, b.hi);
  const TwoFloat rest = two_sub(a, two_times(two_float(q, 0.0f), b));
  return two_sum(q, div_rn(rest.hi, b.hi));
}

typedef struct TwoFloat3 {
  TwoFloat x, y, z;
} TwoFloat3;

TwoFloat3 two_float3(__global const float* high, __global const float* low) {
  TwoFloat3 v;
  v.x = two_float(high[0], low[0]);
  v.y = two_float(high[1], low[1]);
  v.z = two_float(high[2], low[2]);
  return v;
}
float3 high_of(TwoFloat3 a) {
  return (float3)(a.x.hi, a.y.hi, a.z.hi);
}
float3 low_of(TwoFloat3 a) {
  return (float3)(a.x.lo, a.y.lo, a.z.lo);
}

TwoFloat3 two_sub3(TwoFloat3 a, TwoFloat3 b) {
  TwoFloat3 c;
  c.x = two_sub(a.x, b.x);
  c.y = two_sub(a.y, b.y);
  c.z = two_sub(a.z, b.z);
  return c;
}
// k a - b.
TwoFloat3 two_along3(TwoFloat k, TwoFloat3 a, TwoFloat3 b) {
  TwoFloat3 c;
  c.x = two_sub(two_times(k, a.x), b.x);
  c.y = two_sub(two_times(k, a.y), b.y);
  c.z = two_sub(two_times(k, a.z), b.z);
  return c;
}
TwoFloat two_dot(TwoFloat3 a, TwoFloat3 b) {
  return two_add(two_add(two_times(a.x, b.x), two_times(a.y, b.y)), two_times(a.z, b.z));
}

// 2 (a + sign b), and 1 - 2 (a + b).
TwoFloat twice_sum(TwoFloat a, TwoFloat b, float sign) {
  return two_scale(2.0f, two_add(a, two_float(sign * b.hi, sign * b.lo)));
}
TwoFloat one_less_twice(TwoFloat a, TwoFloat b) {
  return two_sub(two_float(1.0f, 0.0f), twice_sum(a, b, 1.0f));
}
// Sets c to d in the axes that unit quaternion q (w, x, y, z) turns the world's to. No structure is returned: kernels
// that Oclgrind runs use it (math/code.clh).
INLINED void two_into_axes(__global const float* q, const TwoFloat3* d, TwoFloat3* c) {
  const TwoFloat xx = two_product(q[1], q[1]), yy = two_product(q[2], q[2]), zz = two_product(q[3], q[3]);
  const TwoFloat xy = two_product(q[1], q[2]), xz = two_product(q[1], q[3]), yz = two_product(q[2], q[3]);
  const TwoFloat wx = two_product(q[0], q[1]), wy = two_product(q[0], q[2]), wz = two_product(q[0], q[3]);
  TwoFloat3 x, y, z;
  x.x = one_less_twice(yy, zz);
  x.y = twice_sum(xy, wz, 1.0f);
  x.z = twice_sum(xz, wy, -1.0f);
  y.x = twice_sum(xy, wz, -1.0f);
  y.y = one_less_twice(xx, zz);
  y.z = twice_sum(yz, wx, 1.0f);
  z.x = twice_sum(xz, wy, 1.0f);
  z.y = twice_sum(yz, wx, -1.0f);
  z.z = one_less_twice(xx, yy);
  c->x = two_dot(*d, x);
  c->y = two_dot(*d, y);
  c->z = two_dot(*d, z);
}

#endif

#line 6 "kernels/rays/ray.clh"
#line 1 "kernels/math/vec.clh"
// Vectors with a fixed order of operations: only + - * / sqrt, never a built-in dot, length or normalize.
#ifndef OCLIDE_MATH_VEC_CLH
#define OCLIDE_MATH_VEC_CLH
#line 5 "kernels/math/vec.clh"
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

#line 7 "kernels/rays/ray.clh"
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

#line 8 "kernels/rays/ray.clh"
#pragma OPENCL FP_CONTRACT OFF

#define EQUAL_DISTANCE 3e-5f  // [m] hits that are so close count as equally far

// a - b as a float.
float two_difference(TwoFloat a, TwoFloat b) {
  return (a.hi - b.hi) + (a.lo - b.lo);
}

typedef struct Ray {
  TwoFloat3 origin, direction;
} Ray;

Ray ray_of(__global const RayRecord* r) {
  Ray ray;
  ray.origin = two_float3(r->origin_high, r->origin_low);
  ray.direction = two_float3(r->direction_high, r->direction_low);
  return ray;
}

// The ray's line beside a point: how far along the ray the line is nearest to it, and where that is from the point.
typedef struct NearLine {
  TwoFloat at;
  float3 foot;
} NearLine;

NearLine line_near(const Ray* ray, TwoFloat3 point) {
  const TwoFloat3 to = two_sub3(point, ray->origin);
  NearLine near;
  near.at = two_dot(to, ray->direction);
  const TwoFloat3 foot = two_along3(near.at, ray->direction, to);
  near.foot = high_of(foot) + low_of(foot);
  return near;
}

// Part of a line, in distances from the foot: empty where it ends before it begins.
typedef struct Span {
  float enter, leave;
} Span;

Span no_span() {
  Span s;
  s.enter = 1.0f;
  s.leave = 0.0f;
  return s;
}
Span span_of(float enter, float leave) {
  Span s;
  s.enter = enter;
  s.leave = leave;
  return s;
}
bool is_span(Span s) {
  return s.enter <= s.leave;
}
Span common_span(Span a, Span b) {
  return span_of(max_f(a.enter, b.enter), min_f(a.leave, b.leave));
}

#define ENDLESS 1e30f

// Where |start + t * slope| <= extent.
Span span_in_slab(float start, float slope, float extent) {
  if (abs_f(slope) < 1e-12f) return abs_f(start) <= extent ? span_of(-ENDLESS, ENDLESS) : no_span();
  const float a = div_rn(-extent - start, slope), b = div_rn(extent - start, slope);
  return span_of(min_f(a, b), max_f(a, b));
}

// Where the line foot + t * way, way a unit vector, is in the ball of this radius around the origin. The distance of
// the line, not its square, is held against the radius: beside the silhouette the square has lost what counts.
Span span_in_ball(float3 foot, float3 way, float radius) {
  const float at = -dot3(foot, way);
  const float away = length3(foot + way * at);
  const float half2 = (radius - away) * (radius + away);
  if (!(half2 >= 0.0f)) return no_span();
  const float half_length = sqrt_rn(half2);
  return span_of(at - half_length, at + half_length);
}

// The same of the endless cylinder around the z axis.
Span span_in_pipe(float3 foot, float3 way, float radius) {
  const float across2 = way.x * way.x + way.y * way.y;
  if (across2 < 1e-24f)
    return foot.x * foot.x + foot.y * foot.y <= radius * radius ? span_of(-ENDLESS, ENDLESS) : no_span();
  const float across = sqrt_rn(across2);
  const float away = abs_f(div_rn(foot.x * way.y - foot.y * way.x, across));
  const float half2 = (radius - away) * (radius + away);
  if (!(half2 >= 0.0f)) return no_span();
  const float at = div_rn(-(foot.x * way.x + foot.y * way.y), across2), half_length = div_rn(sqrt_rn(half2), across);
  return span_of(at - half_length, at + half_length);
}

#endif

#line 5 "kernels/rays/box_ray.clh"
#line 1 "kernels/shapes/box.clh"
// The box. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_BOX_CLH
#define OCLIDE_SHAPES_BOX_CLH
#line 1 "kernels/shapes/body_axes.clh"
// A body in its own frame of axes, origin at its centre: what the files of the shapes begin with.
#ifndef OCLIDE_SHAPES_BODY_AXES_CLH
#define OCLIDE_SHAPES_BODY_AXES_CLH
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

#line 6 "kernels/rays/box_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

Span box_span(const Body* b, float3 foot, float3 way) {
  return common_span(common_span(span_in_slab(foot.x, way.x, b->size.x), span_in_slab(foot.y, way.y, b->size.y)),
                     span_in_slab(foot.z, way.z, b->size.z));
}

// Of the faces that look toward the ray the one that the point is farthest out of.
float3 box_normal_at(const Body* b, float3 at, float3 way) {
  const float x = (way.x > 0.0f ? -at.x : at.x) - b->size.x, y = (way.y > 0.0f ? -at.y : at.y) - b->size.y,
              z = (way.z > 0.0f ? -at.z : at.z) - b->size.z;
  const float ex = way.x != 0.0f ? x : -MAXFLOAT, ey = way.y != 0.0f ? y : -MAXFLOAT,
              ez = way.z != 0.0f ? z : -MAXFLOAT;
  if (ex >= ey && ex >= ez) return (float3)(-sign_f(way.x), 0.0f, 0.0f);
  if (ey >= ez) return (float3)(0.0f, -sign_f(way.y), 0.0f);
  return (float3)(0.0f, 0.0f, -sign_f(way.z));
}

#endif

#line 7 "kernels/rays/body_ray.clh"
#line 1 "kernels/rays/capsule_ray.clh"
// A ray against a capsule. What each function is: rays/body_ray.clh.
#ifndef OCLIDE_RAYS_CAPSULE_RAY_CLH
#define OCLIDE_RAYS_CAPSULE_RAY_CLH
#line 5 "kernels/rays/capsule_ray.clh"
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

#line 6 "kernels/rays/capsule_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

// The round side, and the balls at its ends: they overlap, so that what they have together is one part of the line.
Span capsule_span(const Body* b, float3 foot, float3 way) {
  const float3 end = (float3)(0.0f, 0.0f, b->size.y);
  Span all = common_span(span_in_pipe(foot, way, b->size.x), span_in_slab(foot.z, way.z, b->size.y));
  for (int k = 0; k < 2; ++k) {
    const Span ball = span_in_ball(k == 0 ? foot + end : foot - end, way, b->size.x);
    if (!is_span(ball)) continue;
    all = is_span(all) ? span_of(min_f(all.enter, ball.enter), max_f(all.leave, ball.leave)) : ball;
  }
  return all;
}

float3 capsule_normal_at(const Body* b, float3 at, float3 way) {
  (void)way;
  return unit3((float3)(at.x, at.y, at.z - max_f(-b->size.y, min_f(at.z, b->size.y))));
}

#endif

#line 8 "kernels/rays/body_ray.clh"
#line 1 "kernels/rays/convex_hull_ray.clh"
// A ray against a convex hull. What each function is: rays/body_ray.clh.
#ifndef OCLIDE_RAYS_CONVEX_HULL_RAY_CLH
#define OCLIDE_RAYS_CONVEX_HULL_RAY_CLH
#line 5 "kernels/rays/convex_hull_ray.clh"
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

#line 6 "kernels/rays/convex_hull_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

Span convex_hull_span(const Body* b, float3 foot, float3 way) {
  const float2 inside = hull_line_inside(b->hull, foot, way);
  return span_of(inside.x, inside.y);
}

// Of the faces that look toward the ray the first that the point is farthest out of.
OUTLINED float3 hull_normal_at(__global const uint* hull, float3 at, float3 way) {
  const uint count = hull[HULL_FACES];
  float most = -MAXFLOAT;
  float3 normal = -way;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float4 face = hull_face(hull, k);
    const float above = dot3(face.xyz, at) - face.w;
    if (!(above > most && dot3(face.xyz, way) < 0.0f)) continue;
    most = above;
    normal = face.xyz;
  }
  return normal;
}
float3 convex_hull_normal_at(const Body* b, float3 at, float3 way) {
  return hull_normal_at(b->hull, at, way);
}

#endif

#line 9 "kernels/rays/body_ray.clh"
#line 1 "kernels/rays/cylinder_ray.clh"
// A ray against a cylinder. What each function is: rays/body_ray.clh.
#ifndef OCLIDE_RAYS_CYLINDER_RAY_CLH
#define OCLIDE_RAYS_CYLINDER_RAY_CLH
#line 5 "kernels/rays/cylinder_ray.clh"
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

#line 6 "kernels/rays/cylinder_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

Span cylinder_span(const Body* b, float3 foot, float3 way) {
  return common_span(span_in_pipe(foot, way, b->size.x), span_in_slab(foot.z, way.z, b->size.y));
}

// The end that looks toward the ray, or the side: of which the point is farther out.
float3 cylinder_normal_at(const Body* b, float3 at, float3 way) {
  const float out_of_end = (way.z > 0.0f ? -at.z : at.z) - b->size.y;
  const float out_of_side = sqrt_rn(at.x * at.x + at.y * at.y) - b->size.x;
  const bool faces_side = at.x * way.x + at.y * way.y < 0.0f;
  if (way.z != 0.0f && (out_of_end >= out_of_side || !faces_side)) return (float3)(0.0f, 0.0f, -sign_f(way.z));
  return unit3((float3)(at.x, at.y, 0.0f));
}

#endif

#line 10 "kernels/rays/body_ray.clh"
#line 1 "kernels/rays/sphere_ray.clh"
// A ray against a sphere. What each function is: rays/body_ray.clh.
#ifndef OCLIDE_RAYS_SPHERE_RAY_CLH
#define OCLIDE_RAYS_SPHERE_RAY_CLH
#line 5 "kernels/rays/sphere_ray.clh"
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

#line 6 "kernels/rays/sphere_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

Span sphere_span(const Body* b, float3 foot, float3 way) {
  return span_in_ball(foot, way, b->size.x);
}

float3 sphere_normal_at(const Body* b, float3 at, float3 way) {
  (void)b, (void)way;
  return unit3(at);
}

#endif

#line 11 "kernels/rays/body_ray.clh"
#line 1 "kernels/shapes/body.clh"
// A body of any bounded shape, by its number: pose, box, support point, and where a line enters it. Each function hands
// on to that of the shape (shapes/<name>.clh); `shape` mostly is a constant, so that nothing is left of the choice.
#ifndef OCLIDE_SHAPES_BODY_CLH
#define OCLIDE_SHAPES_BODY_CLH
#line 6 "kernels/shapes/body.clh"
#line 7 "kernels/shapes/body.clh"
#line 8 "kernels/shapes/body.clh"
#line 9 "kernels/shapes/body.clh"
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

#line 12 "kernels/rays/body_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

// The part of the line that is in the body.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_span(b, foot, way);
Span body_span(uint shape, const Body* b, float3 foot, float3 way) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return no_span();
}
#undef OCLIDE_CASE

// The unit normal where the line comes in.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_normal_at(b, at, way);
float3 body_normal_at(uint shape, const Body* b, float3 at, float3 way) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return -way;
}
#undef OCLIDE_CASE

#endif

#line 8 "kernels/queries/cast_rays.cl"
#line 1 "kernels/rays/half_space_ray.clh"
// A ray against a half space, which has no bounds: in sums of two floats all the way.
#ifndef OCLIDE_RAYS_HALF_SPACE_RAY_CLH
#define OCLIDE_RAYS_HALF_SPACE_RAY_CLH
#line 5 "kernels/rays/half_space_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

// How far along the ray it comes in, 0 where it begins inside. False where it misses.
bool half_space_enter(const Ray* ray, __global const BodyState* s, __global const PlaneRecord* plane, TwoFloat* at) {
  const TwoFloat3 n = two_float3(plane->axis_high, plane->axis_low);
  const TwoFloat3 from = two_sub3(ray->origin, two_float3(s->position_high, s->position_low));
  const TwoFloat height = two_dot(from, n), slope = two_dot(ray->direction, n);
  *at = two_float(0.0f, 0.0f);
  if (height.hi <= 0.0f) return true;
  if (!(slope.hi < 0.0f)) return false;
  *at = two_div(height, two_float(-slope.hi, -slope.lo));
  return at->hi < MAXFLOAT;
}

#endif

#line 9 "kernels/queries/cast_rays.cl"
#line 1 "kernels/rays/terrain_ray.clh"
// A ray against a terrain: over the cells that it passes, block by block of the pyramid of height bounds
// (terrain/height_bounds.cl), a block at a time where the ray is above all of it. Which cell comes next is said by
// integers, and in a cell the ray's height above the surface is asked where it comes in, over the diagonal and where it
// goes out: so nothing passes between cells or elements.
//
// Places are numbers of cells, floats from the cell of a base point on the ray, which moves along: so they stay small.
#ifndef OCLIDE_RAYS_TERRAIN_RAY_CLH
#define OCLIDE_RAYS_TERRAIN_RAY_CLH
#line 10 "kernels/rays/terrain_ray.clh"
#line 1 "kernels/terrain/terrain_grid.clh"
// The ground around one body, in that body's frame: axes of the world, origin at the body's centre.
//
//        V2 ------- V3        y, i
//        | \  tri 2 |         ^
//        |   \      |         |      lattice site (i, j): vertex V0, the edges V0V1 (right), V0V2 (up) and
//        |     \    |         |      V1V2 (diagonal), and the cell's two elements
//        | tri 1 \  |         |
//        V0 ------- V1        +----> x, j
#ifndef OCLIDE_TERRAIN_TERRAIN_GRID_CLH
#define OCLIDE_TERRAIN_TERRAIN_GRID_CLH
#line 12 "kernels/terrain/terrain_grid.clh"
#line 13 "kernels/terrain/terrain_grid.clh"
#pragma OPENCL FP_CONTRACT OFF

// Before functions of the ground that very many places call: they have it in registers.
#define GRID_FUNCTION __attribute__((always_inline))

typedef struct Ground {
  __global const float* high;      // heights
  __global const float* low;       // low parts of the heights, where has_low
  __global const uchar* open;      // flags of the cells, CELL_OPEN, CELL_FLAT
  __global const uchar* material;  // of the cells, where has_material
  __global const float2* bounds;   // the pyramid, from level 1 on
  __global const ushort* faces;    // of the cells, and their names, FACE_*; of the narrow phase alone
  __global const uint* face_names;
  int rows, cols;       // vertices
  float dx, dy;         // [m]
  int i0, j0;           // cell of the body's centre
  float u, v;           // offset of the centre in that cell [m]
  float z_high, z_low;  // of the centre
  uint has_low, has_material, has_open;
  int first_i, first_j, last_i, last_j;  // the body's range of sites
} Ground;

Ground ground_of(TerrainRecord t, GridPose p, __global const float* heights, __global const float* heights_low,
                 __global const uchar* open, __global const uchar* material, __global const float2* bounds) {
  Ground g;
  g.high = heights + t.vertex_offset;
  g.low = heights_low + t.low_offset;
  g.open = open + t.cell_offset;
  g.material = material + t.material_offset;
  g.bounds = bounds + t.bounds_offset;
  g.faces = 0;
  g.face_names = 0;
  g.rows = t.rows;
  g.cols = t.cols;
  g.dx = t.spacing_x_hi;
  g.dy = t.spacing_y_hi;
  g.i0 = p.cell_i;
  g.j0 = p.cell_j;
  g.u = p.offset_x;
  g.v = p.offset_y;
  g.z_high = p.z_high;
  g.z_low = p.z_low;
  g.has_low = t.has_low;
  g.has_material = t.has_material;
  g.has_open = t.has_open;
  g.first_i = p.first_i - (int)(p.beyond & 0xFFu);
  g.first_j = p.first_j - (int)(p.beyond >> 16 & 0xFFu);
  g.last_i = p.first_i + (int)p.count_i - 1 + (int)(p.beyond >> 8 & 0xFFu);
  g.last_j = p.first_j + (int)p.count_j - 1 + (int)(p.beyond >> 24);
  return g;
}

// Height of vertex number k, row by row, above the body's centre; and of vertex (i, j).
float height_of(const Ground* g, ulong k) {
  const float h = g->high[k] - g->z_high;
  return g->has_low ? h + (g->low[k] - g->z_low) : h - g->z_low;
}
GRID_FUNCTION float height_at(const Ground* g, int i, int j) {
  return height_of(g, (ulong)i * (ulong)g->cols + (ulong)j);
}

GRID_FUNCTION float3 vertex_at(const Ground* g, int i, int j) {
  return (float3)((float)(j - g->j0) * g->dx - g->u, (float)(i - g->i0) * g->dy - g->v, height_at(g, i, j));
}

// Height of vertex (ib, jb) above vertex (ia, ja), without the rounding of either against the body.
GRID_FUNCTION float rise(const Ground* g, int ia, int ja, int ib, int jb) {
  const ulong a = (ulong)ia * (ulong)g->cols + (ulong)ja;
  const ulong b = (ulong)ib * (ulong)g->cols + (ulong)jb;
  const float h = g->high[b] - g->high[a];
  return g->has_low ? h + (g->low[b] - g->low[a]) : h;
}

GRID_FUNCTION bool cell_solid(const Ground* g, int i, int j) {
  return i >= 0 && j >= 0 && i < g->rows - 1 && j < g->cols - 1 &&
         (!g->has_open || (g->open[(ulong)i * (ulong)(g->cols - 1) + (ulong)j] & CELL_OPEN) == 0);
}

GRID_FUNCTION uint cell_material(const Ground* g, int i, int j) {
  return g->has_material ? (uint)g->material[(ulong)i * (ulong)(g->cols - 1) + (ulong)j] : 0u;
}

// Direction of the normals of a cell's elements, z = 1.
GRID_FUNCTION float3 slope_normal_1(const Ground* g, int i, int j) {
  return (float3)(div_rn(-rise(g, i, j, i, j + 1), g->dx), div_rn(-rise(g, i, j, i + 1, j), g->dy), 1.0f);
}
GRID_FUNCTION float3 slope_normal_2(const Ground* g, int i, int j) {
  return (float3)(div_rn(-rise(g, i + 1, j, i + 1, j + 1), g->dx), div_rn(-rise(g, i, j + 1, i + 1, j + 1), g->dy),
                  1.0f);
}

// May a point above the plane of an element beside vertex (i, j), extended, have that vertex for the nearest point of
// the surface over it? Only in a pit with steep sides: the ground rises from it to opposite sides, and the products of
// their slopes add up to more than 1.
GRID_FUNCTION bool is_steep_pit(const Ground* g, int i, int j) {
  if (!(cell_solid(g, i, j) && cell_solid(g, i, j - 1) && cell_solid(g, i - 1, j) && cell_solid(g, i - 1, j - 1)))
    return false;
  const float right = max_f(rise(g, i, j, i, j + 1), 0.0f), up = max_f(rise(g, i, j, i + 1, j), 0.0f);
  if (right == 0.0f && up == 0.0f) return false;
  const float left = max_f(rise(g, i, j, i, j - 1), 0.0f), down = max_f(rise(g, i, j, i - 1, j), 0.0f);
  const float dx2 = g->dx * g->dx, dy2 = g->dy * g->dy;
  return right * left * dy2 + up * down * dx2 > 0.999f * (dx2 * dy2);
}

#define FLAT_SINE2 5.9604645e-8f  // 2^-24
// From this sine on a gap is looked for over a flat edge that is a ridge; below it rounding may have made it.
#define LIFT_SINE 4e-6f

// Two elements are one plane where the sine of the angle between them is at most 2^-12: over a metre they part by a
// quarter of a millimetre, and a float grid of a plane stays well below.
bool same_plane(float3 a, float3 b) {
  const float3 c = cross3(a, b);
  return dot3(c, c) <= FLAT_SINE2 * (dot3(a, a) * dot3(b, b));
}

// Is a point, seen from above, in the cell's element 1 (V0V1V2) or 2 (V3V2V1)? V0 is the cell's first vertex.
GRID_FUNCTION bool in_outline(const Ground* g, float3 v0, int element, float x, float y) {
  const float a = x - v0.x, b = y - v0.y;
  // The diagonal as a line: a/dx + b/dy = 1.
  const float diagonal = a * g->dy + b * g->dx - g->dx * g->dy;
  if (element == 1) return a >= 0.0f && b >= 0.0f && diagonal <= 0.0f;
  return a <= g->dx && b <= g->dy && diagonal >= 0.0f;
}

// Can a point be in the outline with this slack [m], however it is measured? Below 0: is it so far inside?
GRID_FUNCTION bool near_outline(const Ground* g, float3 v0, int element, float x, float y, float slack) {
  const float a = x - v0.x, b = y - v0.y;
  const float diagonal = a * g->dy + b * g->dx - g->dx * g->dy;
  const float room = 1.00001f * slack * (g->dx + g->dy);
  if (element == 1) return a >= -slack && b >= -slack && diagonal <= room;
  return a <= g->dx + slack && b <= g->dy + slack && diagonal >= -room;
}

// Is a point of the element's plane in its outline, with some slack [m] measured in that plane (n its unit normal): on
// a steep element a step along the plane is a small one seen from above.
GRID_FUNCTION bool in_element(const Ground* g, float3 v0, int element, float3 n, float x, float y, float slack) {
  if (!near_outline(g, v0, element, x, y, slack)) return false;
  if (in_outline(g, v0, element, x, y)) return true;
  const float a = x - v0.x, b = y - v0.y;
  const float room_x = slack * sqrt_rn(max_f(1.0f - n.x * n.x, 0.0f));
  const float room_y = slack * sqrt_rn(max_f(1.0f - n.y * n.y, 0.0f));
  const float diagonal = a * g->dy + b * g->dx - g->dx * g->dy;
  const float across = g->dy * n.x + g->dx * n.y;
  const float room = slack * sqrt_rn(max_f((g->dx * g->dx + g->dy * g->dy) - across * across, 0.0f));
  if (element == 1) return a >= -room_x && b >= -room_y && diagonal <= room;
  return a <= g->dx + room_x && b <= g->dy + room_y && diagonal >= -room;
}

// Is x in solid ground, up to 5e-5 m: under a solid cell and not above its surface?
GRID_FUNCTION bool in_ground(const Ground* g, float3 x) {
  const float slack = 5e-5f;
  const int ja = floor_i(div_rn(x.x + g->u - slack, g->dx)), jb = floor_i(div_rn(x.x + g->u + slack, g->dx));
  const int ia = floor_i(div_rn(x.y + g->v - slack, g->dy)), ib = floor_i(div_rn(x.y + g->v + slack, g->dy));
  for (int i = ia; i <= ib; ++i)
    for (int j = ja; j <= jb; ++j) {
      const int ci = g->i0 + i, cj = g->j0 + j;
      if (!cell_solid(g, ci, cj)) continue;
      const float3 v0 = vertex_at(g, ci, cj);
      const float3 v3 = vertex_at(g, ci + 1, cj + 1);
      // Beside the cell, at a wall: as near to its place on the wall.
      const float3 c = (float3)(min_f(max_f(x.x, v0.x), v3.x), min_f(max_f(x.y, v0.y), v3.y), x.z);
      const bool beside = c.x != x.x || c.y != x.y;
      // Under the one or the other element beyond doubt.
      const float z1 = height_at(g, ci, cj + 1), z2 = height_at(g, ci + 1, cj);
      if (in_outline(g, v0, 1, x.x, x.y) &&
          dot3(v0 - x, (float3)((v0.z - z1) * g->dy, (v0.z - z2) * g->dx, g->dx * g->dy)) > 0.0f)
        return true;
      if (in_outline(g, v0, 2, x.x, x.y) &&
          dot3(v3 - x, (float3)((z2 - v3.z) * g->dy, (z1 - v3.z) * g->dx, g->dx * g->dy)) > 0.0f)
        return true;
      if (near_outline(g, v0, 1, x.x, x.y, slack)) {
        const float3 n1 = unit3(slope_normal_1(g, ci, cj));
        if (in_element(g, v0, 1, n1, x.x, x.y, slack) && dot3(v0 - x, n1) >= -slack) return true;
        if (beside && in_outline(g, v0, 1, c.x, c.y) && dot3(v0 - c, n1) >= 0.0f) return true;
      }
      if (near_outline(g, v0, 2, x.x, x.y, slack)) {
        const float3 n2 = unit3(slope_normal_2(g, ci, cj));
        if (in_element(g, v0, 2, n2, x.x, x.y, slack) && dot3(v3 - x, n2) >= -slack) return true;
        if (beside && in_outline(g, v0, 2, c.x, c.y) && dot3(v3 - c, n2) >= 0.0f) return true;
      }
    }
  return false;
}

// Is all of the way from p to q, seen from above, in the outline of an element, so far that rounding does not tell? Of
// a solid element with p below it there is no doubt then that the way is in the ground. (in_ground(), which measures
// from the element's vertices, may deny it by rounding where those are hundreds of metres away.)
bool is_well_under(const Ground* g, float3 v0, int element, float3 p, float3 q) {
  const float inner = -(1e-6f * (g->dx + g->dy) + 1e-5f);
  return near_outline(g, v0, element, p.x, p.y, inner) && near_outline(g, v0, element, q.x, q.y, inner);
}

// Is the ball around x, `below` an element's plane, that touches it, seen from above in the element's outline, so far
// that rounding does not tell? Then no other element is as near.
bool is_ball_under(const Ground* g, float3 v0, int element, float3 x, float below) {
  return near_outline(g, v0, element, x.x, x.y, -(below + (1e-6f * (g->dx + g->dy) + 1e-5f)));
}

// Is x, seen from above, over solid cells and not on the border of any open one (by 1e-5 m)?
GRID_FUNCTION bool all_solid_around(const Ground* g, float3 x) {
  const float slack = 1e-5f;
  const int ja = floor_i(div_rn(x.x + g->u - slack, g->dx)), jb = floor_i(div_rn(x.x + g->u + slack, g->dx));
  const int ia = floor_i(div_rn(x.y + g->v - slack, g->dy)), ib = floor_i(div_rn(x.y + g->v + slack, g->dy));
  for (int i = ia; i <= ib; ++i)
    for (int j = ja; j <= jb; ++j)
      if (!cell_solid(g, g->i0 + i, g->j0 + j)) return false;
  return true;
}

#define SOLID_CELLS 8  // cells a side that all_solid_between() looks at

// Are all cells that the rectangle between a and b lies over, seen from above, solid? False where there are many.
GRID_FUNCTION bool all_solid_between(const Ground* g, float3 a, float3 b) {
  const int ja = floor_i(div_rn(min_f(a.x, b.x) + g->u, g->dx)), jb = floor_i(div_rn(max_f(a.x, b.x) + g->u, g->dx));
  const int ia = floor_i(div_rn(min_f(a.y, b.y) + g->v, g->dy)), ib = floor_i(div_rn(max_f(a.y, b.y) + g->v, g->dy));
  if (ib - ia >= SOLID_CELLS || jb - ja >= SOLID_CELLS) return false;
  for (int i = ia; i <= ib; ++i)
    for (int j = ja; j <= jb; ++j)
      if (!cell_solid(g, g->i0 + i, g->j0 + j)) return false;
  return true;
}

// The height of the surface over x (seen from above) less x.z; -1e30 where no solid cell is there.
GRID_FUNCTION float cover_over(const Ground* g, float3 x) {
  const int cj = g->j0 + floor_i(div_rn(x.x + g->u, g->dx)), ci = g->i0 + floor_i(div_rn(x.y + g->v, g->dy));
  if (!cell_solid(g, ci, cj)) return -1e30f;
  const float3 v0 = vertex_at(g, ci, cj);
  if (in_outline(g, v0, 1, x.x, x.y)) return dot3(v0 - x, slope_normal_1(g, ci, cj));
  return dot3(vertex_at(g, ci + 1, cj + 1) - x, slope_normal_2(g, ci, cj));
}

#endif

#line 11 "kernels/rays/terrain_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

#define BASE_REACH 64.0f  // cells from a base point on, where a new one is taken

// The ray in cells: column u, row v; and its height.
typedef struct GridRay {
  TwoFloat u, v, z;     // of its origin
  TwoFloat du, dv, dz;  // each metre
} GridRay;

// Where the ray is, `after` metres after a base point that is `base` metres along it.
typedef struct GridWalk {
  float base, after;
  int i, j;            // cell
  int base_i, base_j;  // cell that the base point is seen from
  float u, v;          // of the base point in it
  TwoFloat z;          // of the base point
} GridWalk;

TwoFloat grid_place(TwoFloat origin, TwoFloat step, float at) {
  const TwoFloat way = two_product(at, step.hi);
  return two_add(origin, two_sum(way.hi, way.lo + at * step.lo));
}

// Makes the place where the walk is its base point, seen from the cell where it is.
INLINED void rebase(const GridRay* ray, GridWalk* walk) {
  walk->base += walk->after;
  walk->after = 0.0f;
  walk->base_i = walk->i;
  walk->base_j = walk->j;
  const TwoFloat u = grid_place(ray->u, ray->du, walk->base), v = grid_place(ray->v, ray->dv, walk->base);
  walk->u = (u.hi - (float)walk->j) + u.lo;
  walk->v = (v.hi - (float)walk->i) + v.lo;
  walk->z = grid_place(ray->z, ray->dz, walk->base);
}

// How far after the base point the ray comes to line `line` of an axis.
float to_line(int line, int base, float offset, float inverse) {
  return ((float)(line - base) - offset) * inverse;
}

// Corners of a cell: their heights above the walk's base point.
typedef struct CellHeights {
  float h00, h01, h10, h11;  // row, column
} CellHeights;

float height_above(const Ground* g, ulong vertex, TwoFloat z) {
  const float low = g->has_low ? g->low[vertex] - z.lo : -z.lo;
  return (g->high[vertex] - z.hi) + low;
}

// Of a place a, b in the cell, 0 to 1: which element it is in by the sign of a + b - 1; the surface's height.
float surface_at(const CellHeights* h, bool second, float a, float b) {
  return second ? (h->h11 + (h->h10 - h->h11) * (1.0f - a)) + (h->h01 - h->h11) * (1.0f - b)
                : (h->h00 + (h->h01 - h->h00) * a) + (h->h10 - h->h00) * b;
}

// The first place from walk->after to `end` where the ray is not above the cell's surface; its element in `second`.
// False where there is none.
bool enters_surface(const GridWalk* walk, const CellHeights* h, float du, float dv, float dz, float end, float* at,
                    bool* second) {
  const float offset_u = walk->u - (float)(walk->j - walk->base_j),
              offset_v = walk->v - (float)(walk->i - walk->base_i);
  const float t0 = walk->after;
  const float a0 = clamp01(offset_u + du * t0), b0 = clamp01(offset_v + dv * t0);
  const float a1 = clamp01(offset_u + du * end), b1 = clamp01(offset_v + dv * end);
  const float e0 = (a0 + b0) - 1.0f, e1 = (a1 + b1) - 1.0f;
  float from = t0, above = dz * t0 - surface_at(h, e0 > 0.0f, a0, b0);
  *at = from;
  *second = e0 > 0.0f;
  if (above <= 0.0f) return true;
  if ((e0 > 0.0f) != (e1 > 0.0f)) {
    const float part = div_rn(e0, e0 - e1);
    const float middle = t0 + (end - t0) * part, a = clamp01(a0 + (a1 - a0) * part);
    const float above_middle = dz * middle - (h->h01 * a + h->h10 * (1.0f - a));
    if (above_middle <= 0.0f) {
      *at = from + (middle - from) * div_rn(above, above - above_middle);
      return true;
    }
    from = middle;
    above = above_middle;
  }
  *second = e1 > 0.0f;
  const float above_end = dz * end - surface_at(h, e1 > 0.0f, a1, b1);
  if (above_end > 0.0f) return false;
  *at = from + (end - from) * div_rn(above, above - above_end);
  return true;
}

TwoFloat two_height(const Ground* g, int i, int j) {
  const ulong vertex = (ulong)i * (ulong)g->cols + (ulong)j;
  return two_float(g->high[vertex], g->has_low ? g->low[vertex] : 0.0f);
}

// Where the ray goes through the plane of an element: exactly, up to rounding of sums of two floats. `about` where it
// is along the element, and where it would be farther from `about` than `room`.
TwoFloat crosses_element(const GridRay* ray, const Ground* g, int i, int j, bool second, TwoFloat about, float room) {
  const TwoFloat h01 = two_height(g, i, j + 1), h10 = two_height(g, i + 1, j);
  const int ci = second ? i + 1 : i, cj = second ? j + 1 : j;
  const TwoFloat corner = two_height(g, ci, cj);
  const TwoFloat rise_u = second ? two_sub(corner, h10) : two_sub(h01, corner);
  const TwoFloat rise_v = second ? two_sub(corner, h01) : two_sub(h10, corner);
  const TwoFloat u = two_sub(ray->u, two_float((float)cj, 0.0f)), v = two_sub(ray->v, two_float((float)ci, 0.0f));
  const TwoFloat above = two_sub(two_sub(two_sub(ray->z, corner), two_times(rise_u, u)), two_times(rise_v, v));
  const TwoFloat fall = two_sub(two_add(two_times(rise_u, ray->du), two_times(rise_v, ray->dv)), ray->dz);
  if (!(fall.hi > 0.0f)) return about;
  const TwoFloat at = two_div(above, fall);
  return abs_f(two_difference(at, about)) <= room ? at : about;
}

GridRay grid_ray(__global const RayRecord* record, const TerrainRecord* t) {
  const Ray of_world = ray_of(record);
  const TwoFloat cells_x = two_float(t->cells_x_hi, t->cells_x_lo), cells_y = two_float(t->cells_y_hi, t->cells_y_lo);
  GridRay ray;
  ray.u = two_times(two_sub(of_world.origin.x, two_float(t->origin_x_hi, t->origin_x_lo)), cells_x);
  ray.v = two_times(two_sub(of_world.origin.y, two_float(t->origin_y_hi, t->origin_y_lo)), cells_y);
  ray.du = two_times(of_world.direction.x, cells_x);
  ray.dv = two_times(of_world.direction.y, cells_y);
  ray.z = of_world.origin.z;
  ray.dz = of_world.direction.z;
  return ray;
}

// Where the walk comes into the ground, as far as the floats of the walk tell.
typedef struct GroundEntry {
  float base, after;  // their sum is how far along the ray
  float room;         // of that, up to which it may be off [m]
  int i, j;           // cell
  bool second;        // its element V3 V2 V1
  uint way;           // ENTERS_*
} GroundEntry;

#define BEYOND 1.000001f  // more than rounding

#define ENTERS_SURFACE 0u
#define ENTERS_WALL_U 1u  // over a column's line, from where nothing is
#define ENTERS_WALL_V 2u  // over a row's
#define ENTERS_NOT 3u     // it begins in the ground

// False where the ray hits nothing.
INLINED bool enters_ground(__global const RayRecord* record, const TerrainRecord* t, const Ground* g,
                           GroundEntry* entry) {
  const GridRay ray = grid_ray(record, t);
  const float du = ray.du.hi, dv = ray.dv.hi, dz = ray.dz.hi;
  const bool goes_u = abs_f(du) > 1e-18f, goes_v = abs_f(dv) > 1e-18f;
  const float inverse_u = goes_u ? div_rn(1.0f, du) : 0.0f, inverse_v = goes_v ? div_rn(1.0f, dv) : 0.0f;
  const int columns = g->cols - 1, rows = g->rows - 1;

  // The part over the grid, its end somewhat beyond: at the border the walk ends by itself.
  float begin = 0.0f, end = record->length;
  int side = -1;  // that it comes into a cell through: 0 a column's line, 1 a row's, -1 none
  if (goes_u) {
    const float to_low = -(ray.u.hi * inverse_u), to_high = ((float)columns - ray.u.hi) * inverse_u;
    const float near = min_f(to_low, to_high);
    if (near > begin) {
      begin = near;
      side = 0;
    }
    end = min_f(end, max_f(to_low, to_high) * BEYOND);
  } else if (ray.u.hi < 0.0f || ray.u.hi > (float)columns) {
    return false;
  }
  if (goes_v) {
    const float to_low = -(ray.v.hi * inverse_v), to_high = ((float)rows - ray.v.hi) * inverse_v;
    const float near = min_f(to_low, to_high);
    if (near > begin) {
      begin = near;
      side = 1;
    }
    end = min_f(end, max_f(to_low, to_high) * BEYOND);
  } else if (ray.v.hi < 0.0f || ray.v.hi > (float)rows) {
    return false;
  }
  if (begin > end) return false;

  GridWalk walk;
  walk.base = begin;
  walk.after = 0.0f;
  const TwoFloat begin_u = grid_place(ray.u, ray.du, begin), begin_v = grid_place(ray.v, ray.dv, begin);
  walk.j = min(max(floor_i(begin_u.hi), 0), columns - 1);
  walk.i = min(max(floor_i(begin_v.hi), 0), rows - 1);
  // A sum that was rounded up to a whole number.
  if (walk.j > 0 && begin_u.hi == (float)walk.j && begin_u.lo < 0.0f) --walk.j;
  if (walk.i > 0 && begin_v.hi == (float)walk.i && begin_v.lo < 0.0f) --walk.i;
  rebase(&ray, &walk);
  // Kilometres away `begin` is rounded by some tenths of a millimetre: which line is crossed last, and where.
  if (side >= 0) {
    const float in_u = goes_u ? to_line(du > 0.0f ? 0 : columns, walk.base_j, walk.u, inverse_u) : -MAXFLOAT;
    const float in_v = goes_v ? to_line(dv > 0.0f ? 0 : rows, walk.base_i, walk.v, inverse_v) : -MAXFLOAT;
    side = in_u >= in_v ? 0 : 1;
    walk.after = max_f(in_u, in_v);
  }

  int level = 1;
  // Where the levels begin, in front of level 1 the cells.
  __global const float2* bounds = g->bounds;
  int level_cols = ((columns - 1) >> BOUNDS_SHIFT) + 1, level_rows = ((rows - 1) >> BOUNDS_SHIFT) + 1;
  while (true) {
    const int shift = BOUNDS_SHIFT * level;
    const int block_i = walk.i >> shift, block_j = walk.j >> shift;
    const int line_u = (block_j + (du > 0.0f ? 1 : 0)) << shift, line_v = (block_i + (dv > 0.0f ? 1 : 0)) << shift;
    const float to_u = goes_u ? to_line(line_u, walk.base_j, walk.u, inverse_u) : MAXFLOAT;
    const float to_v = goes_v ? to_line(line_v, walk.base_i, walk.v, inverse_v) : MAXFLOAT;
    const float last = end - walk.base;
    const float out = max_f(min_f(min_f(to_u, to_v), last), walk.after);
    bool passes = true;
    if (level > 0) {
      const float top = bounds[(ulong)block_i * (ulong)level_cols + (ulong)block_j].y;
      const float lowest = min_f(dz * walk.after, dz * out);
      const float slack = 4e-7f * ((abs_f(top) + abs_f(walk.z.hi)) + abs_f(lowest));
      passes = lowest > ((top - walk.z.hi) - walk.z.lo) + slack;
      if (!passes) {
        --level;
        if (level > 0) {
          level_cols = ((columns - 1) >> (BOUNDS_SHIFT * level)) + 1;
          level_rows = ((rows - 1) >> (BOUNDS_SHIFT * level)) + 1;
          bounds -= (ulong)level_rows * (ulong)level_cols;
        }
        continue;
      }
    } else if (cell_solid(g, walk.i, walk.j)) {
      const ulong vertex = (ulong)walk.i * (ulong)g->cols + (ulong)walk.j;
      CellHeights h;
      h.h00 = height_above(g, vertex, walk.z);
      h.h01 = height_above(g, vertex + 1u, walk.z);
      h.h10 = height_above(g, vertex + (ulong)g->cols, walk.z);
      h.h11 = height_above(g, vertex + (ulong)g->cols + 1u, walk.z);
      // A steep ray is below all of the cell long before it is at the end.
      const float least = min_f(min_f(h.h00, h.h01), min_f(h.h10, h.h11));
      const float under = dz < 0.0f ? div_rn(least - (1.0f + 1e-3f * abs_f(least)), dz) : out;
      float at;
      if (enters_surface(&walk, &h, du, dv, dz, max_f(min_f(out, under), walk.after), &at, &entry->second)) {
        entry->base = walk.base;
        entry->after = at;
        entry->room = (out - walk.after) * 1.001f + 1e-4f;
        entry->i = walk.i;
        entry->j = walk.j;
        entry->way = ENTERS_SURFACE;
        if (walk.base == 0.0f && at == 0.0f)
          entry->way = ENTERS_NOT;
        else if (at == walk.after && side == 0 && !cell_solid(g, walk.i, walk.j - (du > 0.0f ? 1 : -1)))
          entry->way = ENTERS_WALL_U;
        else if (at == walk.after && side == 1 && !cell_solid(g, walk.i - (dv > 0.0f ? 1 : -1), walk.j))
          entry->way = ENTERS_WALL_V;
        return true;
      }
    }

    // On, over the side that comes first.
    if (out >= last) return false;
    walk.after = out;
    const int first_i = block_i << shift, first_j = block_j << shift, cells = 1 << shift;
    if (to_u <= to_v) {
      side = 0;
      walk.j = du > 0.0f ? line_u : line_u - 1;
      walk.i = min(max(walk.base_i + floor_i(walk.v + dv * out), first_i), min(first_i + cells, rows) - 1);
    } else {
      side = 1;
      walk.i = dv > 0.0f ? line_v : line_v - 1;
      walk.j = min(max(walk.base_j + floor_i(walk.u + du * out), first_j), min(first_j + cells, columns) - 1);
    }
    if (walk.i < 0 || walk.j < 0 || walk.i >= rows || walk.j >= columns) return false;
    if (abs_f(du * out) > BASE_REACH || abs_f(dv * out) > BASE_REACH) rebase(&ray, &walk);
    // Over the side of the block above: its neighbour is looked at as a whole.
    if ((((side == 0 ? line_u : line_v) >> shift) & ((1 << BOUNDS_SHIFT) - 1)) == 0 &&
        (level_rows > 1 || level_cols > 1)) {
      if (level > 0) bounds += (ulong)level_rows * (ulong)level_cols;
      ++level;
      level_cols = ((columns - 1) >> (BOUNDS_SHIFT * level)) + 1;
      level_rows = ((rows - 1) >> (BOUNDS_SHIFT * level)) + 1;
    }
  }
}

// Exactly where a ray that comes into the ground hits, and the normal there.
INLINED void hit_of_entry(__global const RayRecord* record, const TerrainRecord* t, const Ground* g,
                          const GroundEntry* entry, TwoFloat* at, float3* normal) {
  const int i = entry->i, j = entry->j;
  const GridRay ray = grid_ray(record, t);
  const bool up_u = ray.du.hi > 0.0f, up_v = ray.dv.hi > 0.0f;
  *at = two_float(0.0f, 0.0f);
  if (entry->way == ENTERS_NOT) {
    *normal = -(float3)(record->direction_high[0], record->direction_high[1], record->direction_high[2]);
    return;
  }
  if (entry->way == ENTERS_WALL_U) {
    *at = two_div(two_sub(two_float((float)(up_u ? j : j + 1), 0.0f), ray.u), ray.du);
    *normal = (float3)(up_u ? -1.0f : 1.0f, 0.0f, 0.0f);
  } else if (entry->way == ENTERS_WALL_V) {
    *at = two_div(two_sub(two_float((float)(up_v ? i : i + 1), 0.0f), ray.v), ray.dv);
    *normal = (float3)(0.0f, up_v ? -1.0f : 1.0f, 0.0f);
  } else {
    *at = crosses_element(&ray, g, i, j, entry->second, two_sum(entry->base, entry->after), entry->room);
    *normal = unit3(entry->second ? slope_normal_2(g, i, j) : slope_normal_1(g, i, j));
  }
  if (at->hi < 0.0f) *at = two_float(0.0f, 0.0f);
}

#endif

#line 10 "kernels/queries/cast_rays.cl"
#line 1 "kernels/rays/triangle_mesh_ray.clh"
// A ray against a triangle mesh: down the mesh's tree, the nearest boxes first, and against its triangles in a way that
// lets nothing pass between two that share an edge (Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013).
#ifndef OCLIDE_RAYS_TRIANGLE_MESH_RAY_CLH
#define OCLIDE_RAYS_TRIANGLE_MESH_RAY_CLH
#line 1 "kernels/meshes/mesh_query.clh"
// Questions about a whole triangle mesh: the point of its surface nearest to a point, and whether a point is in the
// solid (docs/mesh_contacts.md, "The eye"). Both go down the mesh's tree (shared/meshes.h), in the order of its
// triangles.
#ifndef OCLIDE_MESHES_MESH_QUERY_CLH
#define OCLIDE_MESHES_MESH_QUERY_CLH
#line 1 "kernels/math/level_bits.clh"
// What is still to be visited on the way through a tree of eight: a byte for each level, in two words and not in an
// array, which would be memory on a GPU.
#ifndef OCLIDE_MATH_LEVEL_BITS_CLH
#define OCLIDE_MATH_LEVEL_BITS_CLH
#line 6 "kernels/math/level_bits.clh"
#line 7 "kernels/math/level_bits.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct LevelBits {
  ulong lower, upper;
} LevelBits;
typedef char levels_fit_into_their_bits[MAX_LEVELS <= 16 ? 1 : -1];

LevelBits no_level_bits(void) {
  LevelBits left;
  left.lower = left.upper = 0ul;
  return left;
}
uint level_bits(const LevelBits* left, uint level) {
  return (uint)((level < 8u ? left->lower : left->upper) >> 8u * (level & 7u)) & 0xFFu;
}
INLINED void set_level_bits(LevelBits* left, uint level, uint bits) {
  const ulong others = ~(0xFFul << 8u * (level & 7u)), set = (ulong)bits << 8u * (level & 7u);
  if (level < 8u)
    left->lower = (left->lower & others) | set;
  else
    left->upper = (left->upper & others) | set;
}

#endif

#line 7 "kernels/meshes/mesh_query.clh"
#line 8 "kernels/meshes/mesh_query.clh"
#line 9 "kernels/meshes/mesh_query.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef char mesh_levels_fit_into_level_bits[MESH_MOST_LEVELS <= MAX_LEVELS ? 1 : -1];

// A point in the mesh's axes, high + low [m].
typedef struct MeshPlace {
  __global const uint* mesh;
  float3 high, low;
} MeshPlace;

float3 vertex_from(const MeshPlace* p, uint vertex) {
  return (mesh_vertex(p->mesh, vertex) - p->high) - p->low;
}

// The point of a segment nearest to the origin.
float3 nearest_on_segment(float3 a, float3 b) {
  const float3 d = b - a;
  const float d2 = dot3(d, d);
  return a + d * (d2 > 0.0f ? clamp01(div_rn(-dot3(a, d), d2)) : 0.0f);
}

// The point of triangle k nearest to the place, from there.
INLINED float3 nearest_on_triangle(const MeshPlace* p, uint k) {
  const uint4 vertices = mesh_triangle(p->mesh, k, MESH_ROW_VERTICES);
  const float3 n = as_float3(mesh_triangle(p->mesh, k, MESH_ROW_PLANE).xyz);
  const float3 a = vertex_from(p, vertices.x), b = vertex_from(p, vertices.y), c = vertex_from(p, vertices.z);
  // The height by the vertex that is nearest: the plane is given by rounded numbers.
  const float3 near = dot3(a, a) < dot3(b, b) ? a : b;
  const float3 foot = n * dot3(dot3(c, c) < dot3(near, near) ? c : near, n);
  if (dot3(cross3(b - a, foot - a), n) >= 0.0f && dot3(cross3(c - b, foot - b), n) >= 0.0f &&
      dot3(cross3(a - c, foot - c), n) >= 0.0f)
    return foot;
  float3 best = nearest_on_segment(a, b);
  const float3 bc = nearest_on_segment(b, c), ca = nearest_on_segment(c, a);
  if (dot3(bc, bc) < dot3(best, best)) best = bc;
  if (dot3(ca, ca) < dot3(best, best)) best = ca;
  return best;
}

// Squared distance of the place from box k of a group, rather less; of an empty box a great number.
float box_distance2(__global const float* group, uint k, float3 p) {
  const float3 low = (float3)(group[k], group[8u + k], group[16u + k]);
  const float3 high = (float3)(group[24u + k], group[32u + k], group[40u + k]);
  const float x = max_f(max_f(low.x - p.x, p.x - high.x), 0.0f), y = max_f(max_f(low.y - p.y, p.y - high.y), 0.0f),
              z = max_f(max_f(low.z - p.z, p.z - high.z), 0.0f);
  return ((x * x + y * y) + z * z) * 0.99999f;
}

// The point of the surface nearest to high + low, from there, and the number of the first triangle that has it, as
// bits.
OUTLINED float4 nearest_of_mesh(__global const uint* mesh, float3 high, float3 low) {
  const MeshPlace place = {mesh, high, low};
  const MeshPlace* p = &place;
  const uint levels = mesh[MESH_LEVELS], triangles = mesh[MESH_TRIANGLES];
  // What rounding of the place to float may hide.
  const float rounding = 1e-6f * ((abs_f(p->high.x) + abs_f(p->high.y)) + abs_f(p->high.z)) + length3(p->low);
  // A bound first: down to the nearest box of each level.
  uint entry = 0u;
  ROLLED
  for (uint level = levels; level > 0u; --level) {
    __global const float* group = mesh_group(mesh, level - 1u, entry);
    uint best_box = 0u;
    float least = MAXFLOAT;
    ROLLED
    for (uint k = 0u; k < 8u; ++k) {
      if (!(group[k] <= group[24u + k])) continue;
      const float distance2 = box_distance2(group, k, p->high);
      if (!(distance2 < least)) continue;
      least = distance2;
      best_box = k;
    }
    entry = entry * 8u + best_box;
  }
  const float3 bound = nearest_on_triangle(p, min(entry, triangles - 1u));
  float limit = length3(bound) * 1.00001f + rounding;
  float best2 = MAXFLOAT;
  float3 best = bound;
  uint triangle = min(entry, triangles - 1u);
  LevelBits left;
  left.lower = left.upper = 0ul;
  uint level = levels, group = 0u, next = 0u;
  bool down = true;
  while (true) {
    if (down) {
      --level;
      group = next;
      __global const float* boxes = mesh_group(mesh, level, group);
      uint near = 0u;
      ROLLED
      for (uint k = 0u; k < 8u; ++k)
        if (boxes[k] <= boxes[24u + k] && box_distance2(boxes, k, p->high) <= limit * limit) near |= 1u << k;
      set_level_bits(&left, level, near);
    }
    const uint bits = level_bits(&left, level);
    down = false;
    if (bits == 0u) {
      if (level + 1u == levels) break;
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & (bits - 1u));
    const uint below = group * 8u + lowest_bit(bits);
    if (level > 0u) {
      next = below;
      down = true;
      continue;
    }
    const float3 q = nearest_on_triangle(p, below);
    const float distance2 = dot3(q, q);
    if (!(distance2 < best2)) continue;
    best2 = distance2;
    best = q;
    triangle = below;
    limit = min_f(limit, sqrt_rn(distance2) * 1.00001f + rounding);
  }
  return (float4)(best, as_float(triangle));
}

// Is the place left of the edge from a to b, seen along -z? Vertices of lower number first, so that both triangles at
// an edge get the same answer; by exact products; where the place is on the line it counts as moved a little along x,
// then y.
bool is_left_of(float3 a, float3 b) {
  const TwoFloat turn = two_sub(two_product(a.x, b.y), two_product(a.y, b.x));
  const float sign = turn.hi != 0.0f ? turn.hi : turn.lo;
  if (sign != 0.0f) return sign > 0.0f;
  if (a.y != b.y) return a.y > b.y;
  return b.x > a.x;
}
bool is_left_of_edge(uint from, float3 a, uint to, float3 b) {
  return from < to ? is_left_of(a, b) : !is_left_of(b, a);
}

// How often the surface goes round high + low: triangles over it that turn their backs to it, less those that turn
// their fronts.
OUTLINED int winding_number(__global const uint* mesh, float3 high, float3 low) {
  const MeshPlace place = {mesh, high, low};
  const MeshPlace* p = &place;
  const uint levels = mesh[MESH_LEVELS];
  const float room = 1e-6f * ((abs_f(p->high.x) + abs_f(p->high.y)) + abs_f(p->high.z)) + 2.0f * length3(p->low);
  int winding = 0;
  LevelBits left;
  left.lower = left.upper = 0ul;
  uint level = levels, group = 0u, next = 0u;
  bool down = true;
  while (true) {
    if (down) {
      --level;
      group = next;
      __global const float* boxes = mesh_group(mesh, level, group);
      uint over = 0u;
      ROLLED
      for (uint k = 0u; k < 8u; ++k)
        if (boxes[k] <= p->high.x + room && boxes[24u + k] >= p->high.x - room && boxes[8u + k] <= p->high.y + room &&
            boxes[32u + k] >= p->high.y - room && boxes[40u + k] >= p->high.z - room && boxes[k] <= boxes[24u + k])
          over |= 1u << k;
      set_level_bits(&left, level, over);
    }
    const uint bits = level_bits(&left, level);
    down = false;
    if (bits == 0u) {
      if (level + 1u == levels) break;
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & (bits - 1u));
    const uint below = group * 8u + lowest_bit(bits);
    if (level > 0u) {
      next = below;
      down = true;
      continue;
    }
    const uint4 vertices = mesh_triangle(mesh, below, MESH_ROW_VERTICES);
    const float3 a = vertex_from(p, vertices.x), b = vertex_from(p, vertices.y), c = vertex_from(p, vertices.z);
    const bool ab = is_left_of_edge(vertices.x, a, vertices.y, b), bc = is_left_of_edge(vertices.y, b, vertices.z, c),
               ca = is_left_of_edge(vertices.z, c, vertices.x, a);
    if (ab != bc || bc != ca) continue;
    // Its front looks up where it goes round to the left.
    const float3 n = as_float3(mesh_triangle(mesh, below, MESH_ROW_PLANE).xyz);
    const float height = dot3(a, n);
    if (ab ? height > 0.0f : height < 0.0f) winding += ab ? 1 : -1;
  }
  return winding;
}

#endif

#line 6 "kernels/rays/triangle_mesh_ray.clh"
#line 1 "kernels/rays/ray_boxes.clh"
// A ray on its way down a tree of boxes, of bodies (broad_phase/body_tree.clh) or of a mesh's triangles
// (shared/meshes.h): which boxes of a group it goes through, and which of them first. Boxes are taken rather larger
// than they are, by what rounding may do, so that no box is passed by that has a hit in it.
#ifndef OCLIDE_RAYS_RAY_BOXES_CLH
#define OCLIDE_RAYS_RAY_BOXES_CLH
#line 1 "kernels/math/lanes.clh"
// Numbers of several bodies or sites side by side, one a lane: eight lanes where processors have vectors, one on a GPU
// (-DOCLIDE_LANES=1), where a work-item is a lane of itself. Each lane has the bits of the scalar formula.
//
// A mask is an IntW that is not 0 where a lane is set, -1 of eight lanes and anything of one: masks go through & | !
// and select() alone, and bits_w() makes numbers of them.
#ifndef OCLIDE_MATH_LANES_CLH
#define OCLIDE_MATH_LANES_CLH
#line 9 "kernels/math/lanes.clh"
#pragma OPENCL FP_CONTRACT OFF

#ifndef OCLIDE_LANES
#define OCLIDE_LANES 8
#endif
#define LANES ((uint)OCLIDE_LANES)

#if OCLIDE_LANES == 8
typedef float8 FloatW;
typedef int8 IntW;
typedef uint8 UintW;
typedef Vec8 VecW;
#define convert_float_w convert_float8
#define convert_int_w convert_int8
#define as_float_w as_float8
#define as_int_w as_int8
#define as_uint_w as_uint8
#define load_w(from) vload8(0, from)
#define store_w(lanes, to) vstore8(lanes, 0, to)
#define bits_w(mask, bits) ((mask) & (IntW)(bits))
#define any_w any8
#define all_w all8
#define lanes_set_w lanes_set
#define lane_of_w lane_of
#define abs_w abs8
#define dot_wv dot8v
#define sqrt_w sqrt8
#define div_w div8
#define max_w max8
#define min_w min8
#define against_w against8
#define to_unit_w to_unit8
#define of_eight_w(k, a, b, c, d, e, f, g, h) ((void)(k), (float8)(a, b, c, d, e, f, g, h))
#else
typedef float FloatW;
typedef int IntW;
typedef uint UintW;
typedef struct VecW {
  float x, y, z;
} VecW;
#define convert_float_w convert_float
#define convert_int_w convert_int
#define as_float_w as_float
#define as_int_w as_int
#define as_uint_w as_uint
#define load_w(from) ((from)[0])
#define store_w(lanes, to) ((to)[0] = (lanes))
#define bits_w(mask, bits) ((mask) != 0 ? (int)(bits) : 0)
#define any_w(mask) ((mask) != 0)
#define all_w(mask) ((mask) != 0)
#define lanes_set_w(mask) ((mask) != 0 ? 1u : 0u)
#define lane_of_w(lanes, k) (lanes)
float abs_w(float a) {
  return as_float(as_int(a) & 0x7FFFFFFF);
}
float dot_wv(VecW a, VecW b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
#define sqrt_w sqrt_rn
#define div_w div_rn
#define max_w max_f
#define min_w min_f
float against_w(float a, float extent) {
  return a < 0.0f ? extent : -extent;
}
void to_unit_w(VecW* a) {
  const float l2 = (a->x * a->x + a->y * a->y) + a->z * a->z;
  const float scale = l2 > 1e-30f ? div_rn(1.0f, sqrt_rn(l2)) : 0.0f;
  a->x *= scale;
  a->y *= scale;
  a->z *= scale;
}
// Of eight numbers, a lane each, those from the k-th on.
#define of_eight_w(k, a, b, c, d, e, f, g, h) lane_of((float8)(a, b, c, d, e, f, g, h), k)
#endif

#endif

#line 7 "kernels/rays/ray_boxes.clh"
#line 8 "kernels/rays/ray_boxes.clh"
#line 9 "kernels/rays/ray_boxes.clh"
#pragma OPENCL FP_CONTRACT OFF

// The ray as the boxes' slabs have it. Where it goes along a slab it is taken to go across very slowly.
typedef struct RaySlabs {
  float3 origin, inverse;  // 1 / direction
  float begin;             // the least distance that counts
} RaySlabs;

float slab_inverse(float direction) {
  return div_rn(1.0f, abs_f(direction) < 1e-18f ? (direction < 0.0f ? -1e-18f : 1e-18f) : direction);
}
RaySlabs ray_slabs(float3 origin, float3 direction, float begin) {
  RaySlabs r;
  r.origin = origin;
  r.inverse = (float3)(slab_inverse(direction.x), slab_inverse(direction.y), slab_inverse(direction.z));
  r.begin = begin;
  return r;
}

#define BOX_ROUNDING 6e-7f   // part of a coordinate
#define SLAB_ROUNDING 5e-7f  // part of a distance

// Distances at which the ray comes into boxes, as far as one axis tells, and goes out of them. `low`: the near sides of
// the boxes of LANES lanes, `high` their far sides.
#define BOX_ENTER(k, near) \
  ((near - r->origin.k) * r->inverse.k - (abs_w(near) + abs_f(r->origin.k)) * (BOX_ROUNDING * abs_f(r->inverse.k)))
#define BOX_LEAVE(k, far) \
  ((far - r->origin.k) * r->inverse.k + (abs_w(far) + abs_f(r->origin.k)) * (BOX_ROUNDING * abs_f(r->inverse.k)))

// Of the boxes `bits` of a group the one that the ray comes into first, before `limit`; those that it does not come
// into are taken out of the bits, empty ones too. 8 where there is none.
INLINED uint first_box(__global const float* group, const RaySlabs* r, float limit, uint* bits) {
  const uint x = r->inverse.x < 0.0f ? 24u : 0u, y = r->inverse.y < 0.0f ? 32u : 8u,
             z = r->inverse.z < 0.0f ? 40u : 16u;
  const uint far_x = 24u - x, far_y = 40u - y, far_z = 56u - z;
  uint first = 8u;
  float least = MAXFLOAT;
#if OCLIDE_LANES == 8
  const float8 nx = vload8(0, group + x), ny = vload8(0, group + y), nz = vload8(0, group + z);
  const float8 fx = vload8(0, group + far_x), fy = vload8(0, group + far_y), fz = vload8(0, group + far_z);
  float8 enter = max8(max8(BOX_ENTER(x, nx), BOX_ENTER(y, ny)), BOX_ENTER(z, nz));
  float8 leave = min8(min8(BOX_LEAVE(x, fx), BOX_LEAVE(y, fy)), BOX_LEAVE(z, fz));
  enter = max8(enter - abs8(enter) * SLAB_ROUNDING, (float8)(r->begin));
  leave = min8(leave + abs8(leave) * SLAB_ROUNDING, (float8)(limit));
  *bits &= lanes_set((enter <= leave) & (vload8(0, group) <= vload8(3, group)));
  float entries[8];
  vstore8(enter, 0, entries);
  EACH_BIT(k, *bits) {
    if (!(entries[k] < least)) continue;
    least = entries[k];
    first = k;
  }
#else
  uint hit = 0u;
  EACH_BIT(k, *bits) {
    const float nx = group[x + k], ny = group[y + k], nz = group[z + k];
    const float fx = group[far_x + k], fy = group[far_y + k], fz = group[far_z + k];
    float enter = max_f(max_f(BOX_ENTER(x, nx), BOX_ENTER(y, ny)), BOX_ENTER(z, nz));
    float leave = min_f(min_f(BOX_LEAVE(x, fx), BOX_LEAVE(y, fy)), BOX_LEAVE(z, fz));
    enter = max_f(enter - abs_f(enter) * SLAB_ROUNDING, r->begin);
    leave = min_f(leave + abs_f(leave) * SLAB_ROUNDING, limit);
    if (!(enter <= leave) || !(group[k] <= group[24u + k])) continue;
    hit |= 1u << k;
    if (!(enter < least)) continue;
    least = enter;
    first = k;
  }
  *bits = hit;
#endif
  return first;
}

#endif

#line 7 "kernels/rays/triangle_mesh_ray.clh"
#line 8 "kernels/rays/triangle_mesh_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

// The line in the mesh's axes: `foot` is its point nearest to the mesh's position, `way` its direction. The axes are
// put in such an order that the direction's greatest part is z; then x and y are sheared, so that the line is the z
// axis.
typedef struct MeshLine {
  float3 foot, way;
  int turn;  // the axis that becomes z
  float shear_x, shear_y, scale;
} MeshLine;

float3 turned_axes(float3 v, int turn) {
  return turn == 2 ? v : (turn == 1 ? v.zxy : v.yzx);
}

MeshLine mesh_line(float3 foot, float3 way) {
  MeshLine line;
  line.foot = foot;
  line.way = way;
  const float x = abs_f(way.x), y = abs_f(way.y), z = abs_f(way.z);
  line.turn = z >= x && z >= y ? 2 : (y >= x ? 1 : 0);
  const float3 d = turned_axes(way, line.turn);
  line.shear_x = div_rn(d.x, d.z);
  line.shear_y = div_rn(d.y, d.z);
  line.scale = div_rn(1.0f, d.z);
  return line;
}

// A vertex as the sheared axes have it.
float3 sheared(const MeshLine* line, float3 vertex) {
  const float3 v = turned_axes(vertex - line->foot, line->turn);
  return (float3)(v.x - line->shear_x * v.z, v.y - line->shear_y * v.z, v.z * line->scale);
}

// Where the line goes through the triangle, its border included. The sign of each product of coordinates is that of the
// numbers as they are, or 0: products are rounded to nearest, which keeps their order. So of two triangles at an edge
// one at least has the line. False where it passes by, or goes along the triangle.
bool triangle_crossed(const MeshLine* line, __global const uint* mesh, uint triangle, float* at) {
  const uint4 vertices = mesh_triangle(mesh, triangle, MESH_ROW_VERTICES);
  const float3 a = sheared(line, mesh_vertex(mesh, vertices.x)), b = sheared(line, mesh_vertex(mesh, vertices.y)),
               c = sheared(line, mesh_vertex(mesh, vertices.z));
  const float u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x;
  if ((u < 0.0f || v < 0.0f || w < 0.0f) && (u > 0.0f || v > 0.0f || w > 0.0f)) return false;
  const float all = (u + v) + w;
  if (all == 0.0f) return false;
  *at = div_rn((u * a.z + v * b.z) + w * c.z, all);
  return true;
}

// The first triangle that the line goes through from `begin` to `limit`, and where; MESH_NONE where there is none.
OUTLINED float2 first_triangle(__global const uint* mesh, float3 foot, float3 way, float begin, float limit) {
  const MeshLine line = mesh_line(foot, way);
  const RaySlabs slabs = ray_slabs(foot, way, begin);
  const uint levels = mesh[MESH_LEVELS];
  uint found = MESH_NONE;
  LevelBits left = no_level_bits();
  uint level = levels - 1u, group = 0u;
  set_level_bits(&left, level, 0xFFu);
  while (true) {
    uint bits = level_bits(&left, level);
    const uint k = bits == 0u ? 8u : first_box(mesh_group(mesh, level, group), &slabs, limit, &bits);
    if (k == 8u) {
      if (++level == levels) break;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & ~(1u << k));
    const uint below = group * 8u + k;
    if (level > 0u) {
      --level;
      group = below;
      set_level_bits(&left, level, 0xFFu);
      continue;
    }
    float at;
    if (!triangle_crossed(&line, mesh, below, &at) || !(at >= begin && at < limit)) continue;
    limit = at;
    found = below;
  }
  return (float2)(limit, as_float(found));
}

#endif

#line 11 "kernels/queries/cast_rays.cl"
#pragma OPENCL FP_CONTRACT OFF

void store_hit(__global HitRecord* hit, TwoFloat at, uint body, uint element, float3 normal, uint material) {
  hit->distance_high = at.hi;
  hit->distance_low = at.lo;
  hit->body = body;
  hit->element = element;
  hit->normal[0] = normal.x;
  hit->normal[1] = normal.y;
  hit->normal[2] = normal.z;
  hit->material = material;
}

Ground ground_of_ray(TerrainRecord t, __global const float* heights, __global const float* heights_low,
                     __global const uchar* open, __global const uchar* material, __global const float2* bounds) {
  GridPose nowhere;
  nowhere.cell_i = nowhere.cell_j = nowhere.first_i = nowhere.first_j = 0;
  nowhere.offset_x = nowhere.offset_y = nowhere.z_high = nowhere.z_low = 0.0f;
  nowhere.count_i = nowhere.count_j = nowhere.beyond = 0u;
  return ground_of(t, nowhere, heights, heights_low, open, material, bounds);
}

// Writes of a hit what queries_ground_hits makes one of: base and after as the distance, the room as the normal's first
// number, ENTERS_* as the material.
__kernel void queries_cast_terrain(const uint count, __global const RayRecord* rays,
                                   __global const TerrainRecord* terrains, __global const float* heights,
                                   __global const float* heights_low, __global const uchar* open,
                                   __global const uchar* material, __global const float2* bounds,
                                   __global HitRecord* hits) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const RayRecord* record = rays + item;
  GroundEntry entry;
  bool enters = false;
  uint columns = 0u;
  if (record->terrain != RAY_NONE) {
    const TerrainRecord t = terrains[record->terrain];
    const Ground g = ground_of_ray(t, heights, heights_low, open, material, bounds);
    enters = enters_ground(record, &t, &g, &entry);
    columns = (uint)t.cols - 1u;
  }
  const float3 zero = (float3)(0.0f, 0.0f, 0.0f);
  if (enters)
    store_hit(hits + item, two_float(entry.base, entry.after), HIT_TERRAIN,
              2u * ((uint)entry.i * columns + (uint)entry.j) + (entry.second ? 1u : 0u),
              (float3)(entry.room, 0.0f, 0.0f), entry.way);
  else
    store_hit(hits + item, two_float(0.0f, 0.0f), HIT_NOTHING, 0xFFFFFFFFu, zero, 0u);
}

__kernel void queries_ground_hits(const uint count, __global const RayRecord* rays,
                                  __global const TerrainRecord* terrains, __global const float* heights,
                                  __global const float* heights_low, __global const uchar* open,
                                  __global const uchar* material, __global const float2* bounds,
                                  __global HitRecord* hits) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || hits[item].body != HIT_TERRAIN) return;
  const HitRecord hit = hits[item];
  const TerrainRecord t = terrains[rays[item].terrain];
  const Ground g = ground_of_ray(t, heights, heights_low, open, material, bounds);
  const uint columns = (uint)t.cols - 1u, cell = hit.element / 2u;
  GroundEntry entry;
  entry.base = hit.distance_high;
  entry.after = hit.distance_low;
  entry.room = hit.normal[0];
  entry.i = (int)(cell / columns);
  entry.j = (int)(cell % columns);
  entry.second = (hit.element & 1u) != 0u;
  entry.way = hit.material;
  TwoFloat at;
  float3 normal;
  hit_of_entry(rays + item, &t, &g, &entry, &at, &normal);
  store_hit(hits + item, at, HIT_TERRAIN, hit.element, normal, cell_material(&g, entry.i, entry.j));
}

// How far the search goes, and what it found.
typedef struct Found {
  TwoFloat at;
  uint leaf, body, triangle;  // leaf: place among the states
  bool has_equal;             // another one counts as equally far
} Found;

#define NO_LEAF 0xFFFFFFFFu

// Where the ray comes into a body, 0 where it begins inside, and the triangle of a mesh. False where that is beyond
// `limit`, or nowhere.
INLINED bool enters_body(__global const RayRecord* record, __global const BodyState* s, __global const uint* hulls,
                         TwoFloat limit, TwoFloat* at, uint* triangle) {
  const Ray ray = ray_of(record);
  const NearLine near = line_near(&ray, two_float3(s->position_high, s->position_low));
  const uint shape = s->shape;
  __global const float* q = s->orientation;
  const Body body = body_at(shape, (float3)(s->size[0], s->size[1], s->size[2]), q[0], q[1], q[2], q[3], hulls);
  const float reach = body.radius_bound * 1.000001f + 1e-5f;
  if (dot3(near.foot, near.foot) > reach * reach) return false;
  const float3 foot = into_body(&body, near.foot), way = into_body(&body, high_of(ray.direction));
  Span span;
  *triangle = MESH_NONE;
  if (shape == SHAPE_TRIANGLE_MESH) {
    const float begin = -(near.at.hi + near.at.lo), end = two_difference(limit, near.at);
    if (body.hull[MESH_IS_SOLID] != 0u && abs_f(begin) <= reach &&
        winding_number(body.hull, foot + way * begin, (float3)(0.0f, 0.0f, 0.0f)) > 0) {
      *at = two_float(0.0f, 0.0f);
      return two_difference(*at, limit) <= 0.0f;
    }
    const float2 first = first_triangle(body.hull, foot, way, max_f(begin, -reach), min_f(end, reach) + 1e-5f);
    *triangle = as_uint(first.y);
    if (*triangle == MESH_NONE) return false;
    // What is before the origin is so by rounding.
    span = span_of(first.x, ENDLESS);
  } else {
    span = body_span(shape, &body, foot, way);
  }
  if (!is_span(span)) return false;
  *at = two_add(near.at, two_float(span.enter, 0.0f));
  if (at->hi < 0.0f || (at->hi == 0.0f && at->lo < 0.0f)) {
    if (two_add(near.at, two_float(span.leave, 0.0f)).hi < 0.0f) return false;
    *at = two_float(0.0f, 0.0f);
  }
  return two_difference(*at, limit) <= 0.0f;
}

// Takes a hit over where it is the first so far; with `find_lowest` where its body has the lowest index so far.
INLINED void take_hit(Found* best, bool find_lowest, TwoFloat at, uint leaf, uint body, uint triangle) {
  if (find_lowest) {
    if (body >= best->body) return;
  } else {
    const float nearer = two_difference(best->at, at);
    if (best->leaf != NO_LEAF && abs_f(nearer) <= EQUAL_DISTANCE) best->has_equal = true;
    if (!(nearer > 0.0f) && best->leaf != NO_LEAF) return;
    if (nearer > EQUAL_DISTANCE) best->has_equal = false;
  }
  best->at = at;
  best->leaf = leaf;
  best->body = body;
  best->triangle = triangle;
}

// No further than this a hit counts as equally far as one at `at`.
TwoFloat equal_to(TwoFloat at) {
  return two_add(at, two_float(EQUAL_DISTANCE, 0.0f));
}
TwoFloat lesser(TwoFloat a, TwoFloat b) {
  return two_difference(a, b) < 0.0f ? a : b;
}

// Where the line goes through the plane of a triangle that it hits near `at`: from its vertices as they are seen from
// there, so that what is rounded is of the triangle's size and not of the mesh's.
TwoFloat crosses_triangle(const Ray* ray, __global const BodyState* s, __global const uint* mesh, uint triangle,
                          float3 way, TwoFloat at) {
  const TwoFloat3 position = two_float3(s->position_high, s->position_low);
  const TwoFloat3 from = two_along3(at, ray->direction, two_sub3(position, ray->origin));
  TwoFloat3 point;
  two_into_axes(s->orientation, &from, &point);
  const float3 high = high_of(point), low = low_of(point);
  const uint4 vertices = mesh_triangle(mesh, triangle, MESH_ROW_VERTICES);
  const float3 a = (mesh_vertex(mesh, vertices.x) - high) - low, b = (mesh_vertex(mesh, vertices.y) - high) - low,
               c = (mesh_vertex(mesh, vertices.z) - high) - low;
  const float3 normal = cross3(b - a, c - a);
  const float slope = dot3(normal, way);
  if (slope == 0.0f) return at;
  // By the nearest vertex.
  const float3 near = dot3(a, a) < dot3(b, b) ? a : b;
  const float further = div_rn(dot3(dot3(c, c) < dot3(near, near) ? c : near, normal), slope);
  return abs_f(further) < 1e-2f ? two_add(at, two_float(further, 0.0f)) : at;
}

// What is no farther counts: as the ground that was hit, or than the ray's end.
TwoFloat farthest_of(__global const RayRecord* record, __global const HitRecord* hit) {
  return hit->body == HIT_TERRAIN ? equal_to(two_float(hit->distance_high, hit->distance_low))
                                  : two_float(record->length, 0.0f);
}

// Writes of a hit what queries_body_hits makes one of: the leaf as the normal's first number, as bits.
__kernel void queries_cast_bodies(const uint count, __global const RayRecord* rays, const uint leaves,
                                  const uint levels, __global const uint* level_group, __global const float* boxes,
                                  __global const BodyState* states, __global const PairBody* bodies, const uint filters,
                                  __global const PlaneRecord* planes, __global const uint* half_space_offsets,
                                  __global const uint* half_space_list, __global const uint* hulls,
                                  __global HitRecord* hits) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const RayRecord* record = rays + item;
  const uint environment = record->environment, mask = record->mask;
  if (environment == RAY_NONE) return;
  const float3 origin = (float3)(record->origin_high[0], record->origin_high[1], record->origin_high[2]);
  const float3 direction = (float3)(record->direction_high[0], record->direction_high[1], record->direction_high[2]);
  const RaySlabs slabs = ray_slabs(origin, direction, 0.0f);
  __global HitRecord* hit = hits + item;
  Found best;
  best.at = farthest_of(record, hit);
  best.leaf = NO_LEAF;
  best.body = best.triangle = 0xFFFFFFFFu;
  best.has_equal = false;
  bool find_lowest = false;
  TwoFloat limit = best.at;
  ROLLED
  while (true) {
    const uint first = half_space_offsets[environment], last = half_space_offsets[environment + 1u];
    for (uint k = first; k < last; ++k) {
      const uint leaf = leaves + half_space_list[k];
      __global const BodyState* s = states + leaf;
      TwoFloat at;
      const Ray ray = ray_of(record);
      if (((filters != 0u ? bodies[s->record].category : 1u) & mask) != 0u &&
          half_space_enter(&ray, s, planes + half_space_list[k], &at) && two_difference(at, limit) <= 0.0f)
        take_hit(&best, find_lowest, at, leaf, s->body, MESH_NONE);
      if (!find_lowest && best.leaf != NO_LEAF) limit = lesser(equal_to(best.at), farthest_of(record, hit));
    }
    LevelBits left = no_level_bits();
    uint level = levels, group = 0u;
    if (leaves > 0u) set_level_bits(&left, --level, 0xFFu);
    while (level < levels) {
      uint bits = level_bits(&left, level);
      __global const float* boxes_of_group = boxes + (size_t)(level_group[level] + group) * GROUP_FLOATS;
      __global const uint* words = (__global const uint*)boxes_of_group;
      uint k = 8u;
      if (bits != 0u) {
        const float reach = limit.hi + abs_f(limit.hi) * 1e-6f;
        k = first_box(boxes_of_group, &slabs, reach, &bits);
        if (k != 8u && (words[48u + k] > environment || words[56u + k] < environment)) {
          set_level_bits(&left, level, bits & ~(1u << k));
          continue;
        }
      }
      if (k == 8u) {
        ++level;
        group >>= 3;
        continue;
      }
      set_level_bits(&left, level, bits & ~(1u << k));
      const uint below = group * GROUP_WIDTH + k;
      if (level > 0u) {
        --level;
        group = below;
        set_level_bits(&left, level, 0xFFu);
        continue;
      }
      __global const BodyState* s = states + below;
      if (((filters != 0u ? bodies[s->record].category : 1u) & mask) == 0u) continue;
      TwoFloat at;
      uint triangle;
      if (!enters_body(record, s, hulls, limit, &at, &triangle)) continue;
      take_hit(&best, find_lowest, at, below, s->body, triangle);
      if (!find_lowest) limit = lesser(equal_to(best.at), farthest_of(record, hit));
    }
    if (find_lowest || best.leaf == NO_LEAF || !best.has_equal) break;
    // Once more: the lowest index of those that are no farther than this.
    find_lowest = true;
    limit = lesser(equal_to(best.at), farthest_of(record, hit));
    best.body = 0xFFFFFFFFu;
  }
  if (best.leaf == NO_LEAF) return;
  store_hit(hit, best.at, states[best.leaf].body, best.triangle, (float3)(as_float(best.leaf), 0.0f, 0.0f), 0u);
}

__kernel void queries_body_hits(const uint count, __global const RayRecord* rays, const uint leaves,
                                __global const BodyState* states, __global const PlaneRecord* planes,
                                __global const uint* hulls, __global HitRecord* hits) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || hits[item].body >= HIT_NOTHING) return;
  __global HitRecord* hit = hits + item;
  const Ray ray = ray_of(rays + item);
  const float3 direction = high_of(ray.direction);
  TwoFloat at = two_float(hit->distance_high, hit->distance_low);
  const uint triangle = hit->element;
  const uint leaf = as_uint(hit->normal[0]);
  __global const BodyState* s = states + leaf;
  float3 normal = -direction;
  uint element = 0xFFFFFFFFu, material = 0u;
  if (triangle != MESH_NONE || at.hi > 0.0f) {
    if (s->shape == SHAPE_HALF_SPACE) {
      __global const PlaneRecord* plane = planes + (leaf - leaves);
      normal = high_of(two_float3(plane->axis_high, plane->axis_low));
    } else {
      __global const float* q = s->orientation;
      const Body body = body_at(s->shape, (float3)(s->size[0], s->size[1], s->size[2]), q[0], q[1], q[2], q[3], hulls);
      const float3 way = into_body(&body, direction);
      float3 own;
      if (triangle != MESH_NONE) {
        const uint4 plane = mesh_triangle(body.hull, triangle, MESH_ROW_PLANE);
        own = as_float3(plane.xyz);
        if (dot3(own, way) > 0.0f) own = -own;
        element = mesh_triangle(body.hull, triangle, MESH_ROW_VERTICES).w;
        material = plane.w >> MESH_FLAG_MATERIAL;
        at = crosses_triangle(&ray, s, body.hull, triangle, way, at);
        if (at.hi < 0.0f) at = two_float(0.0f, 0.0f);
      } else {
        const NearLine near = line_near(&ray, two_float3(s->position_high, s->position_low));
        const float3 point = into_body(&body, near.foot) + way * two_difference(at, near.at);
        own = body_normal_at(s->shape, &body, point, way);
      }
      normal = unit3(out_of_body(&body, own));
    }
  }
  store_hit(hit, at, s->body, element, normal, material);
}

