#include "validation/true_contact.hpp"

#include <algorithm>
#include <cmath>

#include "shapes/shape_list.hpp"
#include "validation/tolerances.hpp"

namespace oclide::validation {

using namespace reference;

std::string what_is_false(const Body& body, const TerrainSurface& ground, dvec3 point, dvec3 normal, double depth) {
  if (!(std::abs(glm::length(normal) - 1.0) <= kUnit)) return "normal is not unit";
  if (!(normal.z >= -kHorizon)) return "normal points down";
  if (!(std::abs(body.signed_distance(point)) <= kLength)) return "point is not on the body";
  const dvec3 q = point + depth * normal;
  const double tolerance = depth_tolerance(depth);
  if (!(ground.boundary_distance(q, 2.0 * tolerance) <= tolerance))
    return "point + depth * normal is not on the ground";
  // In the solid, or within the tolerance of it. A ball beyond a wall is pushed out of the wall's nearest side, be
  // there free space behind the wall or not: there it is what lies just inside that side that must be solid.
  const bool wall = normal.z <= kHorizon;
  const dvec3 inside = wall ? q - std::min(depth, 2.0 * kLength) * normal : point;
  bool is_solid = depth <= kLength || std::min(ground.outside(point, 1.0), ground.outside(inside, 1.0)) <= kLength;
  // Beside a steep pit that is thinner than any length, and a wall of it is known by the cell that stands behind.
  const bool is_ball = (ROUNDED_SHAPES >> static_cast<unsigned>(body.shape) & 1u) != 0;
  if (wall && is_ball && !is_solid && ground.wall_distance(q) <= kLength)
    is_solid = ground.view.height(dvec2(q - 2.0 * kLength * normal)).has_value();
  if (!is_solid) return "point is not in the ground";
  return {};
}

}  // namespace oclide::validation
