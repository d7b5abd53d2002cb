// Cylinder against half space; radius 1, half length 2 above the plane z = 0: docs/body_contacts.md.
#include <algorithm>
#include <cmath>
#include <set>

#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class CylinderHalfSpace : public PairTest {};

BodyPair cylinder_on_plane(double height, dquat orientation = kUpright, double radius = 1.0, double half_length = 2.0) {
  return {cylinder(radius, half_length, {3, 4, height}, orientation), half_space({0, 0, 0})};
}

// Area spanned by four contacts in turn, seen from above.
double area_of(const std::vector<Contact>& contacts) {
  double largest = 0.0;
  for (const std::array<std::size_t, 4> o : {std::array<std::size_t, 4>{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}}) {
    const dvec3 d = point_of(contacts[o[2]]) - point_of(contacts[o[0]]),
                e = point_of(contacts[o[3]]) - point_of(contacts[o[1]]);
    largest = std::max(largest, 0.5 * glm::length(glm::cross(d, e)));
  }
  return largest;
}

TEST_F(CylinderHalfSpace, StandingTouchesWithFourPointsOfItsRim) {
  for (const double side : {0.0, 180.0}) {
    const dquat q = turn({1, 0, 0}, glm::radians(side));
    const std::vector<Contact> found = contacts_of(cylinder_on_plane(1.99, q));
    expect_contacts(cylinder_on_plane(1.99, q), {{{4, 4, -0.01}, {0, 0, 1}, 0.01},
                                                 {{2, 4, -0.01}, {0, 0, 1}, 0.01},
                                                 {{3, 5, -0.01}, {0, 0, 1}, 0.01},
                                                 {{3, 3, -0.01}, {0, 0, 1}, 0.01}});
    EXPECT_NEAR(area_of(found), 2.0, 1e-5);
  }
}

TEST_F(CylinderHalfSpace, LeaningTouchesWithTheLowestPointOfItsRim) {
  const double a = glm::radians(30.0), low = 2.0 * std::cos(a) + 1.0 * std::sin(a);
  const double x = -2.0 * std::sin(a) + std::cos(a);
  expect_contacts(cylinder_on_plane(low - 0.01, turn({0, 1, 0}, a)), {{{3 + x, 4, -0.01}, {0, 0, 1}, 0.01}});
}

TEST_F(CylinderHalfSpace, LeaningAndSunkTouchesWithAllFourPointsOfTheRim) {
  const double a = glm::radians(30.0);
  const BodyPair pair = cylinder_on_plane(0.0, turn({0, 1, 0}, a));
  const std::vector<Contact> found = contacts_of(pair);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
  EXPECT_NEAR(area_of(found), 2.0, 1e-5);
}

TEST_F(CylinderHalfSpace, LyingTouchesWithTheTwoEndsOfItsLowestLine) {
  expect_contacts(cylinder_on_plane(0.99, turn({0, 1, 0}, glm::radians(90.0))),
                  {{{1, 4, -0.01}, {0, 0, 1}, 0.01}, {{5, 4, -0.01}, {0, 0, 1}, 0.01}});
  // Rolled about its axis it has the same contacts, features too.
  const std::vector<Contact> still = contacts_of(cylinder_on_plane(0.99, turn({0, 1, 0}, glm::radians(90.0))));
  for (const double roll : {1e-4, 0.1, 1.0, 3.0}) {
    const std::vector<Contact> found =
        contacts_of(cylinder_on_plane(0.99, turn({0, 1, 0}, glm::radians(90.0)) * turn({0, 0, 1}, roll)));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ((std::set{found[0].feature, found[1].feature}), (std::set{still[0].feature, still[1].feature}));
    EXPECT_TRUE(same_contacts(found, {{{1, 4, -0.01}, {0, 0, 1}, 0.01}, {{5, 4, -0.01}, {0, 0, 1}, 0.01}}));
  }
}

// In at one end and out at the other: the line's other end is where it comes out.
TEST_F(CylinderHalfSpace, LyingLineThatIsHalfOutTouchesWhereItComesOut) {
  const double tilt = 5e-4;
  const BodyPair pair = cylinder_on_plane(0.9999, turn({0, 1, 0}, glm::radians(90.0) + tilt));
  const std::vector<Contact> found = contacts_of(pair);
  ASSERT_EQ(found.size(), 2U) << text(found);
  EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
  EXPECT_NEAR(found[0].point[0], 5.0, 1e-3);
  EXPECT_NEAR(found[1].point[0], 3.0 - 1e-4 / tilt, 0.01);
}

// The disc's part that is in, from a sliver to all of it: four points span at least 90 % of what four can.
TEST_F(CylinderHalfSpace, FlatBaseThatIsHalfOutTouchesWithAWidePartOfIt) {
  const double tilt = 8e-4, radius = 5.0;
  for (int k = 1; k < 40; ++k) {
    const double depth = radius * tilt * k / 20.0;  // the sagitta over the radius is k / 20
    const BodyPair pair =
        cylinder_on_plane(radius * std::sin(tilt) + 0.5 * std::cos(tilt) - depth, turn({1, 3, 0}, tilt), radius, 0.5);
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 4U) << text(found);
    EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
    // The largest four points: on the arc at equal steps, or the square.
    const double half_angle = std::acos(1.0 - k / 20.0), step = std::min(half_angle * 2.0 / 3.0, 0.5 * 3.14159265);
    const double largest = 0.5 * radius * radius * (3.0 * std::sin(step) - std::sin(3.0 * step));
    EXPECT_GE(area_of(found), 0.9 * largest) << k;
  }
}

// Jolt 1539: a wide thin disc at rest keeps its four contacts, the same ones whichever way rounding tips it.
TEST_F(CylinderHalfSpace, ThinDiscAtRestHasFourContactsThatStay) {
  std::vector<std::uint32_t> features;
  for (int k = 0; k < 50; ++k) {
    const dquat q = turn({std::cos(k), std::sin(k), 0}, 1e-7 * k);
    const BodyPair pair = cylinder_on_plane(0.0099, q, 3.0, 0.01);
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 4U);
    EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
    EXPECT_NEAR(area_of(found), 18.0, 1e-3);
    std::vector<std::uint32_t> now;
    for (const Contact& c : found) now.push_back(c.feature);
    std::sort(now.begin(), now.end());
    if (k == 0) features = now;
    EXPECT_EQ(now, features);
  }
}

TEST_F(CylinderHalfSpace, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of(cylinder_on_plane(2.0)).empty());
  EXPECT_TRUE(contacts_of(cylinder_on_plane(2.03), 0.02).empty());
  expect_deepest(cylinder_on_plane(2.03), {0, 0, 1}, -0.03, 4, 0.04);
  expect_deepest(cylinder_on_plane(1.03, turn({0, 1, 0}, glm::radians(90.0))), {0, 0, 1}, -0.03, 2, 0.04);
}

TEST_F(CylinderHalfSpace, HoldsForAllSizes) {
  fuzz(Shape::cylinder, Shape::half_space,
       {{"cube_like", {0.5, 0.5}, {}},
        {"disc", {3.0, 0.05}, {}},
        {"needle", {0.05, 3.0}, {}},
        {"tiny", {0.05, 0.06}, {}},
        {"huge", {50.0, 40.0}, {}},
        {"huge_disc", {50.0, 0.05}, {}}});
}

}  // namespace
}  // namespace oclide::test
