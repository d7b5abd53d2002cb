#include "scene/tile_store.hpp"

#include <algorithm>
#include <cmath>
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
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  const std::size_t row = std::min(a.row, b.row), col = std::min(a.col, b.col);
  return {row, col, std::max(a.row + a.rows, b.row + b.rows) - row, std::max(a.col + a.cols, b.col + b.cols) - col};
}

// The whole of a tile in the joined grid.
GridPart whole(const JoinedGrid& grid, std::size_t tile, const Terrain& terrain) {
  return {static_cast<std::size_t>(grid.places[tile].row), static_cast<std::size_t>(grid.places[tile].col),
          terrain.rows, terrain.cols};
}

// Are these the same places of one lattice?
bool is_same_grid(const JoinedGrid& a, const JoinedGrid& b) {
  bool same = a.rows == b.rows && a.cols == b.cols;
  for (std::size_t k = 0; k < 2; ++k) same = same && std::abs(a.origin[k] - b.origin[k]) < 1e-3 * a.spacing[k];
  return same;
}

// Numbers of a part of tile `own`, also for the others that have it. The part in the joined grid.
template <class Value>
GridPart write_to(std::span<Terrain* const> tiles, std::size_t own, std::vector<Value> Terrain::*array,
                  std::size_t fewer, const GridPart& part, std::span<const Value> values) {
  const JoinedGrid grid = joined_grid(std::vector<const Terrain*>(tiles.begin(), tiles.end()));
  GridPart in_grid = part;
  in_grid.row += static_cast<std::size_t>(grid.places[own].row);
  in_grid.col += static_cast<std::size_t>(grid.places[own].col);
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const std::size_t rows = tiles[k]->rows - fewer, cols = tiles[k]->cols - fewer;
    const GridPart both = common_part(in_grid, grid.places[k], rows, cols);
    if (both.is_empty()) continue;
    const std::size_t row = both.row - static_cast<std::size_t>(grid.places[k].row);
    const std::size_t col = both.col - static_cast<std::size_t>(grid.places[k].col);
    std::vector<Value>& all = tiles[k]->*array;
    all.resize(rows * cols);
    for (std::size_t i = 0; i < both.rows; ++i)
      std::copy_n(&values[(both.row - in_grid.row + i) * part.cols + both.col - in_grid.col], both.cols,
                  &all[(row + i) * cols + col]);
  }
  return in_grid;
}

}  // namespace

namespace {

// A terrain, with all tiles of its ground where it is one; `own` is its place among them.
std::vector<Terrain*> with_its_tiles(std::vector<Terrain>& terrains, std::size_t terrain, std::size_t& own) {
  const std::vector<std::int32_t> grounds = grounds_of(terrains);
  std::vector<Terrain*> tiles;
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    if (k == terrain) own = tiles.size();
    if (k == terrain || (grounds[k] >= 0 && grounds[k] == grounds[terrain])) tiles.push_back(&terrains[k]);
  }
  return tiles;
}

// The first goes to `origin`, the others with it. Throws Error(invalid_input) where doubles there are too far apart for
// the lattice, and nothing has moved.
void move_tiles(std::span<Terrain* const> tiles, std::array<double, 2> origin) {
  const JoinedGrid grid = joined_grid(std::vector<const Terrain*>(tiles.begin(), tiles.end()));
  std::vector<std::array<double, 2>> origins;
  for (const LatticePlace& place : grid.places) {
    const std::array<double, 2> cells{static_cast<double>(place.col - grid.places[0].col),
                                      static_cast<double>(place.row - grid.places[0].row)};
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

[[noreturn]] void fail_to_move(std::size_t terrain, std::int32_t ground) {
  throw Error(ErrorKind::invalid_input, "move_terrain: terrain " + std::to_string(terrain) + " is a tile of terrain " +
                                            std::to_string(ground) + ", and moves with that");
}

}  // namespace

void write_heights(std::vector<Terrain>& terrains, std::size_t terrain, const GridPart& part,
                   std::span<const double> heights) {
  std::size_t own = 0;
  const std::vector<Terrain*> tiles = with_its_tiles(terrains, terrain, own);
  (void)write_to(tiles, own, &Terrain::heights, 0, part, heights);
}

void write_cells(std::vector<Terrain>& terrains, std::vector<std::uint8_t> Terrain::*array, std::size_t terrain,
                 const GridPart& part, std::span<const std::uint8_t> values) {
  std::size_t own = 0;
  const std::vector<Terrain*> tiles = with_its_tiles(terrains, terrain, own);
  (void)write_to(tiles, own, array, 1, part, values);
}

void move_ground(std::vector<Terrain>& terrains, std::size_t terrain, std::array<double, 2> origin) {
  if (terrains[terrain].tile_of >= 0 && terrains[terrain].tile_of != static_cast<std::int64_t>(terrain))
    fail_to_move(terrain, terrains[terrain].tile_of);
  std::size_t own = 0;
  move_tiles(with_its_tiles(terrains, terrain, own), origin);
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
  std::vector<Tile> tiles = before;
  for (std::size_t k = 0; k < changes.removed.size(); ++k) {
    const auto found =
        std::find_if(tiles.begin(), tiles.end(), [&](const Tile& tile) { return tile.index == changes.removed[k]; });
    if (found == tiles.end())
      refuse_change("removed[" + std::to_string(k) + "]: " + name + " has no tile " +
                    std::to_string(changes.removed[k]) +
                    (std::count(changes.removed.begin(), changes.removed.begin() + static_cast<std::ptrdiff_t>(k),
                                changes.removed[k]) > 0
                         ? " left"
                         : ""));
    tiles.erase(found);
  }
  // The lowest indices that are free. That of a first tile is kept for its ground.
  const auto is_free = [&](std::size_t k) {
    if (k >= sizes_.size()) return true;
    if (std::count(changes.removed.begin(), changes.removed.end(), k) > 0) return true;
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
  } catch (const Error& error) {
    refuse_change(error.what());
  }
  const Terrain &so_far = terrains_[ground], &first = *tiles[0].terrain;
  if (first.spacing != so_far.spacing || first.group != so_far.group || first.category != so_far.category ||
      first.mask != so_far.mask || first.diagonal != so_far.diagonal)
    refuse_change(tiles[0].name + ": spacing, group, category, mask and diagonal must be those that " + name +
                  " has had so far");

  GroundChange result{ground, {}, false, {}};
  const JoinedGrid grid_before = joined_grid(terrains_of(before)), grid = joined_grid(terrains_of(tiles));
  result.is_whole = !is_same_grid(grid_before, grid);
  for (std::size_t k = 0; k < before.size(); ++k)
    if (std::count(changes.removed.begin(), changes.removed.end(), before[k].index) > 0)
      result.vertices = united(result.vertices, whole(grid_before, k, *before[k].terrain));
  for (std::size_t k = 0; k < tiles.size(); ++k)
    if (tiles[k].is_new) result.vertices = united(result.vertices, whole(grid, k, *tiles[k].terrain));

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
  return {ground, terrains_of(tiles), false, vertices};
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
  return {terrain, terrains_of(tiles), false, {}};
}

}  // namespace oclide
