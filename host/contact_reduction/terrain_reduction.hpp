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
  std::uint64_t chunks = 0, candidates = 0, contacts = 0, kept = 0;
};

class TerrainReduction {
 public:
  TerrainReduction(opencl::Device& device, const DeviceScene& scene, TerrainCandidates& candidates,
                   TerrainNarrowPhase& narrow, primitives::ExclusiveScan& scan);

  /// Reduces the contacts of these slots where they lie, `capacity` of all at most, and finds where they go.
  void launch(const SlotRange& range, std::uint32_t capacity, opencl::StageTimer& timer);
  /// What is left, without gaps, if there is capacity for it.
  void launch_gather(const SlotRange& range, std::uint32_t capacity, opencl::StageTimer& timer);
  [[nodiscard]] std::uint32_t read_kept(opencl::StageTimer& timer) const;
  void begin_readback_of_kept(std::uint64_t& kept, opencl::Transfers& transfers, opencl::StageTimer& timer) const;

  /// Both for all slots of a small frame, with outcomes; or a fused kernel for few slots, that has the steps before
  /// them in it from the narrow phase on. Each step has room for what `capacity` says.
  void launch_small(const SlotList& slots, const TerrainSizes& capacity, opencl::StageTimer& timer);
  void launch_fused(const SlotList& slots, const TerrainSizes& capacity, std::uint32_t stored,
                    opencl::StageTimer& timer);

  /// Begins to read what is left, `kept` contacts at most, to the end of a list.
  void begin_readback(std::uint32_t slots, std::uint32_t kept, TerrainContactList& to, opencl::Transfers& transfers,
                      opencl::StageTimer& timer);
  /// The same beside the commands that come: these may not change what is read until it has come.
  void begin_readback_beside(std::uint32_t slots, std::uint32_t kept, TerrainContactList& to,
                             opencl::Transfers& transfers, opencl::StageTimer& timer);
  /// After that: says whose they are. The contacts before reduction.
  [[nodiscard]] std::uint64_t finish_readback(const SlotRange& range, TerrainContactList& to) const;
  /// The same with outcomes, after launch_small() or launch_fused().
  void begin_readback_of_outcomes(std::uint32_t slots, std::uint32_t kept, TerrainContactList& to,
                                  opencl::Transfers& transfers, opencl::StageTimer& timer);
  /// What all slots came to, at the end of the outcomes.
  [[nodiscard]] TerrainSizes sizes() const;
  void finish_readback_of_outcomes(const SlotRange& range, TerrainContactList& to, FrameCounts& counts);

  /// Contacts that there is room for on the device as it is.
  [[nodiscard]] std::size_t capacity() const { return gathered_.capacity(); }
  [[nodiscard]] TerrainContactsOnDevice on_device(const SlotList& slots, std::uint32_t contacts) const;

  /// Gives back what slots of a range take, or all.
  void free_slice();
  void free();

 private:
  [[nodiscard]] cl_uint many_contacts() const;
  void resize(std::uint32_t slots);
  void resize_host(std::uint32_t slots);

  opencl::Device& device_;
  const DeviceScene& scene_;
  TerrainCandidates& candidates_;
  TerrainNarrowPhase& narrow_;
  primitives::ExclusiveScan& scan_;
  cl::Kernel reduction_kernel_, many_contacts_kernel_, gather_kernel_, gather_small_kernel_, fused_kernel_;
  opencl::Buffer<std::uint32_t> kept_, kept_offsets_, manifolds_, unreduced_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::Buffer<ContactRecord> gathered_;
  opencl::Buffer<SlotOutcome> outcomes_;
  opencl::HostArray<std::uint32_t> kept_offsets_host_, manifolds_host_, unreduced_host_;
  opencl::HostArray<SlotOutcome> outcomes_host_;
};

}  // namespace oclide
