// The one grid that tiles of a ground are on the device. docs/worlds.md, "Tiles", has the definition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"
#include "scene/tiles.hpp"

namespace oclide {

/// Heights of a part of the joined grid's vertices, row by row; NaN where no tile has any.
[[nodiscard]] std::vector<double> joined_heights(const JoinedGrid& grid, std::span<const Terrain* const> tiles,
                                                 const GridPart& vertices);
/// Of a part of its cells: which are open, and their material where any tile has one.
struct JoinedCells {
  std::vector<std::uint8_t> open, material;
};
[[nodiscard]] JoinedCells joined_cells(const JoinedGrid& grid, std::span<const Terrain* const> tiles,
                                       const GridPart& cells);
/// The whole, with the filters of the first tile.
[[nodiscard]] Terrain joined_ground(std::span<const Terrain* const> tiles);
/// Of each terrain what the device has: of a ground's first tile the joined grid, of its others nothing (0 x 0), of all
/// else the terrain itself. Empty where no terrain is a tile.
[[nodiscard]] std::vector<Terrain> joined_terrains(const std::vector<Terrain>& terrains);
/// The same scene without tiles: each ground is one terrain.
[[nodiscard]] Scene without_tiles(const Scene& scene);

}  // namespace oclide
