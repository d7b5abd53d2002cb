#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

OneBody cylinder(dvec3 position, double radius, double half_length, Quaternion orientation = kUpright) {
  return {Shape::cylinder, {radius, half_length, 0.0}, position, orientation};
}

TEST(CylinderTerrain, UprightOnAFlatCellGivesFourRimContacts) {
  const auto manifolds = cylinder({0.4, 0.45, 0.39}, 0.3, 0.4).manifolds(around_origin(flat));
  expect_one_manifold(manifolds, kUp, 0.01, 4);
  for (const GroundContact& c : manifolds[0]) EXPECT_NEAR(std::hypot(c.point.x, c.point.y), 0.3, kRounding);
}

TEST(CylinderTerrain, LyingOnAPlaneGivesBothEndsOfItsLowestLine) {
  const auto manifolds = cylinder({0.4, 0.45, 0.29}, 0.3, 0.4, kAlongX).manifolds(around_origin(flat));
  expect_one_manifold(manifolds, kUp, 0.01, 2);
  for (const GroundContact& c : manifolds[0]) EXPECT_NEAR(std::abs(c.point.x), 0.4, kRounding);
}

TEST(CylinderTerrain, LeaningTouchesWithTheLowestPointOfItsRim) {
  const double a = 0.3;
  const auto manifolds = cylinder({0.4, 0.45, 0.45}, 0.3, 0.4, turn({0.0, 1.0, 0.0}, a)).manifolds(around_origin(flat));
  const double lowest = 0.4 * std::cos(a) + 0.3 * std::sin(a);
  ASSERT_EQ(manifolds.size(), 1u);
  EXPECT_NEAR(manifolds[0][0].depth, lowest - 0.45, kRounding);
  expect_near(manifolds[0][0].normal, kUp);
}

TEST(CylinderTerrain, OnAHundredMetreTriangleHasItsDepthToTheMillimetre) {
  const dvec3 n = glm::normalize(dvec3(-0.3, -0.2, 1.0));
  const Terrain big =
      make_terrain(2, 2, {-50.0, -50.0}, {100.0, 100.0}, [](double x, double y) { return 0.3 * x + 0.2 * y; });
  const double angle = std::acos(n.z);
  const auto manifolds = cylinder(0.395 * n, 0.3, 0.4, turn(glm::cross(kUp, n), angle)).manifolds(big);
  ASSERT_EQ(manifolds.size(), 1u);
  EXPECT_NEAR(manifolds[0][0].depth, 0.005, 1e-7);
  EXPECT_EQ(manifolds[0].size(), 4u);
}

TEST(CylinderTerrain, UprightOnARidgeTouchesTheChordOfItsBase) {
  const auto manifolds = cylinder({0.1, 0.2, 0.39}, 0.3, 0.4).manifolds(around_origin(roof));
  // The vertex of the ground at y = 0 parts the ridge in two edges, which share a point.
  expect_one_manifold(manifolds, kUp, 0.01, 3);
  for (const GroundContact& c : manifolds[0]) EXPECT_NEAR(c.point.x, -0.1, kRounding);
  const double half_chord = std::sqrt(0.3 * 0.3 - 0.1 * 0.1);
  EXPECT_NEAR(extent(manifolds[0], {0.0, 1.0, 0.0}).least, -half_chord, kRounding);
  EXPECT_NEAR(extent(manifolds[0], {0.0, 1.0, 0.0}).greatest, half_chord, kRounding);
}

TEST(CylinderTerrain, LyingAcrossARidgeTouchesWhereTheLinesCross) {
  const auto contacts = cylinder({0.1, 0.2, 0.29}, 0.3, 0.4, kAlongX).contacts(around_origin(roof));
  const GroundContact* crossing = find(contacts, kUp);
  ASSERT_NE(crossing, nullptr);
  EXPECT_NEAR(crossing->depth, 0.01, kRounding);
  expect_near(crossing->point, {-0.1, 0.0, -0.3});
}

TEST(CylinderTerrain, LyingAlongARidgeTouchesBothEndsOfTheOverlap) {
  const auto contacts = cylinder({0.0, 0.2, 0.29}, 0.3, 0.4, kAlongY).contacts(around_origin(roof));
  const auto manifolds = reference::reduce_contacts(contacts);
  ASSERT_FALSE(manifolds.empty());
  expect_near(manifolds[0][0].normal, kUp, 1e-6);
  EXPECT_NEAR(manifolds[0][0].depth, 0.01, kRounding);
  EXPECT_NEAR(extent(manifolds[0], {0.0, 1.0, 0.0}).least, -0.4, kRounding);
  EXPECT_NEAR(extent(manifolds[0], {0.0, 1.0, 0.0}).greatest, 0.4, kRounding);
}

TEST(CylinderTerrain, UprightOnAPeakTouchesTheVertex) {
  const Terrain peak = around_origin([](double x, double y) { return -0.5 * std::abs(x) - 0.5 * std::abs(y); });
  const auto manifolds = cylinder({0.1, 0.05, 0.39}, 0.3, 0.4).manifolds(peak);
  expect_one_manifold(manifolds, kUp, 0.01, 1);
  expect_near(manifolds[0][0].point, {-0.1, -0.05, -0.4});
}

