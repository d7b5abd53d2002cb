// Cylinder against terrain: closed forms on the device and in the reference.
#include "narrow_phase/plane_cases.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

class CylinderTerrain : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(CylinderTerrain);

TEST_P(CylinderTerrain, OnAPlaneOfAnySlopeTouchesWithItsRims) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) {
                          std::uniform_real_distribution<double> size(0.05, 1.0);
                          return cylinder(size(random), size(random), {}, random_orientation(random));
                        },
                        1.0);
}

TEST_P(CylinderTerrain, DiscOnAPlaneTouchesWithItsRims) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) { return cylinder(1.5, 0.005, {}, random_orientation(random)); },
                        1.5);
}

TEST_P(CylinderTerrain, NeedleOnAPlaneTouchesWithItsRims) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) { return cylinder(0.01, 1.5, {}, random_orientation(random)); },
                        1.5);
}

TEST_P(CylinderTerrain, UprightOnAFlatCellGivesFourRimContacts) {
  std::vector<ExpectedContact> expected;
  for (const dvec3 rim : {dvec3(1, 0, 0), dvec3(-1, 0, 0), dvec3(0, 1, 0), dvec3(0, -1, 0)})
    expected.push_back({dvec3(0.3, 0.2, -0.002) + 0.3 * rim, {0, 0, 1}, 0.002});
  EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), cylinder(0.3, 0.4, {0.3, 0.2, 0.398})), expected));
}

TEST_P(CylinderTerrain, UprightAlongTheNormalOfASlopeGivesFourRimContacts) {
  const Plane slope{0.5, 0.25, 0.0};
  const dvec3 n = slope.normal();
  const dquat along_n = turn(glm::cross(dvec3(0, 0, 1), n), std::acos(n.z));
  const std::vector<Contact> found = contacts(plane({}, 0.5, 0.25), cylinder(0.3, 0.4, n * 0.398, along_n));
  ASSERT_EQ(found.size(), 4U);
  for (const Contact& c : found) {
    EXPECT_NEAR(c.depth, 0.002, kClosedForm);
    EXPECT_LE(glm::distance(normal_of(c), n), kClosedFormNormal);
    EXPECT_NEAR(glm::distance(point_of(c), -0.002 * n), 0.3, kClosedForm);
  }
  double width = 0.0;  // all are as deep: any may be the first
  for (const Contact& c : found) width = std::max(width, glm::distance(point_of(found[0]), point_of(c)));
  EXPECT_NEAR(width, 0.6, kClosedForm);
}

TEST_P(CylinderTerrain, LyingOnAFlatCellGivesBothEndsOfItsLowestLine) {
  for (double degrees : {0.0, 20.0, 90.0, 135.0}) {
    const dquat q = turn({0, 0, 1}, glm::radians(degrees)) * kAlongX;
    const dvec3 axis = q * dvec3(0, 0, 1);
    EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), cylinder(0.3, 0.4, {0.3, 0.2, 0.299}, q)),
                              {{dvec3(0.3, 0.2, -0.001) + 0.4 * axis, {0, 0, 1}, 0.001},
                               {dvec3(0.3, 0.2, -0.001) - 0.4 * axis, {0, 0, 1}, 0.001}}))
        << degrees;
  }
}

TEST_P(CylinderTerrain, LeaningTouchesAtTheLowestPointOfItsRim) {
  const double a = glm::radians(25.0), low = 0.3 * std::sin(a) + 0.4 * std::cos(a);
  const BodySpec b = cylinder(0.3, 0.4, {0.3, 0.2, low - 0.003}, turn({0, 1, 0}, a));
  EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), b),
                            {{{0.3 - 0.4 * std::sin(a) + 0.3 * std::cos(a), 0.2, -0.003}, {0, 0, 1}, 0.003}}));
}

TEST_P(CylinderTerrain, UprightOnARidgeTouchesAtBothEndsOfTheChord) {
  const double half = std::sqrt(0.3 * 0.3 - 0.05 * 0.05);
  EXPECT_TRUE(same_contacts(
      contacts(ridge(kOneEdge, 0.5), cylinder(0.3, 0.4, {0.05, kMiddle, 0.39})),
      {{{0.0, kMiddle - half, -0.01}, {0, 0, 1}, 0.01}, {{0.0, kMiddle + half, -0.01}, {0, 0, 1}, 0.01}}));
}

