#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/narrow_phase/cylinder_capsule.cl"
// Cylinder against capsule; see docs/body_contacts.md. Launch and output: kernels/pairs/pair.clh. Reference:
// host/reference/narrow_phase/cylinder_capsule.cpp.
//
// The capsule is its segment, and the ball's radius is added to the depth. The least direction is a base's, or across
// one of the two axes; from an end of the segment to a rim only where the segment is outside.
#ifndef OCLIDE_FUSED_PAIRS
#define PAIR_A SHAPE_CYLINDER
#define PAIR_B SHAPE_CAPSULE
#endif
#line 1 "kernels/pairs/least_penetration.clh"
// Least overlap of two convex bodies of which one at least is round (docs/body_contacts.md): the unit vector n of the
// least
//
//     f(n) = h_A(n) + h_B(n) - n.p        p: from the centre of the second body to that of the first; n along p
//
// A box is a sum of three segments, a cylinder one of a segment and a disc, so f is the signed distance of p to the
// border of a sum Z of segments and discs, and its least value is at one of few kinds of normals of Z:
//
//   flat     a face's normal: a disc's pole, a box's face, the cross of two segments (sides and edges count)
//   line     perpendicular to one segment: in the plane across it Z is a polygon with rounded corners, which are arcs
//            of circles or (a disc seen from the side) of ellipses
//   corner   the rest: a rim against a corner, an end or a rim
//
// All candidates are evaluated in full, so each value is an upper bound of the depth: f below -margin at any n proves
// the bodies apart. What a lower bound leaves no room for is not searched: a point of Z seen from p is one, its
// distance along n.
#ifndef OCLIDE_PAIRS_LEAST_PENETRATION_CLH
#define OCLIDE_PAIRS_LEAST_PENETRATION_CLH
#line 1 "kernels/math/lanes.clh"
// Numbers of several bodies or sites side by side, one a lane: eight lanes where processors have vectors, one on a GPU
// (-DOCLIDE_LANES=1), where a work-item is a lane of itself. Each lane has the bits of the scalar formula.
//
// A mask is an IntW that is not 0 where a lane is set, -1 of eight lanes and anything of one: masks go through & | !
// and select() alone, and bits_w() makes numbers of them.
#ifndef OCLIDE_MATH_LANES_CLH
#define OCLIDE_MATH_LANES_CLH
#line 1 "kernels/math/vec8.clh"
// Eight vectors side by side: to the bit what math/vec.clh gives for each of them.
#ifndef OCLIDE_MATH_VEC8_CLH
#define OCLIDE_MATH_VEC8_CLH
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

#line 20 "kernels/pairs/least_penetration.clh"
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

#line 21 "kernels/pairs/least_penetration.clh"
#pragma OPENCL FP_CONTRACT OFF

// The best direction so far.
typedef struct LeastOverlap {
  float3 n;
  float overlap;
} LeastOverlap;

void take_less(float3 n, float overlap, LeastOverlap* least) {
  if (!(overlap < least->overlap)) return;
  least->n = n;
  least->overlap = overlap;
}

// Roots, quotients and absolute values side by side: in each component the bits of the scalar ones.
float4 sqrt4(float4 a) {
  return (float4)(sqrt_rn(a.x), sqrt_rn(a.y), sqrt_rn(a.z), sqrt_rn(a.w));
}
float4 div4(float4 a, float4 b) {
  return (float4)(div_rn(a.x, b.x), div_rn(a.y, b.y), div_rn(a.z, b.z), div_rn(a.w, b.w));
}
float4 abs4(float4 a) {
  return as_float4(as_int4(a) & 0x7FFFFFFF);
}

float2 unit2(float x, float y) {
  const float l2 = x * x + y * y;
  if (!(l2 > 1e-30f)) return (float2)(0.0f, 1.0f);
  const float s = div_rn(1.0f, sqrt_rn(l2));
  return (float2)(x * s, y * s);
}

// Normal of an ellipse (semi-axes: minor b along x, major a along y) at its point nearest to q, q.x and q.y >= 0,
// inside or outside: n = (q.x / t, q.y / (a^2 - b^2 + t)) with the one t > 0 that puts the point on the ellipse.
// Newton's method on the inverse length, which rises to its root from below and is exact in few steps.
float2 ellipse_normal(float a, float b, float qx, float qy) {
  if (!(a > 1e-20f)) return unit2(qx, qy);
  const float scale = div_rn(1.0f, a);
  const float minor = max_f(b * scale, 1e-6f), x = max_f(qx * scale, 2e-7f), y = qy * scale;
  const float d = (1.0f - minor) * (1.0f + minor), u = minor * x;
  float t = max_f(u, y - d);
  for (int k = 0; k < 18; ++k) {
    const float it = div_rn(1.0f, t), is = div_rn(1.0f, d + t);
    const float ex = u * it, ey = y * is;
    const float l2 = ex * ex + ey * ey, l = sqrt_rn(l2);
    if (!(l > 1.0f)) break;
    t += div_rn((l - 1.0f) * l2, ex * ex * it + ey * ey * is);
    if (l < 1.0f + 1e-6f) break;
  }
  return unit2(x * (d + t), y * t);
}

// The same for q.x < 0 < q.y, seen from below the ellipse's middle: a local minimum between the normals `from` (nearer
// to the minor axis) and `to` of this quadrant. With the point at (b c, a s) the slope is
//
//     g(c, s) = (a^2 - b^2) c s + b q.x s - a q.y c
//
// negative at first, then positive at most once: the minimum is before the greatest g. False where there is none.
bool ellipse_inner_normal(float a, float b, float qx, float qy, float2 from, float2 to, float2* n) {
  const float scale = div_rn(1.0f, max_f(a, 1e-20f));
  const float minor = max_f(b * scale, 1e-6f), x = minor * (qx * scale), y = qy * scale;
  const float d = (1.0f - minor) * (1.0f + minor);
  if (!(y < d)) return false;
  const float s0 = div_rn(y, d), s1 = 0.25f * (s0 + sqrt_rn(s0 * s0 + 8.0f));
  float2 low = unit2(from.x * minor, from.y), high = unit2(to.x * minor, to.y);
  if (s1 < high.y) high = (float2)(sqrt_rn(max_f(1.0f - s1 * s1, 0.0f)), s1);
  if (!(low.y < high.y) || !((d * high.y - y) * high.x + x * high.y > 0.0f)) return false;
  // Halves first, then Newton's method within what is left.
  float2 at = low;
  for (int i = 0; i < 20; ++i) {
    const float value = (d * at.y - y) * at.x + x * at.y;
    if (value < 0.0f)
      low = at;
    else
      high = at;
    float2 to = unit2(low.x + high.x, low.y + high.y);
    if (i > 5) {
      const float slope = d * (at.x * at.x - at.y * at.y) + x * at.x + y * at.y;
      const float step = div_rn(-value, slope);
      const float2 newton = unit2(at.x - at.y * step, at.y + at.x * step);
      if (newton.y > low.y && newton.y < high.y) to = newton;
    }
    const float2 moved = to - at;
    at = to;
    if (moved.x * moved.x + moved.y * moved.y < 1e-13f) break;
  }
  *n = unit2(at.x, minor * at.y);
  return true;
}

// Seen along an axis: the sum of a segment (half length `seg`, along x) and a disc of radius r seen obliquely, minor
// axis r * k along x. Normal n, n.x and n.y >= 0, of its border's point nearest to (x, y), x and y >= 0.
OUTLINED float2 line_rim_normal(float r, float k, float seg, float x, float y) {
  if (x >= seg) return ellipse_normal(r, r * k, x - seg, y);
  // The flat side; deep inside the rounded end may be nearer.
  const float2 flat = (float2)(0.0f, 1.0f);
  float2 n;
  if (y >= r || !ellipse_inner_normal(r, r * k, x - seg, max_f(y, 0.0f), (float2)(1.0f, 0.0f), flat, &n)) return flat;
  const float across = k * n.x;
  return r * sqrt_rn(across * across + n.y * n.y) - (n.x * (x - seg) + n.y * y) < r - y ? n : flat;
}

// Two bodies of revolution in a common frame. Axes: z that of the first, (s, 0, k) that of the second, s and k >= 0.
// Mirrored so that p.y and p.z >= 0.
typedef struct AxisFrame {
  float3 x, y, z;  // the frame's axes in the world
  float s, k;
  float3 p;
  float h1, r1, h2, r2;
} AxisFrame;

AxisFrame axis_frame(const Body* a, const Body* b, float3 c) {
  AxisFrame f;
  f.z = a->z;
  const float along = dot3(f.z, b->z);
  const float3 v = along < 0.0f ? -b->z : b->z;
  float3 across = v - f.z * abs_f(along);
  f.s = length3(across);
  if (f.s < 1e-6f) {
    // Parallel: any direction across the axis, that of the centres where there is one, and not only its rounding.
    f.s = 0.0f;
    across = c - f.z * dot3(c, f.z);
    if (dot3(across, across) < 1e-12f + 1e-10f * dot3(c, c)) across = a->x;
  }
  across = unit3(across);
  f.x = unit3(across - f.z * dot3(across, f.z));
  f.y = cross3(f.z, f.x);
  f.k = abs_f(along);
  f.p = (float3)(-dot3(c, f.x), -dot3(c, f.y), -dot3(c, f.z));
  // Z is the same mirrored in its centre, and across the plane of the axes.
  if (f.p.z < 0.0f) {
    f.x = -f.x;
    f.y = -f.y;
    f.z = -f.z;
    f.p = -f.p;
  }
  if (f.p.y < 0.0f) {
    f.y = -f.y;
    f.p.y = -f.p.y;
  }
  f.r1 = a->size.x;
  f.h1 = a->size.y;
  f.r2 = b->size.x;
  f.h2 = b->size.y;
  return f;
}

float3 frame_to_world(const AxisFrame* f, float3 n) {
  return unit3((f->x * n.x + f->y * n.y) + f->z * n.z);
}

#endif

#line 11 "kernels/narrow_phase/cylinder_capsule.cl"
#line 1 "kernels/pairs/manifold.clh"
// From the normal of two bodies to their contact points, by what they turn to each other: flat sides, lines, points;
// see docs/body_contacts.md, section "Manifold".
#ifndef OCLIDE_PAIRS_MANIFOLD_CLH
#define OCLIDE_PAIRS_MANIFOLD_CLH
#line 1 "kernels/pairs/base_patch.clh"
// A cylinder's base over the face of a box or over another base.
#ifndef OCLIDE_PAIRS_BASE_PATCH_CLH
#define OCLIDE_PAIRS_BASE_PATCH_CLH
#line 1 "kernels/pairs/circle_patch.clh"
// Discs on the plane of a flat side: arcs and their points, and the part of a polygon inside a circle.
#ifndef OCLIDE_PAIRS_CIRCLE_PATCH_CLH
#define OCLIDE_PAIRS_CIRCLE_PATCH_CLH
#line 1 "kernels/pairs/patch.clh"
// The part of a flat side that another body is over, as a polygon in the plane of that side, and its contacts; see
// docs/body_contacts.md, section "Manifold".
//
//   The side of one body (the plane's) is the plane of drawing; the other turns a face, a line or a point to it.
//
//            m                w  the plane body's outward normal
//        \   ^   other        m  n or -n, from the plane's body to the other; within 45 degrees of w
//      ___\__|____            A line along m meets the plane at (x, y) along u and v; the other's surface lies
//     u <--- F  plane body    depth d(x, y) below the plane, measured along m: linear where that surface is flat.
//
// Numbers of features: of a box corners 0..7 (bit k: positive side of axis k), edges 8..19, faces 20..25; of a cylinder
// or capsule the end (0 lower, 1 upper) and twice the role (ROLE_*).
#ifndef OCLIDE_PAIRS_PATCH_CLH
#define OCLIDE_PAIRS_PATCH_CLH
#line 16 "kernels/pairs/patch.clh"
#line 1 "kernels/pairs/pair.clh"
// Two bodies as a narrow-phase kernel sees them, and how it hands on what it finds (docs/body_contacts.md).
//
//        first ( O )--- c --->( second )        frame: axes of the world, origin at the first body's centre
//                 <--- n                        n: from the second body toward the first
//
// A pair's function gets bodies of fixed shapes, the lower shape first, and fills a Manifold. It knows nothing of
// indices; which of the two is A is settled here, once.
#ifndef OCLIDE_PAIRS_PAIR_CLH
#define OCLIDE_PAIRS_PAIR_CLH
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

#line 11 "kernels/pairs/pair.clh"
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

#line 12 "kernels/pairs/pair.clh"
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

#line 13 "kernels/pairs/pair.clh"
#line 14 "kernels/pairs/pair.clh"
#line 15 "kernels/pairs/pair.clh"
#pragma OPENCL FP_CONTRACT OFF

#define MANIFOLD_POINTS 4

// A program with pairs of one kind says which, in PAIR_A and PAIR_B: what is OUTLINED there has the code of these two
// shapes alone. The shape of the first body, of the second, of either:
#ifdef PAIR_A
#define SHAPE_OF_FIRST(shape) ((void)(shape), PAIR_A)
#define SHAPE_OF_SECOND(shape) ((void)(shape), PAIR_B)
#define SHAPE_OF_EITHER(shape) ((shape) == PAIR_A ? PAIR_A : PAIR_B)
#define HAS_HULLS (PAIR_A == SHAPE_CONVEX_HULL || PAIR_B == SHAPE_CONVEX_HULL)
#else
#define SHAPE_OF_FIRST(shape) (shape)
#define SHAPE_OF_SECOND(shape) (shape)
#define SHAPE_OF_EITHER(shape) (shape)
#define HAS_HULLS false
#endif

typedef struct Manifold {
  float3 normal;                  // unit, from the second body toward the first
  float3 point[MANIFOLD_POINTS];  // on the first body, relative to its centre [m]
  float depth[MANIFOLD_POINTS];   // [m]
  uint feature[MANIFOLD_POINTS];
  uint count;  // 0: no contact
} Manifold;

void manifold_add(Manifold* m, float3 point, float depth, uint feature) {
  m->point[m->count] = point;
  m->depth[m->count] = depth;
  m->feature[m->count] = feature;
  m->count += 1u;
}

// The same before all others; of a full manifold the last one goes.
void manifold_add_first(Manifold* m, float3 point, float depth, uint feature) {
  if (m->count < MANIFOLD_POINTS) m->count += 1u;
  for (uint k = m->count - 1u; k > 0u; --k) {
    m->point[k] = m->point[k - 1u];
    m->depth[k] = m->depth[k - 1u];
    m->feature[k] = m->feature[k - 1u];
  }
  m->point[0] = point;
  m->depth[0] = depth;
  m->feature[0] = feature;
}

// The two features that meet: numbers in the frames of the first and the second body. Only hulls have some of 2^16 and
// more: what is beyond 16 bits is mixed into the whole.
uint mixed_feature(uint first, uint second) {
  return (first << 16 ^ second) ^ (first >> 16) * 0x9E3779B1u ^ (second >> 16) * 0x85EBCA77u;
}
uint pair_feature(uint first, uint second) {
  return HAS_HULLS ? mixed_feature(first, second) : first << 16 | second;
}

Body state_body(__global const BodyState* s, uint shape, __global const uint* hulls) {
  return body_at(shape, (float3)(s->size[0], s->size[1], s->size[2]), s->orientation[0], s->orientation[1],
                 s->orientation[2], s->orientation[3], hulls);
}

// The sum of two floats each, all components at once: as two_sum (two_float.clh).
float3 sum_and_rest(float3 a, float3 b, float3* rest) {
  const float3 sum = a + b, of_b = sum - a;
  *rest = (a - (sum - of_b)) + (b - of_b);
  return sum;
}

