#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend.hpp"
#include "devices/calibration.hpp"
#include "devices/choose_device.hpp"
#include "opencl/process.hpp"
#include "scene/body_rows.hpp"
#include "scene/scene_check.hpp"
#include "scene/tile_store.hpp"
#include "shapes/shape_list.hpp"
#include "upload/compound_bodies.hpp"

namespace oclide {

const char* to_string(Shape shape) {
  const ShapeRow* row = find_shape(shape);
  return row != nullptr ? row->words : "unknown";
}

std::string_view version() {
  return OCLIDE_VERSION;
}

namespace {

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

// Poses of bodies with those of their parts on the way to the device.
struct StagedCompounds final : Collider::Staged {
  Collider::StagedPoses parts;
};

// Left alone by a process that was forked since: giving back what a device has would touch it.
std::shared_ptr<Collider::Backend> shared(std::unique_ptr<Collider::Backend> backend) {
  return {backend.release(), [](Collider::Backend* b) {
            if (b->device().is_reference || !opencl::is_forked()) delete b;
          }};
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Of each pair the first impact, in the order of pairs.
void keep_first(std::vector<Impact>& impacts) {
  const auto key = [](const Impact& i) {
    return std::make_tuple(i.body_a, i.body_b, i.time, i.shape_a, i.shape_b, i.element);
  };
  std::sort(impacts.begin(), impacts.end(), [&](const Impact& a, const Impact& b) { return key(a) < key(b); });
  const auto is_same_pair = [](const Impact& a, const Impact& b) {
    return a.body_a == b.body_a && a.body_b == b.body_b;
  };
  impacts.erase(std::unique(impacts.begin(), impacts.end(), is_same_pair), impacts.end());
}

// A Collider's own backend: chooses the device where that is left to it, checks each call against what is known of the
// scene, sees to bodies of several shapes, and hands on to the device's.
class CheckedBackend final : public Collider::Backend {
 public:
  explicit CheckedBackend(const Settings& settings) : settings_(settings) {
    check_margin(settings.margin);
    device_ = choose_device(settings.device);
    if (settings.device == "auto")
      for (const DeviceInfo& d : devices())
        if (d.usable && !d.is_reference) choices_.push_back({d, std::nullopt});
    // Where there is nothing to choose there is nothing to wait for.
    if (choices_.size() < 2) open(device_);
  }

  CheckedBackend(const Settings& settings, std::unique_ptr<Collider::Backend> inner)
      : settings_(settings), device_(inner->device()), inner_(shared(std::move(inner))) {
    check_margin(settings.margin);
  }

  [[nodiscard]] const DeviceInfo& device() const override { return device_; }
  [[nodiscard]] std::vector<BufferBytes> device_memory() const override {
    const Use use = enter(busy_, "device_memory");
    return inner_ == nullptr ? std::vector<BufferBytes>() : inner_->device_memory();
  }

  void set_scene(const Scene& scene, const Bodies& /*bodies*/, const SharedGeometry& /*geometry*/) override {
    const Use use = enter(busy_, "set_scene"), staging(staging_, "set_scene");
    const SharedGeometry geometry = checked_geometry(scene);
    // From here on the scene before is gone, whatever happens.
    has_scene_ = false;
    ++scene_number_;
    compounds_.reset();
    history_.forget();
    part_poses_ = {};
    named_ = {};
    slots_.clear();
    replaced_.clear();
    geometry_ = geometry;
    rows_.set(scene);
    if (CompoundBodies::are_in(scene)) compounds_.emplace(scene);
    if (choices_.size() > 1 || inner_ == nullptr) choose(compounds_ ? compounds_->parts() : scene.bodies.count());
    if (compounds_)
      inner_->set_scene(scene, compounds_->parts_as_bodies(scene), geometry);
    else
      inner_->set_scene(scene, scene.bodies, geometry);
    bodies_ = scene.bodies.count();
    tiles_.set(scene.terrains);
    environments_ = scene.environment_terrain.size();
    shape_counts_ = counts_of_shapes(scene);
    query_compounds_ = scene.compounds;
    has_scene_ = true;
  }

  std::vector<BodyHandle> apply(const BodyChanges& changes) override {
    const Use use = enter(busy_, "change"), staging(staging_, "change");
    need_scene("change");
    std::vector<BodyHandle> handles = rows_.apply(changes);
    if (rows_.changed().empty()) return handles;
    // What the device cannot take leaves no scene.
    has_scene_ = false;
    ++scene_number_;
    bodies_ = rows_.count();
    const Scene& scene = rows_.scene();
    const bool had_compounds = compounds_.has_value();
    if (had_compounds || CompoundBodies::are_in(scene)) {
      // Parts get other places.
      compounds_.reset();
      history_.forget();
      part_poses_ = {};
      named_ = {};
      if (CompoundBodies::are_in(scene)) compounds_.emplace(scene);
      inner_->change(scene, compounds_ ? compounds_->parts_as_bodies(scene) : scene.bodies, geometry_, {}, true);
    } else {
      history_.touch(rows_.changed(), bodies_);
      inner_->change(scene, scene.bodies, geometry_, rows_.changed(), false);
    }
    std::vector<std::uint32_t> replaced(rows_.replaced().begin(), rows_.replaced().end());
    replaced.insert(replaced.end(), replaced_.begin(), replaced_.end());
    std::sort(replaced.begin(), replaced.end());
    replaced.erase(std::unique(replaced.begin(), replaced.end()), replaced.end());
    replaced_ = std::move(replaced);
    has_scene_ = true;
    return handles;
  }
  [[nodiscard]] std::vector<BodyHandle> handles() const override {
    const Use use(busy_, "handles");
    return has_scene_ ? rows_.handles() : std::vector<BodyHandle>();
  }
  [[nodiscard]] std::size_t rows() const override { return has_scene_ ? rows_.count() : 0; }

  std::vector<std::size_t> apply(TileChanges&& changes) override {
    const Use use = enter(busy_, "change_tiles");
    need_scene("change_tiles");
    std::vector<std::size_t> added;
    set_ground(tiles_.change(std::move(changes), added));
    return added;
  }

  void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                    std::size_t cols, std::span<const std::uint8_t> holes) override {
    const Use use = enter(busy_, "update_holes");
    need_scene("update_holes");
    check_cell_update("update_holes", tiles_.sizes(), terrain, first_row, first_col, rows, cols, holes.size());
    if (holes.empty()) return;
    if (tiles_.is_tile(terrain))
      set_ground(tiles_.update_cells(&Terrain::holes, terrain, {first_row, first_col, rows, cols}, holes));
    else
      inner_->update_holes(terrain, first_row, first_col, rows, cols, holes);
  }
  void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                       std::size_t cols, std::span<const std::uint8_t> material) override {
    const Use use = enter(busy_, "update_material");
    need_scene("update_material");
    check_cell_update("update_material", tiles_.sizes(), terrain, first_row, first_col, rows, cols, material.size());
    if (material.empty()) return;
    if (tiles_.is_tile(terrain))
      set_ground(tiles_.update_cells(&Terrain::material, terrain, {first_row, first_col, rows, cols}, material));
    else
      inner_->update_material(terrain, first_row, first_col, rows, cols, material);
  }
  void move_terrain(std::size_t terrain, std::array<double, 2> origin) override {
    const Use use = enter(busy_, "move_terrain");
    need_scene("move_terrain");
    check_move(tiles_.sizes(), terrain, origin);
    if (tiles_.is_tile(terrain))
      set_ground(tiles_.move(terrain, origin));
    else
      inner_->move_terrain(terrain, origin);
  }

  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override {
    const Use use = enter(busy_, "update_heights");
    need_scene("update_heights");
    check_height_update(tiles_.sizes(), terrain, first_row, first_col, rows, cols, heights);
    if (rows == 0 || cols == 0) return;
    if (tiles_.is_tile(terrain))
      set_ground(tiles_.update_heights(terrain, {first_row, first_col, rows, cols}, heights));
    else
      inner_->update_heights(terrain, first_row, first_col, rows, cols, heights);
  }

