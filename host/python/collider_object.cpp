// oclide.Collider and oclide.Validator. The GIL is released while the library works.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "device_arrays.hpp"
#include "frame.hpp"
#include "impacts.hpp"
#include "objects.hpp"
#include "oclide/validation.hpp"
#include "queries.hpp"
#include "ray_hits.hpp"
#include "scene/unused_terrains.hpp"

namespace oclide::python {
namespace {

// One call at work, for as long as this lives. Throws where another thread's is.
class Use {
 public:
  Use(std::atomic<bool>& busy, const char* object, const char* call) : busy_(busy) {
    if (busy_.exchange(true))
      throw Error(ErrorKind::invalid_input,
                  std::string(call) + ": the " + object + " is used from two threads at once");
  }
  ~Use() { busy_.store(false); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic<bool>& busy_;
};

// A number of Python's that counts from zero.
std::size_t index(std::int64_t value, const char* name) {
  if (value < 0) throw Error(ErrorKind::invalid_input, std::string(name) + " is " + std::to_string(value));
  return static_cast<std::size_t>(value);
}

// A part of a terrain with new heights, for a Collider or a Validator.
template <class Owner>
void update_heights_of(Owner& owner, std::int64_t terrain, std::int64_t first_row, std::int64_t first_col,
                       const ArrayLike& object) {
  const Array<double> heights = to_heights(object.object, "heights");
  const std::size_t k = index(terrain, "terrain"), i = index(first_row, "first_row"), j = index(first_col, "first_col");
  const nb::gil_scoped_release release;
  owner.update_heights(k, i, j, heights.shape(0), heights.shape(1), values_of(heights));
}

template <class Owner>
void update_cells_of(Owner& owner, bool of_holes, std::int64_t terrain, std::int64_t first_row, std::int64_t first_col,
                     const ArrayLike& object) {
  const auto values = to_array<std::uint8_t>(object.object, of_holes ? "holes" : "material", {kAny, kAny});
  const std::size_t k = index(terrain, "terrain"), i = index(first_row, "first_row"), j = index(first_col, "first_col");
  const nb::gil_scoped_release release;
  if (of_holes)
    owner.update_holes(k, i, j, values.shape(0), values.shape(1), values_of(values));
  else
    owner.update_material(k, i, j, values.shape(0), values.shape(1), values_of(values));
}

template <class Owner>
void move_terrain_of(Owner& owner, std::int64_t terrain, const ArrayLike& origin) {
  const auto numbers = to_array<double>(origin.object, "origin", {2});
  const std::size_t k = index(terrain, "terrain");
  const nb::gil_scoped_release release;
  owner.move_terrain(k, {numbers.data()[0], numbers.data()[1]});
}

template <class Owner>
std::vector<std::size_t> change_tiles_of(Owner& owner, std::int64_t ground, const nb::object& removed,
                                         const nb::object& added) {
  TileChanges changes;
  changes.ground = index(ground, "ground");
  const auto gone = to_array<std::uint32_t>(nb::list(removed), "removed", {kAny});
  changes.removed.assign(gone.data(), gone.data() + gone.size());
  for (const nb::handle tile : added)
    changes.added.push_back(to_terrain(tile, "added/" + std::to_string(changes.added.size())));
  const nb::gil_scoped_release release;
  return owner.change_tiles(std::move(changes));
}

// Handles as an array of its own: shape (k, 2).
Typed<Uint32Tag> as_array(const std::vector<BodyHandle>& handles) {
  std::vector<std::array<std::uint32_t, 2>> rows;
  rows.reserve(handles.size());
  for (const BodyHandle& handle : handles) rows.push_back({handle.row, handle.generation});
  const std::size_t count = rows.size();
  return {take_vector<std::uint32_t>(std::move(rows), {count, 2})};
}

BodyChanges to_changes(const OptionalArrayLike& removed, const OptionalArrayLike& changed,
                       const OptionalBodiesLike& become, const OptionalBodiesLike& added,
                       const OptionalArrayLike& allowed, const OptionalArrayLike& excluded) {
  const auto handles_of = [](const OptionalArrayLike& object, const char* name) {
    std::vector<BodyHandle> handles;
    if (object.object.is_none()) return handles;
    const auto numbers = to_array<std::uint32_t>(object.object, name, {kAny, 2});
    for (std::size_t k = 0; k < numbers.shape(0); ++k)
      handles.push_back({numbers.data()[2 * k], numbers.data()[2 * k + 1]});
    return handles;
  };
  const auto pairs_of = [](const OptionalArrayLike& object, const char* name) {
    std::vector<std::array<BodyHandle, 2>> pairs;
    if (object.object.is_none()) return pairs;
    const auto numbers = to_array<std::uint32_t>(object.object, name, {kAny, 2, 2});
    for (std::size_t k = 0; k < numbers.shape(0); ++k) {
      const std::uint32_t* const of_pair = numbers.data() + 4 * k;
      pairs.push_back({BodyHandle{of_pair[0], of_pair[1]}, BodyHandle{of_pair[2], of_pair[3]}});
    }
    return pairs;
  };
  return {handles_of(removed, "removed"), handles_of(changed, "changed"), to_bodies(become, "become"),
          to_bodies(added, "added"),      pairs_of(allowed, "allowed"),   pairs_of(excluded, "excluded")};
}

// Poses on their way to the device.
struct Staged {
  Collider::StagedPoses poses;
};

// A Collider whose results stay valid. What it hands out of its own memory:
// * the contacts of update(): before it uses them again they are moved out of it where anything still looks at them;
// * user slots: Python has an array of its own, which is copied back before the next frame begins;
// * buffers on the device, which know whether they have been filled anew since.
class ColliderObject {
 public:
  ColliderObject(Collider&& collider, SharedQueue queue, SharedCallback on_compile)
      : on_compile_(std::move(on_compile)), collider_(std::move(collider)), source_(std::make_shared<DeviceSource>()) {
    source_->queue = std::move(queue);
    source_->device = collider_.device().name;
  }
  ~ColliderObject() {
    end_frame();
    end_query();
    try {
      give_up_frame();
    } catch (const Error&) {
      // In a process that was forked while a thread was at work, where the frame's memory is not given back.
    }
  }
  ColliderObject(const ColliderObject&) = delete;
  ColliderObject& operator=(const ColliderObject&) = delete;

