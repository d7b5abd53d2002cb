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

// Sends both halves off together, as far as they are predicted, and waits for them once.
void ContactPipeline::begin(const FramePlan& plan, const FrameInput& input, opencl::StageTimer& timer) {
  opencl::Transfers transfers;
  terrain_.begin(plan, input, transfers, timer);
  bodies_.begin(plan, input, transfers, timer);
  // The host has work of its own while the device works.
  if (plan.is_of_moved()) {
    device_.flush();
    bodies_.mark_moved();
  } else if (terrain_.is_predicted() || bodies_.is_predicted()) {
    work_meanwhile(device_, input);
  }
  transfers.wait();
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
    terrain_.take();
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
      terrain_.take();
      terrain_.move_to_host(counts, timer);
      terrain_.free_frame_buffers();
      give_back_(Shortage::near);
    }
    if (input.work != nullptr) input.work->add([this] { terrain_.take(); });
    with_room([&] { bodies_.finish(counts, timer); });
    terrain_.take();
    counts.unreduced += terrain_.taken_unreduced();
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
