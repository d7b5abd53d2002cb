#include <cmath>
#include <string>

#include "backend.hpp"
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
  }
  return "unknown";
}

std::string_view version() {
  return OCLIDE_VERSION;
}

namespace {

// A Collider's own backend: keeps what is needed to check later calls, and hands on to the device's.
class CheckedBackend final : public Collider::Backend {
 public:
  explicit CheckedBackend(std::unique_ptr<Collider::Backend> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] const DeviceInfo& device() const override { return inner_->device(); }

  void set_scene(const Scene& scene) override {
    check(scene);
    has_scene_ = false;
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

  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override {
    need_scene("stage");
    check_poses(poses, bodies_);
    return inner_->stage(poses);
  }

  [[nodiscard]] FrameContacts collide_staged(Collider::StagedPoses staged) override {
    need_scene("collide");
    if (staged == nullptr) throw Error(ErrorKind::invalid_input, "collide: no staged poses");
    if (staged->position.size() != 3 * bodies_)
      throw Error(ErrorKind::invalid_input, "collide: the staged poses are of another scene");
    return inner_->collide_staged(std::move(staged));
  }

 private:
  void need_scene(const char* call) const {
    if (!has_scene_) throw Error(ErrorKind::invalid_input, std::string(call) + ": no scene has been set");
  }

  std::unique_ptr<Collider::Backend> inner_;
  std::vector<GridSize> grids_;
  std::size_t bodies_ = 0;
  bool has_scene_ = false;
};

std::unique_ptr<Collider::Backend> open(const Settings& settings) {
  if (!std::isfinite(settings.margin) || settings.margin < 0.0)
    throw Error(ErrorKind::invalid_input, "margin must be finite and not negative");
  const DeviceInfo device = choose_device(settings.device);
  if (device.is_reference) return make_reference_backend(settings);
  return make_opencl_backend(settings, device);
}

}  // namespace

Collider::Collider(const Settings& settings) : backend_(std::make_unique<CheckedBackend>(open(settings))) {}
Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

const DeviceInfo& Collider::device() const {
  return backend_->device();
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
Collider::StagedPoses Collider::stage(const Poses& poses) {
  return backend_->stage(poses);
}
FrameContacts Collider::collide_staged(StagedPoses poses) {
  return backend_->collide_staged(std::move(poses));
}

}  // namespace oclide
