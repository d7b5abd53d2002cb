// The pipeline on an OpenCL device, top to bottom:
//   poses -> upload -> broad phase -> narrow phase -> contact reduction -> contacts
// once for bodies against terrain, once for bodies against bodies (pipeline/contact_pipeline.hpp). Every output is
// counted, its place found by a scan, then written: nothing has a fixed capacity. Which way a frame takes is said by a
// FramePlan.
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "contacts/frame_writer.hpp"
#include "frame/frame_plan.hpp"
#include "frame/slice.hpp"
#include "opencl/device.hpp"
#include "opencl/process.hpp"
#include "opencl_backend.hpp"
#include "pipeline/contact_pipeline.hpp"
#include "queries/motion_sweep.hpp"
#include "queries/point_distance.hpp"
#include "queries/ray_cast.hpp"
#include "queries/resident_sweep.hpp"
#include "queries/shape_overlap.hpp"
#include "resident/given_memory.hpp"
#include "resident/resident_frames.hpp"
#include "threads/parallel_for.hpp"
#include "tracking/frame_tracking.hpp"
#include "upload/device_poses.hpp"

namespace oclide {
namespace {

using opencl::DriverPause;
using opencl::DriverTurn;
using opencl::Stage;
using opencl::StageTimer;

// A GPU gets poses in parts of so many bodies at least, and in so many parts at most.
constexpr std::size_t kBodiesOfUpload = std::size_t{1} << 17, kMostUploads = 3;

class OpenClCollider final : public Collider::Backend {
 public:
  /// `where`: as the constructors of opencl::Device.
  template <class... Where>
  explicit OpenClCollider(const Settings& settings, const Where&... where)
      : device_(settings, where...),
        pipeline_(device_, static_cast<float>(settings.margin),
                  [this](ContactPipeline::Shortage shortage) { give_back(shortage); }),
        pose_mover_(device_) {
    if (settings.track) tracking_.emplace(device_);
    timer_.set_on(device_.has_profiling());
  }

  [[nodiscard]] const DeviceInfo& device() const override { return device_.info(); }
  [[nodiscard]] std::vector<BufferBytes> device_memory() const override { return device_.memory_by_name(); }
  void set_scene(const Scene& scene, const Bodies& bodies, const SharedGeometry& geometry) override;
  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override {
    const DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.update(terrain, first_row, first_col, rows, cols, heights);
  }
  void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                    std::size_t cols, std::span<const std::uint8_t> holes) override {
    const DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.update_holes(terrain, first_row, first_col, rows, cols, holes);
  }
  void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t /*rows*/,
                       std::size_t cols, std::span<const std::uint8_t> material) override {
    const DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.update_material(terrain, first_row, first_col, cols, material);
  }
  void move_terrain(std::size_t terrain, std::array<double, 2> origin) override {
    const DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.move(terrain, origin);
  }
  void set_ground(const GroundChange& change) override {
    const DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.set_ground(change);
  }
  void change(const Scene& scene, const Bodies& bodies, const SharedGeometry& geometry,
              std::span<const std::uint32_t> rows, bool all) override;
  [[nodiscard]] FrameContacts collide(const FramePoses& given) override;
  [[nodiscard]] FrameContacts& update(const FramePoses& given) override;
  [[nodiscard]] FrameContacts take_frame() override {
    frame_is_last_ = false;
    return std::exchange(frame_, {});
  }
  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override;
  [[nodiscard]] FrameContacts collide_staged(const Collider::StagedPoses& staged, const FramePoses& given) override;
  void track(FrameContacts& frame) override;
  void cast(const FramePoses& given, const Rays& rays, RayHits& hits) override;
  void cast_at(const ResidentPoses& given, const CompoundBodies* compounds, const Rays& rays, RayHits& hits) override;
  void cast_on_device(const CastInput& given, const CompoundBodies* compounds, DeviceHits& hits) override;
  void sweep(const FramePoses& given, const Motion& motion, std::span<const double> pivots,
             FrameImpacts& found) override;
  void sweep_on_device(const ResidentPoses& given, const ResidentMotion& motion, const CompoundBodies* compounds,
                       DeviceImpacts& impacts) override;
  void overlap(const FramePoses& given, const QueryShapes& queries, const Compounds& compounds,
               Overlaps& found) override;
  void distance(const FramePoses& given, const QueryPoints& points, Distances& found) override;
  void collide_on_device(const ResidentPoses& given, const CompoundBodies* compounds, DeviceFrame& frame) override;
  [[nodiscard]] FrameContacts to_host() override;