// Centre of b as seen from the centre of a: as two_sub.
float3 centre_to_centre(__global const BodyState* a, __global const BodyState* b) {
  const float3 a_high = (float3)(a->position_high[0], a->position_high[1], a->position_high[2]);
  const float3 a_low = (float3)(a->position_low[0], a->position_low[1], a->position_low[2]);
  const float3 b_high = (float3)(b->position_high[0], b->position_high[1], b->position_high[2]);
  const float3 b_low = (float3)(b->position_low[0], b->position_low[1], b->position_low[2]);
  float3 rest;
  const float3 high = sum_and_rest(b_high, -a_high, &rest);
  const float3 sum = sum_and_rest(high, rest + (b_low - a_low), &rest);
  return sum + rest;
}

// Two bodies of one shape: true when b comes first. Depends on sizes and poses alone.
bool state_precedes(__global const BodyState* b, __global const BodyState* a) {
  for (int k = 0; k < 3; ++k)
    if (a->size[k] != b->size[k]) return b->size[k] < a->size[k];
  for (int k = 0; k < 3; ++k) {
    if (a->position_high[k] != b->position_high[k]) return b->position_high[k] < a->position_high[k];
    if (a->position_low[k] != b->position_low[k]) return b->position_low[k] < a->position_low[k];
  }
  for (int k = 0; k < 4; ++k)
    if (a->orientation[k] != b->orientation[k]) return b->orientation[k] < a->orientation[k];
  return false;
}

// Puts a manifold in the store, seen from the body with the smaller index; what does not fit is only counted.
void store_manifold(const Manifold* m, __global const BodyState* first, __global const BodyState* second, float3 c,
                    StoreSlots* slots, uint capacity, __global PairContactRecord* store, __global PairResult* result) {
  const bool turned = first->body > second->body;
  const uint at = m->count > 0u ? take_store_slots(slots, m->count) : 0u;
  result->body_a = turned ? second->body : first->body;
  result->body_b = turned ? first->body : second->body;
  result->first = at;
  result->count = m->count;
  if (at + m->count > capacity) return;
  // Either side is as likely as the other: chosen by bits, for a branch would be wrong every other time.
  const int3 on_second = (int3)((int)(((long)second->body - (long)first->body) >> 63));
  const float3 n = as_float3(as_int3(m->normal) ^ (on_second & (int)0x80000000));
  for (uint k = 0u; k < m->count; ++k) {
    const int3 of_first = as_int3(m->point[k]);
    const int3 of_second = as_int3((m->point[k] + m->normal * m->depth[k]) - c);
    const float3 p = as_float3((of_second & on_second) | (of_first & ~on_second));
    __global PairContactRecord* to = store + at + k;
    to->point[0] = p.x;
    to->point[1] = p.y;
    to->point[2] = p.z;
    to->normal[0] = n.x;
    to->normal[1] = n.y;
    to->normal[2] = n.z;
    to->depth = m->depth[k];
    to->feature = m->feature[k];
  }
}

// The states of the pair that comes PAIRS_AHEAD after the k-th, and the numbers of the one that comes as long after it.
#define PAIRS_AHEAD 6u
void fetch_pairs_ahead(uint k, uint end, __global const uint* order, __global const uint2* pairs,
                       __global const BodyState* states) {
  if (!FETCHES_EARLY) return;
  if (k + 2u * PAIRS_AHEAD < end) FETCH_EARLY(pairs + order[k + 2u * PAIRS_AHEAD]);
  if (k + PAIRS_AHEAD >= end) return;
  const uint2 pair = pairs[order[k + PAIRS_AHEAD]];
  FETCH_EARLY(states + pair.x);
  FETCH_EARLY(states + pair.y);
}

// The arguments and the thin entry of every pair kernel, with
//   void function(__global const BodyState** first, __global const BodyState** second, __global const uint* hulls,
//                 float margin, float3* c, Manifold* m)
// which may swap the two. The work-items share `count` pairs evenly, or what is left of found[0] where that is less:
// order[first_pair + k] is the number of the k-th among pairs (leaf, leaf), the lower shape first, and results. Those
// of another kind than `kind`, unless it is ANY_KIND, are left alone. found[1] counts the slots that are taken in
// the store, some of which may stay empty, found[2] the contacts.
#define STATES_KERNEL_OF(name, function)                                                                      \
  __attribute__((vec_type_hint(float4))) __kernel void name(                                                  \
      const uint first_pair, const uint count, const uint block, const uint kind, __global const uint* kinds, \
      __global const uint* order, __global const uint2* pairs, __global const BodyState* states,              \
      __global const uint* hulls, const float margin, const uint capacity, __global uint* found,              \
      __global PairContactRecord* store, __global PairResult* results) {                                      \
    const uint there = found[0] > first_pair ? min(found[0] - first_pair, count) : 0u;                        \
    const ItemRun run = run_of_item(there);                                                                   \
    if (run.first == run.last) return;                                                                        \
    const uint end = first_pair + run.last;                                                                   \
    StoreSlots slots = store_slots_in(found + 1, block);                                                      \
    uint contacts = 0u;                                                                                       \
    for (uint k = first_pair + run.first; k < end; ++k) {                                                     \
      fetch_pairs_ahead(k, end, order, pairs, states);                                                        \
      const uint pair = order[k];                                                                             \
      if (kind != ANY_KIND && kinds[pair] != kind) continue;                                                  \
      __global const BodyState* first = states + pairs[pair].x;                                               \
      __global const BodyState* second = states + pairs[pair].y;                                              \
      if (!HAS_FUNCTION(first, second)) continue;                                                             \
      float3 c;                                                                                               \
      Manifold m;                                                                                             \
      m.count = 0u;                                                                                           \
      function(&first, &second, hulls, margin, &c, &m);                                                       \
      store_manifold(&m, first, second, c, &slots, capacity, store, results + pair);                          \
      contacts += m.count;                                                                                    \
    }                                                                                                         \
    if (contacts > 0u) atomic_add(found + 2, contacts);                                                       \
  }

// narrow_phase/fused_pairs.cl has the functions of many kinds under one kernel, which leaves others alone.
#ifndef OCLIDE_FUSED_PAIRS
#define HAS_FUNCTION(first, second) true
#define STATES_FUNCTION __attribute__((always_inline)) void
#define STATES_KERNEL(name, function) STATES_KERNEL_OF(name, function)
#else
#define STATES_FUNCTION __attribute__((noinline)) void
#define STATES_KERNEL(name, function)
#endif

// PAIR_KERNEL(name, SHAPE_A, SHAPE_B, function) with
//   void function(const Body* first, const Body* second, float3 c, float margin, Manifold* m)
#define PAIR_KERNEL(name, shape_a, shape_b, function)                                                \
  STATES_FUNCTION name##_states(__global const BodyState** first, __global const BodyState** second, \
                                __global const uint* hulls, float margin, float3* c, Manifold* m) {  \
    if (shape_a == shape_b && state_precedes(*second, *first)) {                                     \
      __global const BodyState* other = *first;                                                      \
      *first = *second;                                                                              \
      *second = other;                                                                               \
    }                                                                                                \
    const Body a = state_body(*first, shape_a, hulls), b = state_body(*second, shape_b, hulls);      \
    *c = centre_to_centre(*first, *second);                                                          \
    function(&a, &b, *c, margin, m);                                                                 \
  }                                                                                                  \
  STATES_KERNEL(name, name##_states)

#endif

#line 17 "kernels/pairs/patch.clh"
#pragma OPENCL FP_CONTRACT OFF

#define PARALLEL_SINE2 1e-6f      // squared sine of 1e-3 rad: a face, a line across n
#define LINES_SINE2 4e-4f         // of 0.02 rad: two lines that are parallel
#define PARALLEL_GRADIENT2 2e-6f  // of d: faces whose patch is cut where its chords end
#define MERGE_DISTANCE 1e-5f      // [m]
#define LEVEL_DEPTH 2e-5f         // depths along a rim that differ by less are level [m]
#define PATCH_POINTS 24
// A flat side's normal is taken for one of less overlap when it is within this part of the depth and this length [m].
#define FLAT_SHARE 0.0025f
#define FLAT_LENGTH 2e-5f
// Four points need not contain the deepest when one of them is within this of it.
#define CHOICE_SHARE 0.005f
#define CHOICE_LENGTH 1e-5f

#define BOX_EDGE 8u
#define BOX_FACE 20u
#define ROLE_END 0u       // a base, or the farthest point of a rim or ball
#define ROLE_SIDE 1u      // the line of the side, at this end
#define ROLE_CLIPPED 2u   // the line where it enters or leaves the other's face: + 0, 1
#define ROLE_CROSSING 4u  // the line where it meets another
#define ROLE_RIM 5u       // the rim where it enters or leaves the other's face: + 0, 1
#define ROLE_ARC 8u       // points of the rim between: + 16 * side + number

// The points of a patch, in the order of its outline. While it is clipped, `tag` is the side that begins at the point.
typedef struct Patch {
  float x[PATCH_POINTS], y[PATCH_POINTS];
  uint tag[PATCH_POINTS];
  uint count;
} Patch;

// The same of a polygon of few points.
#define OUTLINE_POINTS 8
typedef struct Outline {
  float x[OUTLINE_POINTS], y[OUTLINE_POINTS];
  uint tag[OUTLINE_POINTS];
  uint count;
} Outline;

// A flat side as the plane of drawing, with everything relative to a's centre.
typedef struct Plane {
  float3 u, v, w;  // w outward
  float3 origin;   // F
  float3 m;
  float shear_x, shear_y;  // of m against w
  float inverse;           // 1 / (w.m)
  float gradient_x, gradient_y;
  float depth0;  // d(0, 0)
} Plane;

// A face of a box: its axis and side, and half extents along the two axes that follow.
typedef struct BoxFace {
  uint axis, positive;
  float3 u, v, w;
  float extent_u, extent_v, extent_w;
} BoxFace;

float3 box_axis(const Body* b, uint k) {
  return k == 0u ? b->x : (k == 1u ? b->y : b->z);
}
float component(float3 a, uint k) {
  return k == 0u ? a.x : (k == 1u ? a.y : a.z);
}
uint next_axis(uint k) {
  return k == 2u ? 0u : k + 1u;
}

// The face of a box that is farthest along d.
BoxFace box_face(const Body* b, float3 d) {
  const float x = dot3(b->x, d), y = dot3(b->y, d), z = dot3(b->z, d);
  BoxFace f;
  f.axis = abs_f(x) >= abs_f(y) ? (abs_f(x) >= abs_f(z) ? 0u : 2u) : (abs_f(y) >= abs_f(z) ? 1u : 2u);
  const float along = f.axis == 0u ? x : (f.axis == 1u ? y : z);
  f.positive = along < 0.0f ? 0u : 1u;
  const float s = along < 0.0f ? -1.0f : 1.0f;
  if (f.axis == 0u) {
    f.w = b->x * s;
    f.u = b->y;
    f.v = b->z;
    f.extent_w = b->size.x;
    f.extent_u = b->size.y;
    f.extent_v = b->size.z;
  } else if (f.axis == 1u) {
    f.w = b->y * s;
    f.u = b->z;
    f.v = b->x;
    f.extent_w = b->size.y;
    f.extent_u = b->size.z;
    f.extent_v = b->size.x;
  } else {
    f.w = b->z * s;
    f.u = b->x;
    f.v = b->y;
    f.extent_w = b->size.z;
    f.extent_u = b->size.x;
    f.extent_v = b->size.y;
  }
  return f;
}

// Sides of a face go round from v = -extent: 0 bottom, 1 right, 2 top, 3 left; corner k is where side k begins.
uint face_corner(const BoxFace* f, uint k) {
  const uint u = k == 1u || k == 2u ? 1u : 0u, v = k >= 2u ? 1u : 0u;
  const uint axis_u = next_axis(f->axis), axis_v = next_axis(axis_u);
  return f->positive << f->axis | u << axis_u | v << axis_v;
}
uint box_edge(uint axis, uint next_positive, uint last_positive) {
  return BOX_EDGE + 4u * axis + next_positive + 2u * last_positive;
}
uint face_side(const BoxFace* f, uint k) {
  const uint axis_u = next_axis(f->axis), axis_v = next_axis(axis_u);
  if ((k & 1u) == 0u) return box_edge(axis_u, k == 2u ? 1u : 0u, f->positive);
  return box_edge(axis_v, f->positive, k == 1u ? 1u : 0u);
}
uint face_number(const BoxFace* f) {
  return BOX_FACE + 2u * f->axis + f->positive;
}
// The corner between two sides that follow each other.
uint between_sides(uint i, uint j) {
  return i + j == 3u && i != 1u && j != 1u ? 0u : (i > j ? i : j);
}

uint round_feature(uint end, uint role) {
  return end + 2u * role;
}
// Of the cylinder's base or capsule's end that is farther along d.
uint end_along(const Body* b, float3 d) {
  return dot3(b->z, d) < 0.0f ? 0u : 1u;
}

void patch_add(Patch* p, float x, float y, uint tag) {
  if (p->count >= PATCH_POINTS) return;
  p->x[p->count] = x;
  p->y[p->count] = y;
  p->tag[p->count] = tag;
  p->count += 1u;
}

// Of `count` points keeps what has ax x + ay y <= limit, and gives their new number. The side along the cut gets the
// tag. They are moved to the end of the arrays, of `room` places, and what is kept is written from the beginning: an
// outline that a line cuts twice grows by one point, and what rounding makes of points on that line does not fill
// the room.
OUTLINED_OR_INLINE uint clip_points(float* x, float* y, uint* tags, uint count, uint room, float ax, float ay,
                                    float limit, uint tag) {
  uint outside = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) outside += (ax * x[k] + ay * y[k]) - limit > 0.0f ? 1u : 0u;
  if (outside == 0u) return count;
  if (outside == count) return 0u;
  const uint from = room - count;
  ROLLED
  for (uint k = count; k-- > 0u;) {
    x[from + k] = x[k];
    y[from + k] = y[k];
    tags[from + k] = tags[k];
  }
  const float first_x = x[from], first_y = y[from];
  float at_x = first_x, at_y = first_y, over = (ax * at_x + ay * at_y) - limit;
  uint at_tag = tags[from], kept = 0u;
  ROLLED
  for (uint k = from; k < room; ++k) {
    const bool last = k + 1u == room;
    const float next_x = last ? first_x : x[k + 1u], next_y = last ? first_y : y[k + 1u];
    const uint next_tag = last ? 0u : tags[k + 1u];
    const float next_over = (ax * next_x + ay * next_y) - limit;
    const bool in = !(over > 0.0f), next_in = !(next_over > 0.0f);
    if (in && kept < room) {
      x[kept] = at_x;
      y[kept] = at_y;
      tags[kept++] = at_tag;
    }
    if (in != next_in && kept < room) {
      const float t = div_rn(over, over - next_over);
      x[kept] = at_x + (next_x - at_x) * t;
      y[kept] = at_y + (next_y - at_y) * t;
      tags[kept++] = in ? tag : at_tag;
    }
    at_x = next_x;
    at_y = next_y;
    at_tag = next_tag;
    over = next_over;
  }
  return kept;
}
void clip_patch(Patch* p, float ax, float ay, float limit, uint tag) {
  p->count = clip_points(p->x, p->y, p->tag, p->count, PATCH_POINTS, ax, ay, limit, tag);
}

float plane_depth(const Plane* s, float x, float y) {
  return s->depth0 + (s->gradient_x * x + s->gradient_y * y);
}

// Is the surface drawn on the plane parallel to it, so that its patch ends where its chords do?
bool plane_is_parallel(const Plane* s) {
  return s->gradient_x * s->gradient_x + s->gradient_y * s->gradient_y <= PARALLEL_GRADIENT2;
}
void clip_depth(Patch* p, const Plane* s, float margin, uint tag) {
  if (plane_is_parallel(s)) clip_patch(p, -s->gradient_x, -s->gradient_y, s->depth0 + margin, tag);
}
void clip_outline_depth(Outline* p, const Plane* s, float margin, uint tag) {
  if (plane_is_parallel(s))
    p->count = clip_points(p->x, p->y, p->tag, p->count, OUTLINE_POINTS, -s->gradient_x, -s->gradient_y,
                           s->depth0 + margin, tag);
}

