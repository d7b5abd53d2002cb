// Broad-phase structures against each other: all pairs of overlapping boxes, by several structures, on one thread.
//
//   bench_structures [--scene NAME] [--structure NAME] [--repetitions N] [--limit SECONDS]
//
// Plain C++ in float, compiled for the machine it runs on, so that all have the same vector units; sorting, box tests
// of eight at a time, environments in the high bits of the keys and the list of pairs are shared. What depends on the
// sizes of bodies alone (levels, classes, cells) is found beforehand and not timed, as bodies keep their sizes from
// frame to frame. All must find the same pairs: number and hash are compared, a difference ends the program with
// status 1. Build and query are timed apart, in turn over the structures, in CPU time of the thread. One JSON object a
// line, a line a scene and structure. docs/broad_phase.md is written from the results.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace {

constexpr float kFar = std::numeric_limits<float>::max();
constexpr std::size_t kWidth = 8;             // boxes that are tested at once
constexpr double kSecondsPerTest = 0.25e-9;   // of brute structures, to predict what is hopeless
constexpr double kSecondsPerStructure = 4.0;  // of a scene: no further repetitions beyond it
constexpr double kCellSlack = 1.0 + 1e-6;     // cells are larger than bodies in spite of rounding

// The environment is a fourth coordinate: exact in float up to 2^24.
struct Box {
  std::array<float, 4> low, high;
};
constexpr Box kEmptyBox{{kFar, kFar, kFar, kFar}, {-kFar, -kFar, -kFar, -kFar}};

Box join(const Box& a, const Box& b) {
  Box both;
  for (std::size_t k = 0; k < 4; ++k) {
    both.low[k] = std::min(a.low[k], b.low[k]);
    both.high[k] = std::max(a.high[k], b.high[k]);
  }
  return both;
}

struct Scene {
  std::string name;
  std::vector<Box> boxes;
  std::uint64_t environments = 1;

  [[nodiscard]] std::size_t count() const { return boxes.size(); }
  [[nodiscard]] std::uint64_t environment(std::size_t i) const { return static_cast<std::uint64_t>(boxes[i].low[3]); }
  [[nodiscard]] unsigned environment_bits() const { return static_cast<unsigned>(std::bit_width(environments - 1)); }
};

double longest_side(const Box& b) {
  double longest = 0.0;
  for (std::size_t a = 0; a < 3; ++a)
    longest = std::max(longest, static_cast<double>(b.high[a]) - static_cast<double>(b.low[a]));
  return longest;
}

// ---------------------------------------------------------------------------------------------------------------------
// What all structures share

class PairList {
 public:
  void clear() { count_ = 0; }
  void add(std::uint32_t a, std::uint32_t b) {
    if (count_ == store_.size()) store_.resize(std::max<std::size_t>(4096, 2 * count_));
    store_[count_++] = std::uint64_t{a} << 32 | b;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  // The same for every order of the pairs and of the two bodies of each.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::uint64_t a = store_[k] >> 32, b = store_[k] & 0xFFFFFFFFU;
      std::uint64_t v = (std::min(a, b) << 32 | std::max(a, b)) + 0x9E3779B97F4A7C15U;
      v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9U;
      v = (v ^ v >> 27) * 0x94D049BB133111EBU;
      sum += v ^ v >> 31;
    }
    return sum;
  }

 private:
  std::vector<std::uint64_t> store_;
  std::size_t count_ = 0;
};

// Memory aligned to cache lines, so that no group of eight boxes straddles more lines than it must.
template <typename T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename U>
  explicit LineAllocator(const LineAllocator<U>& /*other*/) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t /*n*/) { ::operator delete (p, std::align_val_t{64}); }
  bool operator==(const LineAllocator& /*other*/) const { return true; }
};
template <typename T>
using Aligned = std::vector<T, LineAllocator<T>>;

// Eight lanes of float: bit k of the results is lane k.
#ifdef __AVX__
struct Lanes {
  __m256 lane;
};
Lanes load(const float* p) {
  return {_mm256_loadu_ps(p)};
}
Lanes spread(float x) {
  return {_mm256_set1_ps(x)};
}
Lanes less_equal(Lanes a, Lanes b) {
  return {_mm256_cmp_ps(a.lane, b.lane, _CMP_LE_OQ)};
}
Lanes and_of(Lanes a, Lanes b) {
  return {_mm256_and_ps(a.lane, b.lane)};
}
unsigned bits_of(Lanes met) {
  return static_cast<unsigned>(_mm256_movemask_ps(met.lane));
}
#else
struct Lanes {
  std::array<float, kWidth> lane;
};
Lanes load(const float* p) {
  Lanes l;
  std::memcpy(l.lane.data(), p, sizeof(l.lane));
  return l;
}
Lanes spread(float x) {
  Lanes l;
  l.lane.fill(x);
  return l;
}
Lanes less_equal(const Lanes& a, const Lanes& b) {
  Lanes l;
  for (std::size_t k = 0; k < kWidth; ++k) l.lane[k] = a.lane[k] <= b.lane[k] ? 1.0F : 0.0F;
  return l;
}
Lanes and_of(const Lanes& a, const Lanes& b) {
  Lanes l;
  for (std::size_t k = 0; k < kWidth; ++k) l.lane[k] = a.lane[k] * b.lane[k];
  return l;
}
unsigned bits_of(const Lanes& met) {
  unsigned bits = 0;
  for (std::size_t k = 0; k < kWidth; ++k) bits |= met.lane[k] > 0.0F ? 1U << k : 0U;
  return bits;
}
#endif

