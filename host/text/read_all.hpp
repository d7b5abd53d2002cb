// What is left of a file.
#pragma once

#include <array>
#include <istream>
#include <string>

namespace oclide {

/// Appends all that is left of the stream. False where it cannot be read to its end, with errno as the system left it.
[[nodiscard]] inline bool read_all(std::istream& stream, std::string& text) {
  std::array<char, 65536> part{};
  while (stream.read(part.data(), part.size()), stream.gcount() > 0)
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  return stream.eof();
}

}  // namespace oclide