Plane plane_of(float3 u, float3 v, float3 w, float3 origin, float3 m) {
  Plane s;
  s.u = u;
  s.v = v;
  s.w = w;
  s.origin = origin;
  s.m = m;
  s.inverse = div_rn(1.0f, dot3(w, m));
  s.shear_x = dot3(u, m) * s.inverse;
  s.shear_y = dot3(v, m) * s.inverse;
  s.gradient_x = 0.0f;
  s.gradient_y = 0.0f;
  s.depth0 = 0.0f;
  return s;
}
// (x, y, depth) of a point relative to F.
float3 plane_project(const Plane* s, float3 q) {
  const float h = dot3(s->w, q);
  return (float3)(dot3(s->u, q) - s->shear_x * h, dot3(s->v, q) - s->shear_y * h, -h * s->inverse);
}
// The other body's flat side has this outward normal and passes through q (relative to F).
void plane_set_other(Plane* s, float3 normal, float3 q) {
  const float slope = div_rn(1.0f, dot3(normal, s->m));
  s->gradient_x = dot3(normal, s->u) * slope;
  s->gradient_y = dot3(normal, s->v) * slope;
  const float3 at = plane_project(s, q);
  s->depth0 = at.z - (s->gradient_x * at.x + s->gradient_y * at.y);
}

// Numbers of four points, a byte each.
uint number_of_four(uint four, uint k) {
  return four >> 8u * k & 0xFFu;
}
uint bits_of_four(uint four) {
  return 1u << number_of_four(four, 0u) | 1u << number_of_four(four, 1u) | 1u << number_of_four(four, 2u) |
         1u << number_of_four(four, 3u);
}

// How wide points are along x, y, x + y and x - y.
typedef struct PatchWidths {
  float x, y, sum, difference;
} PatchWidths;

PatchWidths patch_widths(const Patch* p) {
  float4 low = (float4)(MAXFLOAT, MAXFLOAT, MAXFLOAT, MAXFLOAT), high = -low;
  for (uint k = 0u; k < p->count; ++k) {
    const float x = p->x[k], y = p->y[k];
    const float4 at = (float4)(x, y, x + y, x - y);
    low = select(low, at, at < low);
    high = select(high, at, at > high);
  }
  const float4 width = high - low;
  const PatchWidths w = {width.x, width.y, width.z, width.w};
  return w;
}

// More than the area of four points of which two opposite ones are (dx, dy) apart: that times how wide all are across
// it, at most; (dy, -dx) is a sum of a direction of an axis and one between the axes.
float most_area(const PatchWidths* w, float dx, float dy) {
  const float x = abs_f(dy), y = abs_f(dx);
  const float between = (dx < 0.0f) == (dy < 0.0f) ? w->difference : w->sum;
  return 1.0001f * (min_f(x, y) * between + (x > y ? (x - y) * w->x : (y - x) * w->y));
}

// Of points in the order of a convex outline, the four that span the largest area, of those sets that have one of the
// points in `needed` (bit k: point k). `chosen` where there is none.
OUTLINED uint choose_four(const Patch* p, uint needed, uint chosen) {
  const uint count = p->count;
  // Of few points all are tried.
  const bool many = count > 8u;
  PatchWidths widths = {0.0f, 0.0f, 0.0f, 0.0f};
  if (many) widths = patch_widths(p);
  float best = -1.0f;
  ROLLED
  for (uint i = 0u; i + 3u < count; ++i) {
    // Opposite to i: far enough away for more than the best so far.
    const float x = p->x[i], y = p->y[i];
    uint opposite = 0u;
    ROLLED
    for (uint k = i + 2u; k + 1u < count; ++k)
      opposite |= many && most_area(&widths, p->x[k] - x, p->y[k] - y) < best ? 0u : 1u << k;
    ROLLED
    for (uint j = i + 1u; opposite >> j > 1u; ++j) {
      ROLLED
      for (uint bits = opposite >> (j + 1u) << (j + 1u); bits != 0u; bits &= bits - 1u) {
        const uint k = lowest_bit(bits);
        const float dx = p->x[k] - x, dy = p->y[k] - y;
        if (many && most_area(&widths, dx, dy) < best) continue;
        for (uint l = k + 1u; l < count; ++l) {
          const float area = abs_f(dx * (p->y[l] - p->y[j]) - dy * (p->x[l] - p->x[j]));
          // More by rounding alone is not more.
          if (!(area > best * 1.00001f)) continue;
          if (((needed >> i | needed >> j | needed >> k | needed >> l) & 1u) == 0u) continue;
          best = area;
          chosen = i | j << 8 | k << 16 | l << 24;
        }
      }
    }
  }
  return chosen;
}

// Of contacts where the patch was cut: just more than -margin.
float shallowest_depth(float margin) {
  return 1e-9f - margin * 0.9999998f;
}

// The depth of point k. What was cut off where the chords end stays, whatever rounding makes of it.
float patch_depth(const Patch* p, const Plane* s, uint k, float margin) {
  const float depth = plane_depth(s, p->x[k], p->y[k]);
  return plane_is_parallel(s) ? max_f(depth, shallowest_depth(margin)) : depth;
}

// Adds points of a patch whose tags are features by now, and which is used up. `on_b`: the plane is a side of b.
__attribute__((always_inline)) void emit_patch(Patch* p, const Plane* s, bool on_b, float3 n, float margin,
                                               Manifold* m) {
  // What is deep enough, in the order of the outline.
  uint count = 0u;
  float deepest = 0.0f;
  ROLLED
  for (uint k = 0u; k < p->count; ++k) {
    const float depth = patch_depth(p, s, k, margin);
    if (!(depth > -margin)) continue;
    deepest = count == 0u ? depth : max_f(deepest, depth);
    p->x[count] = p->x[k];
    p->y[count] = p->y[k];
    p->tag[count] = p->tag[k];
    count += 1u;
  }
  p->count = count;
  if (count == 0u) return;
  uint chosen = 0x03020100u;
  if (count > 4u) {
    const float deep = deepest - (CHOICE_LENGTH + CHOICE_SHARE * abs_f(deepest));
    uint deep_ones = 0u;
    ROLLED
    for (uint k = 0u; k < count; ++k) deep_ones |= patch_depth(p, s, k, margin) < deep ? 0u : 1u << k;
    // All, and where none of the deep ones is among the four, with one of those.
    ROLLED
    for (uint needed = ~0u;; needed = deep_ones) {
      chosen = choose_four(p, needed, chosen);
      if (needed == deep_ones || (deep_ones & bits_of_four(chosen)) != 0u) break;
    }
    count = 4u;
  }
  // The deepest first, then onward along the outline.
  uint first = 0u;
  ROLLED
  for (uint k = 1u; k < count; ++k) {
    const uint a = number_of_four(chosen, k), b = number_of_four(chosen, first);
    const float depth_a = patch_depth(p, s, a, margin), depth_b = patch_depth(p, s, b, margin);
    if (depth_a > depth_b || (depth_a == depth_b && p->tag[a] < p->tag[b])) first = k;
  }
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const uint at = number_of_four(chosen, first + k < count ? first + k : first + k - count);
    const float depth = patch_depth(p, s, at, margin);
    const float3 q = (s->origin + s->u * p->x[at]) + s->v * p->y[at];
    const float3 point = on_b ? q - n * depth : q;
    bool merged = false;
    ROLLED
    for (uint j = 0u; j < m->count; ++j) {
      const float3 apart = cross3(point - m->point[j], n);
      merged = merged || dot3(apart, apart) < MERGE_DISTANCE * MERGE_DISTANCE;
    }
    if (!merged) manifold_add(m, point, depth, p->tag[at]);
  }
}

uint ordered_feature(bool plane_on_b, uint plane_feature, uint other_feature) {
  return plane_on_b ? pair_feature(other_feature, plane_feature) : pair_feature(plane_feature, other_feature);
}

#endif

#line 5 "kernels/pairs/circle_patch.clh"
#pragma OPENCL FP_CONTRACT OFF

// The middle of the arc of a circle of radius r about the origin that goes counterclockwise from p to q.
float2 arc_middle(float2 p, float2 q, float r) {
  const float2 chord = q - p;
  float2 d = (float2)(chord.y, -chord.x);
  if (chord.x * chord.x + chord.y * chord.y < 0.01f * r * r) {
    d = p + q;
    if (p.x * q.y - p.y * q.x < 0.0f) d = -d;
  }
  return d * div_rn(r, sqrt_rn(max_f(d.x * d.x + d.y * d.y, 1e-30f)));
}
// Points inside the counterclockwise arc from p to q, numbered from `feature`: at its quarters, of more than a half
// turn (arc_points) at its eighths.
void arc_quarters(Patch* patch, float2 centre, float2 p, float2 q, float r, uint feature) {
  const float2 middle = arc_middle(p, q, r);
  const float2 a = arc_middle(p, middle, r), b = arc_middle(middle, q, r);
  patch_add(patch, centre.x + a.x, centre.y + a.y, feature);
  patch_add(patch, centre.x + middle.x, centre.y + middle.y, feature + 1u);
  patch_add(patch, centre.x + b.x, centre.y + b.y, feature + 2u);
}
// The same with `lowest` (of length r, zero for none), where the arc has it: at most 15 points.
OUTLINED void arc_points(Patch* patch, float2 centre, float2 p, float2 q, float r, float2 lowest, uint feature) {
  const bool beyond = p.x * q.y - p.y * q.x < 0.0f;
  const bool after_p = p.x * lowest.y - p.y * lowest.x > 0.0f, before_q = lowest.x * q.y - lowest.y * q.x > 0.0f;
  // To `lowest` and from there on; each part of more than a half turn in two halves.
  bool has_lowest = beyond ? after_p || before_q : after_p && before_q;
  float2 from = p;
  ROLLED
  while (true) {
    const float2 to = has_lowest ? lowest : q;
    bool in_two = from.x * to.y - from.y * to.x < 0.0f;
    float2 middle = in_two ? arc_middle(from, to, r) : to;
    uint number = feature;
    ROLLED
    while (true) {
      arc_quarters(patch, centre, from, middle, r, number);
      if (!in_two) break;
      in_two = false;
      patch_add(patch, centre.x + middle.x, centre.y + middle.y, number + 3u);
      from = middle;
      middle = to;
      number += 4u;
    }
    if (!has_lowest) return;
    has_lowest = false;
    patch_add(patch, centre.x + lowest.x, centre.y + lowest.y, feature + 7u);
    from = lowest;
    feature += 8u;
  }
}

// Points of a rim in its order: the lowest, and at 45, 90, 180, 270 and 315 degrees from it, in parts of the radius
// along the lowest and across it.
#define RIM_POINTS 6u
float2 rim_point(uint k) {
  const float s = 0.70710678f;
  const float x = k == 0u ? 1.0f : (k == 3u ? -1.0f : (k == 1u || k == 5u ? s : 0.0f));
  const float y = k == 2u ? 1.0f : (k == 4u ? -1.0f : (k == 1u ? s : (k == 5u ? -s : 0.0f)));
  return (float2)(x, y);
}

// Side k of a polygon, p + t * e, and the part of it inside the circle of radius r about the origin: t0 to t1, 0 where
// it begins inside, 1 where it ends inside. A corner on the circle is inside of both its sides or of none, as rounding
// has it. False where no part is.
typedef struct SideInCircle {
  float2 p, e;
  float turn;  // p x e: above 0 where the origin is to its left
  float t0, t1;
  bool is_point;  // it has no length
} SideInCircle;

bool side_in_circle(const Outline* polygon, uint k, float r, SideInCircle* s) {
  const uint next = k + 1u == polygon->count ? 0u : k + 1u;
  s->p = (float2)(polygon->x[k], polygon->y[k]);
  s->e = (float2)(polygon->x[next], polygon->y[next]) - s->p;
  s->turn = s->p.x * s->e.y - s->p.y * s->e.x;
  const float e2 = s->e.x * s->e.x + s->e.y * s->e.y;
  const float on_circle2 = 4e-12f * r * r;
  s->is_point = !(e2 > on_circle2);
  const float reach2 = r * r * e2 - s->turn * s->turn;
  if (s->is_point || !(reach2 > 0.0f)) return false;
  const float per = div_rn(1.0f, e2), middle = -(s->p.x * s->e.x + s->p.y * s->e.y) * per;
  const float reach = sqrt_rn(reach2) * per;
  s->t0 = middle - reach;
  s->t1 = middle + reach;
  if (!(s->t1 > 0.0f && s->t0 < 1.0f)) return false;
  if (s->t0 <= 0.0f || s->t0 * s->t0 * e2 < on_circle2) s->t0 = 0.0f;
  const float rest = 1.0f - s->t1;
  if (rest <= 0.0f || rest * rest * e2 < on_circle2) s->t1 = 1.0f;
  return true;
}

// The part of a polygon (counterclockwise, sides tagged 0..4) inside the circle of radius r about the origin. Tags:
// CIRCLE_CORNER | i << 4 | j: a corner between sides i < j;  CIRCLE_CROSSING | side << 1 | 1 where the outline leaves
// the circle;  CIRCLE_ARC | side << 4 | number: behind that place.
#define CIRCLE_CORNER 0x100u
#define CIRCLE_CROSSING 0x200u
#define CIRCLE_ARC 0x400u
#define CIRCLE_WHOLE (CIRCLE_ARC | 5u << 4)
OUTLINED void polygon_in_circle(const Outline* polygon, float r, float2 lowest, Patch* patch) {
  patch->count = 0u;
  if (polygon->count == 0u) return;
  SideInCircle s;
  bool inside = false, begun = false;
  bool origin_inside = true, open = false, first_open = false;
  float2 first_enter = (float2)(0.0f, 0.0f), leave = (float2)(0.0f, 0.0f);
  const float2 zero = (float2)(0.0f, 0.0f);
  uint leave_side = 0u, before = polygon->tag[polygon->count - 1u];
  uint next = polygon->count - 1u;
  ROLLED
  while (next < polygon->count) {
    const uint k = next;
    const bool has_part = side_in_circle(polygon, k, r, &s);
    if (!begun) {
      // Is the outline inside where the first side begins? So it ends on the last that has a length.
      if (!s.is_point) inside = has_part && s.t1 == 1.0f;
      begun = !s.is_point || k == 0u;
      next = begun ? 0u : k - 1u;
      continue;
    }
    next = k + 1u;
    const uint side = polygon->tag[k], side_before = before;
    const uint corner = CIRCLE_CORNER | min(before, side) << 4 | max(before, side);
    if (s.turn < 0.0f) origin_inside = false;
    before = side;
    if (s.is_point) continue;
    const bool begins_inside = has_part && s.t0 == 0.0f;
    if (inside && !begins_inside) {
      // It leaves at the corner.
      open = true;
      leave = s.p;
      leave_side = side_before;
      patch_add(patch, leave.x, leave.y, corner);
    }
    if (has_part) {
      const float2 enter = begins_inside ? s.p : s.p + s.e * s.t0;
      if (!(inside && begins_inside)) {
        if (open) arc_points(patch, zero, leave, enter, r, lowest, CIRCLE_ARC | leave_side << 4);
        if (patch->count == 0u) {
          first_open = true;
          first_enter = enter;
        }
        open = false;
      }
      patch_add(patch, enter.x, enter.y, begins_inside ? corner : CIRCLE_CROSSING | side << 1);
    }
    inside = has_part && s.t1 == 1.0f;
    if (has_part && !inside) {
      open = true;
      leave = s.p + s.e * s.t1;
      leave_side = side;
      patch_add(patch, leave.x, leave.y, CIRCLE_CROSSING | side << 1 | 1u);
    }
  }
  if (open && first_open) arc_points(patch, zero, leave, first_enter, r, lowest, CIRCLE_ARC | leave_side << 4);
  if (patch->count > 0u || !origin_inside) return;
  const float2 first = lowest.x == 0.0f && lowest.y == 0.0f ? (float2)(r, 0.0f) : lowest;
  patch_add(patch, first.x, first.y, CIRCLE_WHOLE);
  patch_add(patch, -first.y, first.x, CIRCLE_WHOLE | 1u);
  patch_add(patch, -first.x, -first.y, CIRCLE_WHOLE | 2u);
  patch_add(patch, first.y, -first.x, CIRCLE_WHOLE | 3u);
}

