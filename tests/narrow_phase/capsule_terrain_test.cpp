// Capsule against terrain: closed forms on the device and in the reference.
#include "narrow_phase/plane_cases.hpp"

namespace oclide::test {
namespace {

class CapsuleTerrain : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(CapsuleTerrain);

TEST_P(CapsuleTerrain, OnAPlaneOfAnySlopeTouchesWithItsEnds) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) {
                          std::uniform_real_distribution<double> size(0.05, 0.7);
                          return capsule(size(random), size(random), {}, random_orientation(random));
                        },
                        1.0);
}

TEST_P(CapsuleTerrain, NeedleOnAPlaneTouchesWithItsEnds) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) { return capsule(0.01, 1.5, {}, random_orientation(random)); },
                        1.5);
}

TEST_P(CapsuleTerrain, AlmostABallOnAPlaneTouchesWithItsEnds) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) { return capsule(0.9, 0.05, {}, random_orientation(random)); },
                        1.0);
}

TEST_P(CapsuleTerrain, LyingOnAFlatCellTouchesUnderBothEnds) {
  EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), capsule(0.3, 0.4, {0.3, 0.2, 0.299}, kAlongX)),
                            {{{0.7, 0.2, -0.001}, {0, 0, 1}, 0.001}, {{-0.1, 0.2, -0.001}, {0, 0, 1}, 0.001}}));
}

TEST_P(CapsuleTerrain, UprightTouchesUnderItsLowerEnd) {
  EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), capsule(0.3, 0.4, {0.3, 0.2, 0.699})),
                            {{{0.3, 0.2, -0.001}, {0, 0, 1}, 0.001}}));
}

TEST_P(CapsuleTerrain, AlongARidgeTouchesWithBothEnds) {
  const dvec3 centre(0.03, kMiddle, 0.29), m = glm::normalize(dvec3(0.03, 0.0, 0.29));
  const double depth = 0.3 - std::hypot(0.03, 0.29);
  EXPECT_TRUE(same_contacts(
      contacts(ridge(kOneEdge, 0.5), capsule(0.3, 0.4, centre, kAlongY)),
      {{centre - 0.3 * m + dvec3(0, 0.4, 0), m, depth}, {centre - 0.3 * m - dvec3(0, 0.4, 0), m, depth}}));
}

TEST_P(CapsuleTerrain, AcrossARidgeTouchesOnceWhereTheyCross) {
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, 0.5), capsule(0.3, 0.4, {0.05, kMiddle, 0.29}, kAlongX)),
                            {{{0.0, kMiddle, -0.01}, {0, 0, 1}, 0.01}}));
  // At an angle to it, seen from above.
  const dquat q = turn({0, 0, 1}, 0.6) * kAlongX;
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, 0.5), capsule(0.3, 0.4, {0.0, kMiddle, 0.29}, q)),
                            {{{0.0, kMiddle, -0.01}, {0, 0, 1}, 0.01}}));
}

TEST_P(CapsuleTerrain, InAValleyTouchesBothSlopesWithBothEnds) {
  const BodySpec b = capsule(0.3, 0.4, {0.02, kMiddle, 0.4}, kAlongY);
  std::vector<ExpectedContact> expected = plane_contacts(b, {1.0, 0.0, 0.0});
  for (const ExpectedContact& c : plane_contacts(b, {-1.0, 0.0, 0.0})) expected.push_back(c);
  ASSERT_EQ(expected.size(), 4U);
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, -1.0), b), expected));
}

TEST_P(CapsuleTerrain, BridgingAValleyTouchesWithBothEnds) {
  const BodySpec b = capsule(0.3, 0.8, {0.0, kMiddle, 1.2}, kAlongX);
  std::vector<ExpectedContact> expected;
  for (double side : {-1.0, 1.0})
    for (const ExpectedContact& c : plane_contacts(b, {side, 0.0, 0.0}))
      if (c.point.x * side > 0.0) expected.push_back(c);
  ASSERT_EQ(expected.size(), 2U);
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, -1.0), b), expected));
}

TEST_P(CapsuleTerrain, LyingOverAPeakIsPushedUpByTheVertexUnderItsAxis) {
  EXPECT_TRUE(same_contacts(contacts(peak(0.5), capsule(0.3, 0.4, {0.1, 0.0, 0.79}, kAlongX)),
                            {{{0.0, 0.0, 0.49}, {0, 0, 1}, 0.01}}));
  const dvec3 m = glm::normalize(dvec3(0.0, 0.02, 0.28));
  const dvec3 centre(0.1, 0.02, 0.78);
  EXPECT_TRUE(same_contacts(contacts(peak(0.5), capsule(0.3, 0.4, centre, kAlongX)),
                            {{dvec3(0.0, 0.02, 0.78) - 0.3 * m, m, 0.3 - std::hypot(0.02, 0.28)}}));
}

