#include "reference/joined_ground.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace oclide::reference {
namespace {

// A tile, and how many cells its first vertex is from that of the first tile, along x and y.
struct Placed {
  const Terrain* terrain;
  std::array<long, 2> from;
  [[nodiscard]] long cols() const { return static_cast<long>(terrain->cols); }
  [[nodiscard]] long rows() const { return static_cast<long>(terrain->rows); }

  // Of a vertex of the lattice; not a number where the tile has none.
  [[nodiscard]] double height(long x, long y) const {
    const long j = x - from[0], i = y - from[1];
    if (i < 0 || j < 0 || i >= rows() || j >= cols()) return std::numeric_limits<double>::quiet_NaN();
    return terrain->heights[static_cast<std::size_t>(i * cols() + j)];
  }
  [[nodiscard]] bool has_solid_cell(long x, long y) const {
    for (long corner = 0; corner < 4; ++corner)
      if (std::isnan(height(x + corner % 2, y + corner / 2))) return false;
    return terrain->holes.empty() || terrain->holes[cell(x, y)] == 0;
  }
  [[nodiscard]] std::size_t cell(long x, long y) const {
    return static_cast<std::size_t>((y - from[1]) * (cols() - 1) + x - from[0]);
  }
};

// Of a grid whose first cell is that many cells from that of one with a value.
Diagonal diagonal_from(Diagonal of, long cells) {
  if (of == Diagonal::falling || of == Diagonal::rising || cells % 2 == 0) return of;
  return of == Diagonal::alternating_rising ? Diagonal::alternating_falling : Diagonal::alternating_rising;
}

}  // namespace

Terrain ground_of_tiles(const std::vector<const Terrain*>& tiles) {
  const Terrain& first = *tiles.front();
  std::vector<Placed> placed;
  std::array<long, 2> low{0, 0}, high{0, 0};
  for (const Terrain* tile : tiles) {
    Placed& p = placed.emplace_back(Placed{tile, {}});
    for (std::size_t a = 0; a < 2; ++a) {
      p.from[a] = std::lround((tile->origin[a] - first.origin[a]) / first.spacing[a]);
      low[a] = std::min(low[a], p.from[a]);
      high[a] = std::max(high[a], p.from[a] + (a == 0 ? p.cols() : p.rows()));
    }
  }
  Terrain ground;
  ground.cols = static_cast<std::size_t>(high[0] - low[0]), ground.rows = static_cast<std::size_t>(high[1] - low[1]);
  ground.spacing = first.spacing;
  for (std::size_t a = 0; a < 2; ++a)
    ground.origin[a] = first.origin[a] + static_cast<double>(low[a]) * first.spacing[a];
  ground.group = first.group, ground.category = first.category, ground.mask = first.mask;
  ground.diagonal = diagonal_from(first.diagonal, low[0] + low[1]);
  ground.heights.assign(ground.rows * ground.cols, std::numeric_limits<double>::quiet_NaN());
  ground.holes.assign((ground.rows - 1) * (ground.cols - 1), 1);
  ground.material.assign(ground.holes.size(), 0);
  // The last one first, so that where several have a cell the first one's is left.
  for (auto p = placed.rbegin(); p != placed.rend(); ++p)
    for (long y = p->from[1]; y < p->from[1] + p->rows(); ++y)
      for (long x = p->from[0]; x < p->from[0] + p->cols(); ++x) {
        const auto col = static_cast<std::size_t>(x - low[0]), row = static_cast<std::size_t>(y - low[1]);
        if (const double z = p->height(x, y); !std::isnan(z)) ground.heights[row * ground.cols + col] = z;
        if (!p->has_solid_cell(x, y)) continue;
        const std::size_t cell = row * (ground.cols - 1) + col;
        ground.holes[cell] = 0;
        ground.material[cell] = p->terrain->material.empty() ? std::uint8_t{0} : p->terrain->material[p->cell(x, y)];
      }
  return ground;
}

std::vector<Terrain> with_grounds_joined(std::vector<Terrain> terrains) {
  std::map<std::size_t, std::vector<const Terrain*>> grounds;
  for (const Terrain& t : terrains)
    if (t.tile_of >= 0) grounds[static_cast<std::size_t>(t.tile_of)];
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    const std::size_t ground = terrains[k].tile_of >= 0 ? static_cast<std::size_t>(terrains[k].tile_of) : k;
    if (grounds.contains(ground)) grounds[ground].push_back(&terrains[k]);
  }
  std::map<std::size_t, Terrain> joined;
  for (const auto& [ground, tiles] : grounds) joined[ground] = ground_of_tiles(tiles);
  for (std::size_t k = 0; k < terrains.size(); ++k)
    if (joined.contains(k) || terrains[k].tile_of >= 0)
      terrains[k] = joined.contains(k) ? std::move(joined[k]) : Terrain{};
  return terrains;
}

}  // namespace oclide::reference
