#include "terrain/joined_ground.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

std::size_t index_in(LatticeOffset offset, std::size_t row, std::size_t col, std::size_t cols) {
  return (row - static_cast<std::size_t>(offset.row)) * cols + col - static_cast<std::size_t>(offset.col);
}

bool is_solid(const Terrain& t, std::size_t row, std::size_t col) {
  if (!t.holes.empty() && t.holes[row * (t.cols - 1) + col] != 0) return false;
  const double* z = &t.heights[row * t.cols + col];
  return !std::isnan(z[0]) && !std::isnan(z[1]) && !std::isnan(z[t.cols]) && !std::isnan(z[t.cols + 1]);
}

}  // namespace

std::vector<double> joined_heights(const JoinedGrid& grid, std::span<const Terrain* const> tiles,
                                   const GridPart& vertices) {
  std::vector<double> heights(vertices.rows * vertices.cols, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const Terrain& t = *tiles[k];
    const LatticeOffset offset = grid.offsets[k];
    const GridPart own = common_part(vertices, offset, t.rows, t.cols);
    parallel_for(own.rows, [&](std::size_t n) {
      const std::size_t i = own.row + n;
      const double* from = &t.heights[index_in(offset, i, own.col, t.cols)];
      double* to = &heights[(i - vertices.row) * vertices.cols + own.col - vertices.col];
      for (std::size_t j = 0; j < own.cols; ++j)
        if (!std::isnan(from[j])) to[j] = from[j];
    });
  }
  return heights;
}

JoinedCells joined_cells(const JoinedGrid& grid, std::span<const Terrain* const> tiles, const GridPart& cells) {
  JoinedCells joined;
  joined.open.assign(cells.rows * cells.cols, 1);
  const bool has_material =
      std::any_of(tiles.begin(), tiles.end(), [](const Terrain* t) { return !t->material.empty(); });
  if (has_material) joined.material.assign(cells.rows * cells.cols, 0);
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const Terrain& t = *tiles[k];
    const LatticeOffset offset = grid.offsets[k];
    const GridPart own = common_part(cells, offset, t.rows - 1, t.cols - 1);
    parallel_for(own.rows, [&](std::size_t n) {
      const std::size_t i = own.row + n;
      for (std::size_t j = own.col; j < own.col + own.cols; ++j) {
        const std::size_t at = (i - cells.row) * cells.cols + j - cells.col;
        const auto row = i - static_cast<std::size_t>(offset.row), col = j - static_cast<std::size_t>(offset.col);
        // Of several tiles that have the cell solid the first one says its material.
        if (joined.open[at] == 0 || !is_solid(t, row, col)) continue;
        joined.open[at] = 0;
        if (!t.material.empty()) joined.material[at] = t.material[row * (t.cols - 1) + col];
      }
    });
  }
  return joined;
}

Terrain joined_ground(std::span<const Terrain* const> tiles) {
  const JoinedGrid grid = joined_grid(tiles);
  const Terrain& first = *tiles[0];
  Terrain joined;
  joined.rows = grid.rows, joined.cols = grid.cols;
  joined.origin = grid.origin, joined.spacing = grid.spacing;
  joined.group = first.group, joined.category = first.category, joined.mask = first.mask;
  joined.diagonal = diagonal_from(grid.offsets[0], first.diagonal);
  joined.heights = joined_heights(grid, tiles, {0, 0, grid.rows, grid.cols});
  JoinedCells cells = joined_cells(grid, tiles, {0, 0, grid.rows - 1, grid.cols - 1});
  joined.holes = std::move(cells.open);
  joined.material = std::move(cells.material);
  return joined;
}

std::vector<Terrain> joined_terrains(const std::vector<Terrain>& terrains) {
  const std::vector<std::int32_t> grounds = grounds_of(terrains);
  if (std::all_of(grounds.begin(), grounds.end(), [](std::int32_t ground) { return ground < 0; })) return {};
  std::vector<Terrain> joined(terrains.size());
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    const auto number = static_cast<std::int32_t>(k);
    if (grounds[k] < 0)
      joined[k] = terrains[k];
    else if (grounds[k] == number)
      joined[k] = joined_ground(tiles_of(terrains, grounds, number));
  }
  return joined;
}

Scene without_tiles(const Scene& scene) {
  Scene whole = scene;
  std::vector<Terrain> joined = joined_terrains(scene.terrains);
  if (joined.empty()) return whole;
  std::vector<std::int32_t> number(joined.size(), -1);
  whole.terrains.clear();
  for (std::size_t k = 0; k < joined.size(); ++k) {
    if (joined[k].rows == 0) continue;
    number[k] = static_cast<std::int32_t>(whole.terrains.size());
    whole.terrains.push_back(std::move(joined[k]));
    whole.terrains.back().tile_of = -1;
  }
  for (std::int32_t& terrain : whole.environment_terrain)
    if (terrain >= 0) terrain = number[static_cast<std::size_t>(terrain)];
  return whole;
}

}  // namespace oclide
