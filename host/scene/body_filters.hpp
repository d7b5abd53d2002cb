// What flags and the list of excluded pairs say of which bodies meet (docs/worlds.md).
#pragma once

#include <algorithm>
#include <bit>
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

/// What kernels/broad_phase/pair_filter.clh looks them up in; no longer than twice their number and two.
[[nodiscard]] inline std::vector<std::uint64_t> excluded_table(const Bodies& bodies) {
  const std::vector<std::uint64_t> keys = excluded_keys(bodies);
  if (keys.empty()) return {};
  std::uint32_t last_body = 0;
  for (const std::uint64_t key : keys) last_body = std::max(last_body, static_cast<std::uint32_t>(key));
  const auto places = static_cast<unsigned>(std::bit_width(keys.size())) - 1;
  const auto bits = static_cast<unsigned>(std::bit_width(std::uint64_t{last_body} >> places));
  const std::size_t lists = (last_body >> bits) + std::size_t{1}, begin = lists + 2;
  std::vector<std::uint64_t> table{bits};
  for (std::size_t list = 0, k = 0; list <= lists; ++list) {
    while (k < keys.size() && keys[k] >> 32 >> bits < list) ++k;
    table.push_back(begin + k);
  }
  table.insert(table.end(), keys.begin(), keys.end());
  return table;
}

}  // namespace oclide
