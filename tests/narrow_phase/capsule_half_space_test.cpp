// Capsule against half space; radius 0.5, half length 2 above the plane z = 0: docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class CapsuleHalfSpace : public PairTest {};

const double kDown = glm::radians(90.0);

BodyPair capsule_on_plane(double height, dquat orientation = kUpright) {
  return {capsule(0.5, 2.0, {3, 4, height}, orientation), half_space({0, 0, 0})};
}

TEST_F(CapsuleHalfSpace, StandingTouchesWithItsLowestPoint) {
  expect_contacts(capsule_on_plane(2.49), {{{3, 4, -0.01}, {0, 0, 1}, 0.01}});
  expect_contacts(capsule_on_plane(-7.0), {{{3, 4, -9.5}, {0, 0, 1}, 9.5}});
}

TEST_F(CapsuleHalfSpace, LyingTouchesWithTheLowestPointsOfBothEnds) {
  expect_contacts(capsule_on_plane(0.49, turn({0, 1, 0}, kDown)),
                  {{{1, 4, -0.01}, {0, 0, 1}, 0.01}, {{5, 4, -0.01}, {0, 0, 1}, 0.01}});
}

TEST_F(CapsuleHalfSpace, LeaningTouchesWithTheLowerEnd) {
  const double a = glm::radians(60.0);
  expect_contacts(capsule_on_plane(2.0 * std::cos(a) + 0.49, turn({0, 1, 0}, a)),
                  {{{3 - 2.0 * std::sin(a), 4, -0.01}, {0, 0, 1}, 0.01}});
}

// Sunk, its upper end's contact is on the line of the side that looks down, not in the ball.
TEST_F(CapsuleHalfSpace, LeaningAndSunkTouchesWithBothEndsOnItsSurface) {
  const double a = glm::radians(60.0);
  const BodyPair pair = capsule_on_plane(-3.0, turn({0, 1, 0}, a));
  const std::vector<Contact> found = contacts_of(pair);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
}

TEST_F(CapsuleHalfSpace, LyingLineThatIsHalfOutTouchesWhereItComesOut) {
  const double tilt = 5e-4;
  const BodyPair pair = capsule_on_plane(0.4999, turn({0, 1, 0}, kDown + tilt));
  const std::vector<Contact> found = contacts_of(pair);
  ASSERT_EQ(found.size(), 2U) << text(found);
  EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
  EXPECT_NEAR(found[0].point[0], 5.0, 1e-3);
  EXPECT_NEAR(found[1].point[0], 3.0 - 1e-4 / tilt, 0.01);
}

TEST_F(CapsuleHalfSpace, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of(capsule_on_plane(2.5)).empty());
  EXPECT_TRUE(contacts_of(capsule_on_plane(2.53), 0.02).empty());
  expect_deepest(capsule_on_plane(2.53), {0, 0, 1}, -0.03, 1, 0.04);
  expect_deepest(capsule_on_plane(0.53, turn({0, 1, 0}, kDown)), {0, 0, 1}, -0.03, 2, 0.04);
}

TEST_F(CapsuleHalfSpace, HoldsForAllSizes) {
  fuzz(Shape::capsule, Shape::half_space,
       {{"cube_like", {0.5, 0.5}, {}},
        {"ball_like", {0.5, 0.001}, {}},
        {"needle", {0.05, 3.0}, {}},
        {"tiny", {0.05, 0.06}, {}},
        {"huge", {50.0, 40.0}, {}},
        {"huge_needle", {0.05, 50.0}, {}}});
}

}  // namespace
}  // namespace oclide::test
