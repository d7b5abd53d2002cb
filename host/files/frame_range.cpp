#include "files/frame_range.hpp"

#include <charconv>
#include <string_view>

#include "oclide/oclide.hpp"

namespace oclide {

FrameRange parse_frame_range(const std::string& text, const std::string& file, std::size_t frames) {
  FrameRange range{0, frames};
  if (text.empty()) return range;
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::invalid_input, file + ": --frames " + text + " " + what);
  };
  const auto number = [&](std::string_view digits, std::size_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size())
      refuse("is no range of frames; write A:B for the frames from A to B-1, A: or :B");
  };
  const std::string_view view = text;
  const std::size_t colon = view.find(':');
  if (colon == std::string_view::npos || view.size() == 1) number("", range.first);
  if (colon > 0) number(view.substr(0, colon), range.first);
  if (colon + 1 < view.size()) number(view.substr(colon + 1), range.end);
  if (range.first >= range.end && range.first < frames) refuse("is empty");
  if (range.end > frames || range.first >= range.end)
    refuse("reaches outside the file, which has " + std::to_string(frames) + (frames == 1 ? " frame" : " frames"));
  return range;
}

}  // namespace oclide