 private:
  struct StagedOnDevice final : Collider::Staged {
    explicit StagedOnDevice(std::mutex& of_driver) : driver(of_driver) {}
    ~StagedOnDevice() override {
      if (opencl::is_forked()) (void)device.release();
      if (device == nullptr) return;
      const DriverTurn turn(driver);
      device.reset();
    }
    std::mutex& driver;
    std::unique_ptr<DevicePoses> device;
  };

  std::unique_ptr<DevicePoses> spare_poses();
  std::unique_ptr<DevicePoses> begin_upload(const Poses& poses, const cl::CommandQueue& queue);
  void compute(const FramePoses& given, std::unique_ptr<DevicePoses> uploaded, FrameContacts& frame);
  [[nodiscard]] bool can_update(const FramePoses& given) const;
  [[nodiscard]] bool move_poses(const FramePoses& given);
  void place_tree(const FramePoses& given);
  void place_resident(const ResidentPoses& given, const CompoundBodies* compounds, StageTimer& timer);
  template <class Query>
  void with_room(Query&& query);
  void finish_cast(RayHits& hits);
  RayCast& ray_cast();
  MotionSweep& motion_sweep();
  ResidentFrames& resident(const CompoundBodies* compounds);
  void free_for_queries();
  void release_poses();
  void use_poses(std::unique_ptr<DevicePoses> uploaded);
  void upload(const Poses& poses);
  void give_back(ContactPipeline::Shortage shortage);
  void free_frame_buffers();

  opencl::Device device_;
  ContactPipeline pipeline_;
  HostLeafPositions positions_;
  std::size_t body_count_ = 0;
  StageTimer timer_;
  std::uint64_t last_poses_ = 0;                   // number of those of the last frame; 0: not known
  std::uint64_t tree_poses_ = 0;                   // number of those that the tree and poses_ have; 0: not known
  std::vector<std::int32_t> environment_terrain_;  // of the scene
  std::unique_ptr<RayCast> rays_;                  // from the first cast() on
  std::unique_ptr<MotionSweep> sweeps_;            // from the first sweep() on
  std::unique_ptr<ResidentSweep> resident_sweeps_;
  std::unique_ptr<ShapeOverlap> overlaps_;    // from the first overlap() on
  std::unique_ptr<PointDistance> distances_;  // from the first distance() on
  FrameWriter writer_;
  FrameContacts frame_;         // of update()
  bool frame_is_last_ = false;  // it is what writer_ wrote last
  std::optional<FrameTracking> tracking_;
  PoseMover pose_mover_;
  std::unique_ptr<DevicePoses> poses_;        // of the frame at work
  bool poses_are_in_use_ = false;             // commands may read or write them for which nobody has waited
  std::unique_ptr<ResidentFrames> resident_;  // from the first frame or cast on the device of a scene on
  bool has_resident_poses_ = false;           // poses_ are those that an application had on the device last
  bool has_resident_tree_ = false;            // and so has the tree
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<DevicePoses>> spare_poses_;
};

void OpenClCollider::set_scene(const Scene& scene, const Bodies& bodies, const SharedGeometry& geometry) {
  const DriverTurn turn(device_.driver());
  // What the scene before needed may be more than this one leaves room for.
  free_frame_buffers();
  if (sweeps_ != nullptr) sweeps_->free();
  if (resident_sweeps_ != nullptr) resident_sweeps_->free();
  if (rays_ != nullptr) rays_->free();
  if (overlaps_ != nullptr) overlaps_->free();
  if (distances_ != nullptr) distances_->free();
  environment_terrain_ = scene.environment_terrain;
  last_poses_ = tree_poses_ = 0;
  frame_ = {};
  if (tracking_) tracking_->forget();
  body_count_ = bodies.count();
  frame_is_last_ = false;
  writer_.set_scene(bodies);
  positions_.forget();
  pipeline_.set_scene(scene, bodies, *geometry);
}

