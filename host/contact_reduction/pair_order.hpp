// Touching pairs by body_a, then body_b, with their contacts. Kernels: kernels/contact_reduction/pair_order.cl.
#pragma once

#include <array>

#include "narrow_phase/pair_contacts.hpp"
#include "opencl/buffer.hpp"
#include "opencl/host_array.hpp"
#include "primitives/exclusive_scan.hpp"
#include "primitives/radix_sort.hpp"
#include "shared/abi.h"

namespace oclide {

class PairOrder {
 public:
  explicit PairOrder(opencl::Device& device);
  /// Pairs of a body that one work-item sorts at most: what a GPU does in a millisecond, and a CPU in a tenth of one.
  [[nodiscard]] static cl_uint many(const DeviceInfo& device) { return device.is_gpu ? 128 : 1024; }

  /// Orders the touching ones of `count` pairs of a scene of `bodies` bodies. Throws Error(device) where memory is
  /// short.
  ///
  /// In two steps: begin(), after whose `transfers` run().
  void begin(const PairContacts& found, std::uint32_t count, std::uint32_t bodies, opencl::Transfers& transfers,
             opencl::StageTimer& timer);
  /// `tags`: of the first contacts in the store of `found`, those with meshes, whose pairs stand once for each
  /// manifold; null in a scene without meshes.
  void run(const PairContacts& found, std::uint32_t count, std::uint32_t contact_count, std::uint32_t bodies,
           const opencl::Buffer<MeshTag>* tags, opencl::StageTimer& timer);
  /// In order; `first` counts among contacts().
  [[nodiscard]] const opencl::Buffer<PairResult>& pairs() const { return ordered_; }
  [[nodiscard]] const opencl::Buffer<PairContactRecord>& contacts() const { return contacts_; }
  /// Of contacts(), where run() had tags.
  [[nodiscard]] const opencl::Buffer<MeshTag>& tags() const { return tags_; }
  /// Where the pairs of each body_a begin, and their number.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& offsets() const { return offsets_; }

  void free();

 private:
  void sort_crowd(std::uint32_t touching, std::uint32_t bodies, bool has_meshes, opencl::StageTimer& timer);

  opencl::Device& device_;
  primitives::ExclusiveScan scan_;
  primitives::RadixSort sort_;
  cl::Kernel touching_kernel_, bucket_kernel_, sort_kernel_, gather_kernel_, tags_kernel_;
  opencl::Buffer<std::uint32_t> touching_, offsets_, contact_counts_, contact_offsets_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::HostArray<std::uint64_t> touching_count_;  // one
  opencl::HostArray<std::uint32_t> has_crowd_;       // one
  opencl::Buffer<PairResult> ordered_;
  opencl::Buffer<PairContactRecord> contacts_;
  opencl::Buffer<MeshTag> tags_;

  // Where bodies have many pairs each.
  std::array<cl::Kernel, 4> crowd_kernels_;
  opencl::Buffer<std::uint32_t> crowd_offsets_;
  opencl::Buffer<std::uint64_t> crowd_keys_;
  opencl::Buffer<std::uint32_t> crowd_indices_;
  opencl::Buffer<PairResult> crowd_;
};

}  // namespace oclide
