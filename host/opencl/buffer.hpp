// Device memory for an array of T that grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "opencl/device.hpp"
#include "opencl/transfers.hpp"

namespace oclide::opencl {

/// Its Device must outlive it. Commands go to the Device's queue, in order with the kernels.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// `name` stands in errors, such as "contacts".
  explicit Buffer(Device& device, std::string name = "buffer") : device_(&device), name_(std::move(name)) {}
  Buffer(Device& device, std::string name, std::size_t size) : Buffer(device, std::move(name)) { resize(size); }
  ~Buffer() { free(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Makes room for `count` elements. Keeps nothing where it has to grow: to what is needed, or by a 32nd where that is
  /// more; by twice that part each time that it has to again soon, up to half; where it is little by half at once.
  /// Throws Error(device) naming the bytes needed when the device has not enough, and is then empty.
  void reserve(std::size_t count) {
    if (count <= capacity_ && capacity_ > 0) {
      calls_since_growth_ += calls_since_growth_ < kSoon ? 1 : 0;
      return;
    }
    if (calls_since_growth_ == kSoon) growths_ = 0;
    const std::size_t part = bytes_ < kLittle ? 2 : kLeastPart >> growths_;
    const std::size_t more = capacity_ + capacity_ / part;
    const bool jumps = count > more;
    free();
    growths_ = jumps ? 0 : std::min(growths_ + 1, kMostGrowths);
    calls_since_growth_ = 0;
    if (!jumps && device_->fits(bytes_of(more))) count = more;
    const std::uint64_t bytes = std::max<std::uint64_t>(bytes_of(count), 16);
    memory_ = device_->allocate(name_, bytes);
    bytes_ = bytes;
    capacity_ = static_cast<std::size_t>(bytes / sizeof(T));
  }

  /// Sets the number of elements. What is in them is undefined where the buffer had to grow.
  void resize(std::size_t count) {
    reserve(count);
    size_ = count;
  }

  /// Gives the memory back; size() is 0 then.
  void free() {
    if (bytes_ > 0) device_->release(name_, bytes_);
    memory_ = cl::Buffer();
    bytes_ = 0;
    capacity_ = 0;
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t capacity_bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The memory for a kernel's argument; 16 bytes at least, also when size() is 0.
  [[nodiscard]] const cl::Buffer& get() const {
    if (bytes_ == 0) const_cast<Buffer*>(this)->reserve(0);
    return memory_;
  }

  /// Copies to elements [offset, offset + data.size()), which must be within size(). `data` may go when this returns.
  void upload(std::span<const T> data, std::size_t offset = 0, StageTimer* timer = nullptr,
              Stage stage = Stage::upload) {
    if (!check_range(offset, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      device_->queue().enqueueWriteBuffer(memory_, CL_TRUE, offset * sizeof(T), data.size_bytes(), data.data(), nullptr,
                                          event);
    });
  }

  /// upload() to the first elements that does not block.
  void upload_later(std::span<const T> data, Transfers& transfers, StageTimer* timer = nullptr,
                    Stage stage = Stage::upload) {
    if (!check_range(0, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      cl::Event own;
      device_->queue().enqueueWriteBuffer(memory_, CL_FALSE, 0, data.size_bytes(), data.data(), nullptr, &own);
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
      device_->queue().enqueueReadBuffer(memory_, CL_TRUE, offset * sizeof(T), data.size_bytes(), data.data(), nullptr,
                                         event);
    });
  }

  /// download() that does not block: `data` is whole when `event` is.
  void download_later(std::span<T> data, cl::Event& event) const {
    if (!check_range(0, data.size())) return;
    translate_errors(name_, device_->info().name, [&] {
      device_->queue().enqueueReadBuffer(memory_, CL_FALSE, 0, data.size_bytes(), data.data(), nullptr, &event);
    });
  }

  /// download() that does not block.
  void download_later(std::span<T> data, Transfers& transfers, std::size_t offset = 0, StageTimer* timer = nullptr,
                      Stage stage = Stage::download) const {
    if (!check_range(offset, data.size())) return;
    command(timer, stage, [&](cl::Event* event) {
      cl::Event own;
      device_->queue().enqueueReadBuffer(memory_, CL_FALSE, offset * sizeof(T), data.size_bytes(), data.data(), nullptr,
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
    if (count == std::numeric_limits<std::size_t>::max()) count = size_ - std::min(offset, size_);
    if (!check_range(offset, count)) return;
    command(timer, stage, [&](cl::Event* event) {
      device_->queue().enqueueFillBuffer(memory_, value, offset * sizeof(T), count * sizeof(T), nullptr, event);
    });
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(name_, other.name_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(capacity_, other.capacity_);
    std::swap(size_, other.size_);
    std::swap(growths_, other.growths_);
    std::swap(calls_since_growth_, other.calls_since_growth_);
  }

  static std::uint64_t bytes_of(std::size_t count) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / sizeof(T);
    return std::min<std::uint64_t>(count, most) * sizeof(T);
  }

  // False where there is nothing to do.
  [[nodiscard]] bool check_range(std::size_t offset, std::size_t count) const {
    if (count > size_ || offset > size_ - count)
      throw Error(ErrorKind::device, name_ + ": elements " + std::to_string(offset) + " to " +
                                         std::to_string(offset + count) + " of a buffer of " + std::to_string(size_));
    return count > 0;
  }

  template <class Enqueue>
  void command(StageTimer* timer, Stage stage, Enqueue&& enqueue) const {
    if (timer != nullptr && !timer->on()) timer = nullptr;
    translate_errors(name_, device_->info().name, [&] {
      cl::Event event;
      enqueue(timer != nullptr ? &event : nullptr);
      if (timer != nullptr) timer->record(stage, std::move(event));
    });
  }

  static constexpr std::uint64_t kLittle = std::uint64_t{1} << 18;  // [bytes]
  static constexpr int kMostGrowths = 4;
  static constexpr std::size_t kLeastPart = 2U << kMostGrowths;
  static constexpr int kSoon = 64;  // calls of reserve()

  Device* device_ = nullptr;
  std::string name_;
  cl::Buffer memory_;
  std::uint64_t bytes_ = 0;   // of memory_
  std::size_t capacity_ = 0;  // elements that memory_ holds
  std::size_t size_ = 0;
  int growths_ = 0;  // by a part of what there was, one soon after the other
  int calls_since_growth_ = 0;
};

}  // namespace oclide::opencl
