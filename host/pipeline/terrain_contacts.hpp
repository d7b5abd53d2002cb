// Bodies against terrain on a device, from poses to reduced contacts: candidates, narrow phase, reduction, one after
// the other. Where a frame does not fit, the bodies are processed in slices, with the same result.
#pragma once

#include <cstdint>
#include <optional>

#include "broad_phase/terrain_candidates.hpp"
#include "contact_reduction/terrain_reduction.hpp"
#include "contacts/contacts_on_device.hpp"
#include "contacts/terrain_contact_list.hpp"
#include "device_scene/device_scene.hpp"
#include "frame/frame_counts.hpp"
#include "frame/frame_plan.hpp"
#include "frame/work_memory.hpp"
#include "narrow_phase/terrain_narrow_phase.hpp"
#include "opencl/transfers.hpp"
#include "pipeline/frame_input.hpp"
#include "primitives/exclusive_scan.hpp"

namespace oclide {

class TerrainContacts {
 public:
  TerrainContacts(opencl::Device& device, DeviceScene& scene, float margin, const WorkMemory& work);

  /// The scene has other bodies now, so many.
  void set_scene(std::size_t bodies);
  /// These bodies are others now.
  void change(std::span<const std::uint32_t> bodies) { list_.drop(bodies); }
  /// There are so many bodies now; nothing is known of frames before.
  void set_count(std::size_t bodies) { list_.reset(bodies); }

  /// Begins a frame: sends off all its commands where its sizes are predicted and there is room for them, as
  /// is_predicted() says then. After that comes finish(). `input` stays until then. Throws Error(device).
  void begin(const FramePlan& plan, const FrameInput& input, opencl::StageTimer& timer);
  [[nodiscard]] bool is_predicted() const { return is_predicted_; }
  /// What there will be of a frame that stays on the device, if all of it is sent off, in as much room.
  [[nodiscard]] std::optional<TerrainContactsOnDevice> sent_off() const;
  /// Ends it, with a full recompute where it was not predicted, did not fit or did not come, and adds to its counts;
  /// may be called again when it failed. Blocking. Throws Error(device) naming the bytes needed.
  void finish(FrameCounts& counts, opencl::StageTimer& timer);

  /// What the last frame has, where on_device() has not.
  [[nodiscard]] const TerrainContactList& list() const { return list_; }
  /// What the last frame has on the device, where it is to stay there and was not cut into slices. Its counts lack the
  /// contacts before reduction.
  [[nodiscard]] const std::optional<TerrainContactsOnDevice>& on_device() const { return on_device_; }
  /// Takes that to the host.
  void move_to_host(FrameCounts& counts, opencl::StageTimer& timer);

  /// Gives back the device memory that finding the contacts of a frame takes.
  void free_frame_buffers();

 private:
  using Parts = TerrainNarrowPhase::Parts;
  // What there is room for.
  struct Capacity {
    TerrainSizes sizes;
    std::uint32_t store = 0;  // slots of the store; `stored` of these may be taken
    [[nodiscard]] std::uint32_t chunks() const { return static_cast<std::uint32_t>(sizes.chunks); }
    [[nodiscard]] std::uint32_t candidates() const { return static_cast<std::uint32_t>(sizes.candidates); }
    [[nodiscard]] std::uint32_t contacts() const { return static_cast<std::uint32_t>(sizes.contacts); }
    [[nodiscard]] std::uint32_t kept() const { return static_cast<std::uint32_t>(sizes.kept); }
    [[nodiscard]] std::uint32_t stored() const { return static_cast<std::uint32_t>(sizes.stored); }
  };

  [[nodiscard]] const SlotList& slots() const {
    return plan_.is_of_moved() ? scene_.on_terrain.moved() : scene_.on_terrain.all();
  }
  [[nodiscard]] TerrainSizes expected_sizes() const;
  [[nodiscard]] bool predict_capacity();
  void launch_all(opencl::StageTimer& timer);
  [[nodiscard]] bool finish_predicted(FrameCounts& counts, opencl::StageTimer& timer);
  void recompute(FrameCounts& counts, opencl::StageTimer& timer);
  void process_in_slices(const SlotRange& range, FrameCounts& counts, opencl::StageTimer& timer);
  void process(const SlotRange& range, std::uint64_t sites, FrameCounts& counts, opencl::StageTimer& timer);
  TerrainSizes find_contacts(const SlotRange& range, std::uint64_t sites, std::uint32_t candidates, FrameCounts& counts,
                             opencl::StageTimer& timer);
  void free_slice_buffers();

  opencl::Device& device_;
  DeviceScene& scene_;
  primitives::ExclusiveScan scan_;
  TerrainCandidates candidates_;
  TerrainNarrowPhase narrow_;
  TerrainReduction reduction_;

  // Frame.
  FramePlan plan_;
  const FrameInput* input_ = nullptr;
  bool is_predicted_ = false, is_sliced_ = false;
  Parts parts_;  // that are predicted
  Capacity capacity_;
  TerrainContactList list_;
  std::optional<TerrainContactsOnDevice> on_device_;
  opencl::Transfers transfers_;     // of a frame that is predicted
  std::uint32_t kept_to_come_ = 0;  // contacts that are read in it

  // From frame to frame: what the last frame in one piece came to, and the last of so many moved slots.
  TerrainSizes last_, last_moved_;
  std::size_t last_moved_slots_ = 0;
};

}  // namespace oclide
