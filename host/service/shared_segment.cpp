#include "service/shared_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "oclide/oclide.hpp"

namespace oclide::service {
namespace {

// A file that is closed with its block.
struct SegmentFile {
  int number = -1;
  explicit SegmentFile(int opened) : number(opened) {}
  ~SegmentFile() {
    if (number >= 0) close(number);
  }
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;
};

[[noreturn]] void refuse_segment(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::invalid_input, "shared_memory: " + path + ": " + why);
}

// Takes a number of 1 to `most` digits off the front; false where there is none.
bool take_number(std::string_view& text, std::size_t most) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits >= 1 && digits <= most;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Whether it is /proc/PROCESS/fd/NUMBER. (std::regex would be a seventh of what the service compiles.)
bool names_a_file_of_a_process(std::string_view path) {
  return take(path, "/proc/") && !path.starts_with('0') && take_number(path, 10) && take(path, "/fd/") &&
         take_number(path, 9) && path.empty();
}

}  // namespace

SharedSegment::SharedSegment(const std::string& path) {
  if (!names_a_file_of_a_process(path)) refuse_segment(path, "is not of the form /proc/PROCESS/fd/NUMBER");
  // Asked before it is opened: opening a pipe or a device may wait, or do something.
  std::array<char, 64> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length < 0) refuse_segment(path, std::string("cannot be opened: ") + std::strerror(errno));
  if (std::string_view(target.data(), static_cast<std::size_t>(length)) != "/memfd:oclide (deleted)")
    refuse_segment(path, "is not memory made by memfd_create(\"oclide\")");
  const SegmentFile file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (file.number < 0) refuse_segment(path, std::string("cannot be opened: ") + std::strerror(errno));
  const int seals = fcntl(file.number, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) refuse_segment(path, "is not sealed against shrinking");
  struct stat status {};
  if (fstat(file.number, &status) != 0) refuse_segment(path, std::strerror(errno));
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* const at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  if (at == MAP_FAILED) refuse_segment(path, std::string("cannot be mapped: ") + std::strerror(errno));
  at_ = static_cast<char*>(at);
}

SharedSegment::~SharedSegment() {
  if (at_ != nullptr) munmap(at_, size_);
}

std::span<char> SharedSegment::bytes(std::uint64_t offset, std::uint64_t count) const {
  if (offset > size_ || count > size_ - offset)
    throw Error(ErrorKind::invalid_input, "shared memory has " + std::to_string(size_) + " bytes; " +
                                              std::to_string(count) + " from " + std::to_string(offset) +
                                              " on were named");
  return {at_ + offset, static_cast<std::size_t>(count)};
}

}  // namespace oclide::service
