// Broad phase of bodies: the pairs whose boxes and bounding spheres meet, from the tree. Kernels:
// kernels/broad_phase/body_pairs.cl.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "primitives/chunks.hpp"
#include "shapes/pair_table.hpp"
#include "shared/abi.h"

namespace oclide {

/// Pairs that the host puts in order, with what comes of them, if there are no more.
inline constexpr std::uint32_t kFewPairs = 16384;

/// Pairs of leaves (the lower shape first), to be visited in `order`, in which those of one kind may stand together.
struct BodyPairs {
  explicit BodyPairs(opencl::Device& device)
      : pairs(device, "body pairs"),
        kinds(device, "kinds of body pairs"),
        order(device, "order of body pairs"),
        found(device, "counts of body pairs") {}

  opencl::Buffer<cl_uint2> pairs;
  opencl::Buffer<std::uint32_t> kinds, order;
  opencl::Buffer<std::uint32_t> found;  // FOUND_*
  bool is_empty = false;                // all of `found` is 0, or will be when a command before is done
  // Where the host knows them:
  std::uint32_t count = 0;
  std::array<std::uint32_t, kPairTable.size()> begin{}, end{};  // of each kind in `order`

  /// Pairs that there is room for.
  [[nodiscard]] std::size_t capacity() const {
    return std::min({pairs.capacity(), kinds.capacity(), order.capacity()});
  }
  /// Makes room for this many.
  void resize(std::size_t size);
  void free();
};

/// The leaves whose pairs are looked for: those of groups [first, last) of the tree with what is to their right, or
/// those that moved last with all others, each pair once.
struct QueryLeaves {
  bool moved = false;
  std::uint32_t first = 0, last = 0;
  bool is_slice = false;  ///< of a frame that did not fit as a whole
};

class PairSearch {
 public:
  PairSearch(opencl::Device& device, const DeviceScene& scene, float margin);

  using Kinds = std::bitset<kPairTable.size()>;

  /// Finds the pairs of these leaves, those of one kind together. Blocking. Throws SliceTooLarge above 2^25 pairs and
  /// Error(device) where memory is short.
  void find(const QueryLeaves& leaves, BodyPairs& to, opencl::StageTimer& timer);
  /// The same without waiting, as many as there is capacity for, in any order. How many there are is known to the
  /// device.
  void launch(const QueryLeaves& leaves, std::uint32_t capacity, BodyPairs& to, opencl::StageTimer& timer);
  /// After launch(): brings those of one kind together. Where there are any of others than `looked_at`, the device
  /// takes note.
  void launch_order(std::uint32_t capacity, const Kinds& looked_at, BodyPairs& to, opencl::StageTimer& timer);
  /// Where to cut these groups, for which find() has just thrown SliceTooLarge, so that no part has more pairs than a
  /// slice may (but for a part of a single group): first, ..., last. Blocking.
  [[nodiscard]] std::vector<std::uint32_t> cuts(const QueryLeaves& leaves) const;

  void free();

 private:
  [[nodiscard]] std::uint32_t count_of(const QueryLeaves& leaves) const;
  [[nodiscard]] static std::uint32_t read_count(const BodyPairs& pairs, opencl::StageTimer& timer);
  void count_kinds(std::uint32_t capacity, BodyPairs& to, opencl::StageTimer& timer);
  void order_by_kind(std::uint32_t capacity, const Kinds& looked_at, BodyPairs& to, opencl::StageTimer& timer);

  opencl::Device& device_;
  const DeviceScene& scene_;
  float margin_;
  primitives::Chunks kind_chunks_;
  cl::Kernel pairs_kernel_, moved_pairs_kernel_, order_kernel_;
  cl::Kernel kinds_kernel_;               // not on a GPU
  opencl::Buffer<std::uint32_t> counts_;  // pairs of each leaf
};

}  // namespace oclide
