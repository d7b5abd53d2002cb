// Grids whose diagonals rise lie on the device turned by a quarter, so that they fall there
// (kernels/math/quarter_turn.clh): row i is column cols - 1 - i of the scene's grid, and column j its row j.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"
#include "scene/tiles.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {

/// The values of rows x cols vertices or cells, row by row, as they lie turned: cols x rows.
template <typename T>
[[nodiscard]] std::vector<T> turned_values(std::span<const T> values, std::size_t rows, std::size_t cols) {
  constexpr std::size_t kRun = 64;  // rows of the scene's grid that are read together
  std::vector<T> turned(values.size());
  parallel_for((rows + kRun - 1) / kRun, [&](std::size_t run) {
    const std::size_t end = std::min(rows, (run + 1) * kRun);
    for (std::size_t j = 0; j < cols; ++j)
      for (std::size_t i = run * kRun; i < end; ++i) turned[(cols - 1 - j) * rows + i] = values[i * cols + j];
  });
  return turned;
}

/// A part of a grid with this many columns, turned with it.
[[nodiscard]] inline GridPart turned_part(const GridPart& part, std::size_t cols) {
  return {cols - part.col - part.cols, part.row, part.cols, part.rows};
}

/// Of the turned grid: where its first vertex is, in turned axes [m].
[[nodiscard]] inline std::array<double, 2> turned_origin(const std::array<double, 2>& origin, std::size_t cols,
                                                         double spacing_x) {
  return {origin[1], -(origin[0] + static_cast<double>(cols - 1) * spacing_x)};
}

/// The terrain as it lies turned, in turned axes.
[[nodiscard]] inline Terrain turned_terrain(const Terrain& t) {
  Terrain turned;
  turned.rows = t.cols, turned.cols = t.rows;
  turned.origin = turned_origin(t.origin, t.cols, t.spacing[0]);
  turned.spacing = {t.spacing[1], t.spacing[0]};
  turned.heights = turned_values<double>(t.heights, t.rows, t.cols);
  const auto of_cells = [&](const std::vector<std::uint8_t>& values) {
    return values.empty() ? values : turned_values<std::uint8_t>(values, t.rows - 1, t.cols - 1);
  };
  turned.holes = of_cells(t.holes);
  turned.material = of_cells(t.material);
  return turned;
}

}  // namespace oclide
