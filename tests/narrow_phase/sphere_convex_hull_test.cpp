// Sphere against convex hull; closed forms with the hull of a box at the origin, half extents 1, 2, 3:
// docs/convex_hulls.md.
#include "narrow_phase/round_hull_pairs.hpp"

namespace oclide::test {
namespace {

class SphereConvexHull : public PairTest {};

const ConvexHull& box_hull() {
  static const ConvexHull hull = hull_of(grid_on_box({1, 2, 3}, 2));
  return hull;
}

BodyPair on_hull(double radius, dvec3 centre) {
  return {sphere(radius, centre), convex_hull(box_hull(), {0, 0, 0})};
}

TEST_F(SphereConvexHull, AboveEachFaceTouchesAtTheCentresProjection) {
  for (int k = 0; k < 3; ++k)
    for (const double side : {1.0, -1.0}) {
      dvec3 n(0.0), centre(0.3, -0.4, 0.5);
      n[k] = side;
      centre[k] = side * (k + 1.4);
      expect_contacts(on_hull(0.5, centre), {{centre - 0.5 * n, n, 0.1}});
    }
}

TEST_F(SphereConvexHull, BeyondAnEdgeOrAVertexTouchesItsNearestPoint) {
  expect_contacts(on_hull(0.6, {1.3, 2.4, 0.5}), {{{0.94, 1.92, 0.5}, {0.6, 0.8, 0}, 0.1}});
  const dvec3 n = dvec3(-1, 2, -2) / 3.0;
  expect_contacts(on_hull(0.35, dvec3(-1, 2, -3) + 0.3 * n), {{dvec3(-1, 2, -3) - 0.05 * n, n, 0.05}});
}

TEST_F(SphereConvexHull, CentreInsideLeavesThroughTheNearestFace) {
  expect_contacts(on_hull(0.25, {0.8, 0.1, 0.2}), {{{0.55, 0.1, 0.2}, {1, 0, 0}, 0.45}});
  expect_contacts(on_hull(0.25, {0.2, -1.9, 0.2}), {{{0.2, -1.65, 0.2}, {0, -1, 0}, 0.35}});
  expect_contacts(on_hull(0.25, {0.2, 0.3, 2.7}), {{{0.2, 0.3, 2.45}, {0, 0, 1}, 0.55}});
}

// All faces are as near: the lowest number, whose loop begins with the lowest vertices. It faces -x or another way, but
// always the same.
TEST_F(SphereConvexHull, ConcentricLeavesThroughTheFirstFace) {
  const ConvexHull cube = hull_of(grid_on_box({1, 1, 1}, 2));
  const dvec3 n = cube.faces[0].normal;
  for (const double off : {0.0, 1e-7, -1e-7, 3e-6})
    expect_contacts({sphere(0.5, dvec3(off, -off, off)), convex_hull(cube, {0, 0, 0})},
                    {{n * -0.5 + dvec3(off, -off, off), n, 1.5 - glm::dot(n, dvec3(off, -off, off))}});
}

TEST_F(SphereConvexHull, NormalTurnsToTheFaceAsTheCentreComesToTheSurface) {
  for (const double z : {3.0 + 1e-3, 3.0 + 1e-6, 3.0, 3.0 - 1e-6})
    expect_contacts(on_hull(0.5, {0.1, 0.2, z}), {{{0.1, 0.2, z - 0.5}, {0, 0, 1}, 3.5 - z}});
}

TEST_F(SphereConvexHull, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of(on_hull(0.5, {0, 0, 3.5})).empty());
  EXPECT_TRUE(contacts_of(on_hull(0.5, {0, 0, 3.53}), 0.02).empty());
  expect_contacts(on_hull(0.5, {0, 0, 3.53}), {{{0, 0, 3.03}, {0, 0, 1}, -0.03}}, 0.04);
}

// Numbers of the hull's parts: vertices, edges, faces.
TEST_F(SphereConvexHull, FeatureIsThePartThatIsTouched) {
  const ConvexHull& hull = box_hull();
  const auto feature_at = [&](dvec3 centre) { return contacts_of(on_hull(0.5, centre)).at(0).feature; };
  const auto vertices = static_cast<std::uint32_t>(hull.vertices.size()),
             edges = static_cast<std::uint32_t>(hull.edges.size());
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const dvec3 p(hull.vertices[v]);
    EXPECT_EQ(feature_at(p + glm::normalize(p) * 0.4), v);
  }
  for (std::uint32_t e = 0; e < edges; ++e) {
    const HullEdge& edge = hull.edges[e];
    const dvec3 middle = 0.5 * dvec3(hull.vertices[edge.vertices[0]] + hull.vertices[edge.vertices[1]]);
    EXPECT_EQ(feature_at(middle + 0.2 * (hull.faces[edge.faces[0]].normal + hull.faces[edge.faces[1]].normal)),
              vertices + e);
  }
  for (std::uint32_t f = 0; f < hull.faces.size(); ++f)
    for (const double off : {0.2, -0.2})
      EXPECT_EQ(feature_at(hull.faces[f].normal * (hull.faces[f].offset + off)), vertices + edges + f);
}