TEST_P(CapsuleTerrain, UprightInAPitTouchesEveryFaceItsFootFallsOn) {
  const BodySpec b = capsule(0.3, 0.4, {0.06, 0.02, -0.5 + 0.32 + 0.4});
  std::vector<ExpectedContact> expected;
  for (const Sector& sector : kPeakSectors)
    for (const ExpectedContact& c : plane_contacts(b, {0.5 * sector.gx, 0.5 * sector.gy, -0.5}))
      if (in_sector(sector, c.point + c.depth * c.normal)) expected.push_back(c);
  ASSERT_GE(expected.size(), 3U);
  EXPECT_TRUE(same_contacts(contacts(peak(-0.5), b), expected));
}

TEST_P(CapsuleTerrain, LeaningOverAKerbTouchesTheUpperEdgeWithItsSide) {
  // In the plane across the kerb, axis at 45 degrees; the edge is 9 cm from the axis, the lower end over the asphalt.
  const dvec3 axis = glm::normalize(dvec3(1, 0, 1)), m = glm::normalize(dvec3(-1, 0, 1)), edge(0.01, 0.3, 0.15);
  const dvec3 centre = edge + 0.09 * m + 0.1 * axis;
  const BodySpec b = capsule(0.1, 0.2, centre, turn({0, 1, 0}, glm::radians(45.0)));
  EXPECT_TRUE(contain(contacts(kerb(0.15, 0.01), b), {{edge - 0.01 * m, m, 0.01}}));
}

TEST_P(CapsuleTerrain, BeyondTheBorderTouchesNothing) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  for (const dvec3 c : {dvec3(-0.31, 1, 0), dvec3(3.31, 1, -2), dvec3(1, -0.31, 0), dvec3(1, 4.31, -0.05)})
    EXPECT_TRUE(same_contacts(contacts(plane(grid, 0, 0), capsule(0.3, 0.4, c)), {}));
}

TEST_P(CapsuleTerrain, UprightBesideTheTopOfAWallIsWithinTheMarginOfIt) {
  const Terrain ground = plane({5, 4, {0.0, 0.0}, {1.0, 1.0}}, 0.1, 0.05);
  const double apart = 0.0039;
  for (const auto& [at, out] :
       {std::pair(dvec2(0.0, 1.4), dvec3(-1, 0, 0)), std::pair(dvec2(3.0, 1.4), dvec3(1, 0, 0)),
        std::pair(dvec2(1.4, 0.0), dvec3(0, -1, 0)), std::pair(dvec2(1.4, 4.0), dvec3(0, 1, 0))}) {
    const dvec3 p = dvec3(at, 0.1 * at.x + 0.05 * at.y) + apart * out;
    EXPECT_TRUE(same_contacts(contacts(ground, capsule(0.3, 0.4, p + 0.3 * out), 0.02), {{p, out, -apart}}));
  }
}

TEST_P(CapsuleTerrain, OutsideAndBelowTheTopIsPushedOffTheWallByBothEnds) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  EXPECT_TRUE(contain(contacts(plane(grid, 0, 0), capsule(0.3, 0.4, {-0.25, 1.4, -2.0})),
                      {{{0.05, 1.4, -2.4}, {-1, 0, 0}, 0.05}, {{0.05, 1.4, -1.6}, {-1, 0, 0}, 0.05}}));
}

TEST_P(CapsuleTerrain, FallsThroughAHoleThatIsWiderThanItself) {
  Terrain t = plane({6, 7, {0.0, 0.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(30, 0);
  t.holes[cell(t, 2, 3)] = 1;
  for (double z : {0.05, 0.0, -0.05, -20.0})
    EXPECT_TRUE(same_contacts(contacts(t, capsule(0.3, 0.4, {3.5, 2.5, z})), {})) << z;
}

TEST_P(CapsuleTerrain, BuriedIsPushedUpUntilItsLowestPointIsOut) {
  for (const dquat& q : {kUpright, kAlongX, turn({1, 1, 0}, 0.7)})
    for (double z : {-0.01, -0.5, -3.0}) {
      const double low = 0.3 + 0.4 * std::abs((q * dvec3(0, 0, 1)).z);
      const std::vector<Contact> found = contacts(plane({}, 0, 0), capsule(0.3, 0.4, {0.3, 0.2, z}, q));
      EXPECT_NEAR(deepest(found), low - z, kClosedForm);
      for (const Contact& c : found) EXPECT_EQ(c.normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
    }
}

}  // namespace
}  // namespace oclide::test
