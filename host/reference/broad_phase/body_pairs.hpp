// Which bodies can be in contact with each other.
#pragma once

#include <cstdint>
#include <vector>

#include "oclide/oclide.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide::reference {

/// a < b.
struct BodyPair {
  std::uint32_t a, b;
  auto operator<=>(const BodyPair&) const = default;
};

/// Which of some bodies, which must outlive it, may meet: docs/body_contacts.md, "Which bodies meet".
class MeetRules {
 public:
  explicit MeetRules(const Bodies& bodies);
  /// Environment, group, category, mask, flags and shape let the two meet, and they are no excluded pair.
  [[nodiscard]] bool may_meet(std::size_t a, std::size_t b) const;

 private:
  const Bodies& bodies_;
  std::vector<std::uint64_t> excluded_;  // ascending
};
/// The same of two bodies alone.
[[nodiscard]] inline bool may_meet(const Bodies& bodies, std::size_t a, std::size_t b) {
  return MeetRules(bodies).may_meet(a, b);
}

/// All pairs that may meet and whose bounding boxes, grown together by the margin of the pair, overlap, in order: sort
/// and sweep along the axis of greatest spread in each environment. A half space is paired with all of its environment.
[[nodiscard]] std::vector<BodyPair> body_pairs(const Bodies& bodies, const Geometry& geometry, const Poses& poses,
                                               double margin);

}  // namespace oclide::reference
