// Which shapes overlap the scene, on the device. Definition: docs/overlap.md; kernels: kernels/queries/overlap_*.cl.
#pragma once

#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"
#include "opencl/host_array.hpp"
#include "opencl/lazy_kernel.hpp"
#include "upload/query_parts.hpp"

namespace oclide {

class ShapeOverlap {
 public:
  /// `environment_terrain`: as Scene has it, for as long as this lives.
  ShapeOverlap(opencl::Device& device, const DeviceScene& scene, const std::vector<std::int32_t>& environment_terrain);

  /// Sets found.overlaps, and found.body where it is asked for, with bodies as the scene's tree has them. Blocking.
  /// Parts go in turns where memory is short; throws Error(device) naming the bytes needed where not even few fit.
  void run(const QueryParts& parts, Overlaps& found, opencl::StageTimer& timer);
  /// Gives the device memory of queries back.
  void free();

 private:
  void write_shapes(const QueryParts& parts, std::size_t first);
  void ask(const QueryParts& parts, std::size_t first, std::size_t count, Overlaps& found, opencl::StageTimer& timer);

  opencl::Device& device_;
  const DeviceScene& scene_;
  opencl::LazyKernel terrain_kernel_, bodies_kernel_;
  const std::vector<std::int32_t>& environment_terrain_;
  std::size_t most_;  // parts of a turn
  opencl::HostArray<QueryShapeRecord> shapes_host_;
  opencl::HostArray<std::uint32_t> found_host_;
  opencl::Buffer<QueryShapeRecord> shapes_;
  opencl::Buffer<std::uint32_t> found_;
};

}  // namespace oclide
