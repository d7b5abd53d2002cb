#include "scene/tiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "scene/scene_check.hpp"

namespace oclide {
namespace {

constexpr double kMostCells = 1 << 30;                                         // between two tiles
constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 30;                // of a joined grid
constexpr std::uint64_t kSmallGrid = std::uint64_t{1} << 22, kMostEmpty = 16;  // vertices; times those of the tiles
constexpr std::uint64_t kVertexBytes = 12;  // on a device: heights, holes, flags, faces, bounds

[[noreturn]] void refuse_tiles(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

std::string text(double number) {
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%.9g", number);
  return digits.data();
}

std::string terrain_name(std::size_t k) {
  return "terrains/" + std::to_string(k);
}

double cells_apart(const Terrain& from, const Terrain& to, std::size_t axis) {
  return (to.origin[axis] - from.origin[axis]) / from.spacing[axis];
}

LatticeOffset offset_from(const Terrain& first, const Terrain& tile) {
  return {std::llround(cells_apart(first, tile, 1)), std::llround(cells_apart(first, tile, 0))};
}

// Of the ends of two ranges that begin at `a` and `b`: what both have.
void common(std::int64_t a, std::size_t count_a, std::int64_t b, std::size_t count_b, std::int64_t& first,
            std::int64_t& end) {
  first = std::max(a, b);
  end = std::min(a + static_cast<std::int64_t>(count_a), b + static_cast<std::int64_t>(count_b));
}

// That tile k is on the lattice of the first, and like it in all that a ground has one of.
void check_like_first(const Tile& first, const Tile& tile) {
  const Terrain &t = *tile.terrain, &f = *first.terrain;
  if (t.spacing != f.spacing)
    refuse_tiles(tile.name + "/heights: spacing " + text(t.spacing[0]) + ", " + text(t.spacing[1]) +
                 " is not that of " + first.name + ", a tile of the same ground: " + text(f.spacing[0]) + ", " +
                 text(f.spacing[1]));
  if (t.group != f.group || t.category != f.category || t.mask != f.mask)
    refuse_tiles(tile.name + ": group, category and mask must be those of " + first.name +
                 ", a tile of the same ground");
  for (std::size_t a = 0; a < 2; ++a) {
    const double cells = cells_apart(f, t, a);
    if (!(std::abs(cells) <= kMostCells))
      refuse_tiles(tile.name + "/heights: origin[" + std::to_string(a) + "] is " + text(cells) + " cells from " +
                   first.name + ", a tile of the same ground; 2^30 is the most");
    if (const double off = cells - std::round(cells); std::abs(off) > kOffLattice)
      refuse_tiles(tile.name + "/heights: origin[" + std::to_string(a) + "] is " + text(std::abs(off)) +
                   " of a cell off the lattice of " + first.name + ", a tile of the same ground");
  }
  if (const Diagonal diagonal = diagonal_from(offset_from(f, t), f.diagonal); t.diagonal != diagonal)
    refuse_tiles(tile.name + ": diagonal must be " + std::to_string(static_cast<int>(diagonal)) + " (" +
                 name_of(diagonal) + ") beside " + first.name + ", a tile of the same ground");
}

// Where two tiles have the same vertex it has the same height; no data is a height of none.
void check_seam(const Tile& one, LatticeOffset at, const Tile& other, LatticeOffset other_at) {
  const Terrain &a = *one.terrain, &b = *other.terrain;
  std::int64_t row = 0, end_row = 0, col = 0, end_col = 0;
  common(at.row, a.rows, other_at.row, b.rows, row, end_row);
  common(at.col, a.cols, other_at.col, b.cols, col, end_col);
  for (; row < end_row; ++row)
    for (std::int64_t j = col; j < end_col; ++j) {
      const auto i_a = static_cast<std::size_t>(row - at.row), j_a = static_cast<std::size_t>(j - at.col);
      const auto i_b = static_cast<std::size_t>(row - other_at.row), j_b = static_cast<std::size_t>(j - other_at.col);
      const double z_a = a.heights[i_a * a.cols + j_a], z_b = b.heights[i_b * b.cols + j_b];
      if (z_a == z_b || std::isnan(z_a) || std::isnan(z_b)) continue;
      const auto vertex = [](const Tile& tile, std::size_t i, std::size_t k) {
        return tile.name + "/heights[" + std::to_string(i) + "][" + std::to_string(k) + "]";
      };
      refuse_tiles(vertex(other, i_b, j_b) + " is " + text(z_b) + ", but " + vertex(one, i_a, j_a) +
                   ", the same vertex of the ground, is " + text(z_a));
    }
}

}  // namespace

Diagonal diagonal_from(LatticeOffset offset, Diagonal diagonal) {
  if (diagonal == Diagonal::falling || diagonal == Diagonal::rising || (offset.row + offset.col) % 2 == 0)
    return diagonal;
  return diagonal == Diagonal::alternating_rising ? Diagonal::alternating_falling : Diagonal::alternating_rising;
}

std::vector<std::int32_t> grounds_of(const std::vector<Terrain>& terrains) {
  std::vector<std::int32_t> grounds(terrains.size(), -1);
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    const std::int32_t of = terrains[k].tile_of;
    if (of < 0 || of >= static_cast<std::int64_t>(terrains.size())) continue;
    grounds[k] = of;
    grounds[static_cast<std::size_t>(of)] = of;
  }
  return grounds;
}

std::vector<const Terrain*> tiles_of(const std::vector<Terrain>& terrains, std::span<const std::int32_t> grounds,
                                     std::int32_t ground) {
  std::vector<const Terrain*> tiles;
  for (std::size_t k = 0; k < terrains.size(); ++k)
    if (grounds[k] == ground) tiles.push_back(&terrains[k]);
  return tiles;
}

std::vector<std::int32_t> checked_grounds(const std::vector<Terrain>& terrains) {
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    const std::int32_t of = terrains[k].tile_of;
    if (of == -1) continue;
    const std::string what = terrain_name(k) + ": tile_of is " + std::to_string(of);
    if (of < -1 || of >= static_cast<std::int64_t>(terrains.size()))
      refuse_tiles(what + ", but there are " + std::to_string(terrains.size()) + " terrains");
    const auto first = static_cast<std::size_t>(of);
    if (first > k) refuse_tiles(what + ", but the first tile of a ground has the lowest index");
    if (terrains[first].tile_of != -1 && terrains[first].tile_of != of)
      refuse_tiles(what + ", a tile of terrain " + std::to_string(terrains[first].tile_of) + ", which is what to name");
  }
  std::vector<std::int32_t> grounds = grounds_of(terrains);
  std::vector<std::vector<Tile>> of_ground(terrains.size());
  for (std::size_t k = 0; k < terrains.size(); ++k)
    if (grounds[k] >= 0) of_ground[static_cast<std::size_t>(grounds[k])].push_back({k, &terrains[k], terrain_name(k)});
  for (const std::vector<Tile>& tiles : of_ground)
    if (!tiles.empty()) check_tiles(tiles);
  return grounds;
}

