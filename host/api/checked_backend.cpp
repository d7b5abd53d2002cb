// The scene of a Collider: its device, its ground and its bodies, and how they change.
#include "api/checked_backend.hpp"

#include <algorithm>
#include <utility>

#include "devices/choose_device.hpp"
#include "opencl/process.hpp"
#include "scene/scene_check.hpp"
#include "scene/unused_terrains.hpp"

namespace oclide {
namespace {

// Left alone by a process that was forked since: giving back what a device has would touch it.
std::shared_ptr<Collider::Backend> shared(std::unique_ptr<Collider::Backend> backend) {
  return {backend.release(), [](Collider::Backend* b) {
            if (b->device().is_reference || !opencl::is_forked()) delete b;
          }};
}

}  // namespace

CheckedBackend::CheckedBackend(const Settings& settings) : settings_(settings) {
  check_margin(settings.margin);
  device_ = choose_device(settings.device);
  if (settings.device == "auto")
    for (const DeviceInfo& d : devices())
      if (d.usable && !d.is_reference) choices_.push_back({d, std::nullopt});
  // Where there is nothing to choose there is nothing to wait for.
  if (choices_.size() < 2) open(device_);
}

CheckedBackend::CheckedBackend(const Settings& settings, std::unique_ptr<Collider::Backend> inner)
    : settings_(settings), device_(inner->device()), inner_(shared(std::move(inner))) {
  check_margin(settings.margin);
}

CheckedBackend::Use CheckedBackend::enter(std::atomic<bool>& busy, const char* call) const {
  if (!device_.is_reference) opencl::check_process();
  return {busy, call};
}

void CheckedBackend::need_scene(const char* call) const {
  if (!has_scene_) throw Error(ErrorKind::invalid_input, std::string(call) + ": no scene has been set");
}

void CheckedBackend::open(const DeviceInfo& device) {
  inner_.reset();
  inner_ = shared(device.is_reference ? make_reference_backend(settings_) : make_opencl_backend(settings_, device));
  device_ = inner_->device();
}

void CheckedBackend::choose(std::size_t bodies) {
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

std::vector<BufferBytes> CheckedBackend::device_memory() const {
  const Use use = enter(busy_, "device_memory");
  return inner_ == nullptr ? std::vector<BufferBytes>() : inner_->device_memory();
}

void CheckedBackend::set_scene(const Scene& scene, const Bodies& /*bodies*/, const SharedGeometry& /*geometry*/) {
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
  parts_ = {};
  if (CompoundBodies::are_in(scene)) compounds_.emplace(scene);
  if (choices_.size() > 1 || inner_ == nullptr) choose(compounds_ ? compounds_->parts() : scene.bodies.count());
  if (compounds_) {
    parts_ = compounds_->parts_as_bodies(scene);
    inner_->set_scene(scene, parts_, geometry);
  } else {
    inner_->set_scene(scene, scene.bodies, geometry);
  }
  bodies_ = scene.bodies.count();
  tiles_.set(scene.terrains);
  environments_ = scene.environment_terrain.size();
  shape_counts_ = counts_of_shapes(scene);
  query_compounds_ = scene.compounds;
  has_scene_ = true;
  tell_of_unused(scene, settings_.on_warning);
}

std::vector<BodyHandle> CheckedBackend::apply(const BodyChanges& changes) {
  const Use use = enter(busy_, "change"), staging(staging_, "change");
  need_scene("change");
  std::vector<BodyHandle> handles = rows_.apply(changes);
  if (rows_.changed().empty()) return handles;
  // What the device cannot take leaves no scene.
  has_scene_ = false;
  ++scene_number_;
  bodies_ = rows_.count();
  const Scene& scene = rows_.scene();
  if (compounds_ || CompoundBodies::are_in(scene)) {
    change_compounds(scene);
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

// Where parts get other rows the device knows nothing any more, as with the first compound body and the last one.
void CheckedBackend::change_compounds(const Scene& scene) {
  std::vector<std::uint32_t> bodies(rows_.changed().begin(), rows_.changed().end());
  const bool are_in = CompoundBodies::are_in(scene);
  bool stays = are_in && compounds_.has_value();
  if (!stays || !compounds_->change(scene, bodies, parts_)) {
    std::optional<CompoundBodies> compounds;
    if (are_in) compounds.emplace(scene);
    stays = stays && compounds->keeps_parts_of(*compounds_);
    compounds_ = std::move(compounds);
    const Bodies before = std::exchange(parts_, compounds_ ? compounds_->parts_as_bodies(scene) : Bodies{});
    // A body of several parts may have another group of its own.
    stays = stays && before.group.empty() == parts_.group.empty();
    for (std::size_t part = 0; stays && part < before.group.size(); ++part)
      if (before.group[part] != parts_.group[part]) bodies.push_back(compounds_->body_of(part));
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  }
  if (!stays) {
    part_poses_ = {};
    history_.forget();
    named_ = {};
    return inner_->change(scene, compounds_ ? parts_ : scene.bodies, geometry_, {}, true);
  }
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t body : bodies)
    for (std::size_t k = 0; k < compounds_->parts_of(body); ++k)
      rows.push_back(static_cast<std::uint32_t>(compounds_->first_part_of(body) + k));
  part_poses_.touch(bodies, bodies_);
  inner_->change(scene, parts_, geometry_, rows, false);
}

std::vector<std::size_t> CheckedBackend::apply(TileChanges&& changes) {
  const Use use = enter(busy_, "change_tiles");
  need_scene("change_tiles");
  std::vector<std::size_t> added;
  set_ground(tiles_.change(std::move(changes), added));
  return added;
}

std::vector<BodyHandle> CheckedBackend::handles() const {
  const Use use(busy_, "handles");
  return has_scene_ ? rows_.handles() : std::vector<BodyHandle>();
}

void CheckedBackend::update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                  std::size_t cols, std::span<const std::uint8_t> holes) {
  const Use use = enter(busy_, "update_holes");
  need_scene("update_holes");
  check_cell_update("update_holes", tiles_.sizes(), terrain, first_row, first_col, rows, cols, holes.size());
  if (holes.empty()) return;
  if (tiles_.is_tile(terrain))
    set_ground(tiles_.update_cells(&Terrain::holes, terrain, {first_row, first_col, rows, cols}, holes));
  else
    inner_->update_holes(terrain, first_row, first_col, rows, cols, holes);
}

void CheckedBackend::update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col,
                                     std::size_t rows, std::size_t cols, std::span<const std::uint8_t> material) {
  const Use use = enter(busy_, "update_material");
  need_scene("update_material");
  check_cell_update("update_material", tiles_.sizes(), terrain, first_row, first_col, rows, cols, material.size());
  if (material.empty()) return;
  if (tiles_.is_tile(terrain))
    set_ground(tiles_.update_cells(&Terrain::material, terrain, {first_row, first_col, rows, cols}, material));
  else
    inner_->update_material(terrain, first_row, first_col, rows, cols, material);
}

void CheckedBackend::move_terrain(std::size_t terrain, std::array<double, 2> origin) {
  const Use use = enter(busy_, "move_terrain");
  need_scene("move_terrain");
  check_move(tiles_.sizes(), terrain, origin);
  if (tiles_.is_tile(terrain))
    set_ground(tiles_.move(terrain, origin));
  else
    inner_->move_terrain(terrain, origin);
}

void CheckedBackend::update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                    std::size_t cols, std::span<const double> heights) {
  const Use use = enter(busy_, "update_heights");
  need_scene("update_heights");
  check_height_update(tiles_.sizes(), terrain, first_row, first_col, rows, cols, heights);
  if (rows == 0 || cols == 0) return;
  if (tiles_.is_tile(terrain))
    set_ground(tiles_.update_heights(terrain, {first_row, first_col, rows, cols}, heights));
  else
    inner_->update_heights(terrain, first_row, first_col, rows, cols, heights);
}

void CheckedBackend::set_ground(const GroundChange& change) {
  try {
    inner_->set_ground(change);
  } catch (...) {
    has_scene_ = false;
    throw;
  }
}

std::unique_ptr<Collider::Backend> make_checked_backend(const Settings& settings,
                                                        std::unique_ptr<Collider::Backend> inner) {
  return std::make_unique<CheckedBackend>(settings, std::move(inner));
}

}  // namespace oclide
