#include "broad_phase/body_tree.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "frame/slice.hpp"
#include "shapes/bounding_radius.hpp"

namespace oclide {
namespace {

using opencl::Stage;

constexpr std::uint32_t kWidth = GROUP_WIDTH;                    // boxes of a group
constexpr std::uint32_t kMostMoves = 0xFFFFFFFFU >> SHAPE_BITS;  // of a tree
static_assert(SHAPES_END <= 1 << SHAPE_BITS);
constexpr unsigned kMostBits = 20;    // of a coordinate on the curve
constexpr double kClassFactor = 4.0;  // from one size class to the next, and from small bodies to the second
constexpr unsigned kMostClasses = 8;
// Pairs of a slice at most. With all that goes with them they take some 120 bytes each, so that a slice asks for 4 GB;
// more at once would be no faster.
constexpr std::uint32_t kMostPairs = 1U << 25;
constexpr std::uint32_t kLeavesSortedByHost = 2048;
constexpr std::uint32_t kTopEntries = 1024;  // of a level that one work-group does with all above it
constexpr std::size_t kSamples = 1024;       // bodies that decide how the curve is laid
constexpr float kStrayCells = 1.0F;          // cells of the curve that a body may move before the tree suffers
constexpr std::uint32_t kStrayPart = 16;     // one body in so many may, before the leaves are sorted anew

std::uint32_t groups_of(std::uint32_t entries) {
  return (entries + kWidth - 1) / kWidth;
}

std::array<float, 3> float_position(const Poses& poses, std::size_t body) {
  const double* p = &poses.position[3 * body];
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

// The value that a part of all are below.
double quantile(std::vector<double>& values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

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

BodyTree::BodyTree(opencl::Device& device, float margin, const WorkMemory& work)
    : device_(device),
      margin_(margin),
      scan_(device),
      sort_(device, work.first, work.second),
      keys_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_leaf_keys")),
      place_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_place_leaves")),
      states_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_body_states")),
      leaf_boxes_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_leaf_boxes")),
      move_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_move_leaves")),
      moved_groups_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_moved_groups")),
      level_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_tree_level")),
      top_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_tree_top")),
      small_tree_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_small_tree")),
      pairs_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_body_pairs")),
      moved_pairs_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_moved_pairs")),
      kinds_kernel_(device.kernel("broad_phase/body_pairs", "broad_phase_pair_kinds")),
      bodies_(device, "bodies of the tree"),
      half_space_offsets_(device, "half space offsets"),
      half_space_list_(device, "half spaces"),
      level_group_(device, "levels of the tree"),
      keys_(device, "keys of the tree"),
      values_(device, "order of the tree"),
      states_(device, "body states"),
      boxes_(device, "boxes of the tree"),
      balls_(device, "balls of leaves"),
      leaf_of_(device, "leaves of bodies"),
      moved_records_(device, "moved bodies"),
      moved_leaves_(device, "moved leaves"),
      counts_(device, "pair counts"),
      offsets_(device, "pair offsets"),
      kind_bounds_(device, "bounds of kinds"),
      total_(device, "total") {}

void BodyTree::set_scene(const Bodies& b) {
  const std::size_t n = b.count();
  is_sorted_ = false;
  const auto environment_of = [&](std::size_t i) { return b.environment.empty() ? 0U : b.environment[i]; };

  // Environments by rank, so that keys stay short whatever their numbers are.
  std::vector<std::uint32_t> environments;
  if (!b.environment.empty()) {
    environments = b.environment;
    std::sort(environments.begin(), environments.end());
    environments.erase(std::unique(environments.begin(), environments.end()), environments.end());
  } else {
    environments.push_back(0);
  }
  const auto rank_of = [&](std::size_t i) {
    return static_cast<std::uint32_t>(std::lower_bound(environments.begin(), environments.end(), environment_of(i)) -
                                      environments.begin());
  };

  // The size below which a body counts as small, and classes of larger ones that really occur.
  std::vector<double> radii;
  for (std::size_t i = 0; i < n; ++i)
    if (is_bounded(b.shape[i])) radii.push_back(bounding_radius(b.shape[i], b.size[i]));
  leaves_ = static_cast<std::uint32_t>(radii.size());
  double small = 1.0;
  if (!radii.empty()) small = quantile(radii, 0.1);
  cell_ = static_cast<float>(2.0 * small);
  const auto class_of = [&](double radius) {
    const double above = std::log(radius / (kClassFactor * small)) / std::log(kClassFactor);
    return static_cast<unsigned>(std::clamp(std::ceil(above), 0.0, kMostClasses - 1.0));
  };
  std::array<std::uint64_t, kMostClasses> rank_of_class{};
  for (const double radius : radii) rank_of_class[class_of(radius)] = 1;
  std::uint64_t classes = 0;
  for (std::uint64_t& c : rank_of_class) c = c == 1 ? classes++ : 0;
  const unsigned class_bits = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(classes, 1) - 1));
  high_bits_ = static_cast<unsigned>(std::bit_width(environments.size() - 1)) + class_bits;

  std::vector<PairBody> records;
  records.reserve(n);
  record_of_body_.assign(n, 0);
  std::vector<std::uint32_t> plane_environment;
  filters_ = false;
  for (const bool half_spaces : {false, true})
    for (std::size_t i = 0; i < n; ++i) {
      if (is_bounded(b.shape[i]) == half_spaces) continue;
      PairBody r{};
      r.body = static_cast<cl_uint>(i);
      r.shape = static_cast<cl_uint>(b.shape[i]);
      for (std::size_t a = 0; a < 3 && !half_spaces; ++a) r.size[a] = static_cast<float>(std::max(b.size[i][a], 1e-12));
      r.environment = rank_of(i);
      r.group = b.group.empty() ? 0U : static_cast<cl_uint>(b.group[i]);
      r.category = b.category.empty() ? 1U : b.category[i];
      r.mask = b.mask.empty() ? 0xFFFFFFFFU : b.mask[i];
      filters_ = filters_ || r.group != 0 || r.category != 1 || r.mask != 0xFFFFFFFFU;
      if (half_spaces)
        plane_environment.push_back(r.environment);
      else
        r.key = static_cast<std::uint64_t>(r.environment) << class_bits |
                rank_of_class[class_of(bounding_radius(b.shape[i], b.size[i]))];
      record_of_body_[i] = static_cast<std::uint32_t>(records.size());
      records.push_back(r);
    }
  half_spaces_ = static_cast<std::uint32_t>(plane_environment.size());
  bodies_.assign(records);
  const bool one_group =
      !records.empty() && records.front().group != 0 &&
      std::all_of(records.begin(), records.end(), [&](const PairBody& r) { return r.group == records.front().group; });
  can_pair_ = leaves_ > 0 && leaves_ + half_spaces_ > 1 && !one_group;

  // Half spaces by environment.
  std::vector<std::uint32_t> offsets(environments.size() + 1, 0), list(half_spaces_);
  for (const std::uint32_t e : plane_environment) ++offsets[e + 1];
  for (std::size_t e = 0; e < environments.size(); ++e) offsets[e + 1] += offsets[e];
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t k = 0; k < half_spaces_; ++k) list[next[plane_environment[k]]++] = k;
  half_space_offsets_.assign(offsets);
  half_space_list_.assign(list);

