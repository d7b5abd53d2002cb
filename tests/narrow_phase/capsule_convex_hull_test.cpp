// Capsule against convex hull: closed forms, and poses of many hulls against the segment's least penetration in double.
#include "narrow_phase/round_hull_pairs.hpp"

namespace oclide::test {
namespace {

class CapsuleConvexHull : public PairTest {};

TEST_F(CapsuleConvexHull, LyingOnAFaceHasTwoContacts) {
  expect_contacts(on_slab(capsule(0.2, 0.4, {0.1, 0.2, 0.69}, kAlongX)),
                  {{{-0.3, 0.2, 0.49}, {0, 0, 1}, 0.01}, {{0.5, 0.2, 0.49}, {0, 0, 1}, 0.01}});
}

TEST_F(CapsuleConvexHull, LyingOverTheBorderEndsThere) {
  expect_contacts(on_slab(capsule(0.2, 0.4, {0.9, 0.2, 0.69}, kAlongX)),
                  {{{0.5, 0.2, 0.49}, {0, 0, 1}, 0.01}, {{1.0, 0.2, 0.49}, {0, 0, 1}, 0.01}});
}

TEST_F(CapsuleConvexHull, LyingAcrossTheWholeFaceEndsAtBothBorders) {
  expect_contacts(on_slab(capsule(0.2, 3.0, {0.1, 0.2, 0.69}, kAlongX)),
                  {{{-1.0, 0.2, 0.49}, {0, 0, 1}, 0.01}, {{1.0, 0.2, 0.49}, {0, 0, 1}, 0.01}});
}

TEST_F(CapsuleConvexHull, StandingOnAFaceHasOne) {
  expect_contacts(on_slab(capsule(0.2, 0.4, {0.1, 0.2, 1.09})), {{{0.1, 0.2, 0.49}, {0, 0, 1}, 0.01}});
}

TEST_F(CapsuleConvexHull, AcrossAnEdgeHasOne) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), on_edge(1, 0.3, 0.5);
  expect_contacts(on_slab(capsule(0.2, 0.4, on_edge + n * 0.19, turn({0, 1, 0}, 1.5 * kQuarter))),
                  {{on_edge - n * 0.01, n, 0.01}});
}

TEST_F(CapsuleConvexHull, AlongAnEdgeHasTwo) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1));
  expect_contacts(on_slab(capsule(0.2, 0.4, dvec3(1, 0.8, 0.5) + n * 0.19, turn({1, 0, 0}, kQuarter))),
                  {{dvec3(1, 0.4, 0.5) - n * 0.01, n, 0.01}, {dvec3(1, 1.0, 0.5) - n * 0.01, n, 0.01}});
}

TEST_F(CapsuleConvexHull, EndOffAVertex) {
  const dvec3 n = glm::normalize(dvec3(1, 1, 1)), vertex(1, 1, 0.5);
  const dquat outward = turn(glm::cross(dvec3(0, 0, 1), n), std::acos(n.z));
  expect_contacts(on_slab(capsule(0.2, 0.4, vertex + n * 0.59, outward)), {{vertex - n * 0.01, n, 0.01}});
}

TEST_F(CapsuleConvexHull, ThroughAHullLeavesByTheNearestSide) {
  const ConvexHull hull = hull_of(grid_on_box({1.0, 0.3, 0.4}, 2));
  expect_deepest({capsule(0.05, 3.0, {0, 0.1, 0.05}, kAlongX), convex_hull(hull, {0, 0, 0})}, {0, 1, 0}, 0.25, 2);
}

TEST_F(CapsuleConvexHull, TouchesExactlyAndApart) {
  const BodyPair pair = on_slab(capsule(0.25, 0.5, {0.125, 0.25, 1.25}));
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_contacts(pair, {{{0.125, 0.25, 0.5}, {0, 0, 1}, 0.0}}, 0.02);
}

// One position: of a box's corners by a face, whatever is as near.
TEST_F(CapsuleConvexHull, OnePositionHasAFacesNormal) {
  const std::vector<Contact> found = contacts_of(on_slab(capsule(0.1, 0.2, {0, 0, 0}, kAlongX)));
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(static_cast<double>(found.front().depth), 0.6, kClosedForm);
  EXPECT_NEAR(std::abs(static_cast<double>(found.front().normal[2])), 1.0, kClosedForm);
}

// Its end is 0.03 mm off an edge, and deeper under each face of the vertex where the edge ends.
TEST_F(CapsuleConvexHull, ApartFromAnEdgeNextToItsEnd) {
  const dvec3 axis = glm::normalize(dvec3(0.816755314, -0.402495839, -0.413410034));
  const dquat along = turn(glm::cross(dvec3(0, 0, 1), axis), std::acos(axis.z));
  const ConvexHull hull = hull_of({{0.5, 0.5, 0.5}, {-0.5, -0.5, 0.5}, {-0.5, 0.5, -0.5}, {0.5, -0.5, -0.5}});
  const BodyPair pair{capsule(0.3, 0.01, {-0.506929166, -0.496534004, 0.50355535}, along),
                      convex_hull(hull, {0, 0, 0})};
  EXPECT_TRUE(holds(pair, contacts_of(pair), 0.0, 5e-5, least_hull_overlap(pair)));
}

TEST_F(CapsuleConvexHull, HoldsForAllHulls) {
  for (const NamedHull& hull : some_hulls())
    for (const BodySpec& round : {capsule(0.1, 0.4, {}), capsule(0.3, 0.01, {}), capsule(0.05, 2.0, {})})
      fuzz_round_hull(round, hull, hull.hull.vertices.size() > 1000 ? 50 : 200, 5e-5);
}

TEST_F(CapsuleConvexHull, HoldsForAllSizes) {
  fuzz_round_hull(capsule(0.05, 0.1, {}), {"tiny on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(capsule(0.1, 40.0, {}), {"long on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(capsule(20.0, 30.0, {}), some_hulls()[7], 300, kContract);
}

TEST_F(CapsuleConvexHull, BoxOfCornersHasTheContactsOfABox) {
  expect_contacts_of_box(capsule(0.2, 0.4, {}), {0.5, 0.4, 0.3}, 800, kClosedForm);
}

}  // namespace
}  // namespace oclide::test
