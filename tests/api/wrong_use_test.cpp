// Calls that a Collider refuses whatever their arguments: after a move, of another Collider's poses, of two threads at
// once; and what it is after a call that failed.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class WrongUse : public OnEachDevice {
 protected:
  static Collider fresh(std::uint64_t memory_limit = 0) {
    Settings settings;
    settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
    settings.memory_limit = memory_limit;
    return Collider(settings);
  }
};
OCLIDE_ON_EACH_DEVICE(WrongUse);

TestScene few() {
  return TestScene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4}), box({0.3, 0.2, 0.1}, {2.1, 0.2, 0.09})});
}

// What a call says when it is refused.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
    return e.what();
  }
  return "";
}

TEST_P(WrongUse, AfterItWasMovedFromEveryCallIsAnError) {
  const TestScene s = few();
  Collider from = fresh();
  from.set_scene(s.scene);
  const Collider::StagedPoses staged = from.stage(s.poses());
  Collider collider = std::move(from);
  const std::string expected = "the Collider has been moved from";
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested.
  EXPECT_EQ(refusal([&] { (void)from.device(); }), expected);
  EXPECT_EQ(refusal([&] { (void)from.device_memory(); }), expected);
  EXPECT_EQ(refusal([&] { from.set_scene(s.scene); }), expected);
  EXPECT_EQ(refusal([&] { from.update_heights(0, 0, 0, 0, 0, {}); }), expected);
  EXPECT_EQ(refusal([&] { (void)from.collide(s.poses()); }), expected);
  EXPECT_EQ(refusal([&] { (void)from.update(s.poses()); }), expected);
  EXPECT_EQ(refusal([&] { (void)from.take_frame(); }), expected);
  EXPECT_EQ(refusal([&] { (void)from.user_slots(); }), expected);
  EXPECT_EQ(refusal([&] { (void)from.stage(s.poses()); }), expected);
  EXPECT_EQ(refusal([&] { (void)from.collide_staged(staged); }), expected);
  // The poses are of the Collider that it became; and one that was moved from may be given another.
  EXPECT_EQ(collider.collide_staged(staged).pairs, 2U);
  from = std::move(collider);
  EXPECT_EQ(from.collide(s.poses()).pairs, 2U);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_P(WrongUse, BeforeAnySceneNamesTheCall) {
  const TestScene s = few();
  Collider collider = fresh();
  EXPECT_EQ(refusal([&] { (void)collider.update(s.poses()); }), "update: no scene has been set");
  EXPECT_EQ(refusal([&] { (void)collider.stage(s.poses()); }), "stage: no scene has been set");
  EXPECT_EQ(refusal([&] { (void)collider.collide_staged(nullptr); }), "collide_staged: no scene has been set");
  EXPECT_TRUE(collider.take_frame().contacts.empty());
}

TEST_P(WrongUse, StagedPosesAreOfOneColliderOneSceneAndOneFrame) {
  const TestScene s = few();
  Collider collider = fresh(), other = fresh();
  collider.set_scene(s.scene);
  other.set_scene(s.scene);
  const Collider::StagedPoses staged = collider.stage(s.poses());
  EXPECT_NE(refusal([&] { (void)other.collide_staged(staged); }).find("of another Collider"), std::string::npos);
  EXPECT_EQ(collider.collide_staged(staged).pairs, 2U);
  EXPECT_NE(refusal([&] { (void)collider.collide_staged(staged); }).find("used up"), std::string::npos);
  // A scene of as many bodies is another one all the same.
  const Collider::StagedPoses old = collider.stage(s.poses());
  collider.set_scene(s.scene);
  EXPECT_NE(refusal([&] { (void)collider.collide_staged(old); }).find("of another scene"), std::string::npos);
  EXPECT_EQ(collider.collide_staged(collider.stage(s.poses())).pairs, 2U);
}

TEST_P(WrongUse, StagedPosesMayOutliveTheirCollider) {
  const TestScene s = few();
  Collider::StagedPoses staged;
  {
    Collider collider = fresh();
    collider.set_scene(s.scene);
    staged = collider.stage(s.poses());
  }
  Collider other = fresh();
  other.set_scene(s.scene);
  EXPECT_NE(refusal([&] { (void)other.collide_staged(staged); }).find("of another Collider"), std::string::npos);
  staged.reset();
}

TEST_F(OnOpenCl, ASceneThatDoesNotFitLeavesNoneAndTheNextOneWorks) {
  Settings settings;
  settings.device = opencl_device();
  settings.memory_limit = 1 << 20;
  Collider collider(settings);
  const TestScene s = few();
  collider.set_scene(s.scene);
  EXPECT_EQ(collider.collide(s.poses()).pairs, 2U);
  const TestScene large(plane({1200, 1200}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4})});
  try {
    collider.set_scene(large.scene);
    FAIL() << "it fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::device) << e.what();
  }
  EXPECT_EQ(refusal([&] { (void)collider.collide(s.poses()); }), "collide: no scene has been set");
  collider.set_scene(s.scene);
  EXPECT_EQ(collider.collide(s.poses()).pairs, 2U);
}

TEST_P(WrongUse, FromTwoThreadsAtOnceIsAnErrorOfTheLaterOne) {
  TestScene s(plane({}, 0.1, 0.05));
  for (int k = 0; k < 400; ++k) s.add(box({0.4, 0.3, 0.2}, {0.01 * k - 2.0, 0.02 * (k % 20), 0.1}));
  Collider collider = fresh();
  collider.set_scene(s.scene);
  const std::uint64_t expected = contact_hash(collider.collide(s.poses()).contacts);
  std::atomic<bool> seen = false, over = false;
  std::string message;
  std::thread second([&] {
    while (!seen && !over) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      message = refusal([&] { (void)collider.device_memory(); });
      if (!message.empty()) seen = true;
    }
  });
  // The first may be the later one as well; whoever is refused, the frames that are found are whole.
  for (int k = 0; k < 2000 && !seen; ++k) {
    try {
      EXPECT_EQ(contact_hash(collider.collide(s.poses()).contacts), expected);
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()), "collide: the Collider is used from two threads at once");
    }
  }
  over = true;
  second.join();
  EXPECT_EQ(message, "device_memory: the Collider is used from two threads at once");
  EXPECT_EQ(contact_hash(collider.collide(s.poses()).contacts), expected);
}

}  // namespace
}  // namespace oclide::test
