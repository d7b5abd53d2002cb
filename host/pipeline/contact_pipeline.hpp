// The contacts of a frame on a device, with terrain and of bodies with each other, whatever way it takes
// (docs/frame_paths.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "device_scene/device_scene.hpp"
#include "frame/frame_counts.hpp"
#include "frame/frame_plan.hpp"
#include "frame/work_memory.hpp"
#include "pipeline/body_contacts.hpp"
#include "pipeline/frame_input.hpp"
#include "pipeline/terrain_contacts.hpp"

namespace oclide {

class ContactPipeline {
 public:
  /// How much device memory is missing: more than half of it is taken, or a buffer found no room.
  enum class Shortage : std::uint8_t { near, met };

  /// `give_back` is called where memory is short: what the two halves do not know may go.
  ContactPipeline(opencl::Device& device, float margin, std::function<void(Shortage)> give_back);

  /// The bodies are `bodies`, not those of `scene`, its geometry `geometry`.
  void set_scene(const Scene& scene, const Bodies& bodies, const Geometry& geometry);

  /// The bodies of `rows`, ascending, have changed, and there may be more. False where all was set anew (`all`: it has
  /// to be), or there are more: then nothing is known of frames before.
  [[nodiscard]] bool change(const Scene& scene, const Bodies& bodies, const Geometry& geometry,
                            std::span<const std::uint32_t> rows, bool all);

  /// Computes the contacts of a frame. Blocking. False where a frame of moved bodies cannot be had so: then all bodies
  /// are to follow. Throws Error(device) naming the bytes needed, Error(invalid_input) of the positions' check().
  [[nodiscard]] bool run(FramePlan plan, const FrameInput& input, FrameCounts& counts, opencl::StageTimer& timer);
  /// Whether a frame of moved bodies can follow the last one.
  [[nodiscard]] bool can_update() const { return bodies_.can_update(); }

  [[nodiscard]] DeviceScene& scene() { return scene_; }
  [[nodiscard]] const TerrainContacts& terrain() const { return terrain_; }
  [[nodiscard]] const BodyContacts& bodies() const { return bodies_; }
  /// Takes what is on the device after a run() to the host, and gives its memory back.
  void move_to_host(FrameCounts& counts, opencl::StageTimer& timer);
  /// Gives back what frames have left on the device.
  void free_frame_buffers();

 private:
  [[nodiscard]] bool memory_is_short() const { return device_.memory_used() > device_.memory_limit() / 2; }
  void begin(const FramePlan& plan, const FrameInput& input, opencl::StageTimer& timer);

  opencl::Device& device_;
  float margin_;
  std::size_t bodies_count_ = 0;
  std::function<void(Shortage)> give_back_;
  WorkMemory work_;
  DeviceScene scene_;
  TerrainContacts terrain_;
  BodyContacts bodies_;
};

}  // namespace oclide
