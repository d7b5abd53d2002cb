// Whether a closed loop of points is the border of a convex polygon.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>

namespace oclide {

/// Seen along the unit vector `normal`, the loop goes round its own hull once, counter-clockwise, and none of its
/// points is more than `slack` inside of it.
[[nodiscard]] bool is_convex_loop(std::span<const glm::dvec3> points, std::span<const std::uint32_t> loop,
                                  glm::dvec3 normal, double slack);

}  // namespace oclide
