#include "terrain/ground_faces.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

constexpr std::size_t kTile = FACE_TILE, kCells = kTile * kTile;
constexpr std::uint8_t kFlatRight = CELL_FLAT, kFlatUp = CELL_FLAT << 1, kFlatDiagonal = CELL_FLAT << 2;
constexpr std::uint8_t kFlat = kFlatRight | kFlatUp | kFlatDiagonal;
constexpr std::uint8_t kNoNumber = 0xFF;
constexpr std::uint16_t kNoCell = 0xFFFF;
enum Side : std::uint8_t { kBelow, kLeft, kAbove, kRight };

std::size_t tiles(std::size_t cells) {
  return (cells - 1) / kTile + 1;
}

// Is every edge inside the tile flat?
bool is_whole(const std::uint8_t* flags, std::size_t pitch, std::size_t rows, std::size_t cols) {
  std::uint8_t all = kFlat;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint8_t* row = flags + i * pitch;
    std::uint8_t all_in_row = row[0] | kFlatUp;
    for (std::size_t j = 1; j < cols; ++j) all_in_row &= row[j];
    all &= all_in_row | (i == 0 ? kFlatRight : 0);
  }
  return all == kFlat;
}

// Sets whose least member is the root.
template <typename Index>
class Sets {
 public:
  explicit Sets(Index* parent) : parent_(parent) {}

  void join(Index a, Index b) const {
    if (parent_[a] == parent_[b]) return;
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  // Makes the parents of the first `count` their roots.
  void flatten(std::size_t count) const {
    for (std::size_t n = 0; n < count; ++n) parent_[n] = parent_[parent_[n]];
  }

 private:
  Index root(Index n) const {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

  Index* parent_;
};

}  // namespace

std::size_t face_names(std::size_t rows, std::size_t cols) {
  const std::size_t count = tiles(rows) * tiles(cols);
  return count > 1 ? count * FACE_NAMES : 0;
}

GroundFaces::GroundFaces(std::size_t rows, std::size_t cols, std::uint32_t rising)
    : rows_(rows),
      cols_(cols),
      tile_rows_(tiles(rows)),
      tile_cols_(tiles(cols)),
      rising_(rising),
      borders_(tile_rows_ * tile_cols_),
      names_(face_names(rows, cols)) {
  for (Border& border : borders_)
    for (auto& side : border.number) side.fill(kNoNumber);
}

GroundFaces::Part GroundFaces::tiles_of(const Part& cells) const {
  // A tile looks at the flags of the cells next to its last ones.
  const auto begin = [](std::size_t first) { return (std::max<std::size_t>(first, 1) - 1) / kTile * kTile; };
  return {begin(cells.first_i), begin(cells.first_j), std::min(rows_, tiles(cells.end_i) * kTile),
          std::min(cols_, tiles(cells.end_j) * kTile)};
}

GroundFaces::Part GroundFaces::with_next(const Part& tiles) const {
  return {tiles.first_i, tiles.first_j, std::min(rows_, tiles.end_i + 1), std::min(cols_, tiles.end_j + 1)};
}

void GroundFaces::label(const Part& part, const std::uint8_t* flags, std::size_t flag_pitch, std::uint16_t* labels,
                        std::size_t label_pitch) {
  const std::size_t columns = tiles(part.end_j - part.first_j), count = tiles(part.end_i - part.first_i) * columns;
  std::atomic<bool> changed = false;
  parallel_for_ranges(count, 1, [&](IndexRange range) {
    for (std::size_t k = range.begin(); k < range.end(); ++k) {
      const std::size_t i = k / columns * kTile, j = k % columns * kTile;
      const std::size_t tile_i = (part.first_i + i) / kTile, tile_j = (part.first_j + j) / kTile;
      Border found =
          label_tile(tile_i, tile_j, flags + i * flag_pitch + j, flag_pitch, labels + i * label_pitch + j, label_pitch);
      Border& border = borders_[tile_i * tile_cols_ + tile_j];
      if (found == border) continue;
      border = std::move(found);
      changed = true;
    }
  });
  changed_ = changed_ || changed;
}

GroundFaces::Border GroundFaces::label_tile(std::size_t tile_i, std::size_t tile_j, const std::uint8_t* flags,
                                            std::size_t flag_pitch, std::uint16_t* labels,
                                            std::size_t label_pitch) const {
  const std::size_t rows = std::min(kTile, rows_ - tile_i * kTile), cols = std::min(kTile, cols_ - tile_j * kTile);
  const auto flat = [&](std::size_t i, std::size_t j, std::uint32_t edge) {
    return (flags[i * flag_pitch + j] & edge) != 0;
  };
  // The elements of a row of cells are a chain, which edges that are not flat cut into runs. Runs are joined where an
  // edge between two rows is flat. Of a cell whose diagonal rises element 1 is the one on the right.
  static_assert(kTile % 2 == 0, "cells of all tiles alternate alike");
  const auto first_of = [&](std::size_t i, std::size_t j) { return 2 * j + (rising_ >> ((i + j) & 1U) & 1U); };
  const auto second_of = [&](std::size_t i, std::size_t j) { return 4 * j + 1 - first_of(i, j); };
  std::array<std::array<std::uint16_t, 2 * kTile>, kTile> run;  // of the elements, from left to right
  std::array<std::uint16_t, 2 * kCells> parent, first;          // of the runs; the first cell
  const Sets<std::uint16_t> sets{parent.data()};
  std::uint16_t runs = 0;
  const auto begin_run = [&](std::uint16_t first_cell) {
    first[runs] = first_cell;
    parent[runs] = runs;
    ++runs;
  };
  const bool whole = is_whole(flags, flag_pitch, rows, cols);
  if (whole) {
    begin_run(0);
    for (auto& row : run) row.fill(0);
  }
  for (std::size_t i = 0; !whole && i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const std::uint32_t own = flags[i * flag_pitch + j];
      const auto cell = static_cast<std::uint16_t>(i * kTile + j);
      for (std::size_t e = 2 * j; e < 2 * j + 2; ++e) {
        if (e == 0 || (own & (e % 2 == 0 ? kFlatUp : kFlatDiagonal)) == 0) begin_run(kNoCell);
        run[i][e] = static_cast<std::uint16_t>(runs - 1U);
        if (e != first_of(i, j)) continue;
        first[runs - 1U] = std::min(first[runs - 1U], cell);
        if (i > 0 && (own & kFlatRight) != 0) sets.join(run[i][e], run[i - 1][second_of(i - 1, j)]);
      }
    }
  sets.flatten(runs);
  for (std::size_t r = 0; r < runs; ++r) first[parent[r]] = std::min(first[parent[r]], first[r]);

  Border border;
  for (auto& side : border.number) side.fill(kNoNumber);
  std::array<std::uint8_t, 2 * kCells> number_of;
  std::fill_n(number_of.begin(), runs, kNoNumber);
  const auto number = [&](std::uint16_t of) {
    const std::uint16_t root = parent[of];
    if (number_of[root] == kNoNumber) {
      number_of[root] = static_cast<std::uint8_t>(border.first.size());
      border.first.push_back(first[root]);
    }
    return number_of[root];
  };
  for (std::size_t j = 0; j < cols; ++j) {
    if (tile_i > 0 && flat(0, j, kFlatRight)) border.number[kBelow][j] = number(run[0][first_of(0, j)]);
    if (tile_i + 1 < tile_rows_ && flat(rows, j, kFlatRight))
      border.number[kAbove][j] = number(run[rows - 1][second_of(rows - 1, j)]);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (tile_j > 0 && flat(i, 0, kFlatUp)) border.number[kLeft][i] = number(run[i][0]);
    if (tile_j + 1 < tile_cols_ && flat(i, cols, kFlatUp)) border.number[kRight][i] = number(run[i][2 * cols - 1]);
  }

  // Roots come before the others.
  for (std::size_t r = 0; r < runs; ++r) {
    const std::uint16_t root = parent[r];
    first[r] = number_of[root] == kNoNumber
                   ? first[root]
                   : static_cast<std::uint16_t>(FACE_LEADS_OUT | std::uint32_t{number_of[root]});
  }
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) labels[i * label_pitch + j] = first[run[i][first_of(i, j)]];
  return border;
}

