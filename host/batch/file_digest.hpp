// By which a scene file is known again: its bytes, whatever its name and its times.
#pragma once

#include <cstdint>
#include <string>

namespace oclide {

struct FileDigest {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  ///< over all of them
  bool operator==(const FileDigest&) const = default;
};

/// Reads the file once. Throws Error(invalid_input) that names it where it cannot be read.
[[nodiscard]] FileDigest file_digest(const std::string& file);

}  // namespace oclide
