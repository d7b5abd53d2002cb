// The pipeline on an OpenCL device, top to bottom:
//   poses -> upload -> broad phase -> narrow phase -> contact reduction -> contacts
// once for bodies against terrain (terrain_contacts.cpp), once for bodies against bodies (body_contacts.cpp). Every
// output is counted, its place found by a scan, then written: nothing has a fixed capacity. When a frame does not fit
// in the device's memory it is worked through in slices, with the same result.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>

#include "backend.hpp"
#include "body_contacts.hpp"
#include "device_poses.hpp"
#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "plane_orientation.hpp"
#include "terrain_contacts.hpp"

namespace oclide {
namespace {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

class OpenClCollider final : public Collider::Backend {
 public:
  OpenClCollider(const Settings& settings, const DeviceInfo& info)
      : device_(settings, info),
        terrain_(device_, static_cast<float>(settings.margin)),
        bodies_(device_, static_cast<float>(settings.margin)) {}

  [[nodiscard]] const DeviceInfo& device() const override { return device_.info(); }
  void set_scene(const Scene& scene) override;
  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override {
    terrain_.update_heights(terrain, first_row, first_col, rows, cols, heights);
  }
  [[nodiscard]] FrameContacts collide(const Poses& poses) override;
  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override;
  [[nodiscard]] FrameContacts collide_staged(Collider::StagedPoses staged) override;

 private:
  struct StagedOnDevice final : Collider::Staged {
    std::unique_ptr<DevicePoses> device;
  };

  std::unique_ptr<DevicePoses> begin_upload(const Poses& poses);
  FrameContacts collide_uploaded(const Poses& poses, std::unique_ptr<DevicePoses> uploaded);
  void assemble(const Poses& poses, FrameContacts& frame);

  opencl::Device device_;
  TerrainContacts terrain_;
  BodyContacts bodies_;
  std::size_t body_count_ = 0;
  std::vector<std::uint8_t> is_half_space_;  // per body
  StageTimer timer_;
  std::unique_ptr<DevicePoses> poses_;  // of the frame at work
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<DevicePoses>> spare_poses_;
};

void OpenClCollider::set_scene(const Scene& scene) {
  // What the scene before needed may be more than this one leaves room for.
  poses_.reset();
  spare_poses_.clear();
  body_count_ = scene.bodies.count();
  is_half_space_.clear();
  for (const Shape shape : scene.bodies.shape) is_half_space_.push_back(shape == Shape::half_space ? 1 : 0);
  terrain_.free_slice_buffers();
  bodies_.free_frame_buffers();
  terrain_.set_scene(scene);
  bodies_.set_scene(scene);
}

// Splits the poses into floats and sends them off on the transfer queue. Touches nothing that collide() uses.
std::unique_ptr<DevicePoses> OpenClCollider::begin_upload(const Poses& poses) {
  std::unique_ptr<DevicePoses> to;
  {
    const std::lock_guard lock(spare_mutex_);
    if (!spare_poses_.empty()) {
      to = std::move(spare_poses_.back());
      spare_poses_.pop_back();
    }
  }
  if (to == nullptr) to = std::make_unique<DevicePoses>(device_);
  to->staging_high.resize(3 * body_count_);
  to->staging_low.resize(3 * body_count_);
  to->staging_orientation.resize(4 * body_count_);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, body_count_, 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        const TwoFloatParts parts = split_in_two(poses.position[3 * i + a]);
        to->staging_high[3 * i + a] = parts.high;
        to->staging_low[3 * i + a] = parts.low;
      }
      const double* q = &poses.orientation[4 * i];
      const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (is_half_space_[i] != 0) {
        const auto rounded = plane_orientation({q[0] / length, q[1] / length, q[2] / length, q[3] / length});
        std::copy(rounded.begin(), rounded.end(), &to->staging_orientation[4 * i]);
        continue;
      }
      for (std::size_t a = 0; a < 4; ++a) {
        const double c = q[a] / length;
        to->staging_orientation[4 * i + a] = std::abs(c) < 1e-15 ? 0.0F : static_cast<float>(c);
      }
    }
  });
  const auto send = [&](Buffer<float>& buffer, const std::vector<float>& data) {
    buffer.resize(data.size());
    to->uploads.emplace_back();
    device_.transfer_queue().enqueueWriteBuffer(buffer.get(), CL_FALSE, 0, data.size() * sizeof(float), data.data(),
                                                nullptr, &to->uploads.back());
  };
  opencl::translate_errors("upload of poses", device_.info().name, [&] {
    to->uploads.clear();
    send(to->high, to->staging_high);
    send(to->low, to->staging_low);
    send(to->orientation, to->staging_orientation);
    device_.transfer_queue().flush();
  });
  return to;
}

