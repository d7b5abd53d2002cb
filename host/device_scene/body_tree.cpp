#include "device_scene/body_tree.hpp"

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::uint32_t kMostMoves = 0xFFFFFFFFU >> SHAPE_BITS;  // of a tree
static_assert(SHAPES_END <= SHAPE_NONE && SHAPE_NONE < 1 << SHAPE_BITS);
constexpr std::size_t kChangedPart = 16;  // one leaf in so many may be another body's than when they were sorted
constexpr std::size_t kTreeGroup = 256;   // work-items for TREE_PART leaves or boxes
constexpr std::size_t kLevelsAbove = 3;   // of these that the same group does
static_assert(TREE_PART == BodyTree::kWidth * BodyTree::kWidth * BodyTree::kWidth);
// Boxes of a level that one work-group does with all above it.
std::uint32_t most_of_top(const opencl::Device& device) {
  return device.info().is_gpu ? 4096 : 1024;
}

std::uint32_t groups_of(std::uint32_t entries) {
  return (entries + BodyTree::kWidth - 1) / BodyTree::kWidth;
}

std::size_t parts_of(std::size_t entries) {
  return (entries + TREE_PART - 1) / TREE_PART;
}

}  // namespace

BodyTree::BodyTree(opencl::Device& device, const TreeBodies& bodies, const HullBuffers& hulls, float margin,
                   const WorkMemory& work)
    : device_(device),
      bodies_(bodies),
      hulls_(hulls),
      margin_(margin),
      order_(device, bodies, work),
      place_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_place_leaves")),
      states_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_body_states")),
      leaf_boxes_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_leaf_boxes")),
      move_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_move_leaves")),
      moved_groups_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_moved_groups")),
      change_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_change_bodies")),
      levels_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_tree_levels")),
      fused_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_small_tree")),
      level_group_(device, "levels of the tree"),
      states_(device, "body states"),
      boxes_(device, "boxes of the tree"),
      spheres_(device, "bounding spheres of leaves"),
      leaf_of_(device, "leaves of bodies"),
      moved_records_(device, "moved bodies"),
      moved_leaves_(device, "moved leaves"),
      changed_records_(device, "records of changed bodies"),
      changed_bodies_(device, "changed bodies"),
      changed_margins_(device, "margins of changed bodies") {}

void BodyTree::set_scene() {
  order_.forget();
  level_group_host_.assign(1, 0);
  for (std::uint32_t entries = bodies_.leaves; entries > 0;) {
    const std::uint32_t groups = groups_of(entries);
    level_group_host_.push_back(level_group_host_.back() + groups);
    entries = groups > 1 ? groups : 0;
  }
  level_group_.assign(level_group_host_);
}

void BodyTree::change() {
  const std::size_t count = bodies_.changed.size();
  if (count == 0) return;
  changed_records_.assign(bodies_.changed_records);
  changed_bodies_.assign(bodies_.changed);
  const bool has_margins = bodies_.margins.size() > 0;
  if (has_margins) changed_margins_.assign(bodies_.changed_margins);
  opencl::launch(device_, change_kernel_, nullptr, Stage::upload, count, kGroup, static_cast<cl_uint>(count),
                 changed_records_, changed_bodies_, has_margins ? changed_margins_.get() : cl::Buffer(),
                 cl_uint{order_.is_sorted() ? 1U : 0U}, leaf_of_, bodies_.records, bodies_.margins_of_bodies(), boxes_);
  changed_ += count;
  if (changed_ > bodies_.leaves / kChangedPart) order_.forget();
}

bool BodyTree::build(LeafPositions& positions, const DevicePoses& poses, opencl::StageTimer& timer,
                     const opencl::Buffer<std::uint32_t>* emptied) {
  if (bodies_.leaves > 0 && !order_.is_good(positions)) {
    order_.sort(positions, poses, timer);
    place_leaves(timer);
    order_.keep(positions);
  }
  const bool empties =
      emptied != nullptr && emptied->size() > 0 && emptied->size() <= kFewSlots && bodies_.count() > kFewSlots;
  compute_boxes(poses, timer, empties ? emptied : nullptr);
  return empties;
}

// What stays of each leaf while the order does: which body it is, its environment and shape.
void BodyTree::place_leaves(opencl::StageTimer& timer) {
  const std::uint32_t leaves = bodies_.leaves, entries = groups() * kWidth;
  changed_ = 0;
  boxes_.resize(std::size_t{level_group_host_.back()} * GROUP_FLOATS);
  leaf_of_.resize(leaves);
  spheres_.resize(std::size_t{groups()} * LEAF_SPHERE_FLOATS);
  opencl::launch(device_, place_kernel_, &timer, Stage::broad_phase, entries, kGroup, leaves, entries, order_.records(),
                 bodies_.records, leaf_of_, boxes_, spheres_);
}

