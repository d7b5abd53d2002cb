#include "reference/rays/ray_scene.hpp"

#include <algorithm>
#include <cmath>

#include "reference/body_contacts.hpp"
#include "scene/terrain_of.hpp"

namespace oclide::reference {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Distances that are no greater than the least by more than this are equal [m].
constexpr double kEqualDistance = 3e-5;

// By how much bounding spheres are grown for rounding, as a part of their radius and of the ray's distance from their
// centre.
constexpr double kSphereGrow = 1e-12;

Hit miss() {
  Hit hit;
  hit.distance = kNever;
  return hit;
}

Hit as_hit(std::uint32_t body, const RayHit& found, dvec3 point) {
  Hit hit;
  hit.point = {point.x, point.y, point.z};
  hit.distance = found.distance;
  hit.normal = {static_cast<float>(found.normal.x), static_cast<float>(found.normal.y),
                static_cast<float>(found.normal.z)};
  hit.body = body, hit.element = found.element, hit.material = found.material;
  return hit;
}

// A ray of which no place is too far away for a number.
bool is_finite(const NearRay& ray) {
  return std::isfinite(ray.point.x) && std::isfinite(ray.point.y) && std::isfinite(ray.point.z);
}

bool meets_sphere(const NearRay& ray, double radius) {
  const double nearest = std::clamp(-glm::dot(ray.point, ray.direction), 0.0, std::max(ray.length, 0.0));
  return glm::length(ray.point + nearest * ray.direction) <= radius + kSphereGrow * (radius + glm::length(ray.point));
}

}  // namespace

RayScene::RayScene(const Scene& scene, const Geometry& geometry, const Poses& poses) : scene_(scene) {
  bodies_.reserve(scene.bodies.count());
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) {
    const Body body = body_at(scene.bodies, geometry, poses, i);
    bodies_.push_back({body, centre_of(poses, i), body.bounding_radius()});
  }
  terrains_.reserve(scene.terrains.size());
  for (const Terrain& terrain : scene.terrains) terrains_.emplace_back(terrain);
}

Hit RayScene::hit_of(const Ray& ray, std::uint32_t body) const {
  if (body == kTerrain) {
    const int terrain = terrain_in(scene_, ray.environment);
    if (terrain < 0) return miss();
    const auto found = terrains_[static_cast<std::size_t>(terrain)].first_hit(ray);
    return found ? as_hit(kTerrain, found->hit, found->point) : miss();
  }
  const Bodies& bodies = scene_.bodies;
  if (!is_active(bodies, body)) return miss();
  if ((bodies.environment.empty() ? 0U : bodies.environment[body]) != ray.environment) return miss();
  if (((bodies.category.empty() ? 1U : bodies.category[body]) & ray.mask) == 0) return miss();
  const PlacedBody& placed = bodies_[body];
  const bool is_bounded = std::isfinite(placed.radius);
  const double before = is_bounded ? ray.distance_to_sphere(placed.centre, placed.radius) : 0.0;
  const NearRay near = ray.seen_from(placed.centre, before);
  if (!is_finite(near) || (is_bounded && !meets_sphere(near, placed.radius))) return miss();
  auto found = body_ray(placed.body, near);
  if (!found || !std::isfinite(found->distance)) return miss();
  const dvec3 point = placed.centre + (near.point + found->distance * near.direction);
  found->distance += before;
  return as_hit(body, *found, point);
}

Hit RayScene::first_hit(const Ray& ray) const {
  std::vector<Hit> hits;
  for (std::uint32_t i = 0; i < bodies_.size(); ++i)
    if (const Hit hit = hit_of(ray, i); hit.body != kNothing) hits.push_back(hit);
  if (const Hit hit = hit_of(ray, kTerrain); hit.body != kNothing) hits.push_back(hit);
  double least = kNever;
  for (const Hit& hit : hits) least = std::min(least, hit.distance);
  for (const Hit& hit : hits)
    if (hit.distance <= least + kEqualDistance) return hit;
  return miss();
}

}  // namespace oclide::reference