// Stable, by the low `bits` bits, 11 at a time; digits that are all equal are left out.
class RadixSort {
 public:
  void run(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values, unsigned bits) {
    keys_.resize(keys.size());
    values_.resize(values.size());
    for (unsigned shift = 0; shift < bits; shift += kDigit) {
      std::array<std::uint32_t, 1U << kDigit> at{};
      for (const std::uint64_t key : keys) ++at[digit(key, shift)];
      if (keys.empty() || at[digit(keys[0], shift)] == keys.size()) continue;
      std::uint32_t sum = 0;
      for (std::uint32_t& a : at) sum += std::exchange(a, sum);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint32_t to = at[digit(keys[i], shift)]++;
        keys_[to] = keys[i];
        values_[to] = values[i];
      }
      keys.swap(keys_);
      values.swap(values_);
    }
  }

 private:
  static constexpr unsigned kDigit = 11;
  static std::size_t digit(std::uint64_t key, unsigned shift) { return key >> shift & ((1U << kDigit) - 1); }
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> values_;
};

class Structure {
 public:
  Structure() = default;
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;
  virtual ~Structure() = default;
  // What depends on the sizes of the bodies alone.
  virtual void prepare(const Scene& scene) = 0;
  virtual void build(const Scene& scene) = 0;
  virtual void query(PairList& to) = 0;
  // Box tests that the query is going to make at least; known after build(), 0 where nothing bad can come.
  [[nodiscard]] virtual double predicted_tests() const { return 0.0; }
  [[nodiscard]] std::uint64_t tests() const { return tests_; }

 protected:
  std::uint64_t tests_ = 0;  // boxes that were compared by the last query
  RadixSort sort_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> bodies_;  // in the order of the keys

  template <typename KeyOf>
  void sort_by(const Scene& scene, unsigned bits, const KeyOf& key_of) {
    keys_.resize(scene.count());
    bodies_.resize(scene.count());
    for (std::size_t i = 0; i < scene.count(); ++i) {
      keys_[i] = key_of(i);
      bodies_[i] = static_cast<std::uint32_t>(i);
    }
    sort_.run(keys_, bodies_, bits);
  }
};

// Boxes in the order of keys, coordinate by coordinate, with eight empty ones after the last.
class Columns {
 public:
  void gather(const std::vector<Box>& boxes, const std::vector<std::uint32_t>& order) {
    const std::size_t n = order.size();
    for (std::size_t a = 0; a < 4; ++a) {
      low_[a].assign(n + kWidth, kFar);
      high_[a].assign(n + kWidth, -kFar);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < 4; ++a) {
        low_[a][i] = boxes[order[i]].low[a];
        high_[a][i] = boxes[order[i]].high[a];
      }
  }
  [[nodiscard]] Box box(std::size_t i) const {
    Box b;
    for (std::size_t a = 0; a < 4; ++a) {
      b.low[a] = low_[a][i];
      b.high[a] = high_[a][i];
    }
    return b;
  }
  [[nodiscard]] const float* low(std::size_t axis, std::size_t i) const { return low_[axis].data() + i; }
  [[nodiscard]] const float* high(std::size_t axis, std::size_t i) const { return high_[axis].data() + i; }

 private:
  std::array<std::vector<float>, 4> low_, high_;
};

// A box against many, without its environment.
struct Seeker {
  std::array<Lanes, 3> low, high;
  explicit Seeker(const Box& b)
      : low{spread(b.low[0]), spread(b.low[1]), spread(b.low[2])},
        high{spread(b.high[0]), spread(b.high[1]), spread(b.high[2])} {}
  [[nodiscard]] Lanes meets(const Columns& boxes, std::size_t i, std::size_t axis) const {
    return and_of(less_equal(load(boxes.low(axis, i)), high[axis]), less_equal(low[axis], load(boxes.high(axis, i))));
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Sort and sweep along the axis along which the centres vary most; environments one after the other

class SortAndSweep : public Structure {
 public:
  void prepare(const Scene& /*scene*/) override {}

  void build(const Scene& scene) override {
    std::array<double, 3> sum{}, squares{};
    for (const Box& b : scene.boxes)
      for (std::size_t a = 0; a < 3; ++a) {
        const double centre = static_cast<double>(b.low[a]) + static_cast<double>(b.high[a]);
        sum[a] += centre;
        squares[a] += centre * centre;
      }
    axis_ = 0;
    double most = -1.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double variance = squares[a] - sum[a] * sum[a] / static_cast<double>(scene.count());
      if (variance > most) {
        most = variance;
        axis_ = a;
      }
    }
    sort_by(scene, 32 + scene.environment_bits(), [&](std::size_t i) {
      const auto bits = std::bit_cast<std::uint32_t>(scene.boxes[i].low[axis_]);
      return scene.environment(i) << 32 | (bits ^ ((bits >> 31) != 0 ? 0xFFFFFFFFU : 0x80000000U));
    });
    boxes_.gather(scene.boxes, bodies_);
  }

  void query(PairList& to) override {
    const std::size_t b = (axis_ + 1) % 3, c = (axis_ + 2) % 3;
    tests_ = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Box own = boxes_.box(i);
      const Seeker seeker(own);
      const Lanes environment = spread(own.low[3]);
      for (std::size_t j = i + 1;; j += kWidth) {
        tests_ += kWidth;
        const Lanes ahead = and_of(less_equal(load(boxes_.low(axis_, j)), seeker.high[axis_]),
                                   less_equal(load(boxes_.low(3, j)), environment));
        unsigned bits = bits_of(and_of(ahead, and_of(seeker.meets(boxes_, j, b), seeker.meets(boxes_, j, c))));
        for (; bits != 0; bits &= bits - 1)
          to.add(bodies_[i], bodies_[j + static_cast<unsigned>(std::countr_zero(bits))]);
        if (bits_of(ahead) != 0xFFU) break;
      }
    }
  }

