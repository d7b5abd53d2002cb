#include "narrow_phase/terrain_narrow_phase.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "frame/slice.hpp"
#include "opencl/kernel_programs.hpp"

namespace oclide {

using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr double kShare = 0.125;  // contacts a candidate, fewer than there are, for StoreRuns

}  // namespace

TerrainNarrowPhase::TerrainNarrowPhase(opencl::Device& device, const DeviceScene& scene, const WorkMemory& work,
                                       TerrainCandidates& candidates, primitives::ExclusiveScan& scan)
    : device_(device),
      scene_(scene),
      runs_(device.info(), kShare),
      candidates_(candidates),
      scan_(scan),
      falling_(device, ""),
      alternating_(device, opencl::kAlternatingGround),
      order_kernel_(device.kernel("narrow_phase/contact_order", "narrow_phase_contact_order")),
      contact_offsets_(device, "contact offsets"),
      store_candidates_(device, "candidates of contacts"),
      total_(device, "total"),
      store_(work.second, "contacts as found"),
      contacts_(device, "contacts"),
      claims_(device, "claims on terrain") {}

TerrainNarrowPhase::Kernels::Kernels(opencl::Device& device, std::string_view options)
    : fused(device, "narrow_phase/fused_terrain", "narrow_phase_fused_terrain", std::string(options)),
      claims(device, "narrow_phase/claims_on_terrain", "narrow_phase_claims_on_terrain", std::string(options)) {
  for (const Shape shape : kTerrainShapes) {
    const std::string stem = std::string(find_shape(shape)->name) + "_terrain";
    of_shapes.emplace_back(device, "narrow_phase/" + stem, "narrow_phase_" + stem, std::string(options));
  }
}

TerrainNarrowPhase::Kernels& TerrainNarrowPhase::kernels() {
  return scene_.terrain.has_rising_cells() ? alternating_ : falling_;
}

// Puts the fused kernel in the place of those of symmetric shapes, where they are several. A GPU has no fused kernel:
// see pair_contacts.cpp.
void TerrainNarrowPhase::fuse(Parts& parts, std::uint32_t candidates) {
  const auto is_other = [&](const Part& part) { return part.kernel >= &kernels().of_shapes[kSymmetricShapes]; };
  const auto others = std::find_if(parts.begin(), parts.end(), is_other);
  if (device_.info().is_gpu || others - parts.begin() < 2 || candidates > kFusedCandidates) return;
  const Part fused{&kernels().fused, parts.front().first_slot, std::prev(others)->last_slot, candidates};
  parts.erase(parts.begin(), others);
  parts.insert(parts.begin(), fused);
}

TerrainNarrowPhase::Parts TerrainNarrowPhase::parts_of(const SlotRange& range,
                                                       const TerrainCandidates::Bounds& bounds) {
  Parts parts;
  std::vector<opencl::LazyKernel>& of_shapes = kernels().of_shapes;
  const auto slot = [&](std::size_t s) { return std::clamp(range.slots.shape_begin[s], range.first, range.last); };
  for (std::size_t s = 0; s < kTerrainShapes.size(); ++s)
    if (bounds[s + 1] > bounds[s]) parts.push_back({&of_shapes[s], slot(s), slot(s + 1), bounds[s + 1] - bounds[s]});
  fuse(parts, bounds.back());
  return parts;
}

TerrainNarrowPhase::Parts TerrainNarrowPhase::parts_with_capacity(const SlotList& slots, const OfShapes& of_shapes) {
  Parts parts;
  std::vector<opencl::LazyKernel>& kernels_of_shapes = kernels().of_shapes;
  std::uint64_t candidates = 0;
  for (std::size_t s = 0; s < kTerrainShapes.size(); ++s) {
    if (slots.shape_begin[s + 1] == slots.shape_begin[s]) continue;
    candidates += of_shapes[s];
    parts.push_back({&kernels_of_shapes[s], slots.shape_begin[s], slots.shape_begin[s + 1],
                     static_cast<std::uint32_t>(of_shapes[s])});
  }
  if (candidates <= kFusedCandidates) fuse(parts, static_cast<std::uint32_t>(candidates));
  return parts;
}

