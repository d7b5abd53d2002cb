#include "queries/ray_cast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "frame/slice.hpp"
#include "queries/query_environment.hpp"
#include "resident/given_memory.hpp"
#include "shared/resident_rays.h"
#include "threads/parallel_for.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::size_t kMostRays = std::size_t{1} << 20;   // of a part
constexpr std::size_t kLeastRays = std::size_t{1} << 10;  // with less memory than for these it cannot work
// Rays over terrain that a work-item of a CPU takes.
constexpr std::size_t kShortestRun = 64, kLongestRun = 1024;
constexpr double kLongest = 1e19;  // [m] rays end here

// The unit direction of ray i, which may have any length that a double can have.
std::array<double, 3> unit_direction(const Rays& rays, std::size_t i) {
  const double* given = &rays.direction[3 * i];
  const double most = std::max({std::abs(given[0]), std::abs(given[1]), std::abs(given[2])});
  std::array<double, 3> d{given[0] / most, given[1] / most, given[2] / most};
  const double length = std::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
  return {d[0] / length, d[1] / length, d[2] / length};
}

void split(const double* v, float high[3], float low[3]) {
  for (std::size_t k = 0; k < 3; ++k) {
    const TwoFloatParts parts = split_in_two(v[k]);
    high[k] = parts.high;
    low[k] = parts.low;
  }
}

}  // namespace

void check_resident_rays(const ResidentRays& rays, const cl::Context& context) {
  const auto check = [&](const char* name, cl_mem memory, std::size_t numbers, bool optional,
                         const char* of = "floats") {
    if (memory != nullptr || (!optional && rays.count > 0))
      check_given_buffer(name, memory, {rays.count, "rays", numbers, of}, context);
  };
  check("rays/origin", rays.origin, 3, false);
  check("rays/origin_low", rays.origin_low, 3, true);
  check("rays/direction", rays.direction, 3, false);
  check("rays/length", rays.length, 1, true);
  check("rays/environment", rays.environment, 1, true, "numbers");
  check("rays/mask", rays.mask, 1, true, "numbers");
  check_given_events(rays.wait_list, rays.wait_count, context);
}

RayCast::RayCast(opencl::Device& device, const DeviceScene& scene, const std::vector<std::int32_t>& environment_terrain)
    : device_(device),
      scene_(scene),
      terrain_kernel_(device, "queries/cast_rays", "queries_cast_terrain"),
      ground_hits_kernel_(device, "queries/cast_rays", "queries_ground_hits"),
      bodies_kernel_(device, "queries/cast_rays", "queries_cast_bodies"),
      body_hits_kernel_(device, "queries/cast_rays", "queries_body_hits"),
      split_kernel_(device, "queries/resident_rays", "queries_split_rays"),
      planes_kernel_(device, "queries/resident_rays", "queries_resident_planes"),
      device_hits_kernel_(device, "queries/resident_rays", "queries_device_hits"),
      environment_terrain_(environment_terrain),
      runs_(device.info(), kShortestRun, kLongestRun),
      most_(kMostRays),
      rays_host_(device),
      hits_host_(device),
      rays_(device, "rays"),
      hits_(device, "hits"),
      planes_(device, "planes of half spaces"),
      terrain_of_environments_(device, "terrains of environments"),
      environments_(device, "environments of bodies") {}

void RayCast::free() {
  rays_.free();
  hits_.free();
  planes_.free();
  terrain_of_environments_.free();
  environments_.free();
  most_ = kMostRays;
}

void RayCast::upload_rays(const Rays& rays, std::size_t first, std::size_t count, opencl::StageTimer& timer) {
  rays_.resize(count);
  rays_host_.resize(count);
  directions_host_.resize(3 * count);
  const auto environment_of = [&](std::uint32_t environment) {
    return environment_of_query(scene_, environment_terrain_, environment);
  };
  const QueryEnvironment of_first = environment_of(0);
  parallel_for(count, 1024, [&](std::size_t i) {
    const std::array<double, 3> direction = unit_direction(rays, first + i);
    std::copy_n(direction.begin(), 3, &directions_host_[3 * i]);
    const QueryEnvironment in = rays.environment.empty() ? of_first : environment_of(rays.environment[first + i]);
    RayRecord& r = rays_host_[i];
    split(&rays.origin[3 * (first + i)], r.origin_high, r.origin_low);
    split(direction.data(), r.direction_high, r.direction_low);
    r.length = static_cast<float>(rays.length.empty() ? kLongest : std::min(rays.length[first + i], kLongest));
    r.terrain = in.terrain;
    r.environment = in.rank;
    r.mask = rays.mask.empty() ? 0xFFFFFFFFU : rays.mask[first + i];
  });
  rays_.upload({rays_host_.data(), count}, 0, &timer);
}

