// Which bodies meet, in what order their contacts come, and how their manifolds are numbered.
#include "reference/broad_phase/body_pairs.hpp"

#include <set>

#include "reference/two_bodies.hpp"

namespace oclide::test {
namespace {

using reference::body_pairs;
using reference::BodyPair;
using reference::may_meet;

// Two spheres that overlap.
BodyScene two() {
  return BodyScene({ball(0.5, {0, 0, 0}), ball(0.5, {0.8, 0, 0})});
}

TEST(BodiesMeet, UnlessTheirEnvironmentsDiffer) {
  BodyScene s = two();
  EXPECT_EQ(s.collide().contacts.size(), 1u);
  s.scene.bodies.environment = {3, 3};
  EXPECT_EQ(s.collide().contacts.size(), 1u);
  s.scene.bodies.environment = {3, 4};
  EXPECT_TRUE(s.collide().contacts.empty());
}

TEST(BodiesMeet, UnlessTheyHaveOneGroupThatIsNotZero) {
  BodyScene s = two();
  s.scene.bodies.group = {0, 0};
  EXPECT_EQ(s.collide().contacts.size(), 1u);
  s.scene.bodies.group = {-7, 7};
  EXPECT_EQ(s.collide().contacts.size(), 1u);
  s.scene.bodies.group = {-7, -7};
  EXPECT_TRUE(s.collide().contacts.empty());
}

TEST(BodiesMeet, WhenEachCategoryIsInTheOthersMask) {
  BodyScene s = two();
  s.scene.bodies.category = {2, 4};
  EXPECT_EQ(s.collide().contacts.size(), 1u);
  s.scene.bodies.mask = {4, 3};
  EXPECT_EQ(s.collide().contacts.size(), 1u);
  s.scene.bodies.mask = {4, 1};
  EXPECT_TRUE(s.collide().contacts.empty());
  s.scene.bodies.mask = {2, 2};
  EXPECT_TRUE(s.collide().contacts.empty());
}

TEST(BodiesMeet, ButHalfSpacesDoNotMeetEachOther) {
  BodyScene s({floor_at({0, 0, 0}), floor_at({0, 0, 0}, turn({1, 0, 0}, 1.0)), ball(0.5, {0, 0, 0.4})});
  EXPECT_FALSE(may_meet(s.scene.bodies, 0, 1));
  EXPECT_TRUE(may_meet(s.scene.bodies, 0, 2));
  const FrameContacts frame = s.collide();
  ASSERT_EQ(frame.contacts.size(), 2u);
  for (const Contact& c : frame.contacts) EXPECT_EQ(c.body_b, 2u);
}

TEST(BodyPairs, AreThoseWhoseBoxesOverlapWhateverTheAxis) {
  for (int axis = 0; axis < 3; ++axis) {
    std::mt19937_64 random(axis);
    std::uniform_real_distribution<double> place(-1.0, 1.0), size(0.05, 0.4);
    std::uniform_int_distribution<std::uint32_t> environment(0, 2);
    BodyScene s({});
    for (int k = 0; k < 300; ++k) {
      dvec3 p(place(random), place(random), place(random));
      p[axis] *= 4.0;
      if (k % 60 == 0)
        s.add(floor_at(p, random_turn(random)));
      else
        s.add({static_cast<Shape>(k % 4), {size(random), size(random), size(random)}, p, random_turn(random)});
      s.scene.bodies.environment.push_back(environment(random));
      s.scene.bodies.group.push_back(k % 7 == 0 ? 1 : 0);
    }
    const std::vector<BodyPair> found = body_pairs(s.scene.bodies, {}, s.poses(), 0.05);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    std::set<std::pair<std::uint32_t, std::uint32_t>> listed;
    for (const BodyPair& pair : found) {
      EXPECT_LT(pair.a, pair.b);
      EXPECT_TRUE(may_meet(s.scene.bodies, pair.a, pair.b));
      EXPECT_TRUE(listed.insert({pair.a, pair.b}).second);
    }
    // None that touches is missing.
    std::size_t touching = 0;
    for (std::uint32_t a = 0; a < 300; ++a)
      for (std::uint32_t b = a + 1; b < 300; ++b) {
        if (!may_meet(s.scene.bodies, a, b)) continue;
        const dvec3 c = reference::centre_of(s.poses(), b) - reference::centre_of(s.poses(), a);
        if (!reference::pair_penetration(reference::body_at(s.scene.bodies, {}, s.poses(), a),
                                         reference::body_at(s.scene.bodies, {}, s.poses(), b), c, 0.05))
          continue;
        ++touching;
        EXPECT_TRUE(listed.contains({a, b}));
      }
    EXPECT_GT(touching, 300u);
    EXPECT_LT(found.size(), 20u * touching);
  }
}

TEST(BodyPairs, OfNoneAndOneBodyAreNone) {
  EXPECT_TRUE(BodyScene({}).collide().contacts.empty());
  EXPECT_TRUE(BodyScene({ball(1.0, {0, 0, 0})}).collide().contacts.empty());
  EXPECT_TRUE(BodyScene({floor_at({0, 0, 0})}).collide().contacts.empty());
}

TEST(BodyPairs, ComeInOrderOfBodiesWithTerrainLastAndManifoldsNumbered) {
  BodyScene s({ball(0.5, {0.3, 0.4, 0.45}), ball(0.5, {1.1, 0.4, 0.45}), ball(0.5, {0.3, 1.2, 0.45}),
               block({0.5, 0.5, 0.5}, {-1.1, 0.4, 0.45}), ball(0.5, {0.7, 0.8, 5.0})});
  s.scene.terrains.push_back(around_origin([](double, double) { return 0.0; }));
  const FrameContacts frame = s.collide();
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Key> keys;
  for (const Contact& c : frame.contacts) {
    const Key key(c.body_a, c.body_b);
    if (keys.empty() || keys.back() != key) keys.push_back(key);
    EXPECT_EQ(c.manifold, keys.size() - 1);  // on flat ground a body has one manifold
  }
  const std::vector<Key> expected{{0, 1}, {0, 2}, {0, kTerrain}, {1, kTerrain}, {2, kTerrain}, {3, kTerrain}};
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(frame.pairs, 6u);
  EXPECT_GE(frame.unreduced, frame.contacts.size());
  EXPECT_GE(frame.candidates, frame.pairs);
}

TEST(BodyPairs, AreWhereverAndInWhateverOrderTheBodiesAre) {
  // Ten kilometres out, and listed backwards.
  const dvec3 far(9999.0, -9998.0, 1234.5);
  const OneBody a = ball(0.05, far), b = block({0.05, 0.05, 0.05}, far + dvec3(0.0, 0.0, 0.099));
  const FrameContacts frame = BodyScene({a, b}).collide(), turned = BodyScene({b, a}).collide();
  ASSERT_EQ(frame.contacts.size(), 1u);
  ASSERT_EQ(turned.contacts.size(), 1u);
  const Contact &c = frame.contacts[0], &t = turned.contacts[0];
  EXPECT_NEAR(c.depth, 0.001, 1e-8);
  EXPECT_NEAR(t.depth, 0.001, 1e-8);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(c.normal[k], -t.normal[k]);
    EXPECT_NEAR(c.point[k] + static_cast<double>(c.depth * c.normal[k]), t.point[k], 1e-8);
  }
}

}  // namespace
}  // namespace oclide::test
