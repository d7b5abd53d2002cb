// Impacts of convex bodies and half spaces whose times are known.
#include <cmath>
#include <limits>
#include <numbers>

#include "motion/motion.hpp"
#include "narrow_phase/pair_geometry.hpp"
#include "scene/scene_check.hpp"
#include "support/mesh_shapes.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

class ConvexImpact : public MotionTest {};
OCLIDE_ON_EACH_DEVICE(ConvexImpact);

TEST_P(ConvexImpact, ASmallFastSphereMeetsAThinPlate) {
  const MovingScene scene =
      MovingScene().add(box({1.0, 1.0, 0.005}, {0, 0, 0})).add(sphere(0.05, {0.3, 0.2, 150.0}), {0, 0, -300.0});
  const auto found = impact(scene);
  EXPECT_TRUE(is_impact(found, (150.0 - 0.055) / 300.0, 300.0, {0, 0, -1}));
  EXPECT_LE(glm::distance(point_of(*found), {0.3, 0.2, 0.005}), 2e-4);
  // Beside the plate it does not.
  EXPECT_FALSE(impact(
      MovingScene().add(box({1.0, 1.0, 0.005}, {0, 0, 0})).add(sphere(0.05, {1.0502, 0.2, 150.0}), {0, 0, -300.0})));
}

TEST_P(ConvexImpact, TwoBulletsMeet) {
  const MovingScene scene = MovingScene()
                                .add(sphere(0.01, {-400, 0, 0}), {800, 0, 0})
                                .add(capsule(0.01, 0.02, {400, 0, 0}, kAlongX), {-800, 0, 0});
  EXPECT_TRUE(is_impact(impact(scene), (800.0 - 0.04) / 1600.0, 1600.0, {-1, 0, 0}));
  // At the same place at other times.
  EXPECT_FALSE(impact(
      MovingScene().add(sphere(0.01, {-400, 0, 0}), {800, 0, 0}).add(sphere(0.01, {0, -400.1, 0}), {0, 800, 0})));
}

// A rod about its middle; its end goes round at half its length.
TEST_P(ConvexImpact, ARodTurnsThroughAPost) {
  const BodySpec rod = capsule(0.05, 5.0, {0, 0, 0}, kAlongX);
  const BodySpec post = cylinder(0.1, 2.0, {0, 4.0, 0});
  // The post is a quarter of a turn away, less what both are thick.
  const double angle = kQuarter - std::asin(0.15 / 4.0);
  for (const double turns : {1.7, -1.7, 3.0, 40.0}) {
    const double side = turns > 0.0 ? -1.0 : 1.0;
    EXPECT_TRUE(is_impact(impact(MovingScene().add(rod, {}, {0, 0, turns}).add(post)), angle / std::abs(turns),
                          4.0 * std::abs(turns), {-side * std::sin(angle), -std::cos(angle), 0}, 1e-4))
        << turns;
  }
  EXPECT_FALSE(impact(MovingScene().add(rod, {}, {0, 0, angle - 1e-3}).add(post)));
}

TEST_P(ConvexImpact, ABoxThatEndsWhereItBeganMeetsAPostOnItsWay) {
  // Its corner is sqrt(2) from its middle, its side 1.
  const BodySpec turning = box({1, 1, 1}, {0, 0, 0});
  for (const double gap : {1.0002, 1.2, 1.4}) {
    const double angle = 0.25 * std::numbers::pi - std::acos(gap / std::sqrt(2.0));
    const double speed = kTurn * std::sqrt(2.0 - gap * gap);
    const MovingScene scene =
        MovingScene().add(turning, {}, {0, 0, kTurn}).add(half_space({gap, 0, 0}, turn({0, 1, 0}, -kQuarter)));
    EXPECT_TRUE(is_impact(impact(scene), angle / kTurn, speed, {-1, 0, 0})) << gap;
    const MovingScene with_box = MovingScene().add(turning, {}, {0, 0, kTurn}).add(box({0.5, 3, 3}, {gap + 0.5, 0, 0}));
    EXPECT_TRUE(is_impact(impact(with_box), angle / kTurn, speed, {-1, 0, 0})) << gap;
  }
  EXPECT_FALSE(impact(MovingScene().add(turning, {}, {0, 0, kTurn}).add(box({0.5, 3, 3}, {1.9144, 0, 0}))));
  EXPECT_FALSE(impact(MovingScene().add(turning, {}, {0, 0, 1000.0 * kTurn}).add(box({0.5, 3, 3}, {1.9144, 0, 0}))));
  EXPECT_TRUE(impact(MovingScene().add(turning, {}, {0, 0, kTurn}).add(box({0.5, 3, 3}, {1.9142, 0, 0}))));
}

