#include "broad_phase/body_pairs.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::uint32_t kTreeWidth = BodyTree::kWidth;
// Pairs of a slice at most. With all that goes with them they take some 120 bytes each, so that a slice asks for 4 GB;
// more at once would be no faster.
constexpr std::uint32_t kMostPairs = 1U << 25;

}  // namespace

void BodyPairs::resize(std::size_t size) {
  pairs.resize(size);
  kinds.resize(size);
  order.resize(size);
  found.resize(FOUND_END(kPairTable.size()));
}

void BodyPairs::free() {
  pairs.free();
  kinds.free();
  order.free();
  found.free();
  is_empty = false;
}

PairSearch::PairSearch(opencl::Device& device, const DeviceScene& scene, float margin)
    : device_(device),
      scene_(scene),
      margin_(margin),
      kind_chunks_(device, 0),
      pairs_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_body_pairs")),
      moved_pairs_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_moved_pairs")),
      order_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_order_pairs")),
      counts_(device, "pair counts") {
  kind_chunks_.limit_group_size(device.work_group_size(order_kernel_, kind_chunks_.group_size()));
  if (!device.info().is_gpu) kinds_kernel_ = device.kernel("broad_phase/body_pairs", "broad_phase_pair_kinds_serial");
}

std::uint32_t PairSearch::count_of(const QueryLeaves& leaves) const {
  if (leaves.moved) return static_cast<std::uint32_t>(scene_.tree.moved_leaves().size());
  return std::min(leaves.last * kTreeWidth, scene_.bodies.leaves) - leaves.first * kTreeWidth;
}

void PairSearch::launch(const QueryLeaves& leaves, std::uint32_t capacity, BodyPairs& to, opencl::StageTimer& timer) {
  const BodyTree& tree = scene_.tree;
  const TreeBodies& bodies = scene_.bodies;
  to.resize(capacity);
  counts_.resize(count_of(leaves));
  if (!std::exchange(to.is_empty, false)) to.found.fill(0, 0, to.found.size(), &timer, Stage::broad_phase);
  const auto launch = [&](cl::Kernel& kernel, std::uint32_t items, std::size_t group, const auto&... which) {
    opencl::launch(device_, kernel, &timer, Stage::broad_phase, items, group, which..., bodies.leaves, tree.levels(),
                   tree.level_groups(), tree.boxes(), tree.spheres(), tree.states(), scene_.hulls.words, bodies.records,
                   static_cast<cl_uint>(bodies.filters ? 1 : 0), bodies.excluded, bodies.half_space_offsets,
                   bodies.half_space_list, bodies.half_spaces, margin_, bodies.margins_of_bodies(), counts_, capacity,
                   to.found, to.pairs, to.kinds, to.order);
  };
  if (leaves.moved) {
    // Few work-items that each take long: groups so small that every processor of a CPU has some.
    const std::size_t group = device_.info().is_gpu ? kGroup : kTreeWidth;
    launch(moved_pairs_kernel_, count_of(leaves), group, count_of(leaves), tree.moved_leaves(), tree.moves());
  } else {
    const std::uint32_t groups = leaves.last - leaves.first;
    launch(pairs_kernel_, device_.info().is_gpu ? count_of(leaves) : groups, kGroup, leaves.first, groups);
  }
}

// How many pairs were found.
std::uint32_t PairSearch::read_count(const BodyPairs& pairs, opencl::StageTimer& timer) {
  std::array<std::uint32_t, FOUND_KINDS> found{};
  pairs.found.download(found, 0, &timer, Stage::broad_phase);
  if (found[FOUND_MISSED] > 0) throw SliceTooLarge{"more than 2^32 pairs"};
  if (found[FOUND_PAIRS] > kMostPairs) throw SliceTooLarge{std::to_string(found[FOUND_PAIRS]) + " pairs"};
  return found[FOUND_PAIRS];
}

void PairSearch::find(const QueryLeaves& leaves, BodyPairs& to, opencl::StageTimer& timer) {
  // The store is as large as it ever was.
  const std::uint32_t least = first_room(leaves.is_slice, count_of(leaves), kPairsOfLeaf);
  auto capacity = static_cast<std::uint32_t>(std::clamp<std::size_t>(to.capacity(), least, kMostPairs));
  while (true) {
    launch(leaves, capacity, to, timer);
    to.count = read_count(to, timer);
    if (to.count <= capacity) break;
    capacity = to.count;
  }
  to.begin.fill(0);
  to.end.fill(0);
  if (to.count == 0) return;
  count_kinds(to.count, to, timer);
  to.found.download(to.end, FOUND_KINDS, &timer, Stage::broad_phase);
  std::partial_sum(to.end.begin(), to.end.end(), to.end.begin());
  std::copy(to.end.begin(), to.end.end() - 1, to.begin.begin() + 1);
  order_by_kind(to.count, Kinds().set(), to, timer);
}

void PairSearch::launch_order(std::uint32_t capacity, const Kinds& looked_at, BodyPairs& to,
                              opencl::StageTimer& timer) {
  count_kinds(capacity, to, timer);
  order_by_kind(capacity, looked_at, to, timer);
}

// Of those that were stored; on a GPU they were counted then.
void PairSearch::count_kinds(std::uint32_t capacity, BodyPairs& to, opencl::StageTimer& timer) {
  if (kinds_kernel_() == nullptr) return;
  const std::size_t group = kind_chunks_.group_size();
  opencl::launch(device_, kinds_kernel_, &timer, Stage::broad_phase, kind_chunks_.count(capacity) * group, group,
                 capacity, to.kinds, to.found);
}

// After count_kinds().
void PairSearch::order_by_kind(std::uint32_t capacity, const Kinds& looked_at, BodyPairs& to,
                               opencl::StageTimer& timer) {
  const std::size_t group = kind_chunks_.group_size();
  opencl::launch(device_, order_kernel_, &timer, Stage::broad_phase, kind_chunks_.count(capacity) * group, group,
                 capacity, cl_ulong{looked_at.to_ullong()}, to.kinds, to.found, to.order);
}

std::vector<std::uint32_t> PairSearch::cuts(const QueryLeaves& leaves) const {
  std::vector<std::uint32_t> counts(count_of(leaves));
  counts_.download(counts);
  std::vector<std::uint32_t> cuts{leaves.first};
  std::uint64_t pairs = 0;
  for (std::uint32_t group = leaves.first; group < leaves.last; ++group) {
    std::uint64_t own = 0;
    const std::size_t begin = std::size_t{group - leaves.first} * kTreeWidth;
    for (std::size_t leaf = begin; leaf < std::min<std::size_t>(begin + kTreeWidth, counts.size()); ++leaf)
      own += counts[leaf];
    if (group > cuts.back() && pairs + own > kMostPairs) {
      cuts.push_back(group);
      pairs = 0;
    }
    pairs += own;
  }
  cuts.push_back(leaves.last);
  return cuts;
}

void PairSearch::free() {
  counts_.free();
}

}  // namespace oclide
