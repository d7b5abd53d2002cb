// A device and the shapes of work-groups that every primitive, and what else a group does together, is tested with.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "opencl/buffer.hpp"
#include "opencl/first_device.hpp"
#include "support/sweep.hpp"

namespace oclide::test {

inline constexpr auto kStage = opencl::Stage::broad_phase;
inline constexpr std::size_t kLong = 3'000'000;
inline constexpr std::size_t kBeyond24Bits = (std::size_t{1} << 24) + 3;

/// The parameter is the group size: 0 for the device's own choice.
class Primitive : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const auto info = first_device();
    if (!info) GTEST_SKIP() << "no OpenCL device";
    simulator_ = is_simulator(*info);
    device_ = std::make_unique<opencl::Device>(Settings{}, *info);
  }

  /// Lengths around the sizes of work-groups, tiles and chunks.
  [[nodiscard]] std::vector<std::size_t> lengths() const {
    std::vector<std::size_t> all{0, 1, 2, 255, 256, 257, 1000, 2047, 2048, 2049};
    if (simulator_) return all;
    all.push_back(65537);
    if (GetParam() != 3) all.push_back(kLong);  // the uneven size is slow, and no other way through
    return all;
  }

  /// One choice for each kind of kernel is enough for tens of millions of elements.
  static bool tests_long_inputs() { return kTakesItsTime && (GetParam() == 1 || GetParam() == 256); }

  template <class T>
  static std::vector<T> read(const opencl::Buffer<T>& buffer, std::size_t count) {
    std::vector<T> values(count);
    buffer.download(values);
    return values;
  }

  std::unique_ptr<opencl::Device> device_;
  bool simulator_ = false;
  std::mt19937_64 random_{20240607};
};

inline std::string group_name(const testing::TestParamInfo<std::size_t>& info) {
  return info.param == 0 ? "OwnChoice" : "Groups" + std::to_string(info.param);
}

/// One work-item, an uneven choice that is rounded down, and sizes below and above a GPU's.
inline auto group_sizes() {
  return testing::Values(0, 1, 3, 64, 256);
}

}  // namespace oclide::test