TEST_P(ConvexImpact, GrazingInsideIsFoundAndOutsideIsNot) {
  const auto passing = [&](const BodySpec& body, double reach, double gap, dvec3 turns) {
    return MovingScene()
        .add(sphere(0.5, {0, 0, 0}))
        .add({body.shape, body.size, dvec3(-20.0, 0.0, 0.5 + reach + gap), body.orientation}, {40, 0, 0}, turns);
  };
  const double corner = std::sqrt(3.0) * 0.3;
  const dquat on_corner = turn({1, 1, 0}, std::acos(1.0 / std::sqrt(3.0)));
  for (const double gap : {-2e-5, 2e-4}) {
    EXPECT_EQ(impact(passing(sphere(0.3, {}), 0.3, gap, {})).has_value(), gap < 0.0);
    EXPECT_EQ(impact(passing(sphere(0.3, {}), 0.3, gap, {3, 50, 1})).has_value(), gap < 0.0);
    EXPECT_EQ(impact(passing(box({0.3, 0.3, 0.3}, {}), 0.3, gap, {})).has_value(), gap < 0.0);
    EXPECT_EQ(impact(passing(box({0.3, 0.3, 0.3}, {}, on_corner), corner, gap, {})).has_value(), gap < 0.0);
    EXPECT_EQ(impact(passing(cylinder(0.3, 0.4, {}, kAlongY), 0.3, gap, {0, 90, 0})).has_value(), gap < 0.0);
    EXPECT_EQ(impact(passing(capsule(0.3, 0.4, {}, kAlongX), 0.3, gap, {0.0, 0, 0})).has_value(), gap < 0.0);
  }
  // Turning about the vertical, over what the corners stay above.
  for (const double gap : {-2e-5, 2e-4})
    EXPECT_EQ(impact(MovingScene().add(sphere(0.5, {0, 0, 0})).add(box({1, 1, 0.1}, {0, 0, 0.6 + gap}), {}, {0, 0, 30}))
                  .has_value(),
              gap < 0.0);
}

TEST_P(ConvexImpact, WhatTouchesOrOverlapsAtTheStartIsThereAtZero) {
  for (const double gap : {-0.3, -1e-3, 0.0}) {
    for (std::size_t k = 0; k < 16; ++k) {
      const BodySpec a = of_any_shape(k % 4, 1.0, {0, 0, 0}, kUpright);
      BodySpec b = of_any_shape(k / 4, 1.0, {0, 0, 0}, kUpright);
      b.position.x = reach(a, {1, 0, 0}) + reach(b, {-1, 0, 0}) + gap;
      for (const double way : {1.0, 0.0, -1.0}) {  // parting, resting, closing
        const auto found = impact(MovingScene().add(a).add(b, {5.0 * way, 0, 0}, {0, way, 0}));
        ASSERT_TRUE(found) << k << " " << gap;
        EXPECT_EQ(found->time, 0.0) << k << " " << gap << text(*found);
      }
    }
  }
  // One in the middle of the other.
  EXPECT_EQ(impact(MovingScene().add(box({1, 1, 1}, {})).add(sphere(0.1, {}), {9, 0, 0}))->time, 0.0);
  EXPECT_EQ(impact(MovingScene().add(sphere(1.0, {})).add(sphere(1.0, {}), {9, 0, 0}))->time, 0.0);
  EXPECT_EQ(impact(MovingScene().add(half_space({})).add(sphere(0.1, {0, 0, -50}), {0, 0, 100}))->time, 0.0);
}

