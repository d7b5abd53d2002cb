// Convex hull against convex hull: closed forms, and poses of many solids against the reference's least penetration.
#include <algorithm>
#include <cmath>

#include "narrow_phase/hull_pairs.hpp"

namespace oclide::test {
namespace {

class ConvexHullConvexHull : public PairTest {};

const Points kCube = grid_on_box({0.5, 0.5, 0.5}, 2);

Points scaled(Points points, dvec3 by) {
  for (auto& p : points)
    for (std::size_t k = 0; k < 3; ++k) p[k] *= by[static_cast<int>(k)];
  return points;
}

// A cube whose upper face is turned: its sides are no planes, so that there are faces that all but join.
Points twisted_cube(double angle) {
  Points points = kCube;
  for (auto& p : points)
    if (p[2] > 0.0)
      p = {p[0] * std::cos(angle) - p[1] * std::sin(angle), p[0] * std::sin(angle) + p[1] * std::cos(angle), p[2]};
  return points;
}

TEST_F(ConvexHullConvexHull, PrismOnPrismMeetsInTheSmallerBase) {
  const BodyPair pair{convex_hull(prism_hull(4, 1.0, 0.5), {}), convex_hull(prism_hull(4, 0.4, 0.1), {0.1, 0.2, 0.59})};
  expect_contacts(pair, {{{0.5, 0.2, 0.5}, {0, 0, -1}, 0.01},
                         {{0.1, 0.6, 0.5}, {0, 0, -1}, 0.01},
                         {{-0.3, 0.2, 0.5}, {0, 0, -1}, 0.01},
                         {{0.1, -0.2, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(ConvexHullConvexHull, TetrahedraTouchCornerOnFaceAndEdgeOnEdge) {
  const ConvexHull& upward = lasting_hull({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 1}});
  const ConvexHull& downward = lasting_hull({{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}, {0, 0, 0}});
  expect_contacts({convex_hull(box_hull({2, 2, 1}), {}), convex_hull(downward, {0.3, 0.1, 0.98})},
                  {{{0.3, 0.1, 1.0}, {0, 0, -1}, 0.02}});
  expect_contacts({convex_hull(upward, {}), convex_hull(downward, {0.0, 0.0, 1.03})},
                  {{{0, 0, 1.0}, {0, 0, -1}, -0.03}}, 0.05);
  const ConvexHull& roof = lasting_hull({{-1, -2, 0}, {1, -2, 0}, {-1, 2, 0}, {1, 2, 0}, {0, -2, 1}, {0, 2, 1}});
  const dquat over = turn({1, 1, 0}, 2.0 * kQuarter);  // upside down, and its ridge along x
  expect_contacts({convex_hull(roof, {}), convex_hull(roof, {0.3, 0.4, 1.99}, over)},
                  {{{0.0, 0.4, 1.0}, {0, 0, -1}, 0.01}});
}

TEST_F(ConvexHullConvexHull, FacesThatTouchExactlyHaveNoContactWithoutAMargin) {
  const BodyPair pair{convex_hull(box_hull({0.5, 0.5, 0.5}), {}), convex_hull(box_hull({0.5, 0.5, 0.5}), {0, 0, 1})};
  EXPECT_TRUE(contacts_of(pair).empty());
  const std::vector<Contact> found = contacts_of(pair, 0.01);
  ASSERT_EQ(found.size(), 4u);
  for (const Contact& c : found) EXPECT_EQ(c.depth, 0.0f);
}

TEST_F(ConvexHullConvexHull, EqualBodiesInOnePlaceHaveALeastNormal) {
  for (const Points& points : {kCube, prism(7, 0.5, 0.2), in_ball(32, 3), twisted_cube(1e-3)}) {
    const BodySpec body = convex_hull(lasting_hull(points), {1, 2, 3}, turn({1, 2, 3}, 0.7));
    const BodyPair pair{body, body};
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(holds(pair, found, 0.0, 5e-5, exact_overlap(pair)));
    // Of solids that are as wide between two faces as across them that of a face.
    if (points != kCube && points.size() != 14) continue;
    double nearest = 2.0;
    for (const HullFace& face : body.hull->faces)
      nearest = std::min(nearest, glm::distance(body.orientation * face.normal, normal_of(found[0])));
    EXPECT_LT(nearest, 1e-5);
  }
}

// Of the polygon that two coaxial prisms share, or one that is shifted by little, four points span the most where they
// are a square.
TEST_F(ConvexHullConvexHull, OfManyCornersFourSpanTheArea) {
  for (const int sides : {16, 24, 25, 48, 64, 200})
    for (const double turned : {0.0, 0.01, 0.4})
      for (const double aside : {0.0, 0.003}) {
        const BodyPair pair{convex_hull(prism_hull(sides, 0.5, 0.2), {}),
                            convex_hull(prism_hull(sides, 0.5, 0.2), {aside, 0, 0.399}, turn({0, 0, 1}, turned))};
        const std::vector<Contact> found = contacts_of(pair);
        ASSERT_EQ(found.size(), 4u) << sides;
        EXPECT_TRUE(holds(pair, found, 0.0, 5e-5, 0.001));
        // The circle within both has a square of 2 r^2.
        const double within = 0.5 * std::cos(M_PI / sides) - 0.5 * aside;
        EXPECT_GT(area_of(found), 0.95 * 2.0 * within * within) << sides << " " << turned;
      }
}

// The same seen from far aside: an ellipse 100 times as long as wide, askew to all axes.
TEST_F(ConvexHullConvexHull, FourSpanANarrowFaceOfManyCornersToo) {
  const Points narrow = changed(scaled(prism(64, 0.5, 0.2), {1.0, 0.01, 1.0}),
                                {{std::cos(0.7), std::sin(0.7), 0}, {-std::sin(0.7), std::cos(0.7), 0}, {0, 0, 1}}, {});
  const BodyPair pair{convex_hull(lasting_hull(narrow), {}), convex_hull(box_hull({2, 2, 0.5}), {0, 0, 0.699})};
  const std::vector<Contact> found = contacts_of(pair);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_GT(area_of(found), 0.95 * 2.0 * 0.5 * 0.005);
}

TEST_F(ConvexHullConvexHull, ALargerFloorChangesNothing) {
  const Points stone = scaled(in_ball(32, 11), {0.3, 0.3, 0.3});
  const BodyPair on_small{convex_hull(box_hull({1, 1, 0.5}), {}), convex_hull(lasting_hull(stone), {0.1, 0.2, 0.74})};
  const std::vector<Contact> expected = contacts_of(on_small, 0.02);
  ASSERT_FALSE(expected.empty());
  for (const double half : {2.0, 10.0, 50.0, 100.0}) {
    const BodyPair pair{convex_hull(box_hull({half, half, 0.5}), {}), on_small.second};
    const std::vector<Contact> found = contacts_of(pair, 0.02);
    ASSERT_EQ(found.size(), expected.size()) << half;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k].depth, expected[k].depth, 1e-5f) << half;
      EXPECT_LT(glm::distance(normal_of(found[k]), normal_of(expected[k])), 1e-6) << half;
    }
  }
}

TEST_F(ConvexHullConvexHull, BothOrdersAreOneResult) {
  std::vector<BodyPair> turned;
  const std::vector<BodyPair> pairs =
      hull_pairs(hull_at_rest(prism(6, 0.5, 0.8)), hull_at_rest(in_ball(20, 2)), 200, 17);
  for (const BodyPair& pair : pairs) turned.push_back({pair.second, pair.first});
  const auto found = contacts_of(pairs, 0.02), other = contacts_of(turned, 0.02);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    std::vector<ExpectedContact> expected;
    for (const Contact& c : other[k])
      expected.push_back({point_of(c) + normal_of(c) * static_cast<double>(c.depth), -normal_of(c), c.depth});
    // Which is the first one has turned round, for hulls are numbered as they come: of two faces that are as good as
    // equal the other one may be chosen.
    if (found[k].empty() != other[k].empty() ||
        (!found[k].empty() && glm::distance(normal_of(found[k][0]), -normal_of(other[k][0])) > 1e-5))
      EXPECT_LT(std::abs(exact_overlap(pairs[k]) + (found[k].empty() ? 0.02 : -found[k][0].depth)), 1e-4) << k;
    else
      EXPECT_TRUE(same_contacts(found[k], expected, {5e-5, 1e-4})) << k;
  }
}

TEST_F(ConvexHullConvexHull, FeaturesStayWhileAHullSlides) {
  std::vector<std::uint32_t> first;
  for (int frame = 0; frame < 50; ++frame) {
    const BodyPair pair{
        convex_hull(box_hull({1, 1, 1}), {}),
        convex_hull(prism_hull(4, 0.4, 0.2), {0.7 + 1e-4 * frame, 0.1 - 2e-4 * frame, 1.199 - 1e-5 * frame},
                    turn({0, 0, 1}, 0.2 + 1e-4 * frame))};
    std::vector<std::uint32_t> features;
    for (const Contact& c : contacts_of(pair)) features.push_back(c.feature);
    std::sort(features.begin(), features.end());
    ASSERT_EQ(features.size(), 4u);
    EXPECT_EQ(std::adjacent_find(features.begin(), features.end()), features.end());
    if (frame == 0) first = features;
    EXPECT_EQ(features, first) << frame;
  }
}

TEST_F(ConvexHullConvexHull, FuzzOfSolidsOfFewFacesAgreesWithTheDefinition) {
  const BodySpec cube = hull_at_rest(kCube);
  fuzz_hulls("cubes", cube, cube, 800);
  fuzz_hulls("tetrahedra", hull_at_rest(in_ball(4, 3)), hull_at_rest(in_ball(4, 4)), 800);
  fuzz_hulls("prisms", hull_at_rest(prism(6, 0.5, 0.8)), hull_at_rest(prism(5, 0.7, 0.1)), 800);
  fuzz_hulls("twisted", hull_at_rest(twisted_cube(1e-3)), hull_at_rest(twisted_cube(1e-5)), 800);
  fuzz_hulls("off centre", hull_at_rest(changed(kCube, dmat3(1.0), {3, -5, 0})), cube, 800);
}

TEST_F(ConvexHullConvexHull, FuzzOfSolidsOfManyVerticesAgreesWithTheDefinition) {
  fuzz_hulls("clouds", hull_at_rest(in_ball(40, 5)), hull_at_rest(in_ball(30, 6)), 200);
  fuzz_hulls("balls", hull_at_rest(on_sphere(32, 7)), hull_at_rest(on_sphere(32, 8)), 200);
  fuzz_hulls("fine balls", hull_at_rest(on_sphere(200, 7)), hull_at_rest(on_sphere(150, 8)), 16);
  fuzz_hulls("cylinders", hull_at_rest(prism(64, 0.5, 0.5)), hull_at_rest(prism(48, 0.6, 0.2)), 100);
  fuzz_hulls("2,000 vertices", hull_at_rest(on_sphere(2000, 9)), hull_at_rest(kCube), 100);
}

TEST_F(ConvexHullConvexHull, FuzzOfSliversAndNeedlesAgreesWithTheDefinition) {
  const Points plate = scaled(in_ball(12, 9), {1, 1, 1e-3}), needle = scaled(on_sphere(20, 10), {1e-2, 1e-2, 1}),
               shard = scaled(in_ball(5, 13), {1e-4, 30, 1}), spindle = scaled(on_sphere(24, 12), {40, 1, 1});
  fuzz_hulls("plates", hull_at_rest(plate), hull_at_rest(plate), 600);
  fuzz_hulls("plate and tetrahedron", hull_at_rest(plate), hull_at_rest(in_ball(4, 11)), 600);
  fuzz_hulls("needles", hull_at_rest(needle), hull_at_rest(needle), 300);
  fuzz_hulls("needle and slab", hull_at_rest(prism(7, 0.01, 2.0)), hull_at_rest(grid_on_box({1, 0.8, 0.01}, 2)), 600);
  fuzz_hulls("shards", hull_at_rest(shard), hull_at_rest(shard), 600);
  fuzz_hulls("shard and cube", hull_at_rest(shard), hull_at_rest(kCube), 900);
  fuzz_hulls("spindles", hull_at_rest(spindle), hull_at_rest(spindle), 200);
}

TEST_F(ConvexHullConvexHull, FuzzOfLargeSolidsAgreesWithTheDefinition) {
  fuzz_hulls("boxes", hull_at_rest(grid_on_box({25, 20, 30}, 2)), hull_at_rest(grid_on_box({28, 25, 20}, 2)), 600);
  fuzz_hulls("small on large", hull_at_rest(prism(5, 0.05, 0.05)), hull_at_rest(prism(9, 40, 10)), 600);
  fuzz_hulls("edges of 84 m", hull_at_rest(grid_on_box({0.05, 0.05, 42}, 2)), hull_at_rest(prism(3, 0.05, 42)), 900);
}

}  // namespace
}  // namespace oclide::test
