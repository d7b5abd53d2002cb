// The Collider's contract: order of calls, lengths, poses that cannot be used, what survives an error.
#include <cmath>
#include <thread>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ColliderCalls : public OnEachDevice {
 protected:
  Collider fresh() {
    Settings settings;
    settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
    return Collider(settings);
  }

  // What collide() says of these poses, with the scene's own where one is empty.
  std::string error_of(const TestScene& scene, const std::vector<double>& position,
                       const std::vector<double>& orientation) {
    Collider& collider = collider_on(GetParam());
    collider.set_scene(scene.scene);
    try {
      (void)collider.collide({position, orientation});
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      return e.what();
    }
    return "no error";
  }
};
OCLIDE_ON_EACH_DEVICE(ColliderCalls);

TestScene two_bodies() {
  return TestScene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4}), box({0.3, 0.2, 0.1}, {2.1, 0.2, 0.09})});
}

TEST_P(ColliderCalls, BeforeAnySceneAreErrors) {
  Collider collider = fresh();
  const TestScene scene = two_bodies();
  EXPECT_THROW((void)collider.collide(scene.poses()), Error);
  EXPECT_THROW(collider.update_heights(0, 0, 0, 1, 1, std::vector<double>{0.0}), Error);
  collider.set_scene(scene.scene);
  EXPECT_EQ(collider.collide(scene.poses()).pairs, 2U);
}

TEST_P(ColliderCalls, WithPosesOfAnotherLengthAreErrorsThatNameTheArray) {
  const TestScene s = two_bodies();
  std::vector<double> shorter(s.position.begin(), s.position.end() - 1), longer = s.orientation;
  longer.push_back(0.0);
  EXPECT_NE(error_of(s, shorter, s.orientation).find("position"), std::string::npos);
  EXPECT_NE(error_of(s, s.position, longer).find("orientation"), std::string::npos);
  EXPECT_NE(error_of(s, {}, {}).find("position"), std::string::npos);
}

TEST_P(ColliderCalls, WithPosesThatAreNotFiniteAreErrorsThatNameArrayAndIndex) {
  const TestScene s = two_bodies();
  for (double bad : {kNan, kInfinity, -kInfinity}) {
    std::vector<double> position = s.position, orientation = s.orientation;
    position[4] = bad;
    EXPECT_NE(error_of(s, position, s.orientation).find("position[1]"), std::string::npos);
    orientation[6] = bad;
    EXPECT_NE(error_of(s, s.position, orientation).find("orientation[1]"), std::string::npos);
  }
}

TEST_P(ColliderCalls, WithAQuaternionOfZeroLengthAreErrorsThatNameItsIndex) {
  const TestScene s = two_bodies();
  std::vector<double> orientation = s.orientation;
  for (std::size_t k = 4; k < 8; ++k) orientation[k] = 0.0;
  EXPECT_NE(error_of(s, s.position, orientation).find("orientation[1]"), std::string::npos);
}

TEST_P(ColliderCalls, WithHeightsOutsideTheGridOrOfAnotherLengthAreErrors) {
  Collider& collider = collider_on(GetParam());
  collider.set_scene(two_bodies().scene);
  const std::vector<double> six(6, 0.0);
  EXPECT_THROW(collider.update_heights(1, 0, 0, 2, 3, six), Error);
  EXPECT_THROW(collider.update_heights(0, 32, 0, 2, 3, six), Error);
  EXPECT_THROW(collider.update_heights(0, 0, 39, 2, 3, six), Error);
  EXPECT_THROW(collider.update_heights(0, 0, 0, 2, 2, six), Error);
  EXPECT_THROW(collider.update_heights(0, std::numeric_limits<std::size_t>::max(), 0, 2, 3, six), Error);
  EXPECT_THROW(collider.update_heights(0, 0, 0, 1, 1, std::vector<double>{kInfinity}), Error);
  EXPECT_THROW(collider.update_heights(0, 0, 0, 1, 1, std::vector<double>{-1.1e9}), Error);
  EXPECT_NO_THROW(collider.update_heights(0, 31, 38, 2, 3, six));
  EXPECT_NO_THROW(collider.update_heights(0, 33, 41, 0, 0, {}));
}

TEST_P(ColliderCalls, AfterASceneThatWasRefusedUseTheOneBefore) {
  Collider& collider = collider_on(GetParam());
  const TestScene good = two_bodies();
  collider.set_scene(good.scene);
  const FrameContacts before = collider.collide(good.poses());
  Scene bad = good.scene;
  bad.bodies.size[1][2] = kNan;
  EXPECT_THROW(collider.set_scene(bad), Error);
  EXPECT_TRUE(same_bits(before.contacts, collider.collide(good.poses()).contacts));
}

TEST_P(ColliderCalls, AfterPosesThatWereRefusedWorkOn) {
  Collider& collider = collider_on(GetParam());
  const TestScene s = two_bodies();
  collider.set_scene(s.scene);
  EXPECT_THROW((void)collider.collide({{}, {}}), Error);
  EXPECT_EQ(collider.collide(s.poses()).pairs, 2U);
}