TEST_P(ConvexImpact, WhatPartsOrRestsApartHasNone) {
  for (std::size_t k = 0; k < 16; ++k) {
    const BodySpec a = of_any_shape(k % 4, 1.0, {0, 0, 0}, kUpright);
    BodySpec b = of_any_shape(k / 4, 1.0, {0, 0, 0}, kUpright);
    b.position.x = reach(a, {1, 0, 0}) + reach(b, {-1, 0, 0}) + 2e-4;
    EXPECT_FALSE(impact(MovingScene().add(a).add(b))) << k;
    EXPECT_FALSE(impact(MovingScene().add(a, {}, {3, 0, 0}).add(b, {100, 3, 2}, {-2, 0, 0}))) << k;
    EXPECT_FALSE(impact(MovingScene().add(a, {7, 8, 9}).add(b, {7, 8, 9}))) << k;
  }
}

// Two bodies of any shape, one moving straight to the other along the normal of their least distance.
TEST_P(ConvexImpact, HeadOnEveryPairMeetsAfterItsDistance) {
  std::mt19937_64 random(11);
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < 14; ++k) {
    const dvec3 p = random_orientation(random) * dvec3(0, 0, 0.8);
    points.push_back({p.x, p.y, p.z});
  }
  const ConvexHull hull = build_convex_hull(points, "hull");
  MovingScene empty;
  empty.scene.scene.hulls = {points};
  for (std::size_t k = 0; k < 25 * 2; ++k) {
    const auto body = [&](std::size_t shape, double size, dvec3 at) {
      const dquat q = k < 25 ? kUpright : random_orientation(random);
      return shape == 4 ? convex_hull(hull, at, q) : of_any_shape(shape, size, at, q);
    };
    const BodySpec a = body(k % 5, 1.0, {0, 0, 0}), b = body(k / 5 % 5, 0.7, {1.0, 5.0, -2.0});
    const double distance = -least_overlap({a, b});
    // Closing at `speed` along the way from middle to middle, which is not the normal: found by the least overlap.
    const dvec3 way = glm::normalize(b.position);
    double lo = 0.0, hi = 1.0;
    for (int i = 0; i < 20; ++i) {
      const double t = 0.5 * (lo + hi);
      BodySpec moved = b;
      moved.position -= 10.0 * t * way;
      (least_overlap({a, moved}) < 0.0 ? lo : hi) = t;
    }
    EXPECT_LE(10.0 * lo, glm::length(b.position));
    EXPECT_GE(10.0 * lo, distance - 1e-5);
    const auto found = impact(MovingScene(empty).add(a).add(b, -10.0 * way));
    ASSERT_TRUE(found) << k;
    BodySpec there = b;
    there.position -= 10.0 * found->time * way;
    EXPECT_NEAR(least_overlap({a, there}), 0.0, near() + 2e-6) << k << text(*found);
    EXPECT_NEAR(overlap_along({a, there}, normal_of(*found)), 0.0, near() + 2e-6) << k << text(*found);
    EXPECT_NEAR(distance_to(a, point_of(*found)), 0.0, near()) << k << text(*found);
    EXPECT_NEAR(distance_to(there, point_of(*found)), 0.0, near() + 1e-6) << k << text(*found);
    EXPECT_LE((lo - found->time) * 10.0, 1e-3) << k;  // the surfaces may be at a slope to the way
  }
}

