#include "scene/tile_store.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace oclide {
namespace {

[[noreturn]] void refuse_change(const std::string& message) {
  throw Error(ErrorKind::invalid_input, "change_tiles: " + message);
}

std::vector<const Terrain*> terrains_of(std::span<const Tile> tiles) {
  std::vector<const Terrain*> terrains;
  for (const Tile& tile : tiles) terrains.push_back(tile.terrain);
  return terrains;
}

GridPart united(const GridPart& a, const GridPart& b) {
  const std::size_t row = std::min(a.row, b.row), col = std::min(a.col, b.col);
  return {row, col, std::max(a.row + a.rows, b.row + b.rows) - row, std::max(a.col + a.cols, b.col + b.cols) - col};
}

// Adds a part, as one with others where nothing else comes along with that.
void add_part(std::vector<GridPart>& parts, GridPart part) {
  if (part.is_empty()) return;
  for (std::size_t k = 0; k < parts.size();) {
    const GridPart both = united(parts[k], part);
    if (both.rows * both.cols > parts[k].rows * parts[k].cols + part.rows * part.cols) {
      ++k;
      continue;
    }
    part = both;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
    k = 0;
  }
  parts.push_back(part);
}

// Numbers of a part of tile `own`, also for the others that have it. The part in the joined grid.
template <class Value>
GridPart write_to(std::span<Terrain* const> tiles, std::size_t own, std::vector<Value> Terrain::*array,
                  std::size_t fewer, const GridPart& part, std::span<const Value> values) {
  const JoinedGrid grid = joined_grid(std::vector<const Terrain*>(tiles.begin(), tiles.end()));
  GridPart in_grid = part;
  in_grid.row += static_cast<std::size_t>(grid.offsets[own].row);
  in_grid.col += static_cast<std::size_t>(grid.offsets[own].col);
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const std::size_t rows = tiles[k]->rows - fewer, cols = tiles[k]->cols - fewer;
    const GridPart both = common_part(in_grid, grid.offsets[k], rows, cols);
    if (both.is_empty()) continue;
    const std::size_t row = both.row - static_cast<std::size_t>(grid.offsets[k].row);
    const std::size_t col = both.col - static_cast<std::size_t>(grid.offsets[k].col);
    std::vector<Value>& all = tiles[k]->*array;
    all.resize(rows * cols);
    for (std::size_t i = 0; i < both.rows; ++i)
      std::copy_n(&values[(both.row - in_grid.row + i) * part.cols + both.col - in_grid.col], both.cols,
                  &all[(row + i) * cols + col]);
  }
  return in_grid;
}

// The first goes to `origin`, the others with it. Throws Error(invalid_input) where doubles there are too far apart for
// the lattice, and nothing has moved.
void move_tiles(std::span<Terrain* const> tiles, std::array<double, 2> origin) {
  const JoinedGrid grid = joined_grid(std::vector<const Terrain*>(tiles.begin(), tiles.end()));
  std::vector<std::array<double, 2>> origins;
  for (const LatticeOffset& offset : grid.offsets) {
    const std::array<double, 2> cells{static_cast<double>(offset.col - grid.offsets[0].col),
                                      static_cast<double>(offset.row - grid.offsets[0].row)};
    std::array<double, 2>& to = origins.emplace_back(origin);
    for (std::size_t a = 0; a < 2; ++a) {
      to[a] += cells[a] * grid.spacing[a];
      if (!(std::abs((to[a] - origin[a]) / grid.spacing[a] - cells[a]) <= kOffLattice))
        throw Error(ErrorKind::invalid_input, "move_terrain: origin[" + std::to_string(a) +
                                                  "] is so far away that the tiles would leave their lattice");
    }
  }
  for (std::size_t k = 0; k < tiles.size(); ++k) tiles[k]->origin = origins[k];
}

// The smallest tile of a ground, over its tile `of`: nothing is found on it.
Terrain without_data(const Terrain& of, std::size_t ground) {
  Terrain tile;
  tile.rows = tile.cols = 2;
  tile.origin = of.origin, tile.spacing = of.spacing;
  tile.heights.assign(4, std::numeric_limits<double>::quiet_NaN());
  tile.group = of.group, tile.category = of.category, tile.mask = of.mask, tile.diagonal = of.diagonal;
  tile.tile_of = static_cast<std::int32_t>(ground);
  return tile;
}

[[noreturn]] void fail_to_move(std::size_t terrain, std::int32_t ground) {
  throw Error(ErrorKind::invalid_input, "move_terrain: terrain " + std::to_string(terrain) + " is a tile of terrain " +
                                            std::to_string(ground) + ", and moves with that");
}

}  // namespace

void write_heights(Terrain& terrain, const GridPart& part, std::span<const double> heights) {
  (void)write_to(std::array{&terrain}, 0, &Terrain::heights, 0, part, heights);
}

void write_cells(Terrain& terrain, std::vector<std::uint8_t> Terrain::*array, const GridPart& part,
                 std::span<const std::uint8_t> values) {
  (void)write_to(std::array{&terrain}, 0, array, 1, part, values);
}

