#include "view/packed_arrays.hpp"

#include <zlib.h>

#include <bit>
#include <functional>
#include <new>

#include "oclide/oclide.hpp"

namespace oclide::command {
namespace {

std::string base64_of(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return i + k < bytes.size() ? std::uint32_t{bytes[i + k]} : 0U; };
    const std::uint32_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
    for (unsigned k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[three >> (18U - 6U * k) & 63U] : '=';
  }
  return text;
}

std::vector<unsigned char> deflated(std::span<const unsigned char> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<unsigned char> packed(size);
  if (compress2(packed.data(), &size, bytes.data(), bytes.size(), Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

}  // namespace

Json PackedArrays::add(const char* type, const void* numbers, std::size_t width, std::size_t count) {
  static_assert(std::endian::native == std::endian::little);
  const auto* from = static_cast<const unsigned char*>(numbers);
  std::vector<unsigned char> planes(width * count);
  for (std::size_t k = 0; k < width; ++k)
    for (std::size_t i = 0; i < count; ++i) planes[k * count + i] = from[i * width + k];
  std::string text = base64_of(deflated(planes));
  const std::size_t hash = std::hash<std::string>()(text);
  std::size_t blob = blobs_.size();
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (blobs_[it->second] == text) blob = it->second;
  if (blob == blobs_.size()) {
    by_hash_.emplace(hash, blob);
    blobs_.push_back(std::move(text));
  }
  return {{"blob", blob}, {"type", type}, {"count", count}};
}

Json PackedArrays::add(std::span<const float> numbers) {
  return add("f32", numbers.data(), sizeof(float), numbers.size());
}
Json PackedArrays::add(std::span<const std::int32_t> numbers) {
  return add("i32", numbers.data(), sizeof(std::int32_t), numbers.size());
}
Json PackedArrays::add(std::span<const std::uint32_t> numbers) {
  return add("u32", numbers.data(), sizeof(std::uint32_t), numbers.size());
}
Json PackedArrays::add(std::span<const std::uint16_t> numbers) {
  return add("u16", numbers.data(), sizeof(std::uint16_t), numbers.size());
}
Json PackedArrays::add(std::span<const std::uint8_t> numbers) {
  return add("u8", numbers.data(), sizeof(std::uint8_t), numbers.size());
}

std::string PackedArrays::elements() const {
  std::string text;
  for (std::size_t k = 0; k < blobs_.size(); ++k)
    text += "<script type=\"text/plain\" id=\"blob" + std::to_string(k) + "\">" + blobs_[k] + "</script>\n";
  return text;
}

}  // namespace oclide::command
