// The poses of one frame on the device, and on their way there. Kernel: kernels/upload/move_poses.cl.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opencl/buffer.hpp"
#include "opencl/host_array.hpp"
#include "opencl/launch.hpp"
#include "shared/abi.h"

namespace oclide {

struct DevicePoses {
  explicit DevicePoses(opencl::Device& device) : staging(device), records(device, "poses") {}

  /// Waits for what is on its way: it is read from the staging memory.
  ~DevicePoses() { wait(); }
  DevicePoses(const DevicePoses&) = delete;
  DevicePoses& operator=(const DevicePoses&) = delete;

  /// Until what is on its way has come, or failed.
  void wait() const;

  opencl::HostArray<PoseRecord> staging;
  opencl::Buffer<PoseRecord> records;  // of the bodies of the scene
  std::vector<cl::Event> uploads;      // of the last ones, part by part
  cl::Event last_use;                  // by commands that nobody has waited for, where there may be such
};

/// The pose of body i as the device has it; half spaces get the orientation of plane_orientation().
[[nodiscard]] PoseRecord device_pose(const Poses& poses, std::uint32_t body, bool is_half_space);
/// The same of bodies from `first` on; is_half_space has an entry for each body of the scene.
void write_device_poses(const Poses& poses, std::size_t first, std::span<const std::uint8_t> is_half_space,
                        std::span<PoseRecord> to);

/// Changes some of the poses on a device.
class PoseMover {
 public:
  explicit PoseMover(opencl::Device& device)
      : device_(device),
        kernel_(device.kernel("upload/move_poses", "upload_move_poses")),
        moved_(device, "moved poses") {}

  /// Takes `moved` over into `poses`. Does not block. Throws Error(device).
  void run(std::vector<MovedPose> moved, DevicePoses& poses, opencl::StageTimer& timer);

 private:
  opencl::Device& device_;
  cl::Kernel kernel_;
  std::vector<MovedPose> staging_;
  opencl::Transfers upload_;  // of these
  opencl::Buffer<MovedPose> moved_;
};

}  // namespace oclide
