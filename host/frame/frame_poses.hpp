// The poses that a backend gets for a frame.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "oclide/oclide.hpp"

namespace oclide {

/// Poses of a frame, and what is known of those of the frame before. Valid as long as what made them is not called
/// again.
struct FramePoses {
  Poses poses;
  std::uint64_t number = 0;                   ///< of these poses; 0: nothing is known of any before
  bool is_next = false;                       ///< `moved` says how they differ from those with the number before
  std::span<const std::uint32_t> moved = {};  ///< bodies whose pose is not, bit for bit, that of before; ascending
  /// Where there is any: takes the poses over, for the next frame to know them. To be called once in the frame, best
  /// while the device works. Left out, nothing is known then.
  std::function<void()> keep = {};
};

}  // namespace oclide
