// Which terrain of its scene a body or a ray meets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oclide/oclide.hpp"
#include "scene/body_filters.hpp"
#include "shapes/shape_list.hpp"

namespace oclide {

/// Index of the terrain of an environment, where there are so many terrains. -1 for none, and for an environment that
/// `environment_terrain`, which is Scene's, does not have.
[[nodiscard]] inline int terrain_in(std::size_t terrains, const std::vector<std::int32_t>& environment_terrain,
                                    std::uint32_t environment) {
  if (terrains == 0) return -1;
  if (environment_terrain.empty()) return 0;
  return environment < environment_terrain.size() ? environment_terrain[environment] : -1;
}
[[nodiscard]] inline int terrain_in(const Scene& scene, std::uint32_t environment) {
  return terrain_in(scene.terrains.size(), scene.environment_terrain, environment);
}

/// Whether group, category and mask let a body meet a terrain. All bits let every body meet it.
[[nodiscard]] inline bool lets_meet(const Terrain& terrain, const Bodies& bodies, std::size_t body) {
  constexpr std::uint32_t kAll = 0xFFFFFFFFU;
  if (terrain.group != 0 && !bodies.group.empty() && bodies.group[body] == terrain.group) return false;
  const std::uint32_t category = bodies.category.empty() ? 1U : bodies.category[body];
  const bool takes = terrain.mask == kAll || (category & terrain.mask) != 0;
  const std::uint32_t mask = bodies.mask.empty() ? kAll : bodies.mask[body];
  const bool is_taken = terrain.category == kAll || (terrain.category & mask) != 0;
  return bodies.either_mask ? takes || is_taken : takes && is_taken;
}

/// Index of the terrain under one of these bodies of a scene that was checked. -1 for none: the body's shape or its
/// filters do not let it meet terrain, or its environment has none.
[[nodiscard]] inline int terrain_of(const Scene& scene, const Bodies& bodies, std::size_t body) {
  if (!meets_terrain(bodies.shape[body])) return -1;
  if ((flags_of(bodies, body) & (kStatic | kNoTerrain | kInactive)) != 0) return -1;
  const int terrain = terrain_in(scene, bodies.environment.empty() ? 0 : bodies.environment[body]);
  return terrain < 0 || lets_meet(scene.terrains[static_cast<std::size_t>(terrain)], bodies, body) ? terrain : -1;
}

}  // namespace oclide
