// Tracking through a Collider: bodies in motion.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>

#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"
#include "support/tracked.hpp"

namespace oclide::test {
namespace {

Collider tracking_collider(const std::string& device, double margin = 0.0, std::uint64_t memory_limit = 0) {
  Settings settings;
  settings.device = device == "opencl" ? opencl_device() : device;
  settings.margin = margin;
  settings.memory_limit = memory_limit;
  settings.track = true;
  return Collider(settings);
}

void move(TestScene& scene, std::size_t body, dvec3 to) {
  for (int a = 0; a < 3; ++a) scene.position[3 * body + static_cast<std::size_t>(a)] = to[a];
}

void push(TestScene& scene, std::size_t body, dvec3 by) {
  for (int a = 0; a < 3; ++a) scene.position[3 * body + static_cast<std::size_t>(a)] += by[a];
}

bool same_slot(const UserSlot& a, const UserSlot& b) {
  return std::memcmp(&a, &b, sizeof(UserSlot)) == 0;
}

std::size_t count(const FrameContacts& frame, Change change) {
  return static_cast<std::size_t>(
      std::count_if(frame.events.begin(), frame.events.end(), [&](const auto& e) { return e.change == change; }));
}

class ColliderTracking : public OnEachDevice {
 protected:
  Collider collider(double margin = 0.0) const { return tracking_collider(GetParam(), margin); }
};
OCLIDE_ON_EACH_DEVICE(ColliderTracking);

TEST_P(ColliderTracking, OfABallThatLandsRestsRollsOverACellBorderAndAKerbAndLeaves) {
  const Terrain kerb =
      terrain_of({9, 11, {0.0, 0.0}, {1.0, 1.0}}, [](double x, double) { return x > 5.5 ? 0.3 : 0.0; });
  TestScene scene(kerb, {sphere(0.5, {2.3, 2.4, 0.8})});
  Collider collider = this->collider();
  collider.set_scene(scene.scene);
  EXPECT_TRUE(collider.update(scene.poses()).events.empty());

  // It lands.
  move(scene, 0, {2.3, 2.4, 0.499});
  const FrameContacts* frame = &collider.update(scene.poses());
  ASSERT_EQ(frame->contacts.size(), 1U);
  ASSERT_EQ(frame->events.size(), 1U);
  EXPECT_EQ(frame->events[0].change, Change::begin);
  EXPECT_EQ(frame->events[0].body_a, 0U);
  EXPECT_EQ(frame->events[0].body_b, kTerrain);
  EXPECT_EQ(frame->events[0].manifold, 0U);
  EXPECT_EQ(frame->events[0].previous, kNone);
  EXPECT_EQ(frame->previous, std::vector<std::uint32_t>{kNone});
  ASSERT_EQ(collider.user_slots().size(), 1U);
  EXPECT_TRUE(same_slot(collider.user_slots()[0], {}));
  collider.user_slots()[0].value = {1.5F, -0.0F, std::numeric_limits<float>::quiet_NaN(), 4.0F};
  const UserSlot written = collider.user_slots()[0];

  // It rests, then rolls within its element, over the diagonal and over the border to the next cell, which are no
  // borders of the ground.
  for (const double x : {2.3, 2.3, 2.25, 2.8, 1.8}) {
    move(scene, 0, {x, 2.4, 0.499});
    frame = &collider.update(scene.poses());
    ASSERT_EQ(frame->events.size(), 1U);
    EXPECT_EQ(frame->events[0].change, Change::persist);
    EXPECT_EQ(frame->events[0].previous, 0U);
    EXPECT_EQ(frame->previous, std::vector<std::uint32_t>{0});
    EXPECT_TRUE(same_slot(collider.user_slots()[0], written)) << x;
  }

  // Up the kerb: another face.
  move(scene, 0, {7.8, 2.4, 0.799});
  frame = &collider.update(scene.poses());
  ASSERT_EQ(frame->events.size(), 2U);
  EXPECT_EQ(frame->events[0].change, Change::begin);
  EXPECT_EQ(frame->events[1].change, Change::end);
  EXPECT_EQ(frame->events[1].manifold, kNone);
  EXPECT_EQ(frame->events[1].previous, 0U);
  EXPECT_TRUE(same_slot(collider.user_slots()[0], {}));

  // It leaves.
  move(scene, 0, {7.8, 2.4, 0.9});
  frame = &collider.update(scene.poses());
  ASSERT_EQ(frame->events.size(), 1U);
  EXPECT_EQ(frame->events[0].change, Change::end);
  EXPECT_TRUE(frame->previous.empty());
  EXPECT_TRUE(collider.user_slots().empty());
  EXPECT_TRUE(collider.update(scene.poses()).events.empty());
}

TEST_P(ColliderTracking, SlotsFollowTheirContactsWhenTheContactsChangeTheirOrder) {
  // A box that rocks: the deepest corner stands first.
  TestScene scene(std::vector<BodySpec>{half_space({0.0, 0.0, 0.0}), box({0.4, 0.3, 0.2}, {0.0, 0.0, 0.195})});
  Collider collider = this->collider(0.02);
  collider.set_scene(scene.scene);
  const FrameContacts first = collider.collide(scene.poses());
  ASSERT_EQ(first.contacts.size(), 4U);
  for (std::size_t c = 0; c < 4; ++c)
    collider.user_slots()[c].value = {static_cast<float>(first.contacts[c].feature), 1.0F, 2.0F, 3.0F};
  std::vector<std::uint32_t> deepest;
  for (const double angle : {0.003, -0.003, 0.0}) {
    const dquat q = turn({1.0, 0.7, 0.0}, angle);
    for (std::size_t a = 0; a < 4; ++a) scene.orientation[4 + a] = std::array{q.w, q.x, q.y, q.z}[a];
    const FrameContacts frame = collider.collide(scene.poses());
    ASSERT_EQ(frame.contacts.size(), 4U);
    deepest.push_back(frame.contacts[0].feature);
    for (std::size_t c = 0; c < 4; ++c) {
      ASSERT_NE(frame.previous[c], kNone) << angle;
      EXPECT_EQ(collider.user_slots()[c].value[0], static_cast<float>(frame.contacts[c].feature));
      EXPECT_EQ(collider.user_slots()[c].value[3], 3.0F);
    }
    ASSERT_EQ(frame.events.size(), 1U);
    EXPECT_EQ(frame.events[0].change, Change::persist);
  }
  EXPECT_NE(deepest[0], deepest[1]);
}

TEST_P(ColliderTracking, IsOffUnlessAskedFor) {
  const TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.3, 0.2, 0.4})});
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const FrameContacts frame = collider.collide(scene.poses());
  ASSERT_EQ(frame.contacts.size(), 1U);
  EXPECT_TRUE(frame.events.empty());
  EXPECT_TRUE(frame.previous.empty());
  EXPECT_TRUE(collider.user_slots().empty());
  EXPECT_EQ(frame.milliseconds.tracking, 0.0);
}

