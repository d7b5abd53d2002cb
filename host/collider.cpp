// The pipeline on an OpenCL device, top to bottom:
//   poses -> upload -> broad phase -> narrow phase -> contact reduction -> contacts
// once for bodies against terrain (terrain_contacts.cpp), once for bodies against bodies (body_contacts.cpp). Every
// output is counted, its place found by a scan, then written: nothing has a fixed capacity. When a frame does not fit
// in the device's memory it is worked through in slices, with the same result. Where few bodies have moved since the
// frame before, only what they take part in is found anew: all else would come out bit for bit as it was.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "frame/slice.hpp"
#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "opencl_backend.hpp"
#include "pipeline/body_contacts.hpp"
#include "pipeline/frame_writer.hpp"
#include "pipeline/terrain_contacts.hpp"
#include "resident/resident_frames.hpp"
#include "tracking/frame_tracking.hpp"
#include "upload/device_poses.hpp"

namespace oclide {
namespace {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

class OpenClCollider final : public Collider::Backend {
 public:
  /// `where`: as the constructors of opencl::Device.
  template <class... Where>
  explicit OpenClCollider(const Settings& settings, const Where&... where)
      : device_(settings, where...),
        work_(device_),
        terrain_(device_, static_cast<float>(settings.margin), work_),
        bodies_(device_, static_cast<float>(settings.margin), work_),
        pose_mover_(device_) {
    if (settings.track) tracking_.emplace(device_);
    timer_.set_on(device_.has_profiling());
  }

  [[nodiscard]] const DeviceInfo& device() const override { return device_.info(); }
  [[nodiscard]] std::vector<BufferBytes> device_memory() const override { return device_.memory_by_name(); }
  void set_scene(const Scene& scene, const Bodies& bodies) override;
  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override {
    last_poses_ = 0;
    terrain_.update_heights(terrain, first_row, first_col, rows, cols, heights);
  }
  [[nodiscard]] FrameContacts collide(const FramePoses& given) override;
  [[nodiscard]] FrameContacts& update(const FramePoses& given) override;
  [[nodiscard]] FrameContacts take_frame() override {
    frame_is_last_ = false;
    return std::exchange(frame_, {});
  }
  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override;
  [[nodiscard]] FrameContacts collide_staged(Collider::StagedPoses staged, const FramePoses& given) override;
  void track(FrameContacts& frame) override;
  void collide_on_device(const ResidentPoses& given, const CompoundBodies* compounds, DeviceFrame& frame) override;
  [[nodiscard]] FrameContacts to_host() override;

 private:
  struct StagedOnDevice final : Collider::Staged {
    std::unique_ptr<DevicePoses> device;
  };

  std::unique_ptr<DevicePoses> spare_poses();
  std::unique_ptr<DevicePoses> begin_upload(const Poses& poses, const cl::CommandQueue& queue);
  void find(const FramePoses& given, std::unique_ptr<DevicePoses> uploaded, FrameContacts& frame);
  void find_all(const Poses& poses, FrameCounts& counts);
  struct Found {
    bool terrain = false, bodies = false;
  };
  Found find_small(const Poses& poses, FrameCounts& counts);
  bool find_moved(const Poses& poses, std::span<const std::uint32_t> moved, bool uploaded, FrameCounts& counts);
  void release_poses();
  void use_poses(std::unique_ptr<DevicePoses> uploaded);
  void upload(const Poses& poses);
  void free_work_buffers();
  void free_frame_buffers();

