#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/primitives/arithmetic_check.cl"
// What a device makes of the arithmetic that the other kernels are written in: every operation by itself, rounded to
// nearest even, in the order that is written. A driver that fuses a product with a sum, turns sums round, or multiplies
// by reciprocals has other contacts than all others.
//
// One work-item a case of three operands; the first eighth of them also has eight cases each, side by side. results: by
// formula, then one by one or side by side, then case.
// Host, with what is right: host/opencl/arithmetic_check.cpp.
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

#line 9 "kernels/primitives/arithmetic_check.cl"
#pragma OPENCL FP_CONTRACT OFF

// clang-format off
#define STORE_FORMULAS(T, I, STORE) \
  STORE(0u, a * b + c) \
  STORE(1u, a * b - c) \
  STORE(2u, c - a * b) \
  STORE(3u, a * b + c * a) \
  STORE(4u, (a + b) - a) \
  STORE(5u, (a + b) + c) \
  STORE(6u, a * c + b * c) \
  STORE(7u, (a * b) * c) \
  STORE(8u, a - a) \
  STORE(9u, select((T)(0.0f), (T)(1.0f), a < b) + select((T)(0.0f), (T)(2.0f), a >= b) + \
                 select((T)(0.0f), (T)(4.0f), a != a)) \
  STORE(10u, convert_##T(as_##I(a))) \
  STORE(11u, convert_##T(convert_##I(select((T)(0.0f), a, (a > -1e9f) & (a < 1e9f)))))
#define STORE_ONE(formula, value) results[(size_t)(2u * (formula)) * cases + at] = (value);
#define STORE_EIGHT(formula, value) vstore8((value), at, results + (size_t)(2u * (formula) + 1u) * cases);
// clang-format on

__kernel void arithmetic_check(const uint cases, __global const float* operand_a, __global const float* operand_b,
                               __global const float* operand_c, __global float* results) {
  const uint at = (uint)get_global_id(0);
  if (at >= cases) return;
  {
    const float a = operand_a[at], b = operand_b[at], c = operand_c[at];
    const float positive_c = as_float(as_int(c) & 0x7FFFFFFF);
    STORE_FORMULAS(float, int, STORE_ONE)
    STORE_ONE(12u, div_rn(a, b))
    STORE_ONE(13u, sqrt_rn(positive_c))
#ifdef OCLIDE_SOFTWARE_DIVIDE_SQRT
    // Side by side it is the same.
    results[(size_t)(2u * 12u + 1u) * cases + at] = div_rn(a, b);
    results[(size_t)(2u * 13u + 1u) * cases + at] = sqrt_rn(positive_c);
#endif
  }
  if (at >= cases / 8u) return;
  const float8 a = vload8(at, operand_a), b = vload8(at, operand_b), c = vload8(at, operand_c);
  STORE_FORMULAS(float8, int8, STORE_EIGHT)
#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT
  const float8 positive_c = as_float8(as_int8(c) & 0x7FFFFFFF);
  STORE_EIGHT(12u, a / b)
  STORE_EIGHT(13u, sqrt(positive_c))
#endif
}

