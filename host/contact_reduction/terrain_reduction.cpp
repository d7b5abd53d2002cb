#include "contact_reduction/terrain_reduction.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr Stage kReductionStage = Stage::contact_reduction;
constexpr cl_uint kManyContacts = 64;     // of a slot: more are reduced by a work-group, where bodies are large
constexpr std::size_t kManyGroups = 256;  // work-groups at most that share the bodies with many

}  // namespace

TerrainReduction::TerrainReduction(opencl::Device& device, const DeviceScene& scene, TerrainCandidates& candidates,
                                   TerrainNarrowPhase& narrow, primitives::ExclusiveScan& scan)
    : device_(device),
      scene_(scene),
      candidates_(candidates),
      narrow_(narrow),
      scan_(scan),
      reduction_kernel_(device.kernel("contact_reduction/body_contacts", "contact_reduction_body_contacts")),
      many_contacts_kernel_(device.kernel("contact_reduction/body_contacts", "contact_reduction_many_contacts")),
      gather_kernel_(device.kernel("contact_reduction/gather", "contact_reduction_gather")),
      gather_small_kernel_(device.kernel("contact_reduction/gather", "contact_reduction_gather_small")),
      fused_kernel_(device.kernel("contact_reduction/body_contacts", "contact_reduction_small_frame")),
      kept_(device, "reduced counts"),
      kept_offsets_(device, "reduced offsets"),
      manifolds_(device, "manifold counts"),
      unreduced_(device, "unreduced counts"),
      total_(device, "total of kept contacts"),
      gathered_(device, "reduced contacts"),
      outcomes_(device, "outcomes of slots"),
      kept_offsets_host_(device),
      manifolds_host_(device),
      unreduced_host_(device),
      outcomes_host_(device) {}

// Contacts of a slot that one work-item reduces at most.
cl_uint TerrainReduction::many_contacts() const {
  return scene_.on_terrain.has_large_bodies() ? kManyContacts : std::numeric_limits<cl_uint>::max();
}

void TerrainReduction::resize(std::uint32_t slots) {
  kept_.resize(slots);
  manifolds_.resize(slots);
  unreduced_.resize(slots);
}

void TerrainReduction::launch(const SlotRange& range, std::uint32_t capacity, StageTimer& timer) {
  const std::uint32_t slots = range.size();
  resize(slots);
  const auto launch = [&](cl::Kernel& kernel, std::size_t items, std::size_t group) {
    opencl::launch(device_, kernel, &timer, kReductionStage, items, group, range.first, slots, range.slots.records,
                   candidates_.grid_poses(), scene_.hulls.words, candidates_.first(), narrow_.contact_offsets(),
                   capacity, many_contacts(), narrow_.contacts(), kept_, manifolds_, unreduced_);
  };
  launch(reduction_kernel_, slots, kGroup);
  if (scene_.on_terrain.has_large_bodies()) {
    const std::size_t group = device_.lone_group_size(many_contacts_kernel_, kGroup);
    launch(many_contacts_kernel_, group * std::min<std::size_t>(slots, kManyGroups), group);
  }
  scan_.run_u32(kept_, kept_offsets_, slots, total_, kReductionStage, &timer);
}

void TerrainReduction::launch_gather(const SlotRange& range, std::uint32_t capacity, StageTimer& timer) {
  gathered_.resize(capacity);
  opencl::launch(device_, gather_kernel_, &timer, kReductionStage, range.size(), kGroup, range.first, range.size(),
                 candidates_.first(), narrow_.contact_offsets(), narrow_.contacts(), kept_offsets_, capacity,
                 gathered_);
}

std::uint32_t TerrainReduction::read_kept(StageTimer& timer) const {
  return static_cast<std::uint32_t>(total_.read_one(0, &timer, kReductionStage));
}

void TerrainReduction::begin_readback_of_kept(std::uint64_t& kept, opencl::Transfers& transfers,
                                              StageTimer& timer) const {
  total_.download_later(std::span(&kept, 1), transfers, 0, &timer, kReductionStage);
}

void TerrainReduction::launch_small(const SlotList& slots, const TerrainSizes& capacity, StageTimer& timer) {
  const auto kept = static_cast<cl_uint>(capacity.kept);
  launch(SlotRange(slots), static_cast<std::uint32_t>(capacity.contacts), timer);
  gathered_.resize(kept);
  outcomes_.resize(std::size_t{slots.size()} + 1);
  opencl::launch(device_, gather_small_kernel_, &timer, kReductionStage, std::size_t{slots.size()} + 1, kGroup,
                 slots.size(), static_cast<cl_uint>(capacity.chunks), candidates_.site_offsets(),
                 candidates_.chunk_offsets(), candidates_.first(), narrow_.contact_offsets(), kept_offsets_, manifolds_,
                 unreduced_, narrow_.contacts(), kept, gathered_, outcomes_);
}