TEST_P(ConvexImpact, HalfSpacesMoveAndTurn) {
  // One that rises to a sphere, and one that turns up to it: over that the sphere is at 3 cos(angle) - 10 sin(angle).
  EXPECT_TRUE(is_impact(impact(MovingScene().add(half_space({}), {0, 0, 5}).add(sphere(1.0, {7, 8, 3}))), 0.4, 5.0,
                        {0, 0, -1}));
  const double angle = std::atan2(3.0, 10.0) - std::asin(1.0 / std::sqrt(109.0));
  const dvec3 up(-std::sin(angle), 0, std::cos(angle));
  EXPECT_TRUE(is_impact(impact(MovingScene().add(half_space({}), {}, {0, -1, 0}).add(sphere(1.0, {10, 8, 3}))), angle,
                        std::sqrt(109.0), -up));
  EXPECT_TRUE(is_impact(impact(MovingScene().add(sphere(1.0, {10, 8, 3})).add(half_space({}), {}, {0, -1, 0})), angle,
                        std::sqrt(109.0), up));
  // It turns once around, through all that is not at its pivot.
  EXPECT_TRUE(impact(MovingScene().add(half_space({}), {}, {kTurn, 0, 0}).add(box({1, 1, 1}, {0, 0, 9}))));
  EXPECT_FALSE(impact(MovingScene().add(half_space({}), {}, {0, 0, kTurn}).add(box({1, 1, 1}, {0, 0, 9}))));
  // Over it a body turns as fast as one may.
  EXPECT_FALSE(impact(MovingScene().add(half_space({})).add(box({1, 1, 1}, {0, 0, 1.7322}), {9, 0, 0}, {1e7, 3e6, 0})));
  EXPECT_TRUE(impact(MovingScene().add(half_space({})).add(box({1, 1, 1}, {0, 0, 1.7}), {9, 0, 0}, {1e5, 3e4, 2e4})));
  // 10 km from where it stands.
  EXPECT_TRUE(is_impact(impact(MovingScene().add(half_space({1e4, 1e4, 0})).add(sphere(1.0, {0, 0, 3}), {0, 0, -4})),
                        0.5, 4.0, {0, 0, -1}));
}

TEST_P(ConvexImpact, CompoundsTurnAboutTheirPosition) {
  MovingScene scene;
  scene.scene.scene.compounds = {{{Shape::box, {0.1, 0.1, 0.1}, {0, 0, 0}}, {Shape::sphere, {0.5, 0, 0}, {3, 0, 0}}}};
  scene.add({Shape::compound, {}, {10, 0, 0}}, {}, {0, 0, 3.0});
  scene.add(box({1, 1, 1}, {10, 3.0, 0}));
  // The ball goes round at 3 m: its middle is 0.5 m beside the box, x = 1.5 over it.
  const auto found = impact(scene);
  const double angle = std::acos(1.5 / 3.0);
  ASSERT_TRUE(found);
  EXPECT_TRUE(is_impact(found, angle / 3.0, 9.0 * std::sin(angle), {1, 0, 0})) << text(*found);
  EXPECT_EQ(found->shape_a, 1);
  EXPECT_EQ(found->shape_b, 0);
}

TEST_P(ConvexImpact, FiltersAndEnvironmentsHold) {
  MovingScene scene;
  for (int k = 0; k < 4; ++k) scene.add(sphere(0.5, {3.0 * k, 0, 0}), {-3.0 * k, 0, 0});
  Bodies& bodies = scene.scene.scene.bodies;
  EXPECT_EQ(sweep(scene).size(), 6u);
  bodies.group = {1, 1, 0, 0};
  EXPECT_EQ(sweep(scene).size(), 5u);
  bodies.category = {1, 1, 2, 1}, bodies.mask = {1, 3, 3, 3};
  EXPECT_EQ(sweep(scene).size(), 4u);
  bodies.environment = {0, 0, 0, 1};
  const std::vector<Impact> left = sweep(scene);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].body_a, 1u);
  EXPECT_EQ(left[0].body_b, 2u);
}

