// What a device makes of the arithmetic that the other kernels are written in: every operation by itself, rounded to
// nearest even, in the order that is written. A driver that fuses a product with a sum, turns sums round, or multiplies
// by reciprocals has other contacts than all others.
//
// One work-item a case of three operands; the first eighth of them also has eight cases each, side by side. results: by
// formula, then one by one or side by side, then case.
// Host, with what is right: host/opencl/arithmetic_check.cpp.
#include "math/rounding.clh"
#include "shared/arithmetic.h"
#pragma OPENCL FP_CONTRACT OFF

// clang-format off
#define STORE_FORMULAS(T, I, STORE) \
  STORE(FORMULA_PRODUCT_PLUS, a * b + c) \
  STORE(FORMULA_PRODUCT_MINUS, a * b - c) \
  STORE(FORMULA_MINUS_PRODUCT, c - a * b) \
  STORE(FORMULA_SUM_OF_PRODUCTS, a * b + c * a) \
  STORE(FORMULA_SUM_MINUS_FIRST, (a + b) - a) \
  STORE(FORMULA_SUM_OF_THREE, (a + b) + c) \
  STORE(FORMULA_COMMON_FACTOR, a * c + b * c) \
  STORE(FORMULA_PRODUCT_OF_THREE, (a * b) * c) \
  STORE(FORMULA_MINUS_ITSELF, a - a) \
  STORE(FORMULA_COMPARED, select((T)(0.0f), (T)(1.0f), a < b) + select((T)(0.0f), (T)(2.0f), a >= b) + \
                            select((T)(0.0f), (T)(4.0f), a != a)) \
  STORE(FORMULA_BITS_AS_NUMBER, convert_##T(as_##I(a))) \
  STORE(FORMULA_WHOLE_PART, convert_##T(convert_##I(select((T)(0.0f), a, (a > -1e9f) & (a < 1e9f)))))
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
    STORE_ONE(FORMULA_QUOTIENT, div_rn(a, b))
    STORE_ONE(FORMULA_ROOT, sqrt_rn(positive_c))
#ifdef OCLIDE_SOFTWARE_DIVIDE_SQRT
    // Side by side it is the same.
    results[(size_t)(2u * FORMULA_QUOTIENT + 1u) * cases + at] = div_rn(a, b);
    results[(size_t)(2u * FORMULA_ROOT + 1u) * cases + at] = sqrt_rn(positive_c);
#endif
  }
  if (at >= cases / 8u) return;
  const float8 a = vload8(at, operand_a), b = vload8(at, operand_b), c = vload8(at, operand_c);
  STORE_FORMULAS(float8, int8, STORE_EIGHT)
#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT
  const float8 positive_c = as_float8(as_int8(c) & 0x7FFFFFFF);
  STORE_EIGHT(FORMULA_QUOTIENT, a / b)
  STORE_EIGHT(FORMULA_ROOT, sqrt(positive_c))
#endif
}
