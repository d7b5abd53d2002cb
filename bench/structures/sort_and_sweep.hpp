// Sort and sweep along the axis along which the centres vary most; environments one after the other
#pragma once

#include "structures/structure.hpp"

namespace oclide::bench::structures {

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
      const Query query(own);
      const Lanes environment = spread(own.low[3]);
      for (std::size_t j = i + 1;; j += kWidth) {
        tests_ += kWidth;
        const Lanes ahead = and_of(less_equal(load(boxes_.low(axis_, j)), query.high[axis_]),
                                   less_equal(load(boxes_.low(3, j)), environment));
        unsigned bits = bits_of(and_of(ahead, and_of(query.meets(boxes_, j, b), query.meets(boxes_, j, c))));
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

}  // namespace oclide::bench::structures
