#include "terrain/ground_faces.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

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

// That a face is called by a name, by so many of its cells.
struct Vote {
  std::uint32_t face, name;
  std::size_t cells;
};

// Of each of so many faces the name that most cells have for it, of equals the least.
std::vector<Vote> winners(std::vector<Vote>& votes, std::size_t faces) {
  std::vector<Vote> best(faces, {0, GroundFaces::kNoName, 0});
  std::sort(votes.begin(), votes.end(),
            [](const Vote& a, const Vote& b) { return std::tie(a.face, a.name) < std::tie(b.face, b.name); });
  for (std::size_t v = 0; v < votes.size();) {
    Vote sum = votes[v];
    for (++v; v < votes.size() && votes[v].face == sum.face && votes[v].name == sum.name; ++v)
      sum.cells += votes[v].cells;
    if (sum.cells > best[sum.face].cells) best[sum.face] = sum;
  }
  return best;
}

}  // namespace

std::size_t face_names(std::size_t rows, std::size_t cols, bool moves) {
  if (moves) return FACE_HEAD + tiles(rows + kTile - 1) * tiles(cols + kTile - 1) * FACE_NAMES;
  const std::size_t count = tiles(rows) * tiles(cols);
  return FACE_HEAD + (count > 1 ? count * FACE_NAMES : 0);
}

CellNumbers CellNumbers::moved(std::int64_t rows, std::int64_t columns, std::size_t cols) const {
  constexpr std::size_t kLeast = 1U << 15, kApart = 128;
  const bool is_enough = cols <= in_row || in_row >= kApart;
  return {row + static_cast<std::uint32_t>(rows), col + static_cast<std::uint32_t>(columns),
          is_enough ? in_row : static_cast<std::uint32_t>(std::max(kLeast, std::bit_ceil(cols)))};
}

GroundFaces::GroundFaces(std::size_t rows, std::size_t cols, std::uint32_t rising, const CellNumbers& numbers,
                         bool keeps)
    : keeps_(keeps) {
  set_size(rows, cols, rising, numbers);
}

GroundFaces::GroundFaces(std::size_t rows, std::size_t cols, std::uint32_t rising, const CellNumbers& numbers,
                         const std::vector<std::vector<std::uint32_t>>& kept)
    : GroundFaces(rows, cols, rising, numbers, true) {
  for (std::size_t t = 0; t < tiles_.size() && t < kept.size(); ++t) tiles_[t].kept = kept[t];
}

std::vector<std::vector<std::uint32_t>> GroundFaces::kept() const {
  std::vector<std::vector<std::uint32_t>> all;
  for (const Tile& tile : tiles_) all.push_back(tile.kept);
  return all;
}

void GroundFaces::set_size(std::size_t rows, std::size_t cols, std::uint32_t rising, const CellNumbers& numbers) {
  rows_ = rows, cols_ = cols, rising_ = rising, numbers_ = numbers;
  tile_rows_ = tiles(rows + numbers.row % kTile), tile_cols_ = tiles(cols + numbers.col % kTile);
  const std::size_t count = tile_rows_ * tile_cols_;
  tiles_.assign(count, {});
  for (Tile& tile : tiles_)
    for (auto& side : tile.border.number) side.fill(kNoNumber);
  names_.assign(keeps_ || count > 1 ? count * FACE_NAMES : 0, 0U);
}

void GroundFaces::keep() {
  if (keeps_) return;
  keeps_ = true;
  names_.resize(tiles_.size() * FACE_NAMES);
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    for (std::size_t n = 0; n < tiles_[t].border.first.size(); ++n)
      tiles_[t].kept.push_back(names_[t * FACE_NAMES + n]);
}