std::uint32_t TerrainNarrowPhase::store_capacity(std::uint32_t least) const {
  return std::max(static_cast<std::uint32_t>(std::min(store_.capacity(), store_candidates_.capacity())), least);
}

std::uint64_t TerrainNarrowPhase::most_stored(const Parts& parts, std::uint64_t contacts) const {
  std::uint64_t stored = contacts;
  for (const Part& part : parts) stored += runs_.items(part.candidates) * (runs_.block(part.candidates) - 1);
  return stored;
}

void TerrainNarrowPhase::launch(const SlotList& slots, const Parts& parts, std::uint32_t candidates,
                                std::uint32_t capacity, StageTimer& timer) {
  const TerrainBuffers& terrain = scene_.terrain;
  const bool is_gpu = device_.info().is_gpu;
  store_.resize(capacity);
  store_candidates_.resize(capacity);
  const auto launch = [&](opencl::LazyKernel& kernel, std::size_t items, const auto&... others) {
    if (items == 0) return;
    const std::size_t group = is_gpu ? device_.work_group_size(kernel.get(), TERRAIN_GROUP) : runs_.group();
    opencl::launch(device_, kernel, &timer, Stage::narrow_phase, items, group, slots.records, candidates_.grid_poses(),
                   terrain.records(), terrain.heights(), terrain.heights_low(), terrain.cell_flags(),
                   terrain.material(), terrain.bounds(), terrain.faces(), terrain.face_names(), scene_.hulls.words,
                   others...);
  };
  const auto launch_part = [&](const Part& part, const auto&... claims) {
    launch(*part.kernel, runs_.items(part.candidates), part.first_slot, part.last_slot, runs_.block(part.candidates),
           candidates_.first(), candidates_.slots(), candidates_.sites(), candidates_.contact_counts(), capacity,
           candidates_.stored(), store_candidates_, store_, claims...);
  };
  if (!is_gpu) {
    for (const Part& part : parts) launch_part(part);
    return;
  }
  claims_.resize(capacity);
  for (const Part& part : parts) launch_part(part, claims_);
  if (parts.empty()) return;
  launch(kernels().claims, candidates, parts.front().first_slot, parts.back().last_slot, candidates_.first(),
         candidates_.slots(), candidates_.sites(), candidates_.contact_counts(), capacity, candidates_.stored(),
         store_candidates_, store_, claims_);
}

void TerrainNarrowPhase::launch_scan(std::uint32_t candidates, StageTimer& timer) {
  scan_.run_u32(candidates_.contact_counts(), contact_offsets_, candidates, total_, Stage::narrow_phase, &timer);
}

void TerrainNarrowPhase::begin_readback(std::uint64_t& found, std::uint32_t& stored, opencl::Transfers& transfers,
                                        StageTimer& timer) const {
  total_.download_later(std::span(&found, 1), transfers, 0, &timer, Stage::narrow_phase);
  if (device_.info().is_gpu)
    candidates_.stored().download_later(std::span(&stored, 1), transfers, 0, &timer, Stage::narrow_phase);
}

void TerrainNarrowPhase::empty_store(StageTimer& timer) {
  candidates_.stored().fill(0, 0, 1, &timer, Stage::narrow_phase);
}

void TerrainNarrowPhase::launch_order(const SlotRange& range, std::uint32_t stored, std::uint32_t capacity,
                                      StageTimer& timer) {
  contacts_.resize(capacity);
  opencl::launch(device_, order_kernel_, &timer, Stage::narrow_phase, stored, kGroup, range.last, stored, capacity,
                 candidates_.stored(), store_, store_candidates_, candidates_.first(), contact_offsets_, contacts_);
}

void TerrainNarrowPhase::resize(std::uint32_t candidates, std::uint32_t contacts) {
  contact_offsets_.resize(std::size_t{candidates} + 1);
  contacts_.resize(contacts);
}

void TerrainNarrowPhase::free() {
  contact_offsets_.free();
  store_candidates_.free();
  store_.free();
  claims_.free();
  contacts_.free();
}

}  // namespace oclide
