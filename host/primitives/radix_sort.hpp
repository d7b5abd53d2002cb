// Stable sort of keys with values. Kernels: kernels/primitives/radix_sort.cl and exclusive_scan.cl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "primitives/exclusive_scan.hpp"

namespace oclide::primitives {

/// Least significant digit first. Deterministic. Does not block. Used from one thread at a time.
class RadixSort {
 public:
  /// `group_size`: work-items a group, a power of two; 0 for what suits the device.
  explicit RadixSort(opencl::Device& device, std::size_t group_size = 0);
  /// Keys and values that are on their way lie in this memory, which others may use when the sort is done.
  RadixSort(opencl::Device& device, const std::shared_ptr<opencl::Memory>& keys,
            const std::shared_ptr<opencl::Memory>& values, std::size_t group_size = 0);

  /// Sorts the first n keys by their lowest `key_bits` bits, ascending, and the values with them; what is equal in
  /// these bits keeps its order. n < 2^32.
  void run_u32(opencl::Buffer<std::uint32_t>& keys, opencl::Buffer<std::uint32_t>& values, std::size_t n,
               unsigned key_bits, opencl::Stage stage, opencl::StageTimer* timer = nullptr);
  void run_u64(opencl::Buffer<std::uint64_t>& keys, opencl::Buffer<std::uint32_t>& values, std::size_t n,
               unsigned key_bits, opencl::Stage stage, opencl::StageTimer* timer = nullptr);
  /// Gives back the memory of its own.
  void free();

 private:
  struct Kernels {
    cl::Kernel count, scatter;
  };
  Kernels load(const char* key_type);
  template <class Key>
  void run(Kernels& kernels, opencl::Buffer<Key>& keys, opencl::Buffer<std::uint32_t>& values,
           opencl::Buffer<Key>& other_keys, std::size_t n, unsigned key_bits, opencl::Stage stage,
           opencl::StageTimer* timer);

  opencl::Device* device_;
  ExclusiveScan scan_;
  Chunks chunks_;
  Kernels u32_, u64_;
  opencl::Buffer<std::uint32_t> other_keys_u32_;  // passes go to and fro
  opencl::Buffer<std::uint64_t> other_keys_u64_;
  opencl::Buffer<std::uint32_t> other_values_;
  opencl::Buffer<std::uint32_t> counts_, offsets_;  // [digit * chunks + chunk]
  opencl::Buffer<std::uint64_t> total_;
};

}  // namespace oclide::primitives
