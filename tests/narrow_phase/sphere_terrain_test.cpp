// Sphere against terrain: closed forms on the device and in the reference.
#include "narrow_phase/plane_cases.hpp"

namespace oclide::test {
namespace {

class SphereTerrain : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(SphereTerrain);

// Contact of a sphere with the nearest ground point q, which is outside it or inside but above its centre's depth.
ExpectedContact from_above(const BodySpec& s, dvec3 q) {
  const dvec3 d = s.position - q;
  const double distance = glm::length(d);
  return {s.position - d * (s.size[0] / distance), d / distance, s.size[0] - distance};
}

TEST_P(SphereTerrain, OnAPlaneOfAnySlopeTouchesAtItsLowestPointAlongTheNormal) {
  expect_plane_contacts(
      [this](const TestScene& s) { return contacts(s); },
      [](std::mt19937_64& random) { return sphere(std::uniform_real_distribution<double>(0.05, 1.0)(random), {}); },
      1.0);
}

TEST_P(SphereTerrain, AboveARidgeIsPushedAlongTheLineFromTheEdge) {
  for (double x : {-0.1, -0.05, 0.0, 0.01, 0.1}) {
    const BodySpec s = sphere(0.5, {x, kMiddle, 0.45});
    EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, 0.5), s), {from_above(s, {0.0, kMiddle, 0.0})})) << x;
  }
}

TEST_P(SphereTerrain, BesideARidgeTouchesItsOwnSlopeAlone) {
  const BodySpec s = sphere(0.5, {1.0, kMiddle, -0.1});
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, 0.5), s), plane_contacts(s, {-0.5, 0.0, 0.0})));
}

TEST_P(SphereTerrain, BuriedUnderARidgeLeavesThroughTheNearerSlope) {
  const BodySpec s = sphere(0.5, {0.2, kMiddle, -3.0});
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, 0.5), s), plane_contacts(s, {-0.5, 0.0, 0.0})));
}

TEST_P(SphereTerrain, InAValleyTouchesBothSlopes) {
  const BodySpec s = sphere(0.5, {0.02, kMiddle, 0.6});
  std::vector<ExpectedContact> expected = plane_contacts(s, {1.0, 0.0, 0.0});
  expected.push_back(plane_contacts(s, {-1.0, 0.0, 0.0}).at(0));
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, -1.0), s), expected));
}

TEST_P(SphereTerrain, OnAPeakIsPushedAlongTheLineFromTheVertex) {
  for (const dvec3 offset : {dvec3(0.0), dvec3(0.02, -0.01, 0.0), dvec3(-0.03, 0.05, 0.0)}) {
    const BodySpec s = sphere(0.4, offset + dvec3(0.0, 0.0, 0.85));
    EXPECT_TRUE(same_contacts(contacts(peak(0.5), s), {from_above(s, {0.0, 0.0, 0.5})}));
  }
}

TEST_P(SphereTerrain, InAPitTouchesEveryFaceItsFootFallsOn) {
  const BodySpec s = sphere(0.45, {0.06, 0.02, -0.5 + 0.47});
  std::vector<ExpectedContact> expected;
  for (const Sector& sector : kPeakSectors)
    for (const ExpectedContact& c : plane_contacts(s, {0.5 * sector.gx, 0.5 * sector.gy, -0.5}))
      if (in_sector(sector, c.point + c.depth * c.normal)) expected.push_back(c);
  ASSERT_GE(expected.size(), 3U);
  EXPECT_TRUE(same_contacts(contacts(peak(-0.5), s), expected));
}

TEST_P(SphereTerrain, LargeOneAtAKerbTouchesGroundAndEdge) {
  const double r = 0.3, x = 0.01 - std::sqrt((r - 0.002) * (r - 0.002) - 0.15 * 0.15);
  const BodySpec s = sphere(r, {x, 0.3, r});
  const BodySpec sunk = sphere(r, {x, 0.3, r - 0.001});
  EXPECT_TRUE(contain(contacts(kerb(0.15, 0.01), s), {from_above(s, {0.01, 0.3, 0.15})}));
  EXPECT_TRUE(same_contacts(contacts(kerb(0.15, 0.01), sunk),
                            {from_above(sunk, {0.01, 0.3, 0.15}), plane_contacts(sunk, {}).at(0)}));
}

TEST_P(SphereTerrain, SmallOneAtAKerbIsPushedOutOfItsFace) {
  const BodySpec s = sphere(0.05, {-0.04, 0.3, 0.08});
  EXPECT_TRUE(same_contacts(contacts(kerb(0.15, 0.01), s), plane_contacts(s, {15.0, 0.0, 0.0})));
}

// All that is under the ball is level, but the face is nearer than the top.
TEST_P(SphereTerrain, DeepUnderALevelTopIsPushedOutOfTheFaceBesideIt) {
  const Plane face{31.25, 0.0, 0.0};
  const dvec3 c(0.08, 0.3, 0.15), n = face.normal();
  EXPECT_TRUE(
      same_contacts(contacts(kerb(0.3125, 0.01), sphere(0.02, c)), {{c - 0.02 * n, n, 0.02 - face.distance(c)}}));
}