  // Where each level begins.
  level_group_host_.assign(1, 0);
  for (std::uint32_t entries = leaves_; entries > 0;) {
    const std::uint32_t groups = groups_of(entries);
    level_group_host_.push_back(level_group_host_.back() + groups);
    entries = groups > 1 ? groups : 0;
  }
  level_group_.assign(level_group_host_);
}

std::size_t BodyTree::sample_step(std::size_t bodies) {
  return std::max<std::size_t>(1, bodies / kSamples);
}

// Whether so many bodies have gone so far since they were sorted that their order is no longer a good one: by a sample.
bool BodyTree::out_of_order(const Poses& host_poses) const {
  const std::size_t n = host_poses.count(), step = sample_step(n);
  std::size_t looked_at = 0, strayed = 0;
  for (std::size_t i = 0; i < n; i += step) {
    ++looked_at;
    strayed += is_far(host_poses, i) ? 1 : 0;
  }
  return strayed * kStrayPart > looked_at;
}

// Whether a body is far from where it was sorted.
bool BodyTree::is_far(const Poses& host_poses, std::size_t body) const {
  const std::array now = float_position(host_poses, body), then = sorted_at_[body];
  const float way = std::max({std::abs(now[0] - then[0]), std::abs(now[1] - then[1]), std::abs(now[2] - then[2])});
  return way > kStrayCells * cell_;
}

// The order of the leaves: along the curve.
void BodyTree::sort(Sample sample, bool by_host, const DevicePoses& poses, opencl::StageTimer& timer) {
  is_sorted_ = false;
  // The curve covers what most bodies are in; what is farther out counts as being on its border.
  std::array<double, 3> low{}, high{};
  double widest = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double q05 = quantile(sample[a], 0.05), q95 = quantile(sample[a], 0.95);
    const double around = 0.5 * (q95 - q05) + 8.0 * static_cast<double>(cell_);
    low[a] = q05 - around;
    high[a] = q95 + around;
    widest = std::max(widest, high[a] - low[a]);
  }
  const unsigned most_bits = std::min(kMostBits, (64 - high_bits_) / 3);
  const double cells = std::ceil(std::log2(std::max(widest / static_cast<double>(cell_), 2.0)));
  const auto bits = static_cast<cl_uint>(std::clamp(cells, 1.0, static_cast<double>(most_bits)));
  const double per_metre = std::min(1.0 / static_cast<double>(cell_), std::exp2(bits) / widest);
  const cl_float4 origin{{static_cast<float>(low[0]), static_cast<float>(low[1]), static_cast<float>(low[2]),
                          static_cast<float>(per_metre)}};

