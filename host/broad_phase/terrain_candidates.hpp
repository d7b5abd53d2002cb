// Broad phase of bodies on terrain: ranges of sites under each body, then the sites of these that reach up to it, the
// candidates. Kernels: kernels/broad_phase/terrain_range.cl, terrain_candidates.cl.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device_scene/device_scene.hpp"
#include "frame/item_runs.hpp"
#include "frame/work_memory.hpp"
#include "opencl/buffer.hpp"
#include "opencl/host_array.hpp"
#include "opencl/launch.hpp"
#include "opencl/lazy_kernel.hpp"
#include "primitives/exclusive_scan.hpp"
#include "shared/abi.h"
#include "shared/limits.h"
#include "upload/device_poses.hpp"

namespace oclide {

class TerrainCandidates {
 public:
  /// Sites are looked at in chunks.
  [[nodiscard]] static std::uint64_t chunks_of(std::uint64_t sites) { return (sites + CHUNK_SITES - 1) / CHUNK_SITES; }

  TerrainCandidates(opencl::Device& device, const DeviceScene& scene, float margin, const WorkMemory& work,
                    primitives::ExclusiveScan& scan);

  /// Ranges of sites under all bodies of a list, and where those of each begin. Does not block.
  void launch_ranges(const SlotList& slots, const DevicePoses& poses, opencl::StageTimer& timer);
  /// The number of sites in all, after launch_ranges(). Blocking.
  [[nodiscard]] std::uint64_t read_sites(opencl::StageTimer& timer);
  /// Sites of the slots before this one, after read_sites(). Blocking where the frame is cut into slices.
  [[nodiscard]] std::uint64_t sites_before(std::uint32_t slot);

  /// The candidates of these slots, which have so many sites, in order; their number. Blocking. Throws SliceTooLarge.
  std::uint32_t find(const SlotRange& range, std::uint64_t sites, opencl::StageTimer& timer);
  /// The same without waiting, as many as there is capacity for.
  void launch(const SlotRange& range, std::uint32_t chunks, std::uint32_t capacity, opencl::StageTimer& timer);
  /// launch() of a fused kernel, for few slots.
  void launch_fused(const SlotList& slots, std::uint32_t chunks, std::uint32_t capacity, opencl::StageTimer& timer);

  using Bounds = std::array<std::uint32_t, kTerrainShapes.size() + 1>;  ///< first candidate of each shape, and the end
  /// After find(). Blocking.
  [[nodiscard]] Bounds read_bounds(const SlotRange& range, std::uint32_t candidates, opencl::StageTimer& timer);

  /// What there is room for on the device as it is.
  [[nodiscard]] std::size_t chunk_capacity() const;
  [[nodiscard]] std::size_t capacity() const;

  [[nodiscard]] const opencl::Buffer<GridPose>& grid_poses() const { return grid_poses_; }
  [[nodiscard]] const opencl::Buffer<std::uint64_t>& site_offsets() const { return site_offsets_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& chunk_offsets() const { return chunk_offsets_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& slots() const { return candidate_slots_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& sites() const { return candidate_sites_; }
  /// The first candidate of each slot.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& first() const { return first_candidate_; }
  /// For the narrow phase, zero after launch(): contacts of each candidate, and slots of its store that are taken.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& contact_counts() const { return contact_counts_; }
  [[nodiscard]] opencl::Buffer<std::uint32_t>& stored() { return stored_; }

  /// Gives back what slots of a range take, or all.
  void free_slice();
  void free();

 private:
  void launch_sites(const SlotRange& range, std::uint32_t chunks, opencl::StageTimer& timer);
  void launch_scan(std::uint32_t chunks, opencl::StageTimer& timer);
  void launch_candidates(const SlotRange& range, std::uint32_t chunks, std::uint32_t capacity,
                         opencl::StageTimer& timer);
  void resize(const SlotList& slots, std::uint32_t capacity);

  opencl::Device& device_;
  const DeviceScene& scene_;
  float margin_;
  ItemRuns chunk_runs_;
  primitives::ExclusiveScan& scan_;
  opencl::LazyKernel range_kernel_, sites_kernel_, candidates_kernel_, fused_kernel_;

  // Frame.
  opencl::Buffer<GridPose> grid_poses_;
  opencl::Buffer<std::uint32_t> site_counts_;
  opencl::Buffer<std::uint64_t> site_offsets_, total_;
  std::uint32_t slot_count_ = 0;
  std::uint64_t sites_ = 0;
  std::vector<std::uint64_t> site_offsets_host_;  // only where the frame is cut into slices

  // Slice.
  opencl::Buffer<std::uint8_t> site_features_;  // of the sites of each chunk: those in reach of the body, as bits
  opencl::Buffer<std::uint32_t> kept_in_chunk_, chunk_offsets_;
  opencl::Buffer<std::uint32_t> candidate_slots_, candidate_sites_, first_candidate_;
  opencl::Buffer<std::uint32_t> contact_counts_, stored_;
  opencl::HostArray<std::uint32_t> bounds_host_;
};

}  // namespace oclide
