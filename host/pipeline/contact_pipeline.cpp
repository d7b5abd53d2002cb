#include "pipeline/contact_pipeline.hpp"

#include <utility>

#include "frame/slice.hpp"

namespace oclide {

ContactPipeline::ContactPipeline(opencl::Device& device, float margin, std::function<void(Shortage)> give_back)
    : device_(device),
      margin_(margin),
      give_back_(std::move(give_back)),
      work_(device),
      scene_(device, margin, work_),
      terrain_(device, scene_, margin, work_),
      bodies_(device, scene_, margin, work_) {}

void ContactPipeline::set_scene(const Scene& scene, const Bodies& bodies, const Geometry& geometry) {
  bodies_count_ = bodies.count();
  terrain_.set_scene(bodies.count());
  bodies_.set_scene(bodies);
  scene_.set(scene, bodies, geometry, margin_);
}

bool ContactPipeline::change(const Scene& scene, const Bodies& bodies, const Geometry& geometry,
                             std::span<const std::uint32_t> rows, bool all) {
  const bool grows = bodies.count() > bodies_count_;
  bodies_count_ = bodies.count();
  if (scene_.change(scene, bodies, geometry, margin_, rows, all)) {
    if (grows)
      terrain_.set_count(bodies.count());
    else
      terrain_.change(rows);
    bodies_.change(bodies, rows, grows);
    return !grows;
  }
  terrain_.set_scene(bodies.count());
  bodies_.set_scene(bodies);
  return false;
}

// Sends both halves off together, as far as they are predicted.
void ContactPipeline::begin(const FramePlan& plan, const FrameInput& input, opencl::StageTimer& timer) {
  terrain_.begin(plan, input, timer);
  bodies_.begin(plan, input, timer);
  opencl::Transfers ahead;
  if (input.ahead && plan.is_predicted()) {
    const auto on_terrain = terrain_.sent_off();
    const auto of_bodies = bodies_.sent_off();
    if (on_terrain && of_bodies) input.ahead(*on_terrain, *of_bodies, ahead);
  }
  // The host has work of its own while the device works.
  if (plan.is_of_moved()) {
    device_.flush();
    bodies_.mark_moved();
  } else if (terrain_.is_predicted() || bodies_.is_predicted()) {
    work_meanwhile(device_, input);
  }
  // It has more of it between the halves of a large frame on a GPU. Elsewhere it sleeps once.
  if (device_.info().is_gpu && bodies_count_ > kSmallFrame && !plan.stays_on_device()) return device_.flush();
  ahead.wait();
  bodies_.wait();
}

bool ContactPipeline::run(FramePlan plan, const FrameInput& input, FrameCounts& counts, opencl::StageTimer& timer) {
  // Where memory is short the two halves do not keep each other's buffers waiting.
  if (!plan.is_of_moved() && memory_is_short()) {
    bodies_.free_frame_buffers();
    give_back_(Shortage::near);
    if (memory_is_short()) plan.sizes = FramePlan::Sizes::read_back;
  }
  // Nor where one has no room in what the other leaves over.
  const auto with_room = [&](const auto& finish) {
    const FrameCounts before = counts;
    try {
      return finish();
    } catch (const Error& e) {
      if (plan.is_of_moved() || e.kind() != ErrorKind::device) throw;
    }
    counts = before;
    terrain_.move_to_host(counts, timer);
    free_frame_buffers();
    give_back_(Shortage::met);
    finish();
  };
  try {
    try {
      begin(plan, input, timer);
    } catch (const Error& e) {
      if (plan.is_of_moved() || e.kind() != ErrorKind::device) throw;
      plan.sizes = FramePlan::Sizes::read_back;
      begin(plan, input, timer);
    }
    with_room([&] { terrain_.finish(counts, timer); });
    input.positions.check();
    if (!plan.is_of_moved() && memory_is_short()) {
      terrain_.move_to_host(counts, timer);
      terrain_.free_frame_buffers();
      give_back_(Shortage::near);
    }
    with_room([&] { bodies_.finish(counts, timer); });
    return true;
  } catch (const SliceTooLarge&) {
    if (!plan.is_of_moved()) throw;
  } catch (const Error& e) {
    if (!plan.is_of_moved() || e.kind() != ErrorKind::device) throw;
  }
  return false;  // in slices, then
}

void ContactPipeline::move_to_host(FrameCounts& counts, opencl::StageTimer& timer) {
  terrain_.move_to_host(counts, timer);
  bodies_.move_to_host(timer);
  free_frame_buffers();
}

void ContactPipeline::free_frame_buffers() {
  terrain_.free_frame_buffers();
  bodies_.free_frame_buffers();
}

}  // namespace oclide
