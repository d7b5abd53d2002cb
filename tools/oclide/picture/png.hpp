// Pictures as files: PNG, and films as APNG, which browsers play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace oclide::command {

/// Rows from the top, three bytes a pixel: red, green, blue.
struct Picture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// A file that grows by pictures of one size. One picture is a PNG; more are an APNG that begins anew at its end. Of
/// the later ones only what differs from the one before is kept.
class PngFile {
 public:
  /// `pictures`: how many there will be.
  PngFile(std::size_t width, std::size_t height, std::size_t pictures, double pictures_per_second);

  void add(const Picture& picture);
  /// After the last picture.
  [[nodiscard]] std::string finish();

 private:
  void chunk(const char* type, const std::string& data);

  std::size_t width_, height_, pictures_, added_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint16_t milliseconds_;
  std::string bytes_;
  std::vector<std::uint8_t> before_;
};

}  // namespace oclide::command
