// Two or more bodies without terrain, as the reference sees them: what the tests of body pairs share.
#pragma once

#include <optional>
#include <random>
#include <utility>

#include "backend.hpp"
#include "reference/narrow_phase/pair_manifold.hpp"
#include "reference/one_body.hpp"

namespace oclide::test {

using reference::PairContact;
using reference::PairManifold;

inline OneBody ball(double radius, dvec3 position) {
  return {Shape::sphere, {radius, 0.0, 0.0}, position};
}
inline OneBody block(dvec3 half, dvec3 position, Quaternion orientation = kUpright) {
  return {Shape::box, {half.x, half.y, half.z}, position, orientation};
}
inline OneBody drum(double radius, double half_length, dvec3 position, Quaternion orientation = kUpright) {
  return {Shape::cylinder, {radius, half_length, 0.0}, position, orientation};
}
inline OneBody pill(double radius, double half_length, dvec3 position, Quaternion orientation = kUpright) {
  return {Shape::capsule, {radius, half_length, 0.0}, position, orientation};
}
inline OneBody floor_at(dvec3 position, Quaternion orientation = kUpright) {
  return {Shape::half_space, {0.0, 0.0, 0.0}, position, orientation};
}
inline OneBody hulled(const std::vector<std::array<double, 3>>& points, dvec3 position,
                      Quaternion orientation = kUpright) {
  return {Shape::convex_hull,
          {0.0, 0.0, 0.0},
          position,
          orientation,
          std::make_shared<ConvexHull>(build_convex_hull(points, "hull"))};
}

/// Depth and normal when nothing is too far apart.
inline reference::LeastPenetration penetration(const OneBody& a, const OneBody& b) {
  return reference::pair_penetration(a.body(), b.body(), b.position - a.position, 1e6).value();
}

/// With points in the world.
inline std::optional<PairManifold> manifold(const OneBody& a, const OneBody& b, double margin = 0.0) {
  auto found = reference::collide_pair(a.body(), b.body(), b.position - a.position, margin);
  if (found)
    for (PairContact& c : found->contacts) c.point += a.position;
  return found;
}

/// Bodies that meet, without terrain.
struct BodyScene {
  Scene scene;
  std::vector<double> position, orientation;

  explicit BodyScene(const std::vector<OneBody>& bodies) {
    for (const OneBody& b : bodies) add(b);
  }
  void add(const OneBody& b) {
    scene.bodies.shape.push_back(b.shape);
    scene.bodies.size.push_back(b.size);
    if (b.hull) {
      scene.bodies.size.back() = {static_cast<double>(scene.hulls.size()), 0.0, 0.0};
      scene.hulls.emplace_back();
      for (const glm::vec3& v : b.hull->vertices) scene.hulls.back().push_back({v.x, v.y, v.z});
    }
    position.insert(position.end(), {b.position.x, b.position.y, b.position.z});
    orientation.insert(orientation.end(), b.orientation.begin(), b.orientation.end());
  }
  [[nodiscard]] Poses poses() const { return {position, orientation}; }
  [[nodiscard]] FrameContacts collide(double margin = 0.0) const {
    Settings settings;
    settings.margin = margin;
    const auto backend = make_reference_backend(settings);
    backend->set_scene(scene, scene.bodies, build_geometry(scene));
    return backend->collide({poses()});
  }
};

inline dvec3 random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return glm::normalize(dvec3(normal(random), normal(random), normal(random)));
}
inline Quaternion random_turn(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random), normal(random)};
}

}  // namespace oclide::test