void TileStore::set(const std::vector<Terrain>& terrains) {
  sizes_.clear();
  grounds_ = grounds_of(terrains);
  terrains_.assign(terrains.size(), {});
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    sizes_.push_back({terrains[k].rows, terrains[k].cols});
    if (is_tile(k)) terrains_[k] = terrains[k];
  }
}

std::vector<Tile> TileStore::tiles_of(std::size_t ground) const {
  std::vector<Tile> tiles;
  for (std::size_t k = 0; k < terrains_.size(); ++k)
    if (grounds_[k] == static_cast<std::int64_t>(ground) && sizes_[k].rows > 0)
      tiles.push_back({k, &terrains_[k], "terrains/" + std::to_string(k), false});
  return tiles;
}

GroundChange TileStore::change(TileChanges changes, std::vector<std::size_t>& added) {
  const std::size_t ground = changes.ground;
  const std::string name = "terrain " + std::to_string(ground);
  if (ground >= sizes_.size()) refuse_change("ground: " + name + " of " + std::to_string(sizes_.size()));
  if (!is_tile(ground))
    refuse_change("ground: " + name + " is no tile: a terrain whose tiles come and go is a tile of itself at least");
  if (grounds_[ground] != static_cast<std::int64_t>(ground))
    refuse_change("ground: " + name + " is a tile of terrain " + std::to_string(grounds_[ground]) +
                  ", which is what to name");
  const std::vector<Tile> before = tiles_of(ground);
  std::vector<bool> is_removed(sizes_.size(), false);
  for (std::size_t k = 0; k < changes.removed.size(); ++k) {
    const std::size_t tile = changes.removed[k];
    const bool is_left = tile < sizes_.size() && grounds_[tile] == static_cast<std::int64_t>(ground) &&
                         sizes_[tile].rows > 0 && !is_removed[tile];
    if (!is_left)
      refuse_change("removed[" + std::to_string(k) + "]: " + name + " has no tile " + std::to_string(tile) +
                    (tile < sizes_.size() && is_removed[tile] ? " left" : ""));
    is_removed[tile] = true;
  }
  std::vector<Tile> tiles;
  for (const Tile& tile : before)
    if (!is_removed[tile.index]) tiles.push_back(tile);
  // The lowest indices that are free. That of a first tile is kept for its ground.
  const auto is_free = [&](std::size_t k) {
    if (k >= sizes_.size() || is_removed[k]) return true;
    return grounds_[k] >= 0 && sizes_[k].rows == 0 && (grounds_[k] != static_cast<std::int64_t>(k) || k == ground);
  };
  added.clear();
  for (std::size_t k = 0, index = 0; k < changes.added.size(); ++k, ++index) {
    const std::string own = "added[" + std::to_string(k) + "]";
    try {
      check_terrain(changes.added[k], own);
    } catch (const Error& error) {
      refuse_change(error.what());
    }
    while (!is_free(index)) ++index;
    added.push_back(index);
    tiles.push_back({index, &changes.added[k], own});
  }
  if (tiles.empty()) refuse_change(name + " would have no tile left");
  std::sort(tiles.begin(), tiles.end(), [](const Tile& a, const Tile& b) { return a.index < b.index; });
  // What is new is compared with what stays, also where its index is lower.
  const auto first_old = std::find_if(tiles.begin(), tiles.end(), [](const Tile& tile) { return !tile.is_new; });
  std::vector<Tile> in_order = tiles;
  if (first_old != tiles.end())
    std::stable_partition(in_order.begin(), in_order.end(), [](const Tile& tile) { return !tile.is_new; });
  try {
    check_tiles(in_order);
    // And with the first of them, as a scene's are.
    std::vector<Tile> compared = tiles;
    for (Tile& tile : compared) tile.is_new = false;
    check_tiles(compared);
  } catch (const Error& error) {
    refuse_change(error.what());
  }
  const Terrain &so_far = terrains_[ground], &first = *tiles[0].terrain;
  // Where they alternate another tile may have the other value, and all may be new.
  const bool is_cut_alike =
      first.diagonal == so_far.diagonal || first.diagonal == diagonal_from({0, 1}, so_far.diagonal);
  if (first.spacing != so_far.spacing || first.group != so_far.group || first.category != so_far.category ||
      first.mask != so_far.mask || !is_cut_alike)
    refuse_change(tiles[0].name + ": spacing, group, category, mask and diagonal must be those that " + name +
                  " has had so far");

  GroundChange result{ground, {}, true, {}, {}};
  const JoinedGrid grid_before = joined_grid(terrains_of(before)), grid = joined_grid(terrains_of(tiles));
  const auto cells_moved = [&](std::size_t a) {
    return std::llround((grid.origin[a] - grid_before.origin[a]) / grid.spacing[a]);
  };
  result.moved = {cells_moved(1), cells_moved(0)};
  const auto add = [&](const Terrain& tile, LatticeOffset offset) {
    add_part(result.vertices, common_part({0, 0, grid.rows, grid.cols}, offset, tile.rows, tile.cols));
  };
  for (std::size_t k = 0; k < before.size(); ++k)
    if (is_removed[before[k].index])
      add(*before[k].terrain,
          {grid_before.offsets[k].row - result.moved.row, grid_before.offsets[k].col - result.moved.col});
  for (std::size_t k = 0; k < tiles.size(); ++k)
    if (tiles[k].is_new) add(*tiles[k].terrain, grid.offsets[k]);

  // From here on nothing fails.
  for (const std::size_t k : changes.removed) {
    sizes_[k] = {0, 0};
    Terrain gone;
    gone.spacing = terrains_[k].spacing, gone.group = terrains_[k].group;
    gone.category = terrains_[k].category, gone.mask = terrains_[k].mask, gone.diagonal = terrains_[k].diagonal;
    terrains_[k] = std::move(gone);
  }
  for (std::size_t k = 0; k < added.size(); ++k) {
    const std::size_t index = added[k];
    if (index >= sizes_.size()) {
      sizes_.resize(index + 1, {0, 0});
      grounds_.resize(index + 1, -1);
      terrains_.resize(index + 1);
    }
    sizes_[index] = {changes.added[k].rows, changes.added[k].cols};
    grounds_[index] = static_cast<std::int32_t>(ground);
    terrains_[index] = std::move(changes.added[k]);
    terrains_[index].tile_of = static_cast<std::int32_t>(ground);
  }
  result.tiles = terrains_of(tiles_of(ground));
  return result;
}

