// Poses staged ahead of their frame: the same contacts as without, from another thread as well.
#include <thread>
#include <vector>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class Staging : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(Staging);

// Bodies that sink a little deeper from frame to frame.
TestScene sinking(int frame) {
  const double z = 0.5 - 0.01 * frame;
  return TestScene(plane({}, 0.1, 0.05), {sphere(0.5, {0.1, 0.2, z}), box({0.3, 0.2, 0.4}, {2.1, 0.2, z + 0.1}),
                                          cylinder(0.3, 0.4, {1.1, 1.3, z}), capsule(0.3, 0.4, {-1.2, 0.7, z})});
}

TEST_P(Staging, GivesTheContactsOfTheSamePoses) {
  Collider& collider = collider_on(GetParam());
  collider.set_scene(sinking(0).scene);
  for (int frame = 0; frame < 5; ++frame) {
    const TestScene s = sinking(frame);
    const FrameContacts direct = collider.collide(s.poses());
    const FrameContacts staged = collider.collide_staged(collider.stage(s.poses()));
    ASSERT_FALSE(direct.contacts.empty());
    EXPECT_EQ(contact_hash(direct.contacts), contact_hash(staged.contacts));
  }
}

TEST_P(Staging, OnAnotherThreadWhileFramesAreComputedMixesNothingUp) {
  constexpr int kFrames = 20;
  Collider& collider = collider_on(GetParam());
  collider.set_scene(sinking(0).scene);
  std::vector<std::uint64_t> expected;
  for (int frame = 0; frame < kFrames; ++frame)
    expected.push_back(contact_hash(collider.collide(sinking(frame).poses()).contacts));
  Collider::StagedPoses next = collider.stage(sinking(0).poses());
  for (int frame = 0; frame < kFrames; ++frame) {
    Collider::StagedPoses now = std::move(next);
    std::thread stager([&] {
      if (frame + 1 < kFrames) next = collider.stage(sinking(frame + 1).poses());
    });
    const FrameContacts contacts = collider.collide_staged(std::move(now));
    stager.join();
    EXPECT_EQ(contact_hash(contacts.contacts), expected[static_cast<std::size_t>(frame)]) << "frame " << frame;
  }
}

TEST_P(Staging, RefusesWhatCollideRefuses) {
  Collider& collider = collider_on(GetParam());
  const TestScene s = sinking(0);
  collider.set_scene(s.scene);
  std::vector<double> shorter(s.position.begin(), s.position.end() - 3);
  EXPECT_THROW((void)collider.stage({shorter, s.orientation}), Error);
  EXPECT_THROW((void)collider.collide_staged(nullptr), Error);
  // Staged for another scene.
  const Collider::StagedPoses old = collider.stage(s.poses());
  const TestScene other(plane({}, 0, 0), {sphere(0.5, {0, 0, 0.4})});
  collider.set_scene(other.scene);
  EXPECT_THROW((void)collider.collide_staged(old), Error);
  EXPECT_EQ(collider.collide(other.poses()).pairs, 1U);
}

}  // namespace
}  // namespace oclide::test
