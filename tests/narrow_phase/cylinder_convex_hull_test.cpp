#include "narrow_phase/round_hull_pairs.hpp"

namespace oclide::test {
namespace {

class CylinderConvexHull : public PairTest {};

TEST_F(CylinderConvexHull, HoldsForAllHulls) {
  for (const NamedHull& hull : some_hulls())
    for (const BodySpec& round : {cylinder(0.2, 0.3, {}), cylinder(0.5, 0.05, {}), cylinder(0.05, 2.0, {})})
      fuzz_round_hull(round, hull, 200, 2.5e-5);
}

TEST_F(CylinderConvexHull, BoxOfCornersHasTheContactsOfABox) {
  expect_contacts_of_box(cylinder(0.2, 0.4, {}), {0.5, 0.4, 0.3}, 800, kClosedForm);
}

}  // namespace
}  // namespace oclide::test
