// The bounding sphere of a body.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "shapes/scene_geometry.hpp"
#include "shapes/shape_list.hpp"

namespace oclide {

using Size = std::array<double, 3>;

[[nodiscard]] inline double sphere_bounding_radius(const Size& size, const Geometry& /*geometry*/) {
  return size[0];
}
[[nodiscard]] inline double box_bounding_radius(const Size& size, const Geometry& /*geometry*/) {
  return std::hypot(size[0], size[1], size[2]);
}
[[nodiscard]] inline double cylinder_bounding_radius(const Size& size, const Geometry& /*geometry*/) {
  return std::hypot(size[0], size[1]);
}
[[nodiscard]] inline double capsule_bounding_radius(const Size& size, const Geometry& /*geometry*/) {
  return size[0] + size[1];
}

[[nodiscard]] inline double convex_hull_bounding_radius(const Size& size, const Geometry& geometry) {
  return geometry.hulls[static_cast<std::size_t>(size[0])].bounding_radius;
}
[[nodiscard]] inline double triangle_mesh_bounding_radius(const Size& size, const Geometry& geometry) {
  return geometry.meshes[static_cast<std::size_t>(size[0])].bounding_radius;
}

/// Radius of the smallest sphere about the centre that holds a body of this size, as of Bodies::size [m]; infinite of
/// half spaces. `geometry`: that of the scene. Throws std::logic_error for shapes that are none of a body's own:
/// compounds.
[[nodiscard]] inline double bounding_radius(Shape shape, const Size& size, const Geometry& geometry) {
  if (shape == Shape::half_space) return std::numeric_limits<double>::infinity();
#define OCLIDE_RADIUS(NAME, name) \
  if (shape == Shape::name) return name##_bounding_radius(size, geometry);
  OCLIDE_BOUNDED_SHAPES(OCLIDE_RADIUS)
#undef OCLIDE_RADIUS
  no_geometry("bounding radius", shape);
}

}  // namespace oclide
