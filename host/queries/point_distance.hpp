// What points are nearest to, on the device. Definition: docs/distance.md; kernels: kernels/queries/distance_*.cl.
#pragma once

#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"
#include "opencl/host_array.hpp"
#include "opencl/lazy_kernel.hpp"

namespace oclide {

class PointDistance {
 public:
  /// `environment_terrain`: as Scene has it, for as long as this lives.
  PointDistance(opencl::Device& device, const DeviceScene& scene, const std::vector<std::int32_t>& environment_terrain);

  /// One answer a point, in their order, of bodies as the scene's tree has them. The points have been checked.
  /// Blocking. Points go in parts where memory is short; throws Error(device) naming the bytes needed where not even
  /// few fit.
  void run(const QueryPoints& points, std::vector<Hit>& nearest, opencl::StageTimer& timer);
  /// Gives the device memory of points back.
  void free();

 private:
  void write_points(const QueryPoints& points, std::size_t first);
  void ask(const QueryPoints& points, std::size_t first, std::size_t count, Hit* nearest, opencl::StageTimer& timer);

  opencl::Device& device_;
  const DeviceScene& scene_;
  opencl::LazyKernel terrain_kernel_, bodies_kernel_;
  const std::vector<std::int32_t>& environment_terrain_;
  std::size_t most_;  // points of a part
  opencl::HostArray<QueryPointRecord> points_host_;
  opencl::HostArray<HitRecord> found_host_;
  opencl::Buffer<QueryPointRecord> points_;
  opencl::Buffer<HitRecord> found_;
};

}  // namespace oclide