  const std::uint32_t bodies = leaves_ + half_spaces_;
  keys_.resize(leaves_);
  values_.resize(bodies);
  opencl::launch(device_, keys_kernel_, &timer, Stage::broad_phase, bodies, kGroup, leaves_, bodies, bodies_,
                 poses.records, origin, bits, keys_, values_);
  if (by_host && leaves_ <= kLeavesSortedByHost)
    sort_on_host(timer);
  else
    sort_.run_u64(keys_, values_, leaves_, high_bits_ + 3 * bits, Stage::broad_phase, &timer);

  boxes_.resize(level_group_host_.back() * GROUP_FLOATS);
  leaf_of_.resize(leaves_);
  const std::uint32_t entries = groups_of(leaves_) * kWidth;
  balls_.resize(std::size_t{groups_of(leaves_)} * BALL_FLOATS);
  opencl::launch(device_, place_kernel_, &timer, Stage::broad_phase, entries, kGroup, leaves_, entries, values_,
                 bodies_, leaf_of_, boxes_, balls_);
}

BodyTree::Sample BodyTree::sample_of(const Poses& host_poses) {
  const std::size_t n = host_poses.count(), step = sample_step(n);
  Sample sample;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < n; i += step) sample[a].push_back(host_poses.position[3 * i + a]);
  return sample;
}

// Where bodies were when the leaves were sorted.
void BodyTree::remember(const Poses& host_poses) {
  const std::size_t n = host_poses.count();
  sorted_at_.resize(n);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) sorted_at_[i] = float_position(host_poses, i);
  });
  strayed_.assign(n, false);
  strayed_count_ = 0;
}

