// Binary tree by Karras (Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees, 2012). A node
// holds the boxes of both children, which are tested together. A subtree whose last leaf is not after the query leaf is
// left out, so that each pair is found once.
#pragma once

#include "structures/curve_keys.hpp"

namespace oclide::bench::structures {

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

}  // namespace oclide::bench::structures