TEST_P(ConvexImpact, ExchangeAndRigidMotionChangeNothing) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const dquat q = random_orientation(random);
  const dvec3 shift(7000.3, -7000.7, 30.1);
  int impacts = 0;
  for (std::size_t k = 0; k < 32; ++k) {
    const auto random_vector = [&](double size) { return size * dvec3(unit(random), unit(random), unit(random)); };
    std::array<BodySpec, 2> b;
    std::array<dvec3, 2> moves{}, turns{};
    for (std::size_t i = 0; i < 2; ++i) {
      b[i] = of_any_shape(i == 0 ? k % 4 : k / 4 % 4, 1.0, random_vector(3.0), random_orientation(random));
      moves[i] = random_vector(1.0) - 1.3 * b[i].position, turns[i] = random_vector(4.0);
    }
    const auto found = impact(MovingScene().add(b[0], moves[0], turns[0]).add(b[1], moves[1], turns[1]));
    const auto exchanged = impact(MovingScene().add(b[1], moves[1], turns[1]).add(b[0], moves[0], turns[0]));
    for (BodySpec& body : b) {
      body.position = q * body.position + shift;
      body.orientation = q * body.orientation;
    }
    const auto turned =
        impact(MovingScene().add(b[0], q * moves[0], q * turns[0]).add(b[1], q * moves[1], q * turns[1]));
    ASSERT_EQ(found.has_value(), exchanged.has_value()) << k;
    ASSERT_EQ(found.has_value(), turned.has_value()) << k;
    if (!found) continue;
    ++impacts;
    const double within = GetParam() == "opencl" ? 1e-4 : 2e-6;  // of the frame
    EXPECT_NEAR(found->time, exchanged->time, within) << k;
    EXPECT_NEAR(found->time, turned->time, within) << k;
    if (found->time == 0.0) continue;
    const double of_normal = 0.05;  // two edges, or rims, turn theirs quickly
    EXPECT_LE(glm::distance(normal_of(*found), -normal_of(*exchanged)), of_normal) << k;
    EXPECT_LE(glm::distance(q * normal_of(*found), normal_of(*turned)), of_normal) << k;
  }
  EXPECT_GE(impacts, 8);
}

TEST_P(ConvexImpact, FarAndFastAreNoMatter) {
  const dvec3 far(1e4, -1e4, 1e3);
  EXPECT_TRUE(is_impact(
      impact(
          MovingScene().add(box({1.0, 1.0, 0.005}, far)).add(sphere(0.05, far + dvec3(0.3, 0.2, 15.0)), {0, 0, -30.0})),
      (15.0 - 0.055) / 30.0, 30.0, {0, 0, -1}));
  EXPECT_TRUE(is_impact(
      impact(MovingScene().add(box({1.0, 1.0, 0.005}, {0, 0, 0})).add(sphere(0.05, {0.3, 0.2, 5e4}), {0, 0, -1e5})),
      (5e4 - 0.055) / 1e5, 1e5, {0, 0, -1}));
  EXPECT_TRUE(is_impact(impact(MovingScene()
                                   .add(box({0.01, 1.0, 1.0}, {0, 0, 0}), {1e5, 0, 0})
                                   .add(box({0.01, 1.0, 1.0}, {9e4, 0, 0}), {-1e5, 0, 0}, {100, 0, 0})),
                        (9e4 - 0.02) / 2e5, 2e5, {-1, 0, 0}));
}

