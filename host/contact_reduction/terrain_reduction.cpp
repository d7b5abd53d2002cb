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

std::size_t outcomes_of(std::size_t slots) {
  return OUTCOME_TOTALS(slots) + TOTALS_END;
}

cl_uint8 shape_begin(const SlotList& slots) {
  static_assert(kTerrainShapes.size() == TERRAIN_SHAPES && TERRAIN_SHAPES < 8);
  cl_uint8 begin{};
  std::copy(slots.shape_begin.begin(), slots.shape_begin.end(), begin.s);
  return begin;
}

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
      fused_kernel_(device.kernel("contact_reduction/body_contacts", "contact_reduction_small_frame")),
      kept_(device, "reduced counts"),
      outcomes_(device, "outcomes of slots"),
      total_(device, "total of kept contacts"),
      gathered_(device, "reduced contacts"),
      outcomes_host_(device) {}

// Contacts of a slot that one work-item reduces at most.
cl_uint TerrainReduction::many_contacts() const {
  return scene_.on_terrain.has_large_bodies() ? kManyContacts : std::numeric_limits<cl_uint>::max();
}

void TerrainReduction::resize(std::uint32_t slots) {
  kept_.resize(slots);
  outcomes_.resize(outcomes_of(slots));
}

void TerrainReduction::launch(const SlotRange& range, std::uint32_t capacity, StageTimer& timer) {
  const std::uint32_t slots = range.size();
  resize(slots);
  const auto launch = [&](cl::Kernel& kernel, std::size_t items, std::size_t group) {
    opencl::launch(device_, kernel, &timer, kReductionStage, items, group, range.first, slots, range.slots.records,
                   candidates_.grid_poses(), scene_.hulls.words, candidates_.first(), narrow_.contact_offsets(),
                   capacity, many_contacts(), narrow_.contacts(), kept_, outcomes_);
  };
  launch(reduction_kernel_, slots,
         device_.info().is_gpu ? device_.work_group_size(reduction_kernel_, SLOT_GROUP) : kGroup);
  if (scene_.on_terrain.has_large_bodies()) {
    const std::size_t group = device_.lone_group_size(many_contacts_kernel_, kGroup);
    launch(many_contacts_kernel_, group * std::min<std::size_t>(slots, kManyGroups), group);
  }
  scan_.run_u32(kept_, outcomes_, slots, total_, kReductionStage, &timer);
  resize(slots);  // the scan has left them as long as what it writes
}

void TerrainReduction::launch_gather(const SlotRange& range, std::uint32_t chunks, std::uint32_t capacity,
                                     StageTimer& timer) {
  gathered_.resize(capacity);
  opencl::launch(device_, gather_kernel_, &timer, kReductionStage, std::size_t{range.size()} + 1, kGroup, range.first,
                 range.size(), shape_begin(range.slots), chunks, candidates_.site_offsets(),
                 candidates_.chunk_offsets(), candidates_.first(), narrow_.contact_offsets(), candidates_.stored(),
                 narrow_.contacts(), capacity, gathered_, outcomes_);
}

std::uint32_t TerrainReduction::read_kept(StageTimer& timer) const {
  return static_cast<std::uint32_t>(total_.read_one(0, &timer, kReductionStage));
}

void TerrainReduction::launch_fused(const SlotList& slots, const TerrainSizes& capacity, std::uint32_t stored,
                                    StageTimer& timer) {
  const auto chunks = static_cast<cl_uint>(capacity.chunks), candidates = static_cast<cl_uint>(capacity.candidates);
  const auto contacts = static_cast<cl_uint>(capacity.contacts), kept = static_cast<cl_uint>(capacity.kept);
  narrow_.resize(candidates, contacts);
  resize(slots.size());
  gathered_.resize(kept);
  const std::size_t group = device_.lone_group_size(fused_kernel_, kGroup);
  opencl::launch(device_, fused_kernel_, &timer, kReductionStage, group, group, slots.size(), shape_begin(slots),
                 chunks, candidates, stored, contacts, kept, many_contacts(), slots.records, candidates_.grid_poses(),
                 scene_.hulls.words, candidates_.site_offsets(), candidates_.chunk_offsets(), candidates_.first(),
                 candidates_.contact_counts(), narrow_.contact_offsets(), candidates_.stored(), narrow_.store(),
                 narrow_.store_candidates(), narrow_.contacts(), kept_, gathered_, outcomes_);
}

void TerrainReduction::begin_readback(std::uint32_t slots, opencl::Transfers& transfers, StageTimer& timer) {
  outcomes_host_.resize(TOTALS_END);
  outcomes_.download_later(outcomes_host_, transfers, OUTCOME_TOTALS(slots), &timer);
}

void TerrainReduction::begin_readback(std::uint32_t slots, std::uint32_t kept, bool beside, TerrainContactList& to,
                                      opencl::Transfers& transfers, StageTimer& timer) {
  outcomes_host_.resize(outcomes_of(slots));
  KeptRecords<ContactRecord>::Array& records = to.records().add(kept);
  if (beside) {
    const cl::Event done = device_.mark();
    outcomes_.download_beside(outcomes_host_, transfers, done, &timer);
    gathered_.download_beside(records, transfers, done, &timer);
    device_.flush_transfers();
  } else {
    outcomes_.download_later(outcomes_host_, transfers, 0, &timer);
    gathered_.download_later(records, transfers, 0, &timer);
  }
}

TerrainSizes TerrainReduction::sizes() const {
  const std::uint32_t* const totals = outcomes_host_.end() - TOTALS_END;
  const std::uint64_t sites = std::uint64_t{totals[TOTAL_SITES + 1]} << 32 | totals[TOTAL_SITES];
  TerrainSizes sizes{TerrainCandidates::chunks_of(sites), totals[TOTAL_CANDIDATES], totals[TOTAL_FOUND],
                     totals[TOTAL_KEPT], totals[TOTAL_STORED]};
  std::copy_n(totals + TOTAL_OF_SHAPES, sizes.of_shapes.size(), sizes.of_shapes.begin());
  return sizes;
}

std::uint64_t TerrainReduction::finish_readback(const SlotRange& range, TerrainContactList& to) const {
  const std::uint32_t slots = range.size();
  const std::span<const std::uint32_t> outcomes(outcomes_host_.begin(), outcomes_host_.end());
  to.assign(range.bodies(), outcomes, outcomes.subspan(OUTCOME_MANIFOLDS(slots)));
  const auto sum_of = [&](const auto& part, std::uint64_t sum) {
    return std::accumulate(part.begin(), part.end(), sum);
  };
  const std::uint32_t* const unreduced = outcomes.data() + OUTCOME_UNREDUCED(slots);
  return tbb::parallel_reduce(
      tbb::blocked_range<const std::uint32_t*>(unreduced, unreduced + slots, std::size_t{1} << 16), std::uint64_t{0},
      sum_of, std::plus<>());
}

TerrainContactsOnDevice TerrainReduction::on_device(const SlotList& slots, std::uint32_t contacts) const {
  return {slots.size(), contacts, &outcomes_, &gathered_, &slots.records};
}

void TerrainReduction::free_slice() {
  kept_.free();
  outcomes_.free();
  gathered_.free();
}

void TerrainReduction::free() {
  free_slice();
  total_.free();
}

}  // namespace oclide
