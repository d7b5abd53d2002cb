// Sphere against half space: docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class SphereHalfSpace : public PairTest {};

TEST_F(SphereHalfSpace, TouchesAtItsLowestPoint) {
  expect_contacts({sphere(0.5, {3, -2, 0.4}), half_space({0, 0, 0})}, {{{3, -2, -0.1}, {0, 0, 1}, 0.1}});
  expect_contacts({sphere(0.5, {0, 0, -7}), half_space({0, 0, 0})}, {{{0, 0, -7.5}, {0, 0, 1}, 7.5}});
}

TEST_F(SphereHalfSpace, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of({sphere(0.5, {3, -2, 0.5}), half_space({0, 0, 0})}).empty());
  EXPECT_TRUE(contacts_of({sphere(0.5, {3, -2, 0.53}), half_space({0, 0, 0})}, 0.02).empty());
  expect_contacts({sphere(0.5, {3, -2, 0.53}), half_space({0, 0, 0})}, {{{3, -2, 0.03}, {0, 0, 1}, -0.03}}, 0.04);
}

// Kilometres from the half space's own centre the plane is where it was: level, and on its edge after quarter turns.
TEST_F(SphereHalfSpace, PlaneIsRightTenKilometresFromItsCentre) {
  for (const dquat& q : {kUpright, turn({1, 0, 0}, glm::radians(90.0)), turn({0, 1, 0}, glm::radians(-90.0)),
                         turn({1, 0, 0}, glm::radians(180.0))}) {
    const dvec3 n = q * dvec3(0, 0, 1), aside = q * dvec3(9000.1, -4000.7, 0);
    const BodyPair pair{sphere(0.3, dvec3(0.1, 0.2, 0.3) + aside + 0.299 * n), half_space({0.1, 0.2, 0.3}, q)};
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(static_cast<double>(found[0].depth), 0.001, 1e-6);
    EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
  }
}

TEST_F(SphereHalfSpace, HoldsForAllSizes) {
  fuzz(Shape::sphere, Shape::half_space, {{"half_metre", {0.5}, {}}, {"tiny", {0.05}, {}}, {"huge", {50.0}, {}}});
}

}  // namespace
}  // namespace oclide::test