  [[nodiscard]] FrameContacts collide(const FramePoses& given) override {
    const Use use = enter(busy_, "collide");
    need_scene("collide");
    const auto start = std::chrono::steady_clock::now();
    return finished(inner_->collide(advance(given.poses)), start);
  }

  [[nodiscard]] FrameContacts& update(const FramePoses& given) override {
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

  [[nodiscard]] FrameContacts take_frame() override {
    const Use use(busy_, "take_frame");
    if (compounds_) return std::exchange(named_, {});
    return inner_ == nullptr ? FrameContacts() : inner_->take_frame();
  }

  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override {
    const Use use = enter(staging_, "stage");
    need_scene("stage");
    check_poses(poses, bodies_);
    Collider::StagedPoses staged = compounds_ ? stage_parts(poses) : inner_->stage(poses);
    staged->backend = inner_;
    staged->scene = scene_number_;
    return staged;
  }

  [[nodiscard]] FrameContacts collide_staged(const Collider::StagedPoses& staged,
                                             const FramePoses& /*given*/) override {
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

  void cast(const FramePoses& given, const Rays& rays, RayHits& hits) override {
    const Use use = enter(busy_, "cast");
    need_scene("cast");
    const auto start = std::chrono::steady_clock::now();
    check_rays(rays, environments_);
    inner_->cast(advance(given.poses), rays, hits);
    finish(hits, start);
  }

  void cast_at(const ResidentPoses& poses, const CompoundBodies* /*compounds*/, const Rays& rays,
               RayHits& hits) override {
    const Use use = enter(busy_, "cast");
    need_scene("cast");
    const auto start = std::chrono::steady_clock::now();
    check_rays(rays, environments_);
    inner_->cast_at(poses, compounds_ ? &*compounds_ : nullptr, rays, hits);
    finish(hits, start);
  }

  void cast_on_device(const CastInput& given, const CompoundBodies* /*compounds*/, DeviceHits& hits) override {
    const Use use = enter(busy_, "cast_on_device");
    need_scene("cast_on_device");
    if (given.rays != nullptr) check_rays(*given.rays, environments_);
    CastInput known = given;
    FramePoses poses;
    if (given.poses != nullptr) {
      poses = advance(given.poses->poses);
      known.poses = &poses;
    }
    inner_->cast_on_device(known, compounds_ ? &*compounds_ : nullptr, hits);
  }

  void sweep(const FramePoses& given, const Motion& motion, std::span<const double> /*pivots*/,
             FrameImpacts& found) override {
    const Use use = enter(busy_, "sweep");
    need_scene("sweep");
    const auto start = std::chrono::steady_clock::now();
    check_motion(motion, bodies_);
    const FramePoses known = advance(given.poses);
    // Of each part, where there are compounds, the body's own.
    const std::size_t count = compounds_ ? compounds_->parts() : bodies_;
    const auto body_of = [&](std::size_t part) { return compounds_ ? compounds_->body_of(part) : part; };
    const auto of_parts = [&](std::span<const double> of_bodies) {
      std::vector<double> numbers(3 * count, 0.0);
      if (!of_bodies.empty())
        for (std::size_t part = 0; part < count; ++part)
          std::copy_n(&of_bodies[3 * body_of(part)], 3, &numbers[3 * part]);
      return numbers;
    };
    const std::vector<double> displacement = of_parts(motion.displacement), rotation = of_parts(motion.rotation);
    const std::vector<double> pivots = compounds_ ? of_parts(given.poses.position) : std::vector<double>();
    try {
      inner_->sweep(known, {displacement, rotation}, pivots, found);
    } catch (const UntoldSweep& untold) {
      refuse_untold(body_of(untold.body));
    }
    for (Impact& impact : found.impacts) {
      if (!compounds_) break;
      const std::size_t a = impact.body_a, b = impact.body_b;
      impact.body_a = compounds_->body_of(a);
      if (compounds_->is_compound(impact.body_a)) impact.shape_a = compounds_->shape_of(a);
      if (impact.body_b == kTerrain) continue;
      impact.body_b = compounds_->body_of(b);
      if (compounds_->is_compound(impact.body_b)) impact.shape_b = compounds_->shape_of(b);
    }
    keep_first(found.impacts);
    found.milliseconds.total = milliseconds_since(start);
  }

  void sweep_on_device(const ResidentPoses& poses, const ResidentMotion& motion, const CompoundBodies* /*compounds*/,
                       DeviceImpacts& impacts) override {
    const Use use = enter(busy_, "sweep_on_device");
    need_scene("sweep_on_device");
    try {
      inner_->sweep_on_device(poses, motion, compounds_ ? &*compounds_ : nullptr, impacts);
    } catch (const UntoldSweep& untold) {
      refuse_untold(compounds_ ? compounds_->body_of(untold.body) : untold.body);
    }
  }

  void overlap(const FramePoses& given, const QueryShapes& queries, const Compounds& /*compounds*/,
               Overlaps& found) override {
    const Use use = enter(busy_, "overlap");
    need_scene("overlap");
    const auto start = std::chrono::steady_clock::now();
    check_query_shapes(queries, shape_counts_, environments_);
    QueryShapes known = queries;
    std::vector<std::int32_t> groups;
    if (compounds_) {
      // Parts of compounds have groups that no body has: a query's counts where a body has it.
      std::vector<std::int32_t> own = rows_.scene().bodies.group;
      std::sort(own.begin(), own.end());
      groups.assign(queries.group.begin(), queries.group.end());
      for (std::int32_t& group : groups)
        if (!std::binary_search(own.begin(), own.end(), group)) group = 0;
      known.group = groups;
    }
    inner_->overlap(advance(given.poses), known, query_compounds_, found);
    if (compounds_)
      for (std::uint32_t& body : found.body)
        if (body < kNothing) body = compounds_->body_of(body);
    found.overlap_count =
        static_cast<std::uint64_t>(std::count(found.overlaps.begin(), found.overlaps.end(), std::uint8_t{1}));
    found.milliseconds.total = milliseconds_since(start);
  }

  void distance(const FramePoses& given, const QueryPoints& points, Distances& found) override {
    const Use use = enter(busy_, "distance");
    need_scene("distance");
    const auto start = std::chrono::steady_clock::now();
    check_query_points(points, environments_);
    inner_->distance(advance(given.poses), points, found);
    found.near_count = name_hits(found.nearest);
    found.milliseconds.total = milliseconds_since(start);
  }

  void collide_on_device(const ResidentPoses& poses, const CompoundBodies* /*compounds*/, DeviceFrame& frame) override {
    const Use use = enter(busy_, "collide_on_device");
    need_scene("collide_on_device");
    inner_->collide_on_device(poses, compounds_ ? &*compounds_ : nullptr, frame);
  }

  [[nodiscard]] FrameContacts to_host() override {
    const Use use = enter(busy_, "to_host");
    need_scene("to_host");
    return inner_->to_host();
  }

  void track(FrameContacts& frame) override { inner_->track(frame); }
  [[nodiscard]] std::span<UserSlot> user_slots() override {
    const Use use(busy_, "user_slots");
    return slots_;
  }

 private:
  struct Choice {
    DeviceInfo device;
    std::optional<Calibration> calibration;
  };

  // A call that the device is asked in.
  [[nodiscard]] Use enter(std::atomic<bool>& busy, const char* call) const {
    if (!device_.is_reference) opencl::check_process();
    return {busy, call};
  }

  void open(const DeviceInfo& device) {
    inner_.reset();
    inner_ = shared(device.is_reference ? make_reference_backend(settings_) : make_opencl_backend(settings_, device));
    device_ = inner_->device();
  }

  // Opens the fastest for so many bodies of the devices that work.
  void choose(std::size_t bodies) {
    std::vector<Choice> working;
    for (Choice& choice : choices_) {
      try {
        if (!choice.calibration) choice.calibration = calibrate(choice.device, settings_);
        working.push_back(std::move(choice));
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::device) throw;
      }
    }
    choices_ = std::move(working);
    // None works: the error is that of the device taken without calibrations.
    if (choices_.empty()) return open(choose_device(settings_.device));

    std::vector<Calibration> calibrations;
    for (const Choice& choice : choices_) calibrations.push_back(*choice.calibration);
    const std::vector<std::size_t> order = by_expected_time(calibrations, bodies);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const DeviceInfo& fastest = choices_[order[k]].device;
      if (inner_ != nullptr && device_.id == fastest.id) return;
      try {
        return open(fastest);
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::device || k + 1 == order.size()) throw;
      }
    }
  }

