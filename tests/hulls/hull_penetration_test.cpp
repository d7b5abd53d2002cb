// Depths and normals of hulls against those of boxes, and against the hull of all differences of their points.
#include "reference/narrow_phase/hull_penetration.hpp"

#include <gtest/gtest.h>

#include <random>

#include "hulls/point_clouds.hpp"
#include "hulls/qhull_facets.hpp"
#include "reference/two_bodies.hpp"

namespace oclide::test {
namespace {

using reference::hull_half_space;
using reference::hull_overlap_along;
using reference::LeastPenetration;
using reference::sphere_hull;
using reference::turned_hull;
using reference::TurnedHull;

// Sizes of boxes are floats here, so that their hulls are the same solids; what is left is rounding of doubles.
constexpr double kSameSolid = 1e-9;

TurnedHull turned_hull_of(const OneBody& box) {
  const auto [x, y, z] = box.size;
  return turned_hull(build_convex_hull(grid_on_box({x, y, z}, 2), "box"), box.body().axes);
}
TurnedHull turned_hull_of(const Points& points) {
  return turned_hull(build_convex_hull(points, "points"), dmat3(1.0));
}

LeastPenetration penetration(const TurnedHull& a, const TurnedHull& b, dvec3 c) {
  return reference::hull_hull(a, b, c, 1e6).value();
}

struct Chance {
  std::mt19937_64 random{11};
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  dvec3 within(double half) { return {between(-half, half), between(-half, half), between(-half, half)}; }
  Quaternion turn() { return {between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)}; }
  double size() { return static_cast<float>(between(0.2, 1.5)); }
  OneBody box(dvec3 at) { return block({size(), size(), size()}, at, turn()); }
};

// The normal has the depth as its overlap; exchanged, the pair is the same turned round but for the choice among
// equals.
void expect_sound_pair(const TurnedHull& a, const TurnedHull& b, dvec3 c) {
  const LeastPenetration found = penetration(a, b, c), exchanged = penetration(b, a, -c);
  EXPECT_NEAR(glm::length(found.normal), 1.0, 1e-12);
  const double overlap = hull_overlap_along(a, b, c, found.normal);
  EXPECT_GE(overlap, found.depth - kSameSolid);
  EXPECT_LE(overlap, found.depth + 10 * kSameSolid);
  EXPECT_NEAR(exchanged.depth, found.depth, kSameSolid);
}

TEST(HullPenetration, BoxesAsHullsHaveTheDepthsOfBoxes) {
  Chance chance;
  int deep = 0, apart = 0;
  for (int k = 0; k < 300; ++k) {
    const OneBody a = chance.box({0, 0, 0}), b = chance.box(chance.within(k % 2 == 0 ? 1.0 : 3.0));
    const LeastPenetration boxes = penetration(a, b);
    const TurnedHull hull_a = turned_hull_of(a), hull_b = turned_hull_of(b);
    EXPECT_NEAR(penetration(hull_a, hull_b, b.position).depth, boxes.depth, 1e-6 + boxes.uncertainty) << "case " << k;
    expect_sound_pair(hull_a, hull_b, b.position);
    ++(boxes.depth > 0.0 ? deep : apart);
  }
  EXPECT_GT(deep, 100);
  EXPECT_GT(apart, 50);
}

// The sum of B and of A turned round is the hull of all differences of their vertices: the depth is the distance of the
// origin from its nearest facet.
TEST(HullPenetration, OverlappingHullsHaveTheDepthOfTheHullOfDifferences) {
  Chance chance;
  int deep = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const TurnedHull a = turned_hull_of(in_ball(4 + seed % 20, seed)),
                     b = turned_hull_of(in_ball(4 + seed % 17, 100 + seed));
    const dvec3 c = chance.within(0.7);
    std::vector<dvec3> differences;
    for (const dvec3& p : a.vertices)
      for (const dvec3& q : b.vertices) differences.push_back(q + c - p);
    double depth = HUGE_VAL;
    for (const dvec3& n : qhull_facets(differences).normals) {
      double reach = -HUGE_VAL;
      for (const dvec3& p : differences) reach = std::max(reach, glm::dot(n, p));
      depth = std::min(depth, reach);
    }
    expect_sound_pair(a, b, c);
    if (!(depth > 0.0)) continue;
    EXPECT_NEAR(penetration(a, b, c).depth, depth, 1e-9) << "seed " << seed;
    ++deep;
  }
  EXPECT_GT(deep, 30);
}

TEST(HullPenetration, SpheresOnABoxAsHullHaveTheDepthsOfTheBox) {
  Chance chance;
  for (int k = 0; k < 300; ++k) {
    const double radius = chance.between(0.1, 1.0);
    const OneBody sphere = ball(radius, {0, 0, 0}), box = chance.box(chance.within(2.0));
    const LeastPenetration expected = penetration(sphere, box);
    const LeastPenetration found = sphere_hull(radius, turned_hull_of(box), box.position);
    EXPECT_NEAR(found.depth, expected.depth, 1e-9) << "case " << k;
    expect_near(found.normal, expected.normal, 1e-6);
  }
}