// The rim's point that is farthest into the other body along m: where the depth grows; zero where it is as good as
// level.
float2 deepest_of_rim(const Plane* s, float r) {
  const float2 g = (float2)(s->gradient_x, s->gradient_y);
  const float steepness = sqrt_rn(g.x * g.x + g.y * g.y);
  if (steepness * r < LEVEL_DEPTH) return (float2)(0.0f, 0.0f);
  return g * div_rn(r, steepness);
}

#endif

#line 5 "kernels/pairs/base_patch.clh"
#line 1 "kernels/pairs/face_patch.clh"
// A box's face seen on the plane of another flat side, and over the face of a box.
#ifndef OCLIDE_PAIRS_FACE_PATCH_CLH
#define OCLIDE_PAIRS_FACE_PATCH_CLH
#line 5 "kernels/pairs/face_patch.clh"
#pragma OPENCL FP_CONTRACT OFF

// The outline of a box's face, seen on the plane, counterclockwise: four points, whose sides have tags 0..3.
void face_outline(const Plane* s, const BoxFace* f, float3 face_centre, float* x, float* y, uint* tags) {
  const float3 centre = plane_project(s, face_centre);
  const float3 along_u = plane_project(s, f->u * f->extent_u), along_v = plane_project(s, f->v * f->extent_v);
  const bool clockwise = along_u.x * along_v.y - along_u.y * along_v.x < 0.0f;
  for (uint k = 0u; k < 4u; ++k) {
    const uint corner = clockwise ? (4u - k) & 3u : k;
    const float su = corner == 1u || corner == 2u ? 1.0f : -1.0f, sv = corner >= 2u ? 1.0f : -1.0f;
    x[k] = centre.x + (su * along_u.x + sv * along_v.x);
    y[k] = centre.y + (su * along_u.y + sv * along_v.y);
    tags[k] = clockwise ? 3u - k : k;
  }
}

// A box's face over the face of a box: the plane is the body p with centre at `from`, the other stands at `to`.
__attribute__((always_inline)) void box_face_on_box(const Body* plane_body, float3 from, const Body* other, float3 to,
                                                    bool on_b, float3 n, float margin, Plane* plane, Patch* p) {
  const float3 toward = on_b ? n : -n;
  const BoxFace f = box_face(plane_body, toward), g = box_face(other, -toward);
  const float3 step = (to - from) - f.w * f.extent_w + g.w * g.extent_w;
  Plane s = plane_of(f.u, f.v, f.w, from + f.w * f.extent_w, toward);
  plane_set_other(&s, g.w, step);
  *plane = s;
  face_outline(&s, &g, step, p->x, p->y, p->tag);
  p->count = 4u;
  // By the face's four sides, and as clip_depth() has it.
  ROLLED
  for (uint k = 0u; k < (plane_is_parallel(&s) ? 5u : 4u); ++k) {
    const bool is_u = k == 1u || k == 3u;
    const float sign = k == 0u || k == 3u ? -1.0f : 1.0f;
    clip_patch(p, k == 4u ? -s.gradient_x : (is_u ? sign : 0.0f), k == 4u ? -s.gradient_y : (is_u ? 0.0f : sign),
               k == 4u ? s.depth0 + margin : (is_u ? f.extent_u : f.extent_v), 4u + k);
  }
  // A point lies between the side that ends there and the one that begins there.
  uint before = p->count > 0u ? p->tag[p->count - 1u] : 0u;
  ROLLED
  for (uint k = 0u; k < p->count; ++k) {
    const uint i = before < p->tag[k] ? before : p->tag[k], j = before < p->tag[k] ? p->tag[k] : before;
    uint on_plane, on_other;
    if (j == 8u) {
      on_plane = i < 4u ? face_number(&f) : face_side(&f, i - 4u);
      on_other = i < 4u ? face_side(&g, i) : face_number(&g);
    } else if (j < 4u) {
      on_plane = face_number(&f);
      on_other = face_corner(&g, between_sides(i, j));
    } else if (i >= 4u) {
      on_plane = face_corner(&f, between_sides(i - 4u, j - 4u));
      on_other = face_number(&g);
    } else {
      on_plane = face_side(&f, j - 4u);
      on_other = face_side(&g, i);
    }
    before = p->tag[k];
    p->tag[k] = ordered_feature(on_b, on_plane, on_other);
  }
}

#endif

#line 6 "kernels/pairs/base_patch.clh"
#pragma OPENCL FP_CONTRACT OFF

// A cylinder's base and a box's face: the plane, which is the base's, and the patch on it.
__attribute__((always_inline)) void base_and_box_face(const Body* cylinder, float3 from, const Body* box, float3 to,
                                                      bool base_on_b, float3 n, float margin, Plane* plane, Patch* p) {
  const float3 toward = base_on_b ? n : -n;
  const uint end = end_along(cylinder, toward);
  const float3 w = end == 1u ? cylinder->z : -cylinder->z;
  const float r = cylinder->size.x;
  const BoxFace f = box_face(box, -toward);
  const float3 step = (to - from) - w * cylinder->size.y + f.w * f.extent_w;
  Plane s = plane_of(cylinder->x, cylinder->y, w, from + w * cylinder->size.y, toward);
  plane_set_other(&s, f.w, step);
  *plane = s;
  Outline outline;
  face_outline(&s, &f, step, outline.x, outline.y, outline.tag);
  outline.count = 4u;
  clip_outline_depth(&outline, &s, margin, 4u);
  polygon_in_circle(&outline, r, deepest_of_rim(&s, r), p);
  ROLLED
  for (uint k = 0u; k < p->count; ++k) {
    const uint tag = p->tag[k];
    uint on_box = face_number(&f), role = ROLE_END;
    if ((tag & CIRCLE_ARC) != 0u) {
      role = ROLE_ARC + (tag & 0x7Fu);
    } else if ((tag & CIRCLE_CROSSING) != 0u) {
      const uint side = tag >> 1 & 7u;
      role = ROLE_RIM + (tag & 1u);
      if (side < 4u) on_box = face_side(&f, side);
    } else {
      const uint i = tag >> 4 & 15u, j = tag & 15u;
      on_box = j < 4u ? face_corner(&f, between_sides(i, j)) : face_side(&f, i);
    }
    p->tag[k] = ordered_feature(base_on_b, round_feature(end, role), on_box);
  }
}

// Two bases; the plane is that of `from`'s cylinder.
__attribute__((always_inline)) void base_on_base(const Body* plane_body, float3 from, const Body* other, float3 to,
                                                 bool on_b, float3 n, float margin, Plane* plane, Patch* p) {
  const float3 toward = on_b ? n : -n;
  const uint end = end_along(plane_body, toward), other_end = end_along(other, -toward);
  const float3 w = end == 1u ? plane_body->z : -plane_body->z;
  const float3 other_w = other_end == 1u ? other->z : -other->z;
  const float r = plane_body->size.x, other_r = other->size.x;
  const float3 step = (to - from) - w * plane_body->size.y + other_w * other->size.y;
  Plane s = plane_of(plane_body->x, plane_body->y, w, from + w * plane_body->size.y, toward);
  plane_set_other(&s, other_w, step);
  const float3 at = plane_project(&s, step);
  const float2 centre = (float2)(at.x, at.y);
  const float apart = sqrt_rn(at.x * at.x + at.y * at.y);
  const uint level = round_feature(end, ROLE_END), other_level = round_feature(other_end, ROLE_END);
  p->count = 0u;
  if (!plane_is_parallel(&s)) {
    // Points of the other's rim, from its lowest on, that are over this base.
    const float3 outward = rim_direction(other, toward) * other_r;
    const float3 across = cross3(other->z, outward);
    ROLLED
    for (uint k = 0u; k < RIM_POINTS; ++k) {
      const float2 on_rim = rim_point(k);
      const float3 q = plane_project(&s, (step + outward * on_rim.x) + across * on_rim.y);
      if (q.x * q.x + q.y * q.y <= r * r * 1.000002f)
        patch_add(p, q.x, q.y, ordered_feature(on_b, level, round_feature(other_end, ROLE_ARC + k)));
    }
  } else if (apart <= abs_f(r - other_r)) {
    // The smaller circle is the patch, but for what is cut off where the chords end.
    const bool other_smaller = other_r < r;
    const float inner = other_smaller ? other_r : r;
    if (other_smaller) {
      s.origin += s.u * at.x + s.v * at.y;
      s.depth0 = plane_depth(&s, at.x, at.y);
    }
    Outline square;
    square.count = 4u;
    for (uint k = 0u; k < 4u; ++k) {
      square.x[k] = k == 1u || k == 2u ? 2.0f * inner : -2.0f * inner;
      square.y[k] = k >= 2u ? 2.0f * inner : -2.0f * inner;
      square.tag[k] = k;
    }
    clip_outline_depth(&square, &s, margin, 4u);
    polygon_in_circle(&square, inner, deepest_of_rim(&s, inner), p);
    ROLLED
    for (uint k = 0u; k < p->count; ++k) {
      const uint role = (p->tag[k] & CIRCLE_ARC) != 0u ? ROLE_ARC + (p->tag[k] & 0x7Fu) : ROLE_RIM + (p->tag[k] & 1u);
      p->tag[k] = other_smaller ? ordered_feature(on_b, level, round_feature(other_end, role))
                                : ordered_feature(on_b, round_feature(end, role), other_level);
    }
  } else if (apart < r + other_r) {
    // The lens between two circles: its corners, and points inside both arcs.
    const float per = div_rn(1.0f, apart);
    const float2 e = centre * per;
    const float along = 0.5f * (apart + (r - other_r) * (r + other_r) * per);
    const float half_width = sqrt_rn(max_f((r - along) * (r + along), 0.0f));
    const float2 q0 = e * along + (float2)(e.y, -e.x) * half_width, q1 = e * along - (float2)(e.y, -e.x) * half_width;
    const float2 none = (float2)(0.0f, 0.0f);
    const uint rims[2] = {round_feature(end, ROLE_RIM), round_feature(end, ROLE_RIM + 1u)};
    patch_add(p, q0.x, q0.y, ordered_feature(on_b, rims[0], round_feature(other_end, ROLE_RIM)));
    uint start = p->count;
    arc_points(p, none, q0, q1, r, deepest_of_rim(&s, r), ROLE_ARC);
    ROLLED
    for (uint k = start; k < p->count; ++k)
      p->tag[k] = ordered_feature(on_b, round_feature(end, p->tag[k]), other_level);
    patch_add(p, q1.x, q1.y, ordered_feature(on_b, rims[1], round_feature(other_end, ROLE_RIM + 1u)));
    start = p->count;
    arc_points(p, centre, q1 - centre, q0 - centre, other_r, deepest_of_rim(&s, other_r), ROLE_ARC);
    ROLLED
    for (uint k = start; k < p->count; ++k)
      p->tag[k] = ordered_feature(on_b, level, round_feature(other_end, p->tag[k]));
    clip_depth(p, &s, margin, ordered_feature(on_b, round_feature(end, ROLE_CLIPPED), other_level));
  }
  *plane = s;
}

#endif

#line 6 "kernels/pairs/manifold.clh"
#line 1 "kernels/pairs/chord.clh"
// The longest chord of two overlapping bodies along a direction, and the pair of points that it joins.
#ifndef OCLIDE_PAIRS_CHORD_CLH
#define OCLIDE_PAIRS_CHORD_CLH
#line 5 "kernels/pairs/chord.clh"
#pragma OPENCL FP_CONTRACT OFF

// A pair of points, the foremost ones of a and b along some direction: where a's is, and the way from it to b's along
// e, across it and along n.
typedef struct ChordEnds {
  float3 on_a, way;
} ChordEnds;

float3 box_foremost_point(const Body* b, float3 m) {
  return box_lowest_point(b, m);
}
float3 capsule_foremost_point(const Body* b, float3 m) {
  return capsule_lowest_point(b, m);
}
// Also where m is all but along the axis one of the rim, or its centre.
float3 cylinder_foremost_point(const Body* b, float3 m) {
  const float3 outward = across_axis(b, m), base = b->z * (-sign_f(dot3(b->z, m)) * b->size.y);
  return dot3(outward, outward) > 1e-13f * dot3(m, m) ? base - unit3(outward) * b->size.x : base;
}

float3 convex_hull_foremost_point(const Body* b, float3 m) {
  return convex_hull_lowest_point(b, m);
}

// As lowest_point, of shapes with sides: in doubt a point that is in the body.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_foremost_point(b, m);
float3 foremost_point(uint shape, const Body* b, float3 m) {
  switch (shape) { OCLIDE_SIDED_SHAPES(OCLIDE_CASE) }
  return (float3)(0.0f, 0.0f, 0.0f);
}
#undef OCLIDE_CASE

// Those along d, given in e, g, n.
void chord_ends(uint shape_a, const Body* a, uint shape_b, const Body* b, float3 c, float3 e, float3 g, float3 n,
                float3 d, ChordEnds* ends) {
  const float3 m = (e * d.x + g * d.y) + n * d.z;
  ends->on_a = foremost_point(SHAPE_OF_FIRST(shape_a), a, m);
  const float3 way = (foremost_point(SHAPE_OF_SECOND(shape_b), b, -m) + c) - ends->on_a;
  ends->way = (float3)(dot3(way, e), dot3(way, g), dot3(way, n));
}

float turn_of(const ChordEnds* p, const ChordEnds* q) {
  return p->way.x * q->way.y - p->way.y * q->way.x;
}

// The longest chord along n: its beginning on a, and its length, less than 5e-7 of the size too short, but for
// rounding. False where no line along n meets both bodies: b moved by *aside lies over a, a little. e and g are across
// n and each other.
//
//       v2           Of the ways from points of a to points of b it is the one that leads along n alone. Seen along n
//       | \          they are a convex set, its upper side as high as the chords are long. Three of the set's points
//       | o \        around the origin o are a lower bound there; the farthest point along the normal of their
//      v0----v1      triangle takes the place of one of them, until it is no farther than they are.
OUTLINED bool longest_chord(uint shape_a, const Body* a, uint shape_b, const Body* b, float3 c, float3 e, float3 g,
                            float3 n, float3* point, float* length, float3* aside) {
  const float size = a->radius_bound + b->radius_bound;
  *aside = (float3)(0.0f, 0.0f, 0.0f);
  ChordEnds v0, v1, v2, w;
  v0.on_a = v0.way = (float3)(0.0f, 0.0f, 0.0f);
  v1 = v2 = v0;
  float3 d = (float3)(0.0f, 0.0f, 1.0f);  // the next direction, in e, g, n
  uint found = 0u;                        // points at hand
  for (uint k = 0u; k < 64u; ++k) {
    chord_ends(shape_a, a, shape_b, b, c, e, g, n, d, &w);
    if (found == 0u) {
      v0 = v1 = v2 = w;
      if (w.way.x * w.way.x + w.way.y * w.way.y < 1e-14f * size * size) break;
      d = (float3)(-w.way.x, -w.way.y, 0.0f);
      found = 1u;
      continue;
    }
    if (found < 3u) {
      // Nothing of the set lies beyond the origin.
      const float beyond = w.way.x * d.x + w.way.y * d.y;
      if (!(beyond > 0.0f)) {
        const float across = sqrt_rn(d.x * d.x + d.y * d.y);
        if (across > 0.0f) *aside = (e * d.x + g * d.y) * div_rn(1e-6f * size - div_rn(beyond, across), across);
        return false;
      }
      if (found == 1u) {
        v1 = w;
      } else if (turn_of(&v1, &w) < 0.0f) {
        v0 = w;
      } else if (turn_of(&w, &v0) < 0.0f) {
        v1 = w;
      } else {
        v2 = w;
        found = 3u;
      }
      if (found < 3u) {
        // Across v0 v1, to the origin, which is left of the two from now on.
        if (turn_of(&v0, &v1) < 0.0f) {
          const ChordEnds other = v0;
          v0 = v1;
          v1 = other;
        }
        d = (float3)(v0.way.y - v1.way.y, v1.way.x - v0.way.x, 0.0f);
        found = 2u;
        continue;
      }
    } else {
      if (!(dot3(w.way - v0.way, d) > 5e-7f * size * d.z)) break;
      const float at0 = turn_of(&w, &v0), at1 = turn_of(&w, &v1), at2 = turn_of(&w, &v2);
      if (at0 >= 0.0f && at1 <= 0.0f)
        v2 = w;
      else if (at1 >= 0.0f && at2 <= 0.0f)
        v0 = w;
      else
        v1 = w;
    }
    d = cross3(v1.way - v0.way, v2.way - v0.way);
    if (!(d.z > 1e-13f * size * size)) break;
    d = unit3(d);
  }
  if (found == 0u) {
    *point = v0.on_a;
    *length = v0.way.z;
    return true;
  }
  const float of0 = max_f(turn_of(&v1, &v2), 0.0f), of1 = max_f(turn_of(&v2, &v0), 0.0f),
              of2 = max_f(turn_of(&v0, &v1), 0.0f);
  const float sum = (of0 + of1) + of2;
  if (found < 3u || !(sum > 0.0f)) return false;
  const float per = div_rn(1.0f, sum);
  *point = ((v0.on_a * of0 + v1.on_a * of1) + v2.on_a * of2) * per;
  *length = ((v0.way.z * of0 + v1.way.z * of1) + v2.way.z * of2) * per;
  return true;
}

