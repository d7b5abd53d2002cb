// The pipeline on an OpenCL device, top to bottom:
//   poses -> upload -> broad phase -> narrow phase -> contact reduction -> contacts
// once for bodies against terrain, once for bodies against bodies (pipeline/contact_pipeline.hpp). Every output is
// counted, its index found by a scan, then written: nothing has a fixed capacity. Which way a frame takes is said by a
// FramePlan.
//
// The scene is in opencl_collider.cpp; poses, frames and queries are in collider_*.cpp.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "contacts/frame_writer.hpp"
#include "device_scene/leaf_positions.hpp"
#include "opencl/device.hpp"
#include "opencl/driver_turn.hpp"
#include "opencl/process.hpp"
#include "opencl/stage_timer.hpp"
#include "opencl_backend.hpp"
#include "pipeline/contact_pipeline.hpp"
#include "queries/motion_sweep.hpp"
#include "queries/point_distance.hpp"
#include "queries/ray_cast.hpp"
#include "queries/resident_sweep.hpp"
#include "queries/shape_overlap.hpp"
#include "resident/resident_frames.hpp"
#include "tracking/frame_tracking.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

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
    const opencl::DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.update(terrain, first_row, first_col, rows, cols, heights);
  }
  void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                    std::size_t cols, std::span<const std::uint8_t> holes) override {
    const opencl::DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.update_holes(terrain, first_row, first_col, rows, cols, holes);
  }
  void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t /*rows*/,
                       std::size_t cols, std::span<const std::uint8_t> material) override {
    const opencl::DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.update_material(terrain, first_row, first_col, cols, material);
  }
  void move_terrain(std::size_t terrain, std::array<double, 2> origin) override {
    const opencl::DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.move(terrain, origin);
  }
  void set_ground(const GroundChange& change) override {
    const opencl::DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.set_ground(change);
  }
  [[nodiscard]] std::shared_ptr<const GroundNames> ground_names() override {
    const opencl::DriverTurn turn(device_.driver());
    return pipeline_.scene().terrain.names();
  }
  void set_ground_names(const GroundNames& names) override {
    const opencl::DriverTurn turn(device_.driver());
    last_poses_ = 0;
    pipeline_.scene().terrain.set_names(names);
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
      const opencl::DriverTurn turn(driver);
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
  void place_resident(const ResidentPoses& given, const CompoundBodies* compounds, opencl::StageTimer& timer);
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
  opencl::StageTimer timer_;
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

}  // namespace oclide
