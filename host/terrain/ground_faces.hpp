// The faces of a terrain: elements that are connected by flat edges, which contacts are called by.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/abi.h"

namespace oclide {

/// Entries of the table of names of a terrain of rows x cols cells; of one that moves along, which may begin anywhere
/// on the lattice, the most.
[[nodiscard]] std::size_t face_names(std::size_t rows, std::size_t cols, bool moves = false);

/// What the cells of a grid are called by (kernels/shared/abi.h, FACE_HEAD). Rows and columns are counted modulo 2^32.
struct CellNumbers {
  std::uint32_t row = 0, col = 0;  ///< of the grid's first cell
  std::uint32_t in_row = 1;        ///< numbers that a row has

  [[nodiscard]] std::uint32_t of(std::uint32_t i, std::uint32_t j) const {
    return ((row + i) * in_row + col + j) & (CELL_NUMBERS - 1U);
  }
  /// Those of the grid of that many columns whose first cell is so far from this one's. A row of few that has not
  /// enough gets so many that it does not happen again; then cells are called anew. In others cells far apart have one
  /// number.
  [[nodiscard]] CellNumbers moved(std::int64_t rows, std::int64_t columns, std::size_t cols) const;
};

/// Finds faces tile by tile (kernels/shared/abi.h, FACE_*). A face is called by the first cell whose element 1 is in
/// it, so that its name depends on the flags of the cells as they are, and not on what they were. But once the ground
/// has moved, or keep() was called, a face goes on with the name that most of its cells had. Where diagonals alternate
/// there are faces without such a cell, which have no name here: kernels/terrain/ground_feature.clh.
class GroundFaces {
 public:
  static constexpr std::uint16_t kNoLabel = 0xFFFF;  ///< of a cell that had none
  static constexpr std::uint32_t kNoName = 0xFFFFFFFF;

  /// Of rows x cols cells, without flat edges; `rising`: RISING_*.
  GroundFaces(std::size_t rows, std::size_t cols, std::uint32_t rising)
      : GroundFaces(rows, cols, rising, {0, 0, static_cast<std::uint32_t>(cols)}, false) {}
  GroundFaces(std::size_t rows, std::size_t cols, std::uint32_t rising, const CellNumbers& numbers, bool keeps);

  /// One that keeps them, and what kept() was of another that it takes the place of.
  GroundFaces(std::size_t rows, std::size_t cols, std::uint32_t rising, const CellNumbers& numbers,
              const std::vector<std::vector<std::uint32_t>>& kept);
  /// Names of the numbered faces of each tile.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> kept() const;

  /// From now on label() asks for the labels that cells had, and faces keep their names.
  void keep();
  [[nodiscard]] bool keeps() const { return keeps_; }
  /// The grid becomes one of rows x cols cells, whose first cell is (down, right) from the one that it had. The labels
  /// of cells that stay are to move with them; those of tiles at the borders are to be found anew.
  void move(std::int64_t down, std::int64_t right, std::size_t rows, std::size_t cols, std::uint32_t rising);
  [[nodiscard]] const CellNumbers& numbers() const { return numbers_; }

  /// Cells [first_i, end_i) x [first_j, end_j).
  struct Part {
    std::size_t first_i, first_j, end_i, end_j;
  };
  [[nodiscard]] Part whole() const { return {0, 0, rows_, cols_}; }
  /// The tiles whose labels may change with flags of these cells.
  [[nodiscard]] Part tiles_of(const Part& cells) const;
  /// With one more row and column, where there is one: label() asks for the flags of these.
  [[nodiscard]] Part with_next(const Part& tiles) const;

  /// Labels the cells of some tiles from CELL_FLAT flags. Both arrays begin at the part's first cell, with these many
  /// entries from row to row. With keep() `labels` has those that they had.
  void label(const Part& tiles, const std::uint8_t* flags, std::size_t flag_pitch, std::uint16_t* labels,
             std::size_t label_pitch);

  /// Joins faces across tiles where label() made that necessary. Sets the range [first, end) of names that changed.
  struct Range {
    std::size_t first = 0, end = 0;
  };
  Range join();
  [[nodiscard]] std::span<const std::uint32_t> names() const { return names_; }
  /// What stands before them.
  [[nodiscard]] std::array<std::uint32_t, FACE_HEAD> head() const {
    return {numbers_.row, numbers_.col, numbers_.in_row, 0};
  }

 private:
  // What a tile shows to others: the faces that lead out of it are numbered.
  struct Border {
    // Of the elements at the tile's sides.
    std::array<std::array<std::uint8_t, FACE_TILE>, 4> number{};
    std::vector<std::uint16_t> first;  // cell of each of them in the tile
    bool operator==(const Border&) const = default;
  };
  // And what is known of these faces: the name that most of the cells had, kNoName where none had one; how many had it.
  struct Tile {
    Border border;
    std::vector<std::uint32_t> kept;
    std::vector<std::uint16_t> cells;
  };

  [[nodiscard]] Tile label_tile(std::size_t tile_i, std::size_t tile_j, const std::uint8_t* flags,
                                std::size_t flag_pitch, std::uint16_t* labels, std::size_t label_pitch) const;
  // Rows or columns of the grid in a row or column of tiles.
  [[nodiscard]] Range rows_of(std::size_t tile_i) const { return range_of(tile_i, numbers_.row, rows_); }
  [[nodiscard]] Range cols_of(std::size_t tile_j) const { return range_of(tile_j, numbers_.col, cols_); }
  static Range range_of(std::size_t tile, std::uint32_t number, std::size_t count) {
    const std::size_t before = number % FACE_TILE;
    return {std::max(tile * FACE_TILE, before) - before, std::min((tile + 1) * FACE_TILE - before, count)};
  }
  // Number of the cell at `first` of a tile.
  [[nodiscard]] std::uint32_t number_in(std::size_t tile, std::size_t first) const {
    return numbers_.of(
        static_cast<std::uint32_t>(tile / tile_cols_ * FACE_TILE + first / FACE_TILE) - numbers_.row % FACE_TILE,
        static_cast<std::uint32_t>(tile % tile_cols_ * FACE_TILE + first % FACE_TILE) - numbers_.col % FACE_TILE);
  }
  void set_size(std::size_t rows, std::size_t cols, std::uint32_t rising, const CellNumbers& numbers);

  std::size_t rows_, cols_, tile_rows_, tile_cols_;
  std::uint32_t rising_;
  CellNumbers numbers_;
  std::vector<Tile> tiles_;
  std::vector<std::uint32_t> names_;
  bool keeps_ = false, changed_ = false;  // borders, since join()
};

}  // namespace oclide
