#include "queries/ray_cast.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::size_t kMostRays = std::size_t{1} << 20;   // of a part
constexpr std::size_t kLeastRays = std::size_t{1} << 10;  // with less memory than for these it cannot work
// Bodies are within this of the origin (shared/poses.h) [m]. A ray that begins farther out begins where it comes that
// near.
constexpr double kFar = FARTHEST_HIGH;
constexpr double kLongest = 1e19;  // [m] rays end here

struct Line {
  std::array<double, 3> origin, direction;  // unit
  double skipped = 0.0;                     // before the origin [m]
  bool misses = false;                      // it never comes near
};

// Of ray i. The direction may have any length that a double can have.
Line line_of(const Rays& rays, std::size_t i) {
  Line line{};
  double most = 0.0, far = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    line.origin[k] = rays.origin[3 * i + k];
    line.direction[k] = rays.direction[3 * i + k];
    most = std::max(most, std::abs(line.direction[k]));
    far = std::max(far, std::abs(line.origin[k]));
  }
  double length2 = 0.0;
  for (double& d : line.direction) d /= most, length2 += d * d;
  for (double& d : line.direction) d /= std::sqrt(length2);
  if (far <= kFar) return line;
  // To where it comes near each coordinate's range; beyond 1e300 m that is nowhere.
  double enter = 0.0, leave = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    const double o = line.origin[k], d = line.direction[k];
    if (d == 0.0) {
      line.misses = line.misses || std::abs(o) > kFar;
      continue;
    }
    const double a = (-kFar - o) / d, b = (kFar - o) / d;
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  line.misses = line.misses || !(enter <= leave) || !std::isfinite(enter);
  line.skipped = line.misses ? 0.0 : enter;
  for (std::size_t k = 0; k < 3; ++k)
    line.origin[k] = std::clamp(line.origin[k] + line.skipped * line.direction[k], -kFar, kFar);
  return line;
}

void split(const std::array<double, 3>& v, float high[3], float low[3]) {
  for (std::size_t k = 0; k < 3; ++k) {
    const TwoFloatParts parts = split_in_two(v[k]);
    high[k] = parts.high;
    low[k] = parts.low;
  }
}

}  // namespace

RayCast::RayCast(opencl::Device& device, const DeviceScene& scene, const std::vector<std::int32_t>& environment_terrain)
    : device_(device),
      scene_(scene),
      terrain_kernel_(device, "queries/cast_rays", "queries_cast_terrain"),
      ground_hits_kernel_(device, "queries/cast_rays", "queries_ground_hits"),
      bodies_kernel_(device, "queries/cast_rays", "queries_cast_bodies"),
      body_hits_kernel_(device, "queries/cast_rays", "queries_body_hits"),
      environment_terrain_(environment_terrain),
      most_(kMostRays),
      rays_host_(device),
      hits_host_(device),
      rays_(device, "rays"),
      hits_(device, "hits"),
      planes_(device, "planes of half spaces") {}

void RayCast::free() {
  rays_.free();
  hits_.free();
  planes_.free();
  most_ = kMostRays;
}

RayCast::Place RayCast::place_of(std::uint32_t environment) const {
  Place place{RAY_NONE, RAY_NONE};
  if (environment_terrain_.empty())
    place.terrain = scene_.terrain.count() > 0 ? 0U : RAY_NONE;
  else if (environment < environment_terrain_.size() && environment_terrain_[environment] >= 0)
    place.terrain = static_cast<std::uint32_t>(environment_terrain_[environment]);
  const std::vector<std::uint32_t>& ranks = scene_.bodies.environments;
  const auto found = std::lower_bound(ranks.begin(), ranks.end(), environment);
  if (scene_.bodies.count() > 0 && found != ranks.end() && *found == environment)
    place.rank = static_cast<std::uint32_t>(found - ranks.begin());
  return place;
}

// As many as rays_host_ has, from `first` on.
void RayCast::write_rays(const Rays& rays, std::size_t first) {
  const Place of_first = place_of(0);
  skipped_.resize(rays_host_.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rays_host_.size(), 1024), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const Line line = line_of(rays, first + i);
      const Place place = rays.environment.empty() ? of_first : place_of(rays.environment[first + i]);
      RayRecord& r = rays_host_[i];
      split(line.origin, r.origin_high, r.origin_low);
      split(line.direction, r.direction_high, r.direction_low);
      const double length = rays.length.empty() ? kLongest : std::min(rays.length[first + i], kLongest) - line.skipped;
      r.length = static_cast<float>(std::max(length, 0.0));
      const bool misses = line.misses || length < 0.0;
      r.terrain = misses ? RAY_NONE : place.terrain;
      r.environment = misses ? RAY_NONE : place.rank;
      r.mask = rays.mask.empty() ? 0xFFFFFFFFU : rays.mask[first + i];
      skipped_[i] = line.skipped;
    }
  });
}

