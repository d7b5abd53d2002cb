// How the work-items of the narrow phase share candidates, and a store of contacts: kernels/launch/store.clh.
#pragma once

#include <algorithm>

#include "frame/item_runs.hpp"

namespace oclide {

class StoreRuns : public ItemRuns {
 public:
  /// On a GPU a work-item takes the store slots that it needs; on a CPU slots for `share` contacts a candidate at a
  /// time at least.
  StoreRuns(const DeviceInfo& device, double share) : ItemRuns(device, kShortestRun, kLongestRun), share_(share) {}

  /// Store slots that a work-item takes at a time.
  [[nodiscard]] std::uint32_t block(std::size_t candidates) const {
    return std::max(1U, static_cast<std::uint32_t>(share_ * run(candidates)));
  }

 private:
  static constexpr std::size_t kShortestRun = 16, kLongestRun = 64;
  double share_;
};

}  // namespace oclide
