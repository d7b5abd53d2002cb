#include "narrow_phase/round_hull_pairs.hpp"

namespace oclide::test {
namespace {

class CapsuleConvexHull : public PairTest {};

TEST_F(CapsuleConvexHull, HoldsForAllHulls) {
  for (const NamedHull& hull : some_hulls())
    for (const BodySpec& round : {capsule(0.1, 0.4, {}), capsule(0.3, 0.01, {}), capsule(0.05, 2.0, {})})
      fuzz_round_hull(round, hull, 200, 2.5e-5);
}

TEST_F(CapsuleConvexHull, BoxOfCornersHasTheContactsOfABox) {
  expect_contacts_of_box(capsule(0.2, 0.4, {}), {0.5, 0.4, 0.3}, 800, kClosedForm);
}

}  // namespace
}  // namespace oclide::test
