// The tree over the boxes of a scene's bodies at the poses of a frame, one body or many, for all that asks what is
// where. Nothing of it is on the device before the first build(). Kernels: kernels/broad_phase/body_tree.cl; what it
// looks like: docs/broad_phase.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device_scene/hull_buffers.hpp"
#include "device_scene/leaf_order.hpp"
#include "shared/limits.h"

namespace oclide {

class BodyTree {
 public:
  static constexpr std::uint32_t kWidth = GROUP_WIDTH;  ///< boxes of a group

  BodyTree(opencl::Device& device, const TreeBodies& bodies, const HullBuffers& hulls, float margin,
           const WorkMemory& work);

  /// The scene has other bodies now. Blocking.
  void set_scene();
  /// Takes what TreeBodies::change() has changed to the device. Blocking.
  void change();
  /// Builds the tree for these poses, at the same positions, with the leaves sorted where they have to be. There must
  /// be bodies. Sets all of `emptied` to 0 as well, if it can without a command of its own; false where it did not.
  bool build(LeafPositions& positions, const DevicePoses& poses, opencl::StageTimer& timer,
             const opencl::Buffer<std::uint32_t>* emptied = nullptr);
  /// After a build(), takes over the poses of some bodies that moved, none of them a half space. Builds the tree where
  /// so many have moved so far that it is no longer a good one.
  void move(std::span<const std::uint32_t> bodies, LeafPositions& positions, const DevicePoses& poses,
            opencl::StageTimer& timer);
  /// Of `boxes` of a tree as this one, whose leaves are set, those of the levels above.
  void unite(opencl::Buffer<float>& boxes, opencl::StageTimer& timer) const { compute_levels(1, boxes, timer); }
  [[nodiscard]] bool is_built() const { return states_.size() > 0; }
  [[nodiscard]] bool is_sorted_by(const LeafPositions& positions) const { return order_.is_sorted_by(positions); }

  /// Groups of eight neighbouring leaves.
  [[nodiscard]] std::uint32_t groups() const { return levels() == 0 ? 0 : level_group_host_[1]; }
  [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(level_group_host_.size() - 1); }
  /// First group of each level, and the end.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& level_groups() const { return level_group_; }
  /// Boxes of the groups of all levels.
  [[nodiscard]] const opencl::Buffer<float>& boxes() const { return boxes_; }
  /// Bounding spheres of leaves, with their shapes and the number of the last move.
  [[nodiscard]] const opencl::Buffer<float>& spheres() const { return spheres_; }
  /// Bodies in the order of leaves, then half spaces.
  [[nodiscard]] const opencl::Buffer<BodyState>& states() const { return states_; }
  /// Leaves of the last move(), and its number since the last build().
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& moved_leaves() const { return moved_leaves_; }
  [[nodiscard]] std::uint32_t moves() const { return moves_; }
  /// The scene's index of the first body of a group; blocking, for errors.
  [[nodiscard]] std::uint32_t body_of_group(std::uint32_t group) const;

  /// Gives the device memory of a frame back: build() must come before anything else.
  void free();

 private:
  void place_leaves(opencl::StageTimer& timer);
  void compute_boxes(const DevicePoses& poses, opencl::StageTimer& timer, const opencl::Buffer<std::uint32_t>* emptied);
  void compute_levels(std::size_t first, opencl::Buffer<float>& boxes, opencl::StageTimer& timer) const;

  opencl::Device& device_;
  const TreeBodies& bodies_;
  const HullBuffers& hulls_;
  float margin_;
  LeafOrder order_;
  cl::Kernel place_kernel_, states_kernel_, leaf_boxes_kernel_, move_kernel_, moved_groups_kernel_, change_kernel_;
  mutable cl::Kernel levels_kernel_;  // whose arguments are set anew each time
  cl::Kernel fused_kernel_;
  std::vector<std::uint32_t> level_group_host_{0};
  opencl::Buffer<std::uint32_t> level_group_;
  opencl::Buffer<BodyState> states_;
  opencl::Buffer<float> boxes_, spheres_;
  opencl::Buffer<std::uint32_t> leaf_of_;  // by record
  std::uint32_t moves_ = 0;
  std::size_t changed_ = 0;  // bodies, since the leaves were sorted
  std::vector<std::uint32_t> moved_records_host_;
  opencl::Transfers moved_upload_;  // of these
  opencl::Buffer<std::uint32_t> moved_records_, moved_leaves_;
  opencl::Buffer<std::uint32_t> changed_records_;
  opencl::Buffer<PairBody> changed_bodies_;
  opencl::Buffer<float> changed_margins_;
};

}  // namespace oclide