void GroundFaces::move(std::int64_t down, std::int64_t right, std::size_t rows, std::size_t cols,
                       std::uint32_t rising) {
  keep();
  const std::vector<Tile> before = std::exchange(tiles_, {});
  const CellNumbers from = numbers_;
  const std::size_t rows_before = tile_rows_, cols_before = tile_cols_;
  set_size(rows, cols, rising, numbers_.moved(down, right, cols));
  // By so many tiles they have moved, counted from the first tile of all.
  const auto tiles_by = [](std::int64_t cells, std::uint32_t first, std::uint32_t now) {
    return (cells + first % FACE_TILE - now % FACE_TILE) / FACE_TILE;
  };
  const std::int64_t by_i = tiles_by(down, from.row, numbers_.row), by_j = tiles_by(right, from.col, numbers_.col);
  for (std::size_t i = 0; i < tile_rows_; ++i)
    for (std::size_t j = 0; j < tile_cols_; ++j) {
      const auto old_i = static_cast<std::size_t>(static_cast<std::int64_t>(i) + by_i);
      const auto old_j = static_cast<std::size_t>(static_cast<std::int64_t>(j) + by_j);
      if (old_i < rows_before && old_j < cols_before) tiles_[i * tile_cols_ + j] = before[old_i * cols_before + old_j];
    }
  changed_ = true;
}

GroundFaces::Part GroundFaces::tiles_of(const Part& cells) const {
  // A tile looks at the flags of the cells next to its last ones.
  const auto begin = [](std::size_t first, std::uint32_t number) {
    const std::size_t before = number % kTile, at = (std::max<std::size_t>(first, 1) - 1 + before) / kTile * kTile;
    return std::max(at, before) - before;
  };
  const auto end = [](std::size_t last, std::uint32_t number, std::size_t count) {
    const std::size_t before = number % kTile;
    return std::min(count, tiles(last + before) * kTile - before);
  };
  return {begin(cells.first_i, numbers_.row), begin(cells.first_j, numbers_.col), end(cells.end_i, numbers_.row, rows_),
          end(cells.end_j, numbers_.col, cols_)};
}

GroundFaces::Part GroundFaces::with_next(const Part& tiles) const {
  return {tiles.first_i, tiles.first_j, std::min(rows_, tiles.end_i + 1), std::min(cols_, tiles.end_j + 1)};
}

void GroundFaces::label(const Part& part, const std::uint8_t* flags, std::size_t flag_pitch, std::uint16_t* labels,
                        std::size_t label_pitch) {
  const std::size_t tile_i = (part.first_i + numbers_.row % kTile) / kTile;
  const std::size_t tile_j = (part.first_j + numbers_.col % kTile) / kTile;
  const std::size_t columns = tiles(part.end_j + numbers_.col % kTile) - tile_j;
  const std::size_t count = (tiles(part.end_i + numbers_.row % kTile) - tile_i) * columns;
  std::atomic<bool> changed = false;
  parallel_for_ranges(count, 1, [&](IndexRange range) {
    for (std::size_t k = range.begin(); k < range.end(); ++k) {
      const std::size_t row = tile_i + k / columns, col = tile_j + k % columns;
      const std::size_t i = rows_of(row).first - part.first_i, j = cols_of(col).first - part.first_j;
      Tile found =
          label_tile(row, col, flags + i * flag_pitch + j, flag_pitch, labels + i * label_pitch + j, label_pitch);
      Tile& tile = tiles_[row * tile_cols_ + col];
      if (keeps_ || found.border != tile.border) changed = true;
      tile = std::move(found);
    }
  });
  changed_ = changed_ || changed;
}

