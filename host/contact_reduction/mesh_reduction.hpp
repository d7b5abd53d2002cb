// Contact reduction of bodies and meshes: of all contacts of a pair those that stay. Kernels:
// kernels/contact_reduction/mesh_contacts.cl, and many_mesh_contacts.cl for pairs with many contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "opencl/buffer.hpp"
#include "opencl/host_array.hpp"
#include "opencl/lazy_kernel.hpp"
#include "primitives/exclusive_scan.hpp"
#include "primitives/radix_sort.hpp"
#include "shared/abi.h"

namespace oclide {

class MeshReduction {
 public:
  static constexpr cl_uint kContactsOfOne = 256;  ///< of a pair: more are reduced by all work-items together

  /// `hulls`: hulls and meshes, which outlive it. `group_size`: work-items a group; 0 for what suits the device.
  MeshReduction(opencl::Device& device, const opencl::Buffer<std::uint32_t>& hulls,
                cl_uint contacts_of_one = kContactsOfOne, std::size_t group_size = 0);

  /// The contacts of `count` pairs, in the order of their candidates: those of pair k begin at
  /// offsets[first_candidate[k]].
  struct Found {
    std::uint32_t count;
    const opencl::Buffer<MeshPair>& pairs;
    const opencl::Buffer<std::uint32_t>&first_candidate, &offsets;
    opencl::Buffer<ContactRecord>& contacts;
  };

  /// Begins to bring those that stay to the front of their pair's. Where contacts are more than found.contacts has room
  /// for, nothing comes of it. Does not block. Throws Error(device) where memory is short.
  void begin(const Found& found, opencl::Transfers& transfers, opencl::StageTimer& timer);
  /// After these transfers: the pairs with many contacts, where there are any. Blocking. Throws SliceTooLarge where
  /// sums go beyond 32 bits.
  void finish(const Found& found, opencl::StageTimer& timer);
  /// What was found, rests among it.
  [[nodiscard]] std::uint32_t contacts() const { return contacts_; }
  [[nodiscard]] std::uint32_t manifolds() const { return manifolds_; }
  /// Pairs that have any.
  [[nodiscard]] std::uint32_t touching() const { return found_host_[0]; }
  /// A pair's rest, whose manifold is MESH_NONE where there is none; prefix sums of the pairs' contacts and manifolds.
  [[nodiscard]] const opencl::Buffer<ContactRecord>& rests() const { return rests_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& kept_offsets() const { return kept_offsets_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& manifold_offsets() const { return manifold_offsets_; }

  void free();

 private:
  void sum(std::uint32_t pairs, opencl::Transfers& transfers, opencl::StageTimer& timer);
  void reduce_many(const Found& found, opencl::StageTimer& timer);
  void sort_many(const Found& found, std::uint32_t contacts, opencl::StageTimer& timer);

  opencl::Device& device_;
  const opencl::Buffer<std::uint32_t>& hulls_;
  cl_uint contacts_of_one_;
  std::size_t group_size_;
  primitives::ExclusiveScan scan_;
  primitives::RadixSort sort_;
  opencl::LazyKernel reduce_kernel_;
  // For pairs with many contacts, by what they do.
  struct ManyKernels {
    explicit ManyKernels(opencl::Device& device);
    opencl::LazyKernel keys, ties, gather, openers, members, parts, drop, drop_last, left, choose, store, rests, search,
        finish;
  } many_kernels_;

  std::uint32_t contacts_ = 0, manifolds_ = 0;
  opencl::Buffer<ContactRecord> rests_;
  opencl::Buffer<std::uint32_t> kept_, kept_offsets_, manifold_counts_, manifold_offsets_, found_;
  opencl::Buffer<std::uint64_t> kept_total_, manifold_total_, total_;
  opencl::HostArray<std::uint32_t> found_host_;  // pairs that touch; those with many contacts
  opencl::HostArray<std::uint64_t> totals_host_;
  // Of pairs with many contacts; a number a contact, or 4.
  opencl::Buffer<std::uint32_t> many_, many_offsets_, keys_, order_, openers_, opens_, ranks_, left_, heads_, next_,
      chosen_, sizes_, firsts_, fates_, next_fates_, sizes_before_, searches_, found_rests_;
  opencl::Buffer<ContactRecord> sorted_;
  opencl::Buffer<cl_float4> ways_, middles_;
};

}  // namespace oclide
