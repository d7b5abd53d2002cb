#include "queries/motion_sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "frame/slice.hpp"
#include "scene/scene_check.hpp"
#include "shared/poses.h"
#include "threads/parallel_for.hpp"

namespace oclide {

using opencl::Stage;

namespace {

// Pairs that are looked at together at most: beyond it there are too many that never meet to be kept all at once.
constexpr std::uint32_t kMostSwept = 1U << 22;

MotionRecord record_of(const MotionSweep::Given& given, std::size_t body) {
  MotionRecord r{};
  const double* displacement = &given.motion.displacement[3 * body];
  const double* rotation = &given.motion.rotation[3 * body];
  const double angle = std::sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2]);
  for (std::size_t k = 0; k < 3; ++k) {
    const TwoFloatParts d = split_in_two(displacement[k]);
    r.displacement_high[k] = d.high;
    r.displacement_low[k] = d.low;
    const TwoFloatParts axis = split_in_two(angle > 0.0 ? rotation[k] / angle : 0.0);
    r.axis[k] = axis.high;
    r.axis_low[k] = axis.low;
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
      near_ground_kernel_(device, "queries/sweep_terrain", "queries_near_ground"),
      terrain_kernel_(device, "queries/sweep_terrain", "queries_sweep_terrain"),
      boxes_kernel_(device, "queries/sweep_pairs", "queries_swept_boxes"),
      pairs_kernel_(device, "broad_phase/body_pairs", "broad_phase_body_pairs"),
      half_spaces_kernel_(device, "queries/sweep_pairs", "queries_sweep_half_spaces"),
      meetings_kernel_(device, "queries/sweep_pairs", "queries_sweep_meetings"),
      bodies_kernel_(device, "queries/sweep_bodies", "queries_sweep_bodies"),
      insides_kernel_(device, "queries/sweep_insides", "queries_sweep_insides"),
      meshes_kernel_(device, "queries/sweep_meshes", "queries_sweep_meshes"),
      rounds_kernel_(device, "queries/sweep_rounds", "queries_sweep_rounds"),
      half_space_rounds_kernel_(device, "queries/sweep_half_space_rounds", "queries_sweep_half_space_rounds"),
      mesh_rounds_kernel_(device, "queries/sweep_mesh_rounds", "queries_sweep_mesh_rounds"),
      motion_(device, "motion"),
      boxes_(device, "swept boxes"),
      spheres_(device, "swept spheres"),
      near_(device, "bodies near the ground"),
      counts_(device, "swept pairs, counts"),
      offsets_(device, "swept pairs, offsets"),
      pairs_(device),
      stored_(device, "meetings and impacts, numbers"),
      total_(device, "total"),
      meetings_(device, "pairs that may meet"),
      left_(device, "pairs that turn for long"),
      impacts_(device, "impacts") {}

void MotionSweep::free_pairs() {
  pairs_.free();
  meetings_.free();
  left_.free();
  impacts_.free();
}

void MotionSweep::free() {
  motion_.free();
  boxes_.free();
  spheres_.free();
  near_.free();
  counts_.free();
  offsets_.free();
  scan_.free();
  free_pairs();
}

void MotionSweep::upload_motion(const Given& given, opencl::StageTimer& timer) {
  motion_host_.resize(given.poses.count());
  parallel_for(motion_host_.size(), 1024, [&](std::size_t i) { motion_host_[i] = record_of(given, i); });
  motion_.assign(motion_host_, &timer);
}

// Of a body with the terrain: one kernel does all shapes.
void MotionSweep::sweep_terrain(const DevicePoses& poses, opencl::StageTimer& timer) {
  const SlotList& slots = scene_.on_terrain.all();
  if (slots.size() == 0) return;
  const TerrainBuffers& t = scene_.terrain;
  near_.resize(slots.size());
  stored_.fill(0, 0, 1, &timer, Stage::broad_phase);
  opencl::launch(device_, near_ground_kernel_, &timer, Stage::broad_phase, slots.size(), kGroup, slots.size(),
                 slots.records, poses.records, motion_, t.records(), t.bounds(), scene_.hulls.words, stored_, near_);
  const std::uint32_t count = stored_.read_one(0, &timer, Stage::broad_phase);
  if (count == 0) return;
  begin_impacts(count, timer);
  opencl::launch(device_, terrain_kernel_, &timer, Stage::narrow_phase, count, kGroup, count, near_, slots.records,
                 poses.records, motion_, t.records(), t.heights(), t.heights_low(), t.cell_flags(), t.material(),
                 scene_.hulls.words, stored_, impacts_);
  hand_over(count, timer);
}

// Of the tree that stands, around all that its bodies sweep.
void MotionSweep::compute_boxes(opencl::StageTimer& timer) {
  const BodyTree& tree = scene_.tree;
  boxes_.resize(tree.boxes().size());
  spheres_.resize(tree.spheres().size());
  const std::uint32_t entries = tree.groups() * BodyTree::kWidth;
  opencl::launch(device_, boxes_kernel_, &timer, Stage::broad_phase, entries, kGroup, entries, scene_.bodies.leaves,
                 tree.states(), motion_, tree.boxes(), tree.spheres(), boxes_, spheres_);
  scene_.tree.unite(boxes_, timer);
}

// Those of leaves of groups [first, last) with later ones and half spaces; how many.
std::uint32_t MotionSweep::find_pairs(std::uint32_t first, std::uint32_t last, opencl::StageTimer& timer) {
  const TreeBodies& b = scene_.bodies;
  const BodyTree& tree = scene_.tree;
  const std::uint32_t first_leaf = first * BodyTree::kWidth;
  const std::uint32_t leaves = std::min(last * BodyTree::kWidth, b.leaves) - first_leaf;
  counts_.resize(leaves);
  // The store is as large as it ever was.
  auto capacity = static_cast<std::uint32_t>(std::max<std::size_t>(pairs_.capacity(), kFirstRoom));
  while (true) {
    pairs_.resize(capacity);
    pairs_.found.fill(0, 0, pairs_.found.size(), &timer, Stage::broad_phase);
    const cl_uint filters = b.filters ? 1 : 0, no_half_spaces = 0;
    const float no_margin = 0.0F;
    const cl::Buffer no_margins;
    opencl::launch(device_, pairs_kernel_, &timer, Stage::broad_phase, device_.info().is_gpu ? leaves : last - first,
                   kGroup, first, last - first, b.leaves, tree.levels(), tree.level_groups(), boxes_, spheres_,
                   tree.states(), scene_.hulls.words, b.records, filters, b.excluded, b.half_space_offsets,
                   b.half_space_list, no_half_spaces, no_margin, no_margins, counts_, capacity, pairs_.found,
                   pairs_.pairs, pairs_.kinds, pairs_.order);
    if (b.half_spaces > 0)
      opencl::launch(device_, half_spaces_kernel_, &timer, Stage::broad_phase, leaves, kGroup, first_leaf, leaves,
                     b.leaves, tree.states(), motion_, tree.boxes(), tree.spheres(), b.records, b.excluded,
                     b.half_space_offsets, b.half_space_list, counts_, capacity, pairs_.found, pairs_.pairs);
    // The number in the store may have gone round.
    scan_.run_u32(counts_, offsets_, leaves, total_, Stage::broad_phase, &timer);
    const std::uint32_t count =
        checked(total_.read_one(0, &timer, Stage::broad_phase), "pairs of bodies that may touch in a frame");
    if (count > kMostSwept && last - first > 1) throw SliceTooLarge{std::to_string(count) + " pairs"};
    if (count <= capacity) return count;
    capacity = count;
  }
}

// Of so many pairs those that may meet at some time; how many.
std::uint32_t MotionSweep::find_meetings(std::uint32_t pairs, opencl::StageTimer& timer) {
  const BodyTree& tree = scene_.tree;
  if (pairs == 0) return 0;
  meetings_.resize(pairs);
  stored_.fill(0, 0, 1, &timer, Stage::broad_phase);
  opencl::launch(device_, meetings_kernel_, &timer, Stage::broad_phase, pairs, kGroup, pairs, scene_.bodies.leaves,
                 pairs_.pairs, tree.states(), motion_, tree.boxes(), tree.spheres(), stored_, meetings_);
  return stored_.read_one(0, &timer, Stage::broad_phase);
}

// Room for so many impacts, of which none is there.
void MotionSweep::begin_impacts(std::uint32_t most, opencl::StageTimer& timer) {
  impacts_.resize(most);
  stored_.fill(0, SWEEP_STORED, 1, &timer, Stage::narrow_phase);
}

// Of the pairs that are left.
void MotionSweep::search_rounds(opencl::StageTimer& timer) {
  const std::uint32_t count = stored_.read_one(SWEEP_LEFT, &timer, Stage::narrow_phase);
  if (count == 0) return;
  const auto launch = [&](opencl::LazyKernel& kernel) {
    opencl::launch(device_, kernel, &timer, Stage::narrow_phase, count, kGroup, count, scene_.tree.states(), motion_,
                   scene_.hulls.words, stored_, left_, impacts_);
  };
  launch(rounds_kernel_);
  if (scene_.bodies.half_spaces > 0) launch(half_space_rounds_kernel_);
  if (scene_.hulls.mesh_levels > 0) launch(mesh_rounds_kernel_);
}

// The lowest pair of which nothing tells, among so many impacts.
void MotionSweep::refuse_unknown(std::uint32_t count, opencl::StageTimer& timer) {
  impacts_host_.resize(count);
  impacts_.download(impacts_host_, 0, &timer);
  UntoldSweep lowest{kNone, kNone};
  for (const ImpactRecord& r : impacts_host_)
    if (r.time_high == UNKNOWN_TIME && std::pair(r.body_a, r.body_b) < std::pair(lowest.body, lowest.other))
      lowest = {r.body_a, r.body_b == HIT_TERRAIN ? kTerrain : r.body_b};
  throw UntoldSweep(lowest);
}

// The impacts that are there of so many candidates.
void MotionSweep::hand_over(std::uint32_t candidates, opencl::StageTimer& timer) {
  std::array<std::uint32_t, 2> stored{};
  stored_.download(stored, 0, &timer);
  if (stored[SWEEP_UNKNOWN] > 0) refuse_unknown(stored[SWEEP_STORED], timer);
  if (stored[SWEEP_STORED] > 0) (*take_)(stored[SWEEP_STORED]);
  candidates_ += candidates;
}

void MotionSweep::take(const Given& given, std::uint32_t count, FrameImpacts& found, opencl::StageTimer& timer) {
  impacts_host_.resize(count);
  impacts_.download(impacts_host_, 0, &timer);
  for (const ImpactRecord& r : impacts_host_) {
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
  search(
      given.on_device, [&](std::uint32_t count) { take(given, count, found, timer); }, found.candidates, timer);
}

void MotionSweep::search(const DevicePoses& poses, const std::function<void(std::uint32_t)>& take,
                         std::uint64_t& candidates, opencl::StageTimer& timer) {
  take_ = &take;
  candidates_ = 0;
  stored_.resize(SWEEP_NUMBERS);
  stored_.fill(0, SWEEP_UNKNOWN, 1, &timer, Stage::upload);
  sweep_terrain(poses, timer);
  if (scene_.bodies.can_pair()) {
    compute_boxes(timer);
    sweep_pairs(timer);
  }
  candidates = candidates_;
}

// Of groups of leaves as many at a time as memory has room for.
void MotionSweep::sweep_pairs(opencl::StageTimer& timer) {
  const std::uint32_t groups = scene_.tree.groups();
  std::uint32_t part = groups;
  for (std::uint32_t first = 0; first < groups;) {
    const std::uint32_t last = first + std::min(part, groups - first);
    try {
      if (const std::uint32_t count = find_meetings(find_pairs(first, last, timer), timer); count > 0) {
        begin_impacts(count, timer);
        left_.resize(count);
        stored_.fill(0, SWEEP_LEFT, 1, &timer, Stage::narrow_phase);
        opencl::launch(device_, bodies_kernel_, &timer, Stage::narrow_phase, count, kGroup, count, meetings_,
                       scene_.tree.states(), motion_, scene_.hulls.words, stored_, left_, impacts_);
        if (scene_.hulls.mesh_levels > 0) {
          opencl::launch(device_, insides_kernel_, &timer, Stage::narrow_phase, count, kGroup, count, meetings_,
                         scene_.tree.states(), motion_, scene_.hulls.words, stored_, impacts_);
          opencl::launch(device_, meshes_kernel_, &timer, Stage::narrow_phase, count, kGroup, count, meetings_,
                         scene_.tree.states(), motion_, scene_.hulls.words, stored_, left_, impacts_);
        }
        search_rounds(timer);
        hand_over(count, timer);
      }
      first = last;
      continue;
    } catch (const opencl::OutOfDeviceMemory&) {
      if (last - first == 1) throw;
    } catch (const SliceTooLarge& too_large) {
      if (last - first == 1) throw Error(ErrorKind::device, "sweep: eight bodies have " + too_large.what);
    }
    free_pairs();
    part = (last - first) / 2;
  }
}

}  // namespace oclide
