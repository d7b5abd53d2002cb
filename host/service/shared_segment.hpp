// Memory that a client and the service on one machine share. It has no name in any folder: it ends with the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace oclide::service {

/// A segment that a client made: of memfd_create("oclide"), sealed against shrinking, so that no client can take pages
/// away that the service looks at.
class SharedSegment {
 public:
  /// `path`: /proc/PROCESS/fd/NUMBER of the client. Throws Error(invalid_input) for another kind of file, or one that
  /// cannot be opened.
  explicit SharedSegment(const std::string& path);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  /// Throws Error(invalid_input) where the segment does not have them.
  [[nodiscard]] std::span<char> bytes(std::uint64_t offset, std::uint64_t count) const;

 private:
  char* at_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace oclide::service
