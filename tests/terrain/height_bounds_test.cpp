// Open cells and the pyramid of height bounds on the device, against the heights.
#include <cfloat>
#include <cmath>
#include <optional>

#include "opencl/first_device.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"
#include "terrain/terrain_buffers.hpp"

namespace oclide::test {
namespace {

class HeightBounds : public OnOpenCl {
 protected:
  static opencl::Device& device() {
    static opencl::Device device(Settings{}, first_device().value());
    return device;
  }
  TerrainBuffers& buffers() {
    if (!buffers_) buffers_.emplace(device());
    return *buffers_;
  }

  // All entries of all terrains, level after level.
  std::vector<cl_float2> bounds() {
    std::vector<cl_float2> all(buffers().bounds().size());
    buffers().bounds().download(all);
    return all;
  }

 private:
  std::optional<TerrainBuffers> buffers_;
};

bool is_open(const Terrain& t, std::size_t i, std::size_t j) {
  if (!t.holes.empty() && t.holes[cell(t, i, j)] != 0) return true;
  for (std::size_t k = 0; k < 4; ++k)
    if (std::isnan(t.heights[vertex(t, i + k / 2, j + k % 2)])) return true;
  return false;
}

struct Bounds {
  float lowest, highest;
};

// Of the cells [i0, i1) x [j0, j1): over all their vertices, whichever have data.
Bounds bounds_of_cells(const Terrain& t, std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
  Bounds b{FLT_MAX, -FLT_MAX};
  bool open = false;
  for (std::size_t i = i0; i < i1; ++i)
    for (std::size_t j = j0; j < j1; ++j) open = open || is_open(t, i, j);
  for (std::size_t i = i0; i <= i1; ++i)
    for (std::size_t j = j0; j <= j1; ++j) {
      const auto h = static_cast<float>(t.heights[vertex(t, i, j)]);
      if (std::isnan(h)) continue;
      b.lowest = std::min(b.lowest, h);
      b.highest = std::max(b.highest, h);
    }
  if (open) b.lowest = -FLT_MAX;
  return b;
}

// The whole pyramid of one terrain from its heights alone: level l has one entry for 4^l cells a side.
std::vector<Bounds> expected_bounds(const Terrain& t) {
  const std::size_t rows = t.rows - 1, cols = t.cols - 1;
  std::vector<Bounds> all;
  for (std::size_t block = 4;; block *= 4) {
    for (std::size_t i = 0; i < rows; i += block)
      for (std::size_t j = 0; j < cols; j += block)
        all.push_back(bounds_of_cells(t, i, std::min(i + block, rows), j, std::min(j + block, cols)));
    if (block >= rows && block >= cols) return all;
  }
}

testing::AssertionResult same_bounds(const std::vector<cl_float2>& found, const std::vector<Terrain>& terrains) {
  std::vector<Bounds> expected;
  for (const Terrain& t : terrains)
    for (const Bounds& b : expected_bounds(t)) expected.push_back(b);
  if (found.size() != expected.size())
    return testing::AssertionFailure() << found.size() << " entries, expected " << expected.size();
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k].s[0] != expected[k].lowest || found[k].s[1] != expected[k].highest)
      return testing::AssertionFailure() << "entry " << k << " is " << found[k].s[0] << " " << found[k].s[1]
                                         << ", expected " << expected[k].lowest << " " << expected[k].highest;
  return testing::AssertionSuccess();
}

Terrain random_terrain(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Terrain t = rough({rows, cols, {0.0, 0.0}, {1.0, 1.0}}, 100.0, seed);
  std::mt19937_64 random(seed + 1);
  for (double& h : t.heights)
    if (random() % 50 == 0) h = kNoData;
  if (seed % 2 == 0) open_cells(t, 0.05, seed);
  return t;
}

TEST_F(HeightBounds, OfGridsOfAnySizeAreThoseOfTheHeights) {
  const std::vector<std::pair<std::size_t, std::size_t>> sizes{{2, 2},    {2, 9},   {5, 4},   {5, 5},   {6, 5},
                                                               {17, 17},  {17, 33}, {18, 34}, {3, 257}, {65, 1025},
                                                               {66, 130}, {258, 3}, {101, 99}};
  std::uint64_t seed = 1;
  for (const auto& [rows, cols] : sizes) {
    const std::vector<Terrain> terrain{random_terrain(rows, cols, seed++)};
    buffers().set(terrain);
    EXPECT_TRUE(same_bounds(bounds(), terrain)) << rows << " x " << cols;
  }
}

TEST_F(HeightBounds, OfSeveralTerrainsLieOneAfterAnother) {
  const std::vector<Terrain> terrains{random_terrain(7, 9, 1), random_terrain(2, 2, 2), random_terrain(65, 40, 3)};
  buffers().set(terrains);
  EXPECT_TRUE(same_bounds(bounds(), terrains));
}

TEST_F(HeightBounds, WithoutAnyDataAreEmpty) {
  Terrain t = plane({5, 6, {0.0, 0.0}, {1.0, 1.0}}, 0, 0);
  t.heights.assign(t.heights.size(), kNoData);
  buffers().set({t});
  EXPECT_TRUE(same_bounds(bounds(), {t}));
}

TEST_F(HeightBounds, AfterUpdatesAnywhereAreThoseOfTheHeights) {
  std::vector<Terrain> terrains{random_terrain(37, 70, 1), random_terrain(18, 5, 2)};
  buffers().set(terrains);
  std::mt19937_64 random(4);
  for (int k = 0; k < 60; ++k) {
    const std::size_t which = random() % 2;
    Terrain& t = terrains[which];
    const std::size_t row = random() % t.rows, col = random() % t.cols;
    const std::size_t rows = 1 + random() % (t.rows - row), cols = 1 + random() % (t.cols - col);
    std::vector<double> heights(rows * cols);
    for (double& h : heights)
      h = random() % 10 == 0 ? kNoData : std::uniform_real_distribution<double>(-200.0, 200.0)(random);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) t.heights[vertex(t, row + i, col + j)] = heights[i * cols + j];
    buffers().update(which, row, col, rows, cols, heights);
    ASSERT_TRUE(same_bounds(bounds(), terrains)) << k << ": " << rows << " x " << cols << " at " << row << ", " << col;
  }
}

TEST_F(HeightBounds, OpenCellsAreHolesAndCellsWithoutData) {
  const Terrain t = random_terrain(23, 31, 2);
  buffers().set({t});
  std::vector<std::uint8_t> open(buffers().cell_flags().size());
  buffers().cell_flags().download(open);
  ASSERT_EQ(open.size(), 22U * 30U);
  for (std::size_t i = 0; i < 22; ++i)
    for (std::size_t j = 0; j < 30; ++j)
      ASSERT_EQ((open[cell(t, i, j)] & CELL_OPEN) != 0, is_open(t, i, j)) << i << ", " << j;
}

}  // namespace
}  // namespace oclide::test