TEST_P(CylinderTerrain, LyingAlongARidgeTouchesAtBothEnds) {
  const dvec3 centre(0.03, kMiddle, 0.29), m = glm::normalize(dvec3(0.03, 0.0, 0.29));
  const double depth = 0.3 - std::hypot(0.03, 0.29);
  EXPECT_TRUE(same_contacts(
      contacts(ridge(kOneEdge, 0.5), cylinder(0.3, 0.4, centre, kAlongY)),
      {{centre - 0.3 * m + dvec3(0, 0.4, 0), m, depth}, {centre - 0.3 * m - dvec3(0, 0.4, 0), m, depth}}));
}

TEST_P(CylinderTerrain, LyingAcrossARidgeTouchesOnceWhereTheyCross) {
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, 0.5), cylinder(0.3, 0.4, {0.05, kMiddle, 0.29}, kAlongX)),
                            {{{0.0, kMiddle, -0.01}, {0, 0, 1}, 0.01}}));
}

TEST_P(CylinderTerrain, LyingInAValleyTouchesBothSlopesWithTwoPointsEach) {
  const BodySpec b = cylinder(0.3, 0.4, {0.02, kMiddle, 0.4}, kAlongY);
  std::vector<ExpectedContact> expected = plane_contacts(b, {1.0, 0.0, 0.0});
  for (const ExpectedContact& c : plane_contacts(b, {-1.0, 0.0, 0.0})) expected.push_back(c);
  ASSERT_EQ(expected.size(), 4U);
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, -1.0), b), expected));
}

TEST_P(CylinderTerrain, UprightInAValleyTouchesEachSlopeWithOneRimPoint) {
  const double depth = 0.03 / std::sqrt(1.25);
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, -0.5), cylinder(0.3, 0.4, {0.0, kMiddle, 0.52})),
                            {{{0.3, kMiddle, 0.12}, Plane{0.5, 0, 0}.normal(), depth},
                             {{-0.3, kMiddle, 0.12}, Plane{-0.5, 0, 0}.normal(), depth}}));
}

TEST_P(CylinderTerrain, OnAPeakIsPushedUpByTheVertexInside) {
  EXPECT_TRUE(
      contain(contacts(peak(0.5), cylinder(0.3, 0.4, {0.02, 0.03, 0.89})), {{{0.0, 0.0, 0.49}, {0, 0, 1}, 0.01}}));
}

TEST_P(CylinderTerrain, InAPitTouchesTheFacesUnderItsRim) {
  const BodySpec b = cylinder(0.3, 0.4, {0.03, 0.02, -0.5 + 0.12 + 0.4});
  std::vector<ExpectedContact> expected;
  for (const Sector& s : kPeakSectors)
    for (const ExpectedContact& c : plane_contacts(b, {0.5 * s.gx, 0.5 * s.gy, -0.5}))
      if (in_sector(s, c.point + c.depth * c.normal)) expected.push_back(c);
  ASSERT_GE(expected.size(), 3U);
  EXPECT_TRUE(contain(contacts(peak(-0.5), b), expected));
}

TEST_P(CylinderTerrain, AgainstAKerbIsPushedOutOfItsFace) {
  const Plane face{15.0, 0.0, 0.0};
  const BodySpec b = cylinder(0.3, 0.4, {0.05 / 15.0 + 0.002 - 0.3, 0.3, 0.45});
  std::vector<ExpectedContact> expected;
  for (const ExpectedContact& c : plane_contacts(b, face))
    if (c.point.z < 0.1) expected.push_back(c);
  ASSERT_EQ(expected.size(), 1U);
  EXPECT_TRUE(contain(contacts(kerb(0.15, 0.01), b), expected));
}

TEST_P(CylinderTerrain, LyingAcrossAKerbRestsOnItsUpperEdge) {
  // Along the kerb, its axis over the upper edge.
  const BodySpec b = cylinder(0.3, 0.4, {0.01, 0.5, 0.15 + 0.29}, kAlongY);
  EXPECT_TRUE(contain(contacts(kerb(0.15, 0.01), b),
                      {{{0.01, 0.9, 0.14}, {0, 0, 1}, 0.01}, {{0.01, 0.1, 0.14}, {0, 0, 1}, 0.01}}));
}

TEST_P(CylinderTerrain, BeyondTheBorderTouchesNothing) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  for (const dvec3 c : {dvec3(-0.31, 1, 0), dvec3(3.31, 1, -2), dvec3(1, -0.31, 0), dvec3(1, 4.31, -0.05)})
    EXPECT_TRUE(same_contacts(contacts(plane(grid, 0, 0), cylinder(0.3, 0.4, c)), {}));
}