TEST_P(ColliderCalls, WithOrientationsOfAnyLengthGiveTheSameContacts) {
  TestScene s(plane({}, 0.3, -0.2), {box({0.3, 0.2, 0.1}, {0.1, 0.2, 0.0}, turn({1, 2, 3}, 0.7)),
                                     cylinder(0.3, 0.4, {2.1, 0.2, 0.6}, turn({3, 1, -2}, 1.7))});
  const std::vector<Contact> unit = contacts(s);
  ASSERT_FALSE(unit.empty());
  for (double length : {-1.0, 1024.0, 1.0 / 1024.0}) {
    TestScene scaled = s;
    for (double& q : scaled.orientation) q *= length;
    EXPECT_TRUE(same_bits(unit, contacts(scaled))) << length;
  }
  for (double length : {3.7, 1e-9, 1e9}) {
    TestScene scaled = s;
    for (double& q : scaled.orientation) q *= length;
    const std::vector<Contact> found = contacts(scaled);
    ASSERT_EQ(found.size(), unit.size()) << length;
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_TRUE(matches(found[k], {point_of(unit[k]), normal_of(unit[k]), unit[k].depth}, {})) << length;
  }
}

TEST_P(ColliderCalls, AFrameThatIsTakenStaysWhereItIsAndAsItIs) {
  const TestScene scene = two_bodies();
  Collider collider = fresh();
  collider.set_scene(scene.scene);
  EXPECT_TRUE(collider.take_frame().contacts.empty()) << "before any update";
  const FrameContacts& updated = collider.update(scene.poses());
  const Contact* place = updated.contacts.data();
  const std::uint64_t hash = contact_hash(updated.contacts);
  const FrameContacts taken = collider.take_frame();
  EXPECT_EQ(taken.contacts.data(), place);
  std::vector<double> raised = scene.position;
  for (std::size_t i = 2; i < raised.size(); i += 3) raised[i] += 0.01;
  EXPECT_NE(contact_hash(collider.update({raised, scene.orientation}).contacts), hash);
  EXPECT_EQ(contact_hash(taken.contacts), hash);
  EXPECT_EQ(contact_hash(collider.update(scene.poses()).contacts), hash);
}

TEST_P(ColliderCalls, ReportTimesAndTheDevice) {
  Collider& collider = collider_on(GetParam());
  const TestScene s = two_bodies();
  collider.set_scene(s.scene);
  const StageTimes t = collider.collide(s.poses()).milliseconds;
  EXPECT_GT(t.total, 0.0);
  for (double stage : {t.upload, t.broad_phase, t.narrow_phase, t.contact_reduction, t.download}) EXPECT_GE(stage, 0.0);
  EXPECT_EQ(collider.device().is_reference, GetParam() == "reference");
  EXPECT_FALSE(collider.device().name.empty());
}

TEST_P(ColliderCalls, FromSeveralThreadsOnSeveralCollidersGiveTheSameBits) {
  const TestScene scene(rough({}, 0.2, 71), {box({0.5, 0.4, 0.3}, {0.1, 0.2, 0.2}, turn({1, 2, 3}, 0.7)),
                                             capsule(0.3, 0.5, {1.1, 0.4, 0.2}, turn({1, 0, 3}, 1.1))});
  const std::vector<Contact> expected = frame(scene).contacts;
  std::vector<std::vector<Contact>> found(3);
  std::vector<std::thread> threads;
  for (std::vector<Contact>& mine : found)
    threads.emplace_back([&] {
      Collider collider = fresh();
      for (int k = 0; k < 3; ++k) {
        collider.set_scene(scene.scene);
        mine = collider.collide(scene.poses()).contacts;
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::vector<Contact>& mine : found) EXPECT_TRUE(same_bits(expected, mine));
}

TEST(ColliderSettings, UnknownDeviceIsAnErrorThatListsThoseThereAre) {
  for (const char* name : {"no such device", "opencl:999", "opencl:", "opencl:x", ""}) {
    Settings settings;
    settings.device = name;
    try {
      const Collider collider(settings);
      FAIL() << name << " is " << collider.device().name;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      EXPECT_NE(std::string(e.what()).find("reference"), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(ColliderSettings, AMarginThatIsNegativeOrNotFiniteIsAnError) {
  for (double margin : {-0.1, kNan, kInfinity}) {
    Settings settings;
    settings.device = "reference";
    settings.margin = margin;
    EXPECT_THROW(Collider{settings}, Error) << margin;
  }
}

TEST(ColliderSettings, PartOfADevicesNameInAnyCaseOpensIt) {
  Settings settings;
  settings.device = "DOUBLE PRECISION";
  EXPECT_TRUE(Collider(settings).device().is_reference);
}

}  // namespace
}  // namespace oclide::test
