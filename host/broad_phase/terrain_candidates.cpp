#include "broad_phase/terrain_candidates.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr std::size_t kChunksOfItem = 8;  // at most, on a CPU

// Tests hold what is culled against looking at all sites of each range and all their features.
std::string site_options() {
  const char* value = std::getenv("OCLIDE_LOOK_AT_ALL");
  return value != nullptr && std::string_view(value) == "1" ? "-DOCLIDE_LOOK_AT_ALL" : "";
}

}  // namespace

TerrainCandidates::TerrainCandidates(opencl::Device& device, const DeviceScene& scene, float margin,
                                     const WorkMemory& work, primitives::ExclusiveScan& scan)
    : device_(device),
      scene_(scene),
      margin_(margin),
      chunk_runs_(device.info(), 1, kChunksOfItem),
      scan_(scan),
      range_kernel_(device, "broad_phase/terrain_range", "broad_phase_terrain_range", site_options()),
      sites_kernel_(device, "broad_phase/terrain_candidates", "broad_phase_terrain_sites", site_options()),
      candidates_kernel_(device, "broad_phase/terrain_candidates", "broad_phase_terrain_candidates"),
      fused_kernel_(device, "broad_phase/terrain_candidates", "broad_phase_small_candidates"),
      grid_poses_(work.first, "grid poses"),
      site_counts_(device, "site counts"),
      site_offsets_(device, "site offsets"),
      total_(device, "total"),
      site_features_(device, "site features"),
      kept_in_chunk_(device, "chunk counts"),
      chunk_offsets_(device, "chunk offsets"),
      candidate_slots_(device, "candidate bodies"),
      candidate_sites_(device, "candidate sites"),
      first_candidate_(device, "candidate offsets"),
      contact_counts_(device, "contact counts"),
      stored_(device, "stored contacts"),
      bounds_host_(device) {
  bounds_host_.resize(kTerrainShapes.size() + 1);
}

void TerrainCandidates::launch_ranges(const SlotList& slots, const DevicePoses& poses, StageTimer& timer) {
  const TerrainBuffers& terrain = scene_.terrain;
  slot_count_ = slots.size();
  grid_poses_.resize(slot_count_);
  site_counts_.resize(slot_count_);
  const std::uint32_t of_item = device_.info().is_gpu ? 1 : RANGE_BODIES;
  opencl::launch(device_, range_kernel_, &timer, Stage::broad_phase, (slot_count_ + of_item - 1) / of_item,
                 chunk_runs_.group(), slot_count_, slots.records, poses.records, terrain.records(), terrain.heights(),
                 terrain.cell_flags(), terrain.bounds(), scene_.hulls.words, margin_, scene_.bodies.margins_of_bodies(),
                 grid_poses_, site_counts_);
  scan_.run_u64(site_counts_, site_offsets_, slot_count_, total_, Stage::broad_phase, &timer);
}

std::uint64_t TerrainCandidates::read_sites(StageTimer& timer) {
  site_offsets_host_.clear();
  sites_ = total_.read_one(0, &timer, Stage::broad_phase);
  return sites_;
}

std::uint64_t TerrainCandidates::sites_before(std::uint32_t slot) {
  if (slot == 0) return 0;
  if (slot == slot_count_) return sites_;
  if (site_offsets_host_.empty()) {
    site_offsets_host_.resize(std::size_t{slot_count_} + 1);
    site_offsets_.download(site_offsets_host_);
  }
  return site_offsets_host_[slot];
}

// Features in reach of each site, and how many sites of each chunk have any.
void TerrainCandidates::launch_sites(const SlotRange& range, std::uint32_t chunks, StageTimer& timer) {
  const TerrainBuffers& terrain = scene_.terrain;
  site_features_.resize(std::size_t{chunks} * CHUNK_SITES);
  kept_in_chunk_.resize(chunks);
  if (chunks == 0) return;
  const std::size_t group = device_.lone_group_size(sites_kernel_.get(), CHUNK_SITES);
  const std::size_t items = device_.info().is_gpu ? chunks * group : chunk_runs_.items(chunks);
  opencl::launch(device_, sites_kernel_, &timer, Stage::broad_phase, items, group, range.first, range.last, chunks,
                 site_offsets_, range.slots.records, grid_poses_, terrain.records(), terrain.heights(),
                 terrain.heights_low(), terrain.cell_flags(), terrain.material(), terrain.bounds(), scene_.hulls.words,
                 site_features_, kept_in_chunk_);
}