std::vector<TileChanges> TileStore::restore(std::vector<Terrain>& terrains) const {
  terrains.resize(sizes_.size());
  const auto is_there = [&](std::size_t k) { return sizes_[k].rows > 0; };
  std::map<std::size_t, std::vector<std::size_t>> grounds;  // indices of all tiles, by ground
  std::map<std::size_t, std::size_t> first;                 // of those that are there
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (!is_tile(k)) continue;
    grounds[ground_of(k)].push_back(k);
    if (is_there(k)) first.try_emplace(ground_of(k), k);
  }
  std::vector<TileChanges> changes;
  std::map<std::size_t, TileChanges> last;
  for (const auto& [ground, tiles] : grounds) {
    // A ground has no tile of a lower index in a scene. Such an index was of a ground that is lower still.
    const std::size_t lowest = grounds.begin()->first;
    const bool begins_lower = first.at(ground) < ground;
    TileChanges leave{lowest, {}, {}}, come{ground, {}, {}};
    for (const std::size_t k : tiles) {
      if (is_there(k) && !begins_lower) {
        terrains[k] = terrains_[k];
        terrains[k].tile_of = static_cast<std::int32_t>(ground);
        continue;
      }
      const std::size_t owner = k < ground ? lowest : ground;
      terrains[k] = without_data(terrains_[first.at(owner)], owner);
      if (is_there(k)) {
        (k < ground ? leave : come).removed.push_back(k);
        come.added.push_back(terrains_[k]);
      } else {
        last[owner].removed.push_back(k);
      }
    }
    if (!begins_lower) continue;
    changes.push_back(std::move(leave));
    changes.push_back(std::move(come));
  }
  for (auto& [ground, gone] : last) {
    gone.ground = ground;
    changes.push_back(std::move(gone));
  }
  return changes;
}

template <class Value>
GroundChange TileStore::write(std::vector<Value> Terrain::*array, std::size_t fewer, std::size_t terrain,
                              const GridPart& part, std::span<const Value> values) {
  const auto ground = static_cast<std::size_t>(grounds_[terrain]);
  const std::vector<Tile> tiles = tiles_of(ground);
  std::vector<Terrain*> written;
  std::size_t own = 0;
  for (const Tile& tile : tiles) {
    if (tile.index == terrain) own = written.size();
    written.push_back(&terrains_[tile.index]);
  }
  GridPart vertices = write_to(written, own, array, fewer, part, values);
  vertices.rows += fewer, vertices.cols += fewer;
  return {ground, terrains_of(tiles), false, {}, {vertices}};
}

GroundChange TileStore::update_heights(std::size_t terrain, const GridPart& part, std::span<const double> heights) {
  return write(&Terrain::heights, 0, terrain, part, heights);
}

GroundChange TileStore::update_cells(std::vector<std::uint8_t> Terrain::*array, std::size_t terrain,
                                     const GridPart& part, std::span<const std::uint8_t> values) {
  return write(array, 1, terrain, part, values);
}

GroundChange TileStore::move(std::size_t terrain, std::array<double, 2> origin) {
  if (grounds_[terrain] != static_cast<std::int64_t>(terrain)) fail_to_move(terrain, grounds_[terrain]);
  const std::vector<Tile> tiles = tiles_of(terrain);
  std::vector<Terrain*> moved;
  moved.reserve(tiles.size());
  for (const Tile& tile : tiles) moved.push_back(&terrains_[tile.index]);
  move_tiles(moved, origin);
  return {terrain, terrains_of(tiles), false, {}, {}};
}

}  // namespace oclide
