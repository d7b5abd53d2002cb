// Poses on their way to the device, and those that the tree stands at.
#include <algorithm>
#include <utility>

#include "collider/opencl_collider.hpp"
#include "resident/given_memory.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

using opencl::DriverTurn;
using opencl::Stage;
using opencl::StageTimer;

// A GPU gets poses in parts of so many bodies at least, and in so many parts at most.
constexpr std::size_t kBodiesOfUpload = std::size_t{1} << 17, kMostUploads = 3;

}  // namespace

// Buffers for a set of poses, of a frame before where there are any.
std::unique_ptr<DevicePoses> OpenClCollider::spare_poses() {
  std::unique_ptr<DevicePoses> poses;
  {
    const std::lock_guard lock(spare_mutex_);
    if (!spare_poses_.empty()) {
      poses = std::move(spare_poses_.back());
      spare_poses_.pop_back();
    }
  }
  return poses != nullptr ? std::move(poses) : std::make_unique<DevicePoses>(device_);
}

// Splits the poses into floats and sends them off on a queue. Touches nothing else that collide() uses.
std::unique_ptr<DevicePoses> OpenClCollider::begin_upload(const Poses& poses, const cl::CommandQueue& queue) {
  std::unique_ptr<DevicePoses> to;
  std::vector<cl::Event> before;
  {
    const DriverTurn turn(device_.driver());
    to = spare_poses();
    to->wait();
    to->uploads.clear();
    to->staging.resize(body_count_);
    to->records.resize(body_count_);
    if (to->last_use() != nullptr) before.push_back(std::exchange(to->last_use, {}));
  }
  // On a GPU one part is on its way while the next one is split.
  const std::size_t part =
      device_.info().is_gpu ? std::max(kBodiesOfUpload, (body_count_ + kMostUploads - 1) / kMostUploads) : body_count_;
  for (std::size_t first = 0; first < body_count_; first += part) {
    const std::span<PoseRecord> own = std::span(to->staging).subspan(first, std::min(part, body_count_ - first));
    parallel_for_ranges(own.size(), 4096, [&](IndexRange range) {
      write_device_poses(poses, first + range.begin(), writer_.half_spaces(), own.subspan(range.begin(), range.size()));
    });
    const DriverTurn turn(device_.driver());
    opencl::translate_errors("upload of poses", device_.info().name, [&] {
      cl::Event upload;
      queue.enqueueWriteBuffer(to->records.get(), CL_FALSE, first * sizeof(PoseRecord), own.size_bytes(), own.data(),
                               before.empty() ? nullptr : &before, &upload);
      to->uploads.push_back(std::move(upload));
      queue.flush();
    });
  }
  const DriverTurn turn(device_.driver());
  before.clear();
  return to;
}

Collider::StagedPoses OpenClCollider::stage(const Poses& poses) {
  auto staged = std::make_shared<StagedOnDevice>(device_.driver());
  staged->position.assign(poses.position.begin(), poses.position.end());
  staged->orientation.assign(poses.orientation.begin(), poses.orientation.end());
  if (body_count_ == 0) return staged;
  try {
    staged->device = begin_upload(poses, device_.transfer_queue());
  } catch (const opencl::OutOfDeviceMemory&) {
    // The frame at work has what there is: these poses go to the device when it is their turn.
  }
  return staged;
}

// Takes the poses that moved over into those of the frame before; false where memory is short.
bool OpenClCollider::move_poses(const FramePoses& given) {
  std::vector<MovedPose> moved;
  moved.reserve(given.moved.size());
  for (const std::uint32_t body : given.moved) moved.push_back({device_pose(given.poses, body, false), body, 0});
  try {
    pose_mover_.run(std::move(moved), *poses_, timer_);
    return true;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device) throw;
  }
  return false;
}

// What held the poses of the last frame may hold others.
void OpenClCollider::release_poses() {
  if (poses_ == nullptr) return;
  // Another thread may have them next, whose uploads have a queue of their own.
  if (std::exchange(poses_are_in_use_, false))
    opencl::translate_errors("poses of the frame before", device_.info().name, [&] {
      device_.queue().enqueueMarkerWithWaitList(nullptr, &poses_->last_use);
      device_.queue().flush();
    });
  const std::lock_guard lock(spare_mutex_);
  spare_poses_.push_back(std::move(poses_));
}

// Makes these the poses of the frame at work.
void OpenClCollider::use_poses(std::unique_ptr<DevicePoses> uploaded) {
  release_poses();
  poses_ = std::move(uploaded);
  for (const cl::Event& upload : poses_->uploads) timer_.record(Stage::upload, upload);
}

// Sends poses off and makes them those of the frame at work, in the place of the frame before.
void OpenClCollider::upload(const Poses& poses) {
  release_poses();
  try {
    use_poses(begin_upload(poses, device_.queue()));
    return;
  } catch (const opencl::OutOfDeviceMemory&) {
    free_frame_buffers();
  }
  use_poses(begin_upload(poses, device_.queue()));
}

// Brings poses and tree to these poses, by what little moved since they were last brought anywhere, where that is
// known.
void OpenClCollider::place_tree(const FramePoses& given) {
  BodyTree& tree = pipeline_.scene().tree;
  const auto is_half_space = [&](std::uint32_t body) { return writer_.is_half_space(body); };
  const std::uint64_t contacts_poses = std::exchange(last_poses_, 0), tree_poses = std::exchange(tree_poses_, 0);
  const bool is_consecutive = given.is_next && tree.is_built() && poses_ != nullptr && tree_poses != 0 &&
                              given.number == tree_poses + 1 &&
                              std::none_of(given.moved.begin(), given.moved.end(), is_half_space);
  positions_.set(given.poses);
  has_resident_poses_ = has_resident_tree_ = false;
  if (resident_ != nullptr) resident_->leave_frame();
  if (is_consecutive && given.moved.empty()) {
    // What is known of the last frame's contacts stays so.
    if (contacts_poses == tree_poses) last_poses_ = given.number;
  } else if (is_consecutive && move_poses(given)) {
    tree.move(given.moved, positions_, *poses_, timer_);
  } else {
    upload(given.poses);
    tree.build(positions_, *poses_, timer_);
  }
  tree_poses_ = given.number;
}

// Brings poses and tree to poses on the device; where none are given, to the last ones.
void OpenClCollider::place_resident(const ResidentPoses& given, const CompoundBodies* compounds, StageTimer& timer) {
  BodyTree& tree = pipeline_.scene().tree;
  last_poses_ = tree_poses_ = 0;
  if (given.position == nullptr && given.position_low == nullptr && given.orientation == nullptr) {
    if (!has_resident_poses_)
      throw Error(
          ErrorKind::invalid_input,
          "position is null, and no poses of a call before are on the device: the last one had others, or none");
    check_given_events(given.wait_list, given.wait_count, device_.context());
    device_.wait_for(given_events(given.wait_list, given.wait_count));
    if (!has_resident_tree_ || !tree.is_built()) resident(compounds).build_tree(*poses_, timer);
  } else {
    has_resident_poses_ = has_resident_tree_ = false;
    if (poses_ == nullptr) poses_ = spare_poses();
    poses_are_in_use_ = true;
    resident(compounds).place(given, *poses_, timer);
  }
  has_resident_poses_ = has_resident_tree_ = true;
}

}  // namespace oclide