TEST(CylinderTerrain, LeaningOnAKerbTouchesRoadAndKerb) {
  // A kerb 0.15 m high whose face takes 1 cm; the barrel stands on the road and leans with its side on the kerb's edge.
  const Terrain kerb =
      make_terrain(7, 201, {-1.0, -3.0}, {0.01, 1.0}, [](double x, double) { return x < 0.005 ? 0.0 : 0.15; });
  const double a = 0.2, r = 0.2, h = 0.4;
  const dvec3 axis(std::sin(a), 0.0, std::cos(a)), side(std::cos(a), 0.0, -std::sin(a));
  // The lower side line passes 2 mm under the kerb's edge at (0.01, 0.15), the rim 1 mm into the road.
  const dvec3 edge(0.01, 0.0, 0.15);
  dvec3 centre = edge - (r - 0.002) * side;
  centre += axis * ((-0.001 - (centre + r * side - h * axis).z) / axis.z);
  const auto contacts = cylinder({centre.x, 0.3, centre.z}, r, h, turn({0.0, 1.0, 0.0}, a)).contacts(kerb);
  const GroundContact* on_kerb = find(contacts, -side, 1e-3);
  const GroundContact* on_road = find(contacts, kUp, 1e-3);
  ASSERT_NE(on_kerb, nullptr);
  ASSERT_NE(on_road, nullptr);
  EXPECT_NEAR(on_kerb->depth, 0.002, 1e-6);
  EXPECT_NEAR(on_road->depth, 0.001, 1e-6);
}

TEST(CylinderTerrain, DiscAndNeedleAreFound) {
  EXPECT_NEAR(deepest(cylinder({0.3, 0.2, 0.004}, 1.2, 0.005).contacts(around_origin(flat))), 0.001, kRounding);
  EXPECT_NEAR(deepest(cylinder({0.3, 0.2, 1.19}, 0.005, 1.2).contacts(around_origin(flat))), 0.01, kRounding);
  EXPECT_NEAR(deepest(cylinder({0.3, 0.2, 0.004}, 0.005, 1.2, kAlongX).contacts(around_origin(flat))), 0.001,
              kRounding);
}

TEST(CylinderTerrain, NeedleOnAPitsBottomEdgeIsHeld) {
  // The tip stands in a valley narrower than the rim's reach: both sides are touched, none by more than the gap.
  const Terrain valley = around_origin([](double x, double) { return 3.0 * std::abs(x); });
  const auto contacts = cylinder({0.0, 0.3, 0.5 - 0.001 + 3.0 * 0.01}, 0.01, 0.5).contacts(valley);
  EXPECT_NE(find(contacts, {3.0, 0.0, 1.0}), nullptr);
  EXPECT_NE(find(contacts, {-3.0, 0.0, 1.0}), nullptr);
  EXPECT_LT(deepest(contacts), 0.0011);
}

TEST(CylinderTerrain, FlatOnOneSideOfAValleyReachesItsEdgeWithOnePointOfTheRim) {
  // The base is level with the slope to the right, 0.1 m under it; one point of its rim is a metres past the edge.
  const Terrain valley = around_origin([](double x, double) { return std::abs(x); });
  const dvec3 right = glm::normalize(dvec3(-1.0, 0.0, 1.0)), left = glm::normalize(dvec3(1.0, 0.0, 1.0));
  for (int k = 0; k < 20; ++k) {
    const double r = 0.4 + 0.007 * k, a = 0.03 + 0.003 * k, depth = 0.1, half_length = 0.3;
    const dvec3 base = (r - a) * left - depth * right + dvec3(0.0, 0.123, 0.0);
    const dvec3 expected = a * left + depth * right;
    const auto contacts =
        cylinder(base + half_length * right, r, half_length, turn({0.0, 1.0, 0.0}, -kHalfTurn / 4.0)).contacts(valley);
    const GroundContact* edge = find(contacts, expected);
    ASSERT_NE(edge, nullptr) << a;
    EXPECT_NEAR(edge->depth, glm::length(expected), kRounding) << a;
  }
}

TEST(CylinderTerrain, OnAFlatRidgeTouchesItWithTheLowestPointOfItsRim) {
  const double a = 0.3, lowest = 0.4 * std::cos(a) + 0.3 * std::sin(a);
  const Quaternion leaning = turn({0.0, 1.0, 0.0}, a);
  const Terrain ridge = around_origin([](double, double y) { return -1e-4 * std::abs(y); });
  const auto contacts = cylinder({0.4, 0.0, lowest - 0.01}, 0.3, 0.4, leaning).contacts(ridge);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0].kind, reference::ContactKind::rim);
  EXPECT_NEAR(contacts[0].depth, 0.01, kRounding);
  expect_near(contacts[0].normal, kUp, 1e-6);
  EXPECT_NEAR(contacts[0].point.y, 0.0, kRounding);
  // A little aside, one of the two elements has the lowest point of its own.
  for (const double y : {1e-3, -1e-3}) {
    const auto aside = cylinder({0.4, y, lowest - 0.01}, 0.3, 0.4, leaning).contacts(ridge);
    ASSERT_EQ(aside.size(), 1u) << y;
    EXPECT_EQ(aside[0].kind, reference::ContactKind::rim) << y;
  }
}

TEST(CylinderTerrain, BuriedIsPushedUpByOneMove) {
  const auto contacts = cylinder({0.4, 0.45, -9.0}, 0.3, 0.4).contacts(around_origin(flat));
  ASSERT_FALSE(contacts.empty());
  for (const GroundContact& c : contacts) expect_near(c.normal, kUp);
  EXPECT_NEAR(deepest(contacts), 9.4, kRounding);
}

}  // namespace
}  // namespace oclide::test