  [[nodiscard]] double predicted_tests() const override {
    double sum = 0.0;
    const auto value = [&](std::size_t i) { return *boxes_.low(axis_, i); };
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const float last = *boxes_.high(axis_, i), environment = *boxes_.low(3, i);
      std::size_t from = i + 1, to = bodies_.size();
      while (from < to) {
        const std::size_t middle = (from + to) / 2;
        const bool ahead = *boxes_.low(3, middle) == environment && value(middle) <= last;
        (ahead ? from : to) = ahead ? middle + 1 : middle;
      }
      sum += static_cast<double>(from - i);
    }
    return sum;
  }

 private:
  std::size_t axis_ = 0;
  Columns boxes_;
};

// ---------------------------------------------------------------------------------------------------------------------
// Grids. A body is in the cell of its low corner, at the level whose cells are at least as large as it is. It is held
// against the bodies of its own level, half of the cells around it, and against those of all coarser levels that it can
// reach. Cells are runs of the sorted list. At its own level the runs are followed by pointers that only go forward;
// the coarser ones are found by a hash table of cells. The uniform grid has one level: of the largest body.

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
        const Seeker seeker(boxes_.box(i));
        test(seeker, i, {i + 1, own_end}, to);
        for (const Run& run : runs_) test(seeker, i, run, to);
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

  void test(const Seeker& seeker, std::uint32_t i, Run run, PairList& to) {
    for (std::uint32_t j = run.begin; j < run.end; j += kWidth) {
      tests_ += kWidth;
      unsigned bits =
          bits_of(and_of(seeker.meets(boxes_, j, 0), and_of(seeker.meets(boxes_, j, 1), seeker.meets(boxes_, j, 2))));
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

// ---------------------------------------------------------------------------------------------------------------------
// Keys along a curve, for the trees: environment, size class, cell. The same as in host/broad_phase/body_tree.cpp.

// Bit k of x goes to bit 3 k, for 20 bits.
std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0xFFFFFU;
  x = (x | x << 32) & 0x001F00000000FFFFU;
  x = (x | x << 16) & 0x001F0000FF0000FFU;
  x = (x | x << 8) & 0x100F00F00F00F00FU;
  x = (x | x << 4) & 0x10C30C30C30C30C3U;
  x = (x | x << 2) & 0x1249249249249249U;
  return x;
}

// Numbers of eight cells along Hilbert's curve, by Skilling's method (Programming the Hilbert Curve, 2004): undo the
// turns of each level from the coarsest on, then the Gray code. x[axis][k] is of cell k.
using EightCells = std::array<std::array<std::uint32_t, kWidth>, 3>;

std::array<std::uint64_t, kWidth> hilbert(const EightCells& cells, unsigned bits) {
  using Words = std::uint32_t __attribute__((vector_size(4 * kWidth)));
  Words x, y, z, flips{};
  std::memcpy(&x, cells[0].data(), sizeof(x));
  std::memcpy(&y, cells[1].data(), sizeof(y));
  std::memcpy(&z, cells[2].data(), sizeof(z));
  for (unsigned level = bits - 1; level > 0; --level) {
    const std::uint32_t below = (1U << level) - 1;
    x ^= (0U - (x >> level & 1U)) & below;
    const Words turned_y = (0U - (y >> level & 1U)) & below, exchange_y = (x ^ y) & (below ^ turned_y);
    x ^= turned_y | exchange_y;
    y ^= exchange_y;
    const Words turned_z = (0U - (z >> level & 1U)) & below, exchange_z = (x ^ z) & (below ^ turned_z);
    x ^= turned_z | exchange_z;
    z ^= exchange_z;
  }
  y ^= x;
  z ^= y;
  for (unsigned level = bits - 1; level > 0; --level) flips ^= (0U - (z >> level & 1U)) & ((1U << level) - 1);
  x ^= flips;
  y ^= flips;
  z ^= flips;
  std::array<std::uint64_t, kWidth> number{};
  for (std::size_t k = 0; k < kWidth; ++k)
    number[k] = spread_bits(x[k]) << 2 | spread_bits(y[k]) << 1 | spread_bits(z[k]);
  return number;
}

enum class Curve { z_order, hilbert };

class CurveKeys {
 public:
  void prepare(const Scene& scene) {
    std::vector<double> radii;
    for (const Box& b : scene.boxes) {
      double square = 0.0;
      for (std::size_t a = 0; a < 3; ++a) square += std::pow(static_cast<double>(b.high[a] - b.low[a]), 2);
      radii.push_back(0.5 * std::sqrt(square));
    }
    std::vector<double> sorted = radii;
    const double small = quantile(sorted, 0.1);
    cell_ = 2.0 * small;
    const auto class_of = [&](double radius) {
      const double above = std::log(radius / (kClassFactor * small)) / std::log(kClassFactor);
      return static_cast<std::size_t>(std::clamp(std::ceil(above), 0.0, kMostClasses - 1.0));
    };
    std::array<std::uint64_t, kMostClasses> rank{};
    for (const double radius : radii) rank[class_of(radius)] = 1;
    std::uint64_t classes = 0;
    for (std::uint64_t& r : rank) r = r == 1 ? classes++ : 0;
    const auto class_bits = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(classes, 1) - 1));
    high_bits_ = scene.environment_bits() + class_bits;
    high_.resize(scene.count());
    for (std::size_t i = 0; i < scene.count(); ++i)
      high_[i] = scene.environment(i) << class_bits | rank[class_of(radii[i])];
  }

  // The curve covers what most bodies are in; what is farther out counts as being on its border.
  template <Curve curve>
  void lay(const Scene& scene) {
    const std::size_t step = std::max<std::size_t>(1, scene.count() / 1024);
    std::vector<double> sample;
    std::array<float, 3> origin{};
    double widest = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      sample.clear();
      for (std::size_t i = 0; i < scene.count(); i += step) sample.push_back(centre(scene.boxes[i], a));
      const double q05 = quantile(sample, 0.05), q95 = quantile(sample, 0.95);
      const double around = 0.5 * (q95 - q05) + 8.0 * cell_;
      origin[a] = static_cast<float>(q05 - around);
      widest = std::max(widest, (q95 + around) - (q05 - around));
    }
    const double levels = std::ceil(std::log2(std::max(widest / cell_, 2.0)));
    bits_ = static_cast<unsigned>(std::clamp(levels, 1.0, std::min(20.0, (64.0 - high_bits_) / 3.0)));
    const auto per_metre = static_cast<float>(std::min(1.0 / cell_, std::exp2(bits_) / widest));
    const auto last = static_cast<float>((1U << bits_) - 1U);
    keys_.resize(scene.count());
    for (std::size_t first = 0; first < scene.count(); first += kWidth) {
      const std::size_t count = std::min(kWidth, scene.count() - first);
      EightCells cells{};
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t a = 0; a < 3; ++a) {
          const float at = (centre(scene.boxes[first + k], a) - origin[a]) * per_metre;
          cells[a][k] = static_cast<std::uint32_t>(std::clamp(at, 0.0F, last));
        }
      std::array<std::uint64_t, kWidth> number{};
      if constexpr (curve == Curve::hilbert)
        number = hilbert(cells, bits_);
      else
        for (std::size_t k = 0; k < kWidth; ++k)
          number[k] = spread_bits(cells[0][k]) | spread_bits(cells[1][k]) << 1 | spread_bits(cells[2][k]) << 2;
      for (std::size_t k = 0; k < count; ++k) keys_[first + k] = high_[first + k] << (3 * bits_) | number[k];
    }
  }

  [[nodiscard]] std::uint64_t key(std::size_t i) const { return keys_[i]; }
  [[nodiscard]] unsigned key_bits() const { return high_bits_ + 3 * bits_; }

 private:
  static constexpr double kClassFactor = 4.0;
  static constexpr std::size_t kMostClasses = 8;

  static float centre(const Box& b, std::size_t axis) { return 0.5F * (b.low[axis] + b.high[axis]); }
  static double quantile(std::vector<double>& values, double part) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  double cell_ = 1.0;
  unsigned high_bits_ = 0, bits_ = 1;
  std::vector<std::uint64_t> high_, keys_;  // environment and size class; all of it
};

