// What a device makes of the arithmetic that the other kernels are written in: every operation by itself, rounded to
// nearest even, in the order that is written. A driver that fuses a product with a sum, turns sums round, or multiplies
// by reciprocals has other contacts than all others.
//
// One work-item a case of three operands; the first eighth of them also has eight cases each, side by side. results: by
// formula, then one by one or side by side, then case.
// Host, with what is right: host/opencl/arithmetic_check.cpp.
#include "common/rounding.clh"
#pragma OPENCL FP_CONTRACT OFF

// clang-format off
#define STORE_FORMULAS(T, INT, STORE) \
  STORE(0u, a * b + c) \
  STORE(1u, a * b - c) \
  STORE(2u, c - a * b) \
  STORE(3u, a * b + c * a) \
  STORE(4u, (a + b) - a) \
  STORE(5u, (a + b) + c) \
  STORE(6u, a * c + b * c) \
  STORE(7u, (a * b) * c) \
  STORE(8u, select((T)(0.0f), (T)(1.0f), a < b) + select((T)(0.0f), (T)(2.0f), a >= b) + \
                select((T)(0.0f), (T)(4.0f), a != a)) \
  STORE(9u, convert_##T(INT(a)))
#define STORE_ONE(formula, value) results[(size_t)(2u * (formula)) * cases + at] = (value);
#define STORE_EIGHT(formula, value) vstore8((value), at, results + (size_t)(2u * (formula) + 1u) * cases);
// clang-format on

__kernel void arithmetic_check(const uint cases, __global const float* operand_a, __global const float* operand_b,
                               __global const float* operand_c, __global float* results) {
  const uint at = (uint)get_global_id(0);
  if (at >= cases) return;
  {
    const float a = operand_a[at], b = operand_b[at], c = operand_c[at];
    STORE_FORMULAS(float, as_int, STORE_ONE)
    STORE_ONE(10u, div_rn(a, b))
    STORE_ONE(11u, sqrt_rn(c))
#ifdef OCLIDE_SOFTWARE_DIVIDE_SQRT
    results[(size_t)(2u * 10u + 1u) * cases + at] = div_rn(a, b);
    results[(size_t)(2u * 11u + 1u) * cases + at] = sqrt_rn(c);
#endif
  }
  if (at >= cases / 8u) return;
  const float8 a = vload8(at, operand_a), b = vload8(at, operand_b), c = vload8(at, operand_c);
  STORE_FORMULAS(float8, as_int8, STORE_EIGHT)
#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT
  STORE_EIGHT(10u, a / b)
  STORE_EIGHT(11u, sqrt(c))
#endif
}