  [[nodiscard]] Collider::StagedPoses stage_parts(const Poses& poses) const {
    auto staged = std::make_shared<StagedCompounds>();
    compounds_->place(poses, staged->position, staged->orientation);
    staged->parts = inner_->stage(staged->poses());
    staged->position.assign(poses.position.begin(), poses.position.end());
    staged->orientation.assign(poses.orientation.begin(), poses.orientation.end());
    return staged;
  }

  // Hits of parts, as the device has them, become those of bodies. The cast began at `start`.
  void finish(RayHits& hits, std::chrono::steady_clock::time_point start) const {
    hits.hit_count = name_hits(hits.hits);
    hits.milliseconds.total = milliseconds_since(start);
  }

  // From contacts between parts, as the device has them, to those between bodies.
  void name(const FrameContacts& found, FrameContacts& named) const {
    compounds_->name(found, named);
    named.moved_bodies = part_poses_.moved_bodies(*compounds_, found.moved_bodies);
  }

  // From hits of parts to those of bodies; returns how many there are.
  std::uint64_t name_hits(std::vector<Hit>& hits) const {
    std::uint64_t count = 0;
    for (Hit& hit : hits) {
      if (hit.body == kNothing) continue;
      ++count;
      if (!compounds_ || hit.body == kTerrain) continue;
      const std::size_t part = hit.body;
      hit.body = compounds_->body_of(part);
      if (compounds_->is_compound(hit.body)) hit.shape = compounds_->shape_of(part);
    }
    return count;
  }

