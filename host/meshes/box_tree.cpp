#include "meshes/box_tree.hpp"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

namespace oclide {
namespace {

using glm::vec3;

constexpr std::size_t kWidth = 8;
constexpr std::size_t kTogether = 4096;  // fewer are not split on two threads
constexpr float kLargest = std::numeric_limits<float>::max();

struct Placed {
  vec3 centre;
  std::uint32_t entry;
};

// `child`: a power of eight, the size of full children; `entries` have at most eight of them.
void place(std::span<Placed> entries, std::size_t child) {
  while (child >= kWidth && entries.size() <= child) child /= kWidth;
  if (entries.size() <= kWidth) {
    std::sort(entries.begin(), entries.end(), [](const Placed& p, const Placed& q) { return p.entry < q.entry; });
    return;
  }
  vec3 lower(kLargest), upper(-kLargest);
  for (const Placed& p : entries) lower = glm::min(lower, p.centre), upper = glm::max(upper, p.centre);
  const vec3 extent = upper - lower;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const std::size_t children = (entries.size() + child - 1) / child, half = (children + 1) / 2 * child;
  std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(half), entries.end(),
                   [axis](const Placed& p, const Placed& q) {
                     return std::tie(p.centre[axis], p.entry) < std::tie(q.centre[axis], q.entry);
                   });
  const auto left = [&] { place(entries.first(half), child); };
  const auto right = [&] { place(entries.subspan(half), child); };
  if (entries.size() < kTogether) {
    left();
    right();
  } else {
    tbb::parallel_invoke(left, right);
  }
}

std::vector<MeshGroup> groups_of(std::span<const MeshBox> boxes) {
  MeshGroup empty;
  for (std::size_t a = 0; a < 3; ++a) empty.lower[a].fill(kLargest), empty.upper[a].fill(-kLargest);
  std::vector<MeshGroup> groups((boxes.size() + kWidth - 1) / kWidth, empty);
  for (std::size_t k = 0; k < boxes.size(); ++k)
    for (std::size_t a = 0; a < 3; ++a) {
      groups[k / kWidth].lower[a][k % kWidth] = boxes[k].lower[static_cast<int>(a)];
      groups[k / kWidth].upper[a][k % kWidth] = boxes[k].upper[static_cast<int>(a)];
    }
  return groups;
}

MeshBox box_around(const MeshGroup& group) {
  MeshBox box{};
  for (std::size_t a = 0; a < 3; ++a) {
    box.lower[static_cast<int>(a)] = *std::min_element(group.lower[a].begin(), group.lower[a].end());
    box.upper[static_cast<int>(a)] = *std::max_element(group.upper[a].begin(), group.upper[a].end());
  }
  return box;
}

}  // namespace

BoxTree build_box_tree(const std::vector<MeshBox>& boxes) {
  std::vector<Placed> placed;
  placed.reserve(boxes.size());
  for (const MeshBox& box : boxes)
    placed.push_back({0.5F * box.lower + 0.5F * box.upper, static_cast<std::uint32_t>(placed.size())});
  std::size_t child = kWidth;
  while (child * kWidth < placed.size()) child *= kWidth;
  place(placed, child);

  BoxTree tree;
  std::vector<MeshBox> level;
  tree.order.reserve(placed.size());
  for (const Placed& p : placed) tree.order.push_back(p.entry), level.push_back(boxes[p.entry]);
  for (;;) {
    tree.levels.push_back(groups_of(level));
    if (tree.levels.back().size() == 1) return tree;
    level.clear();
    for (const MeshGroup& group : tree.levels.back()) level.push_back(box_around(group));
  }
}

}  // namespace oclide
