// Work that does not fit is cut in two: what the stages of the pipeline share for that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "shared/limits.h"

namespace oclide {

inline constexpr std::size_t kGroup = LONE_GROUP;  // work-items of a group

/// Bodies of a small frame at most: it is not worth the host's while to work on one half of it beside the other.
inline constexpr std::size_t kSmallFrame = 4096;

/// Slots, or bodies that meet, of which one work-group does several light stages in a fused kernel.
inline constexpr std::size_t kFewSlots = 512;

/// Elements that a store of contacts or pairs has room for at first. A guess only saves a second run of the kernels.
inline constexpr std::uint32_t kFirstRoom = 4096;
/// The same where it may be of a slice, of a frame that did not fit as a whole: what `elements` lead to if each has no
/// more than these, so that the least slice needs little.
inline constexpr std::size_t kPairsOfLeaf = 64, kStoreSlotsOfPair = 8, kStoreSlotsOfCandidate = 4;
inline std::uint32_t first_room(bool of_slice, std::size_t elements, std::size_t each) {
  return of_slice ? static_cast<std::uint32_t>(std::min<std::size_t>(elements * each + 64, kFirstRoom)) : kFirstRoom;
}

/// Capacity for what came to `last` in the frame before, and a quarter more, but no more than there is.
inline std::uint32_t predicted_capacity(std::uint64_t last, std::size_t room) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(last + last / 4 + 64, std::min<std::size_t>(room, 0xFFFFFFFE)));
}

/// The same, and a 32nd more at least: where there is less room, a buffer that is empty yet grows to that.
inline std::uint32_t ample_capacity(std::uint64_t last, std::size_t room) {
  return std::max(predicted_capacity(last, room), predicted_capacity(last, last + last / 32 + 8));
}

/// What is read without waiting of what came to `last` in the frame before, where there is `room` for so many: a little
/// more, for the rest is another read, and less is bytes for nothing.
inline std::uint32_t expected_to_come(std::uint64_t last, std::size_t room) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(last + std::min(last / 4, last / 64 + 1024) + 64, room));
}

/// What `part` of `bodies` have on average where all of these have `total`; 0 without any.
inline std::uint64_t share_of(std::uint64_t part, std::uint64_t bodies, std::uint64_t total) {
  return bodies > 0 ? total * part / bodies : 0;
}

/// Raised inside a slice that has more than 32-bit indices can hold; answered by halving it.
struct SliceTooLarge {
  std::string what;
};

/// The count where 32 bits hold it. Throws SliceTooLarge, saying of `what`.
inline std::uint32_t checked(std::uint64_t count, const char* what) {
  if (count >= std::numeric_limits<std::uint32_t>::max()) throw SliceTooLarge{std::to_string(count) + " " + what};
  return static_cast<std::uint32_t>(count);
}

}  // namespace oclide
