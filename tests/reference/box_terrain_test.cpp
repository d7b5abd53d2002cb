#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

OneBody box(dvec3 position, std::array<double, 3> half, Quaternion orientation = kUpright) {
  return {Shape::box, half, position, orientation};
}

TEST(BoxTerrain, FlatOnAPlaneStandsOnItsFourCorners) {
  const auto manifolds = box({0.1, 0.2, 0.28}, {0.5, 0.4, 0.3}).manifolds(around_origin(flat));
  expect_one_manifold(manifolds, kUp, 0.02, 4);
  for (const GroundContact& c : manifolds[0]) {
    EXPECT_NEAR(std::abs(c.point.x), 0.5, kRounding);
    EXPECT_NEAR(std::abs(c.point.y), 0.4, kRounding);
    EXPECT_NEAR(c.point.z, -0.3, kRounding);
  }
}

TEST(BoxTerrain, LargeFlatBoxOnADenseGridKeepsFourPoints) {
  const Terrain dense = make_terrain(61, 81, {-2.0, -1.5}, {0.05, 0.05}, flat);
  const auto manifolds = box({0.013, 0.007, 0.09}, {1.4, 1.2, 0.1}).manifolds(dense);
  expect_one_manifold(manifolds, kUp, 0.01, 4);
}

TEST(BoxTerrain, TiltedTouchesWithItsLowestEdge) {
  const double a = 0.2;
  const auto manifolds = box({0.1, 0.2, 0.3}, {0.5, 0.4, 0.3}, turn({0.0, 1.0, 0.0}, a)).manifolds(around_origin(flat));
  const double lowest = 0.5 * std::sin(a) + 0.3 * std::cos(a);
  expect_one_manifold(manifolds, kUp, lowest - 0.3, 2);
}

TEST(BoxTerrain, AcrossARidgeTouchesItWithTheWholeFace) {
  const Terrain roof = around_origin([](double x, double) { return -std::abs(x); });
  const auto manifolds = box({0.1, 0.2, 0.28}, {0.5, 0.4, 0.3}).manifolds(roof);
  // The vertex of the ground at y = 0 parts the ridge in two edges, which share a point.
  expect_one_manifold(manifolds, kUp, 0.02, 3);
  for (const GroundContact& c : manifolds[0]) EXPECT_NEAR(c.point.x, -0.1, kRounding);
  EXPECT_NEAR(extent(manifolds[0], {0.0, 1.0, 0.0}).least, -0.4, kRounding);
  EXPECT_NEAR(extent(manifolds[0], {0.0, 1.0, 0.0}).greatest, 0.4, kRounding);
}

TEST(BoxTerrain, EdgeAcrossARidgeTouchesWhereTheyCross) {
  // The box stands on an edge along x; the ridge runs along y.
  const Terrain roof = around_origin([](double x, double) { return -0.5 * std::abs(x); });
  const double reach = 0.3 * std::sqrt(2.0);
  const auto contacts =
      box({0.1, 0.2, reach - 0.01}, {0.5, 0.3, 0.3}, turn({1.0, 0.0, 0.0}, kHalfTurn / 4.0)).contacts(roof);
  const GroundContact* crossing = find(contacts, kUp);
  ASSERT_NE(crossing, nullptr);
  EXPECT_NEAR(crossing->depth, 0.01, kRounding);
  expect_near(crossing->point, {-0.1, 0.0, -reach});
}

TEST(BoxTerrain, AnEdgeUnderTheTipOfACornerHasItsGap) {
  const Body turned = box({}, {1.0, 1.0, 0.5}, turn(kUp, kHalfTurn / 4.0)).body();
  auto gap_at = [&](double y) { return turned.greatest_gap({-1.37, y, 0.2}, {3.0, y, 0.2}); };
  ASSERT_TRUE(gap_at(std::sqrt(2.0) - 5e-4));
  EXPECT_NEAR(gap_at(std::sqrt(2.0) - 5e-4)->height, 0.7, kRounding);
  EXPECT_FALSE(gap_at(std::sqrt(2.0) + 5e-4));
}

TEST(BoxTerrain, OverAPeakTouchesTheVertex) {
  const Terrain peak = around_origin([](double x, double y) { return -0.5 * std::abs(x) - 0.5 * std::abs(y); });
  const auto manifolds = box({0.1, 0.2, 0.28}, {0.4, 0.4, 0.3}).manifolds(peak);
  expect_one_manifold(manifolds, kUp, 0.02, 1);
  expect_near(manifolds[0][0].point, {-0.1, -0.2, -0.3});
}

TEST(BoxTerrain, ThinBoxWithItsCentreJustBelowTheSurfaceIsPushedUp) {
  const auto contacts = box({0.1, 0.2, -0.001}, {0.5, 0.4, 0.005}).contacts(around_origin(flat));
  ASSERT_FALSE(contacts.empty());
  for (const GroundContact& c : contacts) expect_near(c.normal, kUp);
  EXPECT_NEAR(deepest(contacts), 0.006, kRounding);
}

TEST(BoxTerrain, APeakThroughABoxLiftsItWhateverItsCornersTouch) {
  // The peak stands out of the top of the box; its corners are 1 cm deep in the plain around the peak.
  const Terrain peak = around_origin([](double x, double y) { return x == 0.0 && y == 0.0 ? 2.0 : 0.0; });
  const auto contacts = box({0.0, 0.0, 0.29}, {1.2, 1.2, 0.3}).contacts(peak);
  const GroundContact* lift = find(contacts, kUp);
  ASSERT_NE(lift, nullptr);
  EXPECT_NEAR(lift->depth, 2.01, kRounding);
}