  opencl::Device device_;
  WorkMemory work_;
  TerrainContacts terrain_;
  BodyContacts bodies_;
  std::size_t body_count_ = 0;
  StageTimer timer_;
  std::uint64_t last_poses_ = 0;  // number of those of the last frame; 0: not known
  FrameWriter writer_;
  FrameContacts frame_;         // of update()
  bool frame_is_last_ = false;  // it is what writer_ wrote last
  std::optional<FrameTracking> tracking_;
  PoseMover pose_mover_;
  std::unique_ptr<DevicePoses> poses_;        // of the frame at work
  bool poses_are_in_use_ = false;             // commands may read or write them for which nobody has waited
  std::unique_ptr<ResidentFrames> resident_;  // from the first collide_on_device() of a scene on
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<DevicePoses>> spare_poses_;
};

void OpenClCollider::set_scene(const Scene& scene, const Bodies& bodies) {
  // What the scene before needed may be more than this one leaves room for.
  free_frame_buffers();
  last_poses_ = 0;
  frame_ = {};
  if (tracking_) tracking_->forget();
  body_count_ = bodies.count();
  frame_is_last_ = false;
  writer_.set_scene(bodies);
  terrain_.set_scene(scene, bodies);
  bodies_.set_scene(bodies);
}

// Buffers for a set of poses, of a frame before where there are any.
std::unique_ptr<DevicePoses> OpenClCollider::spare_poses() {
  const std::lock_guard lock(spare_mutex_);
  if (spare_poses_.empty()) return std::make_unique<DevicePoses>(device_);
  std::unique_ptr<DevicePoses> poses = std::move(spare_poses_.back());
  spare_poses_.pop_back();
  return poses;
}

// Splits the poses into floats and sends them off on a queue. Touches nothing else that collide() uses.
std::unique_ptr<DevicePoses> OpenClCollider::begin_upload(const Poses& poses, const cl::CommandQueue& queue) {
  std::unique_ptr<DevicePoses> to = spare_poses();
  to->wait();
  to->staging.resize(body_count_);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, body_count_, 4096), [&](const auto& range) {
    write_device_poses(poses, range.begin(), writer_.half_spaces(),
                       std::span(to->staging).subspan(range.begin(), range.size()));
  });
  to->records.resize(body_count_);
  opencl::translate_errors("upload of poses", device_.info().name, [&] {
    std::vector<cl::Event> before;
    if (to->last_use() != nullptr) before.push_back(std::exchange(to->last_use, {}));
    queue.enqueueWriteBuffer(to->records.get(), CL_FALSE, 0, body_count_ * sizeof(PoseRecord), to->staging.data(),
                             before.empty() ? nullptr : &before, &to->upload);
    queue.flush();
  });
  return to;
}

FrameContacts OpenClCollider::collide(const FramePoses& given) {
  FrameContacts frame;
  find(given, nullptr, frame);
  return frame;
}

FrameContacts& OpenClCollider::update(const FramePoses& given) {
  find(given, nullptr, frame_);
  return frame_;
}

Collider::StagedPoses OpenClCollider::stage(const Poses& poses) {
  auto staged = std::make_shared<StagedOnDevice>();
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

FrameContacts OpenClCollider::collide_staged(Collider::StagedPoses staged, const FramePoses& given) {
  auto* on_device = dynamic_cast<StagedOnDevice*>(staged.get());
  FrameContacts frame;
  find(given, on_device == nullptr ? nullptr : std::move(on_device->device), frame);
  return frame;
}

// The contacts of one frame, whose poses may be on their way already.
void OpenClCollider::find(const FramePoses& given, std::unique_ptr<DevicePoses> uploaded, FrameContacts& frame) {
  const auto start = std::chrono::steady_clock::now();
  timer_.clear();
  FrameCounts counts;
  if (resident_ != nullptr) resident_->drop_frame();
  frame.moved_bodies = body_count_;
  const bool goes_on = std::exchange(frame_is_last_, false) && &frame == &frame_;
  const Poses& poses = given.poses;
  const bool follows = given.is_next && last_poses_ != 0 && given.number == last_poses_ + 1;
  last_poses_ = 0;
  const bool is_uploaded = uploaded != nullptr;
  if (is_uploaded) {
    use_poses(std::move(uploaded));
    // The kernels wait for these poses, not for what else the transfer queue may have by now.
    opencl::translate_errors("upload of poses", device_.info().name, [&] {
      const std::vector<cl::Event> staged{poses_->upload};
      device_.queue().enqueueBarrierWithWaitList(&staged);
    });
  }
  const bool few = follows && find_moved(poses, given.moved, is_uploaded, counts);
  if (few) {
    frame.moved_bodies = given.moved.size();
  } else if (body_count_ > 0) {
    if (!is_uploaded) upload(poses);
    counts = {};
    find_all(poses, counts);
  }
  if (few && goes_on)
    writer_.rewrite(poses, given.moved, terrain_, bodies_, frame);
  else
    writer_.write(poses, terrain_, bodies_, frame);
  last_poses_ = given.number;
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
  timer_.record(Stage::upload, poses_->upload);
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

// Gives back what the work on frames before has left on the device.
void OpenClCollider::free_work_buffers() {
  {
    const std::lock_guard lock(spare_mutex_);
    spare_poses_.clear();
  }
  terrain_.free_frame_buffers();
  bodies_.free_frame_buffers();
  if (tracking_) tracking_->free_buffers();
}

// The same, and those frames themselves.
void OpenClCollider::free_frame_buffers() {
  poses_.reset();
  resident_.reset();
  free_work_buffers();
}

void OpenClCollider::find_all(const Poses& poses, FrameCounts& counts) {
  // Where memory is short the two do not keep each other's buffers waiting.
  const auto memory_is_short = [&] { return device_.memory_used() > device_.memory_limit() / 2; };
  if (memory_is_short()) {
    bodies_.free_frame_buffers();
    if (tracking_) tracking_->free_buffers();
  }
  // Nor where one has no room in what the other leaves over.
  const auto with_room = [&](const auto& find) {
    const FrameCounts before = counts;
    try {
      return find();
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::device) throw;
    }
    counts = before;
    free_work_buffers();
    find();
  };
  Found found;
  if (body_count_ <= kSmallFrame && !memory_is_short()) found = find_small(poses, counts);
  if (!found.terrain) {
    terrain_.order_slots(poses);
    with_room([&] { terrain_.find(*poses_, counts, timer_); });
  }
  if (memory_is_short()) terrain_.free_frame_buffers();
  if (!found.bodies) with_room([&] { bodies_.find(poses, *poses_, counts, timer_); });
}

// A small frame that follows another: both halves go to the device together, and the host waits for it once in all.
// Says what was found so.
OpenClCollider::Found OpenClCollider::find_small(const Poses& poses, FrameCounts& counts) {
  Found found;
  try {
    opencl::Transfers transfers;
    found.terrain = terrain_.begin(*poses_, transfers, timer_);
    found.bodies = bodies_.begin(poses, *poses_, transfers, timer_);
    transfers.wait();
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device) throw;
    return {};  // in the usual way, in slices where need be
  }
  found.terrain = found.terrain && terrain_.complete(counts);
  found.bodies = found.bodies && bodies_.complete(counts);
  return found;
}

