// kernels/math/rounding.clh against the host's IEEE 754 division and square root, bit by bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "opencl/first_device.hpp"
#include "opencl/launch.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using opencl::Stage;

constexpr std::uint32_t kExponentBits = 0x7F800000U;

bool is_nan(std::uint32_t bits) {
  return (bits & 0x7FFFFFFFU) > kExponentBits;
}
bool is_subnormal(std::uint32_t bits) {
  return (bits & kExponentBits) == 0 && (bits & 0x7FFFFFFFU) != 0;
}

const char* const kEntry = R"(
__kernel void rounding_entry(__global const uint* a, __global const uint* b, uint n, __global uint* quotient,
                             __global uint* root) {
  const size_t i = get_global_id(0);
  if (i >= n) return;
  quotient[i] = as_uint(div_rn(as_float(a[i]), as_float(b[i])));
  root[i] = as_uint(sqrt_rn(as_float(a[i])));
}
)";

// What divides and draws roots: the device, the software version on it, and that with first guesses that are off by up
// to three units in the last place, as a device's may be.
enum class By { device, software, poor_guesses };

class Rounding : public testing::TestWithParam<By> {
 protected:
  void SetUp() override {
    const auto info = first_device();
    if (!info) GTEST_SKIP() << "no OpenCL device";
    device_ = std::make_unique<opencl::Device>(Settings{}, *info);
    const bool forced = GetParam() != By::device;
    software_ = forced || !info->rounds_division;
    count_ = is_simulator(*info) ? 50'000 : 2'000'000;

    std::string source = text_of("code.clh") + text_of("two_float.clh") + text_of("rounding.clh");
    for (const std::string name : {"code", "two_float"}) {
      const std::string include = "#include \"math/" + name + ".clh\"";
      ASSERT_NE(source.find(include), std::string::npos) << include;
      source.erase(source.find(include), include.size());
    }
    if (GetParam() == By::poor_guesses)
      for (const std::string guess : {"float q = a / b", "float s = sqrt(a)"}) {
        const std::size_t at = source.find(guess + ";");
        ASSERT_NE(at, std::string::npos) << guess;
        const std::string name = guess.substr(6, 1);
        source.insert(at + guess.size() + 1, name + " = as_float(as_uint(" + name + ") + as_uint(a) % 7u - 3u);");
      }
    const std::string options = forced && info->rounds_division ? "-DOCLIDE_SOFTWARE_DIVIDE_SQRT" : "";
    kernel_ = cl::Kernel(device_->build("math/rounding", source + kEntry, options), "rounding_entry");
  }