// A rod about its middle, and what comes to where its ends go round.
TEST_P(ConvexImpact, ManyTurnsAreAsExactAsFew) {
  const BodySpec rod = capsule(0.05, 5.0, {0, 0, 0}, kAlongX);
  for (const double turns : {1e3, 1e5, 1e7}) {
    // An end comes by every half a turn, while the post comes nearer.
    const auto post = impact(MovingScene().add(rod, {}, {0, 0, turns}).add(cylinder(0.1, 2.0, {8, 0, 0}), {-4, 0, 0}));
    ASSERT_TRUE(post) << turns;
    EXPECT_GE(post->time, (8.0 - 5.15 - 1e-4) / 4.0) << turns;
    EXPECT_LE(post->time, (8.0 - 5.15) / 4.0 + 3.0 * kTurn / turns) << turns;
    // A ball that is as fast as the ends flies through the plane in which they go round, where the rod is then, or a
    // right angle before it.
    for (const double angle : {0.0, kQuarter}) {
      const dvec3 from = turn({0, 0, 1}, std::fmod(0.875 * turns, kTurn) - angle) * dvec3(4, 0, 0);
      const auto ball = impact(MovingScene()
                                   .add(rod, {}, {0, 0, turns})
                                   .add(sphere(0.05, from + dvec3(0, 0, 17.5 * turns)), {0, 0, -20 * turns}));
      ASSERT_EQ(ball.has_value(), angle == 0.0) << turns;
      if (ball) {
        EXPECT_NEAR(ball->time, 0.875, 0.1 / (20.0 * turns)) << turns;
      }
    }
  }
}

TEST_P(ConvexImpact, WhatTurnsAllTheTimeBesideAnotherTakesNoTime) {
  const BodySpec rod = box({1.0, 0.05, 0.05}, {0, 0, 0}, turn({0, 0, 1}, 0.3));
  const double turns = 1e7, reach = std::hypot(1.0, 0.05);
  const dvec3 spin(0, 0, turns);
  EXPECT_FALSE(impact(MovingScene().add(rod, {}, spin).add(box({0.5, 3, 3}, {reach + 0.5 + 2e-4, 0, 0}))));
  EXPECT_TRUE(impact(MovingScene().add(rod, {}, spin).add(box({0.5, 3, 3}, {reach + 0.5 - 2e-4, 0, 0}))));
  EXPECT_FALSE(impact(MovingScene().add(rod, {}, spin).add(box({0.5, 3, 3}, {reach + 0.51, 0, 0}), {0, 0, 4})));
  EXPECT_FALSE(impact(MovingScene().add(rod, {}, spin).add(half_space({0, 0, -0.0502}))));
  EXPECT_FALSE(impact(MovingScene().add(rod, {9, 0, 0}, spin).add(half_space({0, 0, -0.0502}))));
  // Two on one axis, at other rates; two at a right angle to each other whose ends go through each other's places.
  const BodySpec above = box({1.0, 0.05, 0.05}, {0, 0, 0.1002});
  EXPECT_FALSE(impact(MovingScene().add(rod, {}, spin).add(above, {}, -0.7 * spin)));
  const BodySpec beside = box({1.0, 0.05, 0.05}, {0, 1.9, 0}, turn({0, 0, 1}, 0.3 + kQuarter));
  EXPECT_FALSE(impact(MovingScene().add(rod, {}, spin).add(beside, {}, spin)));
  // At other rates, a millimetre beside all that either comes to.
  const BodySpec next = box({1.0, 0.05, 0.05}, {2.0 * reach + 1e-3, 0, 0});
  for (const double ratio : {0.7, std::sqrt(0.5), 0.999999})
    EXPECT_FALSE(impact(MovingScene().add(rod, {}, spin).add(next, {}, ratio * spin))) << ratio;
}

