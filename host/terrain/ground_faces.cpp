#include "terrain/ground_faces.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace oclide {
namespace {

constexpr std::size_t kTile = FACE_TILE, kCells = kTile * kTile;
constexpr std::uint32_t kFlatRight = CELL_FLAT, kFlatUp = CELL_FLAT << 1, kFlatDiagonal = CELL_FLAT << 2;
constexpr std::uint8_t kNoNumber = 0xFF;
constexpr std::uint16_t kNoCell = 0xFFFF;
enum Side : std::uint8_t { kBelow, kLeft, kAbove, kRight };

std::size_t tiles(std::size_t cells) {
  return (cells - 1) / kTile + 1;
}

// Sets whose least member is the root.
template <typename Index>
struct Sets {
  std::span<Index> parent;

  Index root(Index n) const {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  }
  void join(Index a, Index b) const {
    a = root(a), b = root(b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  // Makes each one's parent its root.
  void flatten() const {
    for (Index& p : parent) p = parent[p];
  }
};

// Is every edge inside the tile flat?
bool is_whole(const std::uint8_t* flags, std::size_t pitch, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint8_t* row = flags + i * pitch;
    std::uint32_t all = row[0] | kFlatUp;
    for (std::size_t j = 1; j < cols; ++j) all &= row[j];
    const std::uint32_t inside = kFlatDiagonal | kFlatUp | (i > 0 ? kFlatRight : 0U);
    if ((all & inside) != inside) return false;
  }
  return true;
}

}  // namespace

std::size_t face_names(std::size_t rows, std::size_t cols) {
  const std::size_t count = tiles(rows) * tiles(cols);
  return count > 1 ? count * FACE_NAMES : 0;
}

GroundFaces::GroundFaces(std::size_t rows, std::size_t cols)
    : rows_(rows),
      cols_(cols),
      tile_rows_(tiles(rows)),
      tile_cols_(tiles(cols)),
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
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](const auto& range) {
    for (std::size_t k = range.begin(); k < range.end(); ++k) {
      const std::size_t i = k / columns * kTile, j = k % columns * kTile;
      const std::size_t tile_i = (part.first_i + i) / kTile, tile_j = (part.first_j + j) / kTile;
      Border found = label_tile(tile_i, tile_j, flags + i * flag_pitch + j, flag_pitch, labels + i * label_pitch + j,
                                label_pitch);
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
  // Second elements come after all first ones, so that the root of a face is its first cell.
  const auto element = [](std::size_t i, std::size_t j, std::size_t k = 0) {
    return static_cast<std::uint16_t>(k * kCells + i * kTile + j);
  };
  std::array<std::uint16_t, 2 * kCells> parent;
  if (is_whole(flags, flag_pitch, rows, cols)) {
    parent.fill(0);
  } else {
    std::iota(parent.begin(), parent.end(), std::uint16_t{0});
    const Sets<std::uint16_t> sets{parent};
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) {
        if (flat(i, j, kFlatDiagonal)) sets.join(element(i, j), element(i, j, 1));
        if (i > 0 && flat(i, j, kFlatRight)) sets.join(element(i, j), element(i - 1, j, 1));
        if (j > 0 && flat(i, j, kFlatUp)) sets.join(element(i, j), element(i, j - 1, 1));
      }
    sets.flatten();
  }

  Border border;
  for (auto& side : border.number) side.fill(kNoNumber);
  std::array<std::uint8_t, 2 * kCells> number_of;
  number_of.fill(kNoNumber);
  const auto number = [&](std::uint16_t of) {
    const std::uint16_t root = parent[of];
    if (number_of[root] == kNoNumber) {
      number_of[root] = static_cast<std::uint8_t>(border.first.size());
      border.first.push_back(root < kCells ? root : kNoCell);
    }
    return number_of[root];
  };
  for (std::size_t j = 0; j < cols; ++j) {
    if (tile_i > 0 && flat(0, j, kFlatRight)) border.number[kBelow][j] = number(element(0, j));
    if (tile_i + 1 < tile_rows_ && flat(rows, j, kFlatRight))
      border.number[kAbove][j] = number(element(rows - 1, j, 1));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (tile_j > 0 && flat(i, 0, kFlatUp)) border.number[kLeft][i] = number(element(i, 0));
    if (tile_j + 1 < tile_cols_ && flat(i, cols, kFlatUp)) border.number[kRight][i] = number(element(i, cols - 1, 1));
  }

  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const std::uint16_t root = parent[element(i, j)];
      labels[i * label_pitch + j] = number_of[root] == kNoNumber
                                        ? root
                                        : static_cast<std::uint16_t>(FACE_LEADS_OUT | std::uint32_t{number_of[root]});
    }
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
  const Sets<std::uint32_t> sets{parent};

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
  sets.flatten();

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
