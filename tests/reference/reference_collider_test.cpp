#include <algorithm>

#include "backend.hpp"
#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

struct Frame {
  std::vector<double> position, orientation;
  [[nodiscard]] Poses poses() const { return {position, orientation}; }
  void add(dvec3 p, Quaternion q = kUpright) {
    position.insert(position.end(), {p.x, p.y, p.z});
    orientation.insert(orientation.end(), q.begin(), q.end());
  }
};

// Of one group: here bodies meet terrain alone.
void add_sphere(Scene& scene, double radius) {
  scene.bodies.shape.push_back(Shape::sphere);
  scene.bodies.group.push_back(1);
  scene.bodies.size.push_back({radius, 0.0, 0.0});
}

FrameContacts collide(const Scene& scene, const Frame& frame, double margin = 0.0) {
  Settings settings;
  settings.margin = margin;
  const auto backend = make_reference_backend(settings);
  backend->set_scene(scene, scene.bodies, build_geometry(scene));
  return backend->collide({frame.poses()});
}

TEST(ReferenceCollider, AnEmptySceneHasNoContacts) {
  EXPECT_TRUE(collide({}, {}).contacts.empty());
  Scene scene;
  add_sphere(scene, 0.5);
  Frame frame;
  frame.add({0.0, 0.0, 0.0});
  EXPECT_TRUE(collide(scene, frame).contacts.empty());  // a body, but no terrain
}

TEST(ReferenceCollider, OrdersByBodyAndNumbersManifolds) {
  Scene scene;
  scene.terrains.push_back(around_origin([](double x, double) { return std::abs(x); }));
  Frame frame;
  for (int i = 0; i < 40; ++i) {
    add_sphere(scene, 0.5);
    frame.add({0.0, -2.0 + 0.1 * i, i % 2 == 0 ? 0.6 : 5.0});
  }
  const FrameContacts result = collide(scene, frame);
  EXPECT_EQ(result.pairs, 20u);
  ASSERT_EQ(result.contacts.size(), 40u);
  EXPECT_GE(result.unreduced, 40u);
  EXPECT_GT(result.candidates, 0u);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(result.contacts[i].body_a, 2 * (i / 2));
    EXPECT_EQ(result.contacts[i].body_b, kTerrain);
    EXPECT_EQ(result.contacts[i].manifold, i);
  }
  EXPECT_EQ(contact_hash(result.contacts), contact_hash(collide(scene, frame).contacts));
}

TEST(ReferenceCollider, EnvironmentsChooseTheirTerrain) {
  Scene scene;
  scene.terrains = {around_origin(flat), around_origin([](double, double) { return 1.0; })};
  scene.terrains[1].material.assign(6 * 8, 9);
  scene.environment_terrain = {0, 1, -1};
  Frame frame;
  for (std::uint32_t e = 0; e < 3; ++e) {
    add_sphere(scene, 0.5);
    scene.bodies.environment.push_back(e);
    frame.add({0.3, 0.4, 0.4});
  }
  const FrameContacts result = collide(scene, frame);
  ASSERT_EQ(result.contacts.size(), 2u);
  EXPECT_NEAR(result.contacts[0].depth, 0.1, 1e-6);
  EXPECT_EQ(result.contacts[0].material, 0);
  EXPECT_NEAR(result.contacts[1].depth, 1.1, 1e-6);
  EXPECT_EQ(result.contacts[1].material, 9);
}

TEST(ReferenceCollider, HalfSpacesNeverMeetTerrain) {
  Scene scene;
  scene.terrains.push_back(around_origin(flat));
  scene.bodies.shape = {Shape::half_space};
  scene.bodies.size = {{0.0, 0.0, 0.0}};
  Frame frame;
  frame.add({0.0, 0.0, 0.0});
  EXPECT_TRUE(collide(scene, frame).contacts.empty());
}

TEST(ReferenceCollider, UpdatedHeightsCount) {
  Scene scene;
  scene.terrains.push_back(around_origin(flat));
  add_sphere(scene, 0.5);
  Frame frame;
  frame.add({0.3, 0.4, 1.0});
  const auto backend = make_reference_backend({});
  backend->set_scene(scene, scene.bodies, build_geometry(scene));
  EXPECT_TRUE(backend->collide({frame.poses()}).contacts.empty());
  backend->update_heights(0, 2, 3, 3, 4, std::vector<double>(12, 0.7));
  const FrameContacts result = backend->collide({frame.poses()});
  ASSERT_EQ(result.contacts.size(), 1u);
  EXPECT_NEAR(result.contacts[0].depth, 0.2, 1e-6);
}

TEST(ReferenceCollider, HoldsTenKilometresFromTheOrigin) {
  Scene scene;
  scene.terrains.push_back(make_terrain(5, 4, {9998.3, -9999.1}, {1.0, 1.0}, [](double, double) { return 1234.5; }));
  add_sphere(scene, 0.05);
  Frame frame;
  frame.add({10000.0, -9997.0, 1234.5 + 0.049});
  const FrameContacts result = collide(scene, frame);
  ASSERT_EQ(result.contacts.size(), 1u);
  EXPECT_NEAR(result.contacts[0].depth, 0.001, 1e-9);
}

TEST(ReferenceCollider, FeaturesStayWhileABodyMovesOnItsFace) {
  Scene scene;
  scene.terrains.push_back(around_origin([](double x, double) { return std::max(0.0, x - 2.0); }));
  add_sphere(scene, 0.5);
  Frame first, second, next_cell, slope;
  first.add({0.2, 0.2, 0.4});
  second.add({0.3, 0.3, 0.45});
  next_cell.add({1.2, -0.8, 0.4});
  slope.add({2.6, 0.2, 1.1});
  const std::uint32_t feature = collide(scene, first).contacts.at(0).feature;
  EXPECT_EQ(collide(scene, second).contacts.at(0).feature, feature);
  EXPECT_EQ(collide(scene, next_cell).contacts.at(0).feature, feature);
  EXPECT_NE(collide(scene, slope).contacts.at(0).feature, feature);
}

}  // namespace
}  // namespace oclide::test
