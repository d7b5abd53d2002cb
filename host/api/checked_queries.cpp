// Queries of a Collider: rays, sweeps, overlaps and distances, checked, with answers named by bodies.
#include <algorithm>
#include <tuple>

#include "api/checked_backend.hpp"
#include "scene/scene_check.hpp"

namespace oclide {
namespace {

// Of each pair the first impact, in the order of pairs.
void keep_first(std::vector<Impact>& impacts) {
  const auto key = [](const Impact& i) {
    return std::make_tuple(i.body_a, i.body_b, i.time, i.shape_a, i.shape_b, i.element);
  };
  std::sort(impacts.begin(), impacts.end(), [&](const Impact& a, const Impact& b) { return key(a) < key(b); });
  const auto is_same_pair = [](const Impact& a, const Impact& b) {
    return a.body_a == b.body_a && a.body_b == b.body_b;
  };
  impacts.erase(std::unique(impacts.begin(), impacts.end(), is_same_pair), impacts.end());
}

}  // namespace

void CheckedBackend::finish(RayHits& hits, std::chrono::steady_clock::time_point start) const {
  hits.hit_count = name_hits(hits.hits);
  hits.milliseconds.total = milliseconds_since(start);
}

std::uint64_t CheckedBackend::name_hits(std::vector<Hit>& hits) const {
  std::uint64_t count = 0;
  for (Hit& hit : hits) {
    if (hit.body == kNothing) continue;
    ++count;
    if (!compounds_ || hit.body == kTerrain) continue;
    const std::size_t part = hit.body;
    hit.body = compounds_->body_of(part);
    if (compounds_->is_compound(hit.body)) hit.shape = compounds_->shape_of(part);
  }
  return count;
}

void CheckedBackend::cast(const FramePoses& given, const Rays& rays, RayHits& hits) {
  const Use use = enter(busy_, "cast");
  need_scene("cast");
  const auto start = std::chrono::steady_clock::now();
  check_rays(rays, environments_);
  inner_->cast(advance(given.poses), rays, hits);
  finish(hits, start);
}

void CheckedBackend::cast_at(const ResidentPoses& poses, const CompoundBodies* /*compounds*/, const Rays& rays,
                             RayHits& hits) {
  const Use use = enter(busy_, "cast");
  need_scene("cast");
  const auto start = std::chrono::steady_clock::now();
  check_rays(rays, environments_);
  inner_->cast_at(poses, compounds_ ? &*compounds_ : nullptr, rays, hits);
  finish(hits, start);
}

void CheckedBackend::cast_on_device(const CastInput& given, const CompoundBodies* /*compounds*/, DeviceHits& hits) {
  const Use use = enter(busy_, "cast_on_device");
  need_scene("cast_on_device");
  if (given.rays != nullptr) check_rays(*given.rays, environments_);
  CastInput known = given;
  FramePoses poses;
  if (given.poses != nullptr) {
    poses = advance(given.poses->poses);
    known.poses = &poses;
  }
  inner_->cast_on_device(known, compounds_ ? &*compounds_ : nullptr, hits);
}

void CheckedBackend::sweep(const FramePoses& given, const Motion& motion, std::span<const double> /*pivots*/,
                           FrameImpacts& found) {
  const Use use = enter(busy_, "sweep");
  need_scene("sweep");
  const auto start = std::chrono::steady_clock::now();
  check_motion(motion, bodies_);
  const FramePoses known = advance(given.poses);
  // Of each part, where there are compounds, the body's own.
  const std::size_t count = compounds_ ? compounds_->parts() : bodies_;
  const auto body_of = [&](std::size_t part) { return compounds_ ? compounds_->body_of(part) : part; };
  const auto of_parts = [&](std::span<const double> of_bodies) {
    std::vector<double> numbers(3 * count, 0.0);
    if (!of_bodies.empty())
      for (std::size_t part = 0; part < count; ++part)
        std::copy_n(&of_bodies[3 * body_of(part)], 3, &numbers[3 * part]);
    return numbers;
  };
  const std::vector<double> displacement = of_parts(motion.displacement), rotation = of_parts(motion.rotation);
  const std::vector<double> pivots = compounds_ ? of_parts(given.poses.position) : std::vector<double>();
  try {
    inner_->sweep(known, {displacement, rotation}, pivots, found);
  } catch (const UntoldSweep& untold) {
    refuse_untold(untold, body_of);
  }
  for (Impact& impact : found.impacts) {
    if (!compounds_) break;
    const std::size_t a = impact.body_a, b = impact.body_b;
    impact.body_a = compounds_->body_of(a);
    if (compounds_->is_compound(impact.body_a)) impact.shape_a = compounds_->shape_of(a);
    if (impact.body_b == kTerrain) continue;
    impact.body_b = compounds_->body_of(b);
    if (compounds_->is_compound(impact.body_b)) impact.shape_b = compounds_->shape_of(b);
  }
  keep_first(found.impacts);
  found.milliseconds.total = milliseconds_since(start);
}

void CheckedBackend::sweep_on_device(const ResidentPoses& poses, const ResidentMotion& motion,
                                     const CompoundBodies* /*compounds*/, DeviceImpacts& impacts) {
  const Use use = enter(busy_, "sweep_on_device");
  need_scene("sweep_on_device");
  try {
    inner_->sweep_on_device(poses, motion, compounds_ ? &*compounds_ : nullptr, impacts);
  } catch (const UntoldSweep& untold) {
    refuse_untold(untold, [&](std::size_t part) { return compounds_ ? compounds_->body_of(part) : part; });
  }
}

void CheckedBackend::overlap(const FramePoses& given, const QueryShapes& queries, const Compounds& /*compounds*/,
                             Overlaps& found) {
  const Use use = enter(busy_, "overlap");
  need_scene("overlap");
  const auto start = std::chrono::steady_clock::now();
  check_query_shapes(queries, shape_counts_, environments_);
  QueryShapes known = queries;
  std::vector<std::int32_t> groups;
  if (compounds_) {
    // Parts of compounds have groups that no body has: a query's counts where a body has it.
    std::vector<std::int32_t> own = rows_.scene().bodies.group;
    std::sort(own.begin(), own.end());
    groups.assign(queries.group.begin(), queries.group.end());
    for (std::int32_t& group : groups)
      if (!std::binary_search(own.begin(), own.end(), group)) group = 0;
    known.group = groups;
  }
  inner_->overlap(advance(given.poses), known, query_compounds_, found);
  if (compounds_)
    for (std::uint32_t& body : found.body)
      if (body < kNothing) body = compounds_->body_of(body);
  found.overlap_count =
      static_cast<std::uint64_t>(std::count(found.overlaps.begin(), found.overlaps.end(), std::uint8_t{1}));
  found.milliseconds.total = milliseconds_since(start);
}

void CheckedBackend::distance(const FramePoses& given, const QueryPoints& points, Distances& found) {
  const Use use = enter(busy_, "distance");
  need_scene("distance");
  const auto start = std::chrono::steady_clock::now();
  check_query_points(points, environments_);
  inner_->distance(advance(given.poses), points, found);
  found.near_count = name_hits(found.nearest);
  found.milliseconds.total = milliseconds_since(start);
}

}  // namespace oclide
