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
  [[nodiscard]] std::uint32_t find_candidates(const BodyPairs& pairs, opencl::StageTimer& timer);
  [[nodiscard]] std::uint32_t find_contacts(const BodyPairs& pairs, std::uint32_t candidates,
                                            opencl::StageTimer& timer);

  opencl::Device& device_;
  const DeviceScene& scene_;
  float margin_;
  StoreRuns runs_;
  primitives::ExclusiveScan scan_;
  MeshReduction reduction_;
  opencl::LazyKernel pairs_kernel_, boxes_kernel_, items_kernel_, first_kernel_, order_kernel_, results_kernel_;
  std::vector<opencl::LazyKernel> kernels_;  // of the kinds of pairs that have a mesh

  std::uint32_t first_ = 0, count_ = 0;  // pairs with a mesh in their order
  opencl::Buffer<MeshPair> pairs_;
  std::array<opencl::Buffer<std::uint32_t>, 2> item_pairs_, item_entries_;  // of one level and the next
  std::size_t at_ = 0;                                                      // which of the two has the candidates
  opencl::Buffer<std::uint32_t> counts_, offsets_, first_candidate_, stored_, store_candidates_, contact_offsets_;
  opencl::Buffer<ContactRecord> store_, contacts_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::Buffer<MeshTag> tags_;
};

}  // namespace oclide