void BodyTree::build(const Poses& host_poses, const DevicePoses& poses, opencl::StageTimer& timer) {
  if (!is_sorted_ || sorted_by_places_ || out_of_order(host_poses)) {
    sort(sample_of(host_poses), true, poses, timer);
    remember(host_poses);
    sorted_by_places_ = false;
    is_sorted_ = true;
  }
  place(poses, timer);
}

void BodyTree::build(ResidentPlaces& places, const DevicePoses& poses, opencl::StageTimer& timer) {
  if (!is_sorted_by_places() || places.strayed() > leaves_ / kStrayPart) {
    sort(places.sample(), false, poses, timer);
    places.sorted();
    sorted_by_places_ = true;
    is_sorted_ = true;
  }
  place(poses, timer);
}

// States of all bodies and boxes of all levels, with the leaves in the order that they are in.
void BodyTree::place(const DevicePoses& poses, opencl::StageTimer& timer) {
  const std::uint32_t bodies = leaves_ + half_spaces_;
  states_.resize(bodies);
  moves_ = 0;
  if (bodies <= kFewSlots) {
    const std::size_t group = device_.lone_group_size(small_tree_kernel_, kGroup);
    opencl::launch(device_, small_tree_kernel_, &timer, Stage::broad_phase, group, group, bodies, leaves_, bodies_,
                   poses.records, leaf_of_, margin_, static_cast<cl_uint>(level_group_host_.size() - 1), level_group_,
                   states_, boxes_, balls_);
    return;
  }
  opencl::launch(device_, states_kernel_, &timer, Stage::broad_phase, bodies, kGroup, bodies, leaves_, bodies_,
                 poses.records, leaf_of_, states_);
  opencl::launch(device_, leaf_boxes_kernel_, &timer, Stage::broad_phase, leaves_, kGroup, leaves_, states_, margin_,
                 boxes_, balls_);
  build_levels(1, timer);
}

// Brings the leaves into the order of their keys, as the sort on the device does: the few of a small scene are not
// worth its commands.
void BodyTree::sort_on_host(opencl::StageTimer& timer) {
  std::vector<std::uint64_t> keys(leaves_);
  std::vector<std::uint32_t> order(leaves_);
  keys_.download(keys, 0, &timer, Stage::broad_phase);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  values_.upload(order, 0, &timer, Stage::broad_phase);
}

// The boxes of all levels from this one on; not of the leaves.
void BodyTree::build_levels(std::size_t first, opencl::StageTimer& timer) {
  const std::size_t levels = level_group_host_.size() - 1;
  for (std::size_t level = first; level < levels; ++level) {
    const std::uint32_t groups_below = level_group_host_[level] - level_group_host_[level - 1];
    const std::uint32_t own_entries = groups_of(groups_below) * kWidth;
    if (own_entries <= kTopEntries) {
      const std::size_t group = device_.lone_group_size(top_kernel_, kGroup);
      opencl::launch(device_, top_kernel_, &timer, Stage::broad_phase, group, group, static_cast<cl_uint>(level),
                     static_cast<cl_uint>(levels), level_group_, boxes_);
      return;
    }
    opencl::launch(device_, level_kernel_, &timer, Stage::broad_phase, own_entries, kGroup, own_entries, groups_below,
                   level_group_host_[level - 1], level_group_host_[level] * kWidth, boxes_);
  }
}