TEST_P(ColliderTracking, BeginsAnewWithAScene) {
  const TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.3, 0.2, 0.4})});
  Collider collider = this->collider();
  collider.set_scene(scene.scene);
  (void)collider.update(scene.poses());
  collider.user_slots()[0].value[0] = 7.0F;
  EXPECT_EQ(collider.update(scene.poses()).events[0].change, Change::persist);
  collider.set_scene(scene.scene);
  EXPECT_TRUE(collider.user_slots().empty());
  const FrameContacts& frame = collider.update(scene.poses());
  EXPECT_EQ(frame.events[0].change, Change::begin);
  EXPECT_EQ(frame.previous[0], kNone);
  EXPECT_EQ(collider.user_slots()[0].value[0], 0.0F);
}

TEST_P(ColliderTracking, GoesOnAfterAFrameThatWasRefused) {
  TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.3, 0.2, 0.4})});
  Collider collider = this->collider();
  collider.set_scene(scene.scene);
  (void)collider.update(scene.poses());
  collider.user_slots()[0].value[1] = 7.0F;
  TestScene bad = scene;
  bad.position[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)collider.update(bad.poses()), Error);
  ASSERT_EQ(collider.user_slots().size(), 1U);
  EXPECT_EQ(collider.user_slots()[0].value[1], 7.0F);
  EXPECT_EQ(collider.update(scene.poses()).events[0].change, Change::persist);
  EXPECT_EQ(collider.user_slots()[0].value[1], 7.0F);
}

