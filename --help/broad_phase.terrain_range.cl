#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/broad_phase/terrain_range.cl"
// Broad phase against terrain, first half (text 001, part III): for every body its bounding box, the range of lattice
// sites under it, the height bounds of that range, and from them the sites to look at.
//
// A work-item has a body on a GPU, elsewhere two times eight side by side. Writes counts[slot], and grid_poses[slot]
// where that is not 0: 0 where the body is above everything under it or beside the grid, 1 where the range is one
// horizontal plane (the plane shortcut), else the sites of the range that the part of the body can be over which is
// under a plane above all ground there. With OCLIDE_LOOK_AT_ALL that is all of them, and all of their features, so that
// tests can tell that nothing is passed over which counts. Reference: host/reference/broad_phase/terrain_range.cpp,
// without the pyramid.
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

#line 11 "kernels/broad_phase/terrain_range.cl"
#line 1 "kernels/math/two_float_lanes.clh"
// Sums of two floats side by side, each to the bit what math/two_float.clh gives.
#ifndef OCLIDE_MATH_TWO_FLOAT_LANES_CLH
#define OCLIDE_MATH_TWO_FLOAT_LANES_CLH
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

#line 5 "kernels/math/two_float_lanes.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct TwoFloatW {
  FloatW hi, lo;
} TwoFloatW;

TwoFloatW two_sum_w(FloatW a, FloatW b) {
  TwoFloatW r;
  r.hi = a + b;
  const FloatW bb = r.hi - a;
  r.lo = (a - (r.hi - bb)) + (b - bb);
  return r;
}

TwoFloatW two_add_w(TwoFloatW a, TwoFloatW b) {
  const TwoFloatW s = two_sum_w(a.hi, b.hi);
  return two_sum_w(s.hi, s.lo + (a.lo + b.lo));
}

TwoFloatW two_sub_w(TwoFloatW a, TwoFloatW b) {
  const TwoFloatW minus = {-b.hi, -b.lo};
  return two_add_w(a, minus);
}

TwoFloatW two_scale_w(FloatW k, TwoFloatW a) {
  const FloatW ck = 4097.0f * k, ca = 4097.0f * a.hi;
  const FloatW kh = ck - (ck - k), ah = ca - (ca - a.hi);
  const FloatW kl = k - kh, al = a.hi - ah, product = k * a.hi;
  const FloatW error = ((kh * ah - product) + kh * al + kl * ah) + kl * al;
  return two_sum_w(product, error + k * a.lo);
}

#endif

#line 12 "kernels/broad_phase/terrain_range.cl"
#line 1 "kernels/shapes/body_lanes.clh"
// Bodies side by side, one a lane: to the bit what shapes/body.clh gives for each of them.
#ifndef OCLIDE_SHAPES_BODY_LANES_CLH
#define OCLIDE_SHAPES_BODY_LANES_CLH
#line 5 "kernels/shapes/body_lanes.clh"
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

#line 6 "kernels/shapes/body_lanes.clh"
#pragma OPENCL FP_CONTRACT OFF

// A lane's body; one may be in several lanes.
typedef struct BodyW {
  VecW x, y, z;         // their axes in the world, unit
  VecW size;            // [m] as in the scene file
  FloatW radius_bound;  // [m]
} BodyW;

// The shapes that are symmetric about their centre, to go through one after another.
#define OCLIDE_ITEM(NAME, name) SHAPE_##NAME,
__constant uint symmetric_shapes[] = {OCLIDE_SYMMETRIC_SHAPES(OCLIDE_ITEM)};
#define SYMMETRIC_COUNT (sizeof(symmetric_shapes) / sizeof(symmetric_shapes[0]))
#undef OCLIDE_ITEM

FloatW sphere_bounding_radius_w(VecW size) {
  return size.x;
}
FloatW box_bounding_radius_w(VecW size) {
  return sqrt_w((size.x * size.x + size.y * size.y) + size.z * size.z);
}
FloatW cylinder_bounding_radius_w(VecW size) {
  return sqrt_w(size.x * size.x + size.y * size.y);
}
FloatW capsule_bounding_radius_w(VecW size) {
  return size.x + size.y;
}

// Of the bounding sphere about the centre.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_bounding_radius_w(size);
FloatW bounding_radius_w(uint shape, VecW size) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  return (FloatW)(0.0f);
}
#undef OCLIDE_CASE

void sphere_extents_w(const BodyW* b, VecW* e) {
  e->x = e->y = e->z = b->size.x;
}
void box_extents_w(const BodyW* b, VecW* e) {
  const VecW s = b->size;
  e->x = s.x * abs_w(b->x.x) + s.y * abs_w(b->y.x) + s.z * abs_w(b->z.x);
  e->y = s.x * abs_w(b->x.y) + s.y * abs_w(b->y.y) + s.z * abs_w(b->z.y);
  e->z = s.x * abs_w(b->x.z) + s.y * abs_w(b->y.z) + s.z * abs_w(b->z.z);
}
void cylinder_extents_w(const BodyW* b, VecW* e) {
  const VecW s = b->size, v = b->z;
  const FloatW x2 = v.x * v.x, y2 = v.y * v.y, z2 = v.z * v.z;
  e->x = abs_w(v.x) * s.y + sqrt_w(y2 + z2) * s.x;
  e->y = abs_w(v.y) * s.y + sqrt_w(z2 + x2) * s.x;
  e->z = abs_w(v.z) * s.y + sqrt_w(x2 + y2) * s.x;
}
void capsule_extents_w(const BodyW* b, VecW* e) {
  const VecW s = b->size;
  e->x = abs_w(b->z.x) * s.y + s.x;
  e->y = abs_w(b->z.y) * s.y + s.x;
  e->z = abs_w(b->z.z) * s.y + s.x;
}

// Half extents along the world's axes.
#define OCLIDE_CASE(NAME, name)   \
  case SHAPE_##NAME:              \
    name##_extents_w(b, extents); \
    break;
void body_extents_w(uint shape, const BodyW* b, VecW* extents) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
}
#undef OCLIDE_CASE

void sphere_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  *along = (FloatW)(0.0f);
  *round2 = dot_wv(m, m) * (b->size.x * b->size.x);
}
void box_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  const VecW s = b->size;
  *along = (abs_w(dot_wv(m, b->x)) * s.x + abs_w(dot_wv(m, b->y)) * s.y) + abs_w(dot_wv(m, b->z)) * s.z;
  *round2 = (FloatW)(0.0f);
}
void cylinder_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  const FloatW axis = dot_wv(m, b->z);
  *along = abs_w(axis) * b->size.y;
  *round2 = (dot_wv(m, m) - axis * axis) * (b->size.x * b->size.x);
}
void capsule_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  *along = abs_w(dot_wv(m, b->z)) * b->size.y;
  *round2 = dot_wv(m, m) * (b->size.x * b->size.x);
}