// Seen along n, where no line along it meets both bodies: a's point nearest to b. Of the set of ways (longest_chord)
// the two ends of the chord at hand that is nearest to the origin; the farthest point toward the origin takes the place
// of one of them.
OUTLINED float3 nearest_beside(uint shape_a, const Body* a, uint shape_b, const Body* b, float3 c, float3 e, float3 g,
                               float3 n) {
  const float size = a->radius_bound + b->radius_bound;
  ChordEnds v0, v1, w;
  chord_ends(shape_a, a, shape_b, b, c, e, g, n, (float3)(0.0f, 0.0f, 1.0f), &v0);
  v1 = v0;
  float of1 = 0.0f;
  float2 nearest = v0.way.xy;
  float least2 = nearest.x * nearest.x + nearest.y * nearest.y;
  for (uint k = 0u; k < 32u && least2 > 0.0f; ++k) {
    // A little toward n: of points that are one seen along it, a's first and b's last.
    const float2 toward = nearest * -div_rn(1.0f, sqrt_rn(least2));
    chord_ends(shape_a, a, shape_b, b, c, e, g, n, (float3)(toward, 1e-3f), &w);
    const float gain = (w.way.x - nearest.x) * toward.x + (w.way.y - nearest.y) * toward.y;
    if (!(gain > 1e-7f * size)) break;
    bool better = false;
    const ChordEnds ends[2] = {v0, v1};
    for (uint i = 0u; i < 2u; ++i) {
      const float2 from = ends[i].way.xy, along = w.way.xy - from;
      const float along2 = along.x * along.x + along.y * along.y;
      const float t = along2 > 0.0f ? clamp01(div_rn(-(from.x * along.x + from.y * along.y), along2)) : 0.0f;
      const float2 at = from + along * t;
      const float at2 = at.x * at.x + at.y * at.y;
      if (!(at2 < least2)) continue;
      better = true;
      least2 = at2;
      nearest = at;
      v0 = ends[i];
      v1 = w;
      of1 = t;
    }
    if (!better) break;
  }
  return v0.on_a * (1.0f - of1) + v1.on_a * of1;
}

#endif

#line 7 "kernels/pairs/manifold.clh"
#line 1 "kernels/pairs/line_contacts.clh"
// Lines: the side of a cylinder or capsule and the edge of a box, over a flat side and against each other.
#ifndef OCLIDE_PAIRS_LINE_CONTACTS_CLH
#define OCLIDE_PAIRS_LINE_CONTACTS_CLH
#line 1 "kernels/pairs/polygon.clh"
// A flat side as a convex polygon of any number of corners, drawn on the plane of a flat side: the face of a convex
// hull or of a box, and the base of a cylinder as one of BASE_CORNERS on its rim.
//
// Corners are looked up where they are needed, for no array holds them all.
#ifndef OCLIDE_PAIRS_POLYGON_CLH
#define OCLIDE_PAIRS_POLYGON_CLH
#line 1 "kernels/pairs/hull_sides.clh"
// What a convex hull turns to another body: docs/convex_hulls.md, section "Manifold". Directions are in the hull's
// axes.
//
// The vertices within SUPPORT_SLACK of the farthest one are its support set: from each of them edges lead to the
// farthest over others of the set, so that all vertices are asked, and nothing is remembered.
#ifndef OCLIDE_PAIRS_HULL_SIDES_CLH
#define OCLIDE_PAIRS_HULL_SIDES_CLH
#line 9 "kernels/pairs/hull_sides.clh"
#pragma OPENCL FP_CONTRACT OFF

#define SUPPORT_SLACK 1e-5f  // [m]

// Numbers of features: vertices, edges, faces.
uint hull_edge_feature(__global const uint* hull, uint edge) {
  return hull[HULL_VERTICES] + edge;
}
uint hull_face_feature(__global const uint* hull, uint face) {
  return (hull[HULL_VERTICES] + hull[HULL_EDGES]) + face;
}

// Is a corner of the face at least so far along d?
bool hull_face_reaches(__global const uint* hull, uint face, float3 d, float level) {
  const uint2 loop = hull_loop(hull, face);
  ROLLED
  for (uint k = 0u; k < loop.y; ++k)
    if (dot3(hull_vertex(hull, hull_corner(hull, loop.x + k)), d) >= level) return true;
  return false;
}

// The edge between two vertices that have one, the lower first: edges are in the order of their vertices.
uint hull_edge_between(__global const uint* hull, uint low, uint high) {
  uint first = 0u, last = hull[HULL_EDGES];
  ROLLED
  while (last - first > 1u) {
    const uint middle = first + (last - first) / 2u;
    const uint4 edge = hull_edge(hull, middle);
    if (edge.x < low || (edge.x == low && edge.y <= high))
      first = middle;
    else
      last = middle;
  }
  return first;
}

// Of the faces around the support set along the unit vector d the one whose normal is nearest to d.
OUTLINED uint hull_face_toward(__global const uint* hull, float3 d) {
  const float level = hull_reach(hull, d) - SUPPORT_SLACK;
  // Mostly it is the nearest of all.
  uint nearest = hull_face_nearest(hull, d);
  if (hull_face_reaches(hull, nearest, d, level)) return nearest;
  float least = MAXFLOAT;
  ROLLED
  for (uint k = 0u; k < hull[HULL_FACES]; ++k) {
    const float off2 = hull_normal_off2(hull, k, d);
    if (!(off2 < least) || !hull_face_reaches(hull, k, d, level)) continue;
    least = off2;
    nearest = k;
  }
  return nearest;
}

// Of the edges at the support set along the unit vector d the one most nearly across d. False where none is within
// 1e-3 rad of it.
OUTLINED bool hull_edge_across(__global const uint* hull, float3 d, uint* edge) {
  const float level = hull_reach(hull, d) - SUPPORT_SLACK;
  float least = PARALLEL_SINE2;
  uint low = ~0u, high = ~0u;
  ROLLED
  for (uint v = 0u; v < hull[HULL_VERTICES]; ++v) {
    const float3 p = hull_vertex(hull, v);
    if (!(dot3(p, d) >= level)) continue;
    const uint2 range = hull_neighbours(hull, v);
    ROLLED
    for (uint k = range.x; k < range.y; ++k) {
      const uint other = hull_neighbour(hull, k);
      const float3 way = hull_vertex(hull, other) - p;
      const float along = dot3(way, d), sine2 = div_rn(along * along, dot3(way, way));
      const uint i = min(v, other), j = max(v, other);
      if (!(sine2 < least || (sine2 == least && (i < low || (i == low && j < high))))) continue;
      least = sine2;
      low = i;
      high = j;
    }
  }
  if (low == ~0u) return false;
  *edge = hull_edge_between(hull, low, high);
  return true;
}

#endif

#line 8 "kernels/pairs/polygon.clh"
#pragma OPENCL FP_CONTRACT OFF

#define BASE_CORNERS 64u

typedef struct FlatPolygon {
  uint shape;
  const Body* body;
  uint first, count;  // of a hull: the loop; of a box: axis + 4 * positive; of a cylinder: the end
  uint feature;       // of the side
  float3 normal;      // outward, in the world
  float height;       // of the side's plane above the body's centre
  // Drawn on a plane.
  float3 x, y;  // a point v in the body's axes is at (x.v + x0, y.v + y0)
  float x0, y0;
  bool backward;  // corners are gone through so that they are counterclockwise on the plane
  float2 begin;   // of a cylinder: where its corner 0 is, along its x and y axes
} FlatPolygon;

// The side of a sharp body that is turned to d, all but how it is drawn.
INLINED void polygon_toward(uint shape, const Body* b, float3 d, FlatPolygon* p) {
  shape = SHAPE_OF_EITHER(shape);
  p->shape = shape;
  p->body = b;
  p->begin = (float2)(1.0f, 0.0f);
  if (shape == SHAPE_BOX) {
    const BoxFace f = box_face(b, d);
    p->first = f.axis | f.positive << 2;
    p->count = 4u;
    p->feature = face_number(&f);
    p->normal = f.w;
    p->height = f.extent_w;
  } else if (shape == SHAPE_CYLINDER) {
    p->first = end_along(b, d);
    p->count = BASE_CORNERS;
    p->feature = round_feature(p->first, ROLE_END);
    p->normal = p->first == 1u ? b->z : -b->z;
    p->height = b->size.y;
  } else {
    const uint face = hull_face_toward(b->hull, into_body(b, d));
    const float4 plane = hull_face(b->hull, face);
    const uint2 loop = hull_loop(b->hull, face);
    p->first = loop.x;
    p->count = loop.y;
    p->feature = hull_face_feature(b->hull, face);
    p->normal = out_of_body(b, plane.xyz);
    p->height = plane.w;
  }
}

// A unit vector across a unit vector.
float3 across_normal(float3 w) {
  return unit3(cross3(abs_f(w.x) < 0.6f ? (float3)(1.0f, 0.0f, 0.0f) : (float3)(0.0f, 1.0f, 0.0f), w));
}

// As drawn on the plane, with the body's centre at `centre` relative to the plane's F.
INLINED void polygon_draw(FlatPolygon* p, const Plane* s, float3 centre) {
  const float3 x = s->u - s->w * s->shear_x, y = s->v - s->w * s->shear_y;
  p->x = into_body(p->body, x);
  p->y = into_body(p->body, y);
  p->x0 = dot3(x, centre);
  p->y0 = dot3(y, centre);
  // Loops are counterclockwise seen from outside, but for boxes and cylinders on the negative side of an axis.
  const bool other = (p->shape == SHAPE_BOX && p->first < 4u) || (p->shape == SHAPE_CYLINDER && p->first == 0u);
  p->backward = (dot3(p->normal, s->m) < 0.0f) != (dot3(cross3(s->u, s->v), s->m) < 0.0f) != other;
}

// Half a quarter turn in 8 steps, and its mirror image.
__constant float2 BASE_TURNS[BASE_CORNERS / 4u] = {(float2)(1.0f, 0.0f),
                                                   (float2)(0.99518473f, 0.09801714f),
                                                   (float2)(0.98078528f, 0.19509032f),
                                                   (float2)(0.95694034f, 0.29028468f),
                                                   (float2)(0.92387953f, 0.38268343f),
                                                   (float2)(0.88192126f, 0.47139674f),
                                                   (float2)(0.83146961f, 0.55557023f),
                                                   (float2)(0.77301045f, 0.63439328f),
                                                   (float2)(0.70710678f, 0.70710678f),
                                                   (float2)(0.63439328f, 0.77301045f),
                                                   (float2)(0.55557023f, 0.83146961f),
                                                   (float2)(0.47139674f, 0.88192126f),
                                                   (float2)(0.38268343f, 0.92387953f),
                                                   (float2)(0.29028468f, 0.95694034f),
                                                   (float2)(0.19509032f, 0.98078528f),
                                                   (float2)(0.09801714f, 0.99518473f)};

// The number of corner k of a box's face, k from 0 to 3 counterclockwise seen along the axis.
uint box_corner(uint face, uint k) {
  const uint axis = face & 3u, axis_u = next_axis(axis), axis_v = next_axis(axis_u);
  return (face >> 2) << axis | (k == 1u || k == 2u ? 1u : 0u) << axis_u | (k >= 2u ? 1u : 0u) << axis_v;
}

// Corner k as it is gone through, by its number in the loop; and the side from there on.
uint corner_in_loop(const FlatPolygon* p, uint k) {
  return p->backward ? p->count - 1u - k : k;
}
uint side_in_loop(const FlatPolygon* p, uint k) {
  return p->backward ? (k + 1u == p->count ? p->count - 1u : p->count - 2u - k) : k;
}

INLINED float2 polygon_corner(const FlatPolygon* p, uint k) {
  const uint at = corner_in_loop(p, k), shape = SHAPE_OF_EITHER(p->shape);
  float3 v;
  if (shape == SHAPE_BOX) {
    const uint bits = box_corner(p->first, at);
    const float3 size = p->body->size;
    v = (float3)((bits & 1u) != 0u ? size.x : -size.x, (bits & 2u) != 0u ? size.y : -size.y,
                 (bits & 4u) != 0u ? size.z : -size.z);
  } else if (shape == SHAPE_CYLINDER) {
    const float3 size = p->body->size;
    const float2 turn = BASE_TURNS[at & (BASE_CORNERS / 4u - 1u)], e = p->begin;
    const float2 in = (float2)(e.x * turn.x - e.y * turn.y, e.x * turn.y + e.y * turn.x);
    const uint quarter = at / (BASE_CORNERS / 4u);
    const float2 out =
        quarter == 0u ? in : (quarter == 1u ? (float2)(-in.y, in.x) : (quarter == 2u ? -in : (float2)(in.y, -in.x)));
    v = (float3)(out * size.x, p->first == 1u ? size.y : -size.y);
  } else {
    v = hull_vertex(p->body->hull, hull_corner(p->body->hull, p->first + at));
  }
  return (float2)(dot3(p->x, v) + p->x0, dot3(p->y, v) + p->y0);
}

INLINED uint polygon_corner_feature(const FlatPolygon* p, uint k) {
  const uint at = corner_in_loop(p, k), shape = SHAPE_OF_EITHER(p->shape);
  if (shape == SHAPE_BOX) return box_corner(p->first, at);
  if (shape == SHAPE_CYLINDER) return round_feature(p->first, ROLE_ARC + at);
  return hull_corner(p->body->hull, p->first + at);
}

// Of a side that the other's outline crosses, or a rim; `leaves` where that leaves the polygon.
INLINED uint polygon_side_feature(const FlatPolygon* p, uint k, bool leaves) {
  const uint at = side_in_loop(p, k), shape = SHAPE_OF_EITHER(p->shape);
  if (shape == SHAPE_BOX) {
    const uint low = box_corner(p->first, at), axis = lowest_bit(low ^ box_corner(p->first, (at + 1u) & 3u));
    const uint next = next_axis(axis);
    return box_edge(axis, low >> next & 1u, low >> next_axis(next) & 1u);
  }
  if (shape == SHAPE_CYLINDER) return round_feature(p->first, ROLE_RIM + (leaves ? 1u : 0u));
  return hull_edge_feature(p->body->hull, hull_side(p->body->hull, p->first + at));
}

// The part t0 to t1 of a segment, and what it ends at: sides of a polygon, the line where the depth is -margin, or
// nothing but its own ends.
#define AT_OWN_END 0xFFFFFFFFu
#define AT_DEPTH 0xFFFFFFFEu
typedef struct Piece {
  float t0, t1;
  uint at0, at1;
} Piece;

