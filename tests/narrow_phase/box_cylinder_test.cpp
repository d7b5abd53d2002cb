// Box against cylinder: closed forms, and thousands of poses against a search in double.
#include <numbers>

#include "narrow_phase/least_penetration_search.hpp"

namespace oclide::test {
namespace {

class BoxCylinder : public OnOpenCl {};

TEST_F(BoxCylinder, UprightOnAFaceTouchesWithItsBase) {
  expect_deepest({box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.3, 0.4, {0.1, 0.2, 0.89})}, {0, 0, -1}, 0.01, 4);
}

TEST_F(BoxCylinder, LyingOnAFaceHasTheTwoEndsOfItsLine) {
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.2, 0.4, {0.1, 0.2, 0.69}, kAlongX)},
                  {{{-0.3, 0.2, 0.5}, {0, 0, -1}, 0.01}, {{0.5, 0.2, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(BoxCylinder, LeaningOnAFaceTouchesWithItsRim) {
  const double tilt = 0.5, down = 0.4 * std::cos(tilt) + 0.2 * std::sin(tilt);
  expect_deepest({box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.2, 0.4, {0, 0, 0.49 + down}, turn({0, 1, 0}, tilt))},
                 {0, 0, -1}, 0.01, 1);
}

// A rim of 40 m on an edge of 100 m: the place of the rim's farthest point has the rounding of the normal times that.
TEST_F(BoxCylinder, AHugeRimOnALongEdgeHasItsPointOnBoth) {
  const BodyPair pair{box({50, 40, 30}, {80.849926804944687, 7.7552037048821933, 15.796622378198801},
                          {0.72110883429316563, -0.30785239100170203, 0.37472744455540946, -0.49478105941502981}),
                      cylinder(40, 30, {45.621506044600437, 9.6496510035396685, -42.08661425473273},
                               {-0.68155958293297036, 0.33522879833701502, -0.3369431429250313, 0.55638790974782903})};
  EXPECT_TRUE(holds(pair, contacts_of(pair), 0.0, kContract));
}

TEST_F(BoxCylinder, AlongAnEdgeHasTwo) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1));
  expect_contacts(
      {box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.2, 0.4, dvec3(1, 0.2, 0.5) + n * 0.19, turn({1, 0, 0}, kQuarter))},
      {{{1, -0.2, 0.5}, -n, 0.01}, {{1, 0.6, 0.5}, -n, 0.01}});
}

TEST_F(BoxCylinder, AcrossAnEdgeHasOne) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1));
  expect_contacts(
      {box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.2, 0.4, dvec3(1, 0.3, 0.5) + n * 0.19, turn({0, 1, 0}, 1.5 * kQuarter))},
      {{{1, 0.3, 0.5}, -n, 0.01}});
}

TEST_F(BoxCylinder, CornerTouchesTheSide) {
  // The axis along (1, -1, 0), beside the corner (1, 1, 0.5) in a direction across it.
  const dvec3 n = glm::normalize(dvec3(1, 1, 2));
  expect_contacts(
      {box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.3, 2.0, dvec3(1, 1, 0.5) + n * 0.29, turn({1, 1, 0}, kQuarter))},
      {{{1, 1, 0.5}, -n, 0.01}});
}

TEST_F(BoxCylinder, RimIsAtItsDistanceFromACorner) {
  // The rim's nearest point is off the corner by (0.1, 0.1, 0.2).
  const BodyPair pair{box({1, 1, 0.5}, {0, 0, 0}),
                      cylinder(0.3, 0.5, {1.0 + 0.3 / std::sqrt(2.0) + 0.1, 1.0 + 0.3 / std::sqrt(2.0) + 0.1, 1.2})};
  const dvec3 gap(0.1, 0.1, 0.2);
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_deepest(pair, -glm::normalize(gap), -glm::length(gap), 1, 0.5);
}

TEST_F(BoxCylinder, NestedLeavesByTheNearestSide) {
  expect_deepest({box({1, 2, 3}, {0, 0, 0}), cylinder(0.1, 0.2, {0.3, 0.1, 0})}, {-1, 0, 0}, 0.8, 2);
}

TEST_F(BoxCylinder, OneCentreHasAFiniteAnswer) {
  for (const dquat turned : {kUpright, kAlongX, turn({1, 0, 0}, 1e-5)}) {
    const std::vector<Contact> found =
        contacts_of({box({0.5, 0.4, 0.3}, {1, 2, 3}), cylinder(0.2, 0.2, {1, 2, 3}, turned)});
    ASSERT_FALSE(found.empty());
    EXPECT_NEAR(static_cast<double>(found.front().depth), 0.5, 1e-4);
    EXPECT_NEAR(glm::length(normal_of(found.front())), 1.0, 1e-6);
  }
}

TEST_F(BoxCylinder, ApartIsTheDistance) {
  const BodyPair pair{box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.2, 0.4, {0.1, 0.2, 0.73}, kAlongX)};
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_contacts(pair, {{{-0.3, 0.2, 0.5}, {0, 0, -1}, -0.03}, {{0.5, 0.2, 0.5}, {0, 0, -1}, -0.03}}, 0.05);
}

const std::vector<SizeCase> kBoxCylinderSizes{
    {"alike", {0.4, 0.45, 0.5}, {0.45, 0.4, 0.0}},           {"plate and disc", {1.0, 1.2, 0.05}, {0.7, 0.03, 0.0}},
    {"needles", {0.05, 0.06, 3.0}, {0.06, 2.0, 0.0}},        {"plate and needle", {2.0, 1.0, 0.05}, {0.05, 2.0, 0.0}},
    {"tiny on huge", {0.05, 0.06, 0.07}, {30.0, 20.0, 0.0}}, {"huge on tiny", {30.0, 20.0, 15.0}, {0.05, 0.06, 0.0}},
    {"huge", {30.0, 25.0, 20.0}, {20.0, 33.0, 0.0}}};

TEST_F(BoxCylinder, SearchFindsNoLesserPenetration) {
  compare_with_search(Shape::box, Shape::cylinder, kBoxCylinderSizes, 400, 0.0);
}

TEST_F(BoxCylinder, SearchFindsNoLesserPenetrationWithMargin) {
  compare_with_search(Shape::box, Shape::cylinder, kBoxCylinderSizes, 200, 0.2);
}

// An edge of a long box all but along the axis: which of its ends is nearest to the side is beyond rounding.
TEST_F(BoxCylinder, LongOnesAllButParallelPartAlongTheNearestEnd) {
  const BodyPair pair{box({0.060512110590934753, 0.064072601497173309, 15.221712112426758}, {},
                          {-0.16320092188645155, 0.49192844157202609, 0.065706746580004999, -0.85267490341970376}),
                      cylinder(0.17813965678215027, 45.521888732910156,
                               {-0.16321044344714342, 0.22628327196418901, -0.072302222418161893},
                               {0.8526783642330612, 0.065702262208024026, -0.49192134221531164, -0.1632060445653449})};
  const std::vector<Contact> found = contacts_of(pair, 1e-3);
  EXPECT_TRUE(holds(pair, found, 1e-3, 2e-5, -9.31644e-5, 5e-5));
  EXPECT_EQ(found.size(), 2U) << text(found);
}

}  // namespace
}  // namespace oclide::test
