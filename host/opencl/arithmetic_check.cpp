#include "opencl/arithmetic_check.hpp"

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "opencl/device.hpp"
#include "shared/arithmetic.h"

namespace oclide::opencl {
namespace {

constexpr std::size_t kCases = 1024;  // a multiple of 8

struct Operands {
  std::vector<float> a, b, c;
};

// The cases: those in which a fused product, a turned sum, a NaN taken for a number, the sign of a zero or the ends of
// the range tell most, then numbers of full length near 1.
Operands operands() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  Operands all{{1.0F + 0x1p-23F, 0x1p24F, 1e8F, 3.0F, kNan, kInf, 1.0F, -0.0F, 0.0F, 0x1.8p100F, 0x1.1p-60F},
               {1.0F - 0x1p-23F, 1.0F, 1.0F, 1.0F / 3.0F, 1.0F, 2.0F, kNan, -7.0F, -0.0F, 0x1.4p-20F, 0x1.Cp60F},
               {-1.0F, 1.0F, -1e8F, -1.0F, 1.0F, 1.0F, 1.0F, 0.0F, kNan, 0x1.5p101F, 0x1.5p-55F}};
  std::uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes, 7.1
    const std::uint32_t sign = state & 0x80000000U, exponent = 123 + (state >> 8) % 8;
    const std::uint32_t mantissa = (state >> 5 ^ state << 9) & 0x7FFFFFU;
    return std::bit_cast<float>(sign | exponent << 23 | mantissa);
  };
  while (all.a.size() < kCases) {
    all.a.push_back(next());
    all.b.push_back(next());
    all.c.push_back(next());
  }
  return all;
}

// One operation at a time: no compiler sees through these, to fuse one with the next.
static_assert(FLT_EVAL_METHOD == 0, "floats have more bits than a device's");
float sum(float a, float b) {
  volatile float result = a + b;
  return result;
}
float product(float a, float b) {
  volatile float result = a * b;
  return result;
}

struct Expected {
  std::size_t formula;
  const char* text;
  float value;
};

std::array<Expected, FORMULAS> expected(float a, float b, float c) {
  const float ab = product(a, b);
  const float compared = (a < b ? 1.0F : 0.0F) + (a >= b ? 2.0F : 0.0F) + (std::isnan(a) ? 4.0F : 0.0F);
  const std::int32_t whole = a > -1e9F && a < 1e9F ? static_cast<std::int32_t>(a) : 0;
  // Of each formula of the list by its name: one that is added there does not compile without its value.
  const float PRODUCT_PLUS = sum(ab, c);
  const float PRODUCT_MINUS = sum(ab, -c);
  const float MINUS_PRODUCT = sum(c, -ab);
  const float SUM_OF_PRODUCTS = sum(ab, product(c, a));
  const float SUM_MINUS_FIRST = sum(sum(a, b), -a);
  const float SUM_OF_THREE = sum(sum(a, b), c);
  const float COMMON_FACTOR = sum(product(a, c), product(b, c));
  const float PRODUCT_OF_THREE = product(ab, c);
  const float MINUS_ITSELF = sum(a, -a);
  const float COMPARED = compared;
  const float BITS_AS_NUMBER = static_cast<float>(std::bit_cast<std::int32_t>(a));
  const float WHOLE_PART = static_cast<float>(whole);
  const float QUOTIENT = a / b;
  const float ROOT = std::sqrt(std::abs(c));
#define OCLIDE_EXPECTED(NAME, text) Expected{FORMULA_##NAME, text, NAME},
  return {OCLIDE_FORMULAS(OCLIDE_EXPECTED)};
#undef OCLIDE_EXPECTED
}

// No kernel tells zeros of different signs, or numbers that are none, from each other.
bool is_same(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// What the device has: by formula, then one by one or side by side, then case. Commands that an application has in a
// queue of its own are not waited for.
std::vector<float> results_of(Device& device, const cl::Program& program, Operands& given) {
  std::vector<float> results(kCases * 2 * FORMULAS);
  translate_errors("arithmetic_check", device.info().name, [&] {
    cl::Kernel kernel(program, "arithmetic_check");
    const auto buffer = [&](std::vector<float>& of, cl_mem_flags access) {
      return cl::Buffer(device.context(), access | CL_MEM_COPY_HOST_PTR, of.size() * sizeof(float), of.data());
    };
    const cl::Buffer a = buffer(given.a, CL_MEM_READ_ONLY), b = buffer(given.b, CL_MEM_READ_ONLY);
    const cl::Buffer c = buffer(given.c, CL_MEM_READ_ONLY), to = buffer(results, CL_MEM_READ_WRITE);
    kernel.setArg(0, static_cast<cl_uint>(kCases));
    kernel.setArg(1, a);
    kernel.setArg(2, b);
    kernel.setArg(3, c);
    kernel.setArg(4, to);
    device.transfer_queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(kCases), cl::NullRange);
    device.transfer_queue().enqueueReadBuffer(to, CL_TRUE, 0, results.size() * sizeof(float), results.data());
  });
  return results;
}

}  // namespace

ArithmeticFault find_arithmetic_fault(Device& device, const cl::Program& program) {
  Operands given = operands();
  const std::vector<float> results = results_of(device, program, given);
  ArithmeticFault fault;
  for (std::size_t k = 0; k < kCases; ++k) {
    for (const Expected& right : expected(given.a[k], given.b[k], given.c[k]))
      for (const std::size_t side_by_side : {0, 1}) {
        const float found = results[(2 * right.formula + side_by_side) * kCases + k];
        const bool is_division = right.formula >= FORMULA_QUOTIENT;
        if (is_same(found, right.value) || (!fault.what.empty() && (is_division || !fault.is_division))) continue;
        std::array<char, 200> text{};
        std::snprintf(text.data(), text.size(), "%s is %.9g and not %.9g for a, b, c = %.9g, %.9g, %.9g", right.text,
                      double{found}, double{right.value}, double{given.a[k]}, double{given.b[k]}, double{given.c[k]});
        fault = {text.data(), is_division};
      }
  }
  return fault;
}

std::string build_options(bool divides_itself) {
  return std::string("-cl-std=CL1.2 ") +
         (divides_itself ? "-cl-fp32-correctly-rounded-divide-sqrt" : "-DOCLIDE_SOFTWARE_DIVIDE_SQRT");
}

std::string kind_options(bool is_gpu) {
  return is_gpu ? " -DOCLIDE_LANES=1" : "";
}

std::string choose_build_options(bool rounds_division, const std::string& further, const std::string& device,
                                 const std::function<ArithmeticFault(const std::string&)>& fault_with) {
  ArithmeticFault fault;
  for (bool software = !rounds_division;; software = true) {
    std::string options = build_options(!software) + further;
    try {
      fault = fault_with(options);
    } catch (const Error&) {
      // A device that does not round so refuses the option.
      if (software) throw;
      continue;
    }
    if (fault.what.empty()) return options;
    if (software || !fault.is_division) break;
  }
  throw Error(ErrorKind::device, device + " cannot be used, its contacts would have other bits than those of other " +
                                     "devices: " + fault.what);
}

}  // namespace oclide::opencl
