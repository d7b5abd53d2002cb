// Faces and lines seen along a normal, and what they have in common: convex polygons in a plane.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/narrow_phase/pair_manifold.hpp"
#include "reference/narrow_phase/turned_feature.hpp"

namespace oclide::reference {

/// A convex polygon seen along n; each corner knows the side that leaves it.
struct Corner {
  dvec2 at;
  std::uint32_t side;
};
using Polygon = std::vector<Corner>;

[[nodiscard]] double cross2(dvec2 p, dvec2 q);

/// Keeps where inside(p) = offset + slope.p >= 0; the cut is side `side`.
[[nodiscard]] Polygon cut(const Polygon& polygon, double offset, dvec2 slope, std::uint32_t side);

/// Counter-clockwise.
[[nodiscard]] Polygon seen_along(const Turned& face, const Across& across);

/// Keeps of a polygon what lies in the face, `inward` within its sides.
[[nodiscard]] Polygon cut_with_face(Polygon polygon, const Turned& face, const Across& across, double inward,
                                    std::uint32_t first_side);

/// Part of the segment p + t d, 0 <= t <= 1, that lies in a face, `inward` within its sides, all seen along n.
[[nodiscard]] std::optional<std::array<double, 2>> part_in_face(dvec3 p, dvec3 d, const Turned& face, dvec3 n,
                                                                const Across& across, double inward);

}  // namespace oclide::reference