void RayCast::split_rays(const ResidentRays& rays, std::size_t first, std::size_t count, opencl::StageTimer& timer) {
  rays_.resize(count);
  // What is not given is not read.
  const auto or_origin = [&](cl_mem memory) { return cl::Buffer(memory != nullptr ? memory : rays.origin, true); };
  const cl_uint has = (rays.origin_low != nullptr ? RESIDENT_HAS_ORIGIN_LOW : 0U) |
                      (rays.length != nullptr ? RESIDENT_HAS_LENGTH : 0U) |
                      (rays.environment != nullptr ? RESIDENT_HAS_ENVIRONMENT : 0U) |
                      (rays.mask != nullptr ? RESIDENT_HAS_MASK : 0U);
  const std::vector<std::uint32_t>& ranks = scene_.bodies.environments;
  const std::size_t rank_count = scene_.bodies.count() > 0 ? ranks.size() : 0;
  if (terrain_of_environments_.size() != environment_terrain_.size())
    terrain_of_environments_.assign(environment_terrain_);
  if (environments_.size() != rank_count ||
      !std::equal(ranks_on_device_.begin(), ranks_on_device_.end(), ranks.begin())) {
    environments_.assign({ranks.data(), rank_count});
    ranks_on_device_.assign(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(rank_count));
  }
  opencl::launch(device_, split_kernel_, &timer, Stage::upload, count, kGroup, static_cast<cl_uint>(count),
                 static_cast<cl_uint>(first), or_origin(rays.origin), or_origin(rays.origin_low),
                 or_origin(rays.direction), or_origin(rays.length), or_origin(rays.environment), or_origin(rays.mask),
                 has, scene_.terrain.count() > 0 ? 0U : RAY_NONE, static_cast<cl_uint>(environment_terrain_.size()),
                 terrain_of_environments_, static_cast<cl_uint>(rank_count), environments_, rays_);
}

// Casts the rays that have been brought to the device.
void RayCast::enqueue(std::size_t count, const cl::Buffer& hits, opencl::StageTimer& timer) {
  const auto n = static_cast<cl_uint>(count);
  const TerrainBuffers& t = scene_.terrain;
  for (opencl::LazyKernel* kernel : {&terrain_kernel_, &ground_hits_kernel_}) {
    opencl::launch(device_, *kernel, &timer, Stage::narrow_phase, runs_.items(count), runs_.group(), n, rays_,
                   t.records(), t.heights(), t.heights_low(), t.cell_flags(), t.material(), t.bounds(), hits);
    if (t.count() == 0) break;
  }
  const TreeBodies& b = scene_.bodies;
  if (b.count() == 0) return;
  opencl::launch(device_, bodies_kernel_, &timer, Stage::narrow_phase, n, kGroup, n, rays_, b.leaves,
                 scene_.tree.levels(), scene_.tree.level_groups(), scene_.tree.boxes(), scene_.tree.states(), b.records,
                 static_cast<cl_uint>(b.filters), planes_, b.half_space_offsets, b.half_space_list, scene_.hulls.words,
                 hits);
  opencl::launch(device_, body_hits_kernel_, &timer, Stage::narrow_phase, n, kGroup, n, rays_, b.leaves,
                 scene_.tree.states(), planes_, scene_.hulls.words, hits);
}

void RayCast::read_hits(const Rays& rays, std::size_t first, std::span<Hit> hits, opencl::StageTimer& timer) {
  hits_host_.resize(hits.size());
  hits_.download({hits_host_.data(), hits.size()}, 0, &timer);
  parallel_for_ranges(hits.size(), 1024, [&](IndexRange range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const HitRecord& h = hits_host_[i];
      Hit& hit = hits[i];
      hit.body = h.body == HIT_TERRAIN ? kTerrain : h.body;
      hit.element = h.element;
      if (h.body == HIT_NOTHING) {
        hit.distance = std::numeric_limits<double>::infinity();
        continue;
      }
      hit.distance = static_cast<double>(h.distance_high) + static_cast<double>(h.distance_low);
      hit.material = static_cast<std::uint8_t>(h.material);
      const double *origin = &rays.origin[3 * (first + i)], *direction = &directions_host_[3 * i];
      // Without negative zeros.
      for (std::size_t k = 0; k < 3; ++k) {
        hit.point[k] = (origin[k] + hit.distance * direction[k]) + 0.0;
        hit.normal[k] = h.normal[k] + 0.0F;
      }
    }
  });
}