void OpenClCollider::change(const Scene& scene, const Bodies& bodies, const SharedGeometry& geometry,
                            std::span<const std::uint32_t> rows, bool all) {
  const DriverTurn turn(device_.driver());
  if (resident_ != nullptr) {
    // It knows the bodies, and the leaves may be in its order.
    resident_.reset();
    has_resident_poses_ = has_resident_tree_ = false;
    pipeline_.scene().tree.free();
    last_poses_ = tree_poses_ = 0;
  }
  body_count_ = bodies.count();
  try {
    if (pipeline_.change(scene, bodies, *geometry, rows, all)) {
      writer_.change(bodies, rows);
      return;
    }
  } catch (...) {
    last_poses_ = tree_poses_ = 0;
    throw;
  }
  last_poses_ = tree_poses_ = 0;
  frame_is_last_ = false;
  writer_.set_scene(bodies);
  positions_.grow(body_count_);
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

FrameContacts OpenClCollider::collide(const FramePoses& given) {
  FrameContacts frame;
  compute(given, nullptr, frame);
  return frame;
}

FrameContacts& OpenClCollider::update(const FramePoses& given) {
  compute(given, nullptr, frame_);
  return frame_;
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

FrameContacts OpenClCollider::collide_staged(const Collider::StagedPoses& staged, const FramePoses& given) {
  auto* on_device = dynamic_cast<StagedOnDevice*>(staged.get());
  FrameContacts frame;
  compute(given, on_device == nullptr ? nullptr : std::move(on_device->device), frame);
  return frame;
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

// Whether these poses are consecutive to those of the last frame, which is all that is needed of it but what moved.
bool OpenClCollider::can_update(const FramePoses& given) const {
  const auto is_half_space = [&](std::uint32_t body) { return writer_.is_half_space(body); };
  return given.is_next && last_poses_ != 0 && given.number == last_poses_ + 1 && poses_ != nullptr &&
         pipeline_.can_update() && std::none_of(given.moved.begin(), given.moved.end(), is_half_space);
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

// What may go where memory is short, beside what the pipeline has.
void OpenClCollider::give_back(ContactPipeline::Shortage shortage) {
  if (tracking_) tracking_->free_buffers();
  if (resident_ != nullptr) resident_->free_frame();
  if (shortage == ContactPipeline::Shortage::near) return;
  const std::lock_guard lock(spare_mutex_);
  spare_poses_.clear();
}

// Gives back what the work on frames before has left on the device, and those frames themselves.
void OpenClCollider::free_frame_buffers() {
  poses_.reset();
  resident_.reset();
  has_resident_poses_ = has_resident_tree_ = false;
  pipeline_.free_frame_buffers();
  give_back(ContactPipeline::Shortage::met);
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

// Brings poses and tree to these poses, by what little moved since they were last brought anywhere, where that is
// known.
void OpenClCollider::place_tree(const FramePoses& given) {
  BodyTree& tree = pipeline_.scene().tree;
  const auto is_half_space = [&](std::uint32_t body) { return writer_.is_half_space(body); };
  const std::uint64_t contacts_poses = std::exchange(last_poses_, 0), tree_poses = std::exchange(tree_poses_, 0);
  const bool follows = given.is_next && tree.is_built() && poses_ != nullptr && tree_poses != 0 &&
                       given.number == tree_poses + 1 &&
                       std::none_of(given.moved.begin(), given.moved.end(), is_half_space);
  positions_.set(given.poses);
  has_resident_poses_ = has_resident_tree_ = false;
  if (resident_ != nullptr) resident_->leave_frame();
  if (follows && given.moved.empty()) {
    // What is known of the last frame's contacts stays so.
    if (contacts_poses == tree_poses) last_poses_ = given.number;
  } else if (follows && move_poses(given)) {
    tree.move(given.moved, positions_, *poses_, timer_);
  } else {
    upload(given.poses);
    tree.build(positions_, *poses_, timer_);
  }
  tree_poses_ = given.number;
}

// Gives back what frames and queries have left on the device.
void OpenClCollider::free_for_queries() {
  last_poses_ = tree_poses_ = 0;
  free_frame_buffers();
  if (rays_ != nullptr) rays_->free();
  if (sweeps_ != nullptr) sweeps_->free();
  if (resident_sweeps_ != nullptr) resident_sweeps_->free();
  if (overlaps_ != nullptr) overlaps_->free();
  if (distances_ != nullptr) distances_->free();
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

RayCast& OpenClCollider::ray_cast() {
  if (rays_ == nullptr) rays_ = std::make_unique<RayCast>(device_, pipeline_.scene(), environment_terrain_);
  return *rays_;
}

MotionSweep& OpenClCollider::motion_sweep() {
  if (sweeps_ == nullptr) sweeps_ = std::make_unique<MotionSweep>(device_, pipeline_.scene());
  return *sweeps_;
}

ResidentFrames& OpenClCollider::resident(const CompoundBodies* compounds) {
  if (resident_ == nullptr)
    resident_ = std::make_unique<ResidentFrames>(device_, pipeline_, writer_.half_spaces(), writer_.meshes(),
                                                 writer_.sensors(), compounds, tracking_.has_value());
  return *resident_;
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

}  // namespace

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const cl::Context& context,
                                                       const cl::CommandQueue& queue) {
  return std::make_unique<OpenClCollider>(settings, context, queue);
}

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const DeviceInfo& device) {
  return std::make_unique<OpenClCollider>(settings, device);
}

}  // namespace oclide
