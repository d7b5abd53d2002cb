// Broad phase of bodies: the tree over their boxes and the pairs that it gives. Kernels:
// kernels/broad_phase/body_tree.cl, body_pairs.cl.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "frame/work_memory.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "primitives/exclusive_scan.hpp"
#include "primitives/radix_sort.hpp"
#include "shapes/pair_table.hpp"
#include "shared/abi.h"
#include "upload/device_poses.hpp"

namespace oclide {

/// Pairs that the host puts in order, with what comes of them, if there are no more.
inline constexpr std::uint32_t kFewPairs = 16384;

/// Pairs of leaves (the lower shape first), to be visited in `order`, in which those of one kind stand together.
struct BodyPairs {
  explicit BodyPairs(opencl::Device& device)
      : pairs(device, "body pairs"),
        kinds(device, "kinds of body pairs"),
        order(device, "order of body pairs"),
        found(device, "counts of body pairs") {}

  opencl::Buffer<cl_uint2> pairs;
  opencl::Buffer<std::uint32_t> kinds, order;
  opencl::Buffer<std::uint32_t> found;  // how many, then what the narrow phase finds: places in its store, contacts
  std::uint32_t count = 0;
  std::array<std::uint32_t, kPairTable.size()> begin{}, end{};  // of each kind in `order`

  bool stays_on_device = false;  // the host is not to order them, few as they may be
  bool of_slice = false;         // of a frame that did not fit as a whole

  /// So few that the host puts them, and what comes of them, in order: they are not worth the commands to the device.
  [[nodiscard]] bool few() const { return !stays_on_device && count <= kFewPairs; }
  /// Pairs that there is room for.
  [[nodiscard]] std::size_t room() const { return std::min({pairs.capacity(), kinds.capacity(), order.capacity()}); }
  /// Makes room for this many.
  void resize(std::size_t size);
  void free();
};

/// Where bodies are, for a tree over poses that are on the device alone.
class ResidentPlaces {
 public:
  virtual ~ResidentPlaces() = default;
  /// Bodies that are farther than BodyTree::cell() from where they were when sorted() was called.
  [[nodiscard]] virtual std::uint32_t strayed() const = 0;
  /// Some thousand positions, x, y and z apart. Blocking.
  [[nodiscard]] virtual std::array<std::vector<double>, 3> sample() = 0;
  /// The leaves have just been sorted.
  virtual void sorted() = 0;
};

class BodyTree {
 public:
  BodyTree(opencl::Device& device, float margin, const WorkMemory& work);

  /// Replaces the bodies. Blocking.
  void set_scene(const Bodies& bodies);
  /// Leaves: bodies but half spaces. 0: there is nothing to pair.
  [[nodiscard]] std::uint32_t leaves() const { return leaves_; }
  /// Whether any two bodies can meet at all.
  [[nodiscard]] bool can_pair() const { return can_pair_; }

  /// Builds the tree for these poses, with the leaves sorted anew where they have to be; `host_poses` are the same and
  /// decide that, and how fine the keys are.
  void build(const Poses& host_poses, const DevicePoses& poses, opencl::StageTimer& timer);
  /// The same for poses that are on the device alone, without any work of the host's but how the keys are made.
  void build(ResidentPlaces& places, const DevicePoses& poses, opencl::StageTimer& timer);
  /// Side of a cell of the curve [m]: what a body may move before the tree suffers.
  [[nodiscard]] float cell() const { return cell_; }
  /// One body in so many is looked at to decide how the curve is laid.
  [[nodiscard]] static std::size_t sample_step(std::size_t bodies);
  /// Whether ResidentPlaces::strayed() is about the order that the leaves are in.
  [[nodiscard]] bool is_sorted_by_places() const { return is_sorted_ && sorted_by_places_; }
  /// After a build(), takes over the poses of some bodies that moved, none of them a half space; find_moved_pairs() is
  /// about these. Builds the tree anew where so many have moved so far that it is no longer a good one.
  void move(std::span<const std::uint32_t> bodies, const Poses& host_poses, const DevicePoses& poses,
            opencl::StageTimer& timer);
  /// Bodies in the order of leaves, then half spaces; since build().
  [[nodiscard]] const opencl::Buffer<BodyState>& states() const { return states_; }

  /// Groups of eight neighbouring leaves, by which slices are cut.
  [[nodiscard]] std::uint32_t groups() const { return leaves_ == 0 ? 0 : level_group_host_[1]; }
  /// The pairs of the bodies of the last move() with all others, each once. Throws Error(device) where memory is short,
  /// SliceTooLarge above 2^25 pairs.
  void find_moved_pairs(BodyPairs& to, opencl::StageTimer& timer);
  /// Whether the device can count them, in 32 bits, however many they turn out to be.
  [[nodiscard]] bool can_count_moved_pairs() const;
  /// The same without waiting, as many as there is `room` for, in any order. How many there are is known to the device.
  /// Only where can_count_moved_pairs().
  void find_few_moved_pairs(std::uint32_t room, BodyPairs& to, opencl::StageTimer& timer);
  /// The pairs of the leaves of groups [first, last) with what is to their right. Throws SliceTooLarge above 2^25 pairs
  /// and Error(device) where memory is short.
  void find_pairs(std::uint32_t first, std::uint32_t last, BodyPairs& to, opencl::StageTimer& timer);

