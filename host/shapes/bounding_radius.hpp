// The ball around a body.
#pragma once

#include <array>
#include <cmath>

#include "oclide/oclide.hpp"

namespace oclide {

/// Radius of the smallest ball about the centre that holds a body of this size, as of Bodies::size [m]; not of half
/// spaces.
[[nodiscard]] inline double bounding_radius(Shape shape, const std::array<double, 3>& size) {
  if (shape == Shape::box) return std::hypot(size[0], size[1], size[2]);
  if (shape == Shape::cylinder) return std::hypot(size[0], size[1]);
  return shape == Shape::sphere ? size[0] : size[0] + size[1];
}

}  // namespace oclide
