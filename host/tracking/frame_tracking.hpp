// Tracking of frames whose contacts are in host memory: hands manifolds and features to the device, and what it finds
// back to the frame. Where the device has no room for a whole frame it is cut by names, which do not depend on each
// other, with the same result.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "oclide/oclide.hpp"
#include "tracking/contact_tracking.hpp"

namespace oclide {

class FrameTracking {
 public:
  explicit FrameTracking(opencl::Device& device);

  /// Sets the frame's events and previous contacts; it is the last one then. `make_room` is called once where the
  /// device is short of memory. A frame that fails (Error(device)) leaves the last one as it was.
  void follow(FrameContacts& frame, const std::function<void()>& make_room, opencl::StageTimer& timer);
  /// The next frame has none before it.
  void forget();
  /// Gives the device's memory back; the last frame stays known.
  void free_buffers();

 private:
  // Manifolds of a frame, one behind the last, and the features of their contacts.
  struct Manifolds {
    std::vector<TrackedManifold> list;
    std::vector<std::uint32_t> features;
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(list.size()) - 1; }
  };
  struct Range {
    std::uint32_t first, end;
    [[nodiscard]] std::uint32_t count() const { return end - first; }
  };

  static void read(const FrameContacts& frame, Manifolds& manifolds);
  static std::uint32_t large(const Manifolds& manifolds, Range range);
  void follow_uploaded(const Manifolds& from, Range range, opencl::StageTimer& timer);
  void follow_part(Range now, Range last, FrameContacts& frame, opencl::StageTimer& timer);
  bool follow_parts(Range now, Range last, FrameContacts& frame, opencl::StageTimer& timer);

  ContactTracking tracking_;
  Manifolds now_, last_;
  bool last_is_on_device_ = true;
  std::vector<TrackedManifold> part_;    // being uploaded
  std::vector<ManifoldChange> changes_;  // downloaded
  std::vector<ManifoldEvent> ended_;
};

}  // namespace oclide
