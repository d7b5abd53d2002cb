// What a query finds in its environment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"
#include "scene/terrain_of.hpp"

namespace oclide {

/// Index of the terrain, and rank of the environment among those with bodies.
struct QueryEnvironment {
  std::uint32_t terrain, rank;  // RAY_NONE: none
};

/// `environment_terrain`: as Scene has it.
[[nodiscard]] inline QueryEnvironment environment_of_query(const DeviceScene& scene,
                                                           const std::vector<std::int32_t>& environment_terrain,
                                                           std::uint32_t environment) {
  QueryEnvironment found{RAY_NONE, RAY_NONE};
  if (const int terrain = terrain_in(scene.terrain.count(), environment_terrain, environment); terrain >= 0)
    found.terrain = static_cast<std::uint32_t>(terrain);
  const std::vector<std::uint32_t>& ranks = scene.bodies.environments;
  const auto rank = std::lower_bound(ranks.begin(), ranks.end(), environment);
  if (scene.bodies.count() > 0 && rank != ranks.end() && *rank == environment)
    found.rank = static_cast<std::uint32_t>(rank - ranks.begin());
  return found;
}

}  // namespace oclide
