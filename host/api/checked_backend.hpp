// A Collider's own backend: chooses the device where that is left to it, checks each call against what is known of the
// scene, sees to bodies of several shapes, and hands on to the device's.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.hpp"
#include "devices/calibration.hpp"
#include "scene/body_rows.hpp"
#include "scene/tile_store.hpp"
#include "upload/compound_bodies.hpp"
#include "upload/part_poses.hpp"

namespace oclide {

class CheckedBackend final : public Collider::Backend {
 public:
  explicit CheckedBackend(const Settings& settings);
  CheckedBackend(const Settings& settings, std::unique_ptr<Collider::Backend> inner);
  [[nodiscard]] const DeviceInfo& device() const override { return device_; }
  [[nodiscard]] std::vector<BufferBytes> device_memory() const override;
  void set_scene(const Scene& scene, const Bodies& /*bodies*/, const SharedGeometry& /*geometry*/) override;
  std::vector<BodyHandle> apply(const BodyChanges& changes) override;
  [[nodiscard]] std::vector<BodyHandle> handles() const override;
  [[nodiscard]] std::size_t rows() const override { return has_scene_ ? rows_.count() : 0; }
  std::vector<std::size_t> apply(TileChanges&& changes) override;
  void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                    std::size_t cols, std::span<const std::uint8_t> holes) override;
  void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                       std::size_t cols, std::span<const std::uint8_t> material) override;
  void move_terrain(std::size_t terrain, std::array<double, 2> origin) override;
  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override;
  [[nodiscard]] FrameContacts collide(const FramePoses& given) override;
  [[nodiscard]] FrameContacts& update(const FramePoses& given) override;
  [[nodiscard]] FrameContacts take_frame() override;
  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override;
  [[nodiscard]] FrameContacts collide_staged(const Collider::StagedPoses& staged, const FramePoses& /*given*/) override;
  void cast(const FramePoses& given, const Rays& rays, RayHits& hits) override;
  void cast_at(const ResidentPoses& poses, const CompoundBodies* /*compounds*/, const Rays& rays,
               RayHits& hits) override;
  void cast_on_device(const CastInput& given, const CompoundBodies* /*compounds*/, DeviceHits& hits) override;
  void sweep(const FramePoses& given, const Motion& motion, std::span<const double> /*pivots*/,
             FrameImpacts& found) override;
  void sweep_on_device(const ResidentPoses& poses, const ResidentMotion& motion, const CompoundBodies* /*compounds*/,
                       DeviceImpacts& impacts) override;
  void overlap(const FramePoses& given, const QueryShapes& queries, const Compounds& /*compounds*/,
               Overlaps& found) override;
  void distance(const FramePoses& given, const QueryPoints& points, Distances& found) override;
  void collide_on_device(const ResidentPoses& poses, const CompoundBodies* /*compounds*/, DeviceFrame& frame) override;
  [[nodiscard]] FrameContacts to_host() override;
  void track(FrameContacts& frame) override { inner_->track(frame); }
  [[nodiscard]] std::span<UserSlot> user_slots() override;

 private:
  // One call at work, for as long as this lives. Throws where another one is.
  class Use {
   public:
    Use(std::atomic<bool>& busy, const char* call) : busy_(busy) {
      if (busy_.exchange(true, std::memory_order_acquire))
        throw Error(ErrorKind::invalid_input, std::string(call) + ": the Collider is used from two threads at once");
    }
    ~Use() { busy_.store(false, std::memory_order_release); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& busy_;
  };
  struct Choice {
    DeviceInfo device;
    std::optional<Calibration> calibration;
  };

  static double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  // A call that the device is asked in.
  [[nodiscard]] Use enter(std::atomic<bool>& busy, const char* call) const;
  void open(const DeviceInfo& device);
  // Opens the fastest for so many bodies of the devices that work.
  void choose(std::size_t bodies);
  [[nodiscard]] Collider::StagedPoses stage_parts(const Poses& poses) const;
  // Hits of parts, as the device has them, become those of bodies. The cast began at `start`.
  void finish(RayHits& hits, std::chrono::steady_clock::time_point start) const;
  // From contacts between parts, as the device has them, to those between bodies.
  void name(const FrameContacts& found, FrameContacts& named) const;
  // From hits of parts to those of bodies; returns how many there are.
  std::uint64_t name_hits(std::vector<Hit>& hits) const;
  // What is left to do of tracking when a frame's contacts have their names.
  void follow(FrameContacts& frame);
  // Poses as the device takes them, and checked where they have not been.
  FramePoses advance(const Poses& poses, bool checked = false);
  // The frame of contacts that the device has found; it began at `start`.
  FrameContacts finished(FrameContacts&& found, std::chrono::steady_clock::time_point start);
  // What the device cannot take leaves no scene.
  void set_ground(const GroundChange& change) override;
  [[nodiscard]] std::shared_ptr<const GroundNames> ground_names() override {
    const Use use = enter(busy_, "ground_names");
    return has_scene_ ? inner_->ground_names() : nullptr;
  }
  void set_ground_names(const GroundNames& names) override {
    const Use use = enter(busy_, "set_ground_names");
    if (has_scene_) inner_->set_ground_names(names);
  }
  void change_compounds(const Scene& scene);
  void need_scene(const char* call) const;

  Settings settings_;
  std::vector<Choice> choices_;  // usable OpenCL devices, where the device is to be chosen
  DeviceInfo device_;
  std::shared_ptr<Collider::Backend> inner_;  // of device_
  TileStore tiles_;
  std::size_t bodies_ = 0, environments_ = 0;  // 0 environments: any
  IndexedShapes shape_counts_;
  Compounds query_compounds_;
  std::vector<UserSlot> slots_, last_slots_;  // of the last frame's contacts, of the one before it
  std::optional<CompoundBodies> compounds_;   // where the scene has any: the device's bodies are their parts
  Bodies parts_;                              // as that one has them
  BodyRows rows_;
  SharedGeometry geometry_;
  std::vector<std::uint32_t> replaced_;  // rows with other bodies than in the last frame that was followed, ascending
  PoseHistory history_;                  // where there are none
  PartPoses part_poses_;                 // where there are
  FrameContacts named_;                  // of update(), where there are compounds
  std::uint64_t scene_number_ = 0;
  std::atomic<bool> has_scene_ = false;
  mutable std::atomic<bool> busy_ = false;  // with any call but stage()
  std::atomic<bool> staging_ = false;
};

}  // namespace oclide
