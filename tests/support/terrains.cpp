#include "support/terrains.hpp"

#include <cmath>

namespace oclide::test {

Terrain terrain_of(const Grid& grid, const Height& height) {
  Terrain t;
  t.rows = grid.rows;
  t.cols = grid.cols;
  t.origin = grid.origin;
  t.spacing = grid.spacing;
  t.heights.reserve(t.rows * t.cols);
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j)
      t.heights.push_back(height(t.origin[0] + static_cast<double>(j) * t.spacing[0],
                                 t.origin[1] + static_cast<double>(i) * t.spacing[1]));
  return t;
}

Terrain plane(const Grid& grid, double gx, double gy, double z0) {
  return terrain_of(grid, [=](double x, double y) { return z0 + gx * x + gy * y; });
}

Terrain ridge(const Grid& grid, double slope) {
  return terrain_of(grid, [=](double x, double) { return -slope * std::abs(x); });
}

Terrain peak(double height) {
  const Grid grid{3, 3, {-1.0, -1.0}, {1.0, 1.0}};
  return terrain_of(grid, [=](double x, double y) { return x == 0.0 && y == 0.0 ? height : 0.0; });
}

Terrain kerb(double height, double width, double length) {
  const auto half = static_cast<std::size_t>(std::ceil(length / 2.0 / width));
  const Grid grid{9, 2 * half + 1, {-static_cast<double>(half) * width, -length / 2.0}, {width, length / 8.0}};
  return terrain_of(grid, [=](double x, double) { return x > 0.5 * width ? height : 0.0; });
}

Terrain rough(const Grid& grid, double amplitude, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> height(-amplitude, amplitude);
  return terrain_of(grid, [&](double, double) { return height(random); });
}

Terrain spikes(const Grid& grid, double height, unsigned every, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return terrain_of(grid, [&](double, double) { return random() % every == 0 ? height : 0.0; });
}

Mesh sheet_of(const Terrain& terrain) {
  Mesh mesh;
  for (std::size_t i = 0; i < terrain.rows; ++i)
    for (std::size_t j = 0; j < terrain.cols; ++j)
      mesh.vertices.push_back({terrain.origin[0] + terrain.spacing[0] * static_cast<double>(j),
                               terrain.origin[1] + terrain.spacing[1] * static_cast<double>(i),
                               terrain.heights[vertex(terrain, i, j)]});
  const auto at = [&](std::size_t i, std::size_t j) { return static_cast<std::uint32_t>(vertex(terrain, i, j)); };
  for (std::size_t i = 0; i + 1 < terrain.rows; ++i)
    for (std::size_t j = 0; j + 1 < terrain.cols; ++j) {
      const bool rises = rises_at(terrain.diagonal, i, j);
      mesh.triangles.push_back({at(i, j), at(i, j + 1), rises ? at(i + 1, j + 1) : at(i + 1, j)});
      mesh.triangles.push_back({at(i + 1, j + 1), at(i + 1, j), rises ? at(i, j) : at(i, j + 1)});
    }
  return mesh;
}

void open_cells(Terrain& terrain, double share, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution open(share);
  terrain.holes.resize((terrain.rows - 1) * (terrain.cols - 1));
  for (std::uint8_t& hole : terrain.holes) hole = open(random) ? 1 : 0;
}

}  // namespace oclide::test