// States of all bodies and boxes of all levels, with the leaves in the order that they are in.
void BodyTree::compute_boxes(const DevicePoses& poses, opencl::StageTimer& timer,
                             const opencl::Buffer<std::uint32_t>* emptied) {
  const std::uint32_t count = bodies_.count();
  states_.resize(count);
  moves_ = 0;
  if (count <= kFewSlots) {
    const std::size_t group = device_.lone_group_size(fused_kernel_, kGroup);
    opencl::launch(device_, fused_kernel_, &timer, Stage::broad_phase, group, group, count, bodies_.leaves,
                   bodies_.records, poses.records, leaf_of_, hulls_.words, margin_, bodies_.margins_of_bodies(),
                   levels(), level_group_, states_, boxes_, spheres_);
    return;
  }
  opencl::launch(device_, states_kernel_, &timer, Stage::broad_phase, count, kGroup, count, bodies_.leaves,
                 bodies_.records, poses.records, leaf_of_, states_,
                 emptied != nullptr ? static_cast<cl_uint>(emptied->size()) : 0,
                 emptied != nullptr ? emptied->get() : cl::Buffer());
  const std::size_t group = device_.work_group_size(leaf_boxes_kernel_, kTreeGroup);
  opencl::launch(device_, leaf_boxes_kernel_, &timer, Stage::broad_phase, parts_of(bodies_.leaves) * group, group,
                 bodies_.leaves, states_, hulls_.words, margin_, bodies_.margins_of_bodies(), levels(), level_group_,
                 boxes_, spheres_);
  compute_levels(1 + kLevelsAbove, boxes_, timer);
}

// The boxes of all levels from this one on; not of the leaves.
void BodyTree::compute_levels(std::size_t first, opencl::Buffer<float>& boxes, opencl::StageTimer& timer) const {
  for (std::size_t level = first; level < levels(); level += 1 + kLevelsAbove) {
    const std::uint32_t groups_below = level_group_host_[level] - level_group_host_[level - 1];
    const std::uint32_t own_entries = groups_of(groups_below) * kWidth;
    const bool is_top = own_entries <= most_of_top(device_);
    const std::size_t group = is_top ? device_.lone_group_size(levels_kernel_, kTreeGroup)
                                     : device_.work_group_size(levels_kernel_, kTreeGroup);
    opencl::launch(device_, levels_kernel_, &timer, Stage::broad_phase, (is_top ? 1 : parts_of(own_entries)) * group,
                   group, static_cast<cl_uint>(level), levels(), level_group_, boxes);
    if (is_top) return;
  }
}

void BodyTree::move(std::span<const std::uint32_t> bodies, LeafPositions& positions, const DevicePoses& poses,
                    opencl::StageTimer& timer) {
  if (!order_.is_sorted() || positions.is_stale_after(bodies, bodies_.leaves, bodies_.cell) || moves_ == kMostMoves) {
    order_.forget();
    build(positions, poses, timer);
  }

  moved_upload_.wait();
  moved_records_host_.clear();
  for (const std::uint32_t body : bodies) moved_records_host_.push_back(bodies_.record_of_body[body]);
  const auto count = static_cast<cl_uint>(moved_records_host_.size());
  moved_records_.resize(count);
  moved_records_.upload_later(moved_records_host_, moved_upload_, &timer);
  moved_leaves_.resize(count);
  opencl::launch(device_, move_kernel_, &timer, Stage::broad_phase, count, kGroup, count, moved_records_, ++moves_,
                 bodies_.records, poses.records, hulls_.words, margin_, bodies_.margins_of_bodies(), leaf_of_, states_,
                 boxes_, spheres_, moved_leaves_);
  const bool only_moved = groups() > most_of_top(device_) && count < groups() / 2;
  if (only_moved)
    opencl::launch(device_, moved_groups_kernel_, &timer, Stage::broad_phase, count, kGroup, count, moved_leaves_,
                   moves_, spheres_, groups(), groups() * kWidth, boxes_);
  compute_levels(only_moved ? 2 : 1, boxes_, timer);
}

std::uint32_t BodyTree::body_of_group(std::uint32_t group) const {
  return states_.read_one(std::size_t{group} * kWidth).body;
}

void BodyTree::free() {
  order_.free();
  states_.free();
  boxes_.free();
  spheres_.free();
  leaf_of_.free();
  moved_records_.free();
  moved_leaves_.free();
}

}  // namespace oclide
