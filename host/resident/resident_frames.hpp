// Frames whose poses and contacts stay on the device (oclide/opencl.hpp): the same stages as those of collider.cpp,
// with the application's buffers at both ends.
//   poses of the application -> check, split -> broad phase -> narrow phase -> contact reduction -> merge -> contacts
// In a scene with compound bodies the stages see their shapes: poses of bodies become those of shapes at one end, and
// contacts of shapes those of bodies at the other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "oclide/opencl.hpp"
#include "pipeline/body_contacts.hpp"
#include "pipeline/device_frame.hpp"
#include "pipeline/terrain_contacts.hpp"
#include "resident/resident_compounds.hpp"
#include "resident/resident_poses.hpp"
#include "tracking/contact_tracking.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

class ResidentFrames {
 public:
  /// For the scene that `terrain` and `bodies` have; of `is_half_space` there is one a body. `compounds`, which need
  /// not live on, where these are parts of bodies.
  ResidentFrames(opencl::Device& device, TerrainContacts& terrain, BodyContacts& bodies,
                 std::span<const std::uint8_t> is_half_space, const CompoundBodies* compounds, bool track);

  /// As collide_on_device(), with `poses` for the pipeline's own. A frame that fails is none.
  void find(const ResidentPoses& given, DevicePoses& poses, DeviceFrame& frame, opencl::StageTimer& timer);
  /// The contacts of the last find(), whose poses have not changed since. Throws Error(invalid_input) where there is
  /// none.
  [[nodiscard]] FrameContacts to_host(const DevicePoses& poses) const;
  /// The contacts of the last find() are of no use any more, and give their memory back; tracking still goes on from
  /// them.
  void drop_frame();
  /// There is no last find(). All its memory is given back.
  void forget();

 private:
  void take_slots();
  void find_contacts(DevicePoses& poses, FrameCounts& counts, opencl::StageTimer& timer);
  void make_room(FrameCounts& counts, opencl::StageTimer& timer);
  bool merge(opencl::StageTimer& timer);
  void follow(opencl::StageTimer& timer);
  void merge_on_host(FrameCounts& counts, opencl::StageTimer& timer);
  void free_frame();
  [[nodiscard]] std::size_t body_count() const { return compounds_ ? compounds_->bodies() : slots_.size(); }
  [[nodiscard]] const FrameBuffers& result() const { return compounds_ ? compounds_->frame() : frame_.buffers(); }

  opencl::Device& device_;
  TerrainContacts& terrain_;
  BodyContacts& bodies_;
  std::vector<std::uint32_t> slots_host_;
  opencl::Buffer<std::uint32_t> slots_;  // on terrain, by body
  std::uint64_t slots_version_ = 0;      // of TerrainContacts
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
