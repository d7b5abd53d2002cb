// Box against convex hull: poses of many solids against the reference's least penetration, and boxes as hulls.
#include "narrow_phase/hull_pairs.hpp"

namespace oclide::test {
namespace {

class BoxConvexHull : public PairTest {};

TEST_F(BoxConvexHull, BoxesAsHullsHaveTheContactsOfBoxes) {
  for (const SizeCase& size :
       {SizeCase{"any", {0.5, 0.3, 0.7}, {0.2, 0.4, 0.6}}, SizeCase{"cubes", {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},
        SizeCase{"slab", {2.0, 2.0, 0.02}, {0.4, 0.3, 0.5}},
        SizeCase{"tiny on huge", {0.05, 0.05, 0.05}, {20.0, 15.0, 10.0}}})
    for (const double margin : {0.0, 0.02}) {
      SCOPED_TRACE(size.name);
      expect_contacts_of_boxes(random_pairs(Shape::box, Shape::box, size, 1000, 5), margin,
                               size.name == "tiny on huge" ? 2e-5 : 5e-6);
    }
}

TEST_F(BoxConvexHull, StoneOnFloorStandsOnFourCorners) {
  const BodyPair pair{box({10, 10, 0.5}, {}), convex_hull(prism_hull(6, 0.5, 0.25), {1, 2, 0.74})};
  expect_deepest(pair, {0, 0, -1}, 0.01, 4);
  // Four of a hexagon's corners: opposite sides, or three sides and a diagonal.
  EXPECT_NEAR(area_of(contacts_of(pair)), 0.5 * std::sqrt(3.0) * 0.5, 1e-4);
}

TEST_F(BoxConvexHull, FuzzHasTheExactLeastPenetration) {
  const BodySpec cube = box({0.5, 0.5, 0.5}, {});
  fuzz_hulls("tetrahedron", cube, hull_at_rest(in_ball(4, 3)), 800);
  fuzz_hulls("prism", box({0.3, 0.5, 0.2}, {}), hull_at_rest(prism(6, 0.5, 0.8)), 800);
  fuzz_hulls("stone", cube, hull_at_rest(in_ball(32, 4)), 400);
  fuzz_hulls("needle", box({1, 0.8, 0.01}, {}), hull_at_rest(prism(7, 0.01, 2.0)), 600);
  fuzz_hulls("ball", cube, hull_at_rest(on_sphere(200, 5)), 60);
  fuzz_hulls("2,000 vertices", cube, hull_at_rest(on_sphere(2000, 5)), 40);
  fuzz_hulls("floor", box({50, 50, 1}, {}), hull_at_rest(in_ball(16, 6)), 400);
  fuzz_hulls("long", box({0.05, 0.05, 42}, {}), hull_at_rest(prism(3, 0.05, 42)), 600);
}

}  // namespace
}  // namespace oclide::test