// ---------------------------------------------------------------------------------------------------------------------
// Binary tree by Karras (Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees, 2012). A node
// holds the boxes of both children, which are tested together; a subtree whose last leaf is not after the seeking one
// is left out, so that each pair is found once.

class BinaryTree : public Structure {
 public:
  void prepare(const Scene& scene) override { curve_.prepare(scene); }

  void build(const Scene& scene) override {
    curve_.lay<Curve::z_order>(scene);
    sort_by(scene, curve_.key_bits(), [&](std::size_t i) { return curve_.key(i); });
    const auto n = static_cast<std::int64_t>(bodies_.size());
    leaves_.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) leaves_[i] = scene.boxes[bodies_[i]];
    nodes_.resize(static_cast<std::size_t>(std::max<std::int64_t>(n - 1, 0)));
    parent_.resize(nodes_.size() + bodies_.size());
    for (std::int64_t i = 0; i + 1 < n; ++i) link(i, n);
    raise_boxes();
  }

  void query(PairList& to) override {
    tests_ = 0;
    if (nodes_.empty()) return;
    std::array<std::uint32_t, 128> stack;
    for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
      const Lanes low = twice(leaves_[i].low), high = twice(leaves_[i].high);
      std::size_t size = 0;
      stack[size++] = 0;
      while (size > 0) {
        const Node& node = nodes_[stack[--size]];
        tests_ += 2;
        const unsigned met =
            bits_of(and_of(less_equal(load(node.low.data()), high), less_equal(low, load(node.high.data()))));
        for (std::size_t side = 2; side-- > 0;) {
          if ((met >> (4 * side) & 0xFU) != 0xFU || node.last[side] <= i) continue;
          if ((node.child[side] & kLeaf) != 0)
            to.add(bodies_[i], bodies_[node.child[side] & ~kLeaf]);
          else
            stack[size++] = node.child[side];
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kLeaf = 0x80000000U;
  struct alignas(32) Node {
    std::array<float, 8> low, high;            // of the left child, then the right one
    std::array<std::uint32_t, 2> child, last;  // last leaf below
  };

  static Lanes twice(const std::array<float, 4>& x) {
    const std::array<float, 8> both{x[0], x[1], x[2], x[3], x[0], x[1], x[2], x[3]};
    return load(both.data());
  }

  // Length of the prefix that the keys of two leaves share; equal keys go on with their places.
  [[nodiscard]] int prefix(std::int64_t i, std::int64_t j, std::int64_t n) const {
    if (j < 0 || j >= n) return -1;
    const std::uint64_t differ = keys_[static_cast<std::size_t>(i)] ^ keys_[static_cast<std::size_t>(j)];
    return differ != 0 ? std::countl_zero(differ) : 64 + std::countl_zero(static_cast<std::uint64_t>(i ^ j));
  }

  // The children of inner node i, which begins or ends at leaf i.
  void link(std::int64_t i, std::int64_t n) {
    const std::int64_t d = prefix(i, i + 1, n) > prefix(i, i - 1, n) ? 1 : -1;
    const int outside = prefix(i, i - d, n);
    std::int64_t most = 2;
    while (prefix(i, i + most * d, n) > outside) most *= 2;
    std::int64_t length = 0;
    for (std::int64_t step = most / 2; step >= 1; step /= 2)
      if (prefix(i, i + (length + step) * d, n) > outside) length += step;
    const std::int64_t other = i + length * d;
    const int shared = prefix(i, other, n);
    std::int64_t split = 0;
    for (std::int64_t step = length; step > 1;) {
      step = (step + 1) / 2;
      if (prefix(i, i + (split + step) * d, n) > shared) split += step;
    }
    const std::int64_t left = i + split * d + std::min<std::int64_t>(d, 0);
    const std::int64_t first = std::min(i, other), last = std::max(i, other);
    Node& node = nodes_[static_cast<std::size_t>(i)];
    node.child = {static_cast<std::uint32_t>(left) | (left == first ? kLeaf : 0U),
                  static_cast<std::uint32_t>(left + 1) | (left + 1 == last ? kLeaf : 0U)};
    node.last = {static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(last)};
    for (std::uint32_t side = 0; side < 2; ++side)
      parent_[place(node.child[side])] = static_cast<std::uint32_t>(2 * i) + side;
  }

  // Leaves after inner nodes.
  [[nodiscard]] std::size_t place(std::uint32_t child) const {
    return (child & kLeaf) != 0 ? nodes_.size() + (child & ~kLeaf) : child;
  }

  // From each leaf upward, until a node whose other child is still to come.
  void raise_boxes() {
    complete_.assign(nodes_.size(), 0);
    for (std::uint32_t leaf = 0; leaf < leaves_.size() && !nodes_.empty(); ++leaf) {
      Box box = leaves_[leaf];
      for (std::size_t at = place(leaf | kLeaf);;) {
        const std::uint32_t up = parent_[at], side = up & 1U;
        Node& node = nodes_[up / 2];
        std::copy_n(box.low.begin(), 4, node.low.begin() + 4 * side);
        std::copy_n(box.high.begin(), 4, node.high.begin() + 4 * side);
        if (complete_[up / 2]++ == 0 || up / 2 == 0) break;
        for (std::size_t a = 0; a < 4; ++a) {
          box.low[a] = std::min(node.low[a], node.low[4 + a]);
          box.high[a] = std::max(node.high[a], node.high[4 + a]);
        }
        at = up / 2;
      }
    }
  }

  CurveKeys curve_;
  std::vector<Box> leaves_;
  Aligned<Node> nodes_;                // 0 is the root
  std::vector<std::uint32_t> parent_;  // 2 * node + side, of inner nodes and then of leaves
  std::vector<std::uint8_t> complete_;
};

// ---------------------------------------------------------------------------------------------------------------------
// The packed tree of kernels/broad_phase/body_tree.clh: eight children a node, groups of eight boxes side by side; a
// leaf goes through the tree alone, or the eight of a group together as in kernels/broad_phase/body_pairs.cl

enum class Way { alone, together, sifted };

template <Curve curve, Way way>
class PackedTree : public Structure {
 public:
  void prepare(const Scene& scene) override { curve_.prepare(scene); }

  void build(const Scene& scene) override {
    curve_.template lay<curve>(scene);
    sort_by(scene, curve_.key_bits(), [&](std::size_t i) { return curve_.key(i); });
    level_group_.assign(1, 0);
    for (std::size_t entries = bodies_.size(); entries > 0;) {
      const std::size_t groups = (entries + kWidth - 1) / kWidth;
      level_group_.push_back(level_group_.back() + groups);
      entries = groups > 1 ? groups : 0;
    }
    groups_.resize(level_group_.back());
    for (std::size_t group = 0; group < level_group_[1]; ++group)
      for (std::size_t k = 0; k < kWidth; ++k) {
        const std::size_t leaf = group * kWidth + k;
        groups_[group].store(k, leaf < bodies_.size() ? scene.boxes[bodies_[leaf]] : kEmptyBox);
      }
    for (std::size_t level = 1; level + 1 < level_group_.size(); ++level) {
      const std::size_t below = level_group_[level - 1], count = level_group_[level] - below;
      for (std::size_t entry = 0; entry < (level_group_[level + 1] - level_group_[level]) * kWidth; ++entry)
        groups_[level_group_[level] + entry / kWidth].store(entry % kWidth,
                                                            entry < count ? groups_[below + entry].all() : kEmptyBox);
    }
  }

  void query(PairList& to) override {
    tests_ = 0;
    if constexpr (way != Way::alone) {
      for (std::size_t group = 0; group < level_group_[1]; ++group) {
        meet_leaves(group, group, 0xFFU, to);
        visit_right(group, Target(groups_[group].all()), [&](std::size_t other) {
          unsigned who = 0xFFU;
          if constexpr (way == Way::sifted)
            who = met(group, Target(groups_[level_group_[1] + other / kWidth].box(other % kWidth)));
          meet_leaves(group, other, who, to);
        });
      }
    } else {
      for (std::size_t leaf = 0; leaf < bodies_.size(); ++leaf) {
        const std::size_t group = leaf / kWidth;
        const Target target(groups_[group].box(leaf % kWidth));
        const auto add = [&](std::size_t other, unsigned bits) {
          for (; bits != 0; bits &= bits - 1)
            to.add(bodies_[leaf], bodies_[other * kWidth + static_cast<unsigned>(std::countr_zero(bits))]);
        };
        add(group, met(group, target) & (0xFEU << leaf % kWidth) & 0xFFU);
        visit_right(group, target, [&](std::size_t other) { add(other, met(other, target)); });
      }
    }
  }

 private:
  struct alignas(64) Group {
    std::array<std::array<float, kWidth>, 4> low, high;
    void store(std::size_t k, const Box& b) {
      for (std::size_t a = 0; a < 4; ++a) {
        low[a][k] = b.low[a];
        high[a][k] = b.high[a];
      }
    }
    [[nodiscard]] Box box(std::size_t k) const {
      Box b;
      for (std::size_t a = 0; a < 4; ++a) {
        b.low[a] = low[a][k];
        b.high[a] = high[a][k];
      }
      return b;
    }
    [[nodiscard]] Box all() const {
      Box b = box(0);
      for (std::size_t k = 1; k < kWidth; ++k) b = join(b, box(k));
      return b;
    }
  };
  struct Target {
    std::array<Lanes, 4> low, high;
    explicit Target(const Box& b)
        : low{spread(b.low[0]), spread(b.low[1]), spread(b.low[2]), spread(b.low[3])},
          high{spread(b.high[0]), spread(b.high[1]), spread(b.high[2]), spread(b.high[3])} {}
  };

  unsigned met(std::size_t group, const Target& t) {
    tests_ += kWidth;
    const Group& g = groups_[group];
    const auto along = [&](std::size_t a) {
      return and_of(less_equal(load(g.low[a].data()), t.high[a]), less_equal(t.low[a], load(g.high[a].data())));
    };
    return bits_of(and_of(and_of(along(0), along(1)), and_of(along(2), along(3))));
  }

  // Those of the group's leaves that are named in `who`, against another group or their own.
  void meet_leaves(std::size_t own, std::size_t other, unsigned who, PairList& to) {
    const std::size_t count = std::min(kWidth, bodies_.size() - own * kWidth);
    for (who &= (1U << count) - 1U; who != 0; who &= who - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(who));
      unsigned bits = met(other, Target(groups_[own].box(k)));
      if (own == other) bits &= (0xFEU << k) & 0xFFU;
      for (; bits != 0; bits &= bits - 1)
        to.add(bodies_[own * kWidth + k], bodies_[other * kWidth + static_cast<unsigned>(std::countr_zero(bits))]);
    }
  }

  // Calls visit(g) for each group g of leaves to the right of `own` whose box meets the target.
  template <typename Visit>
  void visit_right(std::size_t own, const Target& target, const Visit& visit) {
    std::array<unsigned, 12> left{};
    const std::size_t levels = level_group_.size() - 1;
    for (std::size_t top = 1; top < levels; ++top) {
      const std::size_t entry = own >> (3 * (top - 1));
      std::size_t level = top, group = entry >> 3;
      left[top] = met(level_group_[top] + group, target) & (0xFEU << (entry & 7)) & 0xFFU;
      while (true) {
        const unsigned bits = left[level];
        if (bits == 0) {
          if (level == top) break;
          ++level;
          group >>= 3;
          continue;
        }
        left[level] = bits & (bits - 1);
        const std::size_t below = group * kWidth + static_cast<unsigned>(std::countr_zero(bits));
        if (level == 1) {
          visit(below);
          continue;
        }
        --level;
        group = below;
        left[level] = met(level_group_[level] + group, target);
      }
    }
  }

  CurveKeys curve_;
  std::vector<std::size_t> level_group_;
  Aligned<Group> groups_;
};

// ---------------------------------------------------------------------------------------------------------------------
// Scenes

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double between(double low, double high) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t v = state_;
    v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9U;
    v = (v ^ v >> 27) * 0x94D049BB133111EBU;
    v ^= v >> 31;
    return low + (high - low) * static_cast<double>(v >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

using Point = std::array<double, 3>;

void add_box(Scene& scene, const Point& centre, const Point& sides, std::uint64_t environment = 0) {
  Box b;
  for (std::size_t a = 0; a < 3; ++a) {
    b.low[a] = static_cast<float>(centre[a] - 0.5 * sides[a]);
    b.high[a] = static_cast<float>(centre[a] + 0.5 * sides[a]);
  }
  b.low[3] = b.high[3] = static_cast<float>(environment);
  scene.boxes.push_back(b);
}

// A body's longest side is `size`, the others at least 0.6 of it.
Point sides_of(Random& random, double size) {
  Point sides{};
  for (double& s : sides) s = size * random.between(0.6, 1.0);
  sides[static_cast<std::size_t>(random.between(0.0, 3.0))] = size;
  return sides;
}

// Bodies of 0.2 to 0.5 m, heaped: about one in each place of a lattice, shaken.
void add_heap(Scene& scene, Random& random, std::size_t count, const Point& base, std::size_t wide) {
  constexpr double kSpacing = 0.28;
  for (std::size_t k = 0; k < count; ++k) {
    const Point place{static_cast<double>(k % wide), static_cast<double>(k / wide % wide),
                      static_cast<double>(k / (wide * wide))};
    Point centre{};
    for (std::size_t a = 0; a < 3; ++a) centre[a] = base[a] + kSpacing * (place[a] + random.between(-0.3, 0.3));
    add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)));
  }
}

