// Which terrain of its scene a body or a ray meets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oclide/oclide.hpp"
#include "shapes/shape_list.hpp"

namespace oclide {

/// Index of the terrain of an environment that the scene, which was checked, has. -1 for none.
[[nodiscard]] inline int terrain_in(const Scene& scene, std::uint32_t environment) {
  if (scene.terrains.empty()) return -1;
  return scene.environment_terrain.empty() ? 0 : scene.environment_terrain[environment];
}

/// Index of the terrain under one of these bodies of a scene that was checked. -1 for none: the body's shape does not
/// meet terrain, or its environment has none.
[[nodiscard]] inline int terrain_of(const Scene& scene, const Bodies& bodies, std::size_t body) {
  if (!meets_terrain(bodies.shape[body])) return -1;
  return terrain_in(scene, bodies.environment.empty() ? 0 : bodies.environment[body]);
}

}  // namespace oclide
