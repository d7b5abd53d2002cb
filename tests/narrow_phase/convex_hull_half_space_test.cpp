// Convex hull against half space: docs/convex_hulls.md.
#include <algorithm>

#include "narrow_phase/hull_pairs.hpp"

namespace oclide::test {
namespace {

class ConvexHullHalfSpace : public PairTest {};

std::vector<float> depths(const std::vector<Contact>& contacts) {
  std::vector<float> sorted;
  for (const Contact& c : contacts) sorted.push_back(c.depth);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

TEST_F(ConvexHullHalfSpace, BoxesAsHullsHaveTheContactsOfBoxes) {
  for (const dvec3 size : {dvec3(1, 2, 0.5), dvec3(0.3, 0.4, 0.5), dvec3(0.01, 0.02, 2)}) {
    const std::vector<BodyPair> boxes = hull_pairs(box(size, {}), half_space({}), 400, 3);
    std::vector<BodyPair> hulls = boxes;
    for (BodyPair& pair : hulls) pair.first = convex_hull(box_hull(size), pair.first.position, pair.first.orientation);
    for (const double margin : {0.0, 0.01}) {
      const auto expected = contacts_of(boxes, margin), found = contacts_of(hulls, margin);
      std::size_t touching = 0;
      for (std::size_t k = 0; k < boxes.size(); ++k) {
        const auto depths_of = depths(found[k]), as_box = depths(expected[k]);
        ASSERT_EQ(depths_of.size(), as_box.size()) << k << " " << margin;
        std::vector<ExpectedContact> inside;
        for (std::size_t i = 0; i < as_box.size(); ++i) {
          EXPECT_NEAR(depths_of[i], as_box[i], 2e-6f) << k << " " << margin;
          // Depths tell little of where a flat side comes out.
          const Contact& c = expected[k][i];
          if (c.depth + margin > 2e-3 * (as_box.back() + margin))
            inside.push_back({point_of(c), normal_of(c), c.depth});
        }
        EXPECT_TRUE(contain(found[k], inside, {1e-5, 1e-6})) << k << " " << margin;
        touching += found[k].empty() ? 0 : 1;
        if (HasFailure()) return;
      }
      EXPECT_GT(touching, boxes.size() / 2);
    }
  }
}

TEST_F(ConvexHullHalfSpace, OfManyCornersFourSpanTheArea) {
  for (const int sides : {8, 24, 25, 64, 500}) {
    const BodyPair pair{convex_hull(prism_hull(sides, 0.5, 0.2), {3, 4, 0.199}), half_space({})};
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 4u) << sides;
    EXPECT_TRUE(holds(pair, found, 0.0, 1e-5, 0.001));
    EXPECT_GT(area_of(found), 0.97 * 0.5) << sides;
  }
}

TEST_F(ConvexHullHalfSpace, FlatFaceThatIsHalfOutTouchesWhereItComesOut) {
  for (const int sides : {5, 64}) {
    BodyPair pair{convex_hull(prism_hull(sides, 0.5, 0.2), {}, turn({0.3, 1, 0}, 5e-4)), half_space({})};
    pair.first.position.z = least_overlap(pair) - 2e-4;
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 4u) << text(found);
    EXPECT_TRUE(holds(pair, found, 0.0, 1e-5));
    // About half of the base.
    EXPECT_GT(area_of(found), 0.1);
  }
}

TEST_F(ConvexHullHalfSpace, VertexDownTouchesThere) {
  const ConvexHull& spike = lasting_hull({{0, 0, -2}, {0.03, 0, 0}, {-0.02, 0.02, 0}, {-0.02, -0.02, 0}});
  expect_contacts({convex_hull(spike, {1, 2, 1.99}), half_space({})}, {{{1, 2, -0.01}, {0, 0, 1}, 0.01}});
}

TEST_F(ConvexHullHalfSpace, FuzzAgreesWithTheDefinition) {
  fuzz_hulls("tetrahedron", hull_at_rest(in_ball(4, 3)), half_space({}), 800);
  fuzz_hulls("prism", hull_at_rest(prism(7, 0.5, 0.8)), half_space({}), 800);
  fuzz_hulls("stone", hull_at_rest(in_ball(32, 4)), half_space({}), 800);
  fuzz_hulls("fine prism", hull_at_rest(prism(64, 0.5, 0.2)), half_space({}), 800);
  fuzz_hulls("off centre", hull_at_rest(changed(in_ball(32, 4), dmat3(1.0), {5, 3, -4})), half_space({}), 800);
  fuzz_hulls("large", hull_at_rest(prism(9, 40, 10)), half_space({}), 800);
  fuzz_hulls("2,000 vertices", hull_at_rest(on_sphere(2000, 5)), half_space({}), 100);
}

}  // namespace
}  // namespace oclide::test
