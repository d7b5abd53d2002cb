// The bodies of a scene on the device, apart from their poses: leaves of the tree first, then half spaces, which have
// no bounds, by environment.
#pragma once

#include <cstdint>
#include <vector>

#include "oclide/oclide.hpp"
#include "opencl/buffer.hpp"
#include "shapes/scene_geometry.hpp"
#include "shared/abi.h"

namespace oclide {

struct TreeBodies {
  explicit TreeBodies(opencl::Device& device);

  /// Replaces the bodies. Blocking.
  void set(const Bodies& bodies, const Geometry& geometry);

  [[nodiscard]] std::uint32_t count() const { return leaves + half_spaces; }
  /// Whether any two bodies can meet at all.
  [[nodiscard]] bool can_pair() const { return leaves > 0 && count() > 1 && !one_group; }

  std::uint32_t leaves = 0, half_spaces = 0;
  bool one_group = false;  ///< all bodies are of one, whose bodies never meet
  bool filters = false;    ///< some body has a group, a category or a mask
  unsigned high_bits = 0;  ///< of PairBody::key
  float cell = 1.0F;       ///< of the curve that leaves are sorted along, where the scene is not too wide for it [m]
  std::vector<std::uint32_t> environments;       ///< of bodies, by rank: as in the scene file, ascending
  std::vector<std::uint32_t> half_space_bodies;  ///< indices in the scene, in the order of their records
  std::vector<std::uint32_t> record_of_body;
  opencl::Buffer<PairBody> records;
  opencl::Buffer<std::uint32_t> half_space_offsets, half_space_list;  ///< by environment
};

}  // namespace oclide
