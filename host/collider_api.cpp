#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.hpp"
#include "calibration.hpp"
#include "scene_check.hpp"

namespace oclide {

const char* to_string(Shape shape) {
  switch (shape) {
    case Shape::sphere:
      return "sphere";
    case Shape::box:
      return "box";
    case Shape::cylinder:
      return "cylinder";
    case Shape::capsule:
      return "capsule";
    case Shape::convex_hull:
      return "convex hull";
    case Shape::half_space:
      return "half space";
    case Shape::compound:
      return "compound body";
  }
  return "unknown";
}

std::string_view version() {
  return OCLIDE_VERSION;
}

namespace {

// A Collider's own backend: chooses the device where that is left to it, keeps what is needed to check later calls, and
// hands on to the device's.
class CheckedBackend final : public Collider::Backend {
 public:
  explicit CheckedBackend(const Settings& settings) : settings_(settings) {
    if (!std::isfinite(settings.margin) || settings.margin < 0.0)
      throw Error(ErrorKind::invalid_input, "margin must be finite and not negative");
    device_ = choose_device(settings.device);
    if (settings.device == "auto")
      for (const DeviceInfo& d : devices())
        if (d.usable && !d.is_reference) choices_.push_back({d, std::nullopt});
    // Where there is nothing to choose there is nothing to wait for.
    if (choices_.size() < 2) open(device_);
  }

  [[nodiscard]] const DeviceInfo& device() const override { return device_; }
  [[nodiscard]] std::vector<BufferBytes> device_memory() const override {
    return inner_ == nullptr ? std::vector<BufferBytes>() : inner_->device_memory();
  }

  void set_scene(const Scene& scene) override {
    check(scene);
    has_scene_ = false;
    if (choices_.size() > 1 || inner_ == nullptr) choose(scene.bodies.count());
    inner_->set_scene(scene);
    bodies_ = scene.bodies.count();
    grids_.clear();
    for (const Terrain& t : scene.terrains) grids_.push_back({t.rows, t.cols});
    has_scene_ = true;
  }

  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override {
    need_scene("update_heights");
    check_height_update(grids_, terrain, first_row, first_col, rows, cols, heights);
    if (rows > 0 && cols > 0) inner_->update_heights(terrain, first_row, first_col, rows, cols, heights);
  }

  [[nodiscard]] FrameContacts collide(const Poses& poses) override {
    need_scene("collide");
    check_poses(poses, bodies_);
    return inner_->collide(poses);
  }

  [[nodiscard]] const FrameContacts& update(const Poses& poses) override {
    need_scene("update");
    check_poses(poses, bodies_);
    return inner_->update(poses);
  }

  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override {
    need_scene("stage");
    check_poses(poses, bodies_);
    Collider::StagedPoses staged = inner_->stage(poses);
    staged->backend = inner_;
    return staged;
  }

  [[nodiscard]] FrameContacts collide_staged(Collider::StagedPoses staged) override {
    need_scene("collide");
    if (staged == nullptr) throw Error(ErrorKind::invalid_input, "collide: no staged poses");
    if (staged->position.size() != 3 * bodies_ || staged->backend != inner_)
      throw Error(ErrorKind::invalid_input, "collide: the staged poses are of another scene");
    return inner_->collide_staged(std::move(staged));
  }

 private:
  struct Choice {
    DeviceInfo device;
    std::optional<Calibration> calibration;
  };

  void open(const DeviceInfo& device) {
    inner_.reset();
    inner_ = device.is_reference ? make_reference_backend(settings_) : make_opencl_backend(settings_, device);
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

  void need_scene(const char* call) const {
    if (!has_scene_) throw Error(ErrorKind::invalid_input, std::string(call) + ": no scene has been set");
  }

  Settings settings_;
  std::vector<Choice> choices_;  // usable OpenCL devices, where the device is to be chosen
  DeviceInfo device_;
  std::shared_ptr<Collider::Backend> inner_;  // of device_
  std::vector<GridSize> grids_;
  std::size_t bodies_ = 0;
  bool has_scene_ = false;
};

}  // namespace

Collider::Collider(const Settings& settings) : backend_(std::make_unique<CheckedBackend>(settings)) {}
Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

const DeviceInfo& Collider::device() const {
  return backend_->device();
}
std::vector<BufferBytes> Collider::device_memory() const {
  return backend_->device_memory();
}
void Collider::set_scene(const Scene& scene) {
  backend_->set_scene(scene);
}
void Collider::update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                              std::size_t cols, std::span<const double> heights) {
  backend_->update_heights(terrain, first_row, first_col, rows, cols, heights);
}
FrameContacts Collider::collide(const Poses& poses) {
  return backend_->collide(poses);
}
const FrameContacts& Collider::update(const Poses& poses) {
  return backend_->update(poses);
}
Collider::StagedPoses Collider::stage(const Poses& poses) {
  return backend_->stage(poses);
}
FrameContacts Collider::collide_staged(StagedPoses poses) {
  return backend_->collide_staged(std::move(poses));
}

}  // namespace oclide
