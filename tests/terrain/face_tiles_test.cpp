// The tables of faces against a walk over flat edges: names of cells, for grids of several tiles, anew and after
// updates of parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/sweep.hpp"
#include "terrain/ground_faces.hpp"

namespace oclide::test {
namespace {

constexpr std::uint8_t kRight = CELL_FLAT, kUp = CELL_FLAT << 1, kDiagonal = CELL_FLAT << 2;
constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

struct FlagGrid {
  std::size_t rows, cols;
  std::uint32_t rising;  // RISING_*
  std::vector<std::uint8_t> flags;

  FlagGrid(std::size_t i, std::size_t j, std::uint32_t rising_cells)
      : rows(i), cols(j), rising(rising_cells), flags(i * j, 0) {}
  [[nodiscard]] bool rises(std::size_t i, std::size_t j) const {
    return (rising & ((i + j) % 2 == 0 ? RISING_EVEN : RISING_ODD)) != 0;
  }
  [[nodiscard]] bool flat(std::size_t i, std::size_t j, std::uint8_t edge) const {
    return i < rows && j < cols && (flags[i * cols + j] & edge) != 0;
  }
  // Flags of random edges, of a part; no edge of the first row and column is flat but their diagonals.
  void shuffle(std::mt19937_64& random, const GroundFaces::Part& part, double share) {
    std::bernoulli_distribution flat(share);
    for (std::size_t i = part.first_i; i < part.end_i; ++i)
      for (std::size_t j = part.first_j; j < part.end_j; ++j) {
        const int right = i > 0 && flat(random) ? kRight : 0, up = j > 0 && flat(random) ? kUp : 0;
        flags[i * cols + j] = static_cast<std::uint8_t>(right | up | (flat(random) ? kDiagonal : 0));
      }
  }
};

// For each cell, the first one whose element 1 is in the face of this one's.
std::vector<std::uint32_t> walk(const FlagGrid& g) {
  std::vector<std::uint32_t> found(2 * g.flags.size(), kUnknown);  // of elements
  std::vector<std::size_t> ahead;
  for (std::size_t first = 0; first < found.size(); first += 2) {
    if (found[first] == kUnknown) ahead.push_back(first);
    while (!ahead.empty()) {
      const std::size_t e = ahead.back(), i = e / 2 / g.cols, j = e / 2 % g.cols;
      ahead.pop_back();
      if (found[e] != kUnknown) continue;
      found[e] = static_cast<std::uint32_t>(first / 2);
      const bool second = e % 2 == 1;
      if (g.flat(i, j, kDiagonal)) ahead.push_back(e ^ 1U);
      if (!second && g.flat(i, j, kRight)) ahead.push_back(e - 2 * g.cols + 1);
      if (second && g.flat(i + 1, j, kRight)) ahead.push_back(e + 2 * g.cols - 1);
      // On the left is the first element where the diagonal falls, the second one where it rises.
      const bool on_left = second == g.rises(i, j);
      if (on_left && g.flat(i, j, kUp)) ahead.push_back(e / 2 * 2 - 2 + (g.rises(i, j - 1) ? 0 : 1));
      if (!on_left && g.flat(i, j + 1, kUp)) ahead.push_back(e / 2 * 2 + 2 + (g.rises(i, j + 1) ? 1 : 0));
    }
  }
  std::vector<std::uint32_t> of_cells;
  for (std::size_t e = 0; e < found.size(); e += 2) of_cells.push_back(found[e]);
  return of_cells;
}

// Names of cells as the tables say them, kept up to date by parts.
class Tables {
 public:
  explicit Tables(const FlagGrid& g) : grid_(g), faces_(g.rows, g.cols, g.rising), labels_(g.flags.size()) {
    faces_.label(faces_.whole(), grid_.flags.data(), grid_.cols, labels_.data(), grid_.cols);
    take_names();
  }