// How far the body reaches from its centre along m is `along` + sqrt(round2).
#define OCLIDE_CASE(NAME, name)          \
  case SHAPE_##NAME:                     \
    name##_reach_w(b, m, along, round2); \
    break;
void reach_w(uint shape, const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
}
#undef OCLIDE_CASE

// along + sqrt(round2) < 0?
IntW below_zero_w(FloatW along, FloatW round2) {
  return (along < 0.0f) & (along * along > round2);
}

// The sum of both; up to 1e-3 of the body's size too little where a cylinder's axis is nearly along m.
FloatW reach_along_w(uint shape, const BodyW* b, VecW m) {
  FloatW along, round2;
  reach_w(shape, b, m, &along, &round2);
  return along + sqrt_w(select(round2, (FloatW)(0.0f), round2 < 0.0f));
}

#endif

#line 13 "kernels/broad_phase/terrain_range.cl"
#line 1 "kernels/terrain/terrain_cover.clh"
// The ground under bodies side by side, and planes over it: what of a body is above such a plane has no contact.
#ifndef OCLIDE_TERRAIN_TERRAIN_COVER_CLH
#define OCLIDE_TERRAIN_TERRAIN_COVER_CLH
#line 5 "kernels/terrain/terrain_cover.clh"
#line 6 "kernels/terrain/terrain_cover.clh"
#pragma OPENCL FP_CONTRACT OFF

// Ranges of up to this many cells a side are looked at directly.
#define DIRECT_CELLS 6
#define DIRECT_VERTICES (DIRECT_CELLS + 1)
// Slopes that reach_under_cover() tries.
#define COVER_STEEP 3.0f
#define COVER_LEVEL 1.0f

// Of bodies, each in its own frame: where their ranges of sites are on their grids.
typedef struct RangesW {
  IntW first_i, last_i, first_j, last_j;
  IntW cell_i, cell_j;        // of the centre
  FloatW offset_x, offset_y;  // of the centre in that cell [m]
  FloatW z_high, z_low;       // of the centre
  FloatW dx, dy;              // [m]
} RangesW;

// Heights of the vertices of ranges. Beyond a range that is smaller than the largest of them come its last row and its
// last column again. One lane reads them where they are, whenever they are needed.
typedef struct GroundW {
#if OCLIDE_LANES == 1
  __global const float* first;
  size_t grid_cols;
#else
  FloatW at[DIRECT_VERTICES][DIRECT_VERTICES];  // [row][column]
#endif
  int rows, cols;  // of the largest range
  FloatW cell[4];  // V0 to V3 of the centre's cell
  IntW open;       // lanes with an open cell in the range
} GroundW;

FloatW height_in_range(const GroundW* ground, int i, int j) {
#if OCLIDE_LANES == 1
  return ground->first[(size_t)i * ground->grid_cols + (size_t)j];
#else
  return ground->at[i][j];
#endif
}

// Planes that all vertices of a range lie below, m . v < above with m.z = 1, with room for margin and slack.
typedef struct CoversW {
  FloatW mx, my;
  FloatW above;             // [m]
  FloatW deep;              // how far the body reaches under it, along z [m]
  FloatW steep_x, steep_y;  // greatest slopes of the range's elements along x and y, at most 1
  FloatW room;              // [m]
} CoversW;

// Largest integers not above x; saturates beyond 2^31.
IntW floor_i_w(FloatW x) {
  const FloatW most = (FloatW)(2147483000.0f);
  x = select(-most, x, x > -most);
  x = select(x, most, x > most);
  const IntW t = convert_int_w(x);
  return select(t, t - 1, convert_float_w(t) > x);
}

#if OCLIDE_LANES == 8
int greatest_of_i(int8 a) {
  const int4 four = max(a.lo, a.hi);
  const int2 two = max(four.lo, four.hi);
  return max(two.x, two.y);
}