  DeviceInfo device() {
    const Use use = begin("device");
    return collider_.device();
  }

  nb::dict device_memory() {
    const Use use = begin("device_memory");
    nb::dict bytes;
    for (const BufferBytes& buffer : collider_.device_memory()) bytes[buffer.name.c_str()] = buffer.bytes;
    return bytes;
  }

  void set_scene(const SceneLike& object) {
    const Use use = begin("set_scene");
    const Scene scene = to_scene(object);
    {
      const nb::gil_scoped_release release;
      check(scene);  // what it refuses leaves the scene before with its frame and slots
    }
    warn_of_unused(scene, 1);
    give_up_frame();
    slots_.reset();
    end_frame();
    end_query();
    const nb::gil_scoped_release release;
    collider_.set_scene(scene);
  }

  void update_heights(std::int64_t terrain, std::int64_t first_row, std::int64_t first_col, const ArrayLike& object) {
    const Use use = begin("update_heights");
    update_heights_of(collider_, terrain, first_row, first_col, object);
  }

  void update_holes(std::int64_t terrain, std::int64_t first_row, std::int64_t first_col, const ArrayLike& holes) {
    const Use use = begin("update_holes");
    update_cells_of(collider_, true, terrain, first_row, first_col, holes);
  }
  void update_material(std::int64_t terrain, std::int64_t first_row, std::int64_t first_col,
                       const ArrayLike& material) {
    const Use use = begin("update_material");
    update_cells_of(collider_, false, terrain, first_row, first_col, material);
  }
  void move_terrain(std::int64_t terrain, const ArrayLike& origin) {
    const Use use = begin("move_terrain");
    move_terrain_of(collider_, terrain, origin);
  }
  std::vector<std::size_t> change_tiles(std::int64_t ground, const nb::object& removed, const nb::object& added) {
    const Use use = begin("change_tiles");
    return change_tiles_of(collider_, ground, removed, added);
  }

  Typed<Uint32Tag> change(const OptionalArrayLike& removed, const OptionalArrayLike& changed,
                          const OptionalBodiesLike& become, const OptionalBodiesLike& added,
                          const OptionalArrayLike& allowed, const OptionalArrayLike& excluded) {
    const Use use = begin("change");
    const BodyChanges changes = to_changes(removed, changed, become, added, allowed, excluded);
    end_frame();
    end_query();
    std::vector<BodyHandle> handles;
    {
      const nb::gil_scoped_release release;
      handles = collider_.change(changes);
    }
    return as_array(handles);
  }
  Typed<Uint32Tag> handles() {
    const Use use = begin("handles");
    return as_array(collider_.handles());
  }
  std::size_t rows() {
    const Use use = begin("rows");
    return collider_.rows();
  }

  Frame collide(const ArrayLike& position, const ArrayLike& orientation) {
    const Use use = begin("collide");
    const PoseArrays arrays(position, orientation);
    take_slots_back();
    end_frame();
    Frame frame{std::make_shared<FrameMemory>()};
    const nb::gil_scoped_release release;
    frame.memory->own = collider_.collide(arrays.poses());
    return frame;
  }

  Frame update(const ArrayLike& position, const ArrayLike& orientation) {
    const Use use = begin("update");
    const PoseArrays arrays(position, orientation);
    take_slots_back();
    give_up_frame();
    end_frame();
    Frame frame{std::make_shared<FrameMemory>()};
    {
      const nb::gil_scoped_release release;
      frame.memory->at = &collider_.update(arrays.poses());
    }
    lent_ = frame.memory;
    return frame;
  }

  // For Python's collector of cycles: a function may refer to the collider that calls it.
  [[nodiscard]] const SharedCallback& on_compile() const { return on_compile_; }

  // Beside a frame at work.
  Staged stage(const ArrayLike& position, const ArrayLike& orientation) {
    const PoseArrays arrays(position, orientation);
    const nb::gil_scoped_release release;
    return {collider_.stage(arrays.poses())};
  }

  Frame collide_staged(const Staged& staged) {
    const Use use = begin("collide_staged");
    take_slots_back();
    end_frame();
    Frame frame{std::make_shared<FrameMemory>()};
    const nb::gil_scoped_release release;
    frame.memory->own = collider_.collide_staged(staged.poses);
    return frame;
  }

  HitArrays cast(const ArrayLike& position, const ArrayLike& orientation, const ArrayLike& origin,
                 const ArrayLike& direction, const OptionalArrayLike& length, const OptionalArrayLike& environment,
                 const OptionalArrayLike& mask) {
    const Use use = begin("cast");
    const RayArrays rays(origin, direction, length, environment, mask);
    HitArrays hits{std::make_shared<RayHits>(), rays.shape()};
    if (is_on_device(position.object)) {
      need_queue("cast");
      const ResidentPoses at =
          resident_poses({position.object}, {nb::none()}, {orientation.object}, collider_.rows(), {});
      end_query();
      const nb::gil_scoped_release release;
      *hits.found = oclide::cast(collider_, at, rays.rays());
      return hits;
    }
    const PoseArrays poses(position, orientation);
    end_query();
    const nb::gil_scoped_release release;
    *hits.found = collider_.cast(poses.poses(), rays.rays());
    return hits;
  }

