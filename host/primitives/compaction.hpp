// The indices of set flags. Kernels: kernels/primitives/compaction.cl and exclusive_scan.cl.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives/exclusive_scan.hpp"

namespace oclide::primitives {

/// Deterministic. Does not block. Used from one thread at a time.
class Compaction {
 public:
  /// `group_size`: work-items a group, a power of two; 0 for what suits the device.
  explicit Compaction(opencl::Device& device, std::size_t group_size = 0);

  /// Writes the i < n with flags[i] = 1, ascending, into indices, whose size becomes n, and their number into
  /// count[0], whose size becomes 1. Each flag is 0 or 1; n < 2^32.
  void run(const opencl::Buffer<std::uint32_t>& flags, opencl::Buffer<std::uint32_t>& indices, std::size_t n,
           opencl::Buffer<std::uint64_t>& count, opencl::Stage stage, opencl::StageTimer* timer = nullptr);

 private:
  opencl::Device* device_;
  ExclusiveScan scan_;
  cl::Kernel scatter_;
  std::size_t group_size_;
  opencl::Buffer<std::uint32_t> offsets_;
};

}  // namespace oclide::primitives
