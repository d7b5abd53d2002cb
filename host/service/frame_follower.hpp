// Manifolds and contacts of a session from frame to frame (docs/tracking.md), in host memory: it does not matter which
// collider finds the next frame, or whether it finds those of other sessions as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::service {

class FrameFollower {
 public:
  /// As in FrameContacts.
  struct Found {
    std::vector<ManifoldEvent> events;
    std::vector<std::uint32_t> previous;
  };
  /// `contacts` are in the order of FrameContacts; they are the last frame then. `replaced`: rows, ascending, that have
  /// other bodies than in the frame before.
  [[nodiscard]] Found follow(std::span<const Contact> contacts, std::span<const std::uint32_t> replaced);

 private:
  struct Manifold {
    std::uint32_t body_a = kNone, body_b = kNone, shapes = kNone;
    std::uint32_t first = 0;  // contact

    [[nodiscard]] bool is_named_as(const Manifold& other) const {
      return body_a == other.body_a && body_b == other.body_b && shapes == other.shapes;
    }
    [[nodiscard]] bool is_before(const Manifold& other) const;
  };
  // With a manifold behind the last.
  struct Frame {
    std::vector<Manifold> manifolds{1};
    std::vector<std::uint32_t> features;

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(manifolds.size()) - 1; }
    [[nodiscard]] std::uint32_t end_of_name(std::uint32_t manifold) const;
  };
  // Manifolds of one name.
  struct Range {
    std::uint32_t first, end;
  };

  static void read(std::span<const Contact> contacts, Frame& frame);
  void match(Range now, Range last, std::vector<std::uint32_t>& previous);
  void persist(Range now, Range last, Found& found);

  Frame now_, last_;
  std::vector<bool> is_gone_on_with_;                    // of the last frame's manifolds
  std::vector<std::uint32_t> order_, last_order_, old_;  // of one name
};

}  // namespace oclide::service
