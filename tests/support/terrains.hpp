// Terrains that several tests stand on. Lengths in metres.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "oclide/oclide.hpp"

namespace oclide::test {

/// A height that is missing.
inline constexpr double kNoData = std::numeric_limits<double>::quiet_NaN();

using Height = std::function<double(double x, double y)>;

/// Rows and columns of vertices, place of the first, distance between two.
struct Grid {
  std::size_t rows = 33;
  std::size_t cols = 41;
  std::array<double, 2> origin{-10.0, -8.0};
  std::array<double, 2> spacing{0.5, 0.5};
};

Terrain terrain_of(const Grid& grid, const Height& height);

/// z = z0 + gx x + gy y.
Terrain plane(const Grid& grid, double gx, double gy, double z0 = 0.0);
/// z = -slope |x| (a ridge along y), or slope |x| for a valley. A column of vertices stands at x = 0 where the grid is
/// made so.
Terrain ridge(const Grid& grid, double slope);
/// Two cells a side of 1 m; the vertex at the origin has this height, all others 0. Six elements meet there.
Terrain peak(double height);
/// Asphalt at 0 for x <= 0, pavement at `height` for x >= width; the face between them stands on one column of cells.
Terrain kerb(double height, double width, double length = 8.0);
/// Every vertex uniform in [-amplitude, amplitude].
Terrain rough(const Grid& grid, double amplitude, std::uint64_t seed);
/// Flat but for single vertices, one in `every`, that stand up by `height`.
Terrain spikes(const Grid& grid, double height, unsigned every, std::uint64_t seed);
/// All values, and what they say of a cell, by the definition (docs/worlds.md, "Diagonals").
inline constexpr std::array kDiagonals{Diagonal::falling, Diagonal::rising, Diagonal::alternating_rising,
                                       Diagonal::alternating_falling};
inline bool alternates(Diagonal diagonal) {
  return diagonal == Diagonal::alternating_rising || diagonal == Diagonal::alternating_falling;
}
inline bool rises_at(Diagonal diagonal, std::size_t row, std::size_t col) {
  const bool is_even = (row + col) % 2 == 0;
  return diagonal == Diagonal::rising ||
         diagonal == (is_even ? Diagonal::alternating_rising : Diagonal::alternating_falling);
}
/// The triangles of a terrain, as a sheet.
Mesh sheet_of(const Terrain& terrain);
/// Opens this part of the cells.
void open_cells(Terrain& terrain, double share, std::uint64_t seed);

/// Index of a vertex or a cell.
inline std::size_t vertex(const Terrain& t, std::size_t i, std::size_t j) {
  return i * t.cols + j;
}
inline std::size_t cell(const Terrain& t, std::size_t i, std::size_t j) {
  return i * (t.cols - 1) + j;
}

}  // namespace oclide::test
