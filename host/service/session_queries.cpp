// What a client asks of its scene at given poses: rays, motion, shapes, points, memory.
#include <chrono>

#include "service/session.hpp"

namespace oclide::service {
namespace {

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

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
  task.work = [=, self = shared_from_this()](Collider& collider) {
    const double begin = now_milliseconds();
    const RayHits found = collider.cast({*position, *orientation}, {*origin, *direction, *length, *environment, *mask});
    v1::Reply reply;
    reply.set_id(request->id());
    v1::CastReply& answer = *reply.mutable_cast();
    answer.set_hits(found.hit_count);
    answer.set_hit_hash(hit_hash(found.hits));
    answer.set_milliseconds(now_milliseconds() - begin);
    std::uint64_t used = 0;
    self->put(*answer.mutable_records(), request->cast().room(), used, found.hits.data(),
              found.hits.size() * sizeof(Hit));
    self->send(std::move(reply), true);
  };
  return task;
}

Task Session::sweep_task(const RequestPointer& request, std::size_t bodies) {
  const v1::Sweep& sweep = request->sweep();
  const auto position = numbers_of<double>(sweep.position(), "position", 3 * bodies);
  const auto orientation = numbers_of<double>(sweep.orientation(), "orientation", 4 * bodies);
  const auto displacement = numbers_of<double>(sweep.displacement(), "displacement", std::nullopt);
  const auto rotation = numbers_of<double>(sweep.rotation(), "rotation", std::nullopt);
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
  task.work = [=, self = shared_from_this()](Collider& collider) {
    const double begin = now_milliseconds();
    const bool find_lowest = request->overlap().find_lowest();
    const Overlaps found = collider.overlap({*position, *orientation},
                                            {*shape, *size, *place, *turned, *environment, *mask, *group, find_lowest});
    v1::Reply reply;
    reply.set_id(request->id());
    v1::OverlapReply& answer = *reply.mutable_overlap();
    answer.set_count(found.overlap_count);
    answer.set_milliseconds(now_milliseconds() - begin);
    const v1::Payload& room = request->overlap().room();
    std::uint64_t used = 0;
    // The larger numbers first, so that both are aligned.
    self->put(*answer.mutable_body(), room, used, found.body.data(), found.body.size() * sizeof(std::uint32_t));
    self->put(*answer.mutable_overlaps(), room, used, found.overlaps.data(), found.overlaps.size());
    self->send(std::move(reply), true);
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
  task.work = [=, self = shared_from_this()](Collider& collider) {
    const double begin = now_milliseconds();
    const Distances found = collider.distance({*position, *orientation}, {*point, *range, *environment, *mask});
    v1::Reply reply;
    reply.set_id(request->id());
    v1::DistanceReply& answer = *reply.mutable_distance();
    answer.set_near(found.near_count);
    answer.set_milliseconds(now_milliseconds() - begin);
    std::uint64_t used = 0;
    self->put(*answer.mutable_records(), request->distance().room(), used, found.nearest.data(),
              found.nearest.size() * sizeof(Hit));
    self->send(std::move(reply), true);
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
