#include "device_scene/terrain_slots.hpp"

#include <algorithm>
#include <utility>

#include "frame/slice.hpp"
#include "opencl/launch.hpp"
#include "scene/body_margin.hpp"
#include "scene/terrain_of.hpp"
#include "shapes/bounding_radius.hpp"
#include "shapes/device_size.hpp"

namespace oclide {
namespace {

// On a GPU, a body over so many sites or more may have many contacts: those are reduced by a work-group. (On a CPU one
// thread would do that, in three times as long.)
constexpr double kManySites = 64.0;
// Slots that a shape with bodies has beyond theirs, where bodies come and go.
constexpr std::uint32_t kLeastSpareSlots = 64, kSpareSlotsPart = 16;

}  // namespace

TerrainSlots::TerrainSlots(opencl::Device& device)
    : device_(device),
      all_(device, "bodies"),
      moved_(device, "moved bodies on terrain"),
      change_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_change_slots")),
      changed_slots_(device, "slots of changed bodies"),
      changed_(device, "changed bodies on terrain") {}

// On a GPU.
bool TerrainSlots::is_over_many_sites(const Terrain& terrain, double radius, double margin) const {
  const double width = 2.0 * (radius + margin);
  return device_.info().is_gpu && (width / terrain.spacing[0] + 2.0) * (width / terrain.spacing[1] + 2.0) >= kManySites;
}

void TerrainSlots::set(const Scene& scene, const Bodies& b, const Geometry& geometry, float margin, bool with_spare) {
  const std::size_t bodies = b.count();
  all_.host.clear();
  slot_of_body_.assign(bodies, SLOT_NONE);
  has_large_bodies_ = false;
  nowhere_ = static_cast<std::uint32_t>(scene.terrains.size());
  for (std::size_t s = 0; s < kTerrainShapes.size(); ++s) {
    all_.shape_begin[s] = all_.size();
    for (std::size_t i = 0; i < bodies; ++i) {
      if (b.shape[i] != kTerrainShapes[s]) continue;
      const int terrain = terrain_of(scene, b, i);
      if (terrain < 0) continue;
      BodyRecord record{};
      record.body = static_cast<cl_uint>(i);
      record.terrain = static_cast<cl_uint>(terrain);
      record.shape = static_cast<cl_uint>(b.shape[i]);
      has_large_bodies_ = has_large_bodies_ || is_over_many_sites(scene.terrains[record.terrain],
                                                                  bounding_radius(b.shape[i], b.size[i], geometry),
                                                                  ground_margin(margin, b, i));
      write_device_size(b.shape[i], b.size[i], geometry.hulls.size(), record.size);
      slot_of_body_[i] = all_.size();
      all_.host.push_back(record);
    }
    if (const std::uint32_t own = all_.size() - all_.shape_begin[s]; with_spare && own > 0) {
      BodyRecord none = all_.host.back();
      none.terrain = nowhere_;
      all_.host.insert(all_.host.end(), kLeastSpareSlots + own / kSpareSlotsPart, none);
    }
  }
  all_.shape_begin.back() = all_.size();
  list_free_slots();
  all_.records.assign(all_.host);
  moved_.host.clear();
  order_.forget();
  ++version_;
}

void TerrainSlots::list_free_slots() {
  for (std::size_t s = 0; s < kTerrainShapes.size(); ++s) {
    free_[s].clear();
    for (std::uint32_t slot = all_.shape_begin[s]; slot < all_.shape_begin[s + 1]; ++slot)
      if (all_.host[slot].terrain == nowhere_) free_[s].push_back(slot);
  }
}

bool TerrainSlots::change(const Scene& scene, const Bodies& b, const Geometry& geometry, float margin,
                          std::span<const std::uint32_t> rows) {
  slot_of_body_.resize(b.count(), SLOT_NONE);
  std::vector<std::uint32_t> slots;
  const auto shape_of = [](const BodyRecord& record) {
    return static_cast<std::size_t>(
        std::find(kTerrainShapes.begin(), kTerrainShapes.end(), static_cast<Shape>(record.shape)) -
        kTerrainShapes.begin());
  };
  // First all slots are given back, so that others find them.
  for (const std::uint32_t i : rows) {
    const std::uint32_t slot = std::exchange(slot_of_body_[i], SLOT_NONE);
    if (slot == SLOT_NONE) continue;
    all_.host[slot].terrain = nowhere_;
    free_[shape_of(all_.host[slot])].push_back(slot);
    slots.push_back(slot);
  }
  for (const std::uint32_t i : rows) {
    const int terrain = terrain_of(scene, b, i);
    if (terrain < 0) continue;
    BodyRecord record{};
    record.body = i;
    record.terrain = static_cast<cl_uint>(terrain);
    record.shape = static_cast<cl_uint>(b.shape[i]);
    std::vector<std::uint32_t>& free = free_[shape_of(record)];
    if (free.empty()) return false;
    write_device_size(b.shape[i], b.size[i], geometry.hulls.size(), record.size);
    has_large_bodies_ = has_large_bodies_ || is_over_many_sites(scene.terrains[record.terrain],
                                                                bounding_radius(b.shape[i], b.size[i], geometry),
                                                                ground_margin(margin, b, i));
    slot_of_body_[i] = free.back();
    all_.host[free.back()] = record;
    slots.push_back(free.back());
    free.pop_back();
  }
  ++version_;
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  if (slots.empty()) return true;
  std::vector<BodyRecord> records;
  records.reserve(slots.size());
  for (const std::uint32_t slot : slots) records.push_back(all_.host[slot]);
  changed_slots_.assign(slots);
  changed_.assign(records);
  opencl::launch(device_, change_kernel_, nullptr, opencl::Stage::upload, slots.size(), kGroup,
                 static_cast<cl_uint>(slots.size()), changed_slots_, changed_, all_.records);
  return true;
}

void TerrainSlots::order(const Poses& poses) {
  if (all_.size() <= kSmallFrame || !order_.is_stale(poses)) return;
  try {
    std::vector<BodyRecord> sorted = all_.host;
    order_.sort(sorted, all_.shape_begin, poses);
    all_.records.assign(sorted);
    all_.host.swap(sorted);
    for (std::uint32_t slot = 0; slot < all_.size(); ++slot)
      if (all_.host[slot].terrain != nowhere_) slot_of_body_[all_.host[slot].body] = slot;
    list_free_slots();
    ++version_;
  } catch (...) {
    order_.forget();
    throw;
  }
}

void TerrainSlots::select(std::span<const std::uint32_t> bodies, opencl::StageTimer& timer) {
  moved_upload_.wait();
  moved_slots_.clear();
  for (const std::uint32_t body : bodies)
    if (slot_of_body_[body] != SLOT_NONE) moved_slots_.push_back(slot_of_body_[body]);
  std::sort(moved_slots_.begin(), moved_slots_.end());
  moved_.host.clear();
  for (const std::uint32_t slot : moved_slots_) moved_.host.push_back(all_.host[slot]);
  std::transform(all_.shape_begin.begin(), all_.shape_begin.end(), moved_.shape_begin.begin(), [&](std::uint32_t slot) {
    return static_cast<std::uint32_t>(std::lower_bound(moved_slots_.begin(), moved_slots_.end(), slot) -
                                      moved_slots_.begin());
  });
  if (moved_.host.empty()) return;
  moved_.records.resize(moved_.host.size());
  moved_.records.upload_later(moved_.host, moved_upload_, &timer);
}

}  // namespace oclide