  // What is left to do of tracking when a frame's contacts have their names.
  void follow(FrameContacts& frame) {
    if (!settings_.track) return;
    track(frame);
    if (!replaced_.empty()) part_from_before(std::exchange(replaced_, {}), frame);
    last_slots_.swap(slots_);
    slots_.resize(frame.contacts.size());
    for (std::size_t i = 0; i < slots_.size(); ++i)
      slots_[i] = frame.previous[i] == kNone ? UserSlot() : last_slots_[frame.previous[i]];
  }

  // Poses as the device takes them, and checked where they have not been.
  FramePoses advance(const Poses& poses, bool checked = false) {
    check_pose_counts(poses, bodies_);
    if (compounds_) return part_poses_.advance(*compounds_, poses);
    if (!device_.is_reference) return history_.advance(poses, bodies_ / kMovedPart, checked);
    if (!checked) check_poses(poses, bodies_);
    return {poses};  // the reference does not build on the frame before
  }

  // The frame of contacts that the device has found; it began at `start`.
  FrameContacts finished(FrameContacts&& found, std::chrono::steady_clock::time_point start) {
    FrameContacts frame;
    if (compounds_)
      name(found, frame);
    else
      frame = std::move(found);
    frame.milliseconds.total = milliseconds_since(start);
    follow(frame);
    return frame;
  }

