#include "queries/point_distance.hpp"

#include <algorithm>
#include <limits>

#include "frame/slice.hpp"
#include "queries/query_environment.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::size_t kMostQueryPoints = std::size_t{1} << 20;   // of a part
constexpr std::size_t kLeastQueryPoints = std::size_t{1} << 10;  // with less memory than for these it cannot work
constexpr double kFarthestRange = 1e19;                          // [m] nothing is farther away

}  // namespace

PointDistance::PointDistance(opencl::Device& device, const DeviceScene& scene,
                             const std::vector<std::int32_t>& environment_terrain)
    : device_(device),
      scene_(scene),
      terrain_kernel_(device, "queries/distance_terrain", "queries_distance_terrain"),
      bodies_kernel_(device, "queries/distance_bodies", "queries_distance_bodies"),
      environment_terrain_(environment_terrain),
      most_(kMostQueryPoints),
      points_host_(device),
      found_host_(device),
      points_(device, "query points"),
      found_(device, "nearest") {}

void PointDistance::free() {
  points_.free();
  found_.free();
  most_ = kMostQueryPoints;
}

// As many as points_host_ has, from `first` on.
void PointDistance::write_points(const QueryPoints& points, std::size_t first) {
  const QueryEnvironment of_first = environment_of_query(scene_, environment_terrain_, 0);
  parallel_for_ranges(points_host_.size(), 1024, [&](IndexRange range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      QueryPointRecord& r = points_host_[i];
      for (std::size_t k = 0; k < 3; ++k) {
        const TwoFloatParts parts = split_in_two(points.position[3 * (first + i) + k]);
        r.position_high[k] = parts.high;
        r.position_low[k] = parts.low;
      }
      r.range =
          static_cast<float>(points.range.empty() ? kFarthestRange : std::min(points.range[first + i], kFarthestRange));
      const QueryEnvironment in = points.environment.empty() ? of_first
                                                             : environment_of_query(scene_, environment_terrain_,
                                                                                    points.environment[first + i]);
      r.terrain = in.terrain;
      r.environment = in.rank;
      r.mask = points.mask.empty() ? 0xFFFFFFFFU : points.mask[first + i];
    }
  });
}

void PointDistance::ask(const QueryPoints& points, std::size_t first, std::size_t count, Hit* nearest,
                        opencl::StageTimer& timer) {
  points_.resize(count);
  found_.resize(count);
  points_host_.resize(count);
  found_host_.resize(count);
  write_points(points, first);
  points_.upload({points_host_.data(), count}, 0, &timer);
  const auto n = static_cast<cl_uint>(count);
  const TerrainBuffers& t = scene_.terrain;
  opencl::launch(device_, terrain_kernel_, &timer, Stage::narrow_phase, n, kGroup, n, points_, t.records(), t.heights(),
                 t.heights_low(), t.cell_flags(), t.material(), t.bounds(), found_);
  const TreeBodies& b = scene_.bodies;
  if (b.count() > 0)
    opencl::launch(device_, bodies_kernel_, &timer, Stage::narrow_phase, n, kGroup, n, points_, b.leaves,
                   scene_.tree.levels(), scene_.tree.level_groups(), scene_.tree.boxes(), scene_.tree.states(),
                   b.records, static_cast<cl_uint>(b.filters), b.half_space_offsets, b.half_space_list,
                   scene_.hulls.words, found_);
  found_.download({found_host_.data(), count}, 0, &timer);
  parallel_for_ranges(count, 1024, [&](IndexRange range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const HitRecord& found = found_host_[i];
      Hit& hit = nearest[i];
      hit.body = found.body == HIT_TERRAIN ? kTerrain : found.body;
      hit.element = found.element;
      if (found.body == HIT_NOTHING) {
        hit.distance = std::numeric_limits<double>::infinity();
        continue;
      }
      // Without negative zeros.
      hit.distance = static_cast<double>(found.distance_high) + 0.0;
      hit.material = static_cast<std::uint8_t>(found.material);
      for (std::size_t k = 0; k < 3; ++k) {
        hit.normal[k] = found.normal[k] + 0.0F;
        hit.point[k] =
            (points.position[3 * (first + i) + k] - hit.distance * static_cast<double>(found.normal[k])) + 0.0;
      }
    }
  });
}

void PointDistance::run(const QueryPoints& points, std::vector<Hit>& nearest, opencl::StageTimer& timer) {
  const std::size_t count = points.count();
  nearest.assign(count, Hit{});
  for (std::size_t first = 0; first < count;) {
    const std::size_t part = std::min(count - first, most_);
    try {
      ask(points, first, part, nearest.data() + first, timer);
      first += part;
    } catch (const opencl::OutOfDeviceMemory&) {
      points_.free();
      found_.free();
      if (part <= kLeastQueryPoints) throw;
      most_ = std::max(part / 4, kLeastQueryPoints);
    }
  }
}

}  // namespace oclide
