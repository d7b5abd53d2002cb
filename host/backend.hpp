// The one thing a device must do for a Collider. Implemented by OpenClCollider (host/collider) and ReferenceCollider
// (host/reference/reference_collider.cpp); neither knows the other.
#pragma once

#include "frame/frame_poses.hpp"
#include "oclide/oclide.hpp"
#include "scene/ground_names.hpp"
#include "scene/tile_store.hpp"
#include "shapes/scene_geometry.hpp"
#include "upload/query_parts.hpp"

namespace oclide {

class CompoundBodies;
struct ResidentPoses;
struct ResidentRays;
struct DeviceFrame;
struct DeviceHits;
struct ResidentMotion;
struct DeviceImpacts;

/// Poses and rays of a cast, each in host memory or on the device: the other pointer of the two is null.
struct CastInput {
  const FramePoses* poses = nullptr;
  const ResidentPoses* resident_poses = nullptr;
  const Rays* rays = nullptr;
  const ResidentRays* resident_rays = nullptr;
};

/// What a backend keeps of staged poses; one with memory on a device derives from it.
struct Collider::Staged {
  virtual ~Staged() = default;
  std::vector<double> position, orientation;
  std::shared_ptr<Backend> backend;  ///< that staged them, and lives as long as what they have on its device
  std::uint64_t scene = 0;           ///< number of the scene that was set when they were staged
  bool is_used = false;
  [[nodiscard]] Poses poses() const { return {position, orientation}; }
};

/// Of all grounds of the scene that is set; null where none keeps its names.
[[nodiscard]] std::shared_ptr<const GroundNames> ground_names(Collider& collider);
/// Of a Collider on the same device, whose grounds were those that this one has now. Others are left alone.
void set_ground_names(Collider& collider, const GroundNames& names);

class Collider::Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
  /// What it holds on its device now.
  [[nodiscard]] virtual std::vector<BufferBytes> device_memory() const { return {}; }
  /// `scene` has passed check(); its bodies, or the parts of those, are `bodies`. A device's backend has no compound
  /// bodies among them, and copies what it needs. `geometry` is that of the scene.
  virtual void set_scene(const Scene& scene, const Bodies& bodies, const SharedGeometry& geometry) = 0;
  /// The bodies of `rows`, ascending, have changed, and there may be more than before; or any of them (`all`). What
  /// there is has been checked; rows without a body have kInactive. Of `scene` terrains count, without their arrays,
  /// and environments. Frames after it follow those before.
  virtual void change(const Scene& /*scene*/, const Bodies& /*bodies*/, const SharedGeometry& /*geometry*/,
                      std::span<const std::uint32_t> /*rows*/, bool /*all*/) {}
  /// Ranges have been checked against the scene.
  virtual void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                            std::size_t cols, std::span<const std::uint8_t> holes) = 0;
  virtual void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                               std::size_t cols, std::span<const std::uint8_t> material) = 0;
  virtual void move_terrain(std::size_t terrain, std::array<double, 2> origin) = 0;
  /// The tiles of a ground have become others; what is above is then of no tile. Frames after it follow those before.
  virtual void set_ground(const GroundChange& /*change*/) {}
  [[nodiscard]] virtual std::shared_ptr<const GroundNames> ground_names() { return nullptr; }
  virtual void set_ground_names(const GroundNames& /*names*/) {}
  /// As Collider::change_tiles(), of the one that every Collider has.
  virtual std::vector<std::size_t> apply(TileChanges&& /*changes*/) { return {}; }
  /// As Collider::change(), handles() and rows(), of the one that every Collider has.
  virtual std::vector<BodyHandle> apply(const BodyChanges& /*changes*/) { return {}; }
  [[nodiscard]] virtual std::vector<BodyHandle> handles() const { return {}; }
  [[nodiscard]] virtual std::size_t rows() const { return 0; }
  virtual void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                              std::size_t cols, std::span<const double> heights) = 0;
  /// Poses have been checked; orientations may have any non-zero length and are normalised here in double.
  [[nodiscard]] virtual FrameContacts collide(const FramePoses& given) = 0;
  /// As collide(), into memory of the backend's own. The caller leaves the contacts as they are: the next frame may
  /// build on them.
  [[nodiscard]] virtual FrameContacts& update(const FramePoses& given) = 0;
  /// Moves out what update() returned last.
  [[nodiscard]] virtual FrameContacts take_frame() = 0;
  /// As Collider::cast(), with `bodies` as set_scene() had them: no compounds. Poses and rays have been checked. `hits`
  /// is empty.
  virtual void cast(const FramePoses& given, const Rays& rays, RayHits& hits) = 0;
  /// As Collider::sweep(), with `bodies` as set_scene() had them: no compounds. Poses and motion have been checked; the
  /// arrays of the motion are both there. `pivots`: 3 * n positions that the bodies turn about [m], their own where
  /// there are none. `found` is empty; impacts may be in any order, and several of a pair.
  virtual void sweep(const FramePoses& given, const Motion& motion, std::span<const double> pivots,
                     FrameImpacts& found) = 0;
  /// As Collider::overlap(), with `bodies` as set_scene() had them: no compounds. Those among the queries are of
  /// `compounds`. Poses and queries have been checked. `found` is empty.
  virtual void overlap(const FramePoses& given, const QueryShapes& queries, const Compounds& compounds,
                       Overlaps& found) = 0;
  /// As Collider::distance(), with `bodies` as set_scene() had them: no compounds. Poses and points have been checked.
  /// `found` is empty.
  virtual void distance(const FramePoses& given, const QueryPoints& points, Distances& found) = 0;
  /// oclide/opencl.hpp: a frame whose poses and contacts stay on the device. The number of bodies has not been checked.
  /// `compounds`, where the bodies of the scene are parts: poses and contacts are those of the bodies that these are
  /// of. The same for all frames of a scene.
  virtual void collide_on_device(const ResidentPoses&, const CompoundBodies* /*compounds*/, DeviceFrame&) {
    throw Error(ErrorKind::invalid_input, "collide_on_device: the CPU reference has no memory on a device");
  }
  /// oclide/opencl.hpp: hits that stay on the device. Poses and rays in host memory have been checked. `compounds` as
  /// of collide_on_device(): hits are of the bodies, but poses in host memory those of their parts.
  virtual void cast_on_device(const CastInput&, const CompoundBodies* /*compounds*/, DeviceHits&) {
    throw Error(ErrorKind::invalid_input, "cast_on_device: the CPU reference has no memory on a device");
  }
  /// oclide/opencl.hpp: cast() of parts at poses of bodies that are on the device. Rays have been checked.
  virtual void cast_at(const ResidentPoses&, const CompoundBodies* /*compounds*/, const Rays&, RayHits&) {
    throw Error(ErrorKind::invalid_input, "cast: the CPU reference has no memory on a device");
  }
  /// oclide/opencl.hpp: impacts that stay on the device. `compounds` as of collide_on_device(). Throws UntoldSweep
  /// (scene/scene_check.hpp), as sweep() does.
  virtual void sweep_on_device(const ResidentPoses&, const ResidentMotion&, const CompoundBodies* /*compounds*/,
                               DeviceImpacts&) {
    throw Error(ErrorKind::invalid_input, "sweep_on_device: the CPU reference has no memory on a device");
  }
  [[nodiscard]] virtual FrameContacts to_host() {
    throw Error(ErrorKind::invalid_input, "to_host: the CPU reference has no memory on a device");
  }
  /// Poses have been checked. May run beside collide() on another thread.
  [[nodiscard]] virtual StagedPoses stage(const Poses& poses) {
    auto staged = std::make_shared<Staged>();
    staged->position.assign(poses.position.begin(), poses.position.end());
    staged->orientation.assign(poses.orientation.begin(), poses.orientation.end());
    return staged;
  }
  /// `staged` comes from stage() of this backend; the poses are the same.
  [[nodiscard]] virtual FrameContacts collide_staged(const StagedPoses& /*staged*/, const FramePoses& given) {
    return collide(given);
  }

  /// With Settings::track: sets events and previous contacts of the frame, in their order by now, from those of the
  /// last one since set_scene() that did not fail; it is the last one then.
  virtual void track(FrameContacts& frame) = 0;
  /// As Collider::user_slots().
  [[nodiscard]] virtual std::span<UserSlot> user_slots() { return {}; }
};

/// Opens the OpenCL device with this index among devices().
std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const DeviceInfo& device);
/// The double-precision CPU reference.
std::unique_ptr<Collider::Backend> make_reference_backend(const Settings& settings);
/// What every Collider has: checks each call and hands on to `inner`, which has been opened with these settings.
std::unique_ptr<Collider::Backend> make_checked_backend(const Settings& settings,
                                                        std::unique_ptr<Collider::Backend> inner);

}  // namespace oclide