// What is left of the piece where a linear function, that at its segment's ends, is not negative.
INLINED void piece_cut(Piece* piece, float at_begin, float at_end, uint by) {
  if (at_begin >= 0.0f && at_end >= 0.0f) return;
  if (at_begin < 0.0f && at_end < 0.0f) {
    piece->t0 = 2.0f;
    return;
  }
  const float t = div_rn(at_begin, at_begin - at_end);
  if (at_begin < 0.0f && t > piece->t0) {
    piece->t0 = t;
    piece->at0 = by;
  }
  if (at_end < 0.0f && t < piece->t1) {
    piece->t1 = t;
    piece->at1 = by;
  }
}

// What is left of the segment from p to q inside the polygon, or no more than about `slack` beside it.
INLINED void piece_inside(Piece* piece, float2 p, float2 q, const FlatPolygon* polygon, float slack) {
  float2 from = polygon_corner(polygon, polygon->count - 1u);
  ROLLED
  for (uint k = 0u; k < polygon->count && piece->t0 <= piece->t1; ++k) {
    const float2 to = polygon_corner(polygon, k), e = to - from;
    const float room = slack * (abs_f(e.x) + abs_f(e.y));
    piece_cut(piece, (e.x * (p.y - from.y) - e.y * (p.x - from.x)) + room,
              (e.x * (q.y - from.y) - e.y * (q.x - from.x)) + room, k == 0u ? polygon->count - 1u : k - 1u);
    from = to;
  }
}

#endif

#line 5 "kernels/pairs/line_contacts.clh"
#pragma OPENCL FP_CONTRACT OFF

void deepest_of_two_first(Manifold* m) {
  if (m->count != 2u || !(m->depth[1] > m->depth[0])) return;
  const float3 point = m->point[0];
  const float depth = m->depth[0];
  const uint feature = m->feature[0];
  m->point[0] = m->point[1];
  m->depth[0] = m->depth[1];
  m->feature[0] = m->feature[1];
  m->point[1] = point;
  m->depth[1] = depth;
  m->feature[1] = feature;
}

// The part of the segment p + t * e, t in [*t0, *t1], over a face: the rectangle or, with height 0, the disc.
bool clip_to_face(float2 p, float2 e, bool disc, float2 extent, float* t0, float* t1) {
  float a, b;
  if (disc) {
    const float e2 = e.x * e.x + e.y * e.y, turn = p.x * e.y - p.y * e.x;
    const float reach2 = extent.x * extent.x * e2 - turn * turn;
    if (!(reach2 > 0.0f)) return false;
    const float per = div_rn(1.0f, e2), middle = -(p.x * e.x + p.y * e.y) * per, reach = sqrt_rn(reach2) * per;
    *t0 = max_f(*t0, middle - reach);
    *t1 = min_f(*t1, middle + reach);
    return *t0 <= *t1;
  }
  if (!inside_slab_interval(p.x, e.x, extent.x, &a, &b)) return false;
  *t0 = max_f(*t0, a);
  *t1 = min_f(*t1, b);
  if (!inside_slab_interval(p.y, e.y, extent.y, &a, &b)) return false;
  *t0 = max_f(*t0, a);
  *t1 = min_f(*t1, b);
  return *t0 <= *t1;
}

// The line q + t * d inside a body of the pair.
OUTLINED bool line_inside_either(uint shape, const Body* b, float3 q, float3 d, float* t0, float* t1) {
  return line_inside(SHAPE_OF_EITHER(shape), b, q, d, t0, t1);
}

// A flat side as the plane of drawing, with the rectangle, disc or, of extent 0, polygon that it is there, and its
// number.
typedef struct FlatSide {
  Plane plane;
  float2 extent;
  FlatPolygon polygon;
  uint number;
  bool disc;
} FlatSide;

void box_flat_side(const Body* b, float3 from, float3 toward, FlatSide* side) {
  const BoxFace f = box_face(b, toward);
  side->plane = plane_of(f.u, f.v, f.w, from + f.w * f.extent_w, toward);
  side->extent = (float2)(f.extent_u, f.extent_v);
  side->number = face_number(&f);
  side->disc = false;
}
void cylinder_flat_side(const Body* b, float3 from, float3 toward, FlatSide* side) {
  const uint end = end_along(b, toward);
  const float3 w = end == 1u ? b->z : -b->z;
  side->plane = plane_of(b->x, b->y, w, from + w * b->size.y, toward);
  side->extent = (float2)(b->size.x, b->size.x);
  side->number = round_feature(end, ROLE_END);
  side->disc = true;
}

INLINED void convex_hull_flat_side(const Body* b, float3 from, float3 toward, FlatSide* side) {
  polygon_toward(SHAPE_CONVEX_HULL, b, toward, &side->polygon);
  const float3 w = side->polygon.normal, up = w * side->polygon.height;
  const float3 u = across_normal(w);
  side->plane = plane_of(u, cross3(w, u), w, from + up, toward);
  polygon_draw(&side->polygon, &side->plane, -up);
  side->extent = (float2)(0.0f, 0.0f);
  side->number = side->polygon.feature;
  side->disc = false;
}

// Of a sharp body with its centre at `from`, the one that is turned to `toward`.
#define OCLIDE_CASE(NAME, name)              \
  case SHAPE_##NAME:                         \
    name##_flat_side(b, from, toward, side); \
    break;
INLINED void flat_side(uint shape, const Body* b, float3 from, float3 toward, FlatSide* side) {
  switch (shape) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
}
#undef OCLIDE_CASE

// The part of the segment p + t * e, t in [*t0, *t1], over the side.
INLINED bool clip_to_side(const FlatSide* side, float2 p, float2 e, float* t0, float* t1) {
  if (side->extent.x > 0.0f) return clip_to_face(p, e, side->disc, side->extent, t0, t1);
  Piece piece = {*t0, *t1, AT_OWN_END, AT_OWN_END};
  piece_inside(&piece, p, p + e, &side->polygon, 0.0f);
  *t0 = piece.t0;
  *t1 = piece.t1;
  return piece.t0 <= piece.t1;
}
INLINED bool is_over_side(const FlatSide* side, float2 p) {
  if (!(side->extent.x > 0.0f)) {
    float t0 = 0.0f, t1 = 1.0f;
    return clip_to_side(side, p, (float2)(0.0f, 0.0f), &t0, &t1);
  }
  return side->disc ? p.x * p.x + p.y * p.y <= side->extent.x * side->extent.x
                    : abs_f(p.x) <= side->extent.x && abs_f(p.y) <= side->extent.y;
}

// The line of a cylinder's or capsule's side over a flat side.
__attribute__((always_inline)) void line_on_face(uint plane_shape, const Body* plane_body, float3 from, uint shape,
                                                 const Body* other, float3 to, bool on_b, float3 n, float margin,
                                                 Manifold* m) {
  const float3 toward = on_b ? n : -n;
  const float along = dot3(other->z, toward);
  const float3 side = unit3(other->z * along - toward);
  FlatSide under;
  flat_side(plane_shape, plane_body, from, toward, &under);
  const Plane s = under.plane;
  const uint on_plane = under.number;
  const float3 offset = to - s.origin;
  // From the end that is farther into the plane's body to the other.
  const float rise = dot3(other->z, s.w);
  const uint low = rise > 0.0f ? 0u : 1u;
  const float3 half_line = other->z * (low == 0u ? other->size.y : -other->size.y);
  const float3 start = side * other->size.x - half_line;
  const float3 p = plane_project(&s, offset + start), q = plane_project(&s, (offset + start) + half_line * 2.0f);
  const float3 e = q - p;
  const bool across = rise * rise < PARALLEL_SINE2;
  float t0 = 0.0f, t1 = 1.0f;
  // A capsule that stands upright turns its ball alone.
  bool over =
      along * along < 1.0f - PARALLEL_SINE2 && clip_to_side(&under, (float2)(p.x, p.y), (float2)(e.x, e.y), &t0, &t1);
  // What is too shallow: cut off where the line lies across n.
  bool cut = false;
  if (over && across && p.z + e.z * t1 <= -margin && e.z < 0.0f) {
    const float shallow = div_rn(-margin - p.z, e.z);
    cut = true;
    t1 = shallow;
    over = t0 <= t1;
  }
  // The ball at the low end of what is rounded is deeper than the line.
  bool ball = false;
  if ((ROUNDED_SHAPES >> shape & 1u) != 0u && !across) {
    const float3 lowest = -half_line - toward * other->size.x;
    const float3 at = plane_project(&s, offset + lowest);
    ball = is_over_side(&under, (float2)(at.x, at.y));
    if (ball && at.z > -margin) {
      const float3 x = to + lowest;
      manifold_add(m, on_b ? x : x + toward * at.z, at.z,
                   ordered_feature(on_b, on_plane, round_feature(low, ROLE_END)));
    }
  }
  if (!over) return;
  for (uint k = ball ? 1u : 0u; k < 2u; ++k) {
    const float t = k == 0u ? t0 : t1;
    const float depth = cut && k == 1u ? shallowest_depth(margin) : p.z + e.z * t;
    if (!(depth > -margin)) continue;
    const bool whole = k == 0u ? t == 0.0f : t == 1.0f;
    const uint role = whole ? round_feature(k == 0u ? low : 1u - low, ROLE_SIDE)
                            : round_feature(k == 0u ? low : 1u - low, ROLE_CLIPPED);
    const float3 x = (to + start) + half_line * (2.0f * t);
    const float3 point = on_b ? x : x + toward * depth;
    const float3 apart = cross3(m->count > 0u ? point - m->point[0] : n, m->count > 0u ? n : side);
    if (m->count > 0u && dot3(apart, apart) < MERGE_DISTANCE * MERGE_DISTANCE) continue;
    manifold_add(m, point, depth, ordered_feature(on_b, on_plane, role));
  }
  deepest_of_two_first(m);
}

// A straight feature across d: an edge of a box, the line of a round side. Relative to the body's centre. Left alone
// where there is none.
typedef struct Line {
  float3 centre, along;
  float half_length;
  uint feature, end_feature[2];  // of the whole, of its ends
} Line;

bool box_line_along(const Body* b, float3 d, Line* line) {
  const float x = dot3(b->x, d), y = dot3(b->y, d), z = dot3(b->z, d);
  const float x2 = x * x, y2 = y * y, z2 = z * z;
  if (!(min_f(min_f(x2, y2), z2) < PARALLEL_SINE2)) return false;
  const uint k = x2 <= y2 ? (x2 <= z2 ? 0u : 2u) : (y2 <= z2 ? 1u : 2u);
  const uint bits = (x < 0.0f ? 0u : 1u) | (y < 0.0f ? 0u : 2u) | (z < 0.0f ? 0u : 4u);
  const uint next = next_axis(k), last = next_axis(next);
  const uint next_positive = bits >> next & 1u, last_positive = bits >> last & 1u;
  line->along = box_axis(b, k);
  line->half_length = component(b->size, k);
  line->centre = box_axis(b, next) * (next_positive != 0u ? component(b->size, next) : -component(b->size, next)) +
                 box_axis(b, last) * (last_positive != 0u ? component(b->size, last) : -component(b->size, last));
  line->feature = box_edge(k, next_positive, last_positive);
  line->end_feature[0] = bits & ~(1u << k);
  line->end_feature[1] = bits | 1u << k;
  return true;
}
bool round_line_along(const Body* b, float3 d, Line* line) {
  const float t = dot3(b->z, d);
  if (!(t * t < PARALLEL_SINE2)) return false;
  line->along = b->z;
  line->half_length = b->size.y;
  line->centre = unit3(d - b->z * t) * b->size.x;
  line->feature = round_feature(0u, ROLE_CROSSING);
  line->end_feature[0] = round_feature(0u, ROLE_SIDE);
  line->end_feature[1] = round_feature(1u, ROLE_SIDE);
  return true;
}
bool cylinder_line_along(const Body* b, float3 d, Line* line) {
  return round_line_along(b, d, line);
}
bool capsule_line_along(const Body* b, float3 d, Line* line) {
  return round_line_along(b, d, line);
}

bool convex_hull_line_along(const Body* b, float3 d, Line* line) {
  uint edge;
  if (!hull_edge_across(b->hull, into_body(b, d), &edge)) return false;
  const uint4 parts = hull_edge(b->hull, edge);
  const float3 p = hull_vertex(b->hull, parts.x), q = hull_vertex(b->hull, parts.y), half_way = (q - p) * 0.5f;
  line->centre = out_of_body(b, p + half_way);
  line->along = unit3(out_of_body(b, half_way));
  line->half_length = length3(half_way);
  line->feature = hull_edge_feature(b->hull, edge);
  line->end_feature[0] = parts.x;
  line->end_feature[1] = parts.y;
  return true;
}