void OpenClCollider::track(FrameContacts& frame) {
  const auto start = std::chrono::steady_clock::now();
  const auto make_room = [&] {
    bodies_.free_frame_buffers();
    terrain_.free_frame_buffers();
  };
  timer_.clear();
  tracking_->follow(frame, make_room, timer_);
  frame.device_bytes = device_.memory_peak();
  frame.milliseconds.tracking = timer_.collect().tracking;
  frame.milliseconds.total +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Finds anew what moved bodies take part in; false where it has to be all.
bool OpenClCollider::find_moved(const Poses& poses, std::span<const std::uint32_t> moved, bool uploaded,
                                FrameCounts& counts) {
  const auto is_half_space = [&](std::uint32_t body) { return writer_.is_half_space(body); };
  if (poses_ == nullptr || !bodies_.can_find_moved() || std::any_of(moved.begin(), moved.end(), is_half_space))
    return false;
  try {
    if (!uploaded) {
      std::vector<MovedPose> moved_poses;
      moved_poses.reserve(moved.size());
      for (const std::uint32_t body : moved) moved_poses.push_back({device_pose(poses, body, false), body});
      pose_mover_.run(std::move(moved_poses), *poses_, timer_);
    }
    // Both halves go to the device together, and the host waits for it once in all, if there is room for what they
    // find.
    opencl::Transfers transfers;
    terrain_.move(moved, timer_);
    bodies_.move(moved, poses, *poses_, timer_);
    const bool terrain = terrain_.begin_moved(*poses_, transfers, timer_);
    const bool pairs = bodies_.begin_moved(transfers, timer_);
    opencl::translate_errors("contacts of moved bodies", device_.info().name, [&] { device_.queue().flush(); });
    bodies_.mark_moved();
    transfers.wait();
    if (!terrain || !terrain_.complete_moved(counts)) terrain_.find_moved(*poses_, counts, timer_);
    if (!pairs || !bodies_.complete_moved(counts)) bodies_.find_moved(counts, timer_);
    return true;
  } catch (const SliceTooLarge&) {
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device) throw;
  }
  return false;  // in slices, then
}

void OpenClCollider::collide_on_device(const ResidentPoses& given, const CompoundBodies* compounds,
                                       DeviceFrame& frame) {
  // What is known of the poses before is in host memory.
  last_poses_ = 0;
  const auto find_contacts = [&] {
    if (resident_ == nullptr)
      resident_ = std::make_unique<ResidentFrames>(device_, terrain_, bodies_, writer_.half_spaces(), compounds,
                                                   tracking_.has_value());
    if (poses_ == nullptr) poses_ = spare_poses();
    StageTimer untimed;
    untimed.set_on(false);
    poses_are_in_use_ = true;
    resident_->find(given, *poses_, frame, untimed);
  };
  try {
    find_contacts();
  } catch (const opencl::OutOfDeviceMemory&) {
    // With the room of the work on frames before.
    free_work_buffers();
    find_contacts();
  }
  // Tracking goes on from this frame.
  if (tracking_) {
    tracking_->forget();
    tracking_->free_buffers();
  }
}

FrameContacts OpenClCollider::to_host() {
  if (resident_ == nullptr) throw Error(ErrorKind::invalid_input, "to_host: there was no collide_on_device()");
  return resident_->to_host(*poses_);
}

}  // namespace

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const cl::Context& context,
                                                       const cl::CommandQueue& queue) {
  return std::make_unique<OpenClCollider>(settings, context, queue);
}

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const DeviceInfo& device) {
  return std::make_unique<OpenClCollider>(settings, device);
}

}  // namespace oclide