GroundFaces::Tile GroundFaces::label_tile(std::size_t tile_i, std::size_t tile_j, const std::uint8_t* flags,
                                          std::size_t flag_pitch, std::uint16_t* labels,
                                          std::size_t label_pitch) const {
  // Rows and columns are counted from the tile's own first ones, which may be beside the grid.
  const std::size_t before_i = tile_i == 0 ? numbers_.row % kTile : 0,
                    before_j = tile_j == 0 ? numbers_.col % kTile : 0;
  const Range in_i = rows_of(tile_i), in_j = cols_of(tile_j);
  const std::size_t end_i = before_i + in_i.end - in_i.first, end_j = before_j + in_j.end - in_j.first;
  const auto at = [&](std::size_t i, std::size_t j) { return (i - before_i) * flag_pitch + j - before_j; };
  const auto label_at = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
    return labels[(i - before_i) * label_pitch + j - before_j];
  };
  const auto flat = [&](std::size_t i, std::size_t j, std::uint32_t edge) { return (flags[at(i, j)] & edge) != 0; };
  // The elements of a row of cells are a chain, which edges that are not flat cut into runs. Runs are joined where an
  // edge between two rows is flat. Of a cell whose diagonal rises element 1 is the one on the right.
  static_assert(kTile % 2 == 0, "cells of all tiles alternate alike");
  const std::uint32_t turn = numbers_.row + numbers_.col;  // rising_ is of the grid's first cell
  const auto first_of = [&](std::size_t i, std::size_t j) { return 2 * j + (rising_ >> ((i + j + turn) & 1U) & 1U); };
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
  const bool whole = is_whole(flags, flag_pitch, end_i - before_i, end_j - before_j);
  if (whole) {
    begin_run(static_cast<std::uint16_t>(before_i * kTile + before_j));
    for (auto& row : run) row.fill(0);
  }
  for (std::size_t i = before_i; !whole && i < end_i; ++i)
    for (std::size_t j = before_j; j < end_j; ++j) {
      const std::uint32_t own = flags[at(i, j)];
      const auto cell = static_cast<std::uint16_t>(i * kTile + j);
      for (std::size_t e = 2 * j; e < 2 * j + 2; ++e) {
        if (e == 2 * before_j || (own & (e % 2 == 0 ? kFlatUp : kFlatDiagonal)) == 0) begin_run(kNoCell);
        run[i][e] = static_cast<std::uint16_t>(runs - 1U);
        if (e != first_of(i, j)) continue;
        first[runs - 1U] = std::min(first[runs - 1U], cell);
        if (i > before_i && (own & kFlatRight) != 0) sets.join(run[i][e], run[i - 1][second_of(i - 1, j)]);
      }
    }
  sets.flatten(runs);
  for (std::size_t r = 0; r < runs; ++r) first[parent[r]] = std::min(first[parent[r]], first[r]);

  Tile tile;
  Border& border = tile.border;
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
  for (std::size_t j = before_j; j < end_j; ++j) {
    if (tile_i > 0 && flat(0, j, kFlatRight)) border.number[kBelow][j] = number(run[0][first_of(0, j)]);
    if (tile_i + 1 < tile_rows_ && flat(kTile, j, kFlatRight))
      border.number[kAbove][j] = number(run[kTile - 1][second_of(kTile - 1, j)]);
  }
  for (std::size_t i = before_i; i < end_i; ++i) {
    if (tile_j > 0 && flat(i, 0, kFlatUp)) border.number[kLeft][i] = number(run[i][0]);
    if (tile_j + 1 < tile_cols_ && flat(i, kTile, kFlatUp)) border.number[kRight][i] = number(run[i][2 * kTile - 1]);
  }

  const std::size_t own = tile_i * tile_cols_ + tile_j;
  if (keeps_) {
    // What it leads out by has a number; so has what is called by a cell of another tile.
    std::vector<Vote> votes;
    std::vector<std::uint16_t> elements(runs, 0);
    for (std::size_t i = before_i; i < end_i; ++i)
      for (std::size_t e = 2 * before_j; e < 2 * end_j; ++e) ++elements[parent[run[i][e]]];
    for (std::size_t i = before_i; i < end_i; ++i)
      for (std::size_t j = before_j; j < end_j; ++j) {
        const std::uint16_t had = label_at(i, j), root = parent[run[i][first_of(i, j)]];
        const bool is_alone = elements[root] == 1 && number_of[root] == kNoNumber;
        if (had == kNoLabel || is_alone) continue;
        const std::uint32_t name =
            (had & FACE_LEADS_OUT) == 0 ? number_in(own, had) : tiles_[own].kept[had & ~FACE_LEADS_OUT];
        if (name == kNoName) continue;
        if (!votes.empty() && votes.back().face == root && votes.back().name == name)
          ++votes.back().cells;
        else
          votes.push_back({root, name, 1});
      }
    const std::vector<Vote> kept = winners(votes, runs);
    for (std::uint16_t r = 0; r < runs; ++r) {
      if (parent[r] != r || number_of[r] != kNoNumber || kept[r].name == kNoName) continue;
      const std::uint32_t from = (kept[r].name - number_in(own, 0)) & (CELL_NUMBERS - 1U);
      if (from / numbers_.in_row < kTile && from % numbers_.in_row < kTile)
        first[r] = static_cast<std::uint16_t>(from / numbers_.in_row * kTile + from % numbers_.in_row);
      else if (border.first.size() < kNoNumber)
        (void)number(r);
    }
    tile.kept.resize(border.first.size());
    tile.cells.resize(border.first.size());
    for (std::size_t r = 0; r < runs; ++r)
      if (number_of[r] != kNoNumber)
        tile.kept[number_of[r]] = kept[r].name, tile.cells[number_of[r]] = static_cast<std::uint16_t>(kept[r].cells);
  } else {
    tile.cells.resize(border.first.size());
    for (std::size_t i = before_i; !border.first.empty() && i < end_i; ++i)
      for (std::size_t j = before_j; j < end_j; ++j)
        if (const std::uint8_t n = number_of[parent[run[i][first_of(i, j)]]]; n != kNoNumber) ++tile.cells[n];
  }
  // Roots come before the others.
  for (std::size_t r = 0; r < runs; ++r) {
    const std::uint16_t root = parent[r];
    first[r] = number_of[root] == kNoNumber
                   ? first[root]
                   : static_cast<std::uint16_t>(FACE_LEADS_OUT | std::uint32_t{number_of[root]});
  }
  for (std::size_t i = before_i; i < end_i; ++i)
    for (std::size_t j = before_j; j < end_j; ++j) label_at(i, j) = first[run[i][first_of(i, j)]];
  return tile;
}

