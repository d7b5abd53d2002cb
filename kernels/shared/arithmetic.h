// What the check of a device's arithmetic computes of operands a, b and c, which both compilers expand. Includable from
// C++ and from OpenCL C. How they are computed: kernels/primitives/arithmetic_check.cl and
// host/opencl/arithmetic_check.cpp.
#ifndef OCLIDE_SHARED_ARITHMETIC_H
#define OCLIDE_SHARED_ARITHMETIC_H

// X(NAME, text in messages); quotients and roots, which have a software version, come last.
// clang-format off
#define OCLIDE_FORMULAS(X)                      \
  X(PRODUCT_PLUS,       "a * b + c")            \
  X(PRODUCT_MINUS,      "a * b - c")            \
  X(MINUS_PRODUCT,      "c - a * b")            \
  X(SUM_OF_PRODUCTS,    "a * b + c * a")        \
  X(SUM_MINUS_FIRST,    "(a + b) - a")          \
  X(SUM_OF_THREE,       "(a + b) + c")          \
  X(COMMON_FACTOR,      "a * c + b * c")        \
  X(PRODUCT_OF_THREE,   "(a * b) * c")          \
  X(MINUS_ITSELF,       "a - a")                \
  X(COMPARED,           "comparing a, b")       \
  X(BITS_AS_NUMBER,     "(float)as_int(a)")     \
  X(WHOLE_PART,         "(float)(int)a")        \
  X(QUOTIENT,           "a / b")                \
  X(ROOT,               "sqrt(|c|)")
// clang-format on

#define OCLIDE_FORMULA_NUMBER(NAME, text) FORMULA_##NAME,
enum { OCLIDE_FORMULAS(OCLIDE_FORMULA_NUMBER) FORMULAS };
#undef OCLIDE_FORMULA_NUMBER

#endif
