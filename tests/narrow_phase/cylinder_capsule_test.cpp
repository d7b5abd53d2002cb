// Cylinder against capsule: closed forms, and thousands of poses against a search in double.
#include <numbers>

#include "narrow_phase/least_penetration_search.hpp"

namespace oclide::test {
namespace {

class CylinderCapsule : public OnOpenCl {};

TEST_F(CylinderCapsule, StandingOnABaseHasOne) {
  expect_contacts({cylinder(0.5, 1.0, {0, 0, 0}), capsule(0.2, 0.3, {0.1, 0, 1.49})},
                  {{{0.1, 0, 1.0}, {0, 0, -1}, 0.01}});
}

TEST_F(CylinderCapsule, LyingOnABaseHasTwo) {
  expect_contacts({cylinder(0.5, 1.0, {0, 0, 0}), capsule(0.2, 0.3, {0.1, 0, 1.19}, kAlongX)},
                  {{{-0.2, 0, 1.0}, {0, 0, -1}, 0.01}, {{0.4, 0, 1.0}, {0, 0, -1}, 0.01}});
}

TEST_F(CylinderCapsule, SideBySideShareALine) {
  expect_contacts({cylinder(0.5, 1.0, {0, 0, 0}), capsule(0.3, 0.6, {0.79, 0, 0.7})},
                  {{{0.5, 0, 0.1}, {-1, 0, 0}, 0.01}, {{0.5, 0, 1.0}, {-1, 0, 0}, 0.01}});
}

TEST_F(CylinderCapsule, CrossedTouchInOnePoint) {
  expect_contacts({cylinder(0.5, 1.0, {0, 0, 0}, kAlongX), capsule(0.3, 0.6, {0.2, 0.1, 0.79}, kAlongY)},
                  {{{0.2, 0, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(CylinderCapsule, EndAgainstTheRim) {
  // The segment's end is 0.05 outside the side and 0.12 above the base.
  const dvec3 gap(0.05, 0, 0.12);
  expect_contacts({cylinder(0.5, 1.0, {0, 0, 0}), capsule(0.15, 0.4, dvec3(0.5, 0, 1.4) + gap)},
                  {{{0.5, 0, 1.0}, -glm::normalize(gap), 0.02}});
}

TEST_F(CylinderCapsule, ThroughTheCylinderLeavesByTheNearestWay) {
  expect_deepest({cylinder(0.3, 2.0, {0, 0, 0}), capsule(0.05, 3.0, {0, 0.1, 0.05}, kAlongX)}, {0, -1, 0}, 0.25, 1);
  expect_deepest({cylinder(2.0, 0.3, {0, 0, 0}), capsule(0.05, 3.0, {0, 0.1, 0.05}, kAlongX)}, {0, 0, -1}, 0.3, 2);
}

TEST_F(CylinderCapsule, OneCentreHasAFiniteAnswer) {
  for (const dquat turned : {kUpright, turn({1, 0, 0}, 1e-5)}) {
    const std::vector<Contact> found =
        contacts_of({cylinder(0.5, 2.0, {1, 2, 3}), capsule(0.1, 2.0, {1, 2, 3}, turned)});
    ASSERT_FALSE(found.empty());
    EXPECT_NEAR(static_cast<double>(found.front().depth), 0.6, 1e-4);
    EXPECT_NEAR(glm::length(normal_of(found.front())), 1.0, 1e-6);
  }
}

// The chord that leads from the far side to the pill begins a thousand radii before it.
TEST_F(CylinderCapsule, PillInTheMiddleOfAHugeCylinderHasPointsOnItself) {
  std::vector<BodyPair> pairs;
  std::mt19937_64 random(6);
  for (int k = 0; k < 100; ++k) {
    const dquat turned = random_orientation(random);
    pairs.push_back({cylinder(39.8, 41.0, {0, 0, 0}, turned),
                     capsule(0.05, 0.05, {0, 0, 0}, turned * turn({1, 0, 0}, 2e-4 * static_cast<double>(k)))});
  }
  const std::vector<std::vector<Contact>> found = contacts_of(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) EXPECT_TRUE(holds(pairs[k], found[k], 0.0, 1e-4, 39.85)) << k;
}

TEST_F(CylinderCapsule, ApartIsTheDistance) {
  const BodyPair pair{cylinder(0.5, 1.0, {0, 0, 0}), capsule(0.2, 0.3, {0.1, 0, 1.23}, kAlongX)};
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_contacts(pair, {{{-0.2, 0, 1.0}, {0, 0, -1}, -0.03}, {{0.4, 0, 1.0}, {0, 0, -1}, -0.03}}, 0.05);
}

const std::vector<SizeCase> kCylinderCapsuleSizes{
    {"alike", {0.4, 0.45, 0.0}, {0.45, 0.4, 0.0}},          {"disc and pill", {1.0, 0.05, 0.0}, {0.3, 0.05, 0.0}},
    {"needles", {0.05, 3.0, 0.0}, {0.06, 2.0, 0.0}},        {"disc and needle", {2.0, 0.05, 0.0}, {0.05, 2.0, 0.0}},
    {"tiny on huge", {0.05, 0.06, 0.0}, {30.0, 20.0, 0.0}}, {"huge on tiny", {30.0, 20.0, 0.0}, {0.05, 0.06, 0.0}},
    {"huge", {30.0, 25.0, 0.0}, {20.0, 33.0, 0.0}}};

TEST_F(CylinderCapsule, SearchFindsNoLesserPenetration) {
  compare_with_search(Shape::cylinder, Shape::capsule, kCylinderCapsuleSizes, 400, 0.0);
}

TEST_F(CylinderCapsule, SearchFindsNoLesserPenetrationWithMargin) {
  compare_with_search(Shape::cylinder, Shape::capsule, kCylinderCapsuleSizes, 200, 0.2);
}

// One behind the other on one axis, but for a turn of less than a millionth: what rounding leaves across the axis of
// the way between the centres is no direction.
TEST_F(CylinderCapsule, OnOneAxisFarApartTouchWithBallAndBase) {
  constexpr double kDepth = 0.02;
  std::vector<BodyPair> pairs;
  for (const double half_length : {0.5, 7.3, 40.0})
    for (int k = 0; k < 200; ++k) {
      // Half of them along -z, of a length that is not quite 1 in float.
      const dquat q = k % 2 == 0 ? turn({std::cos(k), std::sin(k), 0}, glm::radians(180.0))
                                 : turn({std::cos(k), std::sin(k), 0.1}, 0.3 * k);
      const dvec3 axis = q * dvec3(0, 0, 1), aside = q * dvec3(std::cos(2.0 * k), std::sin(2.0 * k), 0.0);
      pairs.push_back({cylinder(0.06, half_length, {}, q),
                       capsule(0.45, 0.4, axis * (half_length + 0.85 - kDepth), turn(aside, 4e-9 * k) * q)});
    }
  const std::vector<std::vector<Contact>> found = contacts_of(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k)
    EXPECT_TRUE(holds(pairs[k], found[k], 0.0, 1e-4, kDepth)) << k << "\n" << text(found[k]);
}

// A thin capsule beside the side of a large cylinder, all but parallel: where it ends the capsule is half way aside,
// and rounding may miss the cylinder's own end.
TEST_F(CylinderCapsule, LongOnesAllButParallelHaveBothEnds) {
  const BodyPair pair{
      cylinder(34.385517120361328, 26.896440505981445, {34.58198364335513, -7.3937344269363194, -1.8310878283040939},
               {0.24576657124570944, -0.7439864881046877, 0.62125937676013787, -0.010940053171082537}),
      capsule(0.064577944576740265, 31.296775817871094, {17.710579732906183, -30.237595459555042, -21.747886206395282},
              {0.24576639813949716, -0.74454756619916451, 0.6205924775922893, -0.010619603020032162})};
  const std::vector<Contact> found = contacts_of(pair, 0.02);
  EXPECT_TRUE(holds(pair, found, 0.02, kContract));
  ASSERT_EQ(found.size(), 2U) << text(found);
  EXPECT_NEAR(glm::distance(point_of(found[0]), point_of(found[1])), 53.8, 0.1);
  EXPECT_NEAR(static_cast<double>(found[1].depth), -0.00926864, kContract);
}

}  // namespace
}  // namespace oclide::test
