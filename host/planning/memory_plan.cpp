#include "planning/memory_plan.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "backend.hpp"
#include "devices/calibration.hpp"
#include "devices/choose_device.hpp"
#include "planning/buffer_table.hpp"
#include "planning/slice_plan.hpp"
#include "scene/scene_check.hpp"
#include "scene/tiles.hpp"
#include "terrain/joined_ground.hpp"
#include "upload/compound_bodies.hpp"

namespace oclide {
namespace {

// As a Collider with these settings chooses, but for "auto" without calibrations, which are not measured here.
DeviceInfo device_of(const Settings& settings, std::uint64_t bodies) {
  if (settings.device == "auto") {
    std::vector<DeviceInfo> usable;
    std::vector<Calibration> calibrations;
    for (const DeviceInfo& d : devices())
      if (d.usable && !d.is_reference) usable.push_back(d);
    for (const DeviceInfo& d : usable)
      if (auto c = load_calibration(d, settings)) calibrations.push_back(*std::move(c));
    if (usable.size() > 1 && calibrations.size() == usable.size()) return usable[fastest_device(calibrations, bodies)];
  }
  return choose_device(settings.device);
}

// Scene and poses have passed their checks. The bodies are those of the scene, or the parts of its compounds.
MemoryPlan plan_checked(const Scene& scene, const Bodies& bodies, const Geometry& geometry, const Poses& poses,
                        const Settings& settings, std::size_t frames_ahead) {
  const bool are_parts = CompoundBodies::are_in(scene);
  MemoryPlan plan;
  plan.device = device_of(settings, bodies.count());
  if (!plan.device.usable)
    throw Error(ErrorKind::device, plan.device.name + " cannot be used: it lacks " + plan.device.missing);
  const FrameEstimate estimate = frame_estimate(scene, bodies, geometry, poses, settings.margin);
  const BufferCounts c = counts_of(scene, bodies, geometry, estimate);
  plan.candidates = c.candidates;
  plan.body_candidates = c.pairs;
  plan.unreduced = c.terrain_contacts + c.pair_contacts;
  // Staged frames, the one at work, and the one before, whose memory is used again.
  const std::size_t pose_sets = frames_ahead > 0 ? frames_ahead + 2 : 1;

  if (!plan.device.is_reference) {
    std::vector<BufferRow> rows = device_rows(c, plan.device, settings.track);
    for (BufferRow& row : rows)
      if (row.life == BufferLife::poses && row.when == BufferWhen::always) row.count *= pose_sets;
    plan.memory_limit = plan.device.memory_bytes;
    if (settings.memory_limit > 0) plan.memory_limit = std::min(plan.memory_limit, settings.memory_limit);
    plan_slices(rows, c, plan);
    // Buffers of the same name are one line.
    for (const BufferRow& row : rows) {
      const auto same = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                     [&](const MemoryPlan::Buffer& b) { return b.name == row.name; });
      const bool maybe = row.when != BufferWhen::always;
      if (same == plan.buffers.end()) {
        plan.buffers.push_back({row.name, row.bytes(), true, row.exact, maybe});
      } else {
        same->bytes = row.is_shared() ? std::max(same->bytes, row.bytes()) : same->bytes + row.bytes();
        same->exact = same->exact && row.exact;
        same->only_if_needed = same->only_if_needed && maybe;
      }
    }
    for (const MemoryPlan::Buffer& b : plan.buffers) plan.device_bytes += b.bytes;
  }
  if (plan.device.is_reference) {
    plan.fits = true;
    plan.terrain_slices = plan.body_slices = 1;
  }
  for (MemoryPlan::Buffer& b : host_buffers(c, plan.device.is_reference ? 1 : pose_sets,
                                            !are_parts && !plan.device.is_reference, settings.track)) {
    plan.host_bytes += b.bytes;
    plan.buffers.push_back(std::move(b));
  }
  return plan;
}

}  // namespace

namespace {

// What a Collider keeps of bodies, so that they can change.
std::uint64_t bytes_of(const Bodies& bodies) {
  const auto bytes = [](const auto& values) { return std::uint64_t{sizeof(values[0])} * values.size(); };
  return bytes(bodies.shape) + bytes(bodies.size) + bytes(bodies.environment) + bytes(bodies.category) +
         bytes(bodies.mask) + bytes(bodies.group) + bytes(bodies.flags) + bytes(bodies.margin) + bytes(bodies.excluded);
}

// What a Collider keeps of tiles.
void add_tiles(const std::vector<Terrain>& terrains, MemoryPlan& plan) {
  const std::vector<std::int32_t> grounds = grounds_of(terrains);
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < terrains.size(); ++k)
    if (grounds[k] >= 0)
      bytes += 8 * terrains[k].heights.size() + terrains[k].holes.size() + terrains[k].material.size();
  if (bytes == 0) return;
  plan.buffers.push_back({"tiles of terrain", bytes, false, true, false});
  plan.host_bytes += bytes;
}

MemoryPlan plan_joined(const Scene& scene, const Geometry& geometry, const Poses& poses, const Settings& settings,
                       std::size_t frames_ahead) {
  MemoryPlan plan;
  const auto add = [&](const char* name, std::uint64_t bytes, bool exact) {
    if (bytes == 0) return;
    plan.buffers.push_back({name, bytes, false, exact, false});
    plan.host_bytes += bytes;
  };
  const std::uint64_t of_rows = bytes_of(scene.bodies) + sizeof(BodyHandle::generation) * scene.bodies.count();
  if (!CompoundBodies::are_in(scene)) {
    plan = plan_checked(scene, scene.bodies, geometry, poses, settings, frames_ahead);
    add("bodies and handles", of_rows, true);
    return plan;
  }

  // The device's bodies are the parts of the compounds.
  const CompoundBodies compounds(scene);
  const Bodies parts = compounds.parts_as_bodies(scene);
  std::vector<double> position, orientation;
  compounds.place(poses, position, orientation);
  plan = plan_checked(scene, parts, geometry, {position, orientation}, settings, frames_ahead);
  add("bodies and handles", of_rows, true);
  add("bodies of parts", bytes_of(parts), true);
  const std::uint64_t staged = frames_ahead > 0 ? frames_ahead + 2 : 0;
  add("compound bodies", CompoundBodies::bytes(compounds.bodies(), compounds.parts()), true);
  add("poses of bodies and parts", 56 * (compounds.parts() + compounds.bodies() * (1 + staged)), true);
  // Contacts are named from one array into another.
  for (const MemoryPlan::Buffer& b : plan.buffers)
    if (b.name == "contacts of the frame") {
      add("contacts with names", b.bytes, false);
      break;
    }
  return plan;
}

}  // namespace

MemoryPlan plan_memory(const Scene& scene, const Poses& poses, const Settings& settings, std::size_t frames_ahead) {
  check_margin(settings.margin);
  const SharedGeometry geometry = checked_geometry(scene);
  check_poses(poses, scene.bodies.count());
  std::vector<Terrain> joined = joined_terrains(scene.terrains);
  if (joined.empty()) return plan_joined(scene, *geometry, poses, settings, frames_ahead);
  Scene with_grounds = scene;
  with_grounds.terrains = std::move(joined);
  MemoryPlan plan = plan_joined(with_grounds, *geometry, poses, settings, frames_ahead);
  add_tiles(scene.terrains, plan);
  return plan;
}

}  // namespace oclide
