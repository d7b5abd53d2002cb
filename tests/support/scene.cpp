#include "support/scene.hpp"

#include <cmath>

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

void TestScene::add(const BodySpec& body) {
  scene.bodies.shape.push_back(body.shape);
  scene.bodies.size.push_back(body.size);
  scene.bodies.environment.push_back(body.environment);
  scene.bodies.group.push_back(bodies_meet ? 0 : 1);
  for (int a = 0; a < 3; ++a) position.push_back(body.position[a]);
  for (double q : {body.orientation.w, body.orientation.x, body.orientation.y, body.orientation.z})
    orientation.push_back(q);
}

}  // namespace oclide::test