void TerrainReduction::launch_fused(const SlotList& slots, const TerrainSizes& capacity, std::uint32_t stored,
                                    StageTimer& timer) {
  const auto chunks = static_cast<cl_uint>(capacity.chunks), candidates = static_cast<cl_uint>(capacity.candidates);
  const auto contacts = static_cast<cl_uint>(capacity.contacts), kept = static_cast<cl_uint>(capacity.kept);
  narrow_.resize(candidates, contacts);
  resize(slots.size());
  kept_offsets_.resize(std::size_t{slots.size()} + 1);
  gathered_.resize(kept);
  outcomes_.resize(std::size_t{slots.size()} + 1);
  const std::size_t group = device_.lone_group_size(fused_kernel_, kGroup);
  opencl::launch(device_, fused_kernel_, &timer, kReductionStage, group, group, slots.size(), chunks, candidates,
                 stored, contacts, kept, many_contacts(), slots.records, candidates_.grid_poses(), scene_.hulls.words,
                 candidates_.site_offsets(), candidates_.chunk_offsets(), candidates_.first(),
                 candidates_.contact_counts(), narrow_.contact_offsets(), candidates_.stored(), narrow_.store(),
                 narrow_.store_candidates(), narrow_.contacts(), kept_, kept_offsets_, manifolds_, unreduced_,
                 gathered_, outcomes_);
}

void TerrainReduction::resize_host(std::uint32_t slots) {
  kept_offsets_host_.resize(std::size_t{slots} + 1);
  manifolds_host_.resize(slots);
  unreduced_host_.resize(slots);
}

void TerrainReduction::begin_readback(std::uint32_t slots, std::uint32_t kept, TerrainContactList& to,
                                      opencl::Transfers& transfers, StageTimer& timer) {
  resize_host(slots);
  KeptRecords<ContactRecord>::Array& records = to.records().add(kept);
  kept_offsets_.download_later(kept_offsets_host_, transfers, 0, &timer);
  manifolds_.download_later(manifolds_host_, transfers, 0, &timer);
  unreduced_.download_later(unreduced_host_, transfers, 0, &timer);
  gathered_.download_later(records, transfers, 0, &timer);
}

void TerrainReduction::begin_readback_beside(std::uint32_t slots, std::uint32_t kept, TerrainContactList& to,
                                             opencl::Transfers& transfers, StageTimer& timer) {
  resize_host(slots);
  KeptRecords<ContactRecord>::Array& records = to.records().add(kept);
  const cl::Event done = device_.mark();
  kept_offsets_.download_beside(kept_offsets_host_, transfers, done, &timer);
  manifolds_.download_beside(manifolds_host_, transfers, done, &timer);
  unreduced_.download_beside(unreduced_host_, transfers, done, &timer);
  gathered_.download_beside(records, transfers, done, &timer);
  device_.flush_transfers();
}

std::uint64_t TerrainReduction::finish_readback(const SlotRange& range, TerrainContactList& to) const {
  to.assign(range.bodies(), kept_offsets_host_, manifolds_host_);
  const auto sum_of = [&](const auto& part, std::uint64_t sum) {
    return std::accumulate(part.begin(), part.end(), sum);
  };
  return tbb::parallel_reduce(
      tbb::blocked_range<const std::uint32_t*>(unreduced_host_.begin(), unreduced_host_.end(), std::size_t{1} << 16),
      std::uint64_t{0}, sum_of, std::plus<>());
}

void TerrainReduction::begin_readback_of_outcomes(std::uint32_t slots, std::uint32_t kept, TerrainContactList& to,
                                                  opencl::Transfers& transfers, StageTimer& timer) {
  outcomes_host_.resize(std::size_t{slots} + 1);
  outcomes_.download_later(outcomes_host_, transfers, 0, &timer);
  gathered_.download_later(to.records().add(kept), transfers, 0, &timer);
}

TerrainSizes TerrainReduction::sizes() const {
  const SlotOutcome& all = outcomes_host_.back();
  return {TerrainCandidates::chunks_of(all.sites), all.candidates, all.found, all.first};
}

void TerrainReduction::finish_readback_of_outcomes(const SlotRange& range, TerrainContactList& to,
                                                   FrameCounts& counts) {
  kept_offsets_host_.resize(outcomes_host_.size());
  manifolds_host_.resize(outcomes_host_.size());
  for (std::size_t k = 0; k < outcomes_host_.size(); ++k) {
    const SlotOutcome& slot = outcomes_host_[k];
    kept_offsets_host_[k] = slot.first;
    manifolds_host_[k] = slot.manifolds;
    counts.unreduced += slot.unreduced;
  }
  to.assign(range.bodies(), kept_offsets_host_, manifolds_host_);
}

TerrainContactsOnDevice TerrainReduction::on_device(const SlotList& slots, std::uint32_t contacts) const {
  return {slots.size(), contacts, &kept_offsets_, &manifolds_, &gathered_, &slots.records};
}

void TerrainReduction::free_slice() {
  for (auto* buffer : {&kept_, &kept_offsets_, &manifolds_, &unreduced_}) buffer->free();
  gathered_.free();
  outcomes_.free();
}

void TerrainReduction::free() {
  free_slice();
  total_.free();
}

}  // namespace oclide
