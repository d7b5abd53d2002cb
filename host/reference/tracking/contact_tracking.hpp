// Manifolds and contacts followed from frame to frame, one name after another, written from docs/tracking.md to be
// checked by reading.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::reference {

class ContactTracking {
 public:
  /// Sets the frame's events and previous contacts; it is the last one then.
  void follow(FrameContacts& frame);
  /// The next frame has none before it.
  void forget() { last_.clear(); }

 private:
  /// body_a, body_b, shape_a, shape_b
  using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint16_t>;
  struct TrackedContact {
    std::uint32_t index;     // in its frame
    std::uint32_t manifold;  // number in its frame
    std::uint32_t feature;
  };
  /// What a frame has under one name, in its order.
  struct Named {
    std::vector<std::uint32_t> manifolds;
    std::vector<TrackedContact> contacts;
  };
  using Frame = std::map<Name, Named>;

  static Frame read(const FrameContacts& frame);
  static void match(const Named& now, const Named& last, std::vector<std::uint32_t>& previous);
  static std::map<std::uint32_t, std::uint32_t> persisting(const Named& now, const Named& last,
                                                           const std::vector<std::uint32_t>& previous, bool on_terrain);

  Frame last_;
};

}  // namespace oclide::reference
