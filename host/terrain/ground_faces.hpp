// The faces of a terrain: elements that are connected by flat edges, which contacts are called by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/abi.h"

namespace oclide {

/// Entries of the table of names of a terrain of rows x cols cells.
[[nodiscard]] std::size_t face_names(std::size_t rows, std::size_t cols);

/// Finds faces tile by tile (kernels/shared/abi.h, FACE_*). A face is called by the first cell whose element 1 is in
/// it, so that its name depends on the flags of the cells as they are, and not on what they were. Where diagonals
/// alternate there are faces without such a cell, which have no name here: kernels/terrain/ground_feature.clh.
class GroundFaces {
 public:
  /// Of rows x cols cells, without flat edges; `rising`: RISING_*.
  GroundFaces(std::size_t rows, std::size_t cols, std::uint32_t rising);

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
  /// entries from row to row.
  void label(const Part& tiles, const std::uint8_t* flags, std::size_t flag_pitch, std::uint16_t* labels,
             std::size_t label_pitch);

  /// Joins faces across tiles where label() made that necessary. Sets the range [first, end) of names that changed.
  struct Range {
    std::size_t first = 0, end = 0;
  };
  Range join();
  [[nodiscard]] std::span<const std::uint32_t> names() const { return names_; }

 private:
  // What a tile shows to others: the faces that lead out of it are numbered.
  struct Border {
    // Of the elements at the tile's sides.
    std::array<std::array<std::uint8_t, FACE_TILE>, 4> number{};
    std::vector<std::uint16_t> first;  // cell of each of them in the tile
    bool operator==(const Border&) const = default;
  };

  [[nodiscard]] Border label_tile(std::size_t tile_i, std::size_t tile_j, const std::uint8_t* flags,
                                  std::size_t flag_pitch, std::uint16_t* labels, std::size_t label_pitch) const;

  std::size_t rows_, cols_, tile_rows_, tile_cols_;
  std::uint32_t rising_;
  std::vector<Border> borders_;  // of the tiles
  std::vector<std::uint32_t> names_;
  bool changed_ = false;  // borders, since join()
};

}  // namespace oclide