// The planes of half spaces at these poses, or as the tree has them. Far along a ray the quaternion's rounding would
// show.
void RayCast::place_planes(const Poses* poses, opencl::StageTimer& timer) {
  const std::vector<std::uint32_t>& bodies = scene_.bodies.half_space_bodies;
  if (poses == nullptr) {
    planes_.resize(bodies.size());
    opencl::launch(device_, planes_kernel_, &timer, Stage::upload, bodies.size(), kGroup,
                   static_cast<cl_uint>(bodies.size()), scene_.bodies.leaves, scene_.tree.states(), planes_);
    return;
  }
  planes_host_.resize(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    std::array<double, 4> q{};
    std::copy_n(&poses->orientation[4 * std::size_t{bodies[k]}], 4, q.begin());
    const double most = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
    // What is nothing beside the largest is zero, as in poses on the device.
    for (double& c : q)
      if (std::abs(std::ldexp(c, -std::ilogb(most))) < LEAST_PLANE_PART) c = 0.0;
    const double w = q[0] / most, x = q[1] / most, y = q[2] / most, z = q[3] / most;
    const double length2 = w * w + x * x + y * y + z * z;
    const std::array<double, 3> axis{2.0 * (x * z + w * y) / length2, 2.0 * (y * z - w * x) / length2,
                                     (w * w + z * z - (x * x + y * y)) / length2};
    split(axis.data(), planes_host_[k].axis_high, planes_host_[k].axis_low);
  }
  planes_.assign(planes_host_, &timer);
}

// Calls part(first, count) for all rays, with fewer at a time where memory is short.
template <class Part>
void RayCast::in_parts(std::size_t count, bool hits_stay, Part&& part) {
  for (std::size_t first = 0; first < count;) {
    const std::size_t size = std::min(count - first, most_);
    try {
      part(first, size);
      first += size;
    } catch (const opencl::OutOfDeviceMemory&) {
      rays_.free();
      if (!hits_stay) hits_.free();
      if (size <= kLeastRays) throw;
      most_ = std::max(size / 4 / kLeastRays, std::size_t{1}) * kLeastRays;  // hits of a part begin aligned
    }
  }
}

void RayCast::run(const Poses* poses, const Rays& rays, std::vector<Hit>& hits, opencl::StageTimer& timer) {
  hits.assign(rays.count(), Hit{});
  place_planes(poses, timer);
  in_parts(rays.count(), false, [&](std::size_t first, std::size_t count) {
    upload_rays(rays, first, count, timer);
    hits_.resize(count);
    enqueue(count, hits_.get(), timer);
    read_hits(rays, first, std::span(hits).subspan(first, count), timer);
  });
}

void RayCast::run_on_device(const CastInput& given, const ResidentCompounds* compounds, DeviceHits& hits,
                            opencl::StageTimer& timer) {
  const Rays* const rays = given.rays;
  const std::size_t count = rays != nullptr ? rays->count() : given.resident_rays->count;
  if (count > 0xFFFFFFFFU)
    throw Error(ErrorKind::invalid_input, "cast_on_device: " + std::to_string(count) + " rays, more than 32 bits hold");
  if (rays == nullptr) device_.wait_for(given_events(given.resident_rays->wait_list, given.resident_rays->wait_count));
  place_planes(given.poses != nullptr ? &given.poses->poses : nullptr, timer);
  hits_.resize(count);
  in_parts(count, true, [&](std::size_t first, std::size_t part) {
    cl::Buffer own = hits_.get();
    if (part < count) {
      const cl_buffer_region region{first * sizeof(HitRecord), part * sizeof(HitRecord)};
      opencl::translate_errors("hits", device_.info().name, [&] {
        own = own.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
      });
    }
    if (rays != nullptr)
      upload_rays(*rays, first, part, timer);
    else
      split_rays(*given.resident_rays, first, part, timer);
    enqueue(part, own, timer);
    const opencl::Buffer<std::uint32_t>& none = environments_;
    opencl::launch(device_, device_hits_kernel_, &timer, Stage::narrow_phase, part, kGroup, static_cast<cl_uint>(part),
                   rays_, static_cast<cl_uint>(compounds != nullptr ? 1 : 0),
                   compounds != nullptr ? compounds->bodies_of_shapes() : none,
                   compounds != nullptr ? compounds->first_shapes() : none, own);
  });
  opencl::translate_errors("the end of the cast", device_.info().name, [&] {
    device_.queue().enqueueMarkerWithWaitList(nullptr, &ready_);
    device_.queue().flush();
  });
  hits.hits = hits_.get()();
  hits.count = static_cast<std::uint32_t>(count);
  hits.ready = ready_();
}

}  // namespace oclide