// Eight rows become eight columns: blocks of four, of two and of one change places. Of integers, so that what stands
// for no float goes through it as well.
void swap_fours(int8* upper, int8* lower) {
  const int8 a = *upper, b = *lower;
  *upper = (int8)(a.lo, b.lo);
  *lower = (int8)(a.hi, b.hi);
}
void swap_twos(int8* upper, int8* lower) {
  const int8 a = *upper, b = *lower;
  *upper = (int8)(a.s01, b.s01, a.s45, b.s45);
  *lower = (int8)(a.s23, b.s23, a.s67, b.s67);
}
void swap_ones(int8* upper, int8* lower) {
  const int8 a = *upper, b = *lower;
  *upper = (int8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
  *lower = (int8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
}
void transpose8(int8* a) {
  int8 r0 = a[0], r1 = a[1], r2 = a[2], r3 = a[3], r4 = a[4], r5 = a[5], r6 = a[6], r7 = a[7];
  swap_fours(&r0, &r4);
  swap_fours(&r1, &r5);
  swap_fours(&r2, &r6);
  swap_fours(&r3, &r7);
  swap_twos(&r0, &r2);
  swap_twos(&r1, &r3);
  swap_twos(&r4, &r6);
  swap_twos(&r5, &r7);
  swap_ones(&r0, &r1);
  swap_ones(&r2, &r3);
  swap_ones(&r4, &r5);
  swap_ones(&r6, &r7);
  a[0] = r0;
  a[1] = r1;
  a[2] = r2;
  a[3] = r3;
  a[4] = r4;
  a[5] = r5;
  a[6] = r6;
  a[7] = r7;
}

// Of records of eight numbers, one a lane, each number of all lanes; and back.
void columns_of(const int8* rows, int8* columns) {
  for (uint k = 0u; k < 8u; ++k) columns[k] = rows[k];
  transpose8(columns);
}
void rows_of(const int8* columns, int8* rows) {
  columns_of(columns, rows);
}

// Eight vertices of row i from column j on; those beyond the grid are the row's last.
float8 heights_in_row(__global const float* row, int cols, int j) {
  if (j + 8 <= cols) return vload8(0, row + j);
  const int k = cols - 1;
  return (float8)(row[min(j, k)], row[min(j + 1, k)], row[min(j + 2, k)], row[min(j + 3, k)], row[min(j + 4, k)],
                  row[min(j + 5, k)], row[min(j + 6, k)], row[min(j + 7, k)]);
}

#else
void columns_of(const int8* rows, int* columns) {
  vstore8(rows[0], 0, columns);
}
void rows_of(const int* columns, int8* rows) {
  rows[0] = vload8(0, columns);
}
#endif

// Is any cell of row i from column j0 to j1 open?
bool open_in_row(__global const uchar* row, int j0, int j1) {
  uint any = 0u;
  for (int j = j0; j <= j1; ++j) any |= (uint)row[j];
  return (any & CELL_OPEN) != 0u;
}

// The ground of those lanes that are set, at least one, whose ranges are inside their grids and of up to DIRECT_CELLS a
// side; terrain[lane] is each body's terrain.
void load_ground_w(const RangesW* r, IntW lanes, const uint* terrain, __global const TerrainRecord* terrains,
                   __global const float* heights, __global const uchar* open, GroundW* ground) {
  int first_i[LANES], last_i[LANES], first_j[LANES], last_j[LANES], set[LANES], cell_i[LANES], cell_j[LANES];
  store_w(r->first_i, first_i);
  store_w(r->last_i, last_i);
  store_w(r->first_j, first_j);
  store_w(r->last_j, last_j);
  store_w(r->cell_i, cell_i);
  store_w(r->cell_j, cell_j);
  store_w(lanes, set);
  // Lanes that are not set take the ground of one that is.
  const uint some = LANES == 1u ? 0u : lowest_bit(lanes_set_w(lanes));
  __global const float* first[LANES];
  int cols[LANES], last_row[LANES];
  float of_cell[4][LANES];
  int is_open[LANES];
// Without loops over them the lanes are put together in registers, not by way of memory.
#pragma unroll
  for (uint lane = 0u; lane < LANES; ++lane) {
    const uint k = set[lane] ? lane : some;
    __global const TerrainRecord* t = terrains + terrain[k];
    const ulong row = (ulong)t->cols;
    __global const float* at = heights + t->vertex_offset;
    __global const float* cell = at + ((ulong)cell_i[k] * row + (ulong)cell_j[k]);
    of_cell[0][lane] = cell[0];
    of_cell[1][lane] = cell[1];
    of_cell[2][lane] = cell[row];
    of_cell[3][lane] = cell[row + 1u];
    first[lane] = at + (ulong)first_i[k] * row;
    first_j[lane] = first_j[k];
    cols[lane] = t->cols;
    last_row[lane] = last_i[k] + 1 - first_i[k];
    is_open[lane] = 0;
    if (t->has_open)
      for (int i = first_i[k]; i <= last_i[k]; ++i)
        if (open_in_row(open + (t->cell_offset + (ulong)i * (row - 1u)), first_j[k], last_j[k])) is_open[lane] = -1;
  }
  for (uint v = 0u; v < 4u; ++v) ground->cell[v] = load_w(of_cell[v]);
  ground->open = load_w(is_open);
#if OCLIDE_LANES == 1
  ground->first = first[0] + first_j[0];
  ground->grid_cols = (size_t)cols[0];
  ground->rows = r->last_i + 2 - r->first_i;
  ground->cols = r->last_j + 2 - r->first_j;
#else
  const int8 zero = (int8)(0);
  const int8 wide = select(zero, r->last_j + 2 - r->first_j, lanes);
  ground->rows = greatest_of_i(select(zero, r->last_i + 2 - r->first_i, lanes));
  ground->cols = greatest_of_i(wide);
  for (int i = 0; i < ground->rows; ++i) {
    int8 a[8];
#pragma unroll
    for (uint lane = 0u; lane < 8u; ++lane) {
      __global const float* row = first[lane] + (ulong)min(i, last_row[lane]) * (ulong)cols[lane];
      a[lane] = as_int8(heights_in_row(row, cols[lane], first_j[lane]));
    }
    transpose8(a);
    ground->at[i][0] = as_float8(a[0]);
    ground->at[i][1] = as_float8(a[1]);
    for (int j = 2; j < ground->cols; ++j) ground->at[i][j] = select(ground->at[i][j - 1], as_float8(a[j]), wide > j);
  }
#endif
}

// How much higher than the ground a plane above it has to be for a symmetric shape to have no contact, as a part of all
// coordinates at hand. Where a capsule's axis crosses an edge that is nearly parallel is not known well.
#define SPHERE_COVER_SLACK 2e-5f
#define BOX_COVER_SLACK 2e-5f
#define CYLINDER_COVER_SLACK 2e-5f
#define CAPSULE_COVER_SLACK 1.02e-3f
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return NAME##_COVER_SLACK;
float cover_slack(uint shape) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// By selection: an index that is not known would put all four into memory.
FloatW one_of_four(const FloatW* of, uint k) {
  const FloatW a = of[0], b = of[1], c = of[2], d = of[3];
  return k < 2u ? (k == 0u ? a : b) : (k == 2u ? c : d);
}

// The least deep of four planes: those of the ranges as a whole, of the centres' cells, and of these' elements. A body
// above it has no contact: its points are above the ground, by more than margin and all slacks. Of ranges without open
// cells; lowest and highest are of their heights.
__attribute__((always_inline)) void covers_of_ranges(uint shape, const BodyW* body, const RangesW* r,
                                                     const GroundW* ground, FloatW lowest, FloatW highest, float margin,
                                                     CoversW* cover) {
  const FloatW none = (FloatW)(0.0f);
  const FloatW dx = r->dx, dy = r->dy;
  const int rows = ground->rows, cols = ground->cols;
  const FloatW r00 = height_in_range(ground, 0, 0), r01 = height_in_range(ground, 0, cols - 1);
  const FloatW r10 = height_in_range(ground, rows - 1, 0), r11 = height_in_range(ground, rows - 1, cols - 1);
  const FloatW c00 = ground->cell[0], c01 = ground->cell[1], c10 = ground->cell[2], c11 = ground->cell[3];
  const IntW last_i = r->last_i + 1 - r->first_i, last_j = r->last_j + 1 - r->first_j;  // vertices
  const FloatW width = convert_float_w(last_j) * dx, height = convert_float_w(last_i) * dy;
  const FloatW by_dx = div_w((FloatW)(1.0f), dx), by_dy = div_w((FloatW)(1.0f), dy);
  const FloatW by_width = div_w((FloatW)(0.5f), width), by_height = div_w((FloatW)(0.5f), height);
  const FloatW mx[4] = {((r00 - r01) + (r10 - r11)) * by_width, ((c00 - c01) + (c10 - c11)) * (0.5f * by_dx),
                        (c00 - c01) * by_dx, (c10 - c11) * by_dx};
  const FloatW my[4] = {((r00 - r10) + (r01 - r11)) * by_height, ((c00 - c10) + (c01 - c11)) * (0.5f * by_dy),
                        (c00 - c10) * by_dy, (c01 - c11) * by_dy};
  const FloatW x0 = convert_float_w(r->first_j - r->cell_j) * dx - r->offset_x;
  const FloatW y0 = convert_float_w(r->first_i - r->cell_i) * dy - r->offset_y;
#if OCLIDE_LANES != 1
  FloatW x_of_column[DIRECT_VERTICES];
  for (int j = 0; j < cols; ++j) x_of_column[j] = x0 + convert_float_w(min((IntW)(j), last_j)) * dx;
#endif
  FloatW above0 = (FloatW)(-MAXFLOAT), above1 = above0, above2 = above0, above3 = above0;
  FloatW rise_x = none, rise_y = none;
  for (int i = 0; i < rows; ++i) {
    const FloatW y = y0 + convert_float_w(min((IntW)(i), last_i)) * dy;
    const FloatW y_0 = my[0] * y, y_1 = my[1] * y, y_2 = my[2] * y, y_3 = my[3] * y;
#if OCLIDE_LANES == 1
#pragma unroll 1
#endif
    for (int j = 0; j < cols; ++j) {
      const FloatW h = height_in_range(ground, i, j);
#if OCLIDE_LANES == 1
      const FloatW x = x0 + convert_float_w(min(j, last_j)) * dx;
#else
      const FloatW x = x_of_column[j];
#endif
      if (j > 0) rise_x = max_w(abs_w(h - height_in_range(ground, i, j - 1)), rise_x);
      if (i > 0) rise_y = max_w(abs_w(h - height_in_range(ground, i - 1, j)), rise_y);
      const FloatW z = (h - r->z_high) - r->z_low;
      above0 = max_w((mx[0] * x + y_0) + z, above0);
      above1 = max_w((mx[1] * x + y_1) + z, above1);
      above2 = max_w((mx[2] * x + y_2) + z, above2);
      above3 = max_w((mx[3] * x + y_3) + z, above3);
    }
  }
  const FloatW up = max_w(abs_w((highest - r->z_high) - r->z_low), abs_w((lowest - r->z_high) - r->z_low));
  const FloatW across = max_w(abs_w(x0), abs_w(x0 + width)) + max_w(abs_w(y0), abs_w(y0 + height));
  const FloatW size = ((across + (dx + dy)) + 4.0f * (up + abs_w(r->z_high) * 1e-7f)) + body->radius_bound;
  cover->room = (WIDE_MARGIN * margin + 1e-4f) + 1e-3f * body->radius_bound + cover_slack(shape) * size +
                2.4e-7f * (abs_w(r->z_high) + max_w(abs_w(highest), abs_w(lowest)));
  const FloatW above[4] = {above0, above1, above2, above3};
#if OCLIDE_LANES == 1
#pragma unroll 1
#else
#pragma unroll
#endif
  for (uint p = 0u; p < 4u; ++p) {
    const VecW m = {one_of_four(mx, p), one_of_four(my, p), (FloatW)(1.0f)};
    const FloatW over = one_of_four(above, p) + cover->room * ((abs_w(m.x) + abs_w(m.y)) + 1.0f);
    const FloatW deep = over + reach_along_w(shape, body, m);
    if (p == 0u) {
      cover->mx = m.x;
      cover->my = m.y;
      cover->above = over;
      cover->deep = deep;
      continue;
    }
    const IntW better = deep < cover->deep;
    cover->mx = select(cover->mx, m.x, better);
    cover->my = select(cover->my, m.y, better);
    cover->above = select(cover->above, over, better);
    cover->deep = select(cover->deep, deep, better);
  }
  // Low parts of heights are left out of the rises.
  const FloatW more = 2.4e-7f * (abs_w(lowest) + abs_w(highest));
  cover->steep_x = min_w((rise_x + more) * by_dx + 1e-3f, (FloatW)(1.0f));
  cover->steep_y = min_w((rise_y + more) * by_dy + 1e-3f, (FloatW)(1.0f));
}

// How far the part of the body that is under the plane reaches along (x, y, 0), one of the axes or its opposite, with
// the ground that its ways out end on: no point of the ground is nearer than the end of a way, so that it is no longer
// than the way straight up; and along an axis its direction is no steeper than the ground is, `steep`.
//
// That part reaches in a direction d at most as far as the body does along d - l m, plus l `above`, for any l >= 0.
__attribute__((always_inline)) FloatW reach_under_cover(uint shape, const BodyW* body, const CoversW* cover, float x,
                                                        float y, FloatW extent, FloatW steep) {
  const VecW a = {x - COVER_STEEP * cover->mx, y - COVER_STEEP * cover->my, (FloatW)(-COVER_STEEP)};
  const VecW b = {x - COVER_LEVEL * cover->mx, y - COVER_LEVEL * cover->my, (FloatW)(-COVER_LEVEL)};
  const FloatW by_a = reach_along_w(shape, body, a) + COVER_STEEP * cover->above;
  const FloatW by_b = reach_along_w(shape, body, b) + COVER_LEVEL * cover->above;
  return (min_w(min_w(by_a, by_b), extent) + cover->room) + cover->deep * steep;
}

// Sites of the ranges that the bodies have anything to do with, of those that reach under the plane.
__attribute__((always_inline)) void sites_under_covers(uint shape, const BodyW* body, const RangesW* r,
                                                       const CoversW* cover, FloatW extent_x, FloatW extent_y,
                                                       IntW* first_i, IntW* last_i, IntW* first_j, IntW* last_j) {
  // Right, left, up, down.
#if OCLIDE_LANES == 1
#pragma unroll 1
#else
#pragma unroll
#endif
  for (uint k = 0u; k < 4u; ++k) {
    const bool along_x = k < 2u;
    const float sign = (k & 1u) == 0u ? 1.0f : -1.0f;
    const FloatW reach = reach_under_cover(shape, body, cover, along_x ? sign : 0.0f, along_x ? 0.0f : sign,
                                           along_x ? extent_x : extent_y, along_x ? cover->steep_x : cover->steep_y);
    const IntW end = (along_x ? r->cell_j : r->cell_i) +
                     floor_i_w(div_w((along_x ? r->offset_x : r->offset_y) + sign * reach, along_x ? r->dx : r->dy));
    if (k == 0u) *last_j = min(r->last_j, end);
    if (k == 1u) *first_j = max(r->first_j, end);
    if (k == 2u) *last_i = min(r->last_i, end);
    if (k == 3u) *first_i = max(r->first_i, end);
  }
}

#endif

#line 14 "kernels/broad_phase/terrain_range.cl"
#pragma OPENCL FP_CONTRACT OFF

// Where coordinates p stand on an axis of the lattice: cell, and offset from that cell's first vertex.
__attribute__((always_inline)) void cell_on_axis_w(TwoFloatW p, TwoFloatW origin, TwoFloatW spacing, IntW* cell,
                                                   FloatW* offset) {
  const TwoFloatW d = two_sub_w(p, origin);
  const FloatW k = div_w(d.hi, spacing.hi);
  // So far out that no grid reaches there; the offset no longer matters.
  const IntW near = abs_w(k) < 1.0e9f;
  IntW c = floor_i_w(select((FloatW)(0.0f), k, near));
  // In two parts that a float holds exactly; the upper one is nothing on most grids.
  const IntW upper = c / 4096 * 4096;
  TwoFloatW at = two_scale_w(convert_float_w(c - upper), spacing);
  if (any_w(upper != 0)) {
    const TwoFloatW far = two_add_w(two_scale_w(convert_float_w(upper), spacing), at);
    at.hi = select(at.hi, far.hi, upper != 0);
    at.lo = select(at.lo, far.lo, upper != 0);
  }
  const TwoFloatW rest = two_sub_w(d, at);
  FloatW o = rest.hi + rest.lo;
  // The quotient was rounded: the offset may be a little below 0 or beyond the cell.
  for (IntW low = near & (o < 0.0f); any_w(low); low = near & (o < 0.0f) & (c > -1000000000)) {
    o = select(o, o + spacing.hi, low);
    c = select(c, c - 1, low);
  }
  for (IntW high = near & (o >= spacing.hi); any_w(high); high = near & (o >= spacing.hi) & (c < 1000000000)) {
    o = select(o, o - spacing.hi, high);
    c = select(c, c + 1, high);
  }
  *cell = select(select((IntW)(1000000000), (IntW)(-1000000000), k < 0.0f), c, near);
  *offset = select((FloatW)(0.0f), o, near);
}

// What came of a body's range.
#define RANGE_NOTHING 0  // all of the body is above the ground
#define RANGE_FLAT 1     // one horizontal plane
#define RANGE_SITES 2
#define RANGE_ALONE 3  // not found here: reaches over the rim of the grid, or is large

#define FETCH_AHEAD 64u  // slots whose poses are fetched early
#define BUNCHES (OCLIDE_LANES == 1 ? 1u : RANGE_BODIES / LANES)

// Bodies side by side.
typedef struct Bunch {
  BodyW body;
  UintW shape;
  FloatW orientation[4];
  VecW low, high;  // corners of their boxes, relative to their centres [m]
  uint terrain[LANES];
  IntW has_low;                           // of their terrains
  RangesW range;                          // may reach beyond the grid
  IntW found;                             // RANGE_*
  FloatW lowest;                          // z of the lowest point with margin and rounding [m]
  FloatW aside;                           // how far the body is from the ground beyond the range, seen from above [m]
  IntW first_i, last_i, first_j, last_j;  // sites of the range to look at
} Bunch;

// Bounding sphere and box of bodies whose shapes are not symmetric, one after another.
INLINED void boxes_of_others(Bunch* e, __global const uint* hulls) {
  uint shape[LANES];
  store_w(e->shape, shape);
  bool others = false;
  for (uint k = 0u; k < LANES; ++k) others |= !is_symmetric(shape[k]);
  if (!others) return;
  float numbers[7][LANES];
  store_w(e->body.radius_bound, numbers[0]);
  store_w(e->low.x, numbers[1]);
  store_w(e->low.y, numbers[2]);
  store_w(e->low.z, numbers[3]);
  store_w(e->high.x, numbers[4]);
  store_w(e->high.y, numbers[5]);
  store_w(e->high.z, numbers[6]);
  const VecW size = e->body.size;
  for (uint k = 0u; k < LANES; ++k) {
    if (is_symmetric(shape[k])) continue;
    const Body body = body_at(shape[k], (float3)(lane_of_w(size.x, k), lane_of_w(size.y, k), lane_of_w(size.z, k)),
                              lane_of_w(e->orientation[0], k), lane_of_w(e->orientation[1], k),
                              lane_of_w(e->orientation[2], k), lane_of_w(e->orientation[3], k), hulls);
    const BodyBox box = body_box(shape[k], &body);
    numbers[0][k] = body.radius_bound;
    numbers[1][k] = box.low.x;
    numbers[2][k] = box.low.y;
    numbers[3][k] = box.low.z;
    numbers[4][k] = box.high.x;
    numbers[5][k] = box.high.y;
    numbers[6][k] = box.high.z;
  }
  e->body.radius_bound = load_w(numbers[0]);
  e->low = (VecW){load_w(numbers[1]), load_w(numbers[2]), load_w(numbers[3])};
  e->high = (VecW){load_w(numbers[4]), load_w(numbers[5]), load_w(numbers[6])};
}

// As shapes/body.clh has them of each body: axes, bounding sphere and box.
__attribute__((always_inline)) void axes_and_boxes(Bunch* e, __global const uint* hulls) {
  const FloatW w = e->orientation[0], x = e->orientation[1], y = e->orientation[2], z = e->orientation[3];
  BodyW* b = &e->body;
  b->x = (VecW){1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y + w * z), 2.0f * (x * z - w * y)};
  b->y = (VecW){2.0f * (x * y - w * z), 1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z + w * x)};
  b->z = (VecW){2.0f * (x * z + w * y), 2.0f * (y * z - w * x), 1.0f - 2.0f * (x * x + y * y)};
  // Mostly all eight have the same shape.
  b->radius_bound = e->high.x = e->high.y = e->high.z = b->size.x;
  for (uint k = 0u; k < SYMMETRIC_COUNT; ++k) {
    const uint shape = symmetric_shapes[k];
    const IntW of_shape = e->shape == shape;
    if (!any_w(of_shape)) continue;
    VecW extents;
    body_extents_w(shape, b, &extents);
    e->high.x = select(e->high.x, extents.x, of_shape);
    e->high.y = select(e->high.y, extents.y, of_shape);
    e->high.z = select(e->high.z, extents.z, of_shape);
    b->radius_bound = select(b->radius_bound, bounding_radius_w(shape, b->size), of_shape);
  }
  e->low = (VecW){-e->high.x, -e->high.y, -e->high.z};
  if (!ALL_ARE_SYMMETRIC) boxes_of_others(e, hulls);
}

