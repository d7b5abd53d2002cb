// Frames of contacts: those of poses in host memory, whole or of what moved, and those that stay on the device. Which
// way a frame takes is said by a FramePlan.
#include <algorithm>
#include <chrono>
#include <utility>

#include "collider/opencl_collider.hpp"
#include "frame/frame_plan.hpp"

namespace oclide {
namespace {

using opencl::DriverPause;
using opencl::DriverTurn;
using opencl::StageTimer;

}  // namespace

FrameContacts OpenClCollider::collide(const FramePoses& given) {
  FrameContacts frame;
  compute(given, nullptr, frame);
  return frame;
}

FrameContacts& OpenClCollider::update(const FramePoses& given) {
  compute(given, nullptr, frame_);
  return frame_;
}

FrameContacts OpenClCollider::collide_staged(const Collider::StagedPoses& staged, const FramePoses& given) {
  auto* on_device = dynamic_cast<StagedOnDevice*>(staged.get());
  FrameContacts frame;
  compute(given, on_device == nullptr ? nullptr : std::move(on_device->device), frame);
  return frame;
}

// Whether these poses are consecutive to those of the last frame, which is all that is needed of it but what moved.
bool OpenClCollider::can_update(const FramePoses& given) const {
  const auto is_half_space = [&](std::uint32_t body) { return writer_.is_half_space(body); };
  return given.is_next && last_poses_ != 0 && given.number == last_poses_ + 1 && poses_ != nullptr &&
         pipeline_.can_update() && std::none_of(given.moved.begin(), given.moved.end(), is_half_space);
}

// The contacts of one frame, whose poses may be on their way already.
void OpenClCollider::compute(const FramePoses& given, std::unique_ptr<DevicePoses> uploaded, FrameContacts& frame) {
  const auto start = std::chrono::steady_clock::now();
  const DriverTurn turn(device_.driver());
  timer_.clear();
  if (resident_ != nullptr) resident_->drop_frame();
  const Poses& poses = given.poses;
  positions_.set(poses);
  const bool is_update = can_update(given);
  const bool is_same_frame = std::exchange(frame_is_last_, false) && &frame == &frame_;
  last_poses_ = tree_poses_ = 0;
  has_resident_poses_ = has_resident_tree_ = false;
  const bool is_uploaded = uploaded != nullptr;
  if (is_uploaded) {
    use_poses(std::move(uploaded));
    // The kernels wait for these poses, not for what else the transfer queue may have by now.
    opencl::translate_errors("upload of poses", device_.info().name,
                             [&] { device_.queue().enqueueBarrierWithWaitList(&poses_->uploads); });
  }

  HostWork work;
  if (given.keep) work.add(given.keep);
  FrameCounts counts;
  const auto run = [&](FramePlan::Scope scope) {
    counts = {};
    return pipeline_.run({scope, FramePlan::Residency::host, FramePlan::Sizes::predicted},
                         {*poses_, positions_, &poses, given.moved, &work}, counts, timer_);
  };
  const bool is_updated = is_update && (is_uploaded || move_poses(given)) && run(FramePlan::Scope::moved_bodies);
  if (!is_updated && body_count_ > 0) {
    if (!is_uploaded) upload(poses);
    (void)run(FramePlan::Scope::all_bodies);
  }
  work.run();
  {
    const DriverPause pause;
    if (is_updated && is_same_frame)
      writer_.rewrite(poses, given.moved, pipeline_.terrain().list(), pipeline_.bodies().list(), frame);
    else
      writer_.write(poses, pipeline_.terrain().list(), pipeline_.bodies().list(), frame);
  }
  frame.moved_bodies = is_updated ? given.moved.size() : body_count_;
  last_poses_ = given.number;
  tree_poses_ = pipeline_.scene().bodies.can_pair() ? given.number : 0;
  frame_is_last_ = &frame == &frame_;
  if (resident_ != nullptr) resident_->forget();  // tracking goes on from this frame
  frame.body_candidates = counts.body_candidates;
  frame.candidates = counts.candidates;
  frame.unreduced = counts.unreduced;
  frame.device_bytes = device_.memory_peak();
  frame.milliseconds = timer_.collect();
  frame.milliseconds.total =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void OpenClCollider::track(FrameContacts& frame) {
  const auto start = std::chrono::steady_clock::now();
  const DriverTurn turn(device_.driver());
  const auto make_room = [&] { pipeline_.free_frame_buffers(); };
  timer_.clear();
  tracking_->follow(frame, make_room, timer_);
  frame.device_bytes = device_.memory_peak();
  frame.milliseconds.tracking = timer_.collect().tracking;
  frame.milliseconds.total +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

ResidentFrames& OpenClCollider::resident(const CompoundBodies* compounds) {
  if (resident_ == nullptr)
    resident_ = std::make_unique<ResidentFrames>(device_, pipeline_, writer_.half_spaces(), writer_.meshes(),
                                                 writer_.sensors(), compounds, tracking_.has_value());
  return *resident_;
}

void OpenClCollider::collide_on_device(const ResidentPoses& given, const CompoundBodies* compounds,
                                       DeviceFrame& frame) {
  const DriverTurn turn(device_.driver());
  // What is known of the poses before is in host memory.
  last_poses_ = tree_poses_ = 0;
  has_resident_poses_ = has_resident_tree_ = false;
  const auto compute_contacts = [&] {
    (void)resident(compounds);
    if (poses_ == nullptr) poses_ = spare_poses();
    StageTimer untimed;
    untimed.set_on(false);
    poses_are_in_use_ = true;
    resident_->run(given, *poses_, frame, untimed);
  };
  try {
    compute_contacts();
  } catch (const opencl::OutOfDeviceMemory&) {
    // With the room of the work on frames before.
    pipeline_.free_frame_buffers();
    give_back(ContactPipeline::Shortage::met);
    compute_contacts();
  }
  has_resident_poses_ = true;
  has_resident_tree_ = pipeline_.scene().bodies.can_pair();
  // Tracking goes on from this frame.
  if (tracking_) {
    tracking_->forget();
    tracking_->free_buffers();
  }
}

FrameContacts OpenClCollider::to_host() {
  if (resident_ == nullptr) throw Error(ErrorKind::invalid_input, "to_host: there was no collide_on_device()");
  const DriverTurn turn(device_.driver());
  return resident_->to_host(*poses_);
}

}  // namespace oclide
