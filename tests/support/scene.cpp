#include "support/scene.hpp"

#include <cmath>

#include "support/terrains.hpp"

namespace oclide::test {

dquat turn(dvec3 axis, double angle) {
  return glm::angleAxis(angle, glm::normalize(axis));
}

dquat random_orientation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  dquat q(normal(random), normal(random), normal(random), normal(random));
  return glm::normalize(q);
}

BodySpec sphere(double radius, dvec3 position) {
  return {Shape::sphere, {radius, 0.0, 0.0}, position};
}

BodySpec box(dvec3 half_extents, dvec3 position, dquat orientation) {
  return {Shape::box, {half_extents.x, half_extents.y, half_extents.z}, position, orientation};
}

BodySpec cylinder(double radius, double half_length, dvec3 position, dquat orientation) {
  return {Shape::cylinder, {radius, half_length, 0.0}, position, orientation};
}

BodySpec capsule(double radius, double half_length, dvec3 position, dquat orientation) {
  return {Shape::capsule, {radius, half_length, 0.0}, position, orientation};
}

BodySpec half_space(dvec3 position, dquat orientation) {
  return {Shape::half_space, {}, position, orientation};
}

BodySpec convex_hull(const ConvexHull& hull, dvec3 position, dquat orientation) {
  BodySpec body{Shape::convex_hull, {}, position, orientation};
  body.hull = &hull;
  return body;
}

BodySpec of_any_shape(std::size_t k, double radius, dvec3 position, dquat orientation) {
  switch (k % 4) {
    case 0:
      return sphere(radius, position);
    case 1:
      return box({radius, 0.5 * radius, 0.7 * radius}, position, orientation);
    case 2:
      return cylinder(radius, 0.6 * radius, position, orientation);
    default:
      return capsule(0.5 * radius, radius, position, orientation);
  }
}

void TestScene::add(const BodySpec& body) {
  scene.bodies.shape.push_back(body.shape);
  scene.bodies.size.push_back(body.size);
  scene.bodies.environment.push_back(body.environment);
  scene.bodies.group.push_back(bodies_meet ? 0 : 1);
  for (int a = 0; a < 3; ++a) position.push_back(body.position[a]);
  for (double q : {body.orientation.w, body.orientation.x, body.orientation.y, body.orientation.z})
    orientation.push_back(q);
}

TestScene heap(std::size_t bodies, std::uint64_t seed) {
  TestScene scene(rough({41, 47, {-10.0, -9.0}, {0.5, 0.4}}, 0.2, seed));
  scene.bodies_meet = true;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> x(-8.0, 8.0), y(-7.0, 6.0), z(-0.3, 1.2), size(0.15, 0.45);
  for (std::size_t k = 0; k < bodies; ++k) {
    const dvec3 p(x(random), y(random), z(random));
    const dquat q = random_orientation(random);
    const double s = k == 5 ? 3.0 : size(random);
    BodySpec body = of_any_shape(k, s, p, q);
    body.environment = static_cast<std::uint32_t>(k % 7 == 0 ? 1 : 0);
    scene.add(body);
  }
  BodySpec ground = half_space({0.0, 0.0, -0.1}, turn({1.0, 0.3, 0.0}, 0.05));
  ground.environment = 1;
  scene.add(ground);
  scene.scene.environment_terrain = {0, -1};
  return scene;
}

}  // namespace oclide::test
