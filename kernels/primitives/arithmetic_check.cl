// What a device makes of the arithmetic that the other kernels are written in: every operation by itself, rounded to
// nearest even, in the order that is written. A driver that fuses a product with a sum, turns sums round, or multiplies
// by reciprocals has other contacts than all others.
//
// One work-item a case of three operands; the first eighth of them also has eight cases each, side by side. results: by
// formula, then one by one or side by side, then case.
// Host, with what is right: host/opencl/arithmetic_check.cpp.
#include "math/rounding.clh"
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