// Sites that the interval from offset + low to offset + high of an axis is over, in a cell and beyond it.
__attribute__((always_inline)) void sites_on_axis(IntW cell, FloatW offset, FloatW low, FloatW high, FloatW spacing,
                                                  float margin, IntW* first, IntW* last) {
  // Rounded down on the low side, up on the high side, with room for rounding.
  const FloatW below = margin + 1e-5f * (1.0f + abs_w(low)), above = margin + 1e-5f * (1.0f + abs_w(high));
  *first = cell + floor_i_w(div_w(offset + low - below, spacing));
  *last = cell + floor_i_w(div_w(offset + high + above, spacing));
}

// The bodies of slots [first, first + LANES), or the last one again behind it: all up to their ranges of sites.
INLINED void find_grid_poses(uint first, uint count, __global const BodyRecord* bodies,
                             __global const PoseRecord* poses, __global const TerrainRecord* terrains,
                             __global const uint* hulls, float margin, Bunch* e) {
  float size[3][LANES];
  uint shape[LANES];
  int8 rows_of_poses[LANES];
  IntW pose[8];
  float orientation[2][LANES];
// Without a loop the lanes are put together in registers, not by way of memory.
#pragma unroll
  for (uint lane = 0u; lane < LANES; ++lane) {
    __global const BodyRecord* record = bodies + min(first + lane, count - 1u);
    __global const PoseRecord* from = poses + record->body;
    rows_of_poses[lane] =
        as_int8(vload8(0, from->position_high));  // and position_low, and two numbers of the orientation
    orientation[0][lane] = from->orientation[2];
    orientation[1][lane] = from->orientation[3];
    shape[lane] = record->shape;
    e->terrain[lane] = record->terrain;
    size[0][lane] = record->size[0];
    size[1][lane] = record->size[1];
    size[2][lane] = record->size[2];
  }
  columns_of(rows_of_poses, pose);
  e->orientation[0] = as_float_w(pose[6]);
  e->orientation[1] = as_float_w(pose[7]);
  e->orientation[2] = load_w(orientation[0]);
  e->orientation[3] = load_w(orientation[1]);
  e->shape = load_w(shape);
  e->body.size = (VecW){load_w(size[0]), load_w(size[1]), load_w(size[2])};
  axes_and_boxes(e, hulls);

  TwoFloatW origin_x, origin_y, spacing_x, spacing_y;
  IntW rows, cols;
  const UintW terrain = load_w(e->terrain);
  if (!any_w(terrain != e->terrain[0])) {
    __global const TerrainRecord* t = terrains + e->terrain[0];
    origin_x = (TwoFloatW){(FloatW)(t->origin_x_hi), (FloatW)(t->origin_x_lo)};
    origin_y = (TwoFloatW){(FloatW)(t->origin_y_hi), (FloatW)(t->origin_y_lo)};
    spacing_x = (TwoFloatW){(FloatW)(t->spacing_x_hi), (FloatW)(t->spacing_x_lo)};
    spacing_y = (TwoFloatW){(FloatW)(t->spacing_y_hi), (FloatW)(t->spacing_y_lo)};
    rows = (IntW)(t->rows);
    cols = (IntW)(t->cols);
    e->has_low = (IntW)(t->has_low != 0u ? -1 : 0);
  } else {
    float numbers[8][LANES];
    int of_rows[LANES], of_cols[LANES], has_low[LANES];
#pragma unroll
    for (uint lane = 0u; lane < LANES; ++lane) {
      __global const TerrainRecord* t = terrains + e->terrain[lane];
      numbers[0][lane] = t->origin_x_hi;
      numbers[1][lane] = t->origin_x_lo;
      numbers[2][lane] = t->origin_y_hi;
      numbers[3][lane] = t->origin_y_lo;
      numbers[4][lane] = t->spacing_x_hi;
      numbers[5][lane] = t->spacing_x_lo;
      numbers[6][lane] = t->spacing_y_hi;
      numbers[7][lane] = t->spacing_y_lo;
      of_rows[lane] = t->rows;
      of_cols[lane] = t->cols;
      has_low[lane] = t->has_low != 0u ? -1 : 0;
    }
    origin_x = (TwoFloatW){load_w(numbers[0]), load_w(numbers[1])};
    origin_y = (TwoFloatW){load_w(numbers[2]), load_w(numbers[3])};
    spacing_x = (TwoFloatW){load_w(numbers[4]), load_w(numbers[5])};
    spacing_y = (TwoFloatW){load_w(numbers[6]), load_w(numbers[7])};
    rows = load_w(of_rows);
    cols = load_w(of_cols);
    e->has_low = load_w(has_low);
  }
  RangesW* r = &e->range;
  r->dx = spacing_x.hi;
  r->dy = spacing_y.hi;
  r->z_high = as_float_w(pose[2]);
  r->z_low = as_float_w(pose[5]);
  cell_on_axis_w((TwoFloatW){as_float_w(pose[0]), as_float_w(pose[3])}, origin_x, spacing_x, &r->cell_j, &r->offset_x);
  cell_on_axis_w((TwoFloatW){as_float_w(pose[1]), as_float_w(pose[4])}, origin_y, spacing_y, &r->cell_i, &r->offset_y);
  sites_on_axis(r->cell_j, r->offset_x, e->low.x, e->high.x, r->dx, margin, &r->first_j, &r->last_j);
  sites_on_axis(r->cell_i, r->offset_y, e->low.y, e->high.y, r->dy, margin, &r->first_i, &r->last_i);
  const IntW inside = (r->first_j >= 0) & (r->first_i >= 0) & (r->last_j < cols - 1) & (r->last_i < rows - 1);
  const IntW here = inside & (r->last_j - r->first_j < DIRECT_CELLS) & (r->last_i - r->first_i < DIRECT_CELLS);
  e->found = select((IntW)(RANGE_ALONE), (IntW)(RANGE_NOTHING), here);
  e->lowest = (e->low.z - margin) - 1e-5f * (1.0f + abs_w(e->low.z));
  const FloatW room_x = min_w((r->offset_x + e->low.x) - convert_float_w(r->first_j - r->cell_j) * r->dx,
                              convert_float_w(r->last_j + 1 - r->cell_j) * r->dx - (r->offset_x + e->high.x));
  const FloatW room_y = min_w((r->offset_y + e->low.y) - convert_float_w(r->first_i - r->cell_i) * r->dy,
                              convert_float_w(r->last_i + 1 - r->cell_i) * r->dy - (r->offset_y + e->high.y));
  e->aside = min_w(room_x, room_y);
}