// Contacts in the scene's order of bodies, those with bodies before those with terrain, positions back in doubles.
void OpenClCollider::assemble(const Poses& poses, FrameContacts& frame) {
  // Where each body's pairs and its contacts with terrain begin.
  struct Begin {
    std::uint64_t contact, pair;  // of its first pair
    std::uint32_t manifold, terrain_manifold;
  };
  std::vector<Begin> begin(body_count_);
  std::uint64_t contacts = 0, manifolds = 0;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < body_count_; ++i) {
    begin[i].contact = contacts;
    begin[i].pair = pair;
    begin[i].manifold = static_cast<std::uint32_t>(manifolds);
    for (; pair < bodies_.pairs(); ++pair, ++manifolds) {
      const BodyContacts::Pair p = bodies_.pair(pair);
      if (p.body_a != i) break;
      contacts += p.count;
    }
    begin[i].terrain_manifold = static_cast<std::uint32_t>(manifolds);
    const TerrainContacts::OfBody terrain = terrain_.of_body(i);
    contacts += terrain.contacts.size();
    manifolds += terrain.manifolds;
    frame.pairs += terrain.contacts.empty() ? 0 : 1;
  }
  frame.contacts.resize(contacts);
  // `origin`: the body whose centre the point is relative to.
  const auto write = [&](const auto& from, std::size_t origin, std::size_t body, std::uint32_t other,
                         std::uint32_t manifold, std::uint8_t material, Contact& to) {
    for (std::size_t a = 0; a < 3; ++a) {
      to.point[a] = poses.position[3 * origin + a] + static_cast<double>(from.point[a]);
      to.normal[a] = from.normal[a] + 0.0F;  // no negative zeros
    }
    to.depth = from.depth;
    to.body_a = static_cast<std::uint32_t>(body);
    to.body_b = other;
    to.manifold = manifold;
    to.feature = from.feature;
    to.material = material;
  };
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, body_count_, 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      Contact* to = frame.contacts.data() + begin[i].contact;
      const std::size_t pair_end = i + 1 < body_count_ ? begin[i + 1].pair : bodies_.pairs();
      for (std::size_t k = begin[i].pair; k < pair_end; ++k) {
        const BodyContacts::Pair p = bodies_.pair(k);
        const std::size_t origin = is_half_space_[i] != 0 ? p.body_b : i;
        const auto manifold = static_cast<std::uint32_t>(begin[i].manifold + (k - begin[i].pair));
        for (std::uint32_t c = 0; c < p.count; ++c) write(p.contacts[c], origin, i, p.body_b, manifold, 0, *to++);
      }
      for (const ContactRecord& c : terrain_.of_body(i).contacts)
        write(c, i, i, kTerrain, begin[i].terrain_manifold + c.manifold, static_cast<std::uint8_t>(c.material), *to++);
    }
  });
}

FrameContacts OpenClCollider::collide(const Poses& poses) {
  const auto start = std::chrono::steady_clock::now();
  FrameContacts frame = collide_uploaded(poses, body_count_ == 0 ? nullptr : begin_upload(poses));
  frame.milliseconds.total =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return frame;
}

Collider::StagedPoses OpenClCollider::stage(const Poses& poses) {
  auto staged = std::make_shared<StagedOnDevice>();
  staged->position.assign(poses.position.begin(), poses.position.end());
  staged->orientation.assign(poses.orientation.begin(), poses.orientation.end());
  if (body_count_ > 0) staged->device = begin_upload(poses);
  return staged;
}

FrameContacts OpenClCollider::collide_staged(Collider::StagedPoses staged) {
  auto* on_device = dynamic_cast<StagedOnDevice*>(staged.get());
  if (on_device == nullptr || on_device->device == nullptr) return collide(staged->poses());
  const auto start = std::chrono::steady_clock::now();
  FrameContacts frame = collide_uploaded(staged->poses(), std::move(on_device->device));
  frame.milliseconds.total =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return frame;
}

FrameContacts OpenClCollider::collide_uploaded(const Poses& poses, std::unique_ptr<DevicePoses> uploaded) {
  FrameContacts frame;
  timer_.clear();
  if (body_count_ == 0) return frame;
  // The kernels wait for the poses, not for what else the transfer queue may have by now.
  if (poses_ != nullptr) {
    const std::lock_guard lock(spare_mutex_);
    spare_poses_.push_back(std::move(poses_));
  }
  poses_ = std::move(uploaded);
  opencl::translate_errors("upload of poses", device_.info().name,
                           [&] { device_.queue().enqueueBarrierWithWaitList(&poses_->uploads); });
  for (cl::Event& event : poses_->uploads) timer_.record(Stage::upload, event);
  // Where memory is short the two do not keep each other's buffers waiting.
  const auto memory_is_short = [&] { return device_.memory_used() > device_.memory_limit() / 2; };
  if (memory_is_short()) bodies_.free_frame_buffers();
  terrain_.find(*poses_, frame, timer_);
  if (memory_is_short()) terrain_.free_slice_buffers();
  bodies_.find(poses, *poses_, frame, timer_);
  assemble(poses, frame);
  frame.milliseconds = timer_.collect();
  frame.device_bytes = device_.memory_peak();
  return frame;
}

}  // namespace

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const DeviceInfo& device) {
  return std::make_unique<OpenClCollider>(settings, device);
}

}  // namespace oclide
