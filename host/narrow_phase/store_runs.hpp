// How the work-items of the narrow phase share a store of contacts: kernels/common/store.clh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "oclide/oclide.hpp"
#include "slice.hpp"

namespace oclide {

struct StoreRuns {
  std::uint32_t run;    // candidates that one work-item looks at
  std::uint32_t block;  // places that it takes at a time

  /// On a GPU each candidate has a work-item of its own and takes what it needs.
  StoreRuns(const DeviceInfo& device, std::uint32_t block_on_cpu)
      : run(device.is_gpu ? 1 : kGroup), block(device.is_gpu ? 1 : block_on_cpu) {}

  [[nodiscard]] std::size_t items(std::size_t candidates) const { return (candidates + run - 1) / run; }
  [[nodiscard]] std::size_t group() const { return std::max<std::size_t>(1, kGroup / run); }
};

}  // namespace oclide