TEST_P(CylinderTerrain, OutsideAndBelowTheTopIsPushedOffTheWall) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  EXPECT_TRUE(contain(contacts(plane(grid, 0, 0), cylinder(0.3, 0.4, {-0.25, 1.4, -2.0})),
                      {{{0.05, 1.4, -2.4}, {-1, 0, 0}, 0.05}, {{0.05, 1.4, -1.6}, {-1, 0, 0}, 0.05}}));
  EXPECT_TRUE(contain(contacts(plane(grid, 0, 0), cylinder(0.3, 0.4, {-0.35, 1.4, -2.0}, kAlongX)),
                      {{{0.05, 1.7, -2.0}, {-1, 0, 0}, 0.05},
                       {{0.05, 1.1, -2.0}, {-1, 0, 0}, 0.05},
                       {{0.05, 1.4, -1.7}, {-1, 0, 0}, 0.05},
                       {{0.05, 1.4, -2.3}, {-1, 0, 0}, 0.05}}));
}

// The slope's nearest points to the buried end lie past a row of open cells, through which the way to them would lead.
TEST_P(CylinderTerrain, AcrossOpenCellsIsNotPushedTowardTheSlopeBeyondThem) {
  Terrain slope = plane({5, 21, {-1.0, -1.0}, {0.1, 0.5}}, -2.0, 0.0);
  const BodySpec b = cylinder(0.05, 0.3, {0.0, 0.1, 0.0}, turn({0, 1, 0}, glm::radians(90.0)));
  const dvec3 n = glm::normalize(dvec3(2, 0, 1));
  auto pushed = [&] {
    const std::vector<Contact> found = contacts(slope, b);
    return std::count_if(found.begin(), found.end(),
                         [&](const Contact& c) { return c.depth > 0.2F && glm::dot(normal_of(c), n) > 0.999; });
  };
  EXPECT_GT(pushed(), 0);
  slope.holes.resize(80);
  for (std::size_t i = 0; i < 4; ++i) slope.holes[cell(slope, i, 8)] = 1;
  EXPECT_EQ(pushed(), 0);
}