void TerrainCandidates::launch_scan(std::uint32_t chunks, StageTimer& timer) {
  scan_.run_u32(kept_in_chunk_, chunk_offsets_, chunks, total_, Stage::broad_phase, &timer);
}

void TerrainCandidates::resize(const SlotList& slots, std::uint32_t capacity) {
  candidate_slots_.resize(capacity);
  candidate_sites_.resize(capacity);
  first_candidate_.resize(std::size_t{slots.size()} + 1);
  contact_counts_.resize(capacity);
  stored_.resize(1);
}

void TerrainCandidates::launch_candidates(const SlotRange& range, std::uint32_t chunks, std::uint32_t capacity,
                                          StageTimer& timer) {
  resize(range.slots, capacity);
  // On a GPU a work-item a site and a body.
  const std::size_t items = device_.info().is_gpu
                                ? std::max<std::size_t>(std::size_t{chunks} * CHUNK_SITES, range.last - range.first + 1)
                                : chunk_runs_.items(chunks);
  opencl::launch(device_, candidates_kernel_, &timer, Stage::broad_phase, items, chunk_runs_.group(), range.first,
                 range.last, chunks, site_offsets_, site_features_, chunk_offsets_, capacity, candidate_slots_,
                 candidate_sites_, first_candidate_, contact_counts_, stored_);
}

std::uint32_t TerrainCandidates::find(const SlotRange& range, std::uint64_t sites, StageTimer& timer) {
  const std::uint32_t chunks = checked(chunks_of(sites), "chunks of sites");
  launch_sites(range, chunks, timer);
  launch_scan(chunks, timer);
  const std::uint32_t candidates = checked(total_.read_one(0, &timer, Stage::broad_phase), "candidates");
  launch_candidates(range, chunks, candidates, timer);
  return candidates;
}

void TerrainCandidates::launch(const SlotRange& range, std::uint32_t chunks, std::uint32_t capacity,
                               StageTimer& timer) {
  launch_sites(range, chunks, timer);
  launch_scan(chunks, timer);
  launch_candidates(range, chunks, capacity, timer);
}

void TerrainCandidates::launch_fused(const SlotList& slots, std::uint32_t chunks, std::uint32_t capacity,
                                     StageTimer& timer) {
  launch_sites(SlotRange(slots), chunks, timer);
  resize(slots, capacity);
  chunk_offsets_.resize(std::size_t{chunks} + 1);
  const std::size_t group = device_.lone_group_size(fused_kernel_.get(), kGroup);
  opencl::launch(device_, fused_kernel_, &timer, Stage::broad_phase, group, group, slots.size(), chunks, site_offsets_,
                 site_features_, kept_in_chunk_, chunk_offsets_, capacity, candidate_slots_, candidate_sites_,
                 first_candidate_, contact_counts_, stored_);
}

// Candidates of each shape: its slots are a range, and so are they.
TerrainCandidates::Bounds TerrainCandidates::read_bounds(const SlotRange& range, std::uint32_t candidates,
                                                         StageTimer& timer) {
  std::fill(bounds_host_.begin(), bounds_host_.end(), 0U);
  bounds_host_[kTerrainShapes.size()] = candidates;
  opencl::Transfers transfers;
  for (std::size_t s = 1; s < kTerrainShapes.size(); ++s) {
    const std::uint32_t slot = std::clamp(range.slots.shape_begin[s], range.first, range.last);
    if (slot == range.last)
      bounds_host_[s] = candidates;
    else if (slot != range.first)
      first_candidate_.download_later(std::span(&bounds_host_[s], 1), transfers, slot, &timer, Stage::broad_phase);
  }
  transfers.wait();
  Bounds bounds{};
  std::copy(bounds_host_.begin(), bounds_host_.end(), bounds.begin());
  return bounds;
}

std::size_t TerrainCandidates::chunk_capacity() const {
  return std::min({site_features_.capacity() / CHUNK_SITES, kept_in_chunk_.capacity(),
                   std::max<std::size_t>(chunk_offsets_.capacity(), 1) - 1});
}

std::size_t TerrainCandidates::capacity() const {
  return std::min(candidate_slots_.capacity(), candidate_sites_.capacity());
}

void TerrainCandidates::free_slice() {
  site_features_.free();
  for (auto* buffer : {&kept_in_chunk_, &chunk_offsets_, &candidate_slots_, &candidate_sites_, &first_candidate_,
                       &contact_counts_, &stored_})
    buffer->free();
}

void TerrainCandidates::free() {
  free_slice();
  grid_poses_.free();
  site_counts_.free();
  site_offsets_.free();
  total_.free();
}

}  // namespace oclide