  // What the device cannot take leaves no scene.
  void set_ground(const GroundChange& change) override {
    try {
      inner_->set_ground(change);
    } catch (...) {
      has_scene_ = false;
      throw;
    }
  }

  void need_scene(const char* call) const {
    if (!has_scene_) throw Error(ErrorKind::invalid_input, std::string(call) + ": no scene has been set");
  }

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

Collider::Backend& at_work(const std::unique_ptr<Collider::Backend>& backend) {
  if (backend == nullptr) throw Error(ErrorKind::invalid_input, "the Collider has been moved from");
  return *backend;
}

}  // namespace

std::unique_ptr<Collider::Backend> make_checked_backend(const Settings& settings,
                                                        std::unique_ptr<Collider::Backend> inner) {
  return std::make_unique<CheckedBackend>(settings, std::move(inner));
}

Collider::Collider(const Settings& settings) : backend_(std::make_unique<CheckedBackend>(settings)) {}
Collider::Collider(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}
Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

const DeviceInfo& Collider::device() const {
  return at_work(backend_).device();
}
std::vector<BufferBytes> Collider::device_memory() const {
  return at_work(backend_).device_memory();
}
void Collider::set_scene(const Scene& scene) {
  at_work(backend_).set_scene(scene, scene.bodies, nullptr);
}
std::vector<BodyHandle> Collider::change(const BodyChanges& changes) {
  return at_work(backend_).apply(changes);
}
std::vector<BodyHandle> Collider::handles() const {
  return at_work(backend_).handles();
}
std::vector<std::size_t> Collider::change_tiles(TileChanges changes) {
  return at_work(backend_).apply(std::move(changes));
}
std::size_t Collider::rows() const {
  return at_work(backend_).rows();
}
void Collider::update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                            std::size_t cols, std::span<const std::uint8_t> holes) {
  at_work(backend_).update_holes(terrain, first_row, first_col, rows, cols, holes);
}
void Collider::update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                               std::size_t cols, std::span<const std::uint8_t> material) {
  at_work(backend_).update_material(terrain, first_row, first_col, rows, cols, material);
}
void Collider::move_terrain(std::size_t terrain, std::array<double, 2> origin) {
  at_work(backend_).move_terrain(terrain, origin);
}
void Collider::update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                              std::size_t cols, std::span<const double> heights) {
  at_work(backend_).update_heights(terrain, first_row, first_col, rows, cols, heights);
}
FrameContacts Collider::collide(const Poses& poses) {
  return at_work(backend_).collide({poses});
}
const FrameContacts& Collider::update(const Poses& poses) {
  return at_work(backend_).update({poses});
}
std::span<UserSlot> Collider::user_slots() {
  return at_work(backend_).user_slots();
}
FrameContacts Collider::take_frame() {
  return at_work(backend_).take_frame();
}
RayHits Collider::cast(const Poses& poses, const Rays& rays) {
  RayHits hits;
  at_work(backend_).cast({poses}, rays, hits);
  return hits;
}
FrameImpacts Collider::sweep(const Poses& poses, const Motion& motion) {
  FrameImpacts found;
  at_work(backend_).sweep({poses}, motion, {}, found);
  return found;
}
Overlaps Collider::overlap(const Poses& poses, const QueryShapes& queries) {
  Overlaps found;
  at_work(backend_).overlap({poses}, queries, {}, found);
  return found;
}
Distances Collider::distance(const Poses& poses, const QueryPoints& points) {
  Distances found;
  at_work(backend_).distance({poses}, points, found);
  return found;
}
Collider::StagedPoses Collider::stage(const Poses& poses) {
  return at_work(backend_).stage(poses);
}
FrameContacts Collider::collide_staged(StagedPoses poses) {  // NOLINT(performance-unnecessary-value-param): the ABI's
  return at_work(backend_).collide_staged(poses, {});
}

}  // namespace oclide
