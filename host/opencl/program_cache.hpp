// Compiled kernels on disk, so that the second start of a program does not compile.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::opencl {

/// 128 bits over the parts and their lengths, from two different 64-bit hashes.
using Digest = std::array<std::uint64_t, 2>;
Digest digest_of(std::initializer_list<std::string_view> parts);

/// A folder of files "<digest>.clbin". Any number of processes may read and write it at once: a file appears whole
/// under its name or not at all, and one that is cut, altered, or of another key or version counts as missing. Nothing
/// here throws: a cache that cannot be read or written is one that is empty.
class ProgramCache {
 public:
  /// Settings::cache_directory, else $OCLIDE_CACHE_DIR, else $XDG_CACHE_HOME/oclide, else $HOME/.cache/oclide. Without
  /// any of these, or where Settings::use_cache is off, nothing is kept.
  explicit ProgramCache(const Settings& settings);

  /// Empty where nothing is kept.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path file(const Digest& key) const;

  [[nodiscard]] std::optional<std::vector<unsigned char>> load(const Digest& key) const;
  void store(const Digest& key, std::span<const unsigned char> binary) const;
  /// For a file whose content the driver does not accept.
  void remove(const Digest& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace oclide::opencl
