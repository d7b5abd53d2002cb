#include "broad_phase/body_pairs.hpp"

#include <bit>
#include <string>

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
  found.resize(3);
}

void BodyPairs::free() {
  pairs.free();
  kinds.free();
  order.free();
  found.free();
}

PairSearch::PairSearch(opencl::Device& device, const DeviceScene& scene, float margin, const WorkMemory& work)
    : device_(device),
      scene_(scene),
      margin_(margin),
      scan_(device),
      sort_(device, work.first, work.second),
      pairs_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_body_pairs")),
      moved_pairs_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_moved_pairs")),
      kinds_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_pair_kinds")),
      counts_(device, "pair counts"),
      offsets_(device, "pair offsets"),
      kind_bounds_(device, "bounds of kinds"),
      total_(device, "total") {}

std::uint32_t PairSearch::count_of(const QueryLeaves& leaves) const {
  if (leaves.moved) return static_cast<std::uint32_t>(scene_.tree.moved_leaves().size());
  return std::min(leaves.last * kTreeWidth, scene_.bodies.leaves) - leaves.first * kTreeWidth;
}

bool PairSearch::can_count(const QueryLeaves& leaves) const {
  return std::uint64_t{count_of(leaves)} * scene_.bodies.count() <= 0xFFFFFFFFU;
}

void PairSearch::launch(const QueryLeaves& leaves, std::uint32_t capacity, BodyPairs& to, opencl::StageTimer& timer) {
  const BodyTree& tree = scene_.tree;
  const TreeBodies& bodies = scene_.bodies;
  to.resize(capacity);
  counts_.resize(count_of(leaves));
  to.found.fill(0, 0, 3, &timer, Stage::broad_phase);
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

// How many pairs these leaves were found to have.
std::uint32_t PairSearch::read_count(const QueryLeaves& leaves, const BodyPairs& pairs, opencl::StageTimer& timer) {
  std::uint64_t count = 0;
  if (can_count(leaves)) {
    count = pairs.found.read_one(0, &timer, Stage::broad_phase);
  } else {
    // That number may have gone round: those of the leaves, added up.
    scan_.run_u32(counts_, offsets_, count_of(leaves), total_, Stage::broad_phase, &timer);
    count = total_.read_one(0, &timer, Stage::broad_phase);
  }
  if (count > kMostPairs) throw SliceTooLarge{std::to_string(count) + " pairs"};
  return static_cast<std::uint32_t>(count);
}

void PairSearch::find(const QueryLeaves& leaves, bool host_may_order, BodyPairs& to, opencl::StageTimer& timer) {
  // The store is as large as it ever was.
  const std::uint32_t least = first_room(leaves.is_slice, count_of(leaves), kPairsOfLeaf);
  auto capacity = static_cast<std::uint32_t>(std::clamp<std::size_t>(to.capacity(), least, kMostPairs));
  while (true) {
    launch(leaves, capacity, to, timer);
    to.count = read_count(leaves, to, timer);
    if (to.count <= capacity) break;
    capacity = to.count;
  }
  to.host_orders = host_may_order && to.count <= kFewPairs;
  to.begin.fill(0);
  to.end.fill(0);
  if (to.count == 0) return;
  if (to.host_orders)
    sort_by_kind_on_host(to, timer);
  else
    sort_by_kind(to, timer);
}

// Brings `order` into the order of kinds and finds where each begins.
void PairSearch::sort_by_kind(BodyPairs& to, opencl::StageTimer& timer) {
  constexpr auto kKinds = static_cast<std::uint32_t>(kPairTable.size());
  sort_.run_u32(to.kinds, to.order, to.count, std::bit_width(kKinds - 1), Stage::broad_phase, &timer);
  kind_bounds_.resize(std::size_t{2} * kKinds);
  kind_bounds_.fill(0, 0, std::size_t{2} * kKinds, &timer, Stage::broad_phase);
  opencl::launch(device_, kinds_kernel_, &timer, Stage::broad_phase, to.count, kGroup, to.count, to.kinds, kind_bounds_,
                 kKinds);
  std::array<std::uint32_t, std::size_t{2} * kKinds> bounds{};
  kind_bounds_.download(bounds, 0, &timer, Stage::broad_phase);
  std::copy_n(bounds.begin(), kKinds, to.begin.begin());
  std::copy_n(bounds.begin() + kKinds, kKinds, to.end.begin());
}

void PairSearch::sort_by_kind_on_host(BodyPairs& to, opencl::StageTimer& timer) {
  kinds_host_.resize(to.count);
  order_host_.resize(to.count);
  to.kinds.download(kinds_host_, 0, &timer, Stage::broad_phase);
  for (const std::uint32_t kind : kinds_host_) ++to.end[kind];
  for (std::size_t k = 0; k + 1 < to.end.size(); ++k) to.end[k + 1] += to.end[k];
  std::copy(to.end.begin(), to.end.end() - 1, to.begin.begin() + 1);
  auto next = to.begin;
  for (std::uint32_t k = 0; k < to.count; ++k) order_host_[next[kinds_host_[k]]++] = k;
  to.order.upload(order_host_, 0, &timer, Stage::broad_phase);
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
  scan_.free();
  sort_.free();
  counts_.free();
  offsets_.free();
  kind_bounds_.free();
  total_.free();
}

}  // namespace oclide