Scene pile(const char* name, std::size_t count, std::size_t wide) {
  Scene scene{name, {}};
  Random random(1);
  add_heap(scene, random, count, {0.0, 0.0, 0.0}, wide);
  return scene;
}

Scene sparse() {
  Scene scene{"sparse_100k", {}};
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const Point centre{random.between(0, 200), random.between(0, 200), random.between(0, 200)};
    add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)));
  }
  return scene;
}

Scene clusters() {
  Scene scene{"clusters_100x1000", {}};
  Random random(3);
  for (int heap = 0; heap < 100; ++heap)
    add_heap(scene, random, 1000, {random.between(0, 1e4), random.between(0, 1e4), random.between(0, 100)}, 13);
  return scene;
}

Scene sizes() {
  Scene scene{"sizes_1_to_1000_50k", {}};
  Random random(4);
  for (int i = 0; i < 50000; ++i) {
    const Point centre{random.between(0, 350), random.between(0, 350), random.between(0, 350)};
    add_box(scene, centre, sides_of(random, 0.05 * std::pow(1000.0, random.between(0, 1))));
  }
  return scene;
}

// Two layers of small bodies on a floor that is one body, 20 large ones among them.
Scene great_floor() {
  Scene scene{"floor_100k", {}};
  Random random(5);
  add_box(scene, {100.0, 100.0, -0.5}, {250.0, 250.0, 1.0});
  for (int k = 0; k < 100000; ++k) {
    const Point centre{0.9 * (k % 224) + random.between(-0.3, 0.3), 0.9 * (k / 224 % 224) + random.between(-0.3, 0.3),
                       0.1 + 0.7 * (k / (224 * 224)) + random.between(0.0, 0.1)};
    add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)));
  }
  for (int k = 0; k < 20; ++k)
    add_box(scene, {random.between(0, 200), random.between(0, 200), 20.0}, {50.0, 50.0, 50.0});
  return scene;
}