// Begins to load the ground under them.
void fetch_ground(const Bunch* e, __global const TerrainRecord* terrains, __global const float* hbunches) {
#if FETCHES_EARLY
  int first_i[LANES], last_i[LANES], first_j[LANES];
  const IntW here = e->found != RANGE_ALONE;
  store_w(select((IntW)(0), e->range.first_i, here), first_i);
  store_w(select((IntW)(0), e->range.first_j, here), first_j);
  store_w(select((IntW)(0), e->range.last_i, here), last_i);
  for (uint lane = 0u; lane < LANES; ++lane) {
    __global const TerrainRecord* t = terrains + e->terrain[lane];
    __global const float* row =
        hbunches + (t->vertex_offset + (ulong)first_i[lane] * (ulong)t->cols + (ulong)first_j[lane]);
    for (int i = first_i[lane]; i <= last_i[lane] + 1; ++i, row += t->cols) FETCH_EARLY(row);
  }
#endif
}

// What of their ranges is to be looked at, of those that can be told side by side.
__attribute__((always_inline)) void look_at_ground(Bunch* e, __global const TerrainRecord* terrains,
                                                   __global const float* hbunches, __global const uchar* open,
                                                   float margin) {
  const IntW here = e->found != RANGE_ALONE;
  const RangesW* r = &e->range;
  e->first_i = r->first_i;
  e->last_i = r->last_i;
  e->first_j = r->first_j;
  e->last_j = r->last_j;
  if (!any_w(here)) return;
  GroundW ground;
  load_ground_w(r, here, e->terrain, terrains, hbunches, open, &ground);
  // A height without data is not a number, and neither the lowest nor the highest.
  FloatW lowest = (FloatW)(MAXFLOAT), highest = (FloatW)(-MAXFLOAT);
  for (int i = 0; i < ground.rows; ++i)
    for (int j = 0; j < ground.cols; ++j) {
      const FloatW h = height_in_range(&ground, i, j);
      lowest = min_w(h, lowest);
      highest = max_w(h, highest);
    }
  // The highest ground against the lowest point of the body; rounding of the difference goes to the safe side.
  const FloatW above = (highest - r->z_high) - r->z_low;
  const FloatW slack = 2.4e-7f * (abs_w(highest) + abs_w(r->z_high));
  const IntW reached = here & (highest > -MAXFLOAT) & (above + slack >= e->lowest);
  if (!any_w(reached)) return;
  e->found = select(e->found, (IntW)(RANGE_SITES), reached);
#ifndef OCLIDE_LOOK_AT_ALL
  for (uint k = 0u; k < SYMMETRIC_COUNT; ++k) {
    const uint shape = symmetric_shapes[k];
    const IntW of_shape = (e->shape == shape) & reached & !ground.open;
    if (!is_symmetric(shape) || !any_w(of_shape)) continue;
    CoversW cover;
    covers_of_ranges(shape, &e->body, r, &ground, lowest, highest, margin, &cover);
    IntW first_i, last_i, first_j, last_j;
    sites_under_covers(shape, &e->body, r, &cover, e->high.x, e->high.y, &first_i, &last_i, &first_j, &last_j);
    const IntW over = (cover.deep < 0.0f) | (first_i > last_i) | (first_j > last_j);
    e->found = select(e->found, (IntW)(RANGE_NOTHING), of_shape & over);
    e->first_i = select(e->first_i, first_i, of_shape);
    e->last_i = select(e->last_i, last_i, of_shape);
    e->first_j = select(e->first_j, first_j, of_shape);
    e->last_j = select(e->last_j, last_j, of_shape);
  }
#endif
  // What is no deeper than the ground beyond the range is far has its nearest ground within it.
  const IntW flat = reached & !ground.open & !e->has_low & (lowest == highest) & (above - e->low.z + slack <= e->aside);
  // Of one plane the first site.
  e->found = select(e->found, (IntW)(RANGE_FLAT), flat);
  e->first_i = select(e->first_i, r->first_i, flat);
  e->last_i = select(e->last_i, r->first_i, flat);
  e->first_j = select(e->first_j, r->first_j, flat);
  e->last_j = select(e->last_j, r->first_j, flat);
}

