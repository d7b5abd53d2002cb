// The one grid that tiles of a ground are (docs/worlds.md, "Tiles").
#pragma once

#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::reference {

/// Of tiles by index, at least one.
[[nodiscard]] Terrain ground_of_tiles(const std::vector<const Terrain*>& tiles);

/// The terrains with each ground at the index of its first tile. Its others have no vertices.
[[nodiscard]] std::vector<Terrain> with_grounds_joined(std::vector<Terrain> terrains);

}  // namespace oclide::reference
