#include "queries/motion_sweep.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

MotionRecord record_of(const MotionSweep::Given& given, std::size_t body) {
  MotionRecord r{};
  const double* displacement = &given.motion.displacement[3 * body];
  const double* rotation = &given.motion.rotation[3 * body];
  const double angle = std::sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2]);
  for (std::size_t k = 0; k < 3; ++k) {
    const TwoFloatParts d = split_in_two(displacement[k]);
    r.displacement_high[k] = d.high;
    r.displacement_low[k] = d.low;
    r.axis[k] = angle > 0.0 ? static_cast<float>(rotation[k] / angle) : 0.0F;
    const double pivot = given.pivots.empty() ? given.poses.position[3 * body + k] : given.pivots[3 * body + k];
    r.arm[k] = static_cast<float>(given.poses.position[3 * body + k] - pivot);
  }
  const TwoFloatParts a = split_in_two(angle);
  r.angle_high = a.high;
  r.angle_low = a.low;
  return r;
}

}  // namespace

MotionSweep::MotionSweep(opencl::Device& device, const DeviceScene& scene)
    : device_(device),
      scene_(scene),
      scan_(device),
      boxes_kernel_(device, "queries/sweep_pairs", "queries_swept_boxes"),
      pairs_kernel_(device, "queries/sweep_pairs", "queries_sweep_pairs"),
      bodies_kernel_(device, "queries/sweep_bodies", "queries_sweep_bodies"),
      meshes_kernel_(device, "queries/sweep_meshes", "queries_sweep_meshes"),
      terrain_kernel_(device, "queries/sweep_terrain", "queries_sweep_terrain"),
      motion_(device, "motion"),
      boxes_(device, "swept boxes"),
      counts_(device, "swept pairs, counts"),
      offsets_(device, "swept pairs, offsets"),
      total_(device, "total"),
      pairs_(device, "swept pairs"),
      impacts_(device, "impacts") {}

void MotionSweep::free() {
  motion_.free();
  boxes_.free();
  counts_.free();
  offsets_.free();
  pairs_.free();
  impacts_.free();
  scan_.free();
}

void MotionSweep::upload_motion(const Given& given, opencl::StageTimer& timer) {
  motion_host_.resize(given.poses.count());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, motion_host_.size(), 1024), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) motion_host_[i] = record_of(given, i);
  });
  motion_.assign(motion_host_, &timer);
}

// Of a body with the terrain: one kernel does all shapes.
void MotionSweep::sweep_terrain(const Given& given, FrameImpacts& found, opencl::StageTimer& timer) {
  const SlotList& slots = scene_.on_terrain.all();
  if (slots.size() == 0) return;
  const TerrainBuffers& t = scene_.terrain;
  impacts_.resize(slots.size());
  opencl::launch(device_, terrain_kernel_, &timer, Stage::narrow_phase, slots.size(), kGroup, slots.size(),
                 slots.records, given.on_device.records, motion_, t.records(), t.heights(), t.heights_low(),
                 t.cell_flags(), t.material(), scene_.hulls.words, impacts_);
  take(given, slots.size(), found, timer);
}

// Of the tree that stands, around all that its bodies sweep.
void MotionSweep::compute_boxes(opencl::StageTimer& timer) {
  const BodyTree& tree = scene_.tree;
  boxes_.resize(tree.boxes().size());
  const std::uint32_t entries = tree.groups() * BodyTree::kWidth;
  opencl::launch(device_, boxes_kernel_, &timer, Stage::broad_phase, entries, kGroup, entries, scene_.bodies.leaves,
                 tree.states(), motion_, scene_.hulls.words, tree.boxes(), boxes_);
  scene_.tree.unite(boxes_, timer);
}

