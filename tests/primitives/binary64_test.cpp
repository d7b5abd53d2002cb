// kernels/math/binary64.clh against the host's doubles, bit by bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "opencl/first_device.hpp"
#include "opencl/launch.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using opencl::Stage;

constexpr std::size_t kResults = 7;

const char* const kEntry = R"(
__kernel void binary64_entry(__global const ulong* a, __global const ulong* b, uint n, __global ulong* results,
                             __global uint* floats) {
  const size_t i = get_global_id(0);
  if (i >= n) return;
  Double x, y, z;
  double_of_bits(a[i], &x);
  double_of_bits(b[i], &y);
  __global ulong* to = results + 7 * i;
  double_add(&x, &y, &z);
  to[0] = bits_of_double(&z);
  double_multiply(&x, &y, &z);
  to[1] = bits_of_double(&z);
  if (y.m != 0ul) double_divide(&x, &y, &z);
  to[2] = bits_of_double(&z);
  z = x;
  z.sign = 0u;
  if (x.m != 0ul) double_root(&z, &z);
  to[3] = bits_of_double(&z);
  double_of_float(as_float((uint)a[i]), &z);
  to[4] = bits_of_double(&z);
  to[5] = double_is_less(&x, &y) ? 1ul : 0ul;
  double_add(&x, &x, &x);
  to[6] = bits_of_double(&x);
  floats[i] = as_uint(float_of_double(&y));
}
)";

class Binary64 : public testing::Test {
 protected:
  void SetUp() override {
    const auto info = first_device();
    if (!info) GTEST_SKIP() << "no OpenCL device";
    device_ = std::make_unique<opencl::Device>(Settings{}, *info);
    count_ = is_simulator(*info) ? 5'000 : 2'000'000;
    std::ifstream file(OCLIDE_SOURCE_DIR "/kernels/math/binary64.clh");
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(source.empty());
    kernel_ = cl::Kernel(device_->build("math/binary64", source + kEntry), "binary64_entry");
  }

  static bool is_normal(double x) { return std::isnormal(x) || x == 0.0; }

  // Of all pairs; results that are not normal numbers are not compared, and `least` at least have to be.
  void expect_rounded(std::vector<double> a, std::vector<double> b, std::size_t least) {
    const std::size_t n = a.size();
    for (auto* list : {&a, &b})
      for (double& x : *list)
        if (!is_normal(x)) x = 0.0;
    Buffer<double> a_buffer(*device_), b_buffer(*device_);
    Buffer<std::uint64_t> results(*device_, "results", kResults * n);
    Buffer<std::uint32_t> floats(*device_, "floats", n);
    a_buffer.assign(a);
    b_buffer.assign(b);
    opencl::launch(*device_, kernel_, nullptr, Stage::narrow_phase, n, device_->work_group_size(kernel_, 64), a_buffer,
                   b_buffer, static_cast<std::uint32_t>(n), results, floats);
    std::vector<std::uint64_t> found(kResults * n);
    std::vector<std::uint32_t> found_floats(n);
    results.download(found);
    floats.download(found_floats);

    std::size_t wrong = 0;
    std::vector<std::size_t> compared(kResults + 1);
    const auto check = [&](std::size_t what, std::size_t i, double expected, const char* name) {
      // The host may have rounded up to the least normal number.
      if (!is_normal(expected) || std::abs(expected) == std::numeric_limits<double>::min()) return;
      ++compared[what];
      if (found[kResults * i + what] == std::bit_cast<std::uint64_t>(expected) || ++wrong > 10) return;
      ADD_FAILURE() << std::hexfloat << name << " of " << a[i] << " and " << b[i] << " = " << expected << ", not "
                    << std::bit_cast<double>(found[kResults * i + what]);
    };
    for (std::size_t i = 0; i < n; ++i) {
      check(0, i, a[i] + b[i], "sum");
      // A product or quotient that is rounded to zero is none of a double's here.
      if (a[i] * b[i] != 0.0 || a[i] == 0.0 || b[i] == 0.0) check(1, i, a[i] * b[i], "product");
      if (b[i] != 0.0 && (a[i] / b[i] != 0.0 || a[i] == 0.0)) check(2, i, a[i] / b[i], "quotient");
      check(3, i, std::sqrt(std::abs(a[i])), "root");
      const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(a[i])));
      if (std::isfinite(single)) check(4, i, static_cast<double>(single), "double of the float");
      EXPECT_EQ(found[kResults * i + 5], std::abs(a[i]) < std::abs(b[i]) ? 1U : 0U);
      check(6, i, a[i] + a[i], "sum with itself");
      const auto rounded = static_cast<float>(b[i]);
      if (std::abs(b[i]) < static_cast<double>(std::numeric_limits<float>::min()) && b[i] != 0.0) continue;
      ++compared[kResults];
      if (found_floats[i] != std::bit_cast<std::uint32_t>(rounded) && ++wrong <= 10)
        ADD_FAILURE() << std::hexfloat << "float of " << b[i] << " = " << rounded << ", not "
                      << std::bit_cast<float>(found_floats[i]);
    }
    EXPECT_EQ(wrong, 0U);
    for (const std::size_t what : {0, 1, 2, 3, 6}) EXPECT_GE(compared[what], least) << "result " << what;
    EXPECT_GE(compared[kResults], least / 8);
  }

  std::uint64_t bits() { return random_(); }
  // Near one, with a few bits, or all but a few.
  double near_one() {
    const std::uint64_t most = 0xFFFFFFFFFFFFFULL, kept = bits() & (most << (bits() % 52)) & most;
    const std::uint64_t exponent = 1022 + bits() % 3;
    return std::bit_cast<double>((bits() & 1ULL << 63) | exponent << 52 | ((bits() & 1U) != 0 ? kept : most - kept));
  }

  std::unique_ptr<opencl::Device> device_;
  cl::Kernel kernel_;
  std::size_t count_ = 0;
  std::mt19937_64 random_{7};
};

