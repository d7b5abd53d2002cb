#include <algorithm>
#include <optional>

#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

OneBody sphere(dvec3 position, double radius = 0.5) {
  return {Shape::sphere, {radius, 0.0, 0.0}, position};
}

TEST(SphereTerrain, OnAPlaneHasOneContactStraightUnderIt) {
  const auto manifolds = sphere({0.3, 0.4, 0.45}).manifolds(around_origin(flat));
  expect_one_manifold(manifolds, kUp, 0.05, 1);
  expect_near(manifolds[0][0].point, {0.0, 0.0, -0.5});
}

TEST(SphereTerrain, FarFromAnyVertexOfATwoByTwoGridHasOneContact) {
  expect_one_manifold(sphere({31.0, 57.0, 0.09}, 0.1).manifolds(make_terrain(2, 2, {0.0, 0.0}, {100.0, 100.0}, flat)),
                      kUp, 0.01, 1);
}

TEST(SphereTerrain, OnASlopeHasItsNormal) {
  const dvec3 n = glm::normalize(dvec3(-0.5, -0.25, 1.0));
  const auto manifolds =
      sphere(0.48 * n).manifolds(around_origin([](double x, double y) { return 0.5 * x + 0.25 * y; }));
  expect_one_manifold(manifolds, n, 0.02, 1);
  expect_near(manifolds[0][0].point, -0.5 * n);
}

TEST(SphereTerrain, OverARidgeTouchesTheRidgeLine) {
  // Faces fall by 45 degrees on either side of x = 0.
  const Terrain roof = around_origin([](double x, double) { return -std::abs(x); });
  expect_one_manifold(sphere({0.1, 0.3, 0.4}).manifolds(roof), {0.1, 0.0, 0.4}, 0.5 - std::hypot(0.1, 0.4), 1);
}

TEST(SphereTerrain, InAValleyTouchesBothSides) {
  const Terrain valley = around_origin([](double x, double) { return std::abs(x); });
  const double depth = 0.5 - 0.6 / std::sqrt(2.0);
  const auto manifolds = sphere({0.0, 0.25, 0.6}).manifolds(valley);
  ASSERT_EQ(manifolds.size(), 2u);
  for (const auto& m : manifolds) {
    EXPECT_EQ(m.size(), 1u);
    EXPECT_NEAR(m[0].depth, depth, kRounding);
    EXPECT_NEAR(std::abs(m[0].normal.x), std::sqrt(0.5), kRounding);
  }
  EXPECT_LT(manifolds[0][0].normal.x * manifolds[1][0].normal.x, 0.0);
}

TEST(SphereTerrain, OverAPeakTouchesTheVertex) {
  const Terrain peak = around_origin([](double x, double y) { return -std::abs(x) - std::abs(y); });
  expect_one_manifold(sphere({0.05, 0.02, 0.45}).manifolds(peak), {0.05, 0.02, 0.45},
                      0.5 - glm::length(dvec3(0.05, 0.02, 0.45)), 1);
}

TEST(SphereTerrain, InAPitTouchesItsSidesOnly) {
  const Terrain pit = around_origin([](double x, double y) { return std::abs(x) + std::abs(y); });
  const auto contacts = sphere({0.0, 0.0, 0.8}, 0.5).contacts(pit);
  EXPECT_EQ(reference::reduce_contacts(contacts).size(), 4u);
  for (const GroundContact& c : contacts) {
    EXPECT_GE(c.normal.z, 0.0);
    EXPECT_NEAR(c.depth, 0.5 - 0.8 / std::sqrt(3.0), kRounding);
  }
}

TEST(SphereTerrain, CentreUnderTheGroundIsPushedUp) {
  expect_one_manifold(sphere({0.3, 0.4, -0.2}).manifolds(around_origin(flat)), kUp, 0.7, 1);
}

TEST(SphereTerrain, BuriedDeepIsPushedUpByOneMove) {
  expect_one_manifold(sphere({0.3, 0.4, -30.0}).manifolds(around_origin(flat)), kUp, 30.5, 1);
}

TEST(SphereTerrain, HoversWithoutContact) {
  EXPECT_TRUE(sphere({0.3, 0.4, 0.51}).contacts(around_origin(flat)).empty());
}