  void update(const GroundFaces::Part& cells) {
    const GroundFaces::Part tiles = faces_.tiles_of(cells);
    const std::size_t at = tiles.first_i * grid_.cols + tiles.first_j;
    faces_.label(tiles, &grid_.flags[at], grid_.cols, &labels_[at], grid_.cols);
    take_names();
  }

  [[nodiscard]] std::vector<std::uint32_t> of_cells() const {
    std::vector<std::uint32_t> names;
    const std::size_t tiles = (grid_.cols - 1) / FACE_TILE + 1;
    for (std::size_t i = 0; i < grid_.rows; ++i)
      for (std::size_t j = 0; j < grid_.cols; ++j) {
        const std::uint32_t label = labels_[i * grid_.cols + j];
        const std::size_t tile_i = i / FACE_TILE, tile_j = j / FACE_TILE;
        names.push_back((label & FACE_LEADS_OUT) != 0
                            ? names_[(tile_i * tiles + tile_j) * FACE_NAMES + (label & ~FACE_LEADS_OUT)]
                            : static_cast<std::uint32_t>((tile_i * FACE_TILE + label / FACE_TILE) * grid_.cols +
                                                         tile_j * FACE_TILE + label % FACE_TILE));
      }
    return names;
  }

 private:
  // Only the range that join() says.
  void take_names() {
    const GroundFaces::Range range = faces_.join();
    names_.resize(faces_.names().size());
    std::copy_n(faces_.names().begin() + static_cast<std::ptrdiff_t>(range.first), range.end - range.first,
                names_.begin() + static_cast<std::ptrdiff_t>(range.first));
  }

  const FlagGrid& grid_;
  GroundFaces faces_;
  std::vector<std::uint16_t> labels_;
  std::vector<std::uint32_t> names_;
};

// Shares of flat edges: none, islands, a maze about as large as the grid, few edges that are not flat, all.
constexpr double kShares[] = {0.0, 0.3, 0.6, 0.65, 0.7, 0.9, 0.999, 1.0};
constexpr std::uint32_t kRisingCells[] = {0, RISING_EVEN, RISING_ODD};

TEST(FaceTiles, NameWhatAWalkReaches) {
  std::mt19937_64 random(1);
  for (const double share : kShares)
    for (const auto& [rows, cols] : {std::pair(1, 1), {1, 300}, {300, 1}, {64, 64}, {65, 64}, {63, 130}, {150, 201}})
      for (const std::uint32_t rising : kRisingCells) {
        FlagGrid g(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), rising);
        g.shuffle(random, {0, 0, g.rows, g.cols}, share);
        ASSERT_EQ(Tables(g).of_cells(), walk(g)) << rows << " x " << cols << ", " << share << ", " << rising;
      }
}

TEST(FaceTiles, AfterUpdatesOfPartsNameWhatAWalkReaches) {
  std::mt19937_64 random(2);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t round = 0;
  for (const double share : kShares) {
    FlagGrid g(140, 201, kRisingCells[round++ % 3]);
    g.shuffle(random, {0, 0, g.rows, g.cols}, share);
    Tables tables(g);
    for (int k = 0; k < (kTakesItsTime ? 40 : 5); ++k) {
      // Some parts begin or end at a border of tiles; one cell, a few, or many.
      const std::size_t size = k % 3 == 0 ? 1 : k % 3 == 1 ? 10 : 80;
      const std::size_t rows = 1 + below(size), cols = 1 + below(size);
      const std::size_t i = k % 4 == 0 ? 64 : below(g.rows - rows), j = k % 5 == 0 ? 128 - cols : below(g.cols - cols);
      const GroundFaces::Part part{i, j, std::min(i + rows, g.rows), j + cols};
      g.shuffle(random, part, k % 2 == 0 ? share : 1.0 - share);
      tables.update(part);
      ASSERT_EQ(tables.of_cells(), walk(g)) << share << ", " << k;
    }
  }
}

}  // namespace
}  // namespace oclide::test
