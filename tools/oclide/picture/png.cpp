#include "picture/png.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

namespace oclide::command {
namespace {

std::string big_endian(std::uint32_t number, unsigned bytes = 4) {
  std::string text;
  for (unsigned k = 0; k < bytes; ++k) text += static_cast<char>(number >> 8U * (bytes - 1 - k) & 0xFFU);
  return text;
}

int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left), to_above = std::abs(guess - above), to_corner = std::abs(guess - corner);
  return to_left <= to_above && to_left <= to_corner ? left : to_above <= to_corner ? above : corner;
}

// Rows of pixels of `channels` bytes, filtered each by the filter whose differences are least, and deflated.
std::string packed_rows(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t channels) {
  const std::size_t row = width * channels;
  const std::vector<std::uint8_t> nothing(row, 0);
  std::string rows;
  for (std::size_t begin = 0; begin < pixels.size(); begin += row) {
    const std::uint8_t* here = pixels.data() + begin;
    const std::uint8_t* above = begin == 0 ? nothing.data() : here - row;
    std::string best;
    std::size_t least = 0;
    for (const char filter : {'\0', '\1', '\2', '\4'}) {
      std::string tried(1, filter);
      std::size_t sum = 0;
      for (std::size_t i = 0; i < row; ++i) {
        const int left = i < channels ? 0 : here[i - channels], corner = i < channels ? 0 : above[i - channels];
        const int guess = filter == 0 ? 0 : filter == 1 ? left : filter == 2 ? above[i] : paeth(left, above[i], corner);
        const auto difference = static_cast<std::uint8_t>(here[i] - guess);
        sum += difference < 128 ? difference : 256U - difference;
        tried += static_cast<char>(difference);
      }
      if (!best.empty() && sum >= least) continue;
      least = sum;
      best = std::move(tried);
    }
    rows += best;
  }
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                rows.size(), Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

}  // namespace

PngFile::PngFile(std::size_t width, std::size_t height, std::size_t pictures, double pictures_per_second)
    : width_(width),
      height_(height),
      pictures_(pictures),
      milliseconds_(static_cast<std::uint16_t>(std::clamp(std::round(1000.0 / pictures_per_second), 1.0, 65535.0))) {
  bytes_ = "\x89PNG\r\n\x1a\n";
  // Eight bits a channel; a film has a fourth one, which is zero where nothing changes.
  chunk("IHDR", big_endian(static_cast<std::uint32_t>(width)) + big_endian(static_cast<std::uint32_t>(height)) +
                    std::string{8, static_cast<char>(pictures > 1 ? 6 : 2), 0, 0, 0});
  if (pictures > 1) chunk("acTL", big_endian(static_cast<std::uint32_t>(pictures)) + big_endian(0));
}

void PngFile::chunk(const char* type, const std::string& data) {
  const std::string body = type + data;
  bytes_ += big_endian(static_cast<std::uint32_t>(data.size())) + body;
  bytes_ += big_endian(static_cast<std::uint32_t>(
      crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

void PngFile::add(const Picture& picture) {
  const bool is_film = pictures_ > 1;
  if (is_film) {
    // Whole, at (0, 0), so long, left as it is for the next one, which is put over it.
    const bool over = added_ > 0;
    chunk("fcTL", big_endian(sequence_++) + big_endian(static_cast<std::uint32_t>(width_)) +
                      big_endian(static_cast<std::uint32_t>(height_)) + big_endian(0) + big_endian(0) +
                      big_endian(milliseconds_, 2) + big_endian(1000, 2) + std::string{0, static_cast<char>(over)});
    std::vector<std::uint8_t> pixels(4 * width_ * height_, 0);
    for (std::size_t i = 0; i < width_ * height_; ++i) {
      const auto pixel = picture.rgb.begin() + static_cast<std::ptrdiff_t>(3 * i);
      if (over && std::equal(pixel, pixel + 3, before_.begin() + static_cast<std::ptrdiff_t>(3 * i))) continue;
      std::copy(pixel, pixel + 3, pixels.begin() + static_cast<std::ptrdiff_t>(4 * i));
      pixels[4 * i + 3] = 255;
    }
    const std::string rows = packed_rows(pixels, width_, 4);
    if (over)
      chunk("fdAT", big_endian(sequence_++) + rows);
    else
      chunk("IDAT", rows);
    before_ = picture.rgb;
  } else {
    chunk("IDAT", packed_rows(picture.rgb, width_, 3));
  }
  ++added_;
}

std::string PngFile::finish() {
  chunk("IEND", {});
  return std::move(bytes_);
}

}  // namespace oclide::command
