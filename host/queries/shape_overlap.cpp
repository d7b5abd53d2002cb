#include "queries/shape_overlap.hpp"

#include <algorithm>

#include "frame/slice.hpp"
#include "queries/query_environment.hpp"
#include "shapes/device_size.hpp"
#include "threads/parallel_for.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::size_t kMostShapes = std::size_t{1} << 20;   // of a turn
constexpr std::size_t kLeastShapes = std::size_t{1} << 10;  // with less memory than for these it cannot work

}  // namespace

ShapeOverlap::ShapeOverlap(opencl::Device& device, const DeviceScene& scene,
                           const std::vector<std::int32_t>& environment_terrain)
    : device_(device),
      scene_(scene),
      terrain_kernel_(device, "queries/overlap_terrain", "queries_overlap_terrain"),
      bodies_kernel_(device, "queries/overlap_bodies", "queries_overlap_bodies"),
      environment_terrain_(environment_terrain),
      most_(kMostShapes),
      shapes_host_(device),
      found_host_(device),
      shapes_(device, "query shapes"),
      found_(device, "overlaps") {}

void ShapeOverlap::free() {
  shapes_.free();
  found_.free();
  most_ = kMostShapes;
}

// As many as shapes_host_ has, from `first` on.
void ShapeOverlap::write_shapes(const QueryParts& parts, std::size_t first) {
  const QueryShapes& queries = parts.queries();
  const QueryEnvironment of_first = environment_of_query(scene_, environment_terrain_, 0);
  parallel_for(shapes_host_.size(), 1024, [&](std::size_t i) {
    const QueryParts::Part part = parts.at(first + i);
    const std::size_t query = parts.query_of(first + i);
    const PoseRecord pose = device_pose({part.position, part.orientation}, 0, false);
    QueryShapeRecord& r = shapes_host_[i];
    r = {};
    std::copy_n(pose.position_high, 3, r.position_high);
    std::copy_n(pose.position_low, 3, r.position_low);
    std::copy_n(pose.orientation, 4, r.orientation);
    write_device_size(part.shape, part.size, 0, r.size);
    r.shape = static_cast<std::uint32_t>(part.shape);
    const QueryEnvironment in = queries.environment.empty()
                                    ? of_first
                                    : environment_of_query(scene_, environment_terrain_, queries.environment[query]);
    r.terrain = in.terrain;
    r.environment = in.rank;
    r.mask = queries.mask.empty() ? 0xFFFFFFFFU : queries.mask[query];
    r.group = queries.group.empty() ? 0U : static_cast<std::uint32_t>(queries.group[query]);
  });
}

void ShapeOverlap::ask(const QueryParts& parts, std::size_t first, std::size_t count, Overlaps& found,
                       opencl::StageTimer& timer) {
  shapes_.resize(count);
  found_.resize(count);
  shapes_host_.resize(count);
  found_host_.resize(count);
  write_shapes(parts, first);
  shapes_.upload({shapes_host_.data(), count}, 0, &timer);
  const auto n = static_cast<cl_uint>(count);
  const TerrainBuffers& t = scene_.terrain;
  opencl::launch(device_, terrain_kernel_, &timer, Stage::narrow_phase, n, kGroup, n, shapes_, t.records(), t.heights(),
                 t.heights_low(), t.cell_flags(), t.material(), t.bounds(), scene_.hulls.words, found_);
  const TreeBodies& b = scene_.bodies;
  const bool find_lowest = parts.queries().find_lowest;
  if (b.count() > 0)
    opencl::launch(device_, bodies_kernel_, &timer, Stage::narrow_phase, n, kGroup, n,
                   static_cast<cl_uint>(find_lowest), shapes_, b.leaves, scene_.tree.levels(),
                   scene_.tree.level_groups(), scene_.tree.boxes(), scene_.tree.states(), b.records,
                   static_cast<cl_uint>(b.filters), b.half_space_offsets, b.half_space_list, scene_.hulls.words,
                   found_);
  found_.download({found_host_.data(), count}, 0, &timer);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t body = found_host_[i] == HIT_TERRAIN ? kTerrain : found_host_[i];
    if (body == kNothing) continue;
    const std::size_t query = parts.query_of(first + i);
    found.overlaps[query] = 1;
    if (!find_lowest) continue;
    std::uint32_t& lowest = found.body[query];
    lowest = lowest == kNothing ? body : std::min(lowest, body);
  }
}

void ShapeOverlap::run(const QueryParts& parts, Overlaps& found, opencl::StageTimer& timer) {
  const std::size_t queries = parts.queries().count(), count = parts.count();
  found.overlaps.assign(queries, 0);
  found.body.assign(parts.queries().find_lowest ? queries : 0, kNothing);
  for (std::size_t first = 0; first < count;) {
    const std::size_t turn = std::min(count - first, most_);
    try {
      ask(parts, first, turn, found, timer);
      first += turn;
    } catch (const opencl::OutOfDeviceMemory&) {
      shapes_.free();
      found_.free();
      if (turn <= kLeastShapes) throw;
      most_ = std::max(turn / 4, kLeastShapes);
    }
  }
}

}  // namespace oclide