  DeviceFrameObject collide_on_device(const DeviceLike& position, const DeviceLike& orientation,
                                      const DeviceLike& position_low, const EventsLike& wait_for) {
    const Use use = begin("collide_on_device");
    need_queue("collide_on_device");
    const DeviceEvents events(wait_for);
    const std::size_t rows = collider_.rows();
    const ResidentPoses poses = resident_poses(position, position_low, orientation, rows, events);
    end_frame();
    DeviceFrameObject found{{}, nullptr, rows, nullptr, {source_, &DeviceSource::frames, source_->frames.load()}};
    {
      const nb::gil_scoped_release release;
      found.frame = oclide::collide_on_device(collider_, poses);
      const DeviceFrame& f = found.frame;
      found.memory = kept_memory({f.contacts, f.manifolds, f.contact_offsets, f.manifold_offsets, f.counts, f.events,
                                  f.previous, f.user_slots});
      found.ready = shared_event(f.ready);
    }
    kept_frame_ = found.memory;
    slots_.reset();  // what is refused leaves the frame before in host memory with its slots
    return found;
  }

  Frame to_host() {
    const Use use = begin("to_host");
    Frame frame{std::make_shared<FrameMemory>()};
    const nb::gil_scoped_release release;
    frame.memory->own = oclide::to_host(collider_);
    return frame;
  }

  DeviceHitsObject cast_on_device(const DeviceLike& position, const DeviceLike& orientation, const DeviceLike& origin,
                                  const DeviceLike& direction, const DeviceLike& length, const DeviceLike& environment,
                                  const DeviceLike& mask, const DeviceLike& position_low, const DeviceLike& origin_low,
                                  const OptionalCount& count, const EventsLike& wait_for) {
    const Use use = begin("cast_on_device");
    need_queue("cast_on_device");
    const DeviceEvents events(wait_for);
    DeviceHitsObject found{{}, nullptr, nb::tuple(), nullptr, {source_, &DeviceSource::queries, 0}};
    const auto cast = [&](const auto& poses, const auto& rays) {
      end_query();
      found.age.number = source_->queries.load();
      const nb::gil_scoped_release release;
      found.hits = oclide::cast_on_device(collider_, poses, rays);
      kept_query_ = found.memory = kept_memory({found.hits.hits});
      found.ready = shared_event(found.hits.ready);
    };
    const auto cast_from = [&](const auto& poses) {
      if (is_on_device(origin.object))
        return cast(poses, resident_rays(origin, origin_low, direction, length, environment, mask, count, events));
      need_none(origin_low.object, "origin_low", "origin");
      need_none(count.object, "count", "origin");
      const RayArrays rays({origin.object}, {direction.object}, {length.object}, {environment.object}, {mask.object});
      found.shape = rays.shape();
      cast(poses, rays.rays());
    };
    if (position.object.is_none() || is_on_device(position.object)) {
      cast_from(resident_poses(position, position_low, orientation, collider_.rows(), events));
    } else {
      need_none(position_low.object, "position_low", "position");
      const PoseArrays poses({position.object}, {orientation.object});
      cast_from(poses.poses());
    }
    return found;
  }

  DeviceImpactsObject sweep_on_device(const DeviceLike& position, const DeviceLike& orientation,
                                      const DeviceLike& displacement, const DeviceLike& rotation,
                                      const DeviceLike& position_low, const EventsLike& wait_for) {
    const Use use = begin("sweep_on_device");
    need_queue("sweep_on_device");
    const DeviceEvents events(wait_for);
    const ResidentPoses poses = resident_poses(position, position_low, orientation, collider_.rows(), events);
    const ResidentMotion motion = resident_motion(displacement, rotation, collider_.rows());
    end_query();
    DeviceImpactsObject found{{}, nullptr, nullptr, {source_, &DeviceSource::queries, source_->queries.load()}};
    const nb::gil_scoped_release release;
    found.impacts = oclide::sweep_on_device(collider_, poses, motion);
    kept_query_ = found.memory = kept_memory({found.impacts.impacts});
    found.ready = shared_event(found.impacts.ready);
    return found;
  }

  ImpactArrays sweep(const ArrayLike& position, const ArrayLike& orientation, const OptionalArrayLike& displacement,
                     const OptionalArrayLike& rotation) {
    const Use use = begin("sweep");
    end_query();
    const PoseArrays poses(position, orientation);
    const MotionArrays motion(displacement, rotation, poses.poses().count());
    ImpactArrays impacts{std::make_shared<FrameImpacts>()};
    const nb::gil_scoped_release release;
    *impacts.found = collider_.sweep(poses.poses(), motion.motion());
    return impacts;
  }

  OverlapArrays overlap(const ArrayLike& position, const ArrayLike& orientation, const ArrayLike& shape,
                        const ArrayLike& size, const ArrayLike& query_position, const ArrayLike& query_orientation,
                        const OptionalArrayLike& environment, const OptionalArrayLike& mask,
                        const OptionalArrayLike& group, bool lowest) {
    const Use use = begin("overlap");
    end_query();
    const PoseArrays poses(position, orientation);
    const QueryShapeArrays queries(shape, size, query_position, query_orientation, environment, mask, group);
    OverlapArrays overlaps{std::make_shared<Overlaps>(), queries.shape()};
    const nb::gil_scoped_release release;
    *overlaps.found = collider_.overlap(poses.poses(), queries.queries(lowest));
    return overlaps;
  }

  DistanceArrays distance(const ArrayLike& position, const ArrayLike& orientation, const ArrayLike& point,
                          const OptionalArrayLike& range, const OptionalArrayLike& environment,
                          const OptionalArrayLike& mask) {
    const Use use = begin("distance");
    end_query();
    const PoseArrays poses(position, orientation);
    const QueryPointArrays points(point, range, environment, mask);
    DistanceArrays distances{std::make_shared<Distances>(), points.shape()};
    const nb::gil_scoped_release release;
    *distances.found = collider_.distance(poses.poses(), points.points());
    return distances;
  }

