#include "reference/queries/distance_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/body_contacts.hpp"
#include "scene/terrain_of.hpp"

namespace oclide::reference {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

}  // namespace

QueryPoint query_point(const QueryPoints& points, std::size_t index) {
  const double* p = &points.position[3 * index];
  double range = kNowhere;
  if (!points.range.empty()) range = points.range[index];
  return {{p[0], p[1], p[2]},
          range,
          points.environment.empty() ? 0U : points.environment[index],
          points.mask.empty() ? 0xFFFFFFFFU : points.mask[index]};
}

DistanceScene::DistanceScene(const Scene& scene, const Geometry& geometry, const Poses& poses) : scene_(scene) {
  bodies_.reserve(scene.bodies.count());
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) {
    const Body body = body_at(scene.bodies, geometry, poses, i);
    bodies_.push_back({body, centre_of(poses, i), body.bounding_radius()});
  }
}

bool DistanceScene::counts(const QueryPoint& point, std::uint32_t body) const {
  const Bodies& all = scene_.bodies;
  return is_active(all, body) && (all.environment.empty() ? 0U : all.environment[body]) == point.environment &&
         ((all.category.empty() ? 1U : all.category[body]) & point.mask) != 0;
}

SignedDistance DistanceScene::distance_to(const QueryPoint& point, std::uint32_t body) const {
  if (body == kTerrain) {
    const int terrain = terrain_in(scene_, point.environment);
    if (terrain < 0) return {kNowhere, dvec3(0.0)};
    return terrain_distance(scene_.terrains[static_cast<std::size_t>(terrain)], point.position);
  }
  if (!counts(point, body)) return {kNowhere, dvec3(0.0)};
  return body_distance(bodies_[body].body, point.position - bodies_[body].centre);
}

Hit DistanceScene::nearest(const QueryPoint& point) const {
  SignedDistance least{kNowhere, dvec3(0.0)};
  std::uint32_t nearest = kNothing;
  const auto look_at = [&](std::uint32_t body) {
    const SignedDistance found = distance_to(point, body);
    if (found.distance < least.distance) least = found, nearest = body;
  };
  for (std::uint32_t i = 0; i < bodies_.size(); ++i)
    if (glm::distance(point.position, bodies_[i].centre) - bodies_[i].radius < std::max(least.distance, 0.0) ||
        bodies_[i].body.shape == Shape::half_space)
      look_at(i);
  look_at(kTerrain);
  Hit hit;
  if (nearest == kNothing || !(least.distance <= point.range)) {
    hit.distance = kNowhere;
    return hit;
  }
  hit.distance = least.distance;
  for (int a = 0; a < 3; ++a) {
    const auto k = static_cast<std::size_t>(a);
    hit.point[k] = point.position[a] - least.distance * least.normal[a];
    hit.normal[k] = static_cast<float>(least.normal[a]);
  }
  hit.body = nearest, hit.element = least.element, hit.material = least.material;
  return hit;
}

}  // namespace oclide::reference
