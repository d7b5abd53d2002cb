#include "terrain/ground_faces.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "shared/abi.h"

namespace oclide {
namespace {

constexpr std::size_t kBlock = FACE_BLOCK;
constexpr std::uint32_t kFlatRight = CELL_FLAT, kFlatUp = CELL_FLAT << 1, kFlatDiagonal = CELL_FLAT << 2;
constexpr std::uint32_t kAnyFlat = kFlatRight | kFlatUp | kFlatDiagonal;
constexpr std::uint32_t kInBlock = FACE_BLOCK * FACE_BLOCK;

// Of a block: no edge is flat; all of its elements are one face; or neither.
enum class Kind : std::uint8_t { none, whole, apart };

class Faces {
 public:
  Faces(std::span<const std::uint8_t> flags, std::size_t rows, std::size_t cols)
      : flags_(flags),
        rows_(rows),
        cols_(cols),
        block_rows_((rows - 1) / kBlock + 1),
        block_cols_((cols - 1) / kBlock + 1) {}

  std::vector<std::uint32_t> table() {
    if (!number_nodes()) return {};
    connect();
    return write();
  }

 private:
  // Calls visit(i, j) for the cells of a block.
  template <typename Visit>
  void for_cells(std::size_t bi, std::size_t bj, const Visit& visit) const {
    for (std::size_t i = bi * kBlock; i < std::min(rows_, (bi + 1) * kBlock); ++i)
      for (std::size_t j = bj * kBlock; j < std::min(cols_, (bj + 1) * kBlock); ++j) visit(i, j);
  }
  [[nodiscard]] std::uint32_t flags(std::size_t i, std::size_t j) const { return flags_[i * cols_ + j]; }

  [[nodiscard]] Kind kind_of(std::size_t bi, std::size_t bj) const {
    std::uint32_t any = 0;
    bool whole = true;
    for_cells(bi, bj, [&](std::size_t i, std::size_t j) {
      const std::uint32_t inside =
          kFlatDiagonal | (i % kBlock != 0 ? kFlatRight : 0U) | (j % kBlock != 0 ? kFlatUp : 0U);
      any |= flags(i, j);
      whole = whole && (flags(i, j) & inside) == inside;
    });
    return (any & kAnyFlat) == 0 ? Kind::none : whole ? Kind::whole : Kind::apart;
  }

  // A node stands for the first elements of a whole block, or of one cell of a block apart. False where there is none.
  bool number_nodes() {
    kinds_.resize(block_rows_ * block_cols_);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, block_rows_), [&](const auto& range) {
      for (std::size_t bi = range.begin(); bi < range.end(); ++bi)
        for (std::size_t bj = 0; bj < block_cols_; ++bj) kinds_[bi * block_cols_ + bj] = kind_of(bi, bj);
    });
    first_node_.resize(kinds_.size());
    std::uint32_t nodes = 0;
    for (std::size_t b = 0; b < kinds_.size(); ++b) {
      first_node_[b] = nodes;
      nodes += kinds_[b] == Kind::none ? 0 : kinds_[b] == Kind::whole ? 1 : kInBlock;
    }
    parent_.resize(nodes);
    std::iota(parent_.begin(), parent_.end(), 0U);
    return nodes > 0;
  }

