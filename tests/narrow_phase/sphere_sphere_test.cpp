// Two spheres; closed forms with A at the origin: docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class SphereSphere : public PairTest {};

TEST_F(SphereSphere, OverlappingTouchOnTheLineOfCentres) {
  expect_contacts({sphere(0.5, {0, 0, 0}), sphere(0.7, {0, 0, 1.0})}, {{{0, 0, 0.5}, {0, 0, -1}, 0.2}});
  expect_contacts({sphere(0.5, {0, 0, 0}), sphere(0.7, {0.6, 0, 0.8})}, {{{0.3, 0, 0.4}, {-0.6, 0, -0.8}, 0.2}});
}

// Of unequal sizes the smaller is first whatever the order in the scene; P is still on A.
TEST_F(SphereSphere, TheLargerOneMayBeA) {
  expect_contacts({sphere(0.7, {0, 0, 0}), sphere(0.5, {1.0, 0, 0})}, {{{0.7, 0, 0}, {-1, 0, 0}, 0.2}});
}

TEST_F(SphereSphere, ContainedOneLeavesAlongTheLineOfCentres) {
  expect_contacts({sphere(0.1, {0, 0, 0}), sphere(2.0, {0, 0.3, 0})}, {{{0, 0.1, 0}, {0, -1, 0}, 1.8}});
}

TEST_F(SphereSphere, CoincidentCentresPushAlongZ) {
  const std::vector<Contact> found = contacts_of({sphere(0.5, {3, 4, 5}), sphere(0.25, {3, 4, 5})});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(std::abs(found[0].normal[2]), 1.0F);
  EXPECT_FLOAT_EQ(found[0].depth, 0.75F);
}

TEST_F(SphereSphere, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  const BodyPair touching{sphere(0.5, {0, 0, 0}), sphere(0.5, {1, 0, 0})};
  EXPECT_TRUE(contacts_of(touching).empty());
  const BodyPair apart{sphere(0.5, {0, 0, 0}), sphere(0.5, {1.03, 0, 0})};
  EXPECT_TRUE(contacts_of(apart, 0.02).empty());
  expect_contacts(apart, {{{0.5, 0, 0}, {-1, 0, 0}, -0.03}}, 0.04);
}

TEST_F(SphereSphere, HoldsForAllSizes) {
  fuzz(Shape::sphere, Shape::sphere,
       {{"equal", {0.5}, {0.5}}, {"tiny_on_huge", {0.05}, {50.0}}, {"huge", {50.0}, {40.0}}, {"tiny", {0.05}, {0.06}}});
}

}  // namespace
}  // namespace oclide::test
