// Exclusive prefix sum on the device. Kernels: kernels/primitives/exclusive_scan.cl.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "primitives/chunks.hpp"
#include "shared/limits.h"

namespace oclide::primitives {

/// out[i] = in[0] + ... + in[i-1] for i = 0 .. n: the last of the n + 1 entries is the sum of all. Deterministic. Does
/// not block. Used from one thread at a time.
class ExclusiveScan {
 public:
  template <class Sum>
  struct Array {
    const opencl::Buffer<std::uint32_t>& in;
    opencl::Buffer<Sum>& out;
  };

  /// Work-groups for each compute unit of a GPU: each looks at what all before it say.
  static constexpr std::size_t kGroupsAUnit = 2;
  /// In which the groups of a GPU say it, of any number of elements.
  static std::size_t words(const Chunks& chunks) { return chunks.most() * SCAN_WORDS; }

  /// `group_size`: work-items a group, a power of two; 0 for what suits the device. `options`: of the kernels.
  explicit ExclusiveScan(opencl::Device& device, std::size_t group_size = 0, std::string options = {});

  /// Reads in[0 .. n-1]; sizes out to n + 1 and total to 1. out wraps at 2^32; total does not, so that the caller can
  /// see whether it did. `in` is not `out`.
  void run_u32(const opencl::Buffer<std::uint32_t>& in, opencl::Buffer<std::uint32_t>& out, std::size_t n,
               opencl::Buffer<std::uint64_t>& total, opencl::Stage stage, opencl::StageTimer* timer = nullptr);
  /// Two arrays of the same length in the launches of one; sizes totals to 2.
  void run_u32(const std::array<Array<std::uint32_t>, 2>& arrays, std::size_t n, opencl::Buffer<std::uint64_t>& totals,
               opencl::Stage stage, opencl::StageTimer* timer = nullptr);
  /// The same of one with sums of 64 bits.
  void run_u64(const opencl::Buffer<std::uint32_t>& in, opencl::Buffer<std::uint64_t>& out, std::size_t n,
               opencl::Buffer<std::uint64_t>& total, opencl::Stage stage, opencl::StageTimer* timer = nullptr);
  /// Gives back the memory of its own.
  void free() {
    sums_.free();
    words_.free();
  }

 private:
  struct Kernels {
    cl::Kernel sums, chunks;  // on a GPU the one alone
  };
  Kernels load(const char* sum_type);
  std::uint32_t next_run(std::size_t arrays, opencl::Stage stage, opencl::StageTimer* timer);
  template <class Sum>
  void run(Kernels& kernels, std::span<const Array<Sum>> arrays, std::size_t n, opencl::Buffer<std::uint64_t>& total,
           opencl::Stage stage, opencl::StageTimer* timer);

  opencl::Device* device_;
  Chunks chunks_;
  std::string options_;
  Kernels u32_, u64_;
  opencl::Buffer<std::uint64_t> sums_;   // one a chunk
  opencl::Buffer<std::uint32_t> words_;  // on a GPU: what its groups say to each other
  std::uint32_t run_ = 0;                // the number of the last run that they have been for
};

}  // namespace oclide::primitives