// Of shapes with sides.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_line_along(b, d, line);
bool line_along(uint shape, const Body* b, float3 d, Line* line) {
  switch (shape) { OCLIDE_SIDED_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

// Two lines: where they cross, or the ends of the stretch that parallel ones share.
__attribute__((always_inline)) void lines_meet(const Line* la, uint shape_b, const Body* b, const Line* lb, float3 c,
                                               float3 n, float depth, float margin, Manifold* m) {
  const float3 to = (c + lb->centre) - la->centre;
  const float3 turn = cross3(la->along, lb->along);
  const float sine = dot3(turn, n), cosine = dot3(la->along, lb->along);
  const float to_middle = dot3(to, la->along), half_shared = lb->half_length * abs_f(cosine);
  const float begin = max_f(to_middle - half_shared, -la->half_length);
  const float end = min_f(to_middle + half_shared, la->half_length);
  float crossing = 0.5f * (begin + end);
  if (sine * sine > 1e-12f) crossing = div_rn(dot3(cross3(to, lb->along), n), sine);
  if (begin <= end && dot3(turn, turn) < LINES_SINE2) {
    crossing = max_f(begin, min_f(crossing, end));
    float deepest = -MAXFLOAT;
    for (uint k = 0u; k < 2u && !(k == 1u && end - begin < MERGE_DISTANCE); ++k) {
      const float at = k == 0u ? begin : end;
      float3 p = la->centre + la->along * at;
      const float3 q = (c + lb->centre) + lb->along * div_rn(at - to_middle, cosine);
      float d = dot3(q - p, n), enter, leave;
      // Off the other line the chord ends elsewhere on b. At b's own end it may miss b by as much as n leans, and by
      // rounding, or leave it through that end: that much farther in it does not.
      const float3 aside = (q - p) - n * d;
      if (dot3(aside, aside) > 1e-10f) {
        const bool inside = line_inside_either(shape_b, b, p - c, n, &enter, &leave);
        if (!inside || leave < d - MERGE_DISTANCE) {
          const float lean = abs_f(d * dot3(n, lb->along)) + abs_f(dot3(aside, lb->along));
          const float inward = min_f(2.0f * lean + 2e-6f * (la->half_length + lb->half_length), 0.5f * (end - begin));
          const float3 farther_in = la->centre + la->along * (k == 0u ? at + inward : at - inward);
          float leave_there;
          const bool inside_there = line_inside_either(shape_b, b, farther_in - c, n, &enter, &leave_there);
          if (inside_there && !(inside && leave_there < leave + MERGE_DISTANCE)) {
            p = farther_in;
            leave = leave_there;
          } else if (!inside) {
            continue;
          }
        }
        d = leave;
      }
      if (!(d > -margin)) continue;
      const bool of_a = k == 0u ? begin == -la->half_length : end == la->half_length;
      // b's end that lies there.
      const uint end_b = (k == 1u) == (cosine > 0.0f) ? 1u : 0u;
      manifold_add(
          m, p, d,
          of_a ? pair_feature(la->end_feature[k], lb->feature) : pair_feature(la->feature, lb->end_feature[end_b]));
      deepest = max_f(deepest, d);
    }
    if (deepest >= depth - (1e-5f + 0.0025f * abs_f(depth))) {
      deepest_of_two_first(m);
      return;
    }
    // They cross between: the deepest first, then the ends.
    manifold_add_first(m, la->centre + la->along * crossing, depth, pair_feature(la->feature, lb->feature));
    return;
  }
  // Where the lines end before they cross, an end is the nearest.
  crossing = max_f(-la->half_length, min_f(crossing, la->half_length));
  const float on_b = dot3(la->along * crossing - to, lb->along);
  if (abs_f(on_b) > lb->half_length) {
    crossing = dot3(to + lb->along * (on_b < 0.0f ? -lb->half_length : lb->half_length), la->along);
    crossing = max_f(-la->half_length, min_f(crossing, la->half_length));
  }
  manifold_add(m, la->centre + la->along * crossing, depth, pair_feature(la->feature, lb->feature));
}

#endif

#line 8 "kernels/pairs/manifold.clh"
#line 1 "kernels/pairs/polygon_patch.clh"
// The patch of two flat sides that are polygons of any number of corners (pairs/polygon.clh).
//
//          q                 The outline of what two convex polygons share is made of pieces of their sides. Seen round
//        _/ \__   own        it the sides turn to the left, and so do those of both together, in the order of their
//      _/_|____\__           directions. So the outline is gone through in that order: of each side the piece inside
//      the
//       p \     | other      other polygon, and where it begins is a corner. One more is where the depth becomes
//          \____|            -margin: there the outline follows no side.
//
// Where that is more corners than a patch has room for, those are kept that are farthest in as many directions, in axes
// in which the patch is about as wide as long, and the deepest is among them.
#ifndef OCLIDE_PAIRS_POLYGON_PATCH_CLH
#define OCLIDE_PAIRS_POLYGON_PATCH_CLH
#line 15 "kernels/pairs/polygon_patch.clh"
#pragma OPENCL FP_CONTRACT OFF

// Sides are taken for outside of the other body's when they are this part of the bodies' radii beside it: of two sides
// in one line one stays.
#define SIDE_SLACK 3e-7f

// Of a side that is all but along the normal no patch can be told: its cosine.
#define STEEP_COSINE 0.1f

// A number that grows with the angle of a direction from the x axis on, from 0 to 4.
float angle_number(float2 e) {
  const float size = abs_f(e.x) + abs_f(e.y);
  if (!(size > 0.0f)) return 0.0f;
  const float y = div_rn(e.y, size);
  return e.x < 0.0f ? 2.0f - y : (e.y < 0.0f ? 4.0f + y : y);
}

// A walk over the sides of a polygon, from the one of the least angle on.
typedef struct SideWalk {
  uint side, left;  // its number; how many are left with it
  float2 p, q;
  float angle;
} SideWalk;

INLINED void walk_to(SideWalk* walk, const FlatPolygon* polygon) {
  walk->p = walk->q;
  walk->q = polygon_corner(polygon, walk->side + 1u == polygon->count ? 0u : walk->side + 1u);
  walk->angle = angle_number(walk->q - walk->p);
}
INLINED void walk_begin(SideWalk* walk, const FlatPolygon* polygon) {
  float least = MAXFLOAT;
  uint first = 0u;
  walk->q = polygon_corner(polygon, 0u);
  ROLLED
  for (walk->side = 0u; walk->side < polygon->count; ++walk->side) {
    walk_to(walk, polygon);
    if (!(walk->angle < least)) continue;
    least = walk->angle;
    first = walk->side;
  }
  walk->side = first;
  walk->left = polygon->count;
  walk->q = polygon_corner(polygon, first);
  walk_to(walk, polygon);
}
INLINED void walk_on(SideWalk* walk, const FlatPolygon* polygon) {
  walk->side = walk->side + 1u == polygon->count ? 0u : walk->side + 1u;
  walk->left -= 1u;
  walk_to(walk, polygon);
}

// What is known of an outline's corners, from one time that it is gone through to the next.
typedef struct CornerChoice {
  Patch* patch;
  uint step, count;
  float2 first, last;    // the first corner, and the one farthest from it
  float2 e;              // unit, toward that
  float4 low, high;      // of the corners, along and across e
  float2 along, across;  // a corner's place along and across, in parts of how far they all are
  float2 deepest;        // the direction in which depth grows, in these
} CornerChoice;

#define CORNER_TURN_COSINE 0.96592583f  // a full turn in PATCH_POINTS steps
#define CORNER_TURN_SINE 0.25881905f

INLINED void choose_corners(CornerChoice* c, Patch* patch) {
  c->patch = patch;
  c->step = 0u;
  c->count = 0u;
  patch->count = 0u;
}

INLINED void corner_found(CornerChoice* c, float2 at, uint tag) {
  Patch* patch = c->patch;
  if (c->step == 0u) {
    patch_add(patch, at.x, at.y, tag);
    c->count += 1u;
    if (c->count == 1u) c->first = c->last = at;
    const float2 away = at - c->first, farthest = c->last - c->first;
    if (away.x * away.x + away.y * away.y > farthest.x * farthest.x + farthest.y * farthest.y) c->last = at;
  } else if (c->step == 1u) {
    const float along = c->e.x * at.x + c->e.y * at.y, across = c->e.x * at.y - c->e.y * at.x;
    const float4 place = (float4)(along, across, 0.0f, 0.0f);
    c->low = select(c->low, place, place < c->low);
    c->high = select(c->high, place, place > c->high);
  } else {
    float2 d = c->deepest;
    ROLLED
    for (uint k = 0u; k < PATCH_POINTS; ++k) {
      const float2 way = c->along * d.x + c->across * d.y;
      const float to = at.x - patch->x[k], up = at.y - patch->y[k];
      if (patch->count == 0u || way.x * to + way.y * up > 0.0f) {
        patch->x[k] = at.x;
        patch->y[k] = at.y;
        patch->tag[k] = tag;
      }
      d = (float2)(d.x * CORNER_TURN_COSINE - d.y * CORNER_TURN_SINE,
                   d.x * CORNER_TURN_SINE + d.y * CORNER_TURN_COSINE);
    }
    patch->count = PATCH_POINTS;
  }
}

// What the next time takes; false when the patch is there.
INLINED bool corners_go_on(CornerChoice* c, const Plane* s) {
  Patch* patch = c->patch;
  if (c->step == 0u) {
    if (c->count <= PATCH_POINTS) return false;
    const float2 way = c->last - c->first;
    const float length2 = way.x * way.x + way.y * way.y;
    c->e = length2 > 1e-30f ? way * div_rn(1.0f, sqrt_rn(length2)) : (float2)(1.0f, 0.0f);
    c->low = (float4)(MAXFLOAT, MAXFLOAT, MAXFLOAT, MAXFLOAT);
    c->high = -c->low;
  } else if (c->step == 1u) {
    const float length = max_f(c->high.x - c->low.x, 1e-12f), width = max_f(c->high.y - c->low.y, 1e-12f);
    const float2 across = (float2)(-c->e.y, c->e.x);
    c->along = c->e * div_rn(1.0f, length);
    c->across = across * div_rn(1.0f, width);
    // Depth grows along this direction in the scaled axes as along its gradient on the plane.
    const float2 steep = (float2)((s->gradient_x * c->e.x + s->gradient_y * c->e.y) * length,
                                  (s->gradient_x * across.x + s->gradient_y * across.y) * width);
    const float steep2 = steep.x * steep.x + steep.y * steep.y;
    c->deepest = steep2 > 1e-24f ? steep * div_rn(1.0f, sqrt_rn(steep2)) : (float2)(1.0f, 0.0f);
    patch->count = 0u;
  } else {
    uint kept = 0u;
    ROLLED
    for (uint k = 0u; k < PATCH_POINTS; ++k) {
      if (kept > 0u && patch->tag[k] == patch->tag[kept - 1u]) continue;
      patch->x[kept] = patch->x[k];
      patch->y[kept] = patch->y[k];
      patch->tag[kept++] = patch->tag[k];
    }
    patch->count = kept;
    return false;
  }
  c->step += 1u;
  return true;
}

// A base's corner 0 is where it is deepest, but where it is level.
INLINED void polygon_begin_deepest(FlatPolygon* p, const Plane* s) {
  if (SHAPE_OF_EITHER(p->shape) != SHAPE_CYLINDER) return;
  const float2 e =
      (float2)(s->gradient_x * p->x.x + s->gradient_y * p->y.x, s->gradient_x * p->x.y + s->gradient_y * p->y.y);
  const float steepness = sqrt_rn(e.x * e.x + e.y * e.y);
  if (!(steepness * p->body->size.x < LEVEL_DEPTH)) p->begin = e * div_rn(1.0f, steepness);
}

// Sides of two sharp bodies as polygons, as in flat_faces() (pairs/manifold.clh).
__attribute__((always_inline)) bool polygon_faces(uint shape_a, const Body* a, uint shape_b, const Body* b, float3 c,
                                                  bool on_b, float3 n, float margin, Plane* plane, Patch* patch) {
  const float3 toward = on_b ? n : -n, zero = (float3)(0.0f, 0.0f, 0.0f);
  const float3 from = on_b ? c : zero, to = on_b ? zero : c;
  // Of the plane, and the other: no array, which would be in memory.
  FlatPolygon side, other_side;
  polygon_toward(on_b ? shape_b : shape_a, on_b ? b : a, toward, &side);
  polygon_toward(on_b ? shape_a : shape_b, on_b ? a : b, -toward, &other_side);
  patch->count = 0u;
  const float3 w = side.normal;
  const float3 u = across_normal(w), up = w * side.height;
  Plane s = plane_of(u, cross3(w, u), w, from + up, toward);
  *plane = s;
  if (!(dot3(other_side.normal, toward) < -STEEP_COSINE)) return on_b;
  const float3 step = (to - from) - up;
  plane_set_other(&s, other_side.normal, step + other_side.normal * other_side.height);
  *plane = s;
  polygon_draw(&side, &s, -up);
  polygon_draw(&other_side, &s, step);
  const bool parallel = plane_is_parallel(&s);
  polygon_begin_deepest(&side, &s);
  polygon_begin_deepest(&other_side, &s);
  const float slack = SIDE_SLACK * (a->radius_bound + b->radius_bound);
  CornerChoice choice;
  choose_corners(&choice, patch);
  do {
    SideWalk side_walk, other_walk;
    walk_begin(&side_walk, &side);
    walk_begin(&other_walk, &other_side);
    ROLLED
    while (side_walk.left + other_walk.left > 0u) {
      const bool of_plane = side_walk.left > 0u && (other_walk.left == 0u || side_walk.angle <= other_walk.angle);
      const FlatPolygon own = of_plane ? side : other_side, other = of_plane ? other_side : side;
      SideWalk walk = of_plane ? side_walk : other_walk;
      Piece piece = {0.0f, 1.0f, AT_OWN_END, AT_OWN_END};
      if (parallel)
        piece_cut(&piece, plane_depth(&s, walk.p.x, walk.p.y) + margin, plane_depth(&s, walk.q.x, walk.q.y) + margin,
                  AT_DEPTH);
      piece_inside(&piece, walk.p, walk.q, &other, of_plane ? slack : 0.0f);
      const bool of_b = on_b == of_plane;  // is the side one of b?
      for (uint end = 0u; end < 2u; ++end) {
        const uint at = end == 0u ? piece.at0 : piece.at1;
        if (!(piece.t0 <= piece.t1) || (end == 1u && at != AT_DEPTH)) break;
        const uint on_own = at == AT_OWN_END ? polygon_corner_feature(&own, walk.side)
                                             : polygon_side_feature(&own, walk.side, end == 1u);
        const uint on_other = at >= AT_DEPTH ? other.feature : polygon_side_feature(&other, at, true);
        const float2 corner = walk.p + (walk.q - walk.p) * (end == 0u ? piece.t0 : piece.t1);
        corner_found(&choice, corner, ordered_feature(of_b, on_own, on_other));
      }
      walk_on(&walk, &own);
      if (of_plane)
        side_walk = walk;
      else
        other_walk = walk;
    }
  } while (corners_go_on(&choice, &s));
  return on_b;
}

#endif

#line 9 "kernels/pairs/manifold.clh"
#pragma OPENCL FP_CONTRACT OFF

uint box_point_feature(const Body* b, float3 d) {
  return (dot3(b->x, d) > 0.0f ? 1u : 0u) | (dot3(b->y, d) > 0.0f ? 2u : 0u) | (dot3(b->z, d) > 0.0f ? 4u : 0u);
}
uint cylinder_point_feature(const Body* b, float3 d) {
  return round_feature(end_along(b, d), ROLE_END);
}
uint capsule_point_feature(const Body* b, float3 d) {
  return round_feature(end_along(b, d), ROLE_END);
}
uint convex_hull_point_feature(const Body* b, float3 d) {
  float reach;
  return hull_farthest(b->hull, into_body(b, d), &reach);
}

// The feature of the farthest point along d, of shapes with sides.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_point_feature(b, d);
uint point_feature(uint shape, const Body* b, float3 d) {
  switch (shape) { OCLIDE_SIDED_SHAPES(OCLIDE_CASE) }
  return 0u;
}
#undef OCLIDE_CASE

// How exactly the farthest point of a shape with sides tells where it touches, the greater the better; that of a flat
// side, 0, tells nothing.
#define CYLINDER_POINT_RANK 1u
#define CAPSULE_POINT_RANK 2u
#define BOX_POINT_RANK 3u
#define CONVEX_HULL_POINT_RANK 3u
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return NAME##_POINT_RANK;
uint point_rank(uint shape) {
  switch (shape) { OCLIDE_SIDED_SHAPES(OCLIDE_CASE) }
  return 0u;
}
#undef OCLIDE_CASE

float box_point_way(const Body* b, float3 n) {
  (void)n;
  return b->size.x;
}
float capsule_point_way(const Body* b, float3 n) {
  (void)n;
  return b->size.x;
}
// The more the nearer n is to the axis.
float cylinder_point_way(const Body* b, float3 n) {
  const float x = dot3(b->x, n), y = dot3(b->y, n);
  return div_rn(b->size.x, max_f(sqrt_rn(x * x + y * y), 1e-6f));
}
float convex_hull_point_way(const Body* b, float3 n) {
  (void)n;
  return b->radius_bound;
}

// How far the farthest point along n moves when n turns, by the angle [m / rad]; of shapes with sides.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_point_way(b, n);
float point_way(uint shape, const Body* b, float3 n) {
  switch (shape) { OCLIDE_SIDED_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// One contact at the farthest point of a or of b.
void point_meets(bool of_b, uint shape_a, const Body* a, uint shape_b, const Body* b, float3 c, float3 n, float depth,
                 Manifold* m) {
  const float3 p = of_b ? (lowest_point(shape_b, b, -n) + c) - n * depth : lowest_point(shape_a, a, n);
  manifold_add(m, p, depth, pair_feature(point_feature(shape_a, a, -n), point_feature(shape_b, b, n)));
}

float box_flat_sine2(const Body* b, float3 n) {
  const float x = dot3(b->x, n), y = dot3(b->y, n), z = dot3(b->z, n);
  const float x2 = x * x, y2 = y * y, z2 = z * z;
  return min_f(min_f(x2 + y2, y2 + z2), z2 + x2);
}
float cylinder_flat_sine2(const Body* b, float3 n) {
  const float x = dot3(b->x, n), y = dot3(b->y, n);
  return x * x + y * y;
}
float convex_hull_flat_sine2(const Body* b, float3 d) {
  const float3 e = into_body(b, d), n = hull_face(b->hull, hull_face_toward(b->hull, e)).xyz, sine = cross3(n, e);
  return dot3(n, e) > 0.0f ? dot3(sine, sine) : 1.0f;
}

// Squared sine of the angle between d and the normal of the flat side that is turned to it; 1 of rounded shapes, which
// have none.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_flat_sine2(b, d);
float flat_sine2(uint shape, const Body* b, float3 d) {
  switch (shape) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return 1.0f;
}
#undef OCLIDE_CASE

bool box_turns_line(const Body* b, float3 n) {
  (void)b;
  (void)n;
  return false;
}
bool cylinder_turns_line(const Body* b, float3 n) {
  const float axis = dot3(b->z, n);
  return axis * axis < 0.5f;
}
bool capsule_turns_line(const Body* b, float3 n) {
  (void)b;
  (void)n;
  return true;
}
bool convex_hull_turns_line(const Body* b, float3 n) {
  (void)b;
  (void)n;
  return false;
}

// Does a shape with sides turn the line of its round side to a flat side with the normal n, and not a flat side?
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_turns_line(b, n);
bool turns_line(uint shape, const Body* b, float3 n) {
  switch (shape) { OCLIDE_SIDED_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

// The flat sides of two sharp shapes, <shape of a>_and_<shape of b>_faces: the plane of one of them and the patch on
// it, the side's of b where `on_b` or where there is but one way. Is the plane a side of b?
bool box_and_box_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s, Patch* p) {
  const float3 zero = (float3)(0.0f, 0.0f, 0.0f);
  box_face_on_box(on_b ? b : a, on_b ? c : zero, on_b ? a : b, on_b ? zero : c, on_b, n, margin, s, p);
  return on_b;
}
bool box_and_cylinder_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s,
                            Patch* p) {
  (void)on_b;
  base_and_box_face(b, c, a, (float3)(0.0f, 0.0f, 0.0f), true, n, margin, s, p);
  return true;
}
bool cylinder_and_box_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s,
                            Patch* p) {
  (void)on_b;
  base_and_box_face(a, (float3)(0.0f, 0.0f, 0.0f), b, c, false, n, margin, s, p);
  return false;
}
bool cylinder_and_cylinder_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s,
                                 Patch* p) {
  const float3 zero = (float3)(0.0f, 0.0f, 0.0f);
  base_on_base(on_b ? b : a, on_b ? c : zero, on_b ? a : b, on_b ? zero : c, on_b, n, margin, s, p);
  return on_b;
}

bool box_and_convex_hull_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s,
                               Patch* p) {
  return polygon_faces(SHAPE_BOX, a, SHAPE_CONVEX_HULL, b, c, on_b, n, margin, s, p);
}
bool cylinder_and_convex_hull_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s,
                                    Patch* p) {
  return polygon_faces(SHAPE_CYLINDER, a, SHAPE_CONVEX_HULL, b, c, on_b, n, margin, s, p);
}
bool convex_hull_and_box_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s,
                               Patch* p) {
  return polygon_faces(SHAPE_CONVEX_HULL, a, SHAPE_BOX, b, c, on_b, n, margin, s, p);
}
bool convex_hull_and_cylinder_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin, Plane* s,
                                    Patch* p) {
  return polygon_faces(SHAPE_CONVEX_HULL, a, SHAPE_CYLINDER, b, c, on_b, n, margin, s, p);
}
bool convex_hull_and_convex_hull_faces(const Body* a, const Body* b, float3 c, bool on_b, float3 n, float margin,
                                       Plane* s, Patch* p) {
  return polygon_faces(SHAPE_CONVEX_HULL, a, SHAPE_CONVEX_HULL, b, c, on_b, n, margin, s, p);
}

