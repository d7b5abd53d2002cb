// Grids. A body is in the cell of its low corner, at the level whose cells are at least as large as it is. It is held
// against the bodies of its own level, half of the cells around it, and against those of all coarser levels that it can
// reach. Cells are runs of the sorted list. At its own level the runs are followed by pointers that only go forward;
// the coarser ones are found by a hash table of cells. The uniform grid has one level: of the largest body.
#pragma once

#include "structures/structure.hpp"

namespace oclide::bench::structures {

class Grid : public Structure {
 public:
  explicit Grid(bool hierarchical) : hierarchical_(hierarchical) {}

  void prepare(const Scene& scene) override {
    std::vector<double> sides;
    double largest = 0.0;
    for (const Box& b : scene.boxes) {
      sides.push_back(longest_side(b));
      largest = std::max(largest, sides.back());
    }
    level_of_.assign(scene.count(), 0);
    levels_.clear();
    if (!hierarchical_) {
      levels_.push_back({largest * kCellSlack, largest});
      return;
    }
    // Cells of the largest body, of a quarter of that, and so on, where bodies need them.
    const auto steps_below = [&](double side) {
      return static_cast<int>(std::log(largest / side) / std::log(kLevelFactor));
    };
    std::vector<int> steps;
    for (const double side : sides) steps.push_back(steps_below(side));
    std::vector<int> occurring = steps;
    std::sort(occurring.begin(), occurring.end(), std::greater<>());
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
    for (const int s : occurring) levels_.push_back({largest / std::pow(kLevelFactor, s) * kCellSlack, 0.0});
    for (std::size_t i = 0; i < scene.count(); ++i) {
      const auto at = std::lower_bound(occurring.begin(), occurring.end(), steps[i], std::greater<>());
      level_of_[i] = static_cast<std::uint8_t>(at - occurring.begin());
      Level& level = levels_[level_of_[i]];
      level.largest = std::max(level.largest, sides[i]);
    }
  }

  void build(const Scene& scene) override {
    std::array<double, 3> high{-kFar, -kFar, -kFar};
    origin_ = {kFar, kFar, kFar};
    for (const Box& b : scene.boxes)
      for (std::size_t a = 0; a < 3; ++a) {
        origin_[a] = std::min(origin_[a], static_cast<double>(b.low[a]));
        high[a] = std::max(high[a], static_cast<double>(b.low[a]));
      }
    // One empty cell at the end of each row, column and stack: neighbours of border cells are empty, not others' cells.
    cells_ = 0;
    for (Level& l : levels_) {
      for (std::size_t a = 0; a < 3; ++a)
        l.size[a] = static_cast<std::uint64_t>((high[a] - origin_[a]) * l.per_metre()) + 2;
      l.first = cells_;
      cells_ += l.size[0] * l.size[1] * l.size[2];
    }
    const auto bits = static_cast<unsigned>(std::bit_width(cells_ * scene.environments));
    sort_by(scene, bits, [&](std::size_t i) {
      const Level& l = levels_[level_of_[i]];
      const Box& b = scene.boxes[i];
      std::array<std::uint64_t, 3> cell{};
      for (std::size_t a = 0; a < 3; ++a)
        cell[a] = static_cast<std::uint64_t>((static_cast<double>(b.low[a]) - origin_[a]) * l.per_metre());
      return scene.environment(i) * cells_ + l.key(cell[0], cell[1], cell[2]);
    });
    boxes_.gather(scene.boxes, bodies_);

    cell_begin_.clear();
    for (std::uint32_t i = 0; i < keys_.size(); ++i)
      if (i == 0 || keys_[i] != keys_[i - 1]) cell_begin_.push_back(i);
    cell_begin_.push_back(static_cast<std::uint32_t>(keys_.size()));
    if (levels_.size() < 2) return;
    std::size_t coarse = 0;
    for (std::size_t c = 0; c + 1 < cell_begin_.size(); ++c) coarse += is_coarse(keys_[cell_begin_[c]]) ? 1 : 0;
    table_.assign(std::bit_ceil(2 * coarse + 2), Slot{});
    for (std::size_t c = 0; c + 1 < cell_begin_.size(); ++c) {
      const std::uint64_t key = keys_[cell_begin_[c]];
      if (is_coarse(key)) *slot_of(key) = {key, cell_begin_[c], cell_begin_[c + 1]};
    }
  }

  void query(PairList& to) override {
    tests_ = 0;
    visit_cells([&](std::uint32_t begin, std::uint32_t end, std::uint32_t own_end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        const Query query(boxes_.box(i));
        test(query, i, {i + 1, own_end}, to);
        for (const Run& run : runs_) test(query, i, run, to);
      }
    });
  }

  [[nodiscard]] double predicted_tests() const override {
    // Bodies that share a cell are all held against each other.
    double sum = 0.0;
    for (std::size_t c = 0; c + 1 < cell_begin_.size(); ++c) {
      const auto n = static_cast<double>(cell_begin_[c + 1] - cell_begin_[c]);
      sum += 0.5 * n * n;
    }
    return sum;
  }

