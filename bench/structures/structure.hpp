// Boxes, scenes of boxes, and what all structures share: the list of pairs, eight box tests at a time, a sort.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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

namespace oclide::bench::structures {

inline constexpr float kFar = std::numeric_limits<float>::max();
inline constexpr std::size_t kWidth = 8;            // boxes that are tested at once
inline constexpr double kSecondsPerTest = 0.25e-9;  // of brute structures, to predict what is hopeless
inline constexpr double kCellSlack = 1.0 + 1e-6;    // cells are larger than bodies in spite of rounding

// The environment is a fourth coordinate: exact in float up to 2^24.
struct Box {
  std::array<float, 4> low, high;
};
inline constexpr Box kEmptyBox{{kFar, kFar, kFar, kFar}, {-kFar, -kFar, -kFar, -kFar}};

inline Box join(const Box& a, const Box& b) {
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

inline double longest_side(const Box& b) {
  double longest = 0.0;
  for (std::size_t a = 0; a < 3; ++a)
    longest = std::max(longest, static_cast<double>(b.high[a]) - static_cast<double>(b.low[a]));
  return longest;
}

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
inline Lanes load(const float* p) {
  return {_mm256_loadu_ps(p)};
}
inline Lanes spread(float x) {
  return {_mm256_set1_ps(x)};
}
inline Lanes less_equal(Lanes a, Lanes b) {
  return {_mm256_cmp_ps(a.lane, b.lane, _CMP_LE_OQ)};
}
inline Lanes and_of(Lanes a, Lanes b) {
  return {_mm256_and_ps(a.lane, b.lane)};
}
inline unsigned bits_of(Lanes met) {
  return static_cast<unsigned>(_mm256_movemask_ps(met.lane));
}
#else
struct Lanes {
  std::array<float, kWidth> lane;
};
inline Lanes load(const float* p) {
  Lanes l;
  std::memcpy(l.lane.data(), p, sizeof(l.lane));
  return l;
}
inline Lanes spread(float x) {
  Lanes l;
  l.lane.fill(x);
  return l;
}
inline Lanes less_equal(const Lanes& a, const Lanes& b) {
  Lanes l;
  for (std::size_t k = 0; k < kWidth; ++k) l.lane[k] = a.lane[k] <= b.lane[k] ? 1.0F : 0.0F;
  return l;
}
inline Lanes and_of(const Lanes& a, const Lanes& b) {
  Lanes l;
  for (std::size_t k = 0; k < kWidth; ++k) l.lane[k] = a.lane[k] * b.lane[k];
  return l;
}
inline unsigned bits_of(const Lanes& met) {
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
  // Box tests that the query will make at least; known after build(). 0 for a structure without hopeless scenes.
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
struct Query {
  std::array<Lanes, 3> low, high;
  explicit Query(const Box& b)
      : low{spread(b.low[0]), spread(b.low[1]), spread(b.low[2])},
        high{spread(b.high[0]), spread(b.high[1]), spread(b.high[2])} {}
  [[nodiscard]] Lanes meets(const Columns& boxes, std::size_t i, std::size_t axis) const {
    return and_of(less_equal(load(boxes.low(axis, i)), high[axis]), less_equal(low[axis], load(boxes.high(axis, i))));
  }
};

}  // namespace oclide::bench::structures
