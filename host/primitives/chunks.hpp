// How a primitive splits n elements among work-groups.
#pragma once

#include <cstddef>

#include "opencl/device.hpp"

namespace oclide::primitives {

/// One work-group walks one chunk. 1 work-item a group suits CPUs: no barriers, long runs through memory.
class Chunks {
 public:
  static constexpr std::size_t kGroupsAUnit = 8;  // work-groups for each compute unit of a GPU

  /// `group_size`: work-items a group, a power of two; 0 for what suits the device.
  Chunks(const opencl::Device& device, std::size_t group_size, std::size_t groups_a_unit = kGroupsAUnit);
  /// For a device that is not open: as on one whose work-groups may have up to `most_group_size` work-items.
  Chunks(const DeviceInfo& device, std::size_t most_group_size, std::size_t group_size,
         std::size_t groups_a_unit = kGroupsAUnit);

  /// Work-items a group.
  [[nodiscard]] std::size_t group_size() const { return group_size_; }
  /// What the names of the kernels for such groups end with, and the option that compiles these alone.
  [[nodiscard]] const char* kernel_suffix() const { return group_size_ == 1 ? "_serial" : "_group"; }
  [[nodiscard]] const char* kernel_option() const { return group_size_ == 1 ? " -DSERIAL=1" : " -DSERIAL=0"; }
  /// For a kernel of its own limits.
  void limit_group_size(std::size_t most);

  /// Elements in each chunk but the last, a multiple of what a group takes at a time.
  [[nodiscard]] std::size_t length(std::size_t n) const;
  /// Number of chunks, bounded for any n; 0 for n = 0.
  [[nodiscard]] std::size_t count(std::size_t n) const;
  /// For any n.
  [[nodiscard]] std::size_t most() const { return most_chunks_; }

 private:
  std::size_t group_size_ = 1;
  std::size_t most_chunks_ = 1;
};

}  // namespace oclide::primitives
