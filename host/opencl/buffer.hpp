// Device memory for an array of T that grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opencl/device.hpp"
#include "opencl/memory.hpp"
#include "opencl/transfers.hpp"

namespace oclide::opencl {

/// Its Device must outlive it. Commands go to the Device's queue, in order with the kernels.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// `name` stands in errors, such as "contacts".
  explicit Buffer(Device& device, const std::string& name = "buffer")
      : Buffer(std::make_shared<Memory>(device, name), name) {}
  Buffer(Device& device, const std::string& name, std::size_t size) : Buffer(device, name) { resize(size); }
  /// In memory that it shares with others: what one writes there the others lose, and what one gives back or makes
  /// larger is gone for all.
  Buffer(std::shared_ptr<Memory> shared, std::string name) : memory_(std::move(shared)), name_(std::move(name)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Makes room for `count` elements, as Memory::reserve().
  void reserve(std::size_t count) { memory_->reserve(bytes_of(count)); }

  /// Sets the number of elements. What is in them is undefined where the buffer had to grow.
  void resize(std::size_t count) {
    reserve(count);
    size_ = count;
  }

  /// Sets the number of elements, which is not less than before; those that there are stay.
  void grow(std::size_t count) {
    if (count > capacity() && size() > 0) {
      Buffer larger(memory_->device(), name_, count);
      translate_errors(name_, device().info().name,
                       [&] { queue().enqueueCopyBuffer(memory_->get(), larger.get(), 0, 0, size() * sizeof(T)); });
      swap(larger);
    }
    resize(count);
  }

  /// Gives the memory back; size() is 0 then.
  void free() {
    memory_->free();
    size_ = 0;
  }

  /// 0 where it has lost its memory.
  [[nodiscard]] std::size_t size() const { return std::min(size_, capacity()); }
  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(capacity_bytes() / sizeof(T)); }
  [[nodiscard]] std::uint64_t capacity_bytes() const { return memory_->bytes(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The memory for a kernel's argument; 16 bytes at least, also when size() is 0.
  [[nodiscard]] const cl::Buffer& get() const {
    if (memory_->bytes() == 0) memory_->reserve(0);
    return memory_->get();
  }

  /// Copies to elements [offset, offset + data.size()), which must be within size(). `data` may go when this returns.
  void upload(std::span<const T> data, std::size_t offset = 0, StageTimer* timer = nullptr,
              Stage stage = Stage::upload) {
    if (!check_range(offset, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      queue().enqueueWriteBuffer(memory_->get(), CL_TRUE, offset * sizeof(T), data.size_bytes(), data.data(), nullptr,
                                 event);
    });
  }

  /// upload() of rows of `width` elements, the first one to elements from `offset` on, each next one `pitch` further.
  void upload_rows(std::span<const T> data, std::size_t width, std::size_t offset, std::size_t pitch) {
    if (!check_rows(data.size(), width, offset, pitch)) return;
    if (std::optional<Buffer> whole = staging_of_rows(data.size(), width)) {
      whole->upload(data);
      translate_errors(name_, device().info().name, [&] {
        queue().enqueueCopyBufferRect(whole->get(), memory_->get(), {0, 0, 0}, {offset * sizeof(T), 0, 0},
                                      {width * sizeof(T), data.size() / width, 1}, width * sizeof(T), 0,
                                      pitch * sizeof(T), 0);
      });
      return;
    }
    translate_errors(name_, device().info().name, [&] {
      queue().enqueueWriteBufferRect(memory_->get(), CL_TRUE, {offset * sizeof(T), 0, 0}, {0, 0, 0},
                                     {width * sizeof(T), data.size() / width, 1}, pitch * sizeof(T), 0,
                                     width * sizeof(T), 0, data.data());
    });
  }

  /// upload() to the first elements that does not block.
  void upload_later(std::span<const T> data, Transfers& transfers, StageTimer* timer = nullptr,
                    Stage stage = Stage::upload) {
    if (!check_range(0, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      cl::Event own;
      queue().enqueueWriteBuffer(memory_->get(), CL_FALSE, 0, data.size_bytes(), data.data(), nullptr, &own);
      if (event != nullptr) *event = own;
      transfers.add(std::move(own));
    });
  }

  /// resize() and upload() of the whole.
  void assign(std::span<const T> data, StageTimer* timer = nullptr, Stage stage = Stage::upload) {
    resize(data.size());
    upload(data, 0, timer, stage);
  }

  /// Copies elements [offset, offset + data.size()) to host memory. Blocking.
  void download(std::span<T> data, std::size_t offset = 0, StageTimer* timer = nullptr,
                Stage stage = Stage::download) const {
    if (!check_range(offset, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      queue().enqueueReadBuffer(memory_->get(), CL_TRUE, offset * sizeof(T), data.size_bytes(), data.data(), nullptr,
                                event);
    });
  }

  /// download() of rows, as upload_rows().
  void download_rows(std::span<T> data, std::size_t width, std::size_t offset, std::size_t pitch) const {
    if (!check_rows(data.size(), width, offset, pitch)) return;
    if (std::optional<Buffer> whole = staging_of_rows(data.size(), width)) {
      translate_errors(name_, device().info().name, [&] {
        queue().enqueueCopyBufferRect(memory_->get(), whole->get(), {offset * sizeof(T), 0, 0}, {0, 0, 0},
                                      {width * sizeof(T), data.size() / width, 1}, pitch * sizeof(T), 0,
                                      width * sizeof(T), 0);
      });
      whole->download(data);
      return;
    }
    translate_errors(name_, device().info().name, [&] {
      queue().enqueueReadBufferRect(memory_->get(), CL_TRUE, {offset * sizeof(T), 0, 0}, {0, 0, 0},
                                    {width * sizeof(T), data.size() / width, 1}, pitch * sizeof(T), 0,
                                    width * sizeof(T), 0, data.data());
    });
  }

  /// download() that does not block: `data` is whole when `event` is.
  void download_later(std::span<T> data, cl::Event& event) const {
    if (!check_range(0, data.size())) return;
    translate_errors(name_, device().info().name, [&] {
      queue().enqueueReadBuffer(memory_->get(), CL_FALSE, 0, data.size_bytes(), data.data(), nullptr, &event);
    });
  }

  /// download() that does not block.
  void download_later(std::span<T> data, Transfers& transfers, std::size_t offset = 0, StageTimer* timer = nullptr,
                      Stage stage = Stage::download) const {
    if (!check_range(offset, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      cl::Event own;
      queue().enqueueReadBuffer(memory_->get(), CL_FALSE, offset * sizeof(T), data.size_bytes(), data.data(), nullptr,
                                &own);
      if (event != nullptr) *event = own;
      transfers.add(std::move(own));
    });
  }

  /// download() that does not block, beside the commands that come after `done`: on the queue for transfers, once that
  /// one is. The elements stay as they are until `data` is whole.
  void download_beside(std::span<T> data, Transfers& transfers, const cl::Event& done, StageTimer* timer = nullptr,
                       Stage stage = Stage::download) const {
    if (!check_range(0, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      const std::vector<cl::Event> after{done};
      cl::Event own;
      device().transfer_queue().enqueueReadBuffer(memory_->get(), CL_FALSE, 0, data.size_bytes(), data.data(), &after,
                                                  &own);
      if (event != nullptr) *event = own;
      transfers.add(std::move(own));
    });
  }

  /// One element. Blocking.
  [[nodiscard]] T read_one(std::size_t index, StageTimer* timer = nullptr, Stage stage = Stage::download) const {
    T value{};
    download(std::span<T>(&value, 1), index, timer, stage);
    return value;
  }

  /// Sets `count` elements from `offset` on, or all from there on. Does not block.
  void fill(const T& value, std::size_t offset = 0, std::size_t count = std::numeric_limits<std::size_t>::max(),
            StageTimer* timer = nullptr, Stage stage = Stage::upload) {
    static_assert(sizeof(T) <= 128 && (sizeof(T) & (sizeof(T) - 1)) == 0, "OpenCL fills with a power of two of bytes");
    if (count == std::numeric_limits<std::size_t>::max()) count = size() - std::min(offset, size());
    if (!check_range(offset, count)) return;
    command(timer, stage, [&](cl::Event* event) {
      queue().enqueueFillBuffer(memory_->get(), value, offset * sizeof(T), count * sizeof(T), nullptr, event);
    });
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(name_, other.name_);
    std::swap(size_, other.size_);
  }

  [[nodiscard]] const Device& device() const { return memory_->device(); }
  [[nodiscard]] const cl::CommandQueue& queue() const { return device().queue(); }

  static std::uint64_t bytes_of(std::size_t count) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / sizeof(T);
    return std::min<std::uint64_t>(count, most) * sizeof(T);
  }

  // False where there is nothing to do.
  [[nodiscard]] bool check_range(std::size_t offset, std::size_t count) const {
    if (count > size() || offset > size() - count)
      throw Error(ErrorKind::device, name_ + ": elements " + std::to_string(offset) + " to " +
                                         std::to_string(offset + count) + " of a buffer of " + std::to_string(size()));
    return count > 0;
  }

  [[nodiscard]] bool check_rows(std::size_t count, std::size_t width, std::size_t offset, std::size_t pitch) const {
    return count > 0 && check_range(offset, (count / width - 1) * pitch + width);
  }

  // Drivers of GPUs transfer a rectangle row by row. So it goes in one piece to or from memory of its own, and is
  // copied on the device. None where that is not needed, or there is no room for it.
  [[nodiscard]] std::optional<Buffer> staging_of_rows(std::size_t count, std::size_t width) const {
    if (!device().info().is_gpu || count == width) return std::nullopt;
    try {
      return Buffer(memory_->device(), name_ + ", part", count);
    } catch (const OutOfDeviceMemory&) {
      return std::nullopt;
    }
  }

  template <class Enqueue>
  void command(StageTimer* timer, Stage stage, Enqueue&& enqueue) const {
    if (timer != nullptr && !timer->on()) timer = nullptr;
    translate_errors(name_, device().info().name, [&] {
      cl::Event event;
      enqueue(timer != nullptr ? &event : nullptr);
      if (timer != nullptr) timer->record(stage, std::move(event));
    });
  }

  std::shared_ptr<Memory> memory_;  // null after it was moved from
  std::string name_;
  std::size_t size_ = 0;
};

}  // namespace oclide::opencl