#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return box_and_##name##_faces(a, b, c, on_b, n, margin, s, p);
__attribute__((always_inline)) bool faces_of_box(const Body* a, uint shape_b, const Body* b, float3 c, bool on_b,
                                                 float3 n, float margin, Plane* s, Patch* p) {
  switch (shape_b) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return on_b;
}
#undef OCLIDE_CASE
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return cylinder_and_##name##_faces(a, b, c, on_b, n, margin, s, p);
__attribute__((always_inline)) bool faces_of_cylinder(const Body* a, uint shape_b, const Body* b, float3 c, bool on_b,
                                                      float3 n, float margin, Plane* s, Patch* p) {
  switch (shape_b) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return on_b;
}
#undef OCLIDE_CASE
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return convex_hull_and_##name##_faces(a, b, c, on_b, n, margin, s, p);
__attribute__((always_inline)) bool faces_of_convex_hull(const Body* a, uint shape_b, const Body* b, float3 c,
                                                         bool on_b, float3 n, float margin, Plane* s, Patch* p) {
  switch (shape_b) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return on_b;
}
#undef OCLIDE_CASE
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return faces_of_##name(a, shape_b, b, c, on_b, n, margin, s, p);
__attribute__((always_inline)) bool flat_faces(uint shape_a, const Body* a, uint shape_b, const Body* b, float3 c,
                                               bool on_b, float3 n, float margin, Plane* s, Patch* p) {
  switch (shape_a) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return on_b;
}
#undef OCLIDE_CASE

// Where a flat side takes part, the contacts over it; the number stays 0 where none is deeper than -margin.
OUTLINED_OR_INLINE void flat_contacts(uint any_a, const Body* a, uint any_b, const Body* b, float3 c, float3 n,
                                      float margin, Manifold* m) {
  const uint shape_a = SHAPE_OF_FIRST(any_a), shape_b = SHAPE_OF_SECOND(any_b);
  m->count = 0u;
  m->normal = n;
  const float sine_a = flat_sine2(shape_a, a, -n), sine_b = flat_sine2(shape_b, b, n);
  if (!(min_f(sine_a, sine_b) < PARALLEL_SINE2)) return;
  // The flat side of b unless a's is clearly better aligned.
  const bool on_b = sine_b <= sine_a + 1e-8f && sine_b < PARALLEL_SINE2;
  const uint shape = on_b ? shape_a : shape_b;
  const Body* other = on_b ? a : b;
  if (turns_line(shape, other, n)) {
    const float3 zero = (float3)(0.0f, 0.0f, 0.0f);
    line_on_face(on_b ? shape_b : shape_a, on_b ? b : a, on_b ? c : zero, shape, other, on_b ? zero : c, on_b, n,
                 margin, m);
    return;
  }
  Plane s;
  Patch p;
  p.count = 0u;
  const bool of_b = flat_faces(shape_a, a, shape_b, b, c, on_b, n, margin, &s, &p);
  emit_patch(&p, &s, of_b, n, margin, m);
}

// Whether the deepest contact has this depth, but for what a direction may be from the least (of hulls by a length
// alone), what the choice of four points leaves out, and rounding.
bool is_as_deep(const Manifold* m, float depth, float rounding) {
  const float share = HAS_HULLS ? CHOICE_SHARE : FLAT_SHARE + CHOICE_SHARE;
  return m->count > 0u && m->depth[0] >= depth - (((FLAT_LENGTH + CHOICE_LENGTH) + rounding) + share * abs_f(depth));
}

// Whether a length measured along n is the depth, but for how far n may be from the least direction.
bool is_about(float length, float depth) {
  return abs_f(length - depth) < 5e-5f + 0.005f * abs_f(depth);
}

// Is contact k on both bodies?
OUTLINED_OR_INLINE bool is_on_both(uint shape_a, const Body* a, uint shape_b, const Body* b, float3 c,
                                   const Manifold* m, uint k, float rounding) {
  const float3 p = m->point[k], q = (p + m->normal * m->depth[k]) - c;
  return max_f(outside_distance(SHAPE_OF_FIRST(shape_a), a, p), outside_distance(SHAPE_OF_SECOND(shape_b), b, q)) <
         5e-5f + rounding;
}

// A point of one body on a line of the other: measured there, for n may lean against the line a little.
__attribute__((always_inline)) void point_on_line(uint shape_a, const Body* a, const Line* la, bool line_a,
                                                  uint shape_b, const Body* b, const Line* lb, float3 c, float3 n,
                                                  float depth, float margin, Manifold* m) {
  const float3 q = line_a ? lowest_point(shape_b, b, -n) + c : lowest_point(shape_a, a, n);
  const float3 middle = line_a ? la->centre : lb->centre + c, along = line_a ? la->along : lb->along;
  const float half_length = line_a ? la->half_length : lb->half_length;
  const float at = max_f(-half_length, min_f(dot3(q - middle, along), half_length));
  const float3 x = middle + along * at;
  const float on_line = dot3(line_a ? q - x : x - q, n);
  if (is_about(on_line, depth)) depth = max_f(on_line, shallowest_depth(margin));
  float enter, leave;
  // At the line's end it is the end that tells where.
  if (abs_f(at) == half_length &&
      line_inside_either(line_a ? shape_b : shape_a, line_a ? b : a, line_a ? x - c : x, n, &enter, &leave)) {
    const float chord = line_a ? leave : -enter;
    if (is_about(chord, depth) && chord > -margin) {
      const uint end = at < 0.0f ? 0u : 1u;
      manifold_add(m, line_a ? x : x - n * chord, chord,
                   pair_feature(line_a ? la->end_feature[end] : point_feature(shape_a, a, -n),
                                line_a ? point_feature(shape_b, b, n) : lb->end_feature[end]));
      return;
    }
  }
  // The point's body says where, but for one far larger than the other: its rim's point moves far when n turns a
  // little. The chord through the place may end beside the line of a round side, or beside the point.
  const bool of_line =
      8.0f * (line_a ? a->radius_bound : b->radius_bound) < (line_a ? b->radius_bound : a->radius_bound);
  const bool through_a = line_a != of_line;
  const float3 place = of_line ? x : q;
  if (line_inside_either(through_a ? shape_a : shape_b, through_a ? a : b, through_a ? place : place - c, n, &enter,
                         &leave)) {
    const float chord = through_a ? -enter : leave;
    if (chord < depth - FLAT_LENGTH && is_about(chord, depth)) depth = max_f(chord, shallowest_depth(margin));
  }
  manifold_add(m, line_a == of_line ? place : place - n * depth, depth,
               pair_feature(line_a ? la->feature : point_feature(shape_a, a, -n),
                            line_a ? point_feature(shape_b, b, n) : lb->feature));
}

// Of what is no flat side, or is beside it: the contacts of two lines, of a point and a line, of two points.
OUTLINED_OR_INLINE void line_and_point_contacts(uint any_a, const Body* a, bool flat_a, uint any_b, const Body* b,
                                                bool flat_b, float3 c, float3 n, float depth, float margin,
                                                Manifold* m) {
  const uint shape_a = SHAPE_OF_FIRST(any_a), shape_b = SHAPE_OF_SECOND(any_b);
  Line la, lb;
  const bool line_a = !flat_a && line_along(shape_a, a, -n, &la), line_b = !flat_b && line_along(shape_b, b, n, &lb);
  if (line_a && line_b) {
    lines_meet(&la, shape_b, b, &lb, c, n, depth, margin, m);
  } else if ((line_a || line_b) && !(flat_a || flat_b)) {
    point_on_line(shape_a, a, &la, line_a, shape_b, b, &lb, c, n, depth, margin, m);
  } else {
    // Two points: a corner tells more exactly where than a ball, that more than a rim, and that more than a flat
    // side; of two alike one that moves far less when n turns.
    const uint rank_a = flat_a ? 0u : point_rank(shape_a), rank_b = flat_b ? 0u : point_rank(shape_b);
    const bool of_b =
        rank_b > rank_a || (rank_b == rank_a && 8.0f * point_way(shape_b, b, n) < point_way(shape_a, a, n));
    point_meets(of_b, shape_a, a, shape_b, b, c, n, depth, m);
  }
}

// Contacts of shapes with sides: a's centre at the origin, b's at c, n from b toward a, depth the overlap along
// n (negative when apart). `flat_n` and `flat_depth`: the same of the best that a flat side has, which is taken where
// it is as good as equal and the deepest contact lies over the side. The shapes are constants where this is called.
__attribute__((always_inline)) void build_manifold_flat_first(uint shape_a, const Body* a, uint shape_b, const Body* b,
                                                              float3 c, float3 flat_n, float flat_depth, float3 n,
                                                              float depth, float margin, Manifold* m) {
  m->count = 0u;
  if (!(depth > -margin)) return;
  const float rounding = 1e-6f * (a->radius_bound + b->radius_bound);
  const bool flat_first = flat_depth > depth && flat_depth <= depth + (FLAT_LENGTH + FLAT_SHARE * abs_f(depth));
#if OCLIDE_LANES != 1
  Manifold over_flat;  // along n
#endif
  // Along the flat side's normal; along n; where it is so shallow that rounding hides it, along n with more room.
  ROLLED
  for (uint step = flat_first ? 0u : 1u; step < 3u; ++step) {
    if (step == 2u && !(depth + margin < 4.0f * rounding)) break;
    flat_contacts(shape_a, a, shape_b, b, c, step == 0u ? flat_n : n, step == 2u ? margin + 8.0f * rounding : margin,
                  m);
    if (step < 2u && is_as_deep(m, depth, rounding)) return;
#if OCLIDE_LANES != 1
    if (step == 1u) over_flat = *m;
#endif
    // The deepest point over the flat side has the depth.
    if (step == 2u && m->count > 0u) {
      m->count = 1u;
      m->depth[0] = depth;
      return;
    }
  }
  // No flat side, or what is deepest lies beside it: then the other body tells where.
  m->count = 0u;
  const bool flat_a = flat_sine2(shape_a, a, -n) < PARALLEL_SINE2, flat_b = flat_sine2(shape_b, b, n) < PARALLEL_SINE2;
  line_and_point_contacts(shape_a, a, flat_a, shape_b, b, flat_b, c, n, depth, margin, m);
  if (m->count > 0u && is_about(m->depth[0], depth) && is_on_both(shape_a, a, shape_b, b, c, m, 0u, rounding)) return;
  // n is so near to the normal of a side, or to one across a line, that it has the depth, and yet what lies farthest
  // along it does not meet: some other chord does, and what lies over a flat side, or on lines that do meet, stays.
  const float3 e = unit3(cross3(n, abs_f(n.x) < 0.6f ? (float3)(1.0f, 0.0f, 0.0f) : (float3)(0.0f, 1.0f, 0.0f)));
  const float3 g = cross3(n, e);
  float3 point, aside;
  float length;
  bool over = longest_chord(shape_a, a, shape_b, b, c, e, g, n, &point, &length, &aside);
  // Over each other at their borders alone: rounding may part them.
  if (!over && length3(aside) < rounding + 1e-5f)
    over = longest_chord(shape_a, a, shape_b, b, c + aside, e, g, n, &point, &length, &aside);
  if (!over) {
    // Apart, and n so near to another direction that they do not lie over each other along it.
    m->count = 0u;
    manifold_add(m, nearest_beside(shape_a, a, shape_b, b, c, e, g, n), depth,
                 pair_feature(point_feature(shape_a, a, -n), point_feature(shape_b, b, n)));
    return;
  }
  const bool flat = flat_a || flat_b;
#if OCLIDE_LANES != 1
  if (flat) *m = over_flat;
#else
  // Seldom: to find it again takes less than to keep it.
  if (flat) flat_contacts(shape_a, a, shape_b, b, c, n, margin, m);
#endif
  uint apart = 0u;
  ROLLED
  for (uint k = 0u; k < m->count; ++k) {
    const float3 aside = cross3(m->point[k] - point, n);
    if (dot3(aside, aside) < MERGE_DISTANCE * MERGE_DISTANCE) continue;
    if (!flat && !is_on_both(shape_a, a, shape_b, b, c, m, k, rounding)) continue;
    m->point[apart] = m->point[k];
    m->depth[apart] = m->depth[k];
    m->feature[apart] = m->feature[k];
    apart += 1u;
  }
  m->count = apart;
  manifold_add_first(m, point, max_f(min_f(length, depth), shallowest_depth(margin)),
                     pair_feature(point_feature(shape_a, a, -n), point_feature(shape_b, b, n)));
}

#endif

#line 12 "kernels/narrow_phase/cylinder_capsule.cl"
#line 13 "kernels/narrow_phase/cylinder_capsule.cl"
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
bool cylinder_capsule_depth(const Body* a, const Body* b, float3 c, float margin, LeastOverlap* flat_result,
                            LeastOverlap* result) {
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
  flat_result->n = frame_to_world(&f, flat.n);
  flat_result->overlap = flat.overlap;
  result->n = frame_to_world(&f, least.n);
  result->overlap = least.overlap;
  return true;
}

void cylinder_capsule(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  LeastOverlap flat, least;
  if (cylinder_capsule_depth(a, b, c, margin, &flat, &least))
    build_manifold_flat_first(SHAPE_CYLINDER, a, SHAPE_CAPSULE, b, c, flat.n, flat.overlap, least.n, least.overlap,
                              margin, m);
}

PAIR_KERNEL(narrow_phase_cylinder_capsule, SHAPE_CYLINDER, SHAPE_CAPSULE, cylinder_capsule)