// Those of leaves [first_leaf, first_leaf + leaves) with later ones and half spaces; how many.
std::uint32_t MotionSweep::find_pairs(std::uint32_t first_leaf, std::uint32_t leaves, opencl::StageTimer& timer) {
  const TreeBodies& b = scene_.bodies;
  counts_.resize(leaves);
  const auto launch = [&](cl_uint writes, const opencl::Buffer<std::uint32_t>& offsets) {
    opencl::launch(device_, pairs_kernel_, &timer, Stage::broad_phase, leaves, kGroup, leaves, first_leaf, writes,
                   b.leaves, scene_.tree.levels(), scene_.tree.level_groups(), boxes_, scene_.tree.states(), motion_,
                   scene_.hulls.words, b.records, b.excluded, b.half_space_offsets, b.half_space_list, offsets, pairs_);
  };
  launch(0, counts_);
  scan_.run_u32(counts_, offsets_, leaves, total_, Stage::broad_phase, &timer);
  const std::uint32_t count =
      checked(total_.read_one(0, &timer, Stage::broad_phase), "pairs of bodies that may touch in a frame");
  pairs_.resize(count);
  if (count > 0) launch(1, offsets_);
  return count;
}

// Of `count` records those that are impacts.
void MotionSweep::take(const Given& given, std::uint32_t count, FrameImpacts& found, opencl::StageTimer& timer) {
  impacts_host_.resize(count);
  impacts_.download(impacts_host_, 0, &timer);
  for (const ImpactRecord& r : impacts_host_) {
    if (r.body_a == HIT_NOTHING) continue;
    Impact impact;
    impact.body_a = r.body_a;
    impact.body_b = r.body_b == HIT_TERRAIN ? kTerrain : r.body_b;
    impact.time = std::clamp(static_cast<double>(r.time_high) + static_cast<double>(r.time_low), 0.0, 1.0);
    const bool is_far = given.is_half_space[r.body_a] != 0 || given.is_mesh[r.body_a] != 0;
    const std::size_t from = is_far ? r.body_b : r.body_a;
    for (std::size_t k = 0; k < 3; ++k) {
      impact.point[k] = ((given.poses.position[3 * from + k] + impact.time * given.motion.displacement[3 * from + k]) +
                         static_cast<double>(r.point[k])) +
                        0.0;
      impact.normal[k] = r.normal[k] + 0.0F;
    }
    impact.element = r.element;
    impact.material = static_cast<std::uint8_t>(r.material);
    found.impacts.push_back(impact);
  }
}

void MotionSweep::run(const Given& given, FrameImpacts& found, opencl::StageTimer& timer) {
  upload_motion(given, timer);
  sweep_terrain(given, found, timer);
  found.candidates += scene_.on_terrain.all().size();
  const TreeBodies& b = scene_.bodies;
  if (!b.can_pair()) return;
  compute_boxes(timer);
  std::uint32_t part = b.leaves;
  for (std::uint32_t first = 0; first < b.leaves;) {
    const std::uint32_t leaves = std::min(part, b.leaves - first);
    try {
      const std::uint32_t count = find_pairs(first, leaves, timer);
      impacts_.resize(count);
      opencl::launch(device_, bodies_kernel_, &timer, Stage::narrow_phase, count, kGroup, count, pairs_,
                     scene_.tree.states(), motion_, scene_.hulls.words, impacts_);
      if (scene_.hulls.mesh_levels > 0)
        opencl::launch(device_, meshes_kernel_, &timer, Stage::narrow_phase, count, kGroup, count, pairs_,
                       scene_.tree.states(), motion_, scene_.hulls.words, impacts_);
      take(given, count, found, timer);
      found.candidates += count;
      first += leaves;
      continue;
    } catch (const opencl::OutOfDeviceMemory&) {
      if (leaves == 1) throw;
    } catch (const SliceTooLarge& too_large) {
      if (leaves == 1) throw Error(ErrorKind::device, "sweep: one body has " + too_large.what);
    }
    pairs_.free();
    impacts_.free();
    part = leaves / 2;
  }
}

}  // namespace oclide
