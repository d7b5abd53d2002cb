// Which parts of the terrain the broad phase hands on: extremes of size and number, and counts that make sense.
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class TerrainCandidates : public OnOpenCl {
 protected:
  static FrameContacts frame(const TestScene& scene) {
    Collider& collider = collider_on("opencl");
    collider.set_scene(scene.scene);
    return collider.collide(scene.poses());
  }
};

TEST_F(TerrainCandidates, OneBodyOverAHundredThousandCellsFindsItsContacts) {
  // 400 x 300 cells under one box; the highest vertices decide.
  Terrain t = rough({420, 520, {-26.0, -21.0}, {0.1, 0.1}}, 0.05, 51);
  t.heights[vertex(t, 210, 250)] = 0.5;
  const FrameContacts found = frame(TestScene(t, {box({20.0, 15.0, 0.3}, {0.02, 0.03, 0.79})}));
  EXPECT_EQ(found.pairs, 1U);
  EXPECT_NEAR(deepest(found.contacts), 0.01 / found.contacts[0].normal[2], kClosedForm * 20.0);
  const FrameContacts deep = frame(TestScene(t, {box({20.0, 15.0, 0.3}, {0.02, 0.03, 0.3})}));
  EXPECT_GT(deep.candidates, 100000U);
  EXPECT_EQ(deep.pairs, 1U);
}

TEST_F(TerrainCandidates, AHundredThousandBodiesOverNineCellsEachFindTheirContacts) {
  TestScene scene(rough({257, 259, {0.0, 0.0}, {1.0, 1.0}}, 0.01, 52));
  std::mt19937_64 random(53);
  std::uniform_real_distribution<double> across(2.0, 250.0);
  for (int k = 0; k < 100000; ++k) scene.add(sphere(0.9, {across(random), across(random), k % 2 == 0 ? 0.8 : 3.0}));
  const FrameContacts found = frame(scene);
  EXPECT_EQ(found.pairs, 50000U);
  // Nine sites at most, and none for the bodies in the air.
  EXPECT_LE(found.candidates, 50000U * 9U);
  EXPECT_GE(found.candidates, 50000U);
}

TEST_F(TerrainCandidates, AFlatRegionIsOneCandidateHoweverManyCellsItHas) {
  TestScene scene(plane({513, 401, {-20.0, -25.6}, {0.1, 0.1}}, 0, 0, 3.0));
  for (int k = 0; k < 50; ++k) scene.add(box({0.1 + 0.2 * k, 0.3, 0.1}, {0.0, 0.1 * k, 3.09}));
  const FrameContacts found = frame(scene);
  EXPECT_EQ(found.candidates, 50U);
  EXPECT_EQ(found.pairs, 50U);
  EXPECT_EQ(found.contacts.size(), 200U);
}

TEST_F(TerrainCandidates, ARegionWithAHoleOrABorderIsNotTakenForFlat) {
  Terrain t = plane({41, 41, {-10.0, -10.0}, {0.5, 0.5}}, 0, 0);
  t.holes.assign(1600, 0);
  t.holes[cell(t, 20, 20)] = 1;
  const FrameContacts found =
      frame(TestScene(t, {box({2.0, 2.0, 0.1}, {0.2, 0.2, 0.09}), sphere(0.2, {0.25, 0.25, 0.0}),
                          sphere(0.2, {0.25, 1.25, 0.15}), sphere(0.3, {-9.9, 0.1, 0.25})}));
  EXPECT_EQ(of_body(found.contacts, 1).size(), 0U);
  EXPECT_EQ(of_body(found.contacts, 2).size(), 1U);
  EXPECT_GT(found.candidates, 4U);
}

TEST_F(TerrainCandidates, BodiesHighAboveOrBesideTheGridGiveNone) {
  const FrameContacts found = frame(
      TestScene(rough({}, 0.1, 54), {sphere(0.5, {0, 0, 10}), box({1, 1, 1}, {0, 0, 100}), sphere(0.5, {11.2, 0, 0}),
                                     sphere(0.5, {0, -900, -5}), cylinder(0.5, 0.5, {1e8, 1e8, -5})}));
  EXPECT_EQ(found.candidates, 0U);
  EXPECT_EQ(found.pairs, 0U);
  EXPECT_TRUE(found.contacts.empty());
}

TEST_F(TerrainCandidates, AnEmptySceneGivesAnEmptyFrame) {
  const FrameContacts none = frame(TestScene{});
  EXPECT_TRUE(none.contacts.empty());
  EXPECT_EQ(none.pairs + none.candidates + none.unreduced, 0U);
  EXPECT_TRUE(frame(TestScene(plane({}, 0, 0))).contacts.empty());
}

TEST_F(TerrainCandidates, HalfSpacesNeverMeetTerrain) {
  TestScene scene(plane({}, 0, 0));
  scene.add({Shape::half_space, {0, 0, 0}, {0, 0, -1}});
  scene.add(sphere(0.5, {0, 0, 0.4}));
  scene.add({Shape::half_space, {0, 0, 0}, {0, 0, 1}});
  const FrameContacts found = frame(scene);
  ASSERT_EQ(found.contacts.size(), 1U);
  EXPECT_EQ(found.contacts[0].body_a, 1U);
}

TEST_F(TerrainCandidates, AMillionBodiesAreAllCounted) {
  TestScene scene(plane({257, 257, {0.0, 0.0}, {1.0, 1.0}}, 0, 0));
  constexpr std::size_t kBodies = 1000000;
  scene.scene.bodies.shape.assign(kBodies, Shape::sphere);
  scene.scene.bodies.size.assign(kBodies, {0.3, 0.0, 0.0});
  scene.scene.bodies.group.assign(kBodies, 1);
  std::mt19937_64 random(55);
  // Each over one cell, and no deeper than it is from the next ones.
  std::uniform_int_distribution<int> cell(1, 254);
  std::uniform_real_distribution<double> in_cell(0.36, 0.64);
  const auto across = [&] { return cell(random) + in_cell(random); };
  for (std::size_t k = 0; k < kBodies; ++k) {
    for (double p : {across(), across(), k % 4 == 0 ? 0.35 : 0.25}) scene.position.push_back(p);
    for (double q : {1.0, 0.0, 0.0, 0.0}) scene.orientation.push_back(q);
  }
  const FrameContacts found = frame(scene);
  EXPECT_EQ(found.pairs, 750000U);
  EXPECT_EQ(found.contacts.size(), 750000U);
  EXPECT_EQ(found.candidates, 750000U);
}

}  // namespace
}  // namespace oclide::test
