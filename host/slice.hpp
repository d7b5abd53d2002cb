// Work that does not fit is cut in two: what the stages of the pipeline share for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace oclide {

inline constexpr std::size_t kGroup = 64;  // work-items of a group

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
