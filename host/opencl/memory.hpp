// A piece of device memory that grows: that of one Buffer, or of several that are never in use at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "opencl/device.hpp"

namespace oclide::opencl {

/// Its Device must outlive it.
class Memory {
 public:
  /// `name` stands in errors and in Collider::device_memory().
  Memory(Device& device, std::string name) : device_(&device), name_(std::move(name)) {}
  ~Memory() { free(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Makes it `bytes` large at least, and 16. Keeps nothing where it has to grow: to what is needed, or by a 32nd where
  /// that is more; by twice that part each time that it has to again soon, up to half; where it is little by half at
  /// once. Throws Error(device) naming the bytes needed when the device has not enough, and is then empty.
  void reserve(std::uint64_t bytes) {
    if (bytes <= bytes_ && bytes_ > 0) {
      calls_since_growth_ += calls_since_growth_ < kSoon ? 1 : 0;
      return;
    }
    if (calls_since_growth_ == kSoon) growths_ = 0;
    const std::uint64_t part = bytes_ < kLittle ? 2 : kLeastPart >> growths_;
    const std::uint64_t more = bytes_ + bytes_ / part;
    const bool jumps = bytes > more;
    free();
    growths_ = jumps ? 0 : std::min(growths_ + 1, kMostGrowths);
    calls_since_growth_ = 0;
    if (!jumps && device_->fits(more)) bytes = more;
    bytes = std::max(bytes, kSmallest);
    memory_ = device_->allocate(name_, bytes);
    bytes_ = bytes;
  }

  /// Gives it back.
  void free() {
    if (bytes_ > 0) device_->release(name_, bytes_);
    const cl::Buffer gone = std::move(memory_);  // which ignores errors, as of a lost device
    bytes_ = 0;
  }

  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const cl::Buffer& get() const { return memory_; }

 private:
  static constexpr std::uint64_t kSmallest = 16;                    // [bytes]
  static constexpr std::uint64_t kLittle = std::uint64_t{1} << 18;  // [bytes]
  static constexpr int kMostGrowths = 4;
  static constexpr std::uint64_t kLeastPart = 2U << kMostGrowths;
  static constexpr int kSoon = 64;  // calls of reserve()

  Device* device_;
  std::string name_;
  cl::Buffer memory_;
  std::uint64_t bytes_ = 0;
  int growths_ = 0;  // by a part of what there was, one soon after the other
  int calls_since_growth_ = 0;
};

}  // namespace oclide::opencl
