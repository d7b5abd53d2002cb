// Memory that a client shares with a service on its machine: some slots, each for the numbers of one request and of its
// answer. It has no name in any folder, and ends with the two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace oclide::client {

class MemorySlots {
 public:
  static constexpr std::size_t kSlots = 4;

  /// Of a slot, rounded up to pages. Null where the system has no such memory.
  static std::shared_ptr<MemorySlots> make(std::size_t bytes_in, std::size_t bytes_out);
  ~MemorySlots();
  MemorySlots(const MemorySlots&) = delete;
  MemorySlots& operator=(const MemorySlots&) = delete;

  /// What the service opens it by, and how it is shown that it is the client's.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string proof() const;

  /// A free one, if there is any. Any thread.
  [[nodiscard]] std::optional<std::size_t> take();
  void give_back(std::size_t slot);

  [[nodiscard]] std::size_t bytes_in() const { return bytes_in_; }
  [[nodiscard]] std::size_t bytes_out() const { return bytes_out_; }
  /// Where a slot begins; its answer follows after bytes_in().
  [[nodiscard]] std::size_t offset_of(std::size_t slot) const;
  /// Throws Error(device) for memory that is not there.
  [[nodiscard]] std::span<char> bytes(std::uint64_t offset, std::uint64_t count) const;

 private:
  MemorySlots(int file, char* at, std::size_t bytes_in, std::size_t bytes_out);

  int file_;
  char* at_;
  std::size_t bytes_in_, bytes_out_;
  std::mutex mutex_;
  std::vector<std::size_t> free_;
};

}  // namespace oclide::client
