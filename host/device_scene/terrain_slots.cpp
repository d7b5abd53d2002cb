#include "device_scene/terrain_slots.hpp"

#include <algorithm>

#include "frame/slice.hpp"
#include "scene/terrain_of.hpp"
#include "shapes/bounding_radius.hpp"
#include "shapes/device_size.hpp"

namespace oclide {
namespace {

// On a GPU, a body over so many sites or more may have many contacts: those are reduced by a work-group. (On a CPU one
// thread would do that, in three times as long.)
constexpr double kManySites = 64.0;

}  // namespace

TerrainSlots::TerrainSlots(opencl::Device& device)
    : device_(device), all_(device, "bodies"), moved_(device, "moved bodies on terrain") {}

void TerrainSlots::set(const Scene& scene, const Bodies& b, const Geometry& geometry, float margin) {
  const std::size_t bodies = b.count();
  all_.host.clear();
  slot_of_body_.assign(bodies, SLOT_NONE);
  has_large_bodies_ = false;
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
      if (device_.info().is_gpu && !has_large_bodies_) {
        const std::array<double, 2>& spacing = scene.terrains[record.terrain].spacing;
        const double width = 2.0 * (bounding_radius(b.shape[i], b.size[i], geometry) + margin);
        has_large_bodies_ = (width / spacing[0] + 2.0) * (width / spacing[1] + 2.0) >= kManySites;
      }
      write_device_size(b.shape[i], b.size[i], geometry.hulls.size(), record.size);
      slot_of_body_[i] = all_.size();
      all_.host.push_back(record);
    }
  }
  all_.shape_begin.back() = all_.size();
  all_.records.assign(all_.host);
  moved_.host.clear();
  order_.forget();
  ++version_;
}

void TerrainSlots::order(const Poses& poses) {
  if (all_.size() <= kSmallFrame || !order_.is_stale(poses)) return;
  try {
    std::vector<BodyRecord> sorted = all_.host;
    order_.sort(sorted, all_.shape_begin, poses);
    all_.records.assign(sorted);
    all_.host.swap(sorted);
    for (std::uint32_t slot = 0; slot < all_.size(); ++slot) slot_of_body_[all_.host[slot].body] = slot;
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
