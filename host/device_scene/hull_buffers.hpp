// The convex hulls of a scene on the device: kernels/shared/hulls.h has how they lie there.
#pragma once

#include <cstdint>
#include <vector>

#include "opencl/buffer.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide {

struct HullBuffers {
  explicit HullBuffers(opencl::Device& device) : words(device, "convex hulls") {}

  /// Replaces them. Blocking. Throws Error(device).
  void set(const Geometry& geometry);

  std::uint32_t mesh_levels = 0;        ///< of the deepest tree of a mesh; 0: there are no meshes
  opencl::Buffer<std::uint32_t> words;  ///< never empty, so that every kernel can have it
};

/// What set() writes.
[[nodiscard]] std::vector<std::uint32_t> hull_words(const Geometry& geometry);

}  // namespace oclide