GroundFaces::Range GroundFaces::join() {
  if (!changed_) return {};
  changed_ = false;
  std::vector<std::uint32_t> begin(borders_.size() + 1, 0U);
  for (std::size_t t = 0; t < borders_.size(); ++t)
    begin[t + 1] = begin[t] + static_cast<std::uint32_t>(borders_[t].first.size());
  std::vector<std::uint32_t> parent(begin.back());
  std::iota(parent.begin(), parent.end(), 0U);
  const Sets<std::uint32_t> sets{parent.data()};

  // Tiles a and b, side by side: what leads out of the one leads into the other.
  const auto connect = [&](std::size_t a, Side side_a, std::size_t b, Side side_b) {
    const auto &from = borders_[a].number[side_a], &to = borders_[b].number[side_b];
    for (std::size_t k = 0; k < kTile; ++k) {
      if (from[k] == kNoNumber || (k > 0 && from[k] == from[k - 1] && to[k] == to[k - 1])) continue;
      sets.join(begin[a] + from[k], begin[b] + to[k]);
    }
  };
  for (std::size_t t = 0; t < borders_.size(); ++t) {
    if (t >= tile_cols_) connect(t, kBelow, t - tile_cols_, kAbove);
    if (t % tile_cols_ != 0) connect(t, kLeft, t - 1, kRight);
  }
  sets.flatten(parent.size());

  std::vector<std::uint32_t> least(parent.size(), std::numeric_limits<std::uint32_t>::max());
  for (std::size_t t = 0; t < borders_.size(); ++t) {
    const std::size_t corner = t / tile_cols_ * kTile * cols_ + t % tile_cols_ * kTile;
    for (std::size_t n = 0; n < borders_[t].first.size(); ++n) {
      const std::uint16_t first = borders_[t].first[n];
      if (first == kNoCell) continue;
      std::uint32_t& name = least[parent[begin[t] + n]];
      name = std::min(name, static_cast<std::uint32_t>(corner + first / kTile * cols_ + first % kTile));
    }
  }
  Range changed{names_.size(), 0};
  for (std::size_t t = 0; t < borders_.size(); ++t)
    for (std::size_t n = 0; n < borders_[t].first.size(); ++n) {
      const std::size_t k = t * FACE_NAMES + n;
      const std::uint32_t name = least[parent[begin[t] + n]];
      if (names_[k] == name) continue;
      names_[k] = name;
      changed = {std::min(changed.first, k), k + 1};
    }
  return changed.end > 0 ? changed : Range{};
}

}  // namespace oclide
