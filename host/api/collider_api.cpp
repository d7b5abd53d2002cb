// The public functions of a Collider, each handed on to its backend.
#include <memory>
#include <utility>
#include <vector>

#include "api/checked_backend.hpp"
#include "shapes/shape_list.hpp"

namespace oclide {

const char* to_string(Shape shape) {
  const ShapeRow* row = find_shape(shape);
  return row != nullptr ? row->words : "unknown";
}

std::string_view version() {
  return OCLIDE_VERSION;
}

namespace {

Collider::Backend& at_work(const std::unique_ptr<Collider::Backend>& backend) {
  if (backend == nullptr) throw Error(ErrorKind::invalid_input, "the Collider has been moved from");
  return *backend;
}

}  // namespace

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