GroundFaces::Range GroundFaces::join() {
  if (!changed_) return {};
  changed_ = false;
  std::vector<std::uint32_t> begin(tiles_.size() + 1, 0U);
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    begin[t + 1] = begin[t] + static_cast<std::uint32_t>(tiles_[t].border.first.size());
  std::vector<std::uint32_t> parent(begin.back());
  std::iota(parent.begin(), parent.end(), 0U);
  const Sets<std::uint32_t> sets{parent.data()};

  // Tiles a and b, side by side: what leads out of the one leads into the other.
  const auto connect = [&](std::size_t a, Side side_a, std::size_t b, Side side_b) {
    const auto &from = tiles_[a].border.number[side_a], &to = tiles_[b].border.number[side_b];
    for (std::size_t k = 0; k < kTile; ++k) {
      if (from[k] == kNoNumber || (k > 0 && from[k] == from[k - 1] && to[k] == to[k - 1])) continue;
      sets.join(begin[a] + from[k], begin[b] + to[k]);
    }
  };
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    if (t >= tile_cols_) connect(t, kBelow, t - tile_cols_, kAbove);
    if (t % tile_cols_ != 0) connect(t, kLeft, t - 1, kRight);
  }
  sets.flatten(parent.size());

  std::vector<std::uint32_t> least(parent.size(), std::numeric_limits<std::uint32_t>::max());
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    for (std::size_t n = 0; n < tiles_[t].border.first.size(); ++n) {
      const std::uint16_t first = tiles_[t].border.first[n];
      if (first == kNoCell) continue;
      std::uint32_t& name = least[parent[begin[t] + n]];
      name = std::min(name, number_in(t, first));
    }
  }
  if (keeps_) {
    std::vector<Vote> votes;
    for (std::size_t t = 0; t < tiles_.size(); ++t)
      for (std::size_t n = 0; n < tiles_[t].kept.size(); ++n)
        if (tiles_[t].kept[n] != kNoName)
          votes.push_back({parent[begin[t] + n], tiles_[t].kept[n], tiles_[t].cells[n]});
    const std::vector<Vote> kept = winners(votes, parent.size());
    for (std::size_t f = 0; f < least.size(); ++f)
      if (kept[f].name != kNoName) least[f] = kept[f].name;
  }
  Range changed{names_.size(), 0};
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    for (std::size_t n = 0; n < tiles_[t].border.first.size(); ++n) {
      const std::size_t k = t * FACE_NAMES + n;
      const std::uint32_t name = least[parent[begin[t] + n]];
      if (keeps_) tiles_[t].kept[n] = name;
      if (names_[k] == name) continue;
      names_[k] = name;
      changed = {std::min(changed.first, k), k + 1};
    }
  return changed.end > 0 ? changed : Range{};
}

}  // namespace oclide
