// Which terrain a body meets.
#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class TerrainsOfAScene : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(TerrainsOfAScene);

TEST_P(TerrainsOfAScene, ThousandsOfEnvironmentsShareOneTerrain) {
  TestScene scene(rough({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, 0.1, 21));
  constexpr std::uint32_t kEnvironments = kTakesItsTime ? 3000 : 1001;
  scene.scene.environment_terrain.assign(kEnvironments, 0);
  for (std::uint32_t e = 0; e < kEnvironments; ++e) {
    BodySpec b = cylinder(0.3, 0.2, {0.3, 0.2, 0.15}, turn({1, 2, 3}, 0.5));
    b.environment = e;
    scene.add(b);
  }
  const std::vector<Contact> found = frame(scene).contacts;
  const std::vector<Contact> first = of_body(found, 0);
  ASSERT_FALSE(first.empty());
  ASSERT_EQ(found.size(), kEnvironments * first.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_EQ(found[k].point, first[k % first.size()].point);
    ASSERT_EQ(found[k].depth, first[k % first.size()].depth);
  }
}

TEST_P(TerrainsOfAScene, AnEnvironmentWithoutTerrainHasNoContacts) {
  TestScene scene(plane({}, 0, 0));
  scene.scene.environment_terrain = {-1, 0, -1};
  for (std::uint32_t e = 0; e < 3; ++e) {
    BodySpec b = sphere(0.5, {0.1, 0.2, 0.4});
    b.environment = e;
    scene.add(b);
  }
  const FrameContacts found = frame(scene);
  EXPECT_EQ(found.pairs, 1U);
  ASSERT_EQ(found.contacts.size(), 1U);
  EXPECT_EQ(found.contacts[0].body_a, 1U);
}

TEST_P(TerrainsOfAScene, WithoutAListEveryEnvironmentHasTheFirst) {
  TestScene scene(plane({}, 0, 0));
  scene.scene.terrains.push_back(plane({}, 0, 0, 50.0));
  for (std::uint32_t e : {0U, 7U, 4000000000U}) {
    BodySpec b = sphere(0.5, {0.1, 0.2, 0.4});
    b.environment = e;
    scene.add(b);
  }
  EXPECT_EQ(frame(scene).contacts.size(), 3U);
}

TEST_P(TerrainsOfAScene, WithoutAnyTerrainThereAreNoContacts) {
  TestScene scene;
  scene.add(sphere(0.5, {0, 0, 0}));
  const FrameContacts found = frame(scene);
  EXPECT_TRUE(found.contacts.empty());
  EXPECT_EQ(found.pairs, 0U);
}

TEST_P(TerrainsOfAScene, OfDifferentSpacingOriginAndPrecisionDoNotMix) {
  TestScene scene;
  scene.scene.terrains = {plane({5, 4, {-3.0, -2.0}, {2.0, 1.0}}, 0, 0, 1.0),
                          plane({50, 70, {-1.5, -1.5}, {0.05, 0.07}}, 0, 0, 2.0 + 1.0 / 3.0),
                          plane({2, 2, {-9.0, -9.0}, {18.0, 17.0}}, 0, 0, 3.0)};
  scene.scene.terrains[1].material.assign(49 * 69, 5);
  scene.scene.terrains[2].material.assign(1, 9);
  scene.scene.environment_terrain = {2, 0, 1};
  for (std::uint32_t e = 0; e < 3; ++e) {
    const double z[]{3.0, 1.0, 2.0 + 1.0 / 3.0};
    BodySpec b = sphere(0.5, {0.12, 0.23, z[e] + 0.45});
    b.environment = e;
    scene.add(b);
  }
  const std::vector<Contact> found = contacts(scene);
  ASSERT_EQ(found.size(), 3U);
  const std::uint8_t material[]{9, 0, 5};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found[k].depth, 0.05, kClosedForm);
    EXPECT_EQ(found[k].material, material[k]);
  }
}

}  // namespace
}  // namespace oclide::test
