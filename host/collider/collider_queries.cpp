// Rays, sweeps, overlaps and distances: the scene as it is on the device is asked.
#include "collider/opencl_collider.hpp"
#include "resident/given_memory.hpp"

namespace oclide {
namespace {

using opencl::DriverTurn;
using opencl::StageTimer;

}  // namespace

RayCast& OpenClCollider::ray_cast() {
  if (rays_ == nullptr) rays_ = std::make_unique<RayCast>(device_, pipeline_.scene(), environment_terrain_);
  return *rays_;
}

MotionSweep& OpenClCollider::motion_sweep() {
  if (sweeps_ == nullptr) sweeps_ = std::make_unique<MotionSweep>(device_, pipeline_.scene());
  return *sweeps_;
}

// Once more with the room of the work on frames before, where memory is short.
template <class Query>
void OpenClCollider::with_room(Query&& query) {
  try {
    query();
  } catch (const opencl::OutOfDeviceMemory&) {
    free_for_queries();
    query();
  }
}

void OpenClCollider::cast(const FramePoses& given, const Rays& rays, RayHits& hits) {
  const DriverTurn turn(device_.driver());
  timer_.clear();
  with_room([&] {
    if (body_count_ > 0) place_tree(given);
    ray_cast().run(&given.poses, rays, hits.hits, timer_);
  });
  if (given.keep) given.keep();
  finish_cast(hits);
}

void OpenClCollider::cast_at(const ResidentPoses& given, const CompoundBodies* compounds, const Rays& rays,
                             RayHits& hits) {
  const DriverTurn turn(device_.driver());
  timer_.clear();
  with_room([&] {
    if (body_count_ > 0) place_resident(given, compounds, timer_);
    ray_cast().run(nullptr, rays, hits.hits, timer_);
  });
  finish_cast(hits);
}

void OpenClCollider::finish_cast(RayHits& hits) {
  hits.device_bytes = device_.memory_peak();
  const StageTimes times = timer_.collect();
  hits.milliseconds = {times.upload, times.broad_phase, times.narrow_phase, times.download, 0.0};
}

void OpenClCollider::cast_on_device(const CastInput& given, const CompoundBodies* compounds, DeviceHits& hits) {
  const DriverTurn turn(device_.driver());
  timer_.clear();
  StageTimer untimed;
  untimed.set_on(false);
  if (given.resident_rays != nullptr) check_resident_rays(*given.resident_rays, device_.context());
  with_room([&] {
    if (body_count_ > 0 && given.poses != nullptr) place_tree(*given.poses);
    if (body_count_ > 0 && given.poses == nullptr) place_resident(*given.resident_poses, compounds, untimed);
    poses_are_in_use_ = true;
    ray_cast().run_on_device(given, compounds == nullptr ? nullptr : resident(compounds).compounds(), hits, untimed);
  });
  if (given.poses != nullptr && given.poses->keep) given.poses->keep();
  hits.device_bytes = device_.memory_peak();
}

void OpenClCollider::sweep(const FramePoses& given, const Motion& motion, std::span<const double> pivots,
                           FrameImpacts& found) {
  if (body_count_ == 0) return;
  const DriverTurn turn(device_.driver());
  timer_.clear();
  (void)motion_sweep();
  with_room([&] {
    found.impacts.clear();
    found.candidates = 0;
    place_tree(given);
    sweeps_->run({given.poses, *poses_, motion, pivots, writer_.half_spaces(), writer_.meshes()}, found, timer_);
  });
  if (given.keep) given.keep();
  found.device_bytes = device_.memory_peak();
  const StageTimes times = timer_.collect();
  found.milliseconds = {times.upload, times.broad_phase, times.narrow_phase, times.download, 0.0};
}

void OpenClCollider::sweep_on_device(const ResidentPoses& given, const ResidentMotion& motion,
                                     const CompoundBodies* compounds, DeviceImpacts& impacts) {
  const DriverTurn turn(device_.driver());
  timer_.clear();
  StageTimer untimed;
  untimed.set_on(false);
  check_resident_motion(motion, compounds == nullptr ? body_count_ : compounds->bodies(), device_.context());
  MotionSweep& sweeps = motion_sweep();
  if (resident_sweeps_ == nullptr) resident_sweeps_ = std::make_unique<ResidentSweep>(device_, sweeps);
  with_room([&] {
    if (body_count_ > 0) place_resident(given, compounds, untimed);
    if (poses_ == nullptr) poses_ = spare_poses();
    poses_are_in_use_ = true;
    resident_sweeps_->run(*poses_, motion, compounds == nullptr ? nullptr : resident(compounds).compounds(),
                          writer_.half_spaces(), writer_.meshes(), impacts, untimed);
  });
  impacts.device_bytes = device_.memory_peak();
}

void OpenClCollider::overlap(const FramePoses& given, const QueryShapes& queries, const Compounds& compounds,
                             Overlaps& found) {
  const QueryParts parts(queries, compounds);
  const DriverTurn turn(device_.driver());
  timer_.clear();
  if (overlaps_ == nullptr)
    overlaps_ = std::make_unique<ShapeOverlap>(device_, pipeline_.scene(), environment_terrain_);
  with_room([&] {
    if (body_count_ > 0) place_tree(given);
    overlaps_->run(parts, found, timer_);
  });
  if (given.keep) given.keep();
  found.device_bytes = device_.memory_peak();
  const StageTimes times = timer_.collect();
  found.milliseconds = {times.upload, times.broad_phase, times.narrow_phase, times.download, 0.0};
}

void OpenClCollider::distance(const FramePoses& given, const QueryPoints& points, Distances& found) {
  const DriverTurn turn(device_.driver());
  timer_.clear();
  if (distances_ == nullptr)
    distances_ = std::make_unique<PointDistance>(device_, pipeline_.scene(), environment_terrain_);
  with_room([&] {
    if (body_count_ > 0) place_tree(given);
    distances_->run(points, found.nearest, timer_);
  });
  if (given.keep) given.keep();
  found.device_bytes = device_.memory_peak();
  const StageTimes times = timer_.collect();
  found.milliseconds = {times.upload, times.broad_phase, times.narrow_phase, times.download, 0.0};
}

}  // namespace oclide
