// Frames of a Collider: their poses checked, their contacts named by bodies and followed from frame to frame.
#include <algorithm>
#include <utility>

#include "api/checked_backend.hpp"
#include "scene/scene_check.hpp"

namespace oclide {
namespace {

// Poses of bodies with those of their parts on the way to the device.
struct StagedCompounds final : Collider::Staged {
  Collider::StagedPoses parts;
};

}  // namespace

FramePoses CheckedBackend::advance(const Poses& poses, bool checked) {
  check_pose_counts(poses, bodies_);
  if (compounds_) return part_poses_.advance(*compounds_, poses);
  if (!device_.is_reference) return history_.advance(poses, bodies_ / kMovedPart, checked);
  if (!checked) check_poses(poses, bodies_);
  return {poses};  // the reference does not build on the frame before
}

FrameContacts CheckedBackend::collide(const FramePoses& given) {
  const Use use = enter(busy_, "collide");
  need_scene("collide");
  const auto start = std::chrono::steady_clock::now();
  return finished(inner_->collide(advance(given.poses)), start);
}

FrameContacts& CheckedBackend::update(const FramePoses& given) {
  const Use use = enter(busy_, "update");
  need_scene("update");
  const auto start = std::chrono::steady_clock::now();
  const FramePoses known = advance(given.poses);
  try {
    FrameContacts& found = inner_->update(known);
    if (compounds_) name(found, named_);
    FrameContacts& frame = compounds_ ? named_ : found;
    frame.milliseconds.total = milliseconds_since(start);
    follow(frame);
    return frame;
  } catch (...) {
    // There is no last update().
    (void)inner_->take_frame();
    named_ = {};
    throw;
  }
}

FrameContacts CheckedBackend::take_frame() {
  const Use use(busy_, "take_frame");
  if (compounds_) return std::exchange(named_, {});
  return inner_ == nullptr ? FrameContacts() : inner_->take_frame();
}

Collider::StagedPoses CheckedBackend::stage(const Poses& poses) {
  const Use use = enter(staging_, "stage");
  need_scene("stage");
  check_poses(poses, bodies_);
  Collider::StagedPoses staged = compounds_ ? stage_parts(poses) : inner_->stage(poses);
  staged->backend = inner_;
  staged->scene = scene_number_;
  return staged;
}

Collider::StagedPoses CheckedBackend::stage_parts(const Poses& poses) const {
  auto staged = std::make_shared<StagedCompounds>();
  compounds_->place(poses, staged->position, staged->orientation);
  staged->parts = inner_->stage(staged->poses());
  staged->position.assign(poses.position.begin(), poses.position.end());
  staged->orientation.assign(poses.orientation.begin(), poses.orientation.end());
  return staged;
}

FrameContacts CheckedBackend::collide_staged(const Collider::StagedPoses& staged, const FramePoses& /*given*/) {
  const Use use = enter(busy_, "collide_staged");
  need_scene("collide_staged");
  if (staged == nullptr) throw Error(ErrorKind::invalid_input, "collide_staged: no staged poses");
  if (staged->backend != inner_)
    throw Error(ErrorKind::invalid_input, "collide_staged: the staged poses are of another Collider");
  if (staged->scene != scene_number_)
    throw Error(ErrorKind::invalid_input, "collide_staged: the staged poses are of another scene");
  if (staged->is_used) throw Error(ErrorKind::invalid_input, "collide_staged: the staged poses have been used up");
  staged->is_used = true;
  const auto start = std::chrono::steady_clock::now();
  const Collider::StagedPoses to_device = compounds_ ? static_cast<StagedCompounds&>(*staged).parts : staged;
  const FramePoses known = compounds_ ? part_poses_.take(*compounds_, staged->poses(), std::move(to_device->position),
                                                         std::move(to_device->orientation))
                                      : advance(staged->poses(), true);
  return finished(inner_->collide_staged(to_device, known), start);
}

void CheckedBackend::name(const FrameContacts& found, FrameContacts& named) const {
  compounds_->name(found, named);
  named.moved_bodies = part_poses_.moved_bodies(*compounds_, found.moved_bodies);
}

FrameContacts CheckedBackend::finished(FrameContacts&& found, std::chrono::steady_clock::time_point start) {
  FrameContacts frame;
  if (compounds_)
    name(found, frame);
  else
    frame = std::move(found);
  frame.milliseconds.total = milliseconds_since(start);
  follow(frame);
  return frame;
}

void CheckedBackend::follow(FrameContacts& frame) {
  if (!settings_.track) return;
  track(frame);
  if (!replaced_.empty()) part_from_before(std::exchange(replaced_, {}), frame);
  last_slots_.swap(slots_);
  slots_.resize(frame.contacts.size());
  for (std::size_t i = 0; i < slots_.size(); ++i)
    slots_[i] = frame.previous[i] == kNone ? UserSlot() : last_slots_[frame.previous[i]];
}

std::span<UserSlot> CheckedBackend::user_slots() {
  const Use use(busy_, "user_slots");
  return slots_;
}

void CheckedBackend::collide_on_device(const ResidentPoses& poses, const CompoundBodies* /*compounds*/,
                                       DeviceFrame& frame) {
  const Use use = enter(busy_, "collide_on_device");
  need_scene("collide_on_device");
  inner_->collide_on_device(poses, compounds_ ? &*compounds_ : nullptr, frame);
}

FrameContacts CheckedBackend::to_host() {
  const Use use = enter(busy_, "to_host");
  need_scene("to_host");
  return inner_->to_host();
}

}  // namespace oclide