void check_tiles(std::span<const Tile> tiles) {
  std::vector<const Terrain*> terrains;
  std::uint64_t vertices = 0;
  for (const Tile& tile : tiles) {
    check_like_first(tiles[0], tile);
    terrains.push_back(tile.terrain);
    vertices += tile.terrain->heights.size();
  }
  const JoinedGrid grid = joined_grid(terrains);
  const bool too_large = grid.rows > kMostVertices / grid.cols;
  if (too_large || (grid.rows * grid.cols > kSmallGrid && grid.rows * grid.cols / kMostEmpty > vertices)) {
    const double bytes = static_cast<double>(grid.rows) * static_cast<double>(grid.cols) * kVertexBytes;
    refuse_tiles(tiles[0].name + ": the grid that joins the " + std::to_string(tiles.size()) +
                 " tiles of this ground has " + std::to_string(grid.rows) + " x " + std::to_string(grid.cols) +
                 " vertices, some " + text(std::ceil(bytes / 1e6)) + " MB on a device, " +
                 (too_large ? "more than the 2^30 that one may have" : "most of them without data") +
                 ": tiles far apart are not one ground");
  }
  // By their first column, so that only those are compared that may have vertices in common.
  std::vector<std::size_t> order(tiles.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto col = [&](std::size_t k) { return grid.offsets[k].col; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return col(a) < col(b); });
  for (std::size_t m = 0; m < order.size(); ++m)
    for (std::size_t n = m + 1; n < order.size(); ++n) {
      const std::size_t a = std::min(order[m], order[n]), b = std::max(order[m], order[n]);
      if (col(order[n]) >= col(order[m]) + static_cast<std::int64_t>(terrains[order[m]]->cols)) break;
      if (tiles[a].is_new || tiles[b].is_new) check_seam(tiles[a], grid.offsets[a], tiles[b], grid.offsets[b]);
    }
}

JoinedGrid joined_grid(std::span<const Terrain* const> tiles) {
  JoinedGrid grid;
  const Terrain& first = *tiles[0];
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t row = kMost, col = kMost, end_row = -kMost, end_col = -kMost;
  for (const Terrain* tile : tiles) {
    const LatticeOffset offset = offset_from(first, *tile);
    grid.offsets.push_back(offset);
    row = std::min(row, offset.row), col = std::min(col, offset.col);
    end_row = std::max(end_row, offset.row + static_cast<std::int64_t>(tile->rows));
    end_col = std::max(end_col, offset.col + static_cast<std::int64_t>(tile->cols));
  }
  for (LatticeOffset& offset : grid.offsets) offset.row -= row, offset.col -= col;
  grid.rows = static_cast<std::size_t>(end_row - row);
  grid.cols = static_cast<std::size_t>(end_col - col);
  grid.spacing = first.spacing;
  grid.origin = {first.origin[0] + static_cast<double>(col) * first.spacing[0],
                 first.origin[1] + static_cast<double>(row) * first.spacing[1]};
  return grid;
}

GridPart common_part(const GridPart& part, LatticeOffset offset, std::size_t rows, std::size_t cols) {
  std::int64_t row = 0, end_row = 0, col = 0, end_col = 0;
  common(static_cast<std::int64_t>(part.row), part.rows, offset.row, rows, row, end_row);
  common(static_cast<std::int64_t>(part.col), part.cols, offset.col, cols, col, end_col);
  if (row >= end_row || col >= end_col) return {};
  return {static_cast<std::size_t>(row), static_cast<std::size_t>(col), static_cast<std::size_t>(end_row - row),
          static_cast<std::size_t>(end_col - col)};
}

std::vector<std::size_t> unused_terrains(const Scene& scene) {
  const std::vector<std::int32_t> grounds = grounds_of(scene.terrains);
  std::vector<bool> used(scene.terrains.size(), false);
  const auto use = [&](std::int64_t k) {
    if (k >= 0 && k < static_cast<std::int64_t>(used.size())) used[static_cast<std::size_t>(k)] = true;
  };
  if (scene.environment_terrain.empty()) use(0);
  for (const std::int32_t k : scene.environment_terrain) use(k);
  std::vector<std::size_t> unused;
  for (std::size_t k = 0; k < used.size(); ++k) {
    const std::size_t ground = grounds[k] < 0 ? k : static_cast<std::size_t>(grounds[k]);
    if (!used[ground]) unused.push_back(k);
  }
  return unused;
}

}  // namespace oclide
