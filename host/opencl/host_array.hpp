// Host memory for an array of T that goes to a device or comes from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "opencl/cl.hpp"

namespace oclide::opencl {

class Device;

/// A piece of host memory that grows. On a GPU it is page-locked where the driver gives such memory: the device copies
/// from and to it by itself, at the full speed of the bus. Elsewhere it is ordinary memory.
class HostMemory {
 public:
  /// Ordinary memory.
  HostMemory() = default;
  /// Page-locked memory if `device`, which must outlive it, is a GPU.
  explicit HostMemory(const Device& device);
  ~HostMemory() { free(); }
  HostMemory(HostMemory&& other) noexcept { swap(other); }
  HostMemory& operator=(HostMemory&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Makes it `bytes` large at least. Keeps nothing where it has to grow: to an eighth more than that, as page-locked
  /// memory takes long to get. Throws std::bad_alloc.
  void reserve(std::uint64_t bytes);
  /// Gives it back. No command may be at work on it.
  void free() noexcept;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Whether it is page-locked where the driver gives such memory; and whether what it has is.
  [[nodiscard]] bool may_be_pinned() const { return device_ != nullptr; }
  [[nodiscard]] bool is_pinned() const { return pinned_() != nullptr; }

 private:
  void swap(HostMemory& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(pinned_, other.pinned_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  [[nodiscard]] bool reserve_pinned(std::uint64_t bytes);

  const Device* device_ = nullptr;  // where it is to be page-locked
  cl::Buffer pinned_;               // mapped at data_
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

template <class T>
class HostArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  /// As the constructors of HostMemory.
  HostArray() = default;
  explicit HostArray(const Device& device) : memory_(device) {}
  HostArray(HostArray&& other) noexcept { swap(other); }
  HostArray& operator=(HostArray&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Sets the number of elements. What is in them is undefined where it had to grow.
  void resize(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    memory_.reserve(count * sizeof(T));
    size_ = count;
  }
  void free() noexcept {
    memory_.free();
    size_ = 0;
  }

  [[nodiscard]] T* data() { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(memory_.bytes() / sizeof(T)); }
  [[nodiscard]] bool may_be_pinned() const { return memory_.may_be_pinned(); }
  [[nodiscard]] bool is_pinned() const { return memory_.is_pinned(); }
  [[nodiscard]] T& operator[](std::size_t k) { return data()[k]; }
  [[nodiscard]] const T& operator[](std::size_t k) const { return data()[k]; }
  [[nodiscard]] const T& back() const { return data()[size_ - 1]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }

 private:
  void swap(HostArray& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
  }

  HostMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace oclide::opencl
