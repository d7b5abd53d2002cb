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

/// Environment, group, category, mask and shape let the two meet (docs/body_contacts.md, "Which bodies meet").
[[nodiscard]] bool may_meet(const Bodies& bodies, std::size_t a, std::size_t b);

/// All pairs that may meet and whose bounding boxes, grown together by the margin, overlap, in order: sort and sweep
/// along the axis of greatest spread in each environment. A half space is paired with all of its environment.
[[nodiscard]] std::vector<BodyPair> body_pairs(const Bodies& bodies, const Geometry& geometry, const Poses& poses,
                                               double margin);

}  // namespace oclide::reference
