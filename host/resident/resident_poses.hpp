// Poses that an application has on the device, on their way to become those of the pipeline. Kernels:
// kernels/upload/resident_poses.cl, compound_poses.cl. What the host must know of them, four numbers, comes along with
// the first count that it waits for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"
#include "oclide/opencl.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

/// Throws Error(invalid_input) naming the buffer or event that cannot be that of so many bodies in this context, as far
/// as OpenCL can tell.
void check_resident_poses(const ResidentPoses& poses, std::size_t bodies, const cl::Context& context);

class ResidentCompounds;

class ResidentUpload final : public LeafPositions {
 public:
  /// `compounds`, where the pipeline's bodies are the shapes of the application's: these have the poses given.
  explicit ResidentUpload(opencl::Device& device, ResidentCompounds* compounds = nullptr);
  /// Waits for what is on its way here.
  ~ResidentUpload() override;
  ResidentUpload(const ResidentUpload&) = delete;
  ResidentUpload& operator=(const ResidentUpload&) = delete;

  /// Enqueues the checks and the copy of `given`, which has passed check_resident_poses(), to `to`. `slots`: the slot
  /// of each body on terrain, SLOT_NONE or SLOT_HALF_SPACE. Does not block.
  void run(const ResidentPoses& given, const opencl::Buffer<std::uint32_t>& slots, const DeviceScene& scene,
           DevicePoses& to, opencl::StageTimer& timer);
  /// Throws Error(invalid_input) naming array and index for a pose of the last run() that cannot be used. Waits for it,
  /// which takes no time after anything else was read from the device.
  void check() override;

  [[nodiscard]] bool is_stale(std::size_t leaves, float /*cell*/) const override {
    return strayed_ > leaves / kStrayPart;
  }
  [[nodiscard]] std::array<std::vector<double>, 3> sample() override;
  void remember() override;
  [[nodiscard]] bool host_may_sort() const override { return false; }

 private:
  opencl::Device& device_;
  ResidentCompounds* compounds_;
  cl::Kernel kernel_;
  const DevicePoses* poses_ = nullptr;  // of the last run()
  opencl::Buffer<float> sample_;        // of their positions
  opencl::Buffer<float> sorted_at_;     // positions when the leaves of the tree were sorted
  using Status = std::array<std::uint32_t, RESIDENT_STATE>;
  opencl::Buffer<Status> status_;  // two that take turns
  cl_uint turn_ = 0;               // the one that is empty
  bool is_empty_ = false;          // whether it is
  Status status_host_{};
  std::uint32_t strayed_ = 0;  // at the last check(): the frame at work is sorted by what was known then
  cl::Event status_read_;
};

}  // namespace oclide