TEST_P(CylinderTerrain, OverAHoleThatItCoversIsPushedUpAlone) {
  Terrain t = plane({7, 9, {-4.0, -3.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(48, 0);
  t.holes[cell(t, 3, 4)] = 1;
  for (const double angle : {-3e-3, 3e-3}) {
    const std::vector<Contact> found = contacts(t, cylinder(1.5, 0.3, {0.5, 0.5, 0.29}, turn({0.3, 1.0, 0.0}, angle)));
    ASSERT_FALSE(found.empty());
    for (const Contact& c : found) {
      EXPECT_GT(c.normal[2], 0.999F);
      EXPECT_LT(c.depth, 0.02F);
    }
  }
}

TEST_P(CylinderTerrain, FallsThroughAHoleThatIsWiderThanItself) {
  Terrain t = plane({6, 7, {0.0, 0.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(30, 0);
  t.holes[cell(t, 2, 3)] = 1;
  for (double z : {0.05, 0.0, -0.05, -20.0})
    EXPECT_TRUE(same_contacts(contacts(t, cylinder(0.3, 0.4, {3.5, 2.5, z})), {})) << z;
}

// The rim hangs lower than the base's centre by radius times sine, of which 1 less the cosine's square says little.
TEST_P(CylinderTerrain, NearlyUprightTouchesWithTheLowestPointOfItsRim) {
  constexpr double kDepth = 2e-4;
  for (const double radius : {0.5, 5.0, 45.0})
    for (const Plane& p : {Plane{0, 0, 0}, Plane{0.25, -0.125, 0}}) {
      TestScene scene(plane({65, 65, {-2.0 * radius, -2.0 * radius}, {radius / 16, radius / 16}}, p.gx, p.gy));
      const dvec3 n = p.normal();
      const dquat along_n = n.z < 1.0 ? turn({-n.y, n.x, 0.0}, std::acos(n.z)) : kUpright;
      for (int k = 0; k < 60; k += kSweepStep) {
        const double tilt = 1e-6 * std::pow(10.0, 0.06 * k), around = 2.4 * k;
        const dquat q = turn({std::cos(around), std::sin(around), 0.0}, tilt) * along_n;
        const double along = glm::dot(q * dvec3(0, 0, 1), n), across = glm::length(glm::cross(q * dvec3(0, 0, 1), n));
        scene.add(cylinder(radius, 0.8 * radius, n * (radius * (0.8 * along + across) - kDepth), q));
      }
      std::vector<double> depth(scene.scene.bodies.count(), 0.0);
      for (const Contact& c : contacts(scene)) depth[c.body_a] = std::max(depth[c.body_a], double{c.depth});
      for (std::size_t k = 0; k < depth.size(); ++k) EXPECT_NEAR(depth[k], kDepth, 1e-4) << radius << " " << k;
    }
}

TEST_P(CylinderTerrain, AllButAlongAnEdgeTouchesItWithItsSide) {
  constexpr double kRadius = 1.1, kHalf = 3.4, kHeight = kRadius - 0.001;
  const Grid grid{33, 33, {-20.0, -20.0}, {1.25, 1.25}};
  for (const double slope : {0.3, 0.05}) {
    TestScene scene(ridge(grid, slope));
    std::vector<dquat> turns;
    for (const double yaw : {-6e-5, 0.0, 6e-5})
      for (const double pitch : {-6e-5, 0.0, 6e-5}) {
        turns.push_back(turn({0, 0, 1}, yaw) * turn({1, 0, 0}, pitch) * kAlongY);
        scene.add(cylinder(kRadius, kHalf, {0.0, 0.2, kHeight}, turns.back()));
      }
    std::vector<double> from(turns.size(), kHalf), to(turns.size(), -kHalf);
    for (const Contact& c : contacts(scene)) {
      const dvec3 p = point_of(c), q = p + double{c.depth} * normal_of(c);
      const dvec3 local = glm::conjugate(turns[c.body_a]) * (p - dvec3(0.0, 0.2, kHeight));
      EXPECT_NEAR(std::hypot(local.x, local.y), kRadius, 2e-5) << slope << " " << c.body_a;
      EXPECT_NEAR(q.z, -slope * std::abs(q.x), 2e-5) << slope << " " << c.body_a;
      if (std::abs(q.x) > 1e-4) continue;
      from[c.body_a] = std::min(from[c.body_a], local.z);
      to[c.body_a] = std::max(to[c.body_a], local.z);
    }
    for (std::size_t k = 0; k < turns.size(); ++k) EXPECT_GT(to[k] - from[k], 2.0 * kHalf - 1e-3) << slope << " " << k;
  }
}

// Where two elements are one plane but for less than a flat edge's angle, the rim's lowest point along the normal of
// either may be over the other one.
TEST_P(CylinderTerrain, OverAFlatEdgeTouchesItWithTheLowestPointOfItsRim) {
  constexpr double kSlope = 0.7, kRadius = 0.3, kHalf = 0.4, kDepth = 0.02;
  const Plane plane{kSlope, 0.0, 0.0};
  const dvec3 n = plane.normal();
  for (const double bend : {-1e-4, -1e-5, 0.0, 1e-4}) {
    TestScene scene(terrain_of({17, 17, {-4.0, -4.0}, {0.5, 0.5}},
                               [&](double x, double y) { return kSlope * x + bend * std::abs(y); }));
    for (const double tilt : {0.3, 0.05, -0.2, 1.2})
      for (const double aside : {0.0, 1e-6, -5e-6, 2e-5, -1e-4}) {
        const dquat q = turn({0, 1, 0}, tilt) * kAlongX;
        const double along = std::abs(glm::dot(q * dvec3(0, 0, 1), n)), across = std::sqrt(1.0 - along * along);
        scene.add(
            cylinder(kRadius, kHalf, n * (kHalf * along + kRadius * across - kDepth) + dvec3(0.1, aside, 0.07), q));
      }
    std::vector<double> depth(scene.scene.bodies.count(), 0.0);
    for (const Contact& c : contacts(scene)) {
      depth[c.body_a] = std::max(depth[c.body_a], double{c.depth});
      EXPECT_LT(glm::distance(normal_of(c), n), 2e-4) << bend << " " << c.body_a;
    }
    for (std::size_t k = 0; k < depth.size(); ++k) EXPECT_NEAR(depth[k], kDepth, 1e-4) << bend << " " << k;
  }
}

TEST_P(CylinderTerrain, BuriedIsPushedUpUntilItsLowestPointIsOut) {
  for (const dquat& q : {kUpright, kAlongX, turn({1, 1, 0}, 0.7)})
    for (double z : {-0.01, -0.5, -3.0}) {
      const dvec3 v = q * dvec3(0, 0, 1);
      const double low = 0.4 * std::abs(v.z) + 0.3 * std::sqrt(1.0 - std::min(1.0, v.z * v.z));
      const std::vector<Contact> found = contacts(plane({}, 0, 0), cylinder(0.3, 0.4, {0.3, 0.2, z}, q));
      EXPECT_NEAR(deepest(found), low - z, kClosedForm);
      for (const Contact& c : found) EXPECT_EQ(c.normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
    }
}

}  // namespace
}  // namespace oclide::test
