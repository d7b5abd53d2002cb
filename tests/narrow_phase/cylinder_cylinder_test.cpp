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

}  // namespace
}  // namespace oclide::test