void RayCast::cast_part(const Rays& rays, std::size_t first, std::size_t count, Hit* hits, opencl::StageTimer& timer) {
  rays_.resize(count);
  hits_.resize(count);
  rays_host_.resize(count);
  hits_host_.resize(count);
  write_rays(rays, first);
  rays_.upload({rays_host_.data(), count}, 0, &timer);
  const auto n = static_cast<cl_uint>(count);
  const TerrainBuffers& t = scene_.terrain;
  for (opencl::LazyKernel* kernel : {&terrain_kernel_, &ground_hits_kernel_}) {
    opencl::launch(device_, *kernel, &timer, Stage::narrow_phase, n, kGroup, n, rays_, t.records(), t.heights(),
                   t.heights_low(), t.cell_flags(), t.material(), t.bounds(), hits_);
    if (t.count() == 0) break;
  }
  const TreeBodies& b = scene_.bodies;
  if (b.count() > 0) {
    opencl::launch(device_, bodies_kernel_, &timer, Stage::narrow_phase, n, kGroup, n, rays_, b.leaves,
                   scene_.tree.levels(), scene_.tree.level_groups(), scene_.tree.boxes(), scene_.tree.states(),
                   b.records, static_cast<cl_uint>(b.filters), planes_, b.half_space_offsets, b.half_space_list,
                   scene_.hulls.words, hits_);
    opencl::launch(device_, body_hits_kernel_, &timer, Stage::narrow_phase, n, kGroup, n, rays_, b.leaves,
                   scene_.tree.states(), planes_, scene_.hulls.words, hits_);
  }
  hits_.download({hits_host_.data(), count}, 0, &timer);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1024), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const HitRecord& h = hits_host_[i];
      Hit& hit = hits[i];
      hit.body = h.body == HIT_TERRAIN ? kTerrain : h.body;
      hit.element = h.element;
      if (h.body == HIT_NOTHING) {
        hit.distance = std::numeric_limits<double>::infinity();
        continue;
      }
      const double on_device = static_cast<double>(h.distance_high) + static_cast<double>(h.distance_low);
      hit.distance = skipped_[i] + on_device;
      hit.material = static_cast<std::uint8_t>(h.material);
      const Line line = line_of(rays, first + i);
      // Without negative zeros.
      for (std::size_t k = 0; k < 3; ++k) {
        hit.point[k] = (line.origin[k] + on_device * line.direction[k]) + 0.0;
        hit.normal[k] = h.normal[k] + 0.0F;
      }
    }
  });
}

// Far along a ray the quaternion's rounding would show.
void RayCast::upload_planes(const Poses& poses, opencl::StageTimer& timer) {
  const std::vector<std::uint32_t>& bodies = scene_.bodies.half_space_bodies;
  planes_host_.resize(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const double* q = &poses.orientation[4 * std::size_t{bodies[k]}];
    const double most = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
    const double w = q[0] / most, x = q[1] / most, y = q[2] / most, z = q[3] / most;
    const double length2 = w * w + x * x + y * y + z * z;
    split(
        {2.0 * (x * z + w * y) / length2, 2.0 * (y * z - w * x) / length2, (w * w + z * z - (x * x + y * y)) / length2},
        planes_host_[k].axis_high, planes_host_[k].axis_low);
  }
  planes_.assign(planes_host_, &timer);
}

void RayCast::run(const Poses& poses, const Rays& rays, std::vector<Hit>& hits, opencl::StageTimer& timer) {
  const std::size_t count = rays.count();
  hits.assign(count, Hit{});
  upload_planes(poses, timer);
  for (std::size_t first = 0; first < count;) {
    const std::size_t part = std::min(count - first, most_);
    try {
      cast_part(rays, first, part, hits.data() + first, timer);
      first += part;
    } catch (const opencl::OutOfDeviceMemory&) {
      rays_.free();
      hits_.free();
      if (part <= kLeastRays) throw;
      most_ = std::max(part / 4, kLeastRays);
    }
  }
}

}  // namespace oclide
