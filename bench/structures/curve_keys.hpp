// Keys along a curve, for the trees: environment, size class, cell.
#pragma once

#include "structures/structure.hpp"

namespace oclide::bench::structures {

// Bit k of x goes to bit 3 k, for 20 bits.
inline std::uint64_t spread_bits(std::uint64_t x) {
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

inline std::array<std::uint64_t, kWidth> hilbert(const EightCells& cells, unsigned bits) {
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

}  // namespace oclide::bench::structures
