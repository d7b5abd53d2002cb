// The order of the leaves of the tree of bodies: along a space-filling curve. Kernel: leaf_keys of
// kernels/broad_phase/body_tree.cl.
#pragma once

#include <cstdint>

#include "device_scene/leaf_positions.hpp"
#include "device_scene/tree_bodies.hpp"
#include "frame/work_memory.hpp"
#include "opencl/launch.hpp"
#include "primitives/radix_sort.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

class LeafOrder {
 public:
  LeafOrder(opencl::Device& device, const TreeBodies& bodies, const WorkMemory& work);

  /// Whether the leaves have been kept in an order by these positions that is still a good one.
  [[nodiscard]] bool is_good(const LeafPositions& positions) const {
    return is_sorted_by(positions) && !positions.is_stale(bodies_.leaves, bodies_.cell);
  }
  [[nodiscard]] bool is_sorted() const { return sorted_by_ != nullptr; }
  [[nodiscard]] bool is_sorted_by(const LeafPositions& positions) const { return sorted_by_ == &positions; }
  /// Sorts the leaves; `poses` are those of `positions`. To be followed by keep().
  void sort(LeafPositions& positions, const DevicePoses& poses, opencl::StageTimer& timer);
  /// The order stays, in this frame and others.
  void keep(LeafPositions& positions) {
    positions.remember();
    sorted_by_ = &positions;
  }
  /// There is no order.
  void forget() { sorted_by_ = nullptr; }

  /// The record of each leaf, then half spaces.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& records() const { return records_; }

  void free();

 private:
  void sort_on_host(opencl::StageTimer& timer);

  opencl::Device& device_;
  const TreeBodies& bodies_;
  primitives::RadixSort sort_;
  cl::Kernel keys_kernel_;
  opencl::Buffer<std::uint64_t> keys_;
  opencl::Buffer<std::uint32_t> records_;
  const LeafPositions* sorted_by_ = nullptr;
};

}  // namespace oclide