void BodyTree::move(std::span<const std::uint32_t> bodies, const Poses& host_poses, const DevicePoses& poses,
                    opencl::StageTimer& timer) {
  for (const std::uint32_t body : bodies) {
    if (strayed_[body] || !is_far(host_poses, body)) continue;
    strayed_[body] = true;
    ++strayed_count_;
  }
  if (strayed_count_ > leaves_ / kStrayPart || moves_ == kMostMoves) {
    is_sorted_ = false;
    build(host_poses, poses, timer);
  }

  moved_upload_.wait();
  moved_records_host_.clear();
  for (const std::uint32_t body : bodies) moved_records_host_.push_back(record_of_body_[body]);
  const auto count = static_cast<cl_uint>(moved_records_host_.size());
  moved_records_.resize(count);
  moved_records_.upload_later(moved_records_host_, moved_upload_, &timer);
  moved_leaves_.resize(count);
  opencl::launch(device_, move_kernel_, &timer, Stage::broad_phase, count, kGroup, count, moved_records_, ++moves_,
                 bodies_, poses.records, margin_, leaf_of_, states_, boxes_, balls_, moved_leaves_);
  const std::uint32_t groups = level_group_host_[1];
  const bool only_moved = groups > kTopEntries && count < groups / 2;
  if (only_moved)
    opencl::launch(device_, moved_groups_kernel_, &timer, Stage::broad_phase, count, kGroup, count, moved_leaves_,
                   moves_, balls_, groups, level_group_host_[1] * kWidth, boxes_);
  build_levels(only_moved ? 2 : 1, timer);
}

// Whether the pairs of so many leaves can be counted in 32 bits, however many they turn out to be.
bool BodyTree::can_count_pairs(std::size_t leaves) const {
  return std::uint64_t{leaves} * (leaves_ + half_spaces_) <= 0xFFFFFFFFU;
}

bool BodyTree::can_count_moved_pairs() const {
  return can_count_pairs(moved_leaves_.size());
}

// How many pairs so many leaves were found to have, all of them or those that moved.
std::uint32_t BodyTree::counted_pairs(std::uint32_t leaves, const BodyPairs& found, opencl::StageTimer& timer) {
  std::uint64_t count = 0;
  if (can_count_pairs(leaves)) {
    count = found.found.read_one(0, &timer, Stage::broad_phase);
  } else {
    // That number may have gone round: those of the leaves, added up.
    scan_.run_u32(counts_, offsets_, leaves, total_, Stage::broad_phase, &timer);
    count = total_.read_one(0, &timer, Stage::broad_phase);
  }
  if (count > kMostPairs) throw SliceTooLarge{std::to_string(count) + " pairs"};
  return static_cast<std::uint32_t>(count);
}

void BodyTree::find_few_moved_pairs(std::uint32_t room, BodyPairs& to, opencl::StageTimer& timer) {
  const auto moved = static_cast<cl_uint>(moved_leaves_.size());
  to.resize(room);
  counts_.resize(moved);
  to.found.fill(0, 0, 3, &timer, Stage::broad_phase);
  // Few work-items that each take long: groups so small that every processor of a CPU has some.
  const std::size_t group = device_.info().is_gpu ? kGroup : kWidth;
  opencl::launch(device_, moved_pairs_kernel_, &timer, Stage::broad_phase, moved, group, moved, moved_leaves_, moves_,
                 leaves_, static_cast<cl_uint>(level_group_host_.size() - 1), level_group_, boxes_, balls_, states_,
                 bodies_, static_cast<cl_uint>(filters_ ? 1 : 0), half_space_offsets_, half_space_list_, half_spaces_,
                 margin_, counts_, room, to.found, to.pairs, to.kinds, to.order);
}

void BodyTree::find_moved_pairs(BodyPairs& to, opencl::StageTimer& timer) {
  auto capacity = static_cast<std::uint32_t>(std::clamp<std::size_t>(to.room(), kFirstRoom, kMostPairs));
  while (true) {
    find_few_moved_pairs(capacity, to, timer);
    to.count = counted_pairs(static_cast<std::uint32_t>(moved_leaves_.size()), to, timer);
    if (to.count <= capacity) break;
    capacity = to.count;
  }
  sort_by_kind(to, timer);
}

