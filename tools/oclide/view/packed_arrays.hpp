// Arrays of numbers as text that a page can hold and unpack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json.hpp"

namespace oclide::command {

/// Arrays are kept little-endian, byte plane by byte plane (all lowest bytes first), deflated, in base64. Arrays with
/// the same bytes are kept once.
class PackedArrays {
 public:
  /// What the page finds it by: {"blob": number, "type": f32, i32, u32, u16 or u8, "count": of numbers}.
  [[nodiscard]] Json add(std::span<const float> numbers);
  [[nodiscard]] Json add(std::span<const std::int32_t> numbers);
  [[nodiscard]] Json add(std::span<const std::uint32_t> numbers);
  [[nodiscard]] Json add(std::span<const std::uint16_t> numbers);
  [[nodiscard]] Json add(std::span<const std::uint8_t> numbers);

  /// Script elements, which no browser executes, with the ids blob0, blob1, ...
  [[nodiscard]] std::string elements() const;

 private:
  [[nodiscard]] Json add(const char* type, const void* numbers, std::size_t width, std::size_t count);

  std::vector<std::string> blobs_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;  // blobs by the hash of their text
};

}  // namespace oclide::command
