// The packed tree of kernels/broad_phase/body_tree.clh: eight children a node, groups of eight boxes side by side; a
// leaf goes through the tree alone, or the eight of a group together as in kernels/broad_phase/body_pairs.cl
#pragma once

#include "structures/curve_keys.hpp"

namespace oclide::bench::structures {

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

}  // namespace oclide::bench::structures
