// Where a query finds what is of its environment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"

namespace oclide {

struct QueryPlace {
  std::uint32_t terrain, rank;  // RAY_NONE: none
};

/// `environment_terrain`: as Scene has it.
[[nodiscard]] inline QueryPlace place_of_query(const DeviceScene& scene,
                                               const std::vector<std::int32_t>& environment_terrain,
                                               std::uint32_t environment) {
  QueryPlace place{RAY_NONE, RAY_NONE};
  if (environment_terrain.empty())
    place.terrain = scene.terrain.count() > 0 ? 0U : RAY_NONE;
  else if (environment < environment_terrain.size() && environment_terrain[environment] >= 0)
    place.terrain = static_cast<std::uint32_t>(environment_terrain[environment]);
  const std::vector<std::uint32_t>& ranks = scene.bodies.environments;
  const auto found = std::lower_bound(ranks.begin(), ranks.end(), environment);
  if (scene.bodies.count() > 0 && found != ranks.end() && *found == environment)
    place.rank = static_cast<std::uint32_t>(found - ranks.begin());
  return place;
}

}  // namespace oclide
