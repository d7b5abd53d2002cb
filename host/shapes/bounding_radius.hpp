// The bounding sphere of a body.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "shapes/shape_list.hpp"

namespace oclide {

using Size = std::array<double, 3>;

[[nodiscard]] inline double sphere_bounding_radius(const Size& size) {
  return size[0];
}
[[nodiscard]] inline double box_bounding_radius(const Size& size) {
  return std::hypot(size[0], size[1], size[2]);
}
[[nodiscard]] inline double cylinder_bounding_radius(const Size& size) {
  return std::hypot(size[0], size[1]);
}
[[nodiscard]] inline double capsule_bounding_radius(const Size& size) {
  return size[0] + size[1];
}

/// Radius of the smallest sphere about the centre that holds a body of this size, as of Bodies::size [m]; infinite of
/// half spaces. Throws std::logic_error for shapes that are none of a body's own: compounds, hulls.
[[nodiscard]] inline double bounding_radius(Shape shape, const Size& size) {
  if (shape == Shape::half_space) return std::numeric_limits<double>::infinity();
#define OCLIDE_RADIUS(NAME, name) \
  if (shape == Shape::name) return name##_bounding_radius(size);
  OCLIDE_BOUNDED_SHAPES(OCLIDE_RADIUS)
#undef OCLIDE_RADIUS
  no_geometry("bounding radius", shape);
}

}  // namespace oclide