// Stores the pairs of groups [first, last) in any order, as many as there is room for, and counts them.
void BodyTree::launch_pairs(std::uint32_t first, std::uint32_t last, std::uint32_t capacity, BodyPairs& to,
                            opencl::StageTimer& timer) {
  const std::uint32_t count = last - first;
  counts_.resize(std::min(last * kWidth, leaves_) - first * kWidth);
  to.resize(capacity);
  to.found.fill(0, 0, 3, &timer, Stage::broad_phase);
  opencl::launch(device_, pairs_kernel_, &timer, Stage::broad_phase, count, kGroup, first, count, leaves_,
                 static_cast<cl_uint>(level_group_host_.size() - 1), level_group_, boxes_, balls_, states_, bodies_,
                 static_cast<cl_uint>(filters_ ? 1 : 0), half_space_offsets_, half_space_list_, half_spaces_, margin_,
                 counts_, capacity, to.found, to.pairs, to.kinds, to.order);
}

void BodyTree::find_few_pairs(std::uint32_t room, BodyPairs& to, opencl::StageTimer& timer) {
  launch_pairs(0, groups(), room, to, timer);
}

void BodyTree::find_pairs(std::uint32_t first, std::uint32_t last, BodyPairs& to, opencl::StageTimer& timer) {
  const std::uint32_t leaves = std::min(last * kWidth, leaves_) - first * kWidth;
  // The store is as large as it ever was.
  const std::uint32_t least = first_room(to.of_slice, leaves, kPairsOfLeaf);
  auto capacity = static_cast<std::uint32_t>(std::clamp<std::size_t>(to.room(), least, kMostPairs));
  while (true) {
    launch_pairs(first, last, capacity, to, timer);
    to.count = counted_pairs(leaves, to, timer);
    if (to.count <= capacity) break;
    capacity = to.count;
  }
  sort_by_kind(to, timer);
}

// Brings `order` into the order of kinds and finds where each begins: on the device, or on the host where the few
// pairs are not worth the commands.
void BodyTree::sort_by_kind(BodyPairs& to, opencl::StageTimer& timer) {
  to.begin.fill(0);
  to.end.fill(0);
  if (to.count == 0) return;
  if (to.few()) {
    kinds_host_.resize(to.count);
    order_host_.resize(to.count);
    to.kinds.download(kinds_host_, 0, &timer, Stage::broad_phase);
    for (const std::uint32_t kind : kinds_host_) ++to.end[kind];
    for (std::size_t k = 0; k + 1 < to.end.size(); ++k) to.end[k + 1] += to.end[k];
    std::copy(to.end.begin(), to.end.end() - 1, to.begin.begin() + 1);
    auto next = to.begin;
    for (std::uint32_t k = 0; k < to.count; ++k) order_host_[next[kinds_host_[k]]++] = k;
    to.order.upload(order_host_, 0, &timer, Stage::broad_phase);
    return;
  }
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

std::vector<std::uint32_t> BodyTree::cuts(std::uint32_t first, std::uint32_t last) const {
  std::vector<std::uint32_t> counts(std::min(last * kWidth, leaves_) - first * kWidth);
  counts_.download(counts);
  std::vector<std::uint32_t> cuts{first};
  std::uint64_t pairs = 0;
  for (std::uint32_t group = first; group < last; ++group) {
    std::uint64_t own = 0;
    const std::size_t begin = std::size_t{group - first} * kWidth;
    for (std::size_t leaf = begin; leaf < std::min<std::size_t>(begin + kWidth, counts.size()); ++leaf)
      own += counts[leaf];
    if (group > cuts.back() && pairs + own > kMostPairs) {
      cuts.push_back(group);
      pairs = 0;
    }
    pairs += own;
  }
  cuts.push_back(last);
  return cuts;
}

void BodyTree::free() {
  is_sorted_ = false;
  scan_.free();
  sort_.free();
  keys_.free();
  values_.free();
  states_.free();
  boxes_.free();
  balls_.free();
  leaf_of_.free();
  moved_records_.free();
  moved_leaves_.free();
  counts_.free();
  offsets_.free();
  kind_bounds_.free();
  total_.free();
}

std::uint32_t BodyTree::body_of_group(std::uint32_t group) const {
  return states_.read_one(std::size_t{group} * kWidth).body;
}

}  // namespace oclide