TEST_P(SphereTerrain, BesideTheBorderTouchesTheBorderEdge) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  const BodySpec s = sphere(0.5, {-0.2, 1.3, 0.3});
  EXPECT_TRUE(same_contacts(contacts(plane(grid, 0, 0), s), {from_above(s, {0.0, 1.3, 0.0})}));
}

TEST_P(SphereTerrain, BesideACornerTouchesTheCornerVertex) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  for (const dvec3 corner : {dvec3(0, 0, 0), dvec3(3, 0, 0), dvec3(0, 4, 0), dvec3(3, 4, 0)}) {
    const dvec3 out = glm::sign(corner - dvec3(1.5, 2.0, 0.0)) * dvec3(0.2, 0.25, 0.0);
    const BodySpec s = sphere(0.5, corner + out + dvec3(0, 0, 0.15));
    EXPECT_TRUE(same_contacts(contacts(plane(grid, 0, 0), s), {from_above(s, corner)}));
  }
}

TEST_P(SphereTerrain, BeyondTheBorderTouchesNothing) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  for (const dvec3 c : {dvec3(-0.51, 1, 0), dvec3(3.51, 1, -0.2), dvec3(1, -0.51, 0), dvec3(1, 4.51, 0),
                        dvec3(-0.4, -0.4, 0), dvec3(-50, 1, -3), dvec3(1e7, 1, -3)})
    EXPECT_TRUE(same_contacts(contacts(plane(grid, 0, 0), sphere(0.5, c)), {})) << c.x << " " << c.y;
}

TEST_P(SphereTerrain, OutsideAndBelowTheTopIsPushedOffTheWall) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  const BodySpec s = sphere(0.5, {-0.3, 1.3, -2.0});
  EXPECT_TRUE(contain(contacts(plane(grid, 0, 0), s), {{{0.2, 1.3, -2.0}, {-1.0, 0.0, 0.0}, 0.2}}));
  const BodySpec north = sphere(0.5, {1.3, 4.4, -5.0});
  EXPECT_TRUE(contain(contacts(plane(grid, 0, 0), north), {{{1.3, 3.9, -5.0}, {0.0, 1.0, 0.0}, 0.1}}));
}

TEST_P(SphereTerrain, FallsThroughAHoleThatIsWiderThanItself) {
  Terrain t = plane({6, 7, {0.0, 0.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(30, 0);
  t.holes[cell(t, 2, 3)] = 1;
  for (double z : {0.3, 0.0, -0.3, -20.0}) EXPECT_TRUE(same_contacts(contacts(t, sphere(0.4, {3.5, 2.5, z})), {})) << z;
}

TEST_P(SphereTerrain, WiderThanAHoleRestsOnItsFourEdges) {
  Terrain t = plane({6, 7, {0.0, 0.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(30, 0);
  t.holes[cell(t, 2, 3)] = 1;
  const BodySpec s = sphere(0.7, {3.5, 2.5, 0.4});
  EXPECT_TRUE(same_contacts(contacts(t, s), {from_above(s, {3.0, 2.5, 0.0}), from_above(s, {4.0, 2.5, 0.0}),
                                             from_above(s, {3.5, 2.0, 0.0}), from_above(s, {3.5, 3.0, 0.0})}));
}

TEST_P(SphereTerrain, ACellWithoutDataIsAHole) {
  Terrain t = plane({6, 7, {0.0, 0.0}, {1.0, 1.0}}, 0, 0);
  t.heights[vertex(t, 3, 4)] = std::numeric_limits<double>::quiet_NaN();
  for (const dvec3 c : {dvec3(3.5, 2.5, 0.1), dvec3(4.5, 2.5, 0.1), dvec3(3.5, 3.5, -1.0), dvec3(4.0, 3.0, -4.0)})
    EXPECT_TRUE(same_contacts(contacts(t, sphere(0.4, c)), {}));
  const BodySpec beside = sphere(0.4, {2.5, 2.5, 0.3});
  EXPECT_TRUE(same_contacts(contacts(t, beside), plane_contacts(beside, {})));
}

TEST_P(SphereTerrain, BuriedIsPushedUpByItsWholeDepth) {
  for (double z : {0.0, -1e-4, -0.2, -0.5, -1.0, -3.0}) {
    const BodySpec s = sphere(0.5, {0.3, 0.2, z});
    EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), s), {{{0.3, 0.2, z - 0.5}, {0, 0, 1}, 0.5 - z}})) << z;
  }
}

TEST_P(SphereTerrain, WithinTheMarginHasNegativeDepth) {
  const BodySpec near = sphere(0.5, {0.3, 0.2, 0.55}), far = sphere(0.5, {0.3, 0.2, 0.65});
  EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), near, 0.1), {{{0.3, 0.2, 0.05}, {0, 0, 1}, -0.05}}));
  EXPECT_TRUE(same_contacts(contacts(plane({}, 0, 0), far, 0.1), {}));
}

TEST_P(SphereTerrain, CarriesTheMaterialOfItsCell) {
  Terrain t = plane({6, 7, {0.0, 0.0}, {1.0, 1.0}}, 0.5, 0);
  for (std::size_t k = 0; k < 30; ++k) t.material.push_back(static_cast<std::uint8_t>(k + 200));
  const std::vector<Contact> found = contacts(t, sphere(0.2, {3.4, 2.6, 0.5 * 3.4 + 0.1}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].material, 200 + cell(t, 2, 3));
}

}  // namespace
}  // namespace oclide::test
