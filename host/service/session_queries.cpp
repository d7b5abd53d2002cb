// What a client asks of its scene at given poses: rays, motion, shapes, points, memory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "scene/scene_check.hpp"
#include "service/session.hpp"

namespace oclide::service {
namespace {

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Rows of a query, so many at a time that others do not wait long. What is found does not depend on it.
class InParts {
 public:
  explicit InParts(std::size_t rows) : rows_(rows) {}

  /// Does the next part: of `count` rows from `first` on. Whether it was the last one.
  template <class Function>
  [[nodiscard]] bool next(Function&& function) {
    const double begin = now_milliseconds();
    const std::size_t count = std::min(size_, rows_ - first_);
    function(first_, count);
    const double milliseconds = now_milliseconds() - begin;
    first_ += count;
    milliseconds_ += milliseconds;
    if (milliseconds < 0.5 * kMilliseconds) size_ *= 2;
    if (milliseconds > 2.0 * kMilliseconds) size_ = std::max(size_ / 2, kLeast);
    return first_ == rows_;
  }
  [[nodiscard]] bool is_first() const { return first_ == 0; }
  [[nodiscard]] double milliseconds() const { return milliseconds_; }

 private:
  static constexpr double kMilliseconds = 100.0;
  static constexpr std::size_t kLeast = 1024;
  std::size_t rows_, first_ = 0, size_ = 16 * kLeast;
  double milliseconds_ = 0.0;
};

// How far a query has come, and what it has found.
template <class Found>
struct Progress {
  explicit Progress(std::size_t rows) : parts(rows) {}
  InParts parts;
  Found found;
};

// The rows of a part; the whole of an array that is not there, or has one row for all.
template <class T>
std::span<const T> part_of(const std::vector<T>& all, std::size_t rows, std::size_t first, std::size_t count,
                           std::size_t each = 1) {
  return all.size() != rows * each ? std::span(all) : std::span(all).subspan(each * first, each * count);
}

// Whole turns of all bodies together.
std::uint64_t turns_of(std::span<const double> rotation) {
  double turns = 0.0;
  for (std::size_t i = 0; i + 2 < rotation.size(); i += 3)
    turns += std::hypot(rotation[i], rotation[i + 1], rotation[i + 2]) / (2.0 * std::numbers::pi);
  return static_cast<std::uint64_t>(turns);
}

template <class T>
void append(std::vector<T>& to, std::vector<T>&& part) {
  if (to.empty())
    to = std::move(part);
  else
    to.insert(to.end(), part.begin(), part.end());
}

}  // namespace

// The scene, while the session lives; what is left of a request of one that has ended is dropped.
SharedScene Session::scene_at_work() {
  SharedScene scene = this->scene();
  if (!scene) throw Error(ErrorKind::device, "the session has ended");
  return scene;
}

Task Session::cast_task(const RequestPointer& request, std::size_t bodies) {
  const v1::Cast& cast = request->cast();
  const auto position = numbers_of<double>(cast.position(), "position", 3 * bodies);
  const auto orientation = numbers_of<double>(cast.orientation(), "orientation", 4 * bodies);
  const auto origin = numbers_of<double>(cast.origin(), "origin", std::nullopt);
  const auto direction = numbers_of<double>(cast.direction(), "direction", origin->size());
  const auto length = numbers_of<double>(cast.length(), "length", std::nullopt);
  const auto environment = numbers_of<std::uint32_t>(cast.environment(), "environment", std::nullopt);
  const auto mask = numbers_of<std::uint32_t>(cast.mask(), "mask", std::nullopt);
  Task task;
  const std::size_t rows = origin->size() / 3;
  const auto state = std::make_shared<Progress<RayHits>>(rows);
  task.work = [=, self = shared_from_this()](Collider& collider) {
    RayHits& found = state->found;
    const SharedScene scene = self->scene_at_work();
    if (state->parts.is_first())
      check_rays({*origin, *direction, *length, *environment, *mask}, scene->scene.environment_terrain.size());
    if (!state->parts.next([&](std::size_t first, std::size_t count) {
          RayHits part =
              collider.cast({*position, *orientation},
                            {part_of(*origin, rows, first, count, 3), part_of(*direction, rows, first, count, 3),
                             part_of(*length, rows, first, count), part_of(*environment, rows, first, count),
                             part_of(*mask, rows, first, count)});
          append(found.hits, std::move(part.hits));
          found.hit_count += part.hit_count;
        }))
      return false;
    v1::Reply reply;
    reply.set_id(request->id());
    v1::CastReply& answer = *reply.mutable_cast();
    answer.set_hits(found.hit_count);
    answer.set_hit_hash(hit_hash(found.hits));
    answer.set_milliseconds(state->parts.milliseconds());
    std::uint64_t used = 0;
    self->put(*answer.mutable_records(), request->cast().room(), used, found.hits.data(),
              found.hits.size() * sizeof(Hit));
    self->send(std::move(reply), true);
    return true;
  };
  return task;
}

Task Session::sweep_task(const RequestPointer& request, std::size_t bodies) {
  const v1::Sweep& sweep = request->sweep();
  const auto position = numbers_of<double>(sweep.position(), "position", 3 * bodies);
  const auto orientation = numbers_of<double>(sweep.orientation(), "orientation", 4 * bodies);
  const auto displacement = numbers_of<double>(sweep.displacement(), "displacement", std::nullopt);
  const auto rotation = numbers_of<double>(sweep.rotation(), "rotation", std::nullopt);
  check_motion({*displacement, *rotation}, bodies);
  share_.check_turns(turns_of(*rotation));
  Task task;
  task.work = [=, self = shared_from_this()](Collider& collider) {
    const double begin = now_milliseconds();
    const FrameImpacts found = collider.sweep({*position, *orientation}, {*displacement, *rotation});
    v1::Reply reply;
    reply.set_id(request->id());
    v1::SweepReply& answer = *reply.mutable_sweep();
    answer.set_count(found.impacts.size());
    answer.set_impact_hash(impact_hash(found.impacts));
    answer.set_milliseconds(now_milliseconds() - begin);
    std::uint64_t used = 0;
    self->put(*answer.mutable_records(), request->sweep().room(), used, found.impacts.data(),
              found.impacts.size() * sizeof(Impact));
    self->send(std::move(reply), true);
    return true;
  };
  return task;
}

Task Session::overlap_task(const RequestPointer& request, std::size_t bodies) {
  const v1::Overlap& overlap = request->overlap();
  const auto position = numbers_of<double>(overlap.position(), "position", 3 * bodies);
  const auto orientation = numbers_of<double>(overlap.orientation(), "orientation", 4 * bodies);
  const auto shape = numbers_of<Shape>(overlap.shape(), "shape", std::nullopt);
  const auto size = numbers_of<std::array<double, 3>>(overlap.size(), "size", std::nullopt);
  const auto place = numbers_of<double>(overlap.query_position(), "query_position", std::nullopt);
  const auto turned = numbers_of<double>(overlap.query_orientation(), "query_orientation", std::nullopt);
  const auto environment = numbers_of<std::uint32_t>(overlap.environment(), "environment", std::nullopt);
  const auto mask = numbers_of<std::uint32_t>(overlap.mask(), "mask", std::nullopt);
  const auto group = numbers_of<std::int32_t>(overlap.group(), "group", std::nullopt);
  Task task;
  const std::size_t rows = place->size() / 3;
  const auto state = std::make_shared<Progress<Overlaps>>(rows);
  task.work = [=, self = shared_from_this()](Collider& collider) {
    Overlaps& found = state->found;
    const bool find_lowest = request->overlap().find_lowest();
    const SharedScene scene = self->scene_at_work();
    if (state->parts.is_first())
      check_query_shapes({*shape, *size, *place, *turned, *environment, *mask, *group, find_lowest},
                         counts_of_shapes(scene->scene), scene->scene.environment_terrain.size());
    if (!state->parts.next([&](std::size_t first, std::size_t count) {
          Overlaps part =
              collider.overlap({*position, *orientation},
                               {part_of(*shape, rows, first, count), part_of(*size, rows, first, count),
                                part_of(*place, rows, first, count, 3), part_of(*turned, rows, first, count, 4),
                                part_of(*environment, rows, first, count), part_of(*mask, rows, first, count),
                                part_of(*group, rows, first, count), find_lowest});
          append(found.overlaps, std::move(part.overlaps));
          append(found.body, std::move(part.body));
          found.overlap_count += part.overlap_count;
        }))
      return false;
    v1::Reply reply;
    reply.set_id(request->id());
    v1::OverlapReply& answer = *reply.mutable_overlap();
    answer.set_count(found.overlap_count);
    answer.set_milliseconds(state->parts.milliseconds());
    const v1::Payload& room = request->overlap().room();
    std::uint64_t used = 0;
    // The larger numbers first, so that both are aligned.
    self->put(*answer.mutable_body(), room, used, found.body.data(), found.body.size() * sizeof(std::uint32_t));
    self->put(*answer.mutable_overlaps(), room, used, found.overlaps.data(), found.overlaps.size());
    self->send(std::move(reply), true);
    return true;
  };
  return task;
}

Task Session::distance_task(const RequestPointer& request, std::size_t bodies) {
  const v1::Distance& distance = request->distance();
  const auto position = numbers_of<double>(distance.position(), "position", 3 * bodies);
  const auto orientation = numbers_of<double>(distance.orientation(), "orientation", 4 * bodies);
  const auto point = numbers_of<double>(distance.point(), "point", std::nullopt);
  const auto range = numbers_of<double>(distance.range(), "range", std::nullopt);
  const auto environment = numbers_of<std::uint32_t>(distance.environment(), "environment", std::nullopt);
  const auto mask = numbers_of<std::uint32_t>(distance.mask(), "mask", std::nullopt);
  Task task;
  const std::size_t rows = point->size() / 3;
  const auto state = std::make_shared<Progress<Distances>>(rows);
  task.work = [=, self = shared_from_this()](Collider& collider) {
    Distances& found = state->found;
    const SharedScene scene = self->scene_at_work();
    if (state->parts.is_first())
      check_query_points({*point, *range, *environment, *mask}, scene->scene.environment_terrain.size());
    if (!state->parts.next([&](std::size_t first, std::size_t count) {
          Distances part =
              collider.distance({*position, *orientation},
                                {part_of(*point, rows, first, count, 3), part_of(*range, rows, first, count),
                                 part_of(*environment, rows, first, count), part_of(*mask, rows, first, count)});
          append(found.nearest, std::move(part.nearest));
          found.near_count += part.near_count;
        }))
      return false;
    v1::Reply reply;
    reply.set_id(request->id());
    v1::DistanceReply& answer = *reply.mutable_distance();
    answer.set_near(found.near_count);
    answer.set_milliseconds(state->parts.milliseconds());
    std::uint64_t used = 0;
    self->put(*answer.mutable_records(), request->distance().room(), used, found.nearest.data(),
              found.nearest.size() * sizeof(Hit));
    self->send(std::move(reply), true);
    return true;
  };
  return task;
}

Task Session::plan_task(const RequestPointer& request, std::size_t bodies) {
  const auto position = numbers_of<double>(request->plan().position(), "position", 3 * bodies);
  const auto orientation = numbers_of<double>(request->plan().orientation(), "orientation", 4 * bodies);
  Task task;
  task.change = [=, self = shared_from_this()](SceneCollider*) {
    const SharedScene stored = self->scene();
    if (!stored) return true;
    Settings settings = self->shared_.engine.settings();
    settings.margin = self->margin_;
    const MemoryPlan plan = plan_memory(scene_to_plan(*stored), {*position, *orientation}, settings);
    v1::Reply reply;
    reply.set_id(request->id());
    v1::PlanReply& answer = *reply.mutable_plan();
    answer.set_device_bytes(plan.device_bytes);
    answer.set_host_bytes(plan.host_bytes);
    answer.set_least_device_bytes(plan.least_device_bytes);
    answer.set_fits(plan.fits);
    answer.set_problem(plan.problem);
    self->send(std::move(reply), true);
    return true;
  };
  return task;
}

}  // namespace oclide::service
