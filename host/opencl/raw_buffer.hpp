// Device memory for an array that grows, whatever its elements are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "opencl/device.hpp"
#include "opencl/memory.hpp"
#include "opencl/transfers.hpp"

namespace oclide::opencl {

/// What Buffer<T> does, compiled once for all T. Its Device must outlive it. Commands go to the Device's queue, in
/// order with the kernels. Counts, offsets, widths and pitches are in elements of `element` bytes.
class RawBuffer {
 public:
  /// `name` stands in errors, such as "contacts". Memory that it shares with others: what one writes there the others
  /// lose, and what one gives back or makes larger is gone for all.
  RawBuffer(std::shared_ptr<Memory> memory, std::string name, std::size_t element)
      : memory_(std::move(memory)), name_(std::move(name)), element_(element) {}
  RawBuffer(RawBuffer&& other) noexcept { swap(other); }
  RawBuffer& operator=(RawBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Makes room for `count` elements, as Memory::reserve().
  void reserve(std::size_t count);
  /// Sets the number of elements. What is in them is undefined where the buffer had to grow.
  void resize(std::size_t count);
  /// Sets the number of elements, which is not less than before; those that there are stay.
  void grow(std::size_t count);
  /// Gives the memory back; size() is 0 then.
  void free();

  /// 0 where it has lost its memory.
  [[nodiscard]] std::size_t size() const { return std::min(size_, capacity()); }
  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(capacity_bytes() / element_); }
  [[nodiscard]] std::uint64_t capacity_bytes() const { return memory_->bytes(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The memory for a kernel's argument; 16 bytes at least, also when size() is 0.
  [[nodiscard]] const cl::Buffer& get() const;

 protected:
  void write(const void* data, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage);
  void write_later(const void* data, std::size_t count, Transfers& transfers, StageTimer* timer, Stage stage);
  void write_rows(const void* data, std::size_t count, std::size_t width, std::size_t offset, std::size_t pitch);
  void write_all(const void* pattern, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage);
  void copy(const RawBuffer& from, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage);
  void copy_part(const RawBuffer& from, std::size_t from_offset, std::size_t from_pitch, std::size_t offset,
                 std::size_t pitch, std::size_t rows, std::size_t width);
  void read(void* data, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage) const;
  void read_later(void* data, std::size_t count, std::size_t offset, cl::Event& event) const;
  void read_later(void* data, std::size_t count, Transfers& transfers, std::size_t offset, StageTimer* timer,
                  Stage stage) const;
  void read_beside(void* data, std::size_t count, Transfers& transfers, const cl::Event& done, StageTimer* timer,
                   Stage stage) const;
  void read_rows(void* data, std::size_t count, std::size_t width, std::size_t offset, std::size_t pitch) const;

 private:
  using Enqueue = std::function<void(cl::Event*)>;

  void swap(RawBuffer& other) noexcept;
  [[nodiscard]] const cl::CommandQueue& queue() const { return memory_->device().queue(); }
  // False where there is nothing to do.
  [[nodiscard]] bool check_range(std::size_t offset, std::size_t count) const;
  [[nodiscard]] bool check_rows(std::size_t count, std::size_t width, std::size_t offset, std::size_t pitch) const;
  // Drivers of GPUs transfer a rectangle row by row. So it goes in one piece to or from memory of its own, and is
  // copied on the device. None where that is not needed, or there is no room for it.
  [[nodiscard]] std::optional<RawBuffer> staging_of_rows(std::size_t count, std::size_t width) const;
  void command(StageTimer* timer, Stage stage, const Enqueue& enqueue) const;
  // As command(), for one that does not block.
  void command_later(Transfers& transfers, StageTimer* timer, Stage stage, const Enqueue& enqueue) const;

  std::shared_ptr<Memory> memory_;  // null after it was moved from
  std::string name_;
  std::size_t element_ = 1;  // bytes of one
  std::size_t size_ = 0;
};

}  // namespace oclide::opencl