TEST_P(ColliderTracking, GoesOnWhenTheGroundChanges) {
  TestScene scene(plane({9, 11, {0.0, 0.0}, {1.0, 1.0}}, 0, 0), {sphere(0.5, {2.3, 2.4, 0.45})});
  Collider collider = this->collider();
  collider.set_scene(scene.scene);
  (void)collider.update(scene.poses());
  const std::vector<double> heights(99, 0.02);
  collider.update_heights(0, 0, 0, 9, 11, heights);
  const FrameContacts& frame = collider.update(scene.poses());
  ASSERT_EQ(frame.events.size(), 1U);
  EXPECT_EQ(frame.events[0].change, Change::persist);
}

TEST_P(ColliderTracking, CountsFramesInTheOrderThatTheyAreCollidedIn) {
  TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.3, 0.2, 0.4})});
  TestScene away = scene;
  move(away, 0, {0.3, 0.2, 3.0});
  Collider collider = this->collider();
  collider.set_scene(scene.scene);
  const Collider::StagedPoses first = collider.stage(scene.poses()), second = collider.stage(away.poses());
  EXPECT_TRUE(collider.collide_staged(second).events.empty());
  EXPECT_EQ(collider.collide_staged(first).events.at(0).change, Change::begin);
  EXPECT_EQ(collider.collide(scene.poses()).events.at(0).change, Change::persist);
  EXPECT_EQ(collider.update(away.poses()).events.at(0).change, Change::end);
}

TEST_P(ColliderTracking, OfALargeBoxOnRoughGroundFollowsHundredsOfManifolds) {
  TestScene scene(rough({121, 133, {0.0, 0.0}, {0.125, 0.125}}, 0.08, 51));
  // Of a third of the length where a sanitizer looks on while the reference takes its time.
  const bool is_short = !kTakesItsTime && GetParam() == "reference";
  scene.add(box({is_short ? 1.8 : 5.5, 5.0, 0.4}, {8.0, 7.0, 0.4}));
  Collider collider = this->collider();
  collider.set_scene(scene.scene);
  reference::ContactTracking reference;
  const std::vector<double> ways{0.0, 0.0, 1e-4, 1e-3, 0.05, 0.0};
  for (const double x : std::span(ways).first(kTakesItsTime && GetParam() == "opencl" ? 6 : 3)) {
    move(scene, 0, {8.0 + x, 7.0, 0.29});
    const FrameContacts& frame = collider.update(scene.poses());
    ASSERT_GT(frame.contacts.back().manifold, is_short ? 60U : 200U);
    ASSERT_NO_FATAL_FAILURE(expect_tracked(frame, reference)) << x;
    if (x > 0.0 && x < 0.01) {
      EXPECT_GT(count(frame, Change::persist), 9 * frame.contacts.back().manifold / 10);
    }
  }
}

class TrackingOnDevice : public OnOpenCl {};

// A frame's slots get numbers of their own; what each holds must come from where `previous` says.
class SlotCheck {
 public:
  void check(Collider& collider, const FrameContacts& frame) {
    const std::span<UserSlot> slots = collider.user_slots();
    ASSERT_EQ(slots.size(), frame.contacts.size());
    for (std::size_t c = 0; c < slots.size(); ++c) {
      const UserSlot expected = frame.previous[c] == kNone ? UserSlot{} : last_.at(frame.previous[c]);
      ASSERT_TRUE(same_slot(slots[c], expected)) << c;
      slots[c].value = {static_cast<float>(++number_), static_cast<float>(c), 0.5F, -1.0F};
    }
    last_.assign(slots.begin(), slots.end());
  }

 private:
  std::vector<UserSlot> last_;
  std::uint32_t number_ = 0;
};