// Every environment's bodies are in the same place; they come in the order of their places, not of environments.
Scene environments() {
  Scene scene{"environments_5000x20", {}, 5000};
  Random random(6);
  for (int body = 0; body < 20; ++body)
    for (std::uint64_t e = 0; e < scene.environments; ++e) {
      const Point centre{random.between(0, 1.5), random.between(0, 1.5), random.between(0, 1.0)};
      add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)), e);
    }
  return scene;
}

Scene one_point() {
  Scene scene{"one_point_3000", {}};
  Random random(7);
  for (int i = 0; i < 3000; ++i) add_box(scene, {5.0, 5.0, 5.0}, sides_of(random, random.between(0.2, 0.5)));
  return scene;
}

// Bodies are listed in no particular order.
Scene shuffled(Scene scene) {
  Random random(8);
  for (std::size_t i = scene.count(); i > 1; --i)
    std::swap(scene.boxes[i - 1], scene.boxes[static_cast<std::size_t>(random.between(0.0, static_cast<double>(i)))]);
  return scene;
}

// ---------------------------------------------------------------------------------------------------------------------
// Measuring

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Contestant {
  std::string name;
  std::unique_ptr<Structure> structure;
  std::vector<double> build, query, both;  // [s]
  double spent = 0.0;
};