  PathArrays trace(const ArrayLike& position, const ArrayLike& orientation, const ArrayLike& point,
                   const ArrayLike& displacement, const OptionalArrayLike& environment, const IntLike& bounces,
                   const FloatLike& friction, const FloatLike& restitution) {
    const Use use = begin("trace");
    end_query();
    const PoseArrays poses(position, orientation);
    const PointArrays points(point, displacement, environment);
    const TraceSettings settings = trace_settings(bounces, friction, restitution);
    PathArrays paths{std::make_shared<Paths>()};
    const nb::gil_scoped_release release;
    *paths.found = oclide::trace(collider_, poses.poses(), points.points(), settings);
    return paths;
  }

  nb::object user_slots() {
    const Use use = begin("user_slots");
    if (!slots_) {
      const std::span<UserSlot> slots = collider_.user_slots();
      Slots copy;
      copy.values = std::make_shared<std::vector<UserSlot>>(slots.begin(), slots.end());
      static float nothing[4]{};
      const std::size_t shape[]{slots.size(), 4};
      copy.array = nb::cast(nb::ndarray<nb::numpy, float>(slots.empty() ? nothing : copy.values->data()->value.data(),
                                                          2, shape, owner_of(copy.values)),
                            nb::rv_policy::reference);
      slots_ = std::move(copy);
    }
    return slots_->array;
  }

 private:
  struct Slots {
    std::shared_ptr<std::vector<UserSlot>> values;
    nb::object array;
  };

  Use begin(const char* call) { return {busy_, "Collider", call}; }

  void need_queue(const char* call) const {
    if (source_->queue == nullptr)
      throw Error(ErrorKind::invalid_input, std::string(call) +
                                                ": arrays on the device need a Collider with context= and "
                                                "queue=");
  }

  // What is on the device of the frame, or of the query, is about to be gone.
  void end_frame() {
    ++source_->frames;
    if (const KeptMemory kept = kept_frame_.lock()) kept->clear();
  }
  void end_query() {
    ++source_->queries;
    if (const KeptMemory kept = kept_query_.lock()) kept->clear();
  }

  // The collider is about to use the contacts of the last update() again, or to end.
  void give_up_frame() {
    const std::shared_ptr<FrameMemory> frame = lent_.lock();
    lent_.reset();
    if (frame == nullptr) return;
    frame->own = collider_.take_frame();
    frame->at = &frame->own;
  }

  // What Python wrote of the last frame's slots is what the next one goes on with.
  void take_slots_back() {
    if (!slots_) return;
    const std::span<UserSlot> slots = collider_.user_slots();
    if (slots.size() == slots_->values->size() && !slots.empty())
      std::memcpy(slots.data(), slots_->values->data(), slots.size_bytes());
    slots_.reset();
  }

  SharedCallback on_compile_;
  Collider collider_;
  std::shared_ptr<DeviceSource> source_;
  std::weak_ptr<std::vector<SharedMemory>> kept_frame_, kept_query_;  // what Python has of them on the device
  std::atomic<bool> busy_ = false;
  std::weak_ptr<FrameMemory> lent_;  // of the last update(), where anything still looks at it
  std::optional<Slots> slots_;       // of the last frame, where they were asked for
};

constexpr const char* kChangeTiles =
    "def change_tiles(self, ground: int, *, removed: collections.abc.Iterable[int] = (), added: "
    "collections.abc.Iterable[oclide.Terrain] = ()) -> list[int]";

class ValidatorObject {
 public:
  ValidatorObject(const Scene& scene, double margin) : validator_(scene, margin) {}

  void update_heights(std::int64_t terrain, std::int64_t first_row, std::int64_t first_col, const ArrayLike& object) {
    const Use use = begin("update_heights");
    update_heights_of(validator_, terrain, first_row, first_col, object);
  }
  void update_holes(std::int64_t terrain, std::int64_t first_row, std::int64_t first_col, const ArrayLike& holes) {
    const Use use = begin("update_holes");
    update_cells_of(validator_, true, terrain, first_row, first_col, holes);
  }
  void update_material(std::int64_t terrain, std::int64_t first_row, std::int64_t first_col,
                       const ArrayLike& material) {
    const Use use = begin("update_material");
    update_cells_of(validator_, false, terrain, first_row, first_col, material);
  }
  void move_terrain(std::int64_t terrain, const ArrayLike& origin) {
    const Use use = begin("move_terrain");
    move_terrain_of(validator_, terrain, origin);
  }
  std::vector<std::size_t> change_tiles(std::int64_t ground, const nb::object& removed, const nb::object& added) {
    const Use use = begin("change_tiles");
    return change_tiles_of(validator_, ground, removed, added);
  }

  Typed<Uint32Tag> change(const OptionalArrayLike& removed, const OptionalArrayLike& changed,
                          const OptionalBodiesLike& become, const OptionalBodiesLike& added,
                          const OptionalArrayLike& allowed, const OptionalArrayLike& excluded) {
    const Use use = begin("change");
    const BodyChanges changes = to_changes(removed, changed, become, added, allowed, excluded);
    std::vector<BodyHandle> handles;
    {
      const nb::gil_scoped_release release;
      handles = validator_.change(changes);
    }
    return as_array(handles);
  }

  void add_frame(const ArrayLike& position, const ArrayLike& orientation, const ContactsLike& object) {
    const Use use = begin("add_frame");
    const PoseArrays arrays(position, orientation);
    const ContactArray contacts(object);
    const nb::gil_scoped_release release;
    validator_.add_frame(arrays.poses(), contacts.contacts());
  }

  ValidationReport report() {
    const Use use = begin("report");
    return validator_.report();
  }

  void add_cast(const ArrayLike& position, const ArrayLike& orientation, const HitsLike& object,
                const ArrayLike& origin, const ArrayLike& direction, const OptionalArrayLike& length,
                const OptionalArrayLike& environment, const OptionalArrayLike& mask) {
    const Use use = begin("add_cast");
    const PoseArrays poses(position, orientation);
    const RayArrays rays(origin, direction, length, environment, mask);
    const HitArray hits(object);
    const nb::gil_scoped_release release;
    validator_.add_cast(poses.poses(), rays.rays(), hits.hits());
  }

