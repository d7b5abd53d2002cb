#include "reference/queries/overlap_scene.hpp"

#include "reference/body_contacts.hpp"
#include "scene/terrain_of.hpp"

namespace oclide::reference {

OverlapScene::OverlapScene(const Scene& scene, const Geometry& geometry, const Poses& poses)
    : scene_(scene), geometry_(geometry) {
  bodies_.reserve(scene.bodies.count());
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) {
    const Body body = body_at(scene.bodies, geometry, poses, i);
    bodies_.push_back({body, centre_of(poses, i), body.bounding_radius()});
  }
  for (const Terrain& terrain : scene.terrains) highest_.push_back(highest_of(terrain));
}

QueryShape OverlapScene::shape_of(const QueryParts& parts, std::size_t index) const {
  const QueryParts::Part part = parts.at(index);
  const std::size_t query = parts.query_of(index);
  const QueryShapes& all = parts.queries();
  const ConvexHull* hull =
      part.shape == Shape::convex_hull ? &geometry_.hulls[static_cast<std::size_t>(part.size[0])] : nullptr;
  return {make_body(part.shape, part.size, part.orientation, hull),
          {part.position[0], part.position[1], part.position[2]},
          all.environment.empty() ? 0U : all.environment[query],
          all.mask.empty() ? 0xFFFFFFFFU : all.mask[query],
          all.group.empty() ? 0 : all.group[query]};
}

// Seen from the shape's centre; nothing moves.
bool OverlapScene::overlaps(const QueryShape& shape, std::uint32_t body, const TouchLimits& limits) const {
  const MovingSolid solid = moving_body(shape.body, dvec3(0.0), {});
  std::uint64_t looked_at = 0;
  if (body == kTerrain) {
    const int terrain = terrain_in(scene_, shape.environment);
    if (terrain < 0) return false;
    const auto k = static_cast<std::size_t>(terrain);
    const TerrainToTouch ground{scene_.terrains[k], highest_[k], shape.centre};
    return ground.first_touch(solid, limits, looked_at).has_value();
  }
  const Bodies& all = scene_.bodies;
  if (!is_active(all, body)) return false;
  if ((all.environment.empty() ? 0U : all.environment[body]) != shape.environment) return false;
  if (((all.category.empty() ? 1U : all.category[body]) & shape.mask) == 0) return false;
  if (shape.group != 0 && !all.group.empty() && all.group[body] == shape.group) return false;
  const PlacedBody& other = bodies_[body];
  const dvec3 way = other.centre - shape.centre;
  if (glm::length(way) > shape.body.bounding_radius() + other.radius + limits.near_enough) return false;
  if (other.body.shape == Shape::half_space)
    return first_touch_of_plane(solid, other.body.axis(), {way, dvec3(0.0), dvec3(0.0)}, limits).has_value();
  if (other.body.shape == Shape::triangle_mesh)
    return MeshToTouch{*other.body.mesh, other.body.axes, way, {}}
        .first_touch(solid, shape.body.middle(), limits, looked_at)
        .has_value();
  return first_touch(solid, moving_body(other.body, way, {}), 0.0, 1.0, limits).has_value();
}

std::uint32_t OverlapScene::lowest(const QueryShape& shape, const TouchLimits& limits) const {
  for (std::uint32_t i = 0; i < bodies_.size(); ++i)
    if (overlaps(shape, i, limits)) return i;
  return overlaps(shape, kTerrain, limits) ? kTerrain : kNothing;
}

}  // namespace oclide::reference
