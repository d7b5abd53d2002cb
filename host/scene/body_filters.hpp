// What flags and the list of excluded pairs say of which bodies meet (docs/worlds.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// Bits of Bodies::flags that a caller may set.
inline constexpr std::uint32_t kBodyFlags = kStatic | kNoTerrain | kSensor;
/// Of a row without a body, in scenes that a Collider has changed: it meets nothing, and no ray hits it.
inline constexpr std::uint32_t kInactive = 1U << 31;

[[nodiscard]] inline std::uint32_t flags_of(const Bodies& bodies, std::size_t body) {
  return bodies.flags.empty() ? 0U : bodies.flags[body];
}
[[nodiscard]] inline bool is_active(const Bodies& bodies, std::size_t body) {
  return (flags_of(bodies, body) & kInactive) == 0;
}
/// As Contact::flags of contacts between these two; `b` may be kTerrain.
[[nodiscard]] inline std::uint8_t contact_flags(const Bodies& bodies, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t flags = flags_of(bodies, a) | (b == kTerrain ? 0U : flags_of(bodies, b));
  return (flags & kSensor) != 0 ? kSensorContact : std::uint8_t{0};
}

/// A pair of bodies as one number, the same in either order.
[[nodiscard]] inline std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}
/// Those of Bodies::excluded, ascending, each once.
[[nodiscard]] inline std::vector<std::uint64_t> excluded_keys(const Bodies& bodies) {
  std::vector<std::uint64_t> keys;
  keys.reserve(bodies.excluded.size());
  for (const auto& [a, b] : bodies.excluded) keys.push_back(pair_key(a, b));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// Words of what kernels/broad_phase/pair_filter.clh has of them; none where there are no pairs.
[[nodiscard]] constexpr std::size_t excluded_words(std::size_t bodies, std::size_t pairs) {
  return pairs == 0 ? 0 : bodies + 1 + pairs;
}

}  // namespace oclide
