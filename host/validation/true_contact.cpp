#include "validation/true_contact.hpp"

#include <algorithm>
#include <cmath>

#include "validation/tolerances.hpp"

namespace oclide::validation {

using namespace reference;

std::string what_is_false(const Body& body, const TerrainSurface& ground, dvec3 point, dvec3 normal, double depth) {
  if (!(std::abs(glm::length(normal) - 1.0) <= kUnit)) return "normal is not unit";
  if (!(normal.z >= -kHorizon)) return "normal points down";
  if (!(std::abs(body.signed_distance(point)) <= kLength)) return "point is not on the body";
  const dvec3 q = point + depth * normal;
  if (!(std::min(ground.distance(q), ground.wall_distance(q)) <= depth_tolerance(depth)))
    return "point + depth * normal is not on the ground";
  if (depth > kLength) {
    // In the solid, or within the tolerance of it.
    const std::optional<double> height = ground.view.height(dvec2(point));
    const bool in_solid = height && *height >= point.z;
    if (!in_solid && !(std::min(ground.distance(point), ground.wall_distance(point)) <= kLength))
      return "point is not in the ground";
  }
  return {};
}

}  // namespace oclide::validation