struct Options {
  std::string scene, structure;
  int repetitions = 7;
  double limit = 20.0;  // [s]
};

std::vector<Contestant> contestants() {
  std::vector<Contestant> all;
  const auto add = [&](const char* name, std::unique_ptr<Structure> s) {
    all.push_back({name, std::move(s), {}, {}, {}});
  };
  add("packed_tree_together", std::make_unique<PackedTree<Curve::z_order, Way::together>>());
  add("packed_tree_alone", std::make_unique<PackedTree<Curve::z_order, Way::alone>>());
  add("packed_tree_sifted", std::make_unique<PackedTree<Curve::z_order, Way::sifted>>());
  add("hilbert_tree_together", std::make_unique<PackedTree<Curve::hilbert, Way::together>>());
  add("hilbert_tree_sifted", std::make_unique<PackedTree<Curve::hilbert, Way::sifted>>());
  add("binary_tree", std::make_unique<BinaryTree>());
  add("hierarchical_grid", std::make_unique<Grid>(true));
  add("uniform_grid", std::make_unique<Grid>(false));
  add("sort_and_sweep", std::make_unique<SortAndSweep>());
  return all;
}

double least(const std::vector<double>& v) {
  return *std::min_element(v.begin(), v.end());
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

bool measure(const Scene& scene, const Options& options) {
  std::vector<Contestant> all = contestants();
  PairList pairs;
  std::size_t expected = 0;
  std::uint64_t expected_hash = 0;
  bool first = true;
  for (int repetition = -1; repetition < options.repetitions; ++repetition)
    for (Contestant& c : all) {
      if (!options.structure.empty() && c.name != options.structure) continue;
      if (repetition < 0) c.structure->prepare(scene);
      if (c.spent > kSecondsPerStructure) continue;
      const double start = cpu_seconds();
      c.structure->build(scene);
      const double built = cpu_seconds();
      if (repetition < 0 && c.structure->predicted_tests() * kSecondsPerTest > options.limit) {
        c.spent = std::numeric_limits<double>::infinity();
        continue;
      }
      pairs.clear();
      const double ready = cpu_seconds();
      c.structure->query(pairs);
      const double done = cpu_seconds();
      c.spent += built - start + (done - ready);
      // The first round warms up memory and compares the pairs; it counts only for what is too slow to come again.
      if (repetition >= 0 || c.spent > kSecondsPerStructure) {
        c.build.push_back(built - start);
        c.query.push_back(done - ready);
        c.both.push_back(built - start + (done - ready));
      }
      if (repetition >= 0) continue;
      const std::uint64_t hash = pairs.hash();
      if (first) {
        expected = pairs.count();
        expected_hash = hash;
        first = false;
      } else if (pairs.count() != expected || hash != expected_hash) {
        std::fprintf(stderr, "%s: %s finds %zu pairs (%016llx), the first one %zu (%016llx)\n", scene.name.c_str(),
                     c.name.c_str(), pairs.count(), static_cast<unsigned long long>(hash), expected,
                     static_cast<unsigned long long>(expected_hash));
        return false;
      }
    }
  for (const Contestant& c : all) {
    if (!options.structure.empty() && c.name != options.structure) continue;
    std::printf(R"({"scene": "%s", "bodies": %zu, "pairs": %zu, "hash": "%016llx", "structure": "%s", )",
                scene.name.c_str(), scene.count(), expected, static_cast<unsigned long long>(expected_hash),
                c.name.c_str());
    if (c.both.empty()) {
      std::printf("\"left_out\": \"predicted to take more than %g s\"}\n", options.limit);
      continue;
    }
    std::printf(R"("repetitions": %zu, "build_ms": {"min": %.3f, "median": %.3f}, )", c.both.size(),
                1e3 * least(c.build), 1e3 * median(c.build));
    std::printf(R"("query_ms": {"min": %.3f, "median": %.3f}, )", 1e3 * least(c.query), 1e3 * median(c.query));
    std::printf(R"("total_ms": {"min": %.3f, "median": %.3f}, "box_tests": %llu})", 1e3 * least(c.both),
                1e3 * median(c.both), static_cast<unsigned long long>(c.structure->tests()));
    std::printf("\n");
  }
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; k += 2) {
    const std::string name = argv[k];
    if (k + 1 == argc || (name != "--scene" && name != "--structure" && name != "--repetitions" && name != "--limit")) {
      std::fprintf(stderr,
                   "usage: bench_structures [--scene NAME] [--structure NAME] [--repetitions N] [--limit SECONDS]\n");
      return 2;
    }
    if (name == "--scene") options.scene = argv[k + 1];
    if (name == "--structure") options.structure = argv[k + 1];
    if (name == "--repetitions") options.repetitions = std::max(1, std::atoi(argv[k + 1]));
    if (name == "--limit") options.limit = std::atof(argv[k + 1]);
  }
  const std::vector<std::pair<std::string, std::function<Scene()>>> scenes{
      {"pile_100k", [] { return pile("pile_100k", 100000, 63); }},
      {"sparse_100k", sparse},
      {"clusters_100x1000", clusters},
      {"sizes_1_to_1000_50k", sizes},
      {"floor_100k", great_floor},
      {"environments_5000x20", environments},
      {"one_point_3000", one_point},
      {"pile_1m", [] { return pile("pile_1m", 1000000, 136); }},
  };
  bool any = false;
  for (const auto& [name, make] : scenes) {
    if (!options.scene.empty() && name != options.scene) continue;
    any = true;
    if (!measure(shuffled(make()), options)) return 1;
  }
  if (!any) std::fprintf(stderr, "bench_structures: no scene is named %s\n", options.scene.c_str());
  return any ? 0 : 2;
}
