// Closed loops of points that are one plane but for rounding, seen along its normal.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace oclide {

/// Indices in the loop of the corners of its hull, seen along the unit vector `normal`, counter-clockwise. What is
/// straight between two corners is none.
[[nodiscard]] std::vector<std::size_t> loop_corners(std::span<const glm::dvec3> points,
                                                    std::span<const std::uint32_t> loop, glm::dvec3 normal);

/// Seen along the unit vector `normal`, the loop goes round its own hull once, counter-clockwise, and none of its
/// points is more than `slack` inside of it.
[[nodiscard]] bool is_convex_loop(std::span<const glm::dvec3> points, std::span<const std::uint32_t> loop,
                                  glm::dvec3 normal, double slack);

}  // namespace oclide
