// What a frame came to, apart from its contacts.
#pragma once

#include <cstdint>

namespace oclide {

/// As the members of FrameContacts of these names.
struct FrameCounts {
  std::uint64_t body_candidates = 0;
  std::uint64_t candidates = 0;
  std::uint64_t unreduced = 0;
};

}  // namespace oclide
