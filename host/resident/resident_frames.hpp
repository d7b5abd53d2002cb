// Frames whose poses and contacts stay on the device (oclide/opencl.hpp): the same stages as those of host/collider,
// with the application's buffers at both ends.
//   poses of the application -> check, split -> broad phase -> narrow phase -> contact reduction -> merge -> contacts
// In a scene with compound bodies the stages see their shapes: poses of bodies become those of shapes at one end, and
// contacts of shapes those of bodies at the other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "contacts/device_frame.hpp"
#include "oclide/opencl.hpp"
#include "pipeline/contact_pipeline.hpp"
#include "resident/resident_compounds.hpp"
#include "resident/resident_poses.hpp"
#include "tracking/contact_tracking.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

class ResidentFrames {
 public:
  /// For the scene that `pipeline` has; of `is_half_space` and `is_mesh` there is one a body, of
  /// `is_sensor` too where there are sensors. `compounds`, which need
  /// not live on, where these are parts of bodies.
  ResidentFrames(opencl::Device& device, ContactPipeline& pipeline, std::span<const std::uint8_t> is_half_space,
                 std::span<const std::uint8_t> is_mesh, std::span<const std::uint8_t> is_sensor,
                 const CompoundBodies* compounds, bool track);

  /// As collide_on_device(), with `poses` for the pipeline's own. A frame that fails is none.
  void run(const ResidentPoses& given, DevicePoses& poses, DeviceFrame& frame, opencl::StageTimer& timer);
  /// Brings `poses` and the scene's tree to the poses given, for a query. Waits for 16 bytes, and where the leaves of
  /// the tree are sorted anew for a sample of positions. There is no last run() any more.
  void place(const ResidentPoses& given, DevicePoses& poses, opencl::StageTimer& timer);
  /// Brings the tree to the poses of the last run() or place().
  void build_tree(const DevicePoses& poses, opencl::StageTimer& timer);
  /// Null where the scene has none.
  [[nodiscard]] const ResidentCompounds* compounds() const { return compounds_ ? &*compounds_ : nullptr; }

  /// The contacts of the last run(), whose poses have not changed since. Throws Error(invalid_input) where there is
  /// none.
  [[nodiscard]] FrameContacts to_host(const DevicePoses& poses) const;
  /// The contacts of the last run() are of no use any more, and give their memory back; tracking still goes on from
  /// them.
  void drop_frame();
  /// The poses are others now: there is no last run(). Its buffers stay.
  void leave_frame() { has_frame_ = false; }
  /// There is no last run(). All its memory is given back.
  void forget();
  /// Gives the last frame's memory back, but for what the next one is tracked from.
  void free_frame();

 private:
  void begin(const ResidentPoses& given);
  void update_slots();
  [[nodiscard]] bool merge(bool has_begun, opencl::StageTimer& timer);
  void merge_on_host(opencl::StageTimer& timer);
  void follow(opencl::StageTimer& timer);
  [[nodiscard]] std::size_t body_count() const { return compounds_ ? compounds_->bodies() : slots_.size(); }
  [[nodiscard]] const FrameBuffers& result() const { return compounds_ ? compounds_->frame() : frame_.buffers(); }

  opencl::Device& device_;
  ContactPipeline& pipeline_;
  std::vector<std::uint32_t> slots_host_;
  opencl::Buffer<std::uint32_t> slots_;  // on terrain, by body
  std::vector<std::uint8_t> sensors_host_;
  opencl::Buffer<std::uint8_t> sensors_;  // 1, by body; empty: none is
  std::uint64_t slots_version_ = 0;       // of TerrainSlots
  std::optional<ResidentCompounds> compounds_;
  ResidentUpload upload_;
  FrameOnDevice frame_;
  std::optional<ContactTracking> tracking_;
  cl::Kernel names_kernel_, features_kernel_;           // of tracking
  std::array<opencl::Buffer<UserSlot>, 2> user_slots_;  // of this frame and the one before
  std::uint32_t events_ = 0;
  FrameCounts counts_;
  cl::Event ready_;
  bool has_frame_ = false;
};

}  // namespace oclide
