// What terrains are made of on their way to the device.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shared/abi.h"
#include "terrain/terrain_buffers.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {

struct BoundsLevel {
  cl_ulong offset;  // of its first entry from the terrain's first
  int rows, cols;
};

// The pyramid's levels over this many cells, up to the level with a single entry.
inline std::vector<BoundsLevel> bounds_levels(int cell_rows, int cell_cols) {
  std::vector<BoundsLevel> levels;
  cl_ulong offset = 0;
  int rows = cell_rows, cols = cell_cols;
  do {
    rows = ((rows - 1) >> BOUNDS_SHIFT) + 1;
    cols = ((cols - 1) >> BOUNDS_SHIFT) + 1;
    levels.push_back({offset, rows, cols});
    offset += static_cast<cl_ulong>(rows) * static_cast<cl_ulong>(cols);
  } while (rows > 1 || cols > 1);
  return levels;
}

inline void set_lattice_origin(TerrainRecord& record, const std::array<double, 2>& origin) {
  const TwoFloatParts x = split_in_two(origin[0]), y = split_in_two(origin[1]);
  record.origin_x_hi = x.high, record.origin_x_lo = x.low;
  record.origin_y_hi = y.high, record.origin_y_lo = y.low;
}

inline void set_lattice(TerrainRecord& record, std::size_t rows, std::size_t cols, const std::array<double, 2>& origin,
                        const std::array<double, 2>& spacing) {
  record.rows = static_cast<cl_int>(rows);
  record.cols = static_cast<cl_int>(cols);
  set_lattice_origin(record, origin);
  const TwoFloatParts sx = split_in_two(spacing[0]), sy = split_in_two(spacing[1]);
  record.spacing_x_hi = sx.high, record.spacing_x_lo = sx.low;
  record.spacing_y_hi = sy.high, record.spacing_y_lo = sy.low;
  const TwoFloatParts cx = split_in_two(1.0 / spacing[0]), cy = split_in_two(1.0 / spacing[1]);
  record.cells_x_hi = cx.high, record.cells_x_lo = cx.low;
  record.cells_y_hi = cy.high, record.cells_y_lo = cy.low;
}

// Which of its cells rise where diagonals alternate, as RISING_*.
inline std::uint32_t rising_cells(Diagonal diagonal) {
  if (diagonal == Diagonal::alternating_rising) return RISING_EVEN;
  return diagonal == Diagonal::alternating_falling ? RISING_ODD : 0U;
}

// A terrain without cells.
inline TerrainRecord terrain_without_cells() {
  TerrainRecord record{};
  record.spacing_x_hi = record.spacing_y_hi = record.cells_x_hi = record.cells_y_hi = 1.0F;
  return record;
}

inline bool any_set(std::span<const std::uint8_t> values) {
  return std::any_of(values.begin(), values.end(), [](std::uint8_t value) { return value != 0; });
}

inline TwoFloatParts height_parts(double height) {
  const TwoFloatParts parts = split_in_two(height);
  const bool is_gap = std::isnan(height);
  return {is_gap ? NAN : parts.high, is_gap ? 0.0F : parts.low};
}

inline constexpr std::size_t kHeightsOfTask = 16384;  // that a task takes

// The high parts. What else there is: low parts; heights without data.
struct HighHeights {
  std::atomic<bool> has_low = false, has_gaps = false;

  HighHeights(std::span<const double> heights, float* high) {
    parallel_for_ranges(heights.size(), kHeightsOfTask, [&](IndexRange range) {
      bool any_low = false, any_gap = false;
      for (std::size_t k = range.begin(); k < range.end(); ++k) {
        const TwoFloatParts parts = height_parts(heights[k]);
        high[k] = parts.high;
        any_low |= parts.low != 0.0F;
        any_gap |= std::isnan(heights[k]);
      }
      if (any_low) has_low = true;
      if (any_gap) has_gaps = true;
    });
  }
};

inline void write_low_heights(std::span<const double> heights, float* low) {
  parallel_for(heights.size(), kHeightsOfTask, [&](std::size_t k) { low[k] = height_parts(heights[k]).low; });
}

// Memory that is written before it is read.
template <typename T>
struct UnsetArray {
  explicit UnsetArray(std::size_t n) : data(std::make_unique_for_overwrite<T[]>(n)), size(n) {}
  [[nodiscard]] std::span<T> span() const { return {data.get(), size}; }

  std::unique_ptr<T[]> data;
  std::size_t size;
};

}  // namespace oclide