// Of a body by itself: the first of the sites to look at, and how many.
typedef struct LoneRange {
  int first_i, first_j;
  uint count_i, count_j;
  uint flat;  // one horizontal plane
} LoneRange;

void look_at_range(const Bunch* e, uint lane, __global const TerrainRecord* terrains, __global const float* hbunches,
                   __global const uchar* open, __global const float2* bounds, LoneRange* range) {
  const TerrainRecord t = terrains[e->terrain[lane]];
  int ends[4][LANES];
  store_w(e->range.first_i, ends[0]);
  store_w(e->range.last_i, ends[1]);
  store_w(e->range.first_j, ends[2]);
  store_w(e->range.last_j, ends[3]);
  const int i_low = ends[0][lane], i_high = ends[1][lane], j_low = ends[2][lane], j_high = ends[3][lane];
  const float z_high = lane_of_w(e->range.z_high, lane), z_low = lane_of_w(e->range.z_low, lane);
  const int j0 = max(j_low, 0), j1 = min(j_high, t.cols - 1);
  const int i0 = max(i_low, 0), i1 = min(i_high, t.rows - 1);
  range->count_i = range->count_j = range->flat = 0u;
  if (j0 > j1 || i0 > i1) return;
  float lowest = MAXFLOAT, highest = -MAXFLOAT;
  if (i1 - i0 < DIRECT_CELLS && j1 - j0 < DIRECT_CELLS) {
    for (int i = i0; i <= min(i1 + 1, t.rows - 1); ++i)
      for (int j = j0; j <= min(j1 + 1, t.cols - 1); ++j) {
        // A height without data is not a number, and neither the lowest nor the highest.
        const float h = hbunches[t.vertex_offset + ((ulong)i * (ulong)t.cols + (ulong)j)];
        lowest = h < lowest ? h : lowest;
        highest = h > highest ? h : highest;
      }
    if (t.has_open)
      for (int i = i0; i <= min(i1, t.rows - 2); ++i)
        if (open_in_row(open + (t.cell_offset + (ulong)i * (ulong)(t.cols - 1)), j0, min(j1, t.cols - 2)))
          lowest = -MAXFLOAT;
  } else {
    // The finest level whose blocks cover the range with a few of them.
    const int ci0 = min(i0, t.rows - 2), ci1 = min(i1, t.rows - 2);
    const int cj0 = min(j0, t.cols - 2), cj1 = min(j1, t.cols - 2);
    int shift = BOUNDS_SHIFT;
    ulong offset = t.bounds_offset;
    int level_rows = ((t.rows - 2) >> shift) + 1, level_cols = ((t.cols - 2) >> shift) + 1;
    while (((ci1 >> shift) - (ci0 >> shift) >= DIRECT_CELLS || (cj1 >> shift) - (cj0 >> shift) >= DIRECT_CELLS)) {
      offset += (ulong)level_rows * (ulong)level_cols;
      shift += BOUNDS_SHIFT;
      level_rows = ((t.rows - 2) >> shift) + 1;
      level_cols = ((t.cols - 2) >> shift) + 1;
    }
    for (int bi = ci0 >> shift; bi <= ci1 >> shift; ++bi)
      for (int bj = cj0 >> shift; bj <= cj1 >> shift; ++bj) {
        const float2 b = bounds[offset + ((ulong)bi * (ulong)level_cols + (ulong)bj)];
        lowest = b.x < lowest ? b.x : lowest;
        highest = b.y > highest ? b.y : highest;
      }
    // Vertices on the rim of the range that no block of it holds.
    if (i0 > ci0 || j0 > cj0) lowest = -MAXFLOAT;
  }
  const float above = (highest - z_high) - z_low;
  const float slack = 2.4e-7f * (abs_f(highest) + abs_f(z_high));
  if (!(highest > -MAXFLOAT && above + slack >= lane_of_w(e->lowest, lane))) return;
  range->first_i = i0;
  range->first_j = j0;
  range->count_i = (uint)(i1 - i0 + 1);
  range->count_j = (uint)(j1 - j0 + 1);
  const bool inside = j_low >= 0 && i_low >= 0 && j_high < t.cols - 1 && i_high < t.rows - 1;
  if (!inside || lowest != highest || t.has_low) return;
  if (above - lane_of_w(e->low.z, lane) + slack > lane_of_w(e->aside, lane)) return;
  range->count_i = range->count_j = range->flat = 1u;
}