TEST(HullPenetration, HalfSpacesMeetTheLowestVertex) {
  Chance chance;
  for (int k = 0; k < 50; ++k) {
    const OneBody box = chance.box({0, 0, 0}), floor = floor_at(chance.within(1.0), chance.turn());
    const LeastPenetration expected = penetration(box, floor);
    const LeastPenetration found = hull_half_space(turned_hull_of(box), floor.body().axis(), floor.position);
    EXPECT_NEAR(found.depth, expected.depth, kSameSolid);
    expect_near(found.normal, expected.normal);
  }
}

TEST(HullPenetration, EqualCubesAtOnePlaceHaveTheNormalOfAFace) {
  const TurnedHull cube = turned_hull_of(grid_on_box(dvec3(1.0), 2));
  const LeastPenetration found = penetration(cube, cube, dvec3(0.0));
  EXPECT_EQ(found.depth, 2.0);
  EXPECT_EQ(found.normal, -cube.faces[0].normal);
}

TEST(HullPenetration, AnEdgePairIsTakenWhereItIsTheShortestWay) {
  const OneBody a = block({1, 1, 1}, {0, 0, 0}, turn({0, 0, 1}, kHalfTurn / 4));
  const double reach = std::sqrt(2.0);
  const OneBody b = block({1, 1, 1}, {2 * reach - 0.1, 0, 0}, turn({0, 1, 0}, kHalfTurn / 4));
  const LeastPenetration found = penetration(turned_hull_of(a), turned_hull_of(b), b.position);
  EXPECT_NEAR(found.depth, 0.1, kSameSolid);
  expect_near(found.normal, {-1, 0, 0}, kSameSolid);
}

// The lower edge of a box crosses the border of a block and goes down past it by `tilt`, over a metre. The way out
// along both edges is shorter by that metre times the tilt than the one out of the block's top.
TEST(HullPenetration, AnEdgePairThatIsAlmostTheFaceIsToldFromIt) {
  const TurnedHull block_hull = turned_hull_of(grid_on_box(dvec3(1.0), 2));
  const double corner = std::sqrt(0.5), depth = 0.01;
  const dmat3 on_edge(1, 0, 0, 0, corner, corner, 0, -corner, corner);
  for (const double tilt : {1e-5, 1e-4}) {
    const dmat3 turned(std::cos(tilt), 0, -std::sin(tilt), 0, 1, 0, std::sin(tilt), 0, std::cos(tilt));
    const TurnedHull box = turned_hull_of(changed(grid_on_box({1.0, 0.25, 0.25}, 2), turned * on_edge, dvec3(0.0)));
    const dvec3 c(1.0, 0.0, 1.0 + 0.5 * corner - depth);
    const LeastPenetration found = penetration(block_hull, box, c);
    EXPECT_NEAR(found.depth, depth, 1e-6);
    expect_near(found.normal, {-tilt, 0, -1}, 1e-6);
  }
}

// A cube's face on a cube's face, turned about the normal and off by what a float has of noise: no edge takes over.
TEST(HullPenetration, KissingFacesKeepTheFacesNormal) {
  Chance chance;
  const TurnedHull floor = turned_hull_of(grid_on_box({50.0, 50.0, 1.0}, 2));
  for (int k = 0; k < 50; ++k) {
    const OneBody cube = block({0.5, 0.5, 0.5}, {0, 0, 0}, turn({0, 0, 1}, chance.between(0.0, 6.0)));
    const dvec3 c(chance.between(-40, 40), chance.between(-40, 40), -1.5 + chance.between(-1e-6, 1e-6));
    const LeastPenetration found = penetration(turned_hull_of(cube), floor, c);
    EXPECT_NEAR(found.depth, c.z + 1.5, kSameSolid);
    expect_near(found.normal, kUp, 1e-6);
  }
}

// The polyhedron is inside of the curve by at most its sagitta.
TEST(HullPenetration, FinePrismsHaveTheDepthsOfCylinders) {
  Chance chance;
  constexpr int kSides = 64;
  const OneBody cylinder = drum(0.5, 0.8, {0, 0, 0});
  const TurnedHull prism_hull = turned_hull_of(prism(kSides, 0.5, 0.8));
  const double sagitta = 0.5 * (1.0 - std::cos(kHalfTurn / kSides));
  for (int k = 0; k < 40; ++k) {
    const OneBody box = chance.box(chance.within(1.5));
    const double expected = penetration(cylinder, box).depth;
    const double found = penetration(prism_hull, turned_hull_of(box), box.position).depth;
    EXPECT_LE(found, expected + 2e-6) << "case " << k;
    EXPECT_GE(found, expected - sagitta - 2e-6) << "case " << k;
  }
}

}  // namespace
}  // namespace oclide::test
