// Every buffer of the pipeline, with its size for what a frame is estimated to come to: a row for each. Whoever adds a
// buffer adds its row here (tests/planning/memory_plan_test.cpp fails until then).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "frame/work_memory.hpp"
#include "planning/memory_plan.hpp"

namespace oclide {

inline constexpr std::uint64_t kSmallestBuffer = 16;  // [bytes]

/// What is known of the numbers that sizes come from.
struct BufferCounts {
  std::uint64_t terrains = 0, bodies = 0, slots = 0, leaves = 0, half_spaces = 0, environments = 1, excluded = 0;
  std::uint64_t hull_words = 0;  // of their records
  std::uint64_t margins = 0;     // of bodies, where some body has one
  std::uint64_t tree_groups = 0, tree_levels = 0;
  std::uint64_t vertices = 0, low_vertices = 0, cells = 0, material_cells = 0, bounds = 0, face_names = 0;
  bool can_pair = false;
  bool has_meetings = false;  // pairs of PAIR_KINDS_IN_TWO may be
  // Estimated.
  std::uint64_t sites = 0, chunks = 0, candidates = 0, terrain_contacts = 0, terrain_found = 0, terrain_reduced = 0;
  std::uint64_t pairs = 0, touching = 0, pair_contacts = 0;
  std::uint64_t mesh_pairs = 0, mesh_groups = 0, mesh_candidates = 0, mesh_contacts = 0;
  std::uint64_t contacts = 0, manifolds = 0, large = 0;  // that are tracked
  std::vector<FrameEstimate::Crowd> crowds;
};

[[nodiscard]] BufferCounts counts_of(const Scene& scene, const Bodies& bodies, const Geometry& geometry,
                                     const FrameEstimate& estimate);

/// When a buffer is there, which decides what a memory limit does to it.
enum class BufferLife {
  scene,          // from set_scene() on
  poses,          // of each set of poses
  terrain_frame,  // of a frame, whole
  terrain_slice,  // of a slice of the bodies over terrain: less of it in each of several
  terrain_whole,  // of a slice, but of the same size in each
  bodies_frame,   // the same of bodies against bodies
  bodies_slice,
  bodies_whole,
  tracking,  // gives way to the others; cut in parts where there is no room
};

enum class BufferWhen {
  always,
  large,  // where the frame is not so small that the host does it
  moved,  // after an incremental frame
  small,  // after a small consecutive frame
};

struct BufferRow {
  const char* name;
  std::uint64_t element;  // [bytes]
  std::uint64_t count;
  bool exact;
  BufferLife life;
  BufferWhen when = BufferWhen::always;
  std::uint64_t least = 0;  // elements of a slice

  // Rows of one name of WorkMemory have it one after the other: the largest of them counts. Others add up.
  [[nodiscard]] bool is_in(std::string_view memory) const { return name == memory; }
  [[nodiscard]] bool is_shared() const { return is_in(WorkMemory::kFirst) || is_in(WorkMemory::kSecond); }
  [[nodiscard]] std::uint64_t bytes() const { return std::max(kSmallestBuffer, element * count); }
};

/// Every buffer of the pipeline on a device.
[[nodiscard]] std::vector<BufferRow> device_rows(const BufferCounts& counts, const DeviceInfo& device, bool track);
/// What the library keeps in host memory, beside the caller's scene and poses; `compares`: these bodies with those of
/// the frame before.
[[nodiscard]] std::vector<MemoryPlan::Buffer> host_buffers(const BufferCounts& counts, std::size_t pose_sets,
                                                           bool compares, bool track);

}  // namespace oclide
