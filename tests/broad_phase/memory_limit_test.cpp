// A frame that does not fit in device memory is processed in slices, with the same bits.
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class MemoryLimit : public OnOpenCl {
 protected:
  static Collider limited(std::uint64_t bytes) {
    Settings settings;
    settings.device = opencl_device();
    settings.memory_limit = bytes;
    return Collider(settings);
  }
};

TestScene large_scene() {
  TestScene scene(rough({101, 121, {0.0, 0.0}, {0.25, 0.25}}, 0.1, 61));
  std::mt19937_64 random(62);
  std::uniform_real_distribution<double> x(0.0, 30.0), y(0.0, 25.0), z(-0.2, 0.8), size(0.2, 0.8);
  for (int k = 0; k < 4000; ++k) {
    const dvec3 p(x(random), y(random), z(random));
    const dquat q = random_orientation(random);
    const double s = size(random);
    scene.add(of_any_shape(static_cast<std::size_t>(k), s, p, q));
  }
  return scene;
}

TEST_F(MemoryLimit, LargeEnoughGivesTheSameBits) {
  const TestScene scene = large_scene();
  Collider& whole = collider_on("opencl");
  whole.set_scene(scene.scene);
  const FrameContacts expected = whole.collide(scene.poses());
  ASSERT_GT(expected.contacts.size(), 5000U);
  int worked = 0;
  for (std::uint64_t bytes : {64ULL << 20, 8ULL << 20, 4ULL << 20, 3ULL << 20, 2ULL << 20}) {
    try {
      Collider collider = limited(bytes);
      collider.set_scene(scene.scene);
      const FrameContacts found = collider.collide(scene.poses());
      ASSERT_TRUE(same_bits(found.contacts, expected.contacts)) << bytes;
      EXPECT_EQ(found.pairs, expected.pairs);
      EXPECT_EQ(found.candidates, expected.candidates);
      EXPECT_EQ(found.unreduced, expected.unreduced);
      ++worked;
    } catch (const Error& e) {
      // Too small for what a scene needs at the least; then it says so.
      EXPECT_EQ(e.kind(), ErrorKind::device);
      EXPECT_LE(bytes, 2ULL << 20) << e.what();
    }
  }
  EXPECT_GE(worked, 3);
}

// Terrain under a tenth of the bodies: what it takes is less than half of what there is, and too much beside the
// others.
TEST_F(MemoryLimit, ThatSufficesStillSufficesWhenRaised) {
  constexpr std::size_t kBodies = 20000;
  TestScene scene(rough({20, 20, {-0.5, -0.5}, {9.4, 9.4}}, 0.05, 65));
  scene.bodies_meet = true;
  scene.scene.environment_terrain = {0, -1};
  std::mt19937_64 random(66);
  std::uniform_real_distribution<double> at(0.0, 169.0), height(0.1, 0.35);
  for (std::size_t k = 0; k < kBodies; ++k) {
    BodySpec body = of_any_shape(k, 0.3, {at(random), at(random), height(random)}, random_orientation(random));
    body.environment = k % 10 == 0 ? 0 : 1;
    scene.add(body);
  }
  Settings settings;
  settings.device = opencl_device();
  const std::uint64_t least = plan_memory(scene.scene, scene.poses(), settings).least_device_bytes;
  Collider& whole = collider_on("opencl");
  whole.set_scene(scene.scene);
  const FrameContacts expected = whole.collide(scene.poses());
  ASSERT_GT(expected.body_pairs, 1000U);
  ASSERT_GT(expected.pairs, expected.body_pairs + 100);
  std::uint64_t suffices = 0;
  for (std::uint64_t percent = 98; percent <= 112; percent += 2) {
    try {
      Collider collider = limited(least * percent / 100);
      collider.set_scene(scene.scene);
      const FrameContacts found = collider.collide(scene.poses());
      ASSERT_TRUE(same_bits(found.contacts, expected.contacts)) << percent;
      if (suffices == 0) suffices = percent;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::device);
      EXPECT_EQ(suffices, 0U) << percent << " % of the least: " << e.what();
    }
  }
  EXPECT_GT(suffices, 0U);
  EXPECT_LE(suffices, 106U);
}

TEST_F(MemoryLimit, TooSmallForOneBodyNamesTheBytesNeeded) {
  const TestScene scene(rough({301, 301, {-15.0, -15.0}, {0.1, 0.1}}, 0.05, 63), {box({12.0, 12.0, 0.5}, {0, 0, 0.4})});
  // Enough for the terrain, not for the candidates of the one body that lies over all of it.
  Collider collider = limited(1700000);
  collider.set_scene(scene.scene);
  try {
    (void)collider.collide(scene.poses());
    FAIL() << "it fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::device);
    EXPECT_NE(std::string(e.what()).find("bytes"), std::string::npos) << e.what();
  }
}

TEST_F(MemoryLimit, TooSmallForTheTerrainNamesTheBytesNeeded) {
  Collider collider = limited(100000);
  try {
    collider.set_scene(TestScene(rough({301, 301, {0, 0}, {1, 1}}, 0.1, 64)).scene);
    FAIL() << "it fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::device);
    EXPECT_NE(std::string(e.what()).find("bytes"), std::string::npos) << e.what();
  }
}

TEST_F(MemoryLimit, AfterAFrameThatDidNotFitASmallerSceneWorks) {
  Collider collider = limited(1700000);
  const TestScene large(rough({301, 301, {-15.0, -15.0}, {0.1, 0.1}}, 0.05, 63), {box({12, 12, 0.5}, {0, 0, 0.4})});
  collider.set_scene(large.scene);
  EXPECT_THROW((void)collider.collide(large.poses()), Error);
  const TestScene small(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4})});
  collider.set_scene(small.scene);
  EXPECT_EQ(collider.collide(small.poses()).contacts.size(), 1U);
}

}  // namespace
}  // namespace oclide::test