// Beyond the tip all faces are beneath the centre by next to nothing, however far it is.
TEST_F(SphereConvexHull, BeyondTheTipOfANeedleIsApart) {
  const ConvexHull needle = hull_of({{0, 0, 40}, {0.03, 0, 0}, {-0.03, 0.03, 0}, {-0.03, -0.03, 0}});
  std::mt19937_64 random(9);
  for (const double off : {1e-3, 0.01, 0.04})
    for (int k = 0; k < 20; ++k) {
      const BodyPair pair = moved({sphere(0.05, {0, 0, 40 + off}), convex_hull(needle, {0, 0, 0})},
                                  random_orientation(random), {100.0 * k, 0, 0});
      EXPECT_TRUE(holds(pair, contacts_of(pair), 0.0, kContract, 0.05 - off));
    }
}

// The way from a face a little beneath is as good as the first one's, but not where the centre is outside.
TEST_F(SphereConvexHull, BeyondTheCornerOfAThinPlateIsApart) {
  const ConvexHull plate = hull_of({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0.1, 0.1, 1e-3}});
  const BodyPair pair{sphere(0.6, {1.000258, 1.000258, 2.6e-6}), convex_hull(plate, {0, 0, 0})};
  EXPECT_TRUE(holds(pair, contacts_of(pair), 0.0, 2.5e-5, least_hull_overlap(pair)));
}

// Seen from 50 m away, edges that are a centimetre from each other are as near but for rounding.
TEST_F(SphereConvexHull, AHugeSphereTouchesASmallHull) {
  const BodyPair pair{
      sphere(50.0, {46.279879345472793, 11.973369369616837, 137.8016145608739}),
      convex_hull(some_hulls()[7].hull, {66.750624688634659, 1.5837443883499989, 93.030869991271871},
                  {0.7195992241973338, -0.66797613416221779, 0.18776124531735394, 0.027028789857674037})};
  EXPECT_TRUE(holds(pair, contacts_of(pair, 0.02), 0.02, kContract, least_hull_overlap(pair)));
}

TEST_F(SphereConvexHull, HoldsForAllHulls) {
  for (const NamedHull& hull : some_hulls())
    for (const double radius : {0.05, 0.6}) fuzz_round_hull(sphere(radius, {}), hull, 300, 2.5e-5);
}

TEST_F(SphereConvexHull, HoldsForAllSizes) {
  const ConvexHull& stone = some_hulls()[7].hull;
  fuzz_round_hull(sphere(0.05, {}), {"tiny on huge", larger(stone, 90.0)}, 300, kContract);
  fuzz_round_hull(sphere(50.0, {}), {"huge on small", stone}, 300, kContract);
}

TEST_F(SphereConvexHull, BoxOfCornersHasTheContactsOfABox) {
  expect_contacts_of_box(sphere(0.3, {}), {0.5, 0.4, 0.3}, 800, kClosedForm);
}

}  // namespace
}  // namespace oclide::test