TEST_F(Binary64, OfAnyBitPatternsIsTheHosts) {
  std::vector<double> a(count_), b(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    a[i] = std::bit_cast<double>(bits());
    b[i] = std::bit_cast<double>(bits());
  }
  expect_rounded(a, b, count_ / 2);
}

TEST_F(Binary64, OfNumbersOfLikeSizeWithFewOrAllBitsIsTheHosts) {
  std::vector<double> a(count_), b(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    a[i] = near_one();
    b[i] = near_one();
  }
  expect_rounded(a, b, count_);
}

TEST_F(Binary64, OfNumbersThatAlmostCancelOrBarelyCountIsTheHosts) {
  std::vector<double> a(count_), b(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    a[i] = near_one();
    // From 2^-60 of it to all of it, and within a few of its last bits.
    b[i] = i % 2 == 0 ? std::ldexp(near_one(), -static_cast<int>(bits() % 60))
                      : -std::bit_cast<double>(std::bit_cast<std::uint64_t>(a[i]) + bits() % 5 - 2);
  }
  expect_rounded(a, b, count_);
}

TEST_F(Binary64, OfQuotientsAndRootsBesideTheMiddleOfTwoDoublesIsTheHosts) {
  std::vector<double> a(count_), b(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    // a = b * (a middle between two doubles), as near as doubles come, or a square and its neighbours.
    const auto kept = std::bit_cast<double>(0x3FF0000000000000ULL | (bits() >> 12));
    b[i] = std::bit_cast<double>(0x3FF0000000000000ULL | (bits() >> 12));
    const double near = i % 2 == 0 ? std::fma(b[i], kept, 0x1p-53 * b[i]) : kept * kept;
    a[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(near) + bits() % 3 - 1);
  }
  expect_rounded(a, b, count_);
}

TEST_F(Binary64, OfFloatsAndTheMiddlesBetweenThemIsTheHosts) {
  std::vector<double> a(count_), b(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    // 29 bits of a double are not a float's: none, the middle, or beside it.
    const std::uint64_t float_part = bits() & ~0x1FFFFFFFULL & 0xFFFFFFFFFFFFFULL;
    const std::uint64_t rest = (bits() & 1U) != 0 ? 0 : 0x10000000 + bits() % 3 - 1;
    const std::uint64_t exponent = 1023 - 126 + bits() % 254;
    b[i] = std::bit_cast<double>((bits() & 1ULL << 63) | exponent << 52 | float_part | rest);
    a[i] = static_cast<double>(static_cast<float>(b[i]));
  }
  expect_rounded(a, b, count_ / 2);
}

TEST_F(Binary64, OfSpecialValuesWithEachOtherIsTheHosts) {
  const double least = std::numeric_limits<double>::min(), most = std::numeric_limits<double>::max();
  const double step = std::numeric_limits<double>::epsilon();
  std::vector<double> special{
      0.0,      least,         most,   1.0,        1.0 + step, 1.0 - step / 2,  2.0,
      3.0,      1.0 / 3.0,     1e-15,  1e-24,      3e18,       1e-18,           1e308,
      1e-308,   0x1p-53,       0x1p53, 0x1p53 - 1, 0.5,        0x1.fffffep+127, 0x1.ffffff0000000p+127,
      0x1p-126, 4.0 - 2 * step};
  for (std::size_t i = 0, n = special.size(); i < n; ++i) special.push_back(-special[i]);
  std::vector<double> a, b;
  for (const double x : special)
    for (const double y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  expect_rounded(a, b, a.size() / 2);
}

}  // namespace
}  // namespace oclide::test
