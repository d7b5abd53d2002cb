// The terrains of a scene as they change: the sizes of all, and of tiles everything, so that their ground can be joined
// again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "scene/scene_check.hpp"
#include "scene/tiles.hpp"

namespace oclide {

/// What has become of a ground whose tiles have changed. Its origin may be another one in any case.
struct GroundChange {
  std::size_t ground = 0;
  std::vector<const Terrain*> tiles;  ///< that it has now, by index
  bool come_and_go = false;           ///< tiles: from now on features of the ground keep their names
  LatticeOffset moved;                ///< of the joined grid, from where it was
  std::vector<GridPart> vertices;     ///< of it, that may have changed, and the cells beside them; new ones may lack
};

class TileStore {
 public:
  /// Of terrains that were checked; copies those that are tiles.
  void set(const std::vector<Terrain>& terrains);

  /// Of each terrain; 0 x 0 where there is none any more.
  [[nodiscard]] const std::vector<GridSize>& sizes() const { return sizes_; }
  [[nodiscard]] bool is_tile(std::size_t terrain) const { return terrain < grounds_.size() && grounds_[terrain] >= 0; }
  /// Of a tile, also of one that is gone: the index that environments name its ground by.
  [[nodiscard]] std::size_t ground_of(std::size_t tile) const { return static_cast<std::size_t>(grounds_[tile]); }
  [[nodiscard]] const Terrain& tile(std::size_t index) const { return terrains_[index]; }

  /// Removes and adds tiles. Sets the indices of the added ones. Throws Error(invalid_input), and nothing has changed.
  GroundChange change(TileChanges changes, std::vector<std::size_t>& added);

  /// Puts the tiles among `terrains`, the others of the scene at their indices, so that set_scene() takes them. Where
  /// tiles are gone there are others without data, and where an index has gone to a ground of a higher one. What
  /// change_tiles() is to do with them, one after another: then the tiles that there are have their indices, and those
  /// that will come get the same ones in both.
  [[nodiscard]] std::vector<TileChanges> restore(std::vector<Terrain>& terrains) const;

  /// New heights, or numbers of cells, of a part of a tile, and of all other tiles that have these vertices or cells.
  /// Ranges have been checked.
  GroundChange update_heights(std::size_t terrain, const GridPart& part, std::span<const double> heights);
  GroundChange update_cells(std::vector<std::uint8_t> Terrain::*array, std::size_t terrain, const GridPart& part,
                            std::span<const std::uint8_t> values);
  /// Moves the ground that environments name by this tile. Throws Error(invalid_input) for another tile, and where
  /// the tiles would leave their lattice; then nothing has changed.
  GroundChange move(std::size_t terrain, std::array<double, 2> origin);

 private:
  [[nodiscard]] std::vector<Tile> tiles_of(std::size_t ground) const;
  template <class Value>
  GroundChange write(std::vector<Value> Terrain::*array, std::size_t fewer, std::size_t terrain, const GridPart& part,
                     std::span<const Value> values);

  std::vector<GridSize> sizes_;
  std::vector<std::int32_t> grounds_;  // of each terrain; of a tile that is gone that of the one before it
  std::vector<Terrain> terrains_;      // of tiles
};

/// New heights of a part of a terrain that is no tile. The range has been checked.
void write_heights(Terrain& terrain, const GridPart& part, std::span<const double> heights);
/// The same of numbers of cells.
void write_cells(Terrain& terrain, std::vector<std::uint8_t> Terrain::*array, const GridPart& part,
                 std::span<const std::uint8_t> values);

}  // namespace oclide