  [[nodiscard]] std::uint32_t node(std::size_t i, std::size_t j) const {
    const std::size_t b = i / kBlock * block_cols_ + j / kBlock;
    return first_node_[b] +
           (kinds_[b] == Kind::apart ? static_cast<std::uint32_t>(i % kBlock * kBlock + j % kBlock) : 0U);
  }
  std::uint32_t root(std::uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  // The second element of each cell joins the first ones across its flat edges: those of its own cell, of the next to
  // the right, of the next up. Within a block that is whole, or without flat edges, there is nothing to join.
  void connect() {
    for (std::size_t bi = 0; bi < block_rows_; ++bi)
      for (std::size_t bj = 0; bj < block_cols_; ++bj) {
        const bool apart = kinds_[bi * block_cols_ + bj] == Kind::apart;
        for_cells(bi, bj, [&](std::size_t i, std::size_t j) {
          if (!apart && i % kBlock + 1 != kBlock && j % kBlock + 1 != kBlock) return;
          const bool own = (flags(i, j) & kFlatDiagonal) != 0;
          const bool right = j + 1 < cols_ && (flags(i, j + 1) & kFlatUp) != 0;
          const bool up = i + 1 < rows_ && (flags(i + 1, j) & kFlatRight) != 0;
          if (own && right) join(node(i, j), node(i, j + 1));
          if (own && up) join(node(i, j), node(i + 1, j));
          if (right && up) join(node(i, j + 1), node(i + 1, j));
        });
      }
  }

  // Parents come before their children, so names are there when they are asked for.
  std::vector<std::uint32_t> write() {
    const auto apart = static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), Kind::apart));
    std::vector<std::uint32_t> table(kinds_.size() + apart * kInBlock), name(parent_.size());
    const auto named = [&](std::uint32_t n, std::size_t i, std::size_t j) {
      const std::uint32_t r = root(n);
      return name[n] = r == n ? static_cast<std::uint32_t>(i * cols_ + j) & ~FACES_APART : name[r];
    };
    std::uint32_t list = 0;
    for (std::size_t bi = 0; bi < block_rows_; ++bi)
      for (std::size_t bj = 0; bj < block_cols_; ++bj) {
        const std::size_t b = bi * block_cols_ + bj;
        if (kinds_[b] == Kind::none) {
          table[b] = FACE_NONE;
        } else if (kinds_[b] == Kind::whole) {
          table[b] = named(first_node_[b], bi * kBlock, bj * kBlock);
        } else {
          table[b] = FACES_APART | list;
          const std::size_t at = kinds_.size() + std::size_t{list} * kInBlock;
          for_cells(bi, bj, [&](std::size_t i, std::size_t j) {
            table[at + i % kBlock * kBlock + j % kBlock] = named(node(i, j), i, j);
          });
          ++list;
        }
      }
    return table;
  }

  std::span<const std::uint8_t> flags_;
  std::size_t rows_, cols_, block_rows_, block_cols_;
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> first_node_, parent_;
};

}  // namespace

std::vector<std::uint8_t> flat_edges(const Terrain& t) {
  const std::size_t rows = t.rows - 1, cols = t.cols - 1;
  // Slopes along x and y of the elements of a cell; not numbers where it is open, so that nothing is flat there.
  struct Slopes {
    double x[2], y[2];
  };
  const auto slopes = [&](std::size_t i, std::size_t j) -> Slopes {
    const double* h = &t.heights[i * t.cols + j];
    const double open = t.holes.empty() || t.holes[i * cols + j] == 0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    const double* next = h + t.cols;
    const double all = open + 0.0 * (h[0] + h[1] + next[0] + next[1]);
    return {{(h[1] - h[0] + all) / t.spacing[0], (next[1] - next[0] + all) / t.spacing[0]},
            {(next[0] - h[0] + all) / t.spacing[1], (next[1] - h[1] + all) / t.spacing[1]}};
  };
  // |n1 x n2| <= 2^-12 |n1| |n2| of n = (-x, -y, 1).
  const auto flat = [](const Slopes& a, int ka, const Slopes& b, int kb) {
    const double ax = a.x[ka], ay = a.y[ka], bx = b.x[kb], by = b.y[kb];
    const double dx = ax - bx, dy = ay - by, turn = ax * by - ay * bx;
    return (dx * dx + dy * dy + turn * turn) * 0x1p24 <= (ax * ax + ay * ay + 1.0) * (bx * bx + by * by + 1.0);
  };
  std::vector<std::uint8_t> flags(rows * cols);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i)
      for (std::size_t j = 0; j < cols; ++j) {
        const Slopes own = slopes(i, j);
        std::uint32_t found = flat(own, 0, own, 1) ? kFlatDiagonal : 0U;
        if (i > 0 && flat(own, 0, slopes(i - 1, j), 1)) found |= kFlatRight;
        if (j > 0 && flat(own, 0, slopes(i, j - 1), 1)) found |= kFlatUp;
        flags[i * cols + j] = static_cast<std::uint8_t>(found);
      }
  });
  return flags;
}

std::vector<std::uint32_t> ground_faces(std::span<const std::uint8_t> flags, std::size_t rows, std::size_t cols) {
  return Faces(flags, rows, cols).table();
}

}  // namespace oclide