// Two rods go round beside each other, and each comes to where the other one has been.
TEST_P(ConvexImpact, TwoThatTurnAtOtherRatesAreTold) {
  const auto rods = [](double distance, double turned, dvec3 moves, double turns, double ratio) {
    return MovingScene()
        .add(box({1.0, 0.05, 0.05}, {0, 0, 0}), {}, {0, 0, turns})
        .add(box({1.0, 0.05, 0.05}, {distance, 0, 0}, turn({0, 0, 1}, turned)), moves, {0, 0, ratio * turns});
  };
  for (const double turns : {1e3, 1e5, 1e7}) {
    // Half as often: whenever one points to the other's middle, that one is across, or at half a right angle.
    EXPECT_FALSE(impact(rods(1.9, 0.5 * kQuarter, {}, turns, 0.5))) << turns;
    EXPECT_FALSE(impact(rods(1.9, 0.5 * kQuarter, {0.01, 0, 0.01}, turns, 0.5))) << turns;
    // Both point to each other at some time, within the first few turns: where the tips overlap by a centimetre they
    // do so in one of ten turns.
    for (const double ratio : {std::sqrt(0.5), -0.5 * std::sqrt(3.0), 0.618034}) {
      const auto found = impact(rods(1.9, 0.5 * kQuarter, {}, turns, ratio));
      ASSERT_TRUE(found) << turns << " " << ratio;
      EXPECT_LE(found->time, 40.0 * kTurn / turns) << turns << " " << ratio;
    }
    // They come to each other's places at three quarters of the frame, where the tips begin to meet.
    const double reach = std::hypot(1.0, 0.05);
    const auto found = impact(rods(2.0 * reach + 0.3, 0.4, {-0.4, 0, 0}, turns, std::sqrt(0.5)));
    ASSERT_TRUE(found) << turns;
    EXPECT_GE(found->time, 0.75 - 1e-4 / 0.4) << turns;
  }
}

// A turn that brings the plane to a sphere at a known angle, seen from where the half space stands.
TEST_P(ConvexImpact, HalfSpacesTurnFarFromWhereTheyStand) {
  for (const double distance : {100.0, 1e3, 1e4})
    for (const double angle : {1e-4, 0.7, 2.5})
      for (const double turns : {angle / 0.6, 3.0, 300.0}) {
        const double place = angle + std::asin(0.5 / distance);
        const BodySpec ball = sphere(0.5, {distance * std::cos(place), 20.0, distance * std::sin(place)});
        const dvec3 up(-std::sin(angle), 0, std::cos(angle));
        EXPECT_TRUE(is_impact(impact(MovingScene().add(half_space({}), {}, {0, -turns, 0}).add(ball)), angle / turns,
                              turns * distance, -up))
            << distance << " " << angle << " " << turns;
        EXPECT_TRUE(is_impact(impact(MovingScene().add(ball).add(half_space({}), {}, {0, -turns, 0})), angle / turns,
                              turns * distance, up))
            << distance << " " << angle << " " << turns;
        // Not quite so far.
        if (turns < 3.0) {
          const double less = angle - 2e-4 / distance;
          EXPECT_FALSE(impact(MovingScene().add(half_space({}), {}, {0, -less, 0}).add(ball))) << distance << angle;
        }
      }
}

TEST_P(ConvexImpact, APlaneThatTurnsAboutItsNormalRests) {
  for (const double distance : {500.0, 3e3, 1e4})
    for (const double turns : {1e-12, 1.0, 1e4})
      for (const double gap : {2e-4, -2e-5}) {
        const BodySpec ball = sphere(0.5, {-0.6 * distance, 0.8 * distance, 0.5 + gap});
        const auto found = impact(MovingScene().add(half_space({}), {}, {0, 0, turns}).add(ball));
        EXPECT_EQ(found.has_value(), gap < 0.0) << distance << " " << turns;
        // Any pose that has a normal of the same kind.
        const dquat tilt(0.5, 0.5, 0.5, 0.5);
        const auto tilted = impact(MovingScene()
                                       .add(half_space({}, tilt), {}, tilt * dvec3(0, 0, turns))
                                       .add(sphere(0.5, tilt * ball.position)));
        EXPECT_EQ(tilted.has_value(), gap < 0.0) << distance << " " << turns;
      }
}

