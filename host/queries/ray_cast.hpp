// What rays hit first, on the device. Definition: docs/rays.md; kernels: kernels/queries/cast_rays.cl.
#pragma once

#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"
#include "opencl/host_array.hpp"
#include "opencl/lazy_kernel.hpp"

namespace oclide {

class RayCast {
 public:
  /// `environment_terrain`: as Scene has it, for as long as this lives.
  RayCast(opencl::Device& device, const DeviceScene& scene, const std::vector<std::int32_t>& environment_terrain);

  /// One hit a ray, in their order, of bodies as the scene's tree has them, which is at these poses. The rays have been
  /// checked. Blocking. Rays go in parts where memory is short; throws Error(device) naming the bytes needed where not
  /// even few fit.
  void run(const Poses& poses, const Rays& rays, std::vector<Hit>& hits, opencl::StageTimer& timer);
  /// Gives the device memory of a cast back.
  void free();

 private:
  // Of an environment.
  struct Place {
    std::uint32_t terrain, rank;
  };
  [[nodiscard]] Place place_of(std::uint32_t environment) const;
  void upload_planes(const Poses& poses, opencl::StageTimer& timer);
  void write_rays(const Rays& rays, std::size_t first);
  void cast_part(const Rays& rays, std::size_t first, std::size_t count, Hit* hits, opencl::StageTimer& timer);

  opencl::Device& device_;
  const DeviceScene& scene_;
  opencl::LazyKernel terrain_kernel_, ground_hits_kernel_, bodies_kernel_, body_hits_kernel_;
  const std::vector<std::int32_t>& environment_terrain_;
  std::size_t most_;  // rays of a part
  opencl::HostArray<RayRecord> rays_host_;
  opencl::HostArray<HitRecord> hits_host_;
  std::vector<double> skipped_;  // of each ray of a part, what lies before its record begins [m]
  opencl::Buffer<RayRecord> rays_;
  opencl::Buffer<HitRecord> hits_;
  std::vector<PlaneRecord> planes_host_;
  opencl::Buffer<PlaneRecord> planes_;  // of half spaces
};

}  // namespace oclide
