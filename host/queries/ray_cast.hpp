// What rays hit first, on the device. Definition: docs/rays.md; kernels: kernels/queries/cast_rays.cl.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend.hpp"
#include "device_scene/device_scene.hpp"
#include "frame/item_runs.hpp"
#include "oclide/opencl.hpp"
#include "opencl/host_array.hpp"
#include "opencl/lazy_kernel.hpp"
#include "resident/resident_compounds.hpp"

namespace oclide {

/// Throws Error(invalid_input) naming the buffer or event that cannot be that of so many rays in this context, as far
/// as OpenCL can tell.
void check_resident_rays(const ResidentRays& rays, const cl::Context& context);

class RayCast {
 public:
  /// `environment_terrain`: as Scene has it, for as long as this lives.
  RayCast(opencl::Device& device, const DeviceScene& scene, const std::vector<std::int32_t>& environment_terrain);

  /// One hit a ray, in their order, of bodies as the scene's tree has them, which is at these poses; null: at poses
  /// that were on the device. The rays have been checked. Blocking. Rays go in parts where memory is short; throws
  /// Error(device) naming the bytes needed where not even few fit.
  void run(const Poses* poses, const Rays& rays, std::vector<Hit>& hits, opencl::StageTimer& timer);
  /// The same of rays anywhere, whose hits stay on the device, `compounds` being those of the scene or null. Nothing is
  /// read back. Throws Error(invalid_input) for a ray in host memory that begins too far out.
  void run_on_device(const CastInput& given, const ResidentCompounds* compounds, DeviceHits& hits,
                     opencl::StageTimer& timer);
  /// Gives the device memory of a cast back.
  void free();

 private:
  void place_planes(const Poses* poses, opencl::StageTimer& timer);
  void upload_rays(const Rays& rays, std::size_t first, std::size_t count, opencl::StageTimer& timer);
  void split_rays(const ResidentRays& rays, std::size_t first, std::size_t count, opencl::StageTimer& timer);
  void enqueue(std::size_t count, const cl::Buffer& hits, opencl::StageTimer& timer);
  void read_hits(const Rays& rays, std::size_t first, std::span<Hit> hits, opencl::StageTimer& timer);
  template <class Part>
  void in_parts(std::size_t count, bool hits_stay, Part&& part);

  opencl::Device& device_;
  const DeviceScene& scene_;
  opencl::LazyKernel terrain_kernel_, ground_hits_kernel_, bodies_kernel_, body_hits_kernel_;
  opencl::LazyKernel split_kernel_, planes_kernel_, device_hits_kernel_;  // with an application's buffers
  const std::vector<std::int32_t>& environment_terrain_;
  ItemRuns runs_;     // over terrain
  std::size_t most_;  // rays of a part
  opencl::HostArray<RayRecord> rays_host_;
  std::vector<double> directions_host_;  // unit, of the rays of a part
  opencl::HostArray<HitRecord> hits_host_;
  opencl::Buffer<RayRecord> rays_;
  opencl::Buffer<HitRecord> hits_;
  std::vector<PlaneRecord> planes_host_;
  opencl::Buffer<PlaneRecord> planes_;                    // of half spaces
  opencl::Buffer<std::int32_t> terrain_of_environments_;  // of the scene, from the first rays on the device on
  opencl::Buffer<std::uint32_t> environments_;            // of bodies, by rank
  std::vector<std::uint32_t> ranks_on_device_;            // what it has
  cl::Event ready_;                                       // of hits on the device
};

}  // namespace oclide
