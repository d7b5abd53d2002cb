// The frames that --frames asks for.
#pragma once

#include <cstddef>
#include <string>

namespace oclide {

struct FrameRange {
  std::size_t first = 0;
  std::size_t end = 0;  ///< one behind the last

  [[nodiscard]] std::size_t count() const { return end - first; }
};

/// "A:B" is A to B-1, "A:" from A on, ":B" up to B-1, "" all. Throws Error(invalid_input) where the text is none of
/// these, the range is empty or reaches outside the file's frames.
[[nodiscard]] FrameRange parse_frame_range(const std::string& text, const std::string& file, std::size_t frames);

}  // namespace oclide