TEST(SphereTerrain, WithinTheMarginIsReportedWithNegativeDepth) {
  const OneBody body = sphere({0.3, 0.4, 0.51});
  expect_one_manifold(body.manifolds(around_origin(flat), 0.02), kUp, -0.01, 1);
  EXPECT_TRUE(body.contacts(around_origin(flat), 0.005).empty());
}

TEST(SphereTerrain, BesideTheBorderIsPushedOutOfTheWall) {
  // The border is x = 4; the centre stands 0.3 m beyond it, below the top.
  const auto contacts = sphere({4.3, 0.4, -5.0}).contacts(around_origin(flat));
  const GroundContact* wall = find(contacts, {1.0, 0.0, 0.0});
  ASSERT_NE(wall, nullptr);
  EXPECT_NEAR(wall->depth, 0.2, kRounding);
  expect_near(wall->point, {-0.5, 0.0, 0.0});
}

TEST(SphereTerrain, WithItsCentreOnTheWallItMayBePushedOutOfIt) {
  // 0.3 m below the top: from inside the solid the way up is the nearer one, from outside there is the wall alone.
  auto wall_of = [](double x) {
    const auto all = sphere({x, 0.4, -0.3}).all(around_origin(flat));
    const auto wall = std::find_if(all.begin(), all.end(),
                                   [](const GroundContact& c) { return c.kind == reference::ContactKind::wall; });
    return wall == all.end() ? std::optional<GroundContact>() : *wall;
  };
  for (const double beyond : {-1e-14, -1e-6, 0.0, 1e-6}) {
    const auto wall = wall_of(4.0 + beyond);
    ASSERT_TRUE(wall.has_value()) << beyond;
    EXPECT_TRUE(wall->optional) << beyond;
    EXPECT_EQ(wall->held, beyond >= 0.0) << beyond;
    EXPECT_NEAR(wall->depth, 0.5, 1e-5) << beyond;
  }
  EXPECT_FALSE(wall_of(4.0 - 1e-4).has_value());
}

TEST(SphereTerrain, JustBelowTheBordersEdgeStillTouchesTheWall) {
  const auto contacts = sphere({4.1, 0.4, -0.01}).contacts(around_origin(flat));
  const GroundContact* wall = find(contacts, {1.0, 0.0, 0.0});
  ASSERT_NE(wall, nullptr);
  EXPECT_NEAR(wall->depth, 0.4, kRounding);
}

TEST(SphereTerrain, BeyondTheBorderAndApartHasNoContact) {
  EXPECT_TRUE(sphere({4.6, 0.4, -5.0}).contacts(around_origin(flat)).empty());
  EXPECT_TRUE(sphere({4.4, 3.4, -5.0}).contacts(around_origin(flat)).empty());
  // Rising ground: the last element's plane goes on above the centre, the solid does not.
  const Terrain slope = around_origin([](double x, double) { return x; });
  EXPECT_TRUE(sphere({4.6, 0.4, 4.0}).contacts(slope).empty());
}

TEST(SphereTerrain, OverTheBordersEdgeTouchesTheEdge) {
  const auto contacts = sphere({4.1, 0.4, 0.3}).contacts(around_origin(flat));
  const GroundContact* edge = find(contacts, {0.1, 0.0, 0.3});
  ASSERT_NE(edge, nullptr);
  EXPECT_NEAR(edge->depth, 0.5 - std::hypot(0.1, 0.3), kRounding);
}

TEST(SphereTerrain, FallsThroughAHole) {
  Terrain t = around_origin(flat);
  t.holes.assign(6 * 8, 0);
  t.holes[3 * 8 + 4] = 1;  // 0 < x < 1, 0 < y < 1
  EXPECT_TRUE(sphere({0.5, 0.5, 0.0}, 0.4).contacts(t).empty());
  const auto touching = sphere({0.5, 0.5, 0.0}, 0.6).contacts(t);
  EXPECT_FALSE(touching.empty());
}

TEST(SphereTerrain, CellsWithNoDataAreOpen) {
  Terrain t = around_origin(flat);
  t.heights[3 * 9 + 4] = std::nan("");  // the vertex at the origin opens four cells
  EXPECT_TRUE(sphere({0.0, 0.0, 0.0}, 0.9).contacts(t).empty());
  EXPECT_FALSE(sphere({0.0, 0.0, 0.0}, 1.1).contacts(t).empty());
}

}  // namespace
}  // namespace oclide::test
