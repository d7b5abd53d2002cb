// Terrains that are tiles of one ground: which go together, and where they lie on their common lattice. docs/worlds.md,
// "Tiles", has the definition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// How far a tile may be off the lattice of its ground, in cells.
inline constexpr double kOffLattice = 1e-6;

/// A tile of a ground, borrowed, and what errors call it.
struct Tile {
  std::size_t index;
  const Terrain* terrain;
  std::string name;
  bool is_new = true;  ///< it has not been compared with the others
};

/// Of each terrain the index of the first tile of its ground, -1 where it is no tile. Throws Error(invalid_input)
/// naming terrains that cannot be tiles of one ground.
[[nodiscard]] std::vector<std::int32_t> checked_grounds(const std::vector<Terrain>& terrains);
/// The same of terrains that were checked.
[[nodiscard]] std::vector<std::int32_t> grounds_of(const std::vector<Terrain>& terrains);
/// The tiles of a ground, by index.
[[nodiscard]] std::vector<const Terrain*> tiles_of(const std::vector<Terrain>& terrains,
                                                   std::span<const std::int32_t> grounds, std::int32_t ground);
/// That these can be one ground; of two tiles that are not new the heights are known to be equal.
void check_tiles(std::span<const Tile> tiles);

/// How far from a lattice's vertex (0, 0), in rows and columns.
struct LatticeOffset {
  std::int64_t row = 0, col = 0;
};

/// The value of a grid whose cell (0, 0) is at `offset` of one that has `diagonal`, where both are cut alike.
[[nodiscard]] Diagonal diagonal_from(LatticeOffset offset, Diagonal diagonal);

/// The grid that joins tiles: the smallest that has all of them. Vertex (0, 0) is whole cells from that of the tile of
/// the lowest index.
struct JoinedGrid {
  std::size_t rows = 0, cols = 0;
  std::array<double, 2> origin{}, spacing{};
  std::vector<LatticeOffset> offsets;  // of the tiles' vertices (0, 0) in it
};
/// Of at least one tile, by index.
[[nodiscard]] JoinedGrid joined_grid(std::span<const Terrain* const> tiles);

/// A part of a grid, from (row, col) on.
struct GridPart {
  std::size_t row = 0, col = 0, rows = 0, cols = 0;
  [[nodiscard]] bool is_empty() const { return rows == 0 || cols == 0; }
};
/// What a tile at `offset` of a grid of rows x cols has of a part of the joined one, both counted in the same things
/// (vertices or cells); empty where it has none. In the joined grid.
[[nodiscard]] GridPart common_part(const GridPart& part, LatticeOffset offset, std::size_t rows, std::size_t cols);

}  // namespace oclide
