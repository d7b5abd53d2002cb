// When moving bodies first touch, on the device. Definition: docs/motion.md; kernels: kernels/queries/sweep_*.cl.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "broad_phase/body_pairs.hpp"
#include "device_scene/device_scene.hpp"
#include "opencl/lazy_kernel.hpp"
#include "primitives/exclusive_scan.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

class MotionSweep {
 public:
  MotionSweep(opencl::Device& device, const DeviceScene& scene);

  /// What is told of the given motion of a frame.
  struct Given {
    const Poses& poses;  ///< those of the scene's tree
    const DevicePoses& on_device;
    const Motion& motion;                                  ///< both arrays are there
    std::span<const double> pivots;                        ///< as of Backend::sweep()
    std::span<const std::uint8_t> is_half_space, is_mesh;  ///< by body
  };

  /// Adds to `found` the impacts of a frame, in any order. Pairs go in parts where memory is short; throws
  /// Error(device) naming the bytes needed where not even those of one body fit, and UntoldSweep.
  void run(const Given& given, FrameImpacts& found, opencl::StageTimer& timer);

  /// The same at poses of the scene's tree, of the motion() that somebody has written: calls take(count) each time that
  /// so many are in impacts().
  void search(const DevicePoses& poses, const std::function<void(std::uint32_t)>& take, std::uint64_t& candidates,
              opencl::StageTimer& timer);
  [[nodiscard]] opencl::Buffer<MotionRecord>& motion() { return motion_; }
  [[nodiscard]] const opencl::Buffer<ImpactRecord>& impacts() const { return impacts_; }

  /// Gives the device memory of a sweep back.
  void free();

 private:
  void upload_motion(const Given& given, opencl::StageTimer& timer);
  void sweep_terrain(const DevicePoses& poses, opencl::StageTimer& timer);
  void compute_boxes(opencl::StageTimer& timer);
  void sweep_pairs(opencl::StageTimer& timer);
  std::uint32_t find_pairs(std::uint32_t first, std::uint32_t last, opencl::StageTimer& timer);
  std::uint32_t find_meetings(std::uint32_t pairs, opencl::StageTimer& timer);
  void begin_impacts(std::uint32_t most, opencl::StageTimer& timer);
  void search_rounds(opencl::StageTimer& timer);
  [[noreturn]] void refuse_unknown(std::uint32_t count, opencl::StageTimer& timer);
  void hand_over(std::uint32_t candidates, opencl::StageTimer& timer);
  void take(const Given& given, std::uint32_t count, FrameImpacts& found, opencl::StageTimer& timer);
  void free_pairs();

  opencl::Device& device_;
  const DeviceScene& scene_;
  primitives::ExclusiveScan scan_;
  opencl::LazyKernel near_ground_kernel_, terrain_kernel_, boxes_kernel_, pairs_kernel_, half_spaces_kernel_,
      meetings_kernel_, bodies_kernel_, insides_kernel_, meshes_kernel_, rounds_kernel_, half_space_rounds_kernel_,
      mesh_rounds_kernel_;
  std::vector<MotionRecord> motion_host_;
  std::vector<ImpactRecord> impacts_host_;
  opencl::Buffer<MotionRecord> motion_;    // by body of the scene
  opencl::Buffer<float> boxes_, spheres_;  // of the tree, around what bodies sweep
  opencl::Buffer<std::uint32_t> near_;     // slots
  opencl::Buffer<std::uint32_t> counts_, offsets_;
  BodyPairs pairs_;  // as found; nothing asks for their kinds and order
  opencl::Buffer<std::uint32_t> stored_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::Buffer<cl_uint2> meetings_, left_;
  opencl::Buffer<ImpactRecord> impacts_;
  const std::function<void(std::uint32_t)>* take_ = nullptr;  // of the search at work
  std::uint64_t candidates_ = 0;
};

}  // namespace oclide