  void expect_rounded(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    const std::size_t n = a.size();
    Buffer<std::uint32_t> a_buffer(*device_), b_buffer(*device_), quotient(*device_, "q", n), root(*device_, "r", n);
    a_buffer.assign(a);
    b_buffer.assign(b);
    opencl::launch(*device_, kernel_, nullptr, Stage::narrow_phase, n, device_->work_group_size(kernel_, 64), a_buffer,
                   b_buffer, static_cast<std::uint32_t>(n), quotient, root);
    std::vector<std::uint32_t> quotients(n), roots(n);
    quotient.download(quotients);
    root.download(roots);

    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n && wrong < 10; ++i) {
      // A device that flushes subnormal numbers is held to them in the software version only.
      const bool flushed = !software_ && !device_->info().has_denormals;
      const auto x = std::bit_cast<float>(a[i]);
      const auto y = std::bit_cast<float>(b[i]);
      const auto expected_quotient = std::bit_cast<std::uint32_t>(x / y);
      const auto expected_root = std::bit_cast<std::uint32_t>(std::sqrt(x));
      const bool subnormal = is_subnormal(a[i]) || is_subnormal(b[i]) || is_subnormal(expected_quotient);
      if (!(flushed && subnormal) && quotients[i] != expected_quotient &&
          !(is_nan(quotients[i]) && is_nan(expected_quotient))) {
        ++wrong;
        ADD_FAILURE() << std::hexfloat << x << " / " << y << " = " << x / y << ", not "
                      << std::bit_cast<float>(quotients[i]);
      }
      if (!(flushed && is_subnormal(a[i])) && roots[i] != expected_root &&
          !(is_nan(roots[i]) && is_nan(expected_root))) {
        ++wrong;
        ADD_FAILURE() << std::hexfloat << "sqrt(" << x << ") = " << std::sqrt(x) << ", not "
                      << std::bit_cast<float>(roots[i]);
      }
    }
  }

  static std::string text_of(const std::string& name) {
    std::ifstream file(OCLIDE_SOURCE_DIR "/kernels/math/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::uint32_t bits() { return static_cast<std::uint32_t>(random_()); }

  std::unique_ptr<opencl::Device> device_;
  cl::Kernel kernel_;
  bool software_ = false;
  std::size_t count_ = 0;
  std::mt19937 random_{7};
};

TEST_P(Rounding, AnyBitPatternsAreRoundedRight) {
  std::vector<std::uint32_t> a(count_), b(count_);
  for (std::uint32_t& x : a) x = bits();
  for (std::uint32_t& y : b) y = bits();
  expect_rounded(a, b);
}

TEST_P(Rounding, OperandsOfLikeSizeAreRoundedRight) {
  std::vector<std::uint32_t> a(count_), b(count_);
  const auto near_one = [&] {
    const std::uint32_t mantissa = bits() & (0x7FFFFFU << (bits() % 24)) & 0x7FFFFFU;
    return 0x3F000000U + ((bits() % 3) << 23) + ((bits() & 1U) != 0 ? mantissa : 0x7FFFFFU - mantissa);
  };
  for (std::uint32_t& x : a) x = near_one();
  for (std::uint32_t& y : b) y = near_one();
  expect_rounded(a, b);
}

TEST_P(Rounding, QuotientsAtTheEdgesOfTheRangeAreRoundedRight) {
  std::vector<std::uint32_t> a(count_), b(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    // Subnormal, smallest normal, and overflowing quotients: the exponents differ by -151 to -124 or by 126 to 129.
    const bool small = (bits() & 3U) != 0;
    const int difference = small ? -151 + static_cast<int>(bits() % 28) : 126 + static_cast<int>(bits() % 4);
    const int lowest = std::max(0, difference);
    const int highest = std::min(254, 254 + difference);
    const int a_exponent = lowest + static_cast<int>(bits() % static_cast<unsigned>(highest - lowest + 1));
    a[i] = (bits() & 0x80000000U) | (static_cast<std::uint32_t>(a_exponent) << 23) | (bits() & 0x7FFFFFU);
    b[i] = (static_cast<std::uint32_t>(a_exponent - difference) << 23) | (bits() & 0x7FFFFFU);
  }
  expect_rounded(a, b);
}

TEST_P(Rounding, QuotientsBesideTheMiddleOfTwoFloatsAreRoundedRight) {
  // a = b * (middle between two floats), rounded: the quotient is as near to that middle as it can be.
  std::vector<std::uint32_t> a(count_), b(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    const auto divisor = std::bit_cast<float>(0x3F800000U | (bits() & 0x7FFFFFU));
    const auto kept = std::bit_cast<float>(0x3F800000U | (bits() & 0x7FFFFFU));
    const double middle = static_cast<double>(kept) + 0x1p-24;
    const auto dividend = static_cast<float>(static_cast<double>(divisor) * middle);
    a[i] = std::bit_cast<std::uint32_t>(dividend) + (bits() % 3) - 1;
    b[i] = std::bit_cast<std::uint32_t>(divisor);
  }
  expect_rounded(a, b);
}

TEST_P(Rounding, SpecialValuesAreRoundedRight) {
  const std::vector<std::uint32_t> special{
      0x00000000U, 0x80000000U, 0x00000001U, 0x80000001U, 0x007FFFFFU, 0x00800000U, 0x00800001U, 0x00FFFFFFU,
      0x01000000U, 0x3F7FFFFFU, 0x3F800000U, 0xBF800000U, 0x3F800001U, 0x40000000U, 0x40400000U, 0x7F7FFFFFU,
      0xFF7FFFFFU, 0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFFC00001U, 0x7F800001U, 0x00000003U, 0x00400000U};
  std::vector<std::uint32_t> a, b;
  for (const std::uint32_t x : special)
    for (const std::uint32_t y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  expect_rounded(a, b);
}

INSTANTIATE_TEST_SUITE_P(Versions, Rounding, testing::Values(By::device, By::software, By::poor_guesses),
                         [](const auto& version) {
                           return version.param == By::device     ? "AsTheDeviceIsUsed"
                                  : version.param == By::software ? "Software"
                                                                  : "PoorGuesses";
                         });

}  // namespace
}  // namespace oclide::test