// Writes what was found of slots [first, first + LANES), up to the last.
void write_grid_poses(const Bunch* e, uint first, uint count, __global const TerrainRecord* terrains,
                      __global const float* hbunches, __global const uchar* open, __global const float2* bounds,
                      __global GridPose* grid_poses, __global uint* counts) {
  const RangesW* r = &e->range;
  const IntW part = (e->found == RANGE_SITES) | (e->found == RANGE_FLAT);
  const IntW none = (IntW)(0);
  const IntW count_i = select(none, e->last_i - e->first_i + 1, part);
  const IntW count_j = select(none, e->last_j - e->first_j + 1, part);
  const IntW beyond = select(none,
                             (e->first_i - r->first_i) | (r->last_i - e->last_i) << 8 |
                                 (e->first_j - r->first_j) << 16 | (r->last_j - e->last_j) << 24,
                             e->found == RANGE_SITES);
  // The members of GridPose, in their order.
  const IntW upper[8] = {r->cell_i, r->cell_j, as_int_w(r->offset_x), as_int_w(r->offset_y), e->first_i, e->first_j,
                         count_i,   count_j};
  const IntW lower[8] = {beyond,
                         as_int_w(e->lowest),
                         bits_w(e->found == RANGE_FLAT, 1),
                         as_int_w(r->z_high),
                         as_int_w(r->z_low),
                         as_int_w(e->orientation[0]),
                         as_int_w(e->orientation[1]),
                         as_int_w(e->orientation[2])};
  int8 head[LANES], tail[LANES];
  rows_of(upper, head);
  rows_of(lower, tail);
  int found[LANES];
  uint sites[LANES];
  float last[LANES];
  store_w(e->found, found);
  store_w(as_uint_w(count_i * count_j), sites);
  store_w(e->orientation[3], last);
  for (uint lane = 0u; lane < min(count - first, LANES); ++lane) {
    __global GridPose* grid_pose = grid_poses + (first + lane);
    if (found[lane] == RANGE_ALONE) {
      LoneRange range;
      look_at_range(e, lane, terrains, hbunches, open, bounds, &range);
      sites[lane] = range.count_i * range.count_j;
      head[lane].s4567 = (int4)(range.first_i, range.first_j, (int)range.count_i, (int)range.count_j);
      tail[lane].s02 = (int2)(0, (int)range.flat);
    }
    counts[first + lane] = sites[lane];
    if (sites[lane] == 0u) continue;
    vstore8(head[lane], 0, (__global int*)grid_pose);
    vstore8(tail[lane], 1, (__global int*)grid_pose);
    grid_pose->orientation[3] = last[lane];
  }
}