  RayReport ray_report() {
    const Use use = begin("ray_report");
    return validator_.ray_report();
  }

  void add_sweep(const ArrayLike& position, const ArrayLike& orientation, const ImpactsLike& object,
                 const OptionalArrayLike& displacement, const OptionalArrayLike& rotation) {
    const Use use = begin("add_sweep");
    const PoseArrays poses(position, orientation);
    const MotionArrays motion(displacement, rotation, poses.poses().count());
    const ImpactArray impacts(object);
    const nb::gil_scoped_release release;
    validator_.add_sweep(poses.poses(), motion.motion(), impacts.impacts());
  }

  SweepReport sweep_report() {
    const Use use = begin("sweep_report");
    return validator_.sweep_report();
  }

 private:
  Use begin(const char* call) { return {busy_, "Validator", call}; }

  Validator validator_;
  std::atomic<bool> busy_ = false;
};

void add_validation(nb::module_& module) {
  using Report = ValidationReport;
  nb::class_<Report>(module, "ValidationReport", "What was checked, and what did not hold, over all frames.")
      .def_ro("frames", &Report::frames)
      .def_ro("bodies_checked", &Report::bodies_checked)
      .def_ro("pairs_device", &Report::pairs_device)
      .def_ro("pairs_reference", &Report::pairs_reference)
      .def_ro("only_device", &Report::only_device, "Pairs that the device alone found, deeper than 1e-4 m - margin.")
      .def_ro("only_reference", &Report::only_reference,
              "Pairs that the reference alone found, deeper than 1e-4 m - margin.")
      .def_ro("contacts_device", &Report::contacts_device)
      .def_ro("contacts_reference", &Report::contacts_reference)
      .def_ro("unmatched_device", &Report::unmatched_device, "Contacts that are not true, or out of order.")
      .def_ro("unmatched_reference", &Report::unmatched_reference, "Manifolds that the device has no contact for.")
      .def_ro("undecided", &Report::undecided, "Pairs that one alone has, within 1e-4 m of touching; never fails.")
      .def_ro("largest_depth_error", &Report::largest_depth_error, "[m]")
      .def_ro("largest_depth_error_relative", &Report::largest_depth_error_relative, "Of contacts deeper than 1 cm.")
      .def_ro("largest_normal_error", &Report::largest_normal_error, "[rad]")
      .def_ro("largest_point_error", &Report::largest_point_error, "[m]")
      .def_ro("deepest", &Report::deepest, "Depth of the deepest contact [m].")
      .def_ro("examples", &Report::examples, "Of what did not hold: at most 10 lines.")
      .def_prop_ro("holds", &Report::holds, "Whether nothing was found that does not hold.");

  nb::class_<RayReport>(module, "RayReport", "What was checked of casts, and what did not hold.")
      .def_ro("casts", &RayReport::casts)
      .def_ro("rays", &RayReport::rays)
      .def_ro("hits_device", &RayReport::hits_device)
      .def_ro("hits_reference", &RayReport::hits_reference)
      .def_ro("only_device", &RayReport::only_device, "Rays that hit on the device alone.")
      .def_ro("only_reference", &RayReport::only_reference, "Rays that hit in the reference alone.")
      .def_ro("wrong_hits", &RayReport::wrong_hits, "Not where the ray goes in, or of a body that is not there.")
      .def_ro("wrong_normals", &RayReport::wrong_normals, "Of hits that are right.")
      .def_ro("other_bodies", &RayReport::other_bodies, "As far away as the reference's; never fails.")
      .def_ro("silhouettes", &RayReport::silhouettes, "Rays with another answer, which is as right; never fails.")
      .def_ro("largest_distance_error", &RayReport::largest_distance_error, "[m]")
      .def_ro("largest_normal_error", &RayReport::largest_normal_error, "[rad]")
      .def_ro("examples", &RayReport::examples, "Of what did not hold: at most 10 lines.")
      .def_prop_ro("holds", &RayReport::holds, "Whether nothing was found that does not hold.");

  nb::class_<SweepReport>(module, "SweepReport", "What was checked of sweeps, and what did not hold.")
      .def_ro("sweeps", &SweepReport::sweeps)
      .def_ro("impacts_device", &SweepReport::impacts_device)
      .def_ro("impacts_reference", &SweepReport::impacts_reference)
      .def_ro("only_reference", &SweepReport::only_reference, "Pairs that touch and have no impact on the device.")
      .def_ro("wrong_impacts", &SweepReport::wrong_impacts,
              "Not where and when the two touch first, or of no two bodies that may meet.")
      .def_ro("undecided", &SweepReport::undecided, "Pairs that only one has, and either may; never fails.")
      .def_ro("largest_time_error", &SweepReport::largest_time_error, "Times the speed along the normal [m].")
      .def_ro("examples", &SweepReport::examples, "Of what did not hold: at most 10 lines.")
      .def_prop_ro("holds", &SweepReport::holds, "Whether nothing was found that does not hold.");

  nb::class_<ValidatorObject>(
      module, "Validator",
      "Checks contacts, hits of rays and impacts: each against exact geometry, all against the CPU reference.")
      .def(
          "__init__",
          [](ValidatorObject* self, const SceneLike& object, double margin) {
            const Scene scene = to_scene(object);
            const nb::gil_scoped_release release;
            new (self) ValidatorObject(scene, margin);
          },
          nb::arg("scene"), nb::arg("margin") = 0.0, "margin: that of the Collider whose contacts are checked [m].")
      .def("update_heights", &ValidatorObject::update_heights, nb::arg("terrain"), nb::arg("first_row"),
           nb::arg("first_col"), nb::arg("heights"), "The scene changes, as the Collider's by this call.")
      .def("update_holes", &ValidatorObject::update_holes, nb::arg("terrain"), nb::arg("first_row"),
           nb::arg("first_col"), nb::arg("holes"), "As update_heights.")
      .def("update_material", &ValidatorObject::update_material, nb::arg("terrain"), nb::arg("first_row"),
           nb::arg("first_col"), nb::arg("material"), "As update_heights.")
      .def("move_terrain", &ValidatorObject::move_terrain, nb::arg("terrain"), nb::arg("origin"), "As update_heights.")
      .def("change_tiles", &ValidatorObject::change_tiles, nb::arg("ground"), nb::kw_only(),
           nb::arg("removed") = nb::make_tuple(), nb::arg("added") = nb::make_tuple(), nb::sig(kChangeTiles),
           "As update_heights.")
      .def("change", &ValidatorObject::change, nb::kw_only(), nb::arg("removed") = nb::none(),
           nb::arg("changed") = nb::none(), nb::arg("become") = nb::none(), nb::arg("added") = nb::none(),
           nb::arg("allowed") = nb::none(), nb::arg("excluded") = nb::none(),
           "As update_heights: poses have a row for each that the Collider has.")
      .def("add_frame", &ValidatorObject::add_frame, nb::arg("position"), nb::arg("orientation"), nb::arg("contacts"),
           "Checks one frame: poses as of Collider.collide; contacts: all of the frame, a Frame or an array of "
           "CONTACT_DTYPE. Blocking.")
      .def_prop_ro("report", &ValidatorObject::report, "Of all frames so far.")
      .def("add_cast", &ValidatorObject::add_cast, nb::arg("position"), nb::arg("orientation"), nb::arg("hits"),
           nb::arg("origin"), nb::arg("direction"), nb::arg("length") = nb::none(), nb::arg("environment") = nb::none(),
           nb::arg("mask") = nb::none(),
           "Checks one cast: hits are those of Collider.cast with the other arguments, RayHits or an array of "
           "HIT_DTYPE. "
           "Blocking.")
      .def_prop_ro("ray_report", &ValidatorObject::ray_report, "Of all casts so far.")
      .def("add_sweep", &ValidatorObject::add_sweep, nb::arg("position"), nb::arg("orientation"), nb::arg("impacts"),
           nb::arg("displacement") = nb::none(), nb::arg("rotation") = nb::none(),
           "Checks one sweep: impacts are those of Collider.sweep with the other arguments, Impacts or an array of "
           "IMPACT_DTYPE. Blocking.")
      .def_prop_ro("sweep_report", &ValidatorObject::sweep_report, "Of all sweeps so far.");
}

int visit_collider(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const SharedCallback& callback = nb::inst_ptr<ColliderObject>(self)->on_compile();
  if (callback != nullptr) Py_VISIT(callback->ptr());
  return 0;
}

int clear_collider(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  const SharedCallback& callback = nb::inst_ptr<ColliderObject>(self)->on_compile();
  if (callback != nullptr) callback->reset();
  return 0;
}

const PyType_Slot kColliderSlots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_collider)},
                                      {Py_tp_clear, reinterpret_cast<void*>(clear_collider)},
                                      {0, nullptr}};

}  // namespace

