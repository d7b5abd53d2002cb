// Touching pairs by body_a, then body_b, with their contacts. Kernels: kernels/contact_reduction/pair_order.cl.
#pragma once

#include <algorithm>

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

  /// How many there are, or that there is room for: pairs looked at, results of others behind theirs, slots of the
  /// store, touching pairs and their contacts, pairs of crowded bodies (0: not known).
  struct Sizes {
    std::uint32_t pairs = 0, others = 0, stored = 0, touching = 0, contacts = 0, crowd = 0;
  };
  /// Orders the touching ones of pairs of a scene of `bodies` bodies; in two steps. Throws Error(device) where memory
  /// is short.
  ///
  /// begin() counts those of each body. Of `size` it needs pairs, others and slots alone. Then `pairs` has, on the
  /// device, how many bodies are crowded: have more than many(). touching() is known after `transfers`, where these are
  /// given.
  void begin(const PairContacts& found, BodyPairs& pairs, const Sizes& size, std::uint32_t bodies,
             opencl::Transfers* transfers, opencl::StageTimer& timer);
  [[nodiscard]] std::uint32_t touching() const { return static_cast<std::uint32_t>(touching_count_[0]); }
  /// Brings them in order. `tags`: of the first contacts in the store of `found`, those with meshes, whose pairs stand
  /// once for each manifold; null in a scene without meshes. Where some body may be `crowded` its pairs are sorted too,
  /// blocking where it is not known how many; else nothing is in order where one is.
  void run(const PairContacts& found, BodyPairs& pairs, const Sizes& size, std::uint32_t bodies,
           const opencl::Buffer<MeshTag>* tags, bool crowded, opencl::StageTimer& timer);
  /// What there is room for on the device as it is.
  [[nodiscard]] std::size_t capacity() const {
    return std::min(std::max<std::size_t>(ordered_.capacity(), RESULT_HEAD) - RESULT_HEAD, contact_counts_.capacity());
  }
  [[nodiscard]] std::size_t contact_capacity() const { return contacts_.capacity(); }
  /// Pairs of crowded bodies that the last run() made room for.
  [[nodiscard]] std::uint32_t crowd() const { return static_cast<std::uint32_t>(crowd_.size()); }
  /// To be called where there was room for all that run() found.
  void confirm() { is_used_up_ = true; }

  /// In order, behind RESULT_HEAD; `first` counts among contacts().
  [[nodiscard]] const opencl::Buffer<PairResult>& pairs() const { return ordered_; }
  [[nodiscard]] opencl::Buffer<PairResult>& pairs() { return ordered_; }
  [[nodiscard]] const opencl::Buffer<PairContactRecord>& contacts() const { return contacts_; }
  /// Of contacts(), where run() had tags.
  [[nodiscard]] const opencl::Buffer<MeshTag>& tags() const { return tags_; }
  /// Where the pairs of each body_a begin, and their number.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& offsets() const { return offsets_; }

  void free();

 private:
  void order_crowd(BodyPairs& pairs, const Sizes& size, std::uint32_t crowd, std::uint32_t bodies, bool has_meshes,
                   opencl::StageTimer& timer);

  opencl::Device& device_;
  primitives::ExclusiveScan scan_;
  primitives::RadixSort sort_;
  cl::Kernel touching_kernel_, bucket_kernel_, sort_kernel_, gather_kernel_, tags_kernel_, take_kernel_, store_kernel_;
  bool is_used_up_ = false;                          // touching_: all of it is zero
  opencl::HostArray<std::uint64_t> touching_count_;  // one
  opencl::Buffer<std::uint32_t> touching_, offsets_, contact_counts_, contact_offsets_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::Buffer<PairResult> ordered_;
  opencl::Buffer<PairContactRecord> contacts_;
  opencl::Buffer<MeshTag> tags_;

  // Where bodies have many pairs each.
  opencl::Buffer<std::uint32_t> crowd_offsets_;
  opencl::Buffer<std::uint64_t> crowd_keys_;
  opencl::Buffer<std::uint32_t> crowd_indices_;
  opencl::Buffer<PairResult> crowd_;
};

}  // namespace oclide
