// The one thing a device must do for a Collider. Implemented by OpenClCollider (host/collider.cpp) and
// ReferenceCollider (host/reference/reference_collider.cpp); neither knows the other.
#pragma once

#include "oclide/oclide.hpp"

namespace oclide {

class Collider::Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
  /// `scene` has passed check(). The backend copies what it needs.
  virtual void set_scene(const Scene& scene) = 0;
  /// Ranges have been checked against the scene.
  virtual void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                              std::size_t cols, std::span<const double> heights) = 0;
  /// Poses have been checked; orientations may have any non-zero length and are normalised here in double.
  [[nodiscard]] virtual FrameContacts collide(const Poses& poses) = 0;
};

/// Opens the OpenCL device with this index among devices().
std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const DeviceInfo& device);
/// The double-precision CPU reference.
std::unique_ptr<Collider::Backend> make_reference_backend(const Settings& settings);
/// OpenCL devices only, in the loader's order; empty without any platform.
std::vector<DeviceInfo> opencl_devices();

}  // namespace oclide