TEST(BoxTerrain, BuriedBoxIsPushedUpByOneMove) {
  const auto contacts = box({0.1, 0.2, -7.0}, {0.5, 0.4, 0.3}).contacts(around_origin(flat));
  ASSERT_FALSE(contacts.empty());
  for (const GroundContact& c : contacts) expect_near(c.normal, kUp);
  EXPECT_NEAR(deepest(contacts), 7.3, kRounding);
}

TEST(BoxTerrain, HangingOverTheBorderIsHeldUp) {
  const auto contacts = box({3.9, 0.2, 0.28}, {0.5, 0.4, 0.3}).contacts(around_origin(flat));
  ASSERT_FALSE(contacts.empty());
  for (const GroundContact& c : contacts) {
    expect_near(c.normal, kUp);
    EXPECT_NEAR(c.depth, 0.02, kRounding);
  }
}

TEST(BoxTerrain, CentreBeyondTheBorderShallowlyOnItIsHeldUp) {
  const auto contacts = box({4.1, 0.2, 0.28}, {0.5, 0.4, 0.3}).contacts(around_origin(flat));
  ASSERT_FALSE(contacts.empty());
  for (const GroundContact& c : contacts) expect_near(c.normal, kUp);
}

TEST(BoxTerrain, AgainstTheWallIsPushedOut) {
  const auto contacts = box({4.48, 0.2, -5.0}, {0.5, 0.4, 0.3}).contacts(around_origin(flat));
  const GroundContact* wall = find(contacts, {1.0, 0.0, 0.0});
  ASSERT_NE(wall, nullptr);
  EXPECT_NEAR(wall->depth, 0.02, kRounding);
}

TEST(BoxTerrain, OverAHoleThatItCoversIsPushedUpAlone) {
  Terrain t = around_origin(flat);
  t.holes.assign(6 * 8, 0);
  t.holes[3 * 8 + 4] = 1;  // 0 < x < 1, 0 < y < 1
  // Leaning by so little, its lowest corner is past two of the hole's edges, and not past the two others.
  for (const double angle : {-3e-3, 3e-3}) {
    const auto contacts = box({0.5, 0.5, 0.29}, {1.5, 1.4, 0.3}, turn({0.3, 1.0, 0.0}, angle)).contacts(t);
    ASSERT_FALSE(contacts.empty());
    for (const GroundContact& c : contacts) {
      EXPECT_GT(c.normal.z, 0.999) << c.depth;
      EXPECT_LT(c.depth, 0.02);
    }
  }
}

TEST(BoxTerrain, InsideAHoleWithoutTouchingHasNoContact) {
  Terrain t = around_origin(flat);
  t.holes.assign(6 * 8, 0);
  t.holes[3 * 8 + 4] = 1;
  EXPECT_TRUE(box({0.5, 0.5, 0.0}, {0.49, 0.49, 0.3}).contacts(t).empty());
}

TEST(BoxTerrain, FootBehindAKerbsFaceIsPushedOutOfTheFaceAlone) {
  // The road is at 0; from x = 0 to x = 0.01 it rises to a pavement at 0.15. The box stands with its side 4 mm in the
  // face and its top above the pavement.
  const Terrain kerb =
      make_terrain(7, 201, {-1.0, -3.0}, {0.01, 1.0}, [](double x, double) { return x < 0.005 ? 0.0 : 0.15; });
  const auto contacts = box({-0.4 + 0.004, 0.0, 0.3}, {0.4, 0.4, 0.3}).contacts(kerb);
  ASSERT_FALSE(contacts.empty());
  for (const GroundContact& c : contacts) EXPECT_LT(c.depth, 0.01);
}

TEST(BoxTerrain, WallsBesideTheBodyGiveNoContact) {
  const Terrain flat_grid = make_terrain(4, 5, {0.0, 0.0}, {1.0, 1.0}, flat);
  const auto contacts = box({-0.25, 1.4, -2.0}, {0.3, 0.2, 0.1}).contacts(flat_grid);
  ASSERT_FALSE(contacts.empty());
  for (const GroundContact& c : contacts)
    if (c.kind == reference::ContactKind::wall) expect_near(c.normal, {-1.0, 0.0, 0.0});
  const GroundContact* wall = find(contacts, {-1.0, 0.0, 0.0});
  ASSERT_NE(wall, nullptr);
  EXPECT_NEAR(wall->depth, 0.05, kRounding);
}

// A deep corner on a slope has its nearest surface point in a cell that is not under the box.
TEST(BoxTerrain, DeepOnASlopeTheNearestSurfaceMayBeBeyondTheCellsUnderIt) {
  const Terrain slope = make_terrain(41, 41, {-5.0, -5.0}, {0.25, 0.25}, [](double x, double) { return x; });
  const auto contacts = box({0.1, 0.1, -1.0}, {0.1, 0.1, 0.1}).contacts(slope);
  const GroundContact* deep = find(contacts, {-1.0, 0.0, 1.0});
  ASSERT_NE(deep, nullptr);
  EXPECT_NEAR(deep->depth, 1.3 * std::sqrt(0.5), kRounding);  // of the corner at x = 0.2, z = -1.1
}

}  // namespace
}  // namespace oclide::test
