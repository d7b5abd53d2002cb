// Which terrain of its scene a body meets.
#pragma once

#include <cstddef>

#include "oclide/oclide.hpp"
#include "shapes/shape_list.hpp"

namespace oclide {

/// Index of the terrain under one of these bodies of a scene that was checked. -1 for none: the body's shape does not
/// meet terrain, or its environment has none.
[[nodiscard]] inline int terrain_of(const Scene& scene, const Bodies& bodies, std::size_t body) {
  if (!meets_terrain(bodies.shape[body]) || scene.terrains.empty()) return -1;
  if (scene.environment_terrain.empty()) return 0;
  return scene.environment_terrain[bodies.environment.empty() ? 0 : bodies.environment[body]];
}

}  // namespace oclide
