// Sphere against capsule; closed forms with the capsule upright at the origin, radius 1, half length 2:
// docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class SphereCapsule : public PairTest {};

BodyPair on_capsule(double radius, dvec3 centre) {
  return {sphere(radius, centre), capsule(1.0, 2.0, {0, 0, 0})};
}

TEST_F(SphereCapsule, BesideTheSideTouchesIt) {
  expect_contacts(on_capsule(0.5, {0.84, 1.12, 1.5}), {{{0.54, 0.72, 1.5}, {0.6, 0.8, 0}, 0.1}});
}

TEST_F(SphereCapsule, BeyondAnEndTouchesItsBall) {
  expect_contacts(on_capsule(0.5, {0, 0, 3.4}), {{{0, 0, 2.9}, {0, 0, 1}, 0.1}});
  expect_contacts(on_capsule(0.5, {0.84, 0, -3.12}), {{{0.54, 0, -2.72}, {0.6, 0, -0.8}, 0.1}});
}

TEST_F(SphereCapsule, CentreInsideLeavesAcrossTheAxis) {
  expect_contacts(on_capsule(0.25, {0, 0.5, 1.0}), {{{0, 0.25, 1.0}, {0, 1, 0}, 0.75}});
}

TEST_F(SphereCapsule, CentreOnTheAxisLeavesAlongX) {
  expect_contacts(on_capsule(0.25, {0, 0, 1.5}), {{{-0.25, 0, 1.5}, {1, 0, 0}, 1.25}});
  expect_contacts(on_capsule(4.0, {0, 0, 0}), {{{-4, 0, 0}, {1, 0, 0}, 5}});
}

TEST_F(SphereCapsule, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of(on_capsule(0.5, {1.5, 0, 0})).empty());
  EXPECT_TRUE(contacts_of(on_capsule(0.5, {0, 0, 3.5})).empty());
  EXPECT_TRUE(contacts_of(on_capsule(0.5, {0, 0, 3.53}), 0.02).empty());
  expect_contacts(on_capsule(0.5, {0, 0, 3.53}), {{{0, 0, 3.03}, {0, 0, 1}, -0.03}}, 0.04);
}

TEST_F(SphereCapsule, HoldsForAllSizes) {
  fuzz(Shape::sphere, Shape::capsule,
       {{"cube_like", {0.5}, {0.5, 0.5}},
        {"ball_like", {0.5}, {0.5, 0.001}},
        {"needle", {0.3}, {0.05, 3.0}},
        {"tiny_on_huge", {0.05}, {50.0, 40.0}},
        {"huge_on_tiny", {50.0}, {0.05, 0.07}}});
}

}  // namespace
}  // namespace oclide::test
