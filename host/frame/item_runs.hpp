// How many work-items share what there is to do: kernels/launch/item_run.clh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "frame/slice.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

class ItemRuns {
 public:
  /// On a GPU each has a work-item of its own. On a CPU a work-item takes `shortest` to `longest` one after another:
  /// fewer where there are few, so that every processor has some.
  ItemRuns(const DeviceInfo& device, std::size_t shortest, std::size_t longest)
      : is_gpu_(device.is_gpu), shortest_(shortest), longest_(longest) {}

  /// Of so many, those that one work-item takes.
  [[nodiscard]] std::uint32_t run(std::size_t count) const {
    return is_gpu_ ? 1 : static_cast<std::uint32_t>(std::clamp(count / kFewItems, shortest_, longest_));
  }
  [[nodiscard]] std::size_t items(std::size_t count) const { return (count + run(count) - 1) / run(count); }
  /// Work-items of a group.
  [[nodiscard]] std::size_t group() const { return is_gpu_ ? kGroup : 1; }

 private:
  static constexpr std::size_t kFewItems = 64;
  bool is_gpu_;
  std::size_t shortest_, longest_;
};

}  // namespace oclide
