// How the work-items of the narrow phase share a store of contacts: kernels/common/store.clh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "oclide/oclide.hpp"
#include "slice.hpp"

namespace oclide {

class StoreRuns {
 public:
  /// On a GPU each candidate has a work-item of its own, which takes the places that it needs; on a CPU many have one,
  /// which takes places for `share` contacts a candidate at a time at least.
  StoreRuns(const DeviceInfo& device, double share) : is_gpu_(device.is_gpu), share_(share) {}

  /// Candidates of so many that one work-item looks at: fewer where there are few, so that every processor has some.
  [[nodiscard]] std::uint32_t run(std::size_t candidates) const {
    if (is_gpu_) return 1;
    return static_cast<std::uint32_t>(std::clamp(candidates / kFewItems, kShortestRun, kLongestRun));
  }
  [[nodiscard]] std::size_t items(std::size_t candidates) const {
    return (candidates + run(candidates) - 1) / run(candidates);
  }
  /// Work-items of a group.
  [[nodiscard]] std::size_t group() const { return is_gpu_ ? kGroup : 1; }
  /// Places that a work-item takes at a time.
  [[nodiscard]] std::uint32_t block(std::size_t candidates) const {
    return std::max(1U, static_cast<std::uint32_t>(share_ * run(candidates)));
  }

 private:
  static constexpr std::size_t kFewItems = 64, kShortestRun = 16, kLongestRun = 64;
  bool is_gpu_;
  double share_;
};

}  // namespace oclide