TEST_F(TrackingOnDevice, MatchesTheReferenceForMovingBodies) {
  TestScene scene = heap(500, 61);
  Collider collider = tracking_collider("opencl", 0.01);
  collider.set_scene(scene.scene);
  reference::ContactTracking reference;
  SlotCheck slots;
  std::mt19937_64 random(62);
  std::uniform_real_distribution<double> step(-0.03, 0.03);
  std::size_t begun = 0, persisting = 0, ended = 0;
  for (int frame = 0; frame < 40; ++frame) {
    for (std::size_t k = 0; k < 500; ++k) {
      if (frame % 5 == 4) continue;  // at rest
      push(scene, k, {step(random), step(random), step(random)});
      if (random() % 50 == 0) push(scene, k, {0.0, 0.0, 4.0 * (frame % 2 == 0 ? 1.0 : -1.0)});
    }
    const FrameContacts& found = collider.update(scene.poses());
    ASSERT_NO_FATAL_FAILURE(expect_tracked(found, reference)) << "frame " << frame;
    ASSERT_NO_FATAL_FAILURE(slots.check(collider, found)) << "frame " << frame;
    begun += count(found, Change::begin);
    persisting += count(found, Change::persist);
    ended += count(found, Change::end);
    EXPECT_GT(found.milliseconds.tracking, 0.0);
    EXPECT_GE(found.milliseconds.total, found.milliseconds.tracking);
  }
  EXPECT_GT(begun, 1000U);
  EXPECT_GT(persisting, 10000U);
  EXPECT_GT(ended, 500U);
}

TEST_F(TrackingOnDevice, OfIncrementalFramesMatchesFullRecompute) {
  TestScene scene = heap(600, 63);
  Collider coherent = tracking_collider("opencl"), full = tracking_collider("opencl");
  coherent.set_scene(scene.scene);
  full.set_scene(scene.scene);
  std::mt19937_64 random(64);
  std::uniform_real_distribution<double> step(-0.05, 0.05);
  const auto& terrain = scene.scene.terrains[0];
  for (const std::size_t moving : {600, 10, 0, 60, 149, 1, 0, 140}) {
    for (std::size_t k = 0; k < moving; ++k) push(scene, random() % 600, {step(random), step(random), step(random)});
    const FrameContacts& found = coherent.update(scene.poses());
    // The same height written again: a full recompute follows.
    full.update_heights(0, 0, 0, 1, 1, std::span(terrain.heights).first(1));
    const FrameContacts& expected = full.update(scene.poses());
    ASSERT_EQ(expected.moved_bodies, 601U);
    if (moving < 600) {
      ASSERT_LT(found.moved_bodies, 151U);
    }
    ASSERT_TRUE(same_bits(found.contacts, expected.contacts));
    ASSERT_EQ(found.previous, expected.previous);
    ASSERT_EQ(found.events.size(), expected.events.size());
    for (std::size_t k = 0; k < found.events.size(); ++k)
      ASSERT_TRUE(found.events[k].change == expected.events[k].change &&
                  found.events[k].manifold == expected.events[k].manifold &&
                  found.events[k].previous == expected.events[k].previous);
    if (moving == 0) {
      EXPECT_EQ(count(found, Change::persist), found.events.size());
    }
  }
}

TEST_F(TrackingOnDevice, MatchesUnderAMemoryLimit) {
  TestScene scene = heap(2000, 65);
  for (const std::uint64_t limit : {16ULL << 20, 4ULL << 20, 3ULL << 20}) {
    Collider collider = tracking_collider("opencl", 0.0, limit);
    collider.set_scene(scene.scene);
    reference::ContactTracking reference;
    SlotCheck slots;
    for (int frame = 0; frame < 5; ++frame) {
      // Of all bodies, then of few.
      for (std::size_t k = 0; k < (frame < 3 ? 2000U : 150U); ++k) push(scene, k, {0.03, -0.01, 0.0});
      const FrameContacts& found = collider.update(scene.poses());
      ASSERT_GT(found.contacts.size(), 2000U);
      ASSERT_NO_FATAL_FAILURE(expect_tracked(found, reference)) << limit << ", frame " << frame;
      ASSERT_NO_FATAL_FAILURE(slots.check(collider, found)) << limit << ", frame " << frame;
      EXPECT_LE(found.device_bytes, limit);
    }
  }
}

}  // namespace
}  // namespace oclide::test