 private:
  static constexpr double kLevelFactor = 4.0;  // 2 has more levels to ask and took 1.2 to 1.9 times as long

  struct Level {
    double cell = 0.0, largest = 0.0;  // [m] side of a cell; of the largest body
    std::uint64_t first = 0;           // its first cell's number
    std::array<std::uint64_t, 3> size{};
    [[nodiscard]] double per_metre() const { return 1.0 / cell; }
    [[nodiscard]] std::uint64_t key(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
      return first + (z * size[1] + y) * size[0] + x;
    }
  };
  struct Run {
    std::uint32_t begin, end;
  };
  struct Slot {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t begin = 0, end = 0;
  };

  [[nodiscard]] bool is_coarse(std::uint64_t key) const { return key % cells_ >= levels_[1].first; }

  // Where the key is, or the empty slot where it belongs.
  Slot* slot_of(std::uint64_t key) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = (key * 0x9E3779B97F4A7C15U) >> 32 & mask;
    while (table_[at].key != key && table_[at].end != 0) at = (at + 1) & mask;
    return &table_[at];
  }

  void test(const Query& query, std::uint32_t i, Run run, PairList& to) {
    for (std::uint32_t j = run.begin; j < run.end; j += kWidth) {
      tests_ += kWidth;
      unsigned bits =
          bits_of(and_of(query.meets(boxes_, j, 0), and_of(query.meets(boxes_, j, 1), query.meets(boxes_, j, 2))));
      if (run.end - j < kWidth) bits &= (1U << (run.end - j)) - 1;
      for (; bits != 0; bits &= bits - 1)
        to.add(bodies_[i], bodies_[j + static_cast<unsigned>(std::countr_zero(bits))]);
    }
  }

  // Calls visit(begin, end, end of the run that begins with the cell) for each cell, with runs_ set.
  template <typename Visit>
  void visit_cells(const Visit& visit) {
    const auto n = static_cast<std::uint32_t>(keys_.size());
    std::array<std::uint32_t, 4> at{};
    for (std::size_t c = 0; c + 1 < cell_begin_.size(); ++c) {
      const std::uint32_t begin = cell_begin_[c], end = cell_begin_[c + 1];
      const std::uint64_t key = keys_[begin], in_environment = key % cells_;
      std::size_t rank = 0;
      while (rank + 1 < levels_.size() && in_environment >= levels_[rank + 1].first) ++rank;
      const std::uint64_t row = levels_[rank].size[0], layer = row * levels_[rank].size[1];

      runs_.clear();
      std::uint32_t own_end = end;
      while (own_end < n && keys_[own_end] == key + 1) ++own_end;
      const std::array<std::uint64_t, 4> middle{key + row, key + layer - row, key + layer, key + layer + row};
      for (std::size_t k = 0; k < 4; ++k) {
        while (at[k] < n && keys_[at[k]] < middle[k] - 1) ++at[k];
        std::uint32_t last = at[k];
        while (last < n && keys_[last] <= middle[k] + 1) ++last;
        if (last > at[k]) runs_.push_back({at[k], last});
      }
      if (rank + 1 < levels_.size()) find_coarser(begin, end, rank, key - in_environment);
      visit(begin, end, own_end);
    }
  }

  void find_coarser(std::uint32_t begin, std::uint32_t end, std::size_t rank, std::uint64_t environment_key) {
    Box all = boxes_.box(begin);
    for (std::uint32_t i = begin + 1; i < end; ++i) all = join(all, boxes_.box(i));
    for (++rank; rank < levels_.size(); ++rank) {
      const Level& l = levels_[rank];
      std::array<std::uint64_t, 3> low{}, high{};
      for (std::size_t a = 0; a < 3; ++a) {
        const double from = (static_cast<double>(all.low[a]) - l.largest * kCellSlack - origin_[a]) * l.per_metre();
        const double to = (static_cast<double>(all.high[a]) - origin_[a]) * l.per_metre();
        low[a] = static_cast<std::uint64_t>(std::max(from, 0.0));
        high[a] = std::min(static_cast<std::uint64_t>(to), l.size[a] - 2);
      }
      for (std::uint64_t z = low[2]; z <= high[2]; ++z)
        for (std::uint64_t y = low[1]; y <= high[1]; ++y)
          for (std::uint64_t x = low[0]; x <= high[0]; ++x) {
            const Slot* slot = slot_of(environment_key + l.key(x, y, z));
            if (slot->end == 0) continue;
            if (!runs_.empty() && runs_.back().end == slot->begin)
              runs_.back().end = slot->end;
            else
              runs_.push_back({slot->begin, slot->end});
          }
    }
  }

  bool hierarchical_;
  std::vector<std::uint8_t> level_of_;
  std::vector<Level> levels_;
  std::array<double, 3> origin_{};
  std::uint64_t cells_ = 0;  // of an environment, all levels
  Columns boxes_;
  std::vector<std::uint32_t> cell_begin_;
  std::vector<Slot> table_;
  std::vector<Run> runs_;  // what the bodies of the present cell are held against, but for its own run
};

}  // namespace oclide::bench::structures