// Not across work-items: see narrow_phase/sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void broad_phase_terrain_range(
    const uint count, __global const BodyRecord* bodies, __global const PoseRecord* poses,
    __global const TerrainRecord* terrains, __global const float* hbunches, __global const uchar* open,
    __global const float2* bounds, __global const uint* hulls, const float margin, __global GridPose* grid_poses,
    __global uint* counts) {
  const uint first = (uint)get_global_id(0) * (LANES * BUNCHES);
  if (first >= count) return;
  const uint bunches = min((count - first + LANES - 1u) / LANES, BUNCHES);
  // Ahead of the work-items after this one.
  for (uint k = 0u; k < LANES * BUNCHES; k += 2u) FETCH_EARLY(bodies + (first + 4u * FETCH_AHEAD + k));
  // Poses lie where their bodies are in the scene: those of work-items after this one.
  for (uint k = 0u; k < LANES * BUNCHES; ++k) {
    __global const PoseRecord* later = poses + bodies[min(first + FETCH_AHEAD + k, count - 1u)].body;
    FETCH_EARLY(later);
    FETCH_EARLY(later->orientation + 3);
  }
  Bunch of_item[BUNCHES];
  for (uint k = 0u; k < bunches; ++k) {
    find_grid_poses(first + LANES * k, count, bodies, poses, terrains, hulls, margin, of_item + k);
    fetch_ground(of_item + k, terrains, hbunches);
  }
  for (uint k = 0u; k < bunches; ++k) {
    look_at_ground(of_item + k, terrains, hbunches, open, margin);
    write_grid_poses(of_item + k, first + LANES * k, count, terrains, hbunches, open, bounds, grid_poses, counts);
  }
}