SharedCallback to_callback(const OptionalCallback& call) {
  if (call.object.is_none()) return {};
  if (!PyCallable_Check(call.object.ptr()))
    throw Error(ErrorKind::invalid_input, "on_compile must be a function of the device's name and that of kernels");
  return {new nb::object(call.object), [](nb::object* object) {
            const nb::gil_scoped_acquire acquire;
            delete object;
          }};
}

std::function<void(const std::string&, const std::string&)> to_on_compile(const SharedCallback& callback) {
  if (callback == nullptr) return {};
  return [callback](const std::string& device, const std::string& kernels) {
    const nb::gil_scoped_acquire acquire;
    if (callback->is_valid()) (*callback)(device, kernels);
  };
}

void add_collider(nb::module_& module) {
  constexpr const char* kFrameDoc =
      "position: (n, 3) of the shapes' centres [m]; orientation: (n, 4), w x y z, of any length but zero. float64 "
      "arrays in C order are borrowed for the call, others are converted. ";

  nb::class_<Staged>(module, "Staged", "Poses of one frame on their way to the device: of Collider.stage.");
  const std::string collide_doc = std::string("Contacts of all bodies at these poses. ") + kFrameDoc;
  const std::string update_doc = collide_doc +
                                 "As collide(), with the memory of the contacts used again from frame to frame once "
                                 "nothing looks at it any more: the faster one where frames follow each other.";
  const std::string stage_doc = std::string("Copies and checks the poses and begins their upload. ") + kFrameDoc +
                                "May be called from another thread while collide() works on an earlier frame.";

  nb::class_<ColliderObject>(
      module, "Collider",
      "Finds the contacts of a scene on one device.\n\nUsed by one thread at a time, but for stage(): another call "
      "meanwhile is an InvalidInputError. Different Colliders may be used by different threads, at once: the GIL is "
      "released while they work.",
      nb::type_slots(kColliderSlots))
      .def(
          "__init__",
          [](ColliderObject* self, const std::string& device, double margin, std::uint64_t memory_limit, bool track,
             const PathLike& cache_directory, bool use_cache, const OptionalCallback& on_compile,
             const DeviceLike& context, const DeviceLike& queue) {
            Settings settings;
            settings.device = device;
            settings.margin = margin;
            settings.memory_limit = memory_limit;
            settings.track = track;
            settings.cache_directory = to_path(cache_directory);
            settings.use_cache = use_cache;
            SharedCallback callback = to_callback(on_compile);
            settings.on_compile = to_on_compile(callback);
            settings.on_warning = say_nothing;  // a Python warning does
            if (context.object.is_none() && queue.object.is_none()) {
              {
                const nb::gil_scoped_release release;
                new (self) ColliderObject(Collider(settings), nullptr, std::move(callback));
              }
              if (device != "auto" || !self->device().is_reference) return;
              try {
                warn_of_reference();
              } catch (...) {
                self->~ColliderObject();
                throw;
              }
              return;
            }
            auto* const of = reinterpret_cast<cl_context>(to_handle(context.object, "context"));
            auto* const on = reinterpret_cast<cl_command_queue>(to_handle(queue.object, "queue"));
            const nb::gil_scoped_release release;
            new (self) ColliderObject(make_collider(of, on, settings), shared_queue(on), std::move(callback));
          },
          nb::arg("device") = "auto", nb::kw_only(), nb::arg("margin") = 0.0, nb::arg("memory_limit") = 0,
          nb::arg("track") = false, nb::arg("cache_directory") = "", nb::arg("use_cache") = true,
          nb::arg("on_compile") = nb::none(), nb::arg("context") = nb::none(), nb::arg("queue") = nb::none(),
          "device: \"auto\" (the one expected to be the fastest for the scene; a RuntimeWarning where that is the "
          "reference), \"reference\", \"opencl:K\", or part of a device's name; margin: contacts with depth > -margin "
          "are reported [m]; memory_limit: device bytes the "
          "working buffers may take, 0: what the device has; track: follow manifolds and contacts from frame to frame; "
          "cache_directory: of compiled kernels and calibrations, \"\": $OCLIDE_CACHE_DIR, else the user's; use_cache: "
          "keep them on disk; on_compile: called with the device's name and that of kernels before these are compiled, "
          "on the thread that needs them; it must not call the Collider. context, queue: an application's cl_context "
          "and "
          "cl_command_queue, as numbers or objects with int_ptr (pyopencl's have it), for frames that stay on the "
          "device: "
          "the Collider works there, and retains both.")
      .def_prop_ro("device", &ColliderObject::device, "The device at work. With \"auto\" set_scene() may change it.")
      .def("device_memory", &ColliderObject::device_memory, nb::sig("def device_memory(self) -> dict[str, int]"),
           "Bytes that it holds on the device now, by buffer.")
      .def("set_scene", &ColliderObject::set_scene, nb::arg("scene"),
           "Checks the scene and puts terrain and bodies on the device. Its arrays are copied: later changes of them "
           "count for nothing. A scene that check() refuses leaves the one before as it is, with the user slots of its "
           "last frame; after any other error there is none.")
      .def("update_heights", &ColliderObject::update_heights, nb::arg("terrain"), nb::arg("first_row"),
           nb::arg("first_col"), nb::arg("heights"),
           "Replaces a rectangle of a terrain's heights. heights: (rows, cols) [m], NaN and what is masked = no data.")
      .def("update_holes", &ColliderObject::update_holes, nb::arg("terrain"), nb::arg("first_row"),
           nb::arg("first_col"), nb::arg("holes"),
           "Replaces the holes of a rectangle of a terrain's cells. holes: (rows, cols) uint8, non-zero: open.")
      .def("update_material", &ColliderObject::update_material, nb::arg("terrain"), nb::arg("first_row"),
           nb::arg("first_col"), nb::arg("material"),
           "Replaces the material of a rectangle of a terrain's cells. material: (rows, cols) uint8.")
      .def("move_terrain", &ColliderObject::move_terrain, nb::arg("terrain"), nb::arg("origin"),
           "Moves a terrain: its vertex (0, 0) stands at origin: (2,) [m]. Of a ground of tiles the index that "
           "environments name: its tile of the lowest index stands there, and all others move along.")
      .def("change_tiles", &ColliderObject::change_tiles, nb::arg("ground"), nb::kw_only(),
           nb::arg("removed") = nb::make_tuple(), nb::arg("added") = nb::make_tuple(), nb::sig(kChangeTiles),
           "Tiles of a ground go and come, without a new scene. ground: the index that environments name it by; "
           "removed: "
           "indices of tiles of it; added: oclide.Terrain on its lattice, with its filters, whose tile_of does not "
           "count. The indices of the added ones: the lowest of tiles that are gone, then further ones. What tracking "
           "knows stays.")
      .def(
          "change", &ColliderObject::change, nb::kw_only(), nb::arg("removed") = nb::none(),
          nb::arg("changed") = nb::none(), nb::arg("become") = nb::none(), nb::arg("added") = nb::none(),
          nb::arg("allowed") = nb::none(), nb::arg("excluded") = nb::none(),
          "Bodies come, go and become others, without a new scene; rows of all others stay, and what tracking knows of "
          "them. removed, changed: handles, (k, 2) uint32, row and generation; become: what each of changed is from "
          "now on; added: new bodies, whose excluded pairs are pairs of these. allowed, excluded: pairs of bodies that "
          "stay, (k, 2, 2) uint32, two handles each: no longer excluded, if they were, and from now on never to meet. "
          "Handles of those added: (k, 2) uint32. The row of a removed body stays in the arrays of poses, and counts "
          "for nothing. Staged poses are of no use any more.")
      .def_prop_ro("handles", &ColliderObject::handles, "Of the bodies that there are, by row: shape (n, 2), uint32.")
      .def_prop_ro("rows", &ColliderObject::rows,
                   "Rows of the scene, those of removed bodies included: poses have as many.")
      .def("collide", &ColliderObject::collide, nb::arg("position"), nb::arg("orientation"), collide_doc.c_str())
      .def("update", &ColliderObject::update, nb::arg("position"), nb::arg("orientation"), update_doc.c_str())
      .def("stage", &ColliderObject::stage, nb::arg("position"), nb::arg("orientation"), stage_doc.c_str())
      .def("collide_staged", &ColliderObject::collide_staged, nb::arg("staged"),
           "collide() with poses staged on this Collider since its last set_scene(); uses them up.")
      .def("cast", &ColliderObject::cast, nb::arg("position"), nb::arg("orientation"), nb::arg("origin"),
           nb::arg("direction"), nb::arg("length") = nb::none(), nb::arg("environment") = nb::none(),
           nb::arg("mask") = nb::none(),
           "What each ray hits first of the bodies at these poses (as of collide) and of the terrain. origin, "
           "direction: "
           "(..., 3) [m], a direction of any length but zero; length: (...) farthest distances [m], None: infinite; "
           "environment, mask: (...) uint32, None: 0, and bodies of all categories. Arrays are broadcast against each "
           "other. Poses that the last call had, or few of which moved since, cost little again.")
      .def(
          "collide_on_device", &ColliderObject::collide_on_device, nb::arg("position"), nb::arg("orientation"),
          nb::kw_only(), nb::arg("position_low") = nb::none(), nb::arg("wait_for") = nb::make_tuple(),
          "Contacts of all bodies at poses in buffers of the application's, left on the device. Of a Collider with "
          "context= and queue=. position: float32, 3 a body [m]; position_low: the same, added to position, or None; "
          "orientation: float32, 4 a body, w x y z. Each is a cl_mem as a number, or an object with int_ptr, or a "
          "pyopencl.array.Array. They must not change before DeviceFrame.ready. wait_for: cl_events that the poses are "
          "there after. What OpenCL can tell of a wrong handle (another context, too small a buffer) is an "
          "InvalidInputError; a number that was never one is not found out.")
      .def("to_host", &ColliderObject::to_host,
           "The contacts of the last collide_on_device(), where no other frame came after it: to the bit those of "
           "collide() with the same poses. Blocking.")
      .def("cast_on_device", &ColliderObject::cast_on_device, nb::arg("position"), nb::arg("orientation"),
           nb::arg("origin"), nb::arg("direction"), nb::arg("length") = nb::none(), nb::arg("environment") = nb::none(),
           nb::arg("mask") = nb::none(), nb::kw_only(), nb::arg("position_low") = nb::none(),
           nb::arg("origin_low") = nb::none(), nb::arg("count") = nb::none(), nb::arg("wait_for") = nb::make_tuple(),
           "cast() with hits that stay on the device. Poses are buffers as of collide_on_device(), arrays in host "
           "memory, "
           "or None and None: those of the last collide_on_device() or cast_on_device(). Rays are arrays as of cast(), "
           "or buffers: origin, origin_low, direction float32, 3 a ray; length float32; environment, mask uint32. "
           "count: "
           "how many rays there are, where the buffers have no shape.")
      .def("sweep", &ColliderObject::sweep, nb::arg("position"), nb::arg("orientation"),
           nb::arg("displacement") = nb::none(), nb::arg("rotation") = nb::none(),
           "The first touch of each pair while the bodies go from these poses (as of collide) over one frame. "
           "displacement: (n, 3) [m], None: no body moves on; rotation: (n, 3) rotation vectors in world axes [rad], "
           "of any length, None: no body turns. At time t in [0, 1] a body is at position + t * displacement, turned "
           "by t * rotation. The margin does not count.")
      .def("sweep_on_device", &ColliderObject::sweep_on_device, nb::arg("position"), nb::arg("orientation"),
           nb::arg("displacement") = nb::none(), nb::arg("rotation") = nb::none(), nb::kw_only(),
           nb::arg("position_low") = nb::none(), nb::arg("wait_for") = nb::make_tuple(),
           "sweep() with poses and motion in buffers on the device and impacts that stay there. Poses are those of "
           "collide_on_device(), or None and None: those of the last call on the device. displacement, rotation: "
           "float32, 3 a body, as of sweep(). wait_for: cl_events that poses and motion are there after.")
      .def("overlap", &ColliderObject::overlap, nb::arg("position"), nb::arg("orientation"), nb::arg("shape"),
           nb::arg("size"), nb::arg("query_position"), nb::arg("query_orientation"),
           nb::arg("environment") = nb::none(), nb::arg("mask") = nb::none(), nb::arg("group") = nb::none(),
           nb::kw_only(), nb::arg("lowest") = false,
           "Which shapes overlap the bodies at these poses (as of collide), or the terrain. shape: (...) oclide.Shape, "
           "convex ones and compounds; size: (..., 3) [m], as of Bodies; query_position: (..., 3) [m]; "
           "query_orientation: (..., 4) as w, x, y, z; environment, mask: (...) uint32, None: 0, and bodies of all "
           "categories; group: (...) int32, of bodies that are not met, 0 for none, None: 0. Arrays are broadcast "
           "against each other. lowest: find the body with the lowest index that each overlaps too, terrain last.")
      .def("distance", &ColliderObject::distance, nb::arg("position"), nb::arg("orientation"), nb::arg("point"),
           nb::arg("range") = nb::none(), nb::arg("environment") = nb::none(), nb::arg("mask") = nb::none(),
           "What each point is nearest to of the bodies at these poses (as of collide) and of the terrain: signed "
           "distance, negative in a solid, nearest point, normal, body. point: (..., 3) [m]; range: (...) no farther "
           "than this [m], None: infinite; environment, mask: (...) uint32, None: 0, and bodies of all categories. "
           "Arrays are broadcast against each other.")
      .def("trace", &ColliderObject::trace, nb::arg("position"), nb::arg("orientation"), nb::arg("point"),
           nb::arg("displacement"), nb::arg("environment") = nb::none(), nb::kw_only(), nb::arg("bounces") = 10,
           nb::arg("friction") = 0.0, nb::arg("restitution") = 1.0,
           "Moves points among the bodies at these poses (as of collide) and over the terrain; each is reflected where "
           "its way hits something. point, displacement: (p, 3) [m]; environment: (p,) uint32, None: 0; bounces: "
           "reflections of a point at most; friction: share of the way along the surface that a reflection takes; "
           "restitution: share of the way across it that a reflection leaves.")
      .def("user_slots", &ColliderObject::user_slots,
           nb::sig("def user_slots(self) -> numpy.typing.NDArray[numpy.float32]"),
           "With track=True: the application's own four numbers of each contact of the last frame: shape (C, 4), "
           "float32, to read and to write. Zero for a contact that began, else what the contact that it goes on with "
           "had. What stands in the array when the next frame begins is carried over; writing to it later changes "
           "nothing. Empty without track.");
  add_validation(module);
}

}  // namespace oclide::python