  /// find_pairs() of all groups of a small frame without waiting, as many as there is `room` for, in any order. How
  /// many there are is known to the device.
  void find_few_pairs(std::uint32_t room, BodyPairs& to, opencl::StageTimer& timer);

  /// Where to cut groups [first, last), for which find_pairs() has just thrown SliceTooLarge, so that no part has more
  /// pairs than a slice may (but for a part of a single group): first, ..., last. Blocking.
  [[nodiscard]] std::vector<std::uint32_t> cuts(std::uint32_t first, std::uint32_t last) const;
  /// Gives the device memory of a frame back: build() must come before anything else.
  void free();
  /// The scene's index of the first body of a group; blocking, for errors.
  [[nodiscard]] std::uint32_t body_of_group(std::uint32_t group) const;

 private:
  using Sample = std::array<std::vector<double>, 3>;  // of positions: x, y, z

  [[nodiscard]] static Sample sample_of(const Poses& host_poses);
  void sort(Sample sample, bool by_host, const DevicePoses& poses, opencl::StageTimer& timer);
  void remember(const Poses& host_poses);
  void place(const DevicePoses& poses, opencl::StageTimer& timer);
  [[nodiscard]] bool out_of_order(const Poses& host_poses) const;
  [[nodiscard]] bool is_far(const Poses& host_poses, std::size_t body) const;
  void sort_on_host(opencl::StageTimer& timer);
  void build_levels(std::size_t first, opencl::StageTimer& timer);
  void launch_pairs(std::uint32_t first, std::uint32_t last, std::uint32_t capacity, BodyPairs& to,
                    opencl::StageTimer& timer);
  [[nodiscard]] bool can_count_pairs(std::size_t leaves) const;
  [[nodiscard]] std::uint32_t counted_pairs(std::uint32_t leaves, const BodyPairs& found, opencl::StageTimer& timer);
  void sort_by_kind(BodyPairs& to, opencl::StageTimer& timer);

  opencl::Device& device_;
  float margin_;
  primitives::ExclusiveScan scan_;
  primitives::RadixSort sort_;
  cl::Kernel keys_kernel_, place_kernel_, states_kernel_, leaf_boxes_kernel_, move_kernel_, moved_groups_kernel_,
      level_kernel_, top_kernel_, small_tree_kernel_, pairs_kernel_, moved_pairs_kernel_, kinds_kernel_;

  // Scene.
  std::uint32_t leaves_ = 0, half_spaces_ = 0;
  bool can_pair_ = false;
  bool filters_ = false;    // some body has a group, a category or a mask
  unsigned high_bits_ = 0;  // of PairBody::key
  float cell_ = 1.0F;       // of the space-filling curve, where the scene is not too wide for it [m]
  opencl::Buffer<PairBody> bodies_;
  opencl::Buffer<std::uint32_t> half_space_offsets_, half_space_list_;  // by environment
  std::vector<std::uint32_t> level_group_host_;                         // first group of each level, and the end
  std::vector<std::uint32_t> record_of_body_;
  opencl::Buffer<std::uint32_t> level_group_;

  // Frame.
  opencl::Buffer<std::uint64_t> keys_;
  opencl::Buffer<std::uint32_t> values_;
  opencl::Buffer<BodyState> states_;
  opencl::Buffer<float> boxes_, balls_;    // of all levels; of leaves
  opencl::Buffer<std::uint32_t> leaf_of_;  // by record

  // From frame to frame: the leaves stay in the order that they were last sorted in while that is a good one.
  bool is_sorted_ = false;
  bool sorted_by_places_ = false;                // by build() for poses that are on the device alone
  std::vector<std::array<float, 3>> sorted_at_;  // where each body was then [m]
  std::vector<bool> strayed_;                    // bodies that move() has seen far from there
  std::uint32_t strayed_count_ = 0;
  std::uint32_t moves_ = 0;  // since the last build()
  std::vector<std::uint32_t> moved_records_host_;
  opencl::Transfers moved_upload_;  // of these
  opencl::Buffer<std::uint32_t> moved_records_, moved_leaves_;

  // Slice.
  opencl::Buffer<std::uint32_t> counts_, offsets_, kind_bounds_;
  opencl::Buffer<std::uint64_t> total_;
  std::vector<std::uint32_t> kinds_host_, order_host_;  // of few pairs
};

}  // namespace oclide
