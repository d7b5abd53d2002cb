// Convex bodies against triangle meshes on a device, from the pairs of the broad phase to manifolds: candidates of a
// body and a triangle, their contacts, and those of them that stay. Kernels: kernels/broad_phase/mesh_candidates.cl,
// kernels/narrow_phase/<shape>_triangle_mesh.cl, kernels/contact_reduction/mesh_contacts.cl.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "broad_phase/body_pairs.hpp"
#include "contact_reduction/mesh_reduction.hpp"
#include "frame/frame_counts.hpp"
#include "frame/store_runs.hpp"
#include "opencl/host_array.hpp"
#include "opencl/lazy_kernel.hpp"
#include "primitives/exclusive_scan.hpp"

namespace oclide {

class MeshContacts {
 public:
  MeshContacts(opencl::Device& device, const DeviceScene& scene, float margin);

  /// Whether the scene has meshes.
  [[nodiscard]] bool has_meshes() const { return scene_.hulls.mesh_levels > 0; }

  /// Finds what stays of the contacts of those of `pairs` that have a mesh, and adds to `counts`. Blocking. Throws
  /// SliceTooLarge and Error(device) where memory is short.
  void find(const BodyPairs& pairs, FrameCounts& counts, opencl::StageTimer& timer);
  /// What find() found.
  [[nodiscard]] std::uint32_t contacts() const { return count_ > 0 ? reduction_.contacts() : 0; }
  [[nodiscard]] std::uint32_t manifolds() const { return count_ > 0 ? reduction_.manifolds() : 0; }
  /// Pairs that have any.
  [[nodiscard]] std::uint32_t touching() const { return count_ > 0 ? reduction_.touching() : 0; }
  /// Writes them: a result for each manifold to `results`, from the one after those of `pairs` on; the contacts to the
  /// first slots of `store`, in order.
  void write(const BodyPairs& pairs, opencl::Buffer<PairResult>& results, opencl::Buffer<PairContactRecord>& store,
             opencl::StageTimer& timer);
  /// After write(), of the contact in each slot of the store.
  [[nodiscard]] const opencl::Buffer<MeshTag>& tags() const { return tags_; }

  void free();

 private:
  // Sizes of what is found: items at the end of each level of the tree, of which the last are the candidates; contacts
  // before reduction; slots of the store that are taken. Of so many pairs.
  struct Sizes {
    std::uint32_t pairs = 0;
    std::vector<std::uint64_t> items{};
    std::uint64_t contacts = 0;
    std::uint32_t stored = 0;
  };

  [[nodiscard]] bool predict_room();
  [[nodiscard]] std::uint32_t store_room(std::uint32_t least) const;
  void launch_pairs(const BodyPairs& pairs, opencl::StageTimer& timer);
  void count_items(std::uint32_t step, opencl::StageTimer& timer);
  void write_items(std::uint32_t step, opencl::StageTimer& timer);
  void launch_contacts(const BodyPairs& pairs, opencl::StageTimer& timer);
  void order_contacts(opencl::StageTimer& timer);
  [[nodiscard]] MeshReduction::Found found() { return {count_, pairs_, first_candidate_, contact_offsets_, contacts_}; }
  [[nodiscard]] bool find_predicted(const BodyPairs& pairs, opencl::StageTimer& timer);
  void find_with_sizes_read(const BodyPairs& pairs, opencl::StageTimer& timer);

  opencl::Device& device_;
  const DeviceScene& scene_;
  float margin_;
  StoreRuns runs_;
  primitives::ExclusiveScan scan_;
  MeshReduction reduction_;
  opencl::LazyKernel pairs_kernel_, boxes_kernel_, items_kernel_, first_kernel_, order_kernel_, results_kernel_;
  std::vector<opencl::LazyKernel> kernels_;  // of the kinds of pairs that have a mesh

  std::uint32_t first_ = 0, count_ = 0;  // pairs with a mesh in their order
  Sizes room_;                           // that there is
  Sizes sizes_;                          // of the last frame
  opencl::Buffer<MeshPair> pairs_;
  std::array<opencl::Buffer<std::uint32_t>, 2> item_pairs_, item_entries_;  // of one level and the next
  std::size_t at_ = 0;                                                      // which of the two has those at hand
  std::vector<opencl::Buffer<std::uint64_t>> items_;                        // how many pairs, then items of each level
  opencl::Buffer<std::uint8_t> met_;  // bits: boxes of an item that meet the body's
  opencl::Buffer<std::uint32_t> counts_, offsets_, first_candidate_, stored_, store_candidates_, contact_offsets_;
  opencl::Buffer<ContactRecord> store_, contacts_;
  opencl::Buffer<std::uint64_t> contact_total_;
  opencl::Buffer<MeshTag> tags_;
  opencl::HostArray<std::uint64_t> sizes_host_;
  opencl::HostArray<std::uint32_t> stored_host_;
};

}  // namespace oclide
