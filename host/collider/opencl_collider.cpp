// The scene of a device's Collider, and what it gives back where memory is short.
#include "collider/opencl_collider.hpp"

namespace oclide {

void OpenClCollider::set_scene(const Scene& scene, const Bodies& bodies, const SharedGeometry& geometry) {
  const opencl::DriverTurn turn(device_.driver());
  // What the scene before needed may be more than this one leaves room for.
  free_for_queries();
  environment_terrain_ = scene.environment_terrain;
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
  const opencl::DriverTurn turn(device_.driver());
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

// What may go where memory is short, beside what the pipeline has.
void OpenClCollider::give_back(ContactPipeline::Shortage shortage) {
  if (tracking_) tracking_->free_buffers();
  if (resident_ != nullptr) resident_->free_frame();
  if (shortage == ContactPipeline::Shortage::near) return;
  // They go when the lock is no longer held: that waits for the device's turn, whose holder may want the lock.
  std::vector<std::unique_ptr<DevicePoses>> spare;
  const std::lock_guard lock(spare_mutex_);
  spare.swap(spare_poses_);
}

// Gives back what the work on frames before has left on the device, and those frames themselves.
void OpenClCollider::free_frame_buffers() {
  poses_.reset();
  resident_.reset();
  has_resident_poses_ = has_resident_tree_ = false;
  pipeline_.free_frame_buffers();
  give_back(ContactPipeline::Shortage::met);
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

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const cl::Context& context,
                                                       const cl::CommandQueue& queue) {
  return std::make_unique<OpenClCollider>(settings, context, queue);
}

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const DeviceInfo& device) {
  return std::make_unique<OpenClCollider>(settings, device);
}

}  // namespace oclide
