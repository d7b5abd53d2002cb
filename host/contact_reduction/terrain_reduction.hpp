// Contact reduction of bodies on terrain: what is kept of the contacts of each slot, without gaps, and its way to the
// host. Kernels: kernels/contact_reduction/body_contacts.cl, gather.cl.
#pragma once

#include <cstdint>

#include "contacts/contacts_on_device.hpp"
#include "contacts/terrain_contact_list.hpp"
#include "frame/frame_counts.hpp"
#include "narrow_phase/terrain_narrow_phase.hpp"
#include "opencl/host_array.hpp"

namespace oclide {

/// What slots come to, step by step; or what there is room for.
struct TerrainSizes {
  std::uint64_t chunks = 0, candidates = 0, contacts = 0, kept = 0, stored = 0;
  TerrainNarrowPhase::OfShapes of_shapes{};  ///< candidates
};

class TerrainReduction {
 public:
  TerrainReduction(opencl::Device& device, const DeviceScene& scene, TerrainCandidates& candidates,
                   TerrainNarrowPhase& narrow, primitives::ExclusiveScan& scan);

  /// Reduces the contacts of these slots where they lie, `capacity` of all at most, and finds where they go.
  void launch(const SlotRange& range, std::uint32_t capacity, opencl::StageTimer& timer);
  /// What is left, without gaps, if there is capacity for it, and what came of all. The sites of the slots were looked
  /// at in so many chunks.
  void launch_gather(const SlotRange& range, std::uint32_t chunks, std::uint32_t capacity, opencl::StageTimer& timer);
  /// A fused kernel for few slots, that has both and the steps before them in it from the narrow phase on. Each step
  /// has room for what `capacity` says, the narrow phase for `stored` contacts.
  void launch_fused(const SlotList& slots, const TerrainSizes& capacity, std::uint32_t stored,
                    opencl::StageTimer& timer);
  /// The contacts that are left, after launch(). Blocking.
  [[nodiscard]] std::uint32_t read_kept(opencl::StageTimer& timer) const;

  /// Begins to read what came of all; and of each slot, with what is left, `kept` contacts at most, to the end of a
  /// list. `beside`: on the queue for transfers, beside the commands that come.
  void begin_readback(std::uint32_t slots, opencl::Transfers& transfers, opencl::StageTimer& timer);
  void begin_readback(std::uint32_t slots, std::uint32_t kept, bool beside, TerrainContactList& to,
                      opencl::Transfers& transfers, opencl::StageTimer& timer);
  /// After either: what all came to.
  [[nodiscard]] TerrainSizes sizes() const;
  /// After the second one: says whose the contacts are. Those before reduction.
  [[nodiscard]] std::uint64_t finish_readback(const SlotRange& range, TerrainContactList& to) const;

  /// Contacts that there is room for on the device as it is.
  [[nodiscard]] std::size_t capacity() const { return gathered_.capacity(); }
  [[nodiscard]] TerrainContactsOnDevice on_device(const SlotList& slots, std::uint32_t contacts) const;

  /// Gives back what slots of a range take, or all.
  void free_slice();
  void free();

 private:
  [[nodiscard]] cl_uint many_contacts() const;
  void resize(std::uint32_t slots);

  opencl::Device& device_;
  const DeviceScene& scene_;
  TerrainCandidates& candidates_;
  TerrainNarrowPhase& narrow_;
  primitives::ExclusiveScan& scan_;
  cl::Kernel reduction_kernel_, many_contacts_kernel_, gather_kernel_, fused_kernel_;
  opencl::Buffer<std::uint32_t> kept_, outcomes_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::Buffer<ContactRecord> gathered_;
  opencl::HostArray<std::uint32_t> outcomes_host_;  // the end of outcomes_, or all
};

}  // namespace oclide
