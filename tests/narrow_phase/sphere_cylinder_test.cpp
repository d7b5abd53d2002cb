// Sphere against cylinder; closed forms with the cylinder upright at the origin, radius 1, half length 2:
// docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class SphereCylinder : public PairTest {};

BodyPair on_cylinder(double radius, dvec3 centre) {
  return {sphere(radius, centre), cylinder(1.0, 2.0, {0, 0, 0})};
}

TEST_F(SphereCylinder, BesideTheSideTouchesIt) {
  expect_contacts(on_cylinder(0.5, {0.84, 1.12, 1.5}), {{{0.54, 0.72, 1.5}, {0.6, 0.8, 0}, 0.1}});
}

TEST_F(SphereCylinder, OverABaseTouchesIt) {
  for (const double side : {1.0, -1.0})
    expect_contacts(on_cylinder(0.5, {0.4, -0.3, side * 2.4}), {{{0.4, -0.3, side * 1.9}, {0, 0, side}, 0.1}});
  expect_contacts(on_cylinder(0.5, {0, 0, 2.4}), {{{0, 0, 1.9}, {0, 0, 1}, 0.1}});
}

TEST_F(SphereCylinder, BeyondTheRimTouchesIt) {
  expect_contacts(on_cylinder(0.6, {0, -1.3, 2.4}), {{{0, -0.94, 1.92}, {0, -0.6, 0.8}, 0.1}});
  expect_contacts(on_cylinder(0.6, {-1.4, 0, -2.3}), {{{-0.92, 0, -1.94}, {-0.8, 0, -0.6}, 0.1}});
}

TEST_F(SphereCylinder, CentreInsideLeavesThroughTheNearerOfBaseAndSide) {
  expect_contacts(on_cylinder(0.25, {0, 0.8, 1.0}), {{{0, 0.55, 1.0}, {0, 1, 0}, 0.45}});
  expect_contacts(on_cylinder(0.25, {0.1, 0.2, -1.9}), {{{0.1, 0.2, -1.65}, {0, 0, -1}, 0.35}});
}

TEST_F(SphereCylinder, CentreOnTheAxisLeavesAlongX) {
  expect_contacts(on_cylinder(0.25, {0, 0, 0.5}), {{{-0.25, 0, 0.5}, {1, 0, 0}, 1.25}});
  expect_contacts(on_cylinder(5.0, {0, 0, 0}), {{{-5, 0, 0}, {1, 0, 0}, 6}});
}

// Side and base are as near: the base, so that rounding does not decide.
TEST_F(SphereCylinder, EquallyNearBaseComesBeforeTheSide) {
  expect_contacts({sphere(0.5, {0, 0, 0}), cylinder(1.0, 1.0, {0, 0, 0})}, {{{0, 0, -0.5}, {0, 0, 1}, 1.5}}, 0.0, 2e-5);
  expect_contacts(on_cylinder(0.25, {0.5, 0, -1.5}), {{{0.5, 0, -1.25}, {0, 0, -1}, 0.75}}, 0.0, 2e-5);
}

TEST_F(SphereCylinder, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of(on_cylinder(0.5, {1.5, 0, 0})).empty());
  EXPECT_TRUE(contacts_of(on_cylinder(0.5, {0, 0, 2.5})).empty());
  EXPECT_TRUE(contacts_of(on_cylinder(0.5, {0, 0, 2.53}), 0.02).empty());
  expect_contacts(on_cylinder(0.5, {0, 0, 2.53}), {{{0, 0, 2.03}, {0, 0, 1}, -0.03}}, 0.04);
}

TEST_F(SphereCylinder, HoldsForAllSizes) {
  fuzz(Shape::sphere, Shape::cylinder,
       {{"cube_like", {0.5}, {0.5, 0.5}},
        {"disc", {0.3}, {3.0, 0.05}},
        {"needle", {0.3}, {0.05, 3.0}},
        {"tiny_on_huge", {0.05}, {50.0, 40.0}},
        {"huge_on_tiny", {50.0}, {0.05, 0.07}}});
}

}  // namespace
}  // namespace oclide::test