// The largest bodies, some hundred metres from where the half space stands; the validator tells how near they are.
TEST_P(ConvexImpact, LargeBodiesMeetPlanesThatTurn) {
  std::mt19937_64 random(32);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int impacts = 0;
  for (std::size_t k = 0; k < 200; ++k) {
    const double x = 200.0 * unit(random), y = 200.0 * unit(random);
    BodySpec body = of_any_shape(k, 50.0, {x, y, 140.0}, random_orientation(random));
    body.size = {50.0, 45.0 + 5.0 * unit(random), 48.0};
    const double a = unit(random), b = unit(random);
    impacts += impact(MovingScene().add(half_space({}), {}, {0.6 * a, 0.6 * b, 0.1}).add(body, {0, 0, -150}, {b, a, 1}))
                   ? 1
                   : 0;
  }
  EXPECT_GE(impacts, 100);
}

// A pair of which nothing tells is named.
TEST(UntoldSweep, BothBodiesAreNamed) {
  const auto message = [](const UntoldSweep& pair) -> std::string {
    try {
      refuse_untold(pair, [](std::size_t part) { return part / 2; });
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({2, 9}).find("sweep: body[1] and body[4] are near to each other for so long"), 0u);
  EXPECT_EQ(message({2, kTerrain}).find("sweep: body[1] and terrain are near to each other for so long"), 0u);
}

// A tilted plane that goes round about the vertical, and a sphere that moves out to where it is lowest.
TEST_P(ConvexImpact, APlaneThatGoesRoundMeetsWhatMovesOut) {
  const double tilt = 0.3, time = ((4.0 * std::cos(tilt) - 0.5) / std::sin(tilt) - 5.0) / 10.0;
  for (const double turns : {1e3, 1e5}) {
    const auto found = impact(MovingScene()
                                  .add(half_space({}, turn({0, 1, 0}, tilt)), {}, {0, 0, turns})
                                  .add(sphere(0.5, {5, 0, 4}), {10, 0, 0}));
    ASSERT_TRUE(found) << turns;
    EXPECT_GE(found->time, time - 1e-4) << turns;
    EXPECT_LE(found->time, time + 1.5 * kTurn / turns + 1e-4) << turns;
  }
}

// An empty scene, one body, no motion.
TEST_P(ConvexImpact, WithoutBodiesOrMotionItHoldsToo) {
  EXPECT_TRUE(sweep(MovingScene()).empty());
  EXPECT_TRUE(sweep(MovingScene().add(sphere(1.0, {}))).empty());
  Collider& collider = collider_on(GetParam());
  const MovingScene two = MovingScene().add(sphere(1.0, {})).add(sphere(1.0, {1.5, 0, 0}));
  collider.set_scene(two.scene.scene);
  EXPECT_EQ(collider.sweep(two.poses(), {}).impacts.size(), 1u);
}

TEST_P(ConvexImpact, BadMotionIsRefused) {
  Collider& collider = collider_on(GetParam());
  const MovingScene two = MovingScene().add(sphere(1.0, {})).add(sphere(1.0, {5, 0, 0}), {-5, 0, 0});
  collider.set_scene(two.scene.scene);
  const auto message = [&](const Motion& motion) -> std::string {
    try {
      (void)collider.sweep(two.poses(), motion);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      return error.what();
    }
    return "";
  };
  std::vector<double> bad(6, 0.0), few(5, 0.0);
  EXPECT_NE(message({few, {}}).find("displacement"), std::string::npos);
  EXPECT_NE(message({{}, few}).find("rotation"), std::string::npos);
  for (const double x :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300, -1e10}) {
    bad[4] = x;
    EXPECT_NE(message({bad, {}}).find("displacement[1][1]"), std::string::npos) << message({bad, {}});
    EXPECT_NE(message({{}, bad}).find("rotation[1][1]"), std::string::npos) << message({{}, bad});
  }
  bad[4] = 1.1e7;
  EXPECT_EQ(message({bad, {}}), "");
  EXPECT_NE(message({{}, bad}).find("rotation[1][1] is beyond 1e7 rad"), std::string::npos) << message({{}, bad});
  EXPECT_EQ(collider.sweep(two.poses(), two.motion()).impacts.size(), 1u);
}

}  // namespace
}  // namespace oclide::test
