// Cylinder against convex hull: closed forms, and poses of many hulls against the reference's search, which proves how
// far it is off.
#include "narrow_phase/round_hull_pairs.hpp"

namespace oclide::test {
namespace {

class CylinderConvexHull : public PairTest {};

TEST_F(CylinderConvexHull, UprightOnAFaceTouchesWithItsBase) {
  expect_deepest(on_slab(cylinder(0.3, 0.4, {0.1, 0.2, 0.89})), {0, 0, 1}, 0.01, 4);
}

TEST_F(CylinderConvexHull, LyingOnAFaceHasTheTwoEndsOfItsLine) {
  expect_contacts(on_slab(cylinder(0.2, 0.4, {0.1, 0.2, 0.69}, kAlongX)),
                  {{{-0.3, 0.2, 0.49}, {0, 0, 1}, 0.01}, {{0.5, 0.2, 0.49}, {0, 0, 1}, 0.01}});
}

TEST_F(CylinderConvexHull, LeaningOnAFaceTouchesWithItsRim) {
  const double tilt = 0.5, down = 0.4 * std::cos(tilt) + 0.2 * std::sin(tilt);
  const double aside = 0.4 * std::sin(tilt) - 0.2 * std::cos(tilt);
  const std::vector<Contact> found =
      contacts_of(on_slab(cylinder(0.2, 0.4, {0, 0, 0.49 + down}, turn({0, 1, 0}, tilt))));
  EXPECT_TRUE(contain(found, {{{-aside, 0, 0.49}, {0, 0, 1}, 0.01}}));
}

TEST_F(CylinderConvexHull, AlongAnEdgeHasTwo) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), off = n * 0.01;
  expect_contacts(on_slab(cylinder(0.2, 0.4, dvec3(1, 0.2, 0.5) + n * 0.19, turn({1, 0, 0}, kQuarter))),
                  {{dvec3(1, -0.2, 0.5) - off, n, 0.01}, {dvec3(1, 0.6, 0.5) - off, n, 0.01}});
}

TEST_F(CylinderConvexHull, AcrossAnEdgeHasOne) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), on_edge(1, 0.3, 0.5);
  expect_contacts(on_slab(cylinder(0.2, 0.4, on_edge + n * 0.19, turn({0, 1, 0}, 1.5 * kQuarter))),
                  {{on_edge - n * 0.01, n, 0.01}});
}

TEST_F(CylinderConvexHull, VertexTouchesTheSide) {
  const dvec3 n = glm::normalize(dvec3(1, 1, 2)), vertex(1, 1, 0.5);
  expect_contacts(on_slab(cylinder(0.3, 2.0, vertex + n * 0.29, turn({1, 1, 0}, kQuarter))),
                  {{vertex - n * 0.01, n, 0.01}});
}

TEST_F(CylinderConvexHull, RimIsAtItsDistanceFromAVertex) {
  // The rim's nearest point is off the vertex by (0.1, 0.1, 0.2).
  const double aside = 1.0 + 0.3 / std::sqrt(2.0) + 0.1;
  const BodyPair pair = on_slab(cylinder(0.3, 0.5, {aside, aside, 1.2}));
  const dvec3 gap(0.1, 0.1, 0.2);
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_deepest(pair, glm::normalize(gap), -glm::length(gap), 1, 0.5);
}

// The axis leans from n along the edge, so that the rim crosses the edge.
TEST_F(CylinderConvexHull, RimAcrossAnEdgeTouchesIt) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), along(0, 1, 0), on_edge(1, 0.1, 0.5);
  const double r = 0.2, h = 0.4, lean = 0.5;
  const dvec3 axis = n * std::cos(lean) + along * std::sin(lean);
  const dvec3 toward = glm::normalize(n - axis * glm::dot(n, axis));
  const dvec3 turned = glm::cross(dvec3(0, 0, 1), axis);
  const dvec3 centre = on_edge - n * 0.01 + axis * h + toward * r;
  expect_contacts(on_slab(cylinder(r, h, centre, turn(turned, std::acos(axis.z)))), {{on_edge - n * 0.01, n, 0.01}});
}

TEST_F(CylinderConvexHull, NestedLeavesByTheNearestSide) {
  const ConvexHull hull = hull_of(grid_on_box({1, 2, 3}, 2));
  expect_deepest({cylinder(0.1, 0.2, {0.3, 0.1, 0}), convex_hull(hull, {0, 0, 0})}, {1, 0, 0}, 0.8, 2);
}

TEST_F(CylinderConvexHull, OnePositionHasAFiniteAnswer) {
  for (const dquat turned : {kUpright, kAlongX, turn({1, 0, 0}, 1e-5)}) {
    const std::vector<Contact> found = contacts_of(on_slab(cylinder(0.2, 0.2, {0, 0, 0}, turned)));
    ASSERT_FALSE(found.empty());
    EXPECT_NEAR(static_cast<double>(found.front().depth), 0.7, 1e-4);
    EXPECT_NEAR(glm::length(normal_of(found.front())), 1.0, 1e-6);
  }
}

TEST_F(CylinderConvexHull, TouchesExactlyAndApart) {
  const BodyPair pair = on_slab(cylinder(0.25, 0.5, {0.125, 0.25, 0.75}, kAlongX));
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_contacts(pair, {{{-0.375, 0.25, 0.5}, {0, 0, 1}, 0.0}, {{0.625, 0.25, 0.5}, {0, 0, 1}, 0.0}}, 0.02);
}

TEST_F(CylinderConvexHull, HoldsForAllHulls) {
  for (const NamedHull& hull : some_hulls())
    for (const BodySpec& round : {cylinder(0.2, 0.3, {}), cylinder(0.5, 0.05, {}), cylinder(0.05, 2.0, {})})
      fuzz_round_hull(round, hull, hull.hull.vertices.size() > 1000 ? 12 : 200, kContract);
}

TEST_F(CylinderConvexHull, HoldsForAllSizes) {
  fuzz_round_hull(cylinder(0.05, 0.1, {}), {"tiny on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(cylinder(0.1, 40.0, {}), {"long on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(cylinder(40.0, 0.1, {}), {"disc on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(cylinder(20.0, 30.0, {}), some_hulls()[7], 300, kContract);
}

TEST_F(CylinderConvexHull, BoxOfCornersHasTheContactsOfABox) {
  expect_contacts_of_box(cylinder(0.2, 0.4, {}), {0.5, 0.4, 0.3}, 800, kClosedForm);
}

}  // namespace
}  // namespace oclide::test
