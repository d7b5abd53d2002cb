// Cylinder against cylinder: closed forms, and thousands of poses against a search in double.
#include <numbers>

#include "narrow_phase/least_penetration_search.hpp"

namespace oclide::test {
namespace {

class CylinderCylinder : public OnOpenCl {};

TEST_F(CylinderCylinder, StackedTouchWithTheirBases) {
  expect_deepest({cylinder(0.5, 1.0, {0, 0, 0}), cylinder(0.4, 0.3, {0, 0, 1.29})}, {0, 0, -1}, 0.01, 4);
  expect_deepest({cylinder(0.5, 1.0, {0, 0, 0}), cylinder(0.5, 0.3, {0.2, 0.1, -1.28})}, {0, 0, 1}, 0.02, 4);
}

TEST_F(CylinderCylinder, SideBySideShareALine) {
  expect_contacts({cylinder(0.5, 1.0, {0, 0, 0}), cylinder(0.3, 0.6, {0.79, 0, 0.7})},
                  {{{0.5, 0, 0.1}, {-1, 0, 0}, 0.01}, {{0.5, 0, 1.0}, {-1, 0, 0}, 0.01}});
}

TEST_F(CylinderCylinder, CrossedTouchInOnePoint) {
  expect_contacts({cylinder(0.5, 1.0, {0, 0, 0}, kAlongX), cylinder(0.3, 0.6, {0.2, 0.1, 0.79}, kAlongY)},
                  {{{0.2, 0, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(CylinderCylinder, StandingOnItsRimTouchesInOnePoint) {
  // The lower rim's lowest point is 0.01 under the other's base.
  const double tilt = 0.6;
  const double down = 0.2 * std::cos(tilt) + 0.5 * std::sin(tilt);
  expect_deepest(
      {cylinder(2.0, 0.5, {0, 0, 0}), cylinder(0.5, 0.2, {0.3, 0.2, 0.5 + down - 0.01}, turn({0, 1, 0}, tilt))},
      {0, 0, -1}, 0.01, 1);
}

TEST_F(CylinderCylinder, RimIsAtItsDistanceFromARim) {
  // Corner to corner in the plane y = 0: apart, both rims' nearest points are on the line between them.
  const BodyPair pair{cylinder(0.5, 0.4, {0, 0, 0}), cylinder(0.3, 0.2, {1.0, 0, 0.9}, kAlongX)};
  // Nearest: (0.5, 0, 0.4) of the first and (0.8, 0, 0.6) of the second.
  const double distance = std::hypot(0.3, 0.2);
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_deepest(pair, glm::normalize(dvec3(-0.3, 0, -0.2)), -distance, 1, 0.5);
}

TEST_F(CylinderCylinder, OneInsideAnotherLeavesByTheNearestWay) {
  expect_deepest({cylinder(1.0, 3.0, {0, 0, 0}), cylinder(0.1, 0.2, {0.3, 0, 0})}, {-1, 0, 0}, 0.8, 2);
  expect_deepest({cylinder(3.0, 1.0, {0, 0, 0}), cylinder(0.2, 0.1, {0, 0, -0.3})}, {0, 0, 1}, 0.8, 4);
}

TEST_F(CylinderCylinder, OneCentreHasAFiniteAnswer) {
  for (const dquat turned : {kUpright, kAlongX, turn({1, 0, 0}, 1e-5)}) {
    const std::vector<Contact> found =
        contacts_of({cylinder(0.5, 2.0, {1, 2, 3}), cylinder(0.5, 2.0, {1, 2, 3}, turned)});
    ASSERT_FALSE(found.empty());
    EXPECT_NEAR(static_cast<double>(found.front().depth), 1.0, 1e-4);
    EXPECT_NEAR(glm::length(normal_of(found.front())), 1.0, 1e-6);
  }
}

TEST_F(CylinderCylinder, ApartIsTheDistance) {
  const BodyPair bases{cylinder(0.5, 1.0, {0, 0, 0}), cylinder(0.4, 0.3, {0, 0, 1.34})};
  EXPECT_TRUE(contacts_of(bases).empty());
  expect_deepest(bases, {0, 0, -1}, -0.04, 4, 0.05);
  const BodyPair sides{cylinder(0.5, 1.0, {0, 0, 0}), cylinder(0.3, 0.6, {0.83, 0, 0.7})};
  EXPECT_TRUE(contacts_of(sides).empty());
  expect_deepest(sides, {-1, 0, 0}, -0.03, 2, 0.05);
}

const std::vector<SizeCase> kCylinderSizes{
    {"alike", {0.4, 0.4, 0.0}, {0.45, 0.4, 0.0}},           {"discs", {1.0, 0.05, 0.0}, {0.7, 0.03, 0.0}},
    {"needles", {0.05, 3.0, 0.0}, {0.06, 2.0, 0.0}},        {"disc and needle", {2.0, 0.05, 0.0}, {0.05, 2.0, 0.0}},
    {"tiny on huge", {0.05, 0.06, 0.0}, {30.0, 20.0, 0.0}}, {"huge", {30.0, 25.0, 0.0}, {20.0, 33.0, 0.0}}};

TEST_F(CylinderCylinder, SearchFindsNoLesserPenetration) {
  compare_with_search(Shape::cylinder, Shape::cylinder, kCylinderSizes, 400, 0.0);
}

TEST_F(CylinderCylinder, SearchFindsNoLesserPenetrationWithMargin) {
  compare_with_search(Shape::cylinder, Shape::cylinder, kCylinderSizes, 200, 0.2);
}

// A line along n through the end of the shorter one's side leaves it through its base when n leans there.
TEST_F(CylinderCylinder, SideBySideHasBothEndsHoweverTheyLean) {
  std::vector<BodyPair> pairs;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  // As found: of 20,000 that follow none is like it.
  pairs.push_back(
      {cylinder(0.1888987292557376, 0.2962370603536052, {},
                {-0.4752265287440393, 0.084495419774603, -0.7415519685762001, 0.4659623893789786}),
       cylinder(2.2630153371032806, 0.2863413790547407, {-1.308945453976321, -1.3926486774143996, -1.5345042915265594},
                {-0.47518922257737906, 0.08455723877896965, -0.7415307046292456, 0.46602305759311635})});
  for (int k = 0; k < 20000; ++k) {
    const dquat q = random_orientation(random);
    const dvec3 axis = q * dvec3(0, 0, 1), across = q * dvec3(1, 0, 0);
    const dvec3 lean = glm::normalize(q * dvec3(unit(random), unit(random), 0.0));
    pairs.push_back(
        {cylinder(0.19, 0.2962, {}, q), cylinder(2.26, 0.2863, (2.45 - 8.9e-4) * across + 0.005 * unit(random) * axis,
                                                 turn(lean, 6e-5 * unit(random)) * q)});
  }
  const std::vector<std::vector<Contact>> found = contacts_of(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    ASSERT_EQ(found[k].size(), 2U) << k << "\n" << text(found[k]);
    EXPECT_GT(glm::distance(point_of(found[k][0]), point_of(found[k][1])), 0.57) << k;
  }
}

// Rounding tells whether the small base is in the large one or meets its rim, and in which order. All of the small one
// is left, and no point of the large one's far side.
TEST_F(CylinderCylinder, BaseThatTouchesALargerRimFromInsideIsWhole) {
  std::vector<BodyPair> pairs;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int k = 0; k < 20000; ++k) {
    const double small = 0.05 + 0.1 * unit(random), large = small * (1.0 + std::pow(10.0, 2.0 * unit(random)));
    const double beyond = 2e-7 * large * (2.0 * unit(random) - 1.0);
    BodyPair pair{cylinder(small, 0.05, {}),
                  cylinder(large, 0.3, {0.0, large - small + beyond, 0.34}, turn({0, 0, 1}, 6.3 * unit(random)))};
    if (k % 2 == 0) std::swap(pair.first.position, pair.second.position);
    pairs.push_back(moved(pair, random_orientation(random), {}));
  }
  const std::vector<std::vector<Contact>> found = contacts_of(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    ASSERT_TRUE(holds(pairs[k], found[k], 0.0, kContract, 0.01)) << k;
    double widest = 0.0;
    for (const Contact& contact : found[k])
      widest = std::max(widest, glm::distance(point_of(contact), point_of(found[k][0])));
    ASSERT_GT(widest, 1.8 * pairs[k].first.size[0]) << k << "\n" << text(found[k]);
  }
}

// Two bases all but parallel that lie over each other in part: where the margin, or no overlap, cuts that to a segment
// of a rim, the segment's ends and its deepest point are there, however small it is.
TEST_F(CylinderCylinder, WhatIsCutOffTheLensOfTwoBasesEndsOnTheRim) {
  const double lean = 8e-4;
  for (const double cut : {9.99, 9.9, 9.0, 7.0})
    for (const double margin : {0.0, 0.02})
      for (const bool exchanged : {false, true}) {
        const double height = 1.0 + std::cos(lean) + std::tan(lean) * (cut - 12.0 + std::sin(lean)) + margin;
        BodyPair pair{cylinder(10, 1, {}), cylinder(10, 1, {12, 0, height}, turn({0, 1, 0}, lean))};
        if (exchanged) std::swap(pair.first, pair.second);
        const std::vector<Contact> found = contacts_of(pair, margin);
        EXPECT_TRUE(holds(pair, found, margin, kContract));
        const double half_width = std::sqrt(100.0 - cut * cut);
        const auto is_there = [&](dvec2 at) {
          return std::any_of(found.begin(), found.end(), [&](const Contact& c) {
            return glm::distance(dvec2(c.point[0], c.point[1]), at) < 0.01 + 0.02 * half_width;
          });
        };
        EXPECT_TRUE(is_there({cut, half_width}) && is_there({cut, -half_width})) << cut << "\n" << text(found);
        // Of others another one may be as deep but for 1e-5 m or 0.5 %.
        EXPECT_TRUE(margin > 0.0 || cut > 9.0 || is_there({10, 0})) << cut << "\n" << text(found);
        EXPECT_EQ(found.size(), 4U);
      }
}

// Discs side by side: rounding is that of their radii, not of the short lines of their sides.
TEST_F(CylinderCylinder, LargeDiscsSideBySideHaveBothEnds) {
  const BodyPair pair{
      cylinder(14.186617851257324, 0.073759399354457855, {},
               {0.4463605926459554, 0.023824225727487932, -0.87945797651043933, 0.16354906038678604}),
      cylinder(20.131378173828125, 0.082751721143722534, {-17.064589182187724, 28.678945112471055, 8.0026965941056414},
               {0.44617270775957635, 0.023967442475065288, -0.87958618030601687, 0.16335124109220331})};
  const std::vector<Contact> found = contacts_of(pair, 0.02);
  EXPECT_TRUE(holds(pair, found, 0.02, kContract));
  ASSERT_EQ(found.size(), 2U) << text(found);
  EXPECT_GT(glm::distance(point_of(found[0]), point_of(found[1])), 0.13);
}

}  // namespace
}  // namespace oclide::test
