// Sphere against half space: docs/body_contacts.md.
#include <cmath>

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

// A tilted plane too, whose orientation no quaternion of floats of unit length has: 4e-9 rad in 10 km, and rounding.
TEST_F(SphereHalfSpace, TiltedPlaneIsRightTenKilometresFromItsCentre) {
  std::mt19937_64 random(11);
  std::vector<BodyPair> pairs;
  for (int k = 0; k < 500; ++k) {
    const dquat q = random_orientation(random);
    const dvec3 aside = q * dvec3(10000.0 * std::cos(k), 10000.0 * std::sin(k), 0), n = q * dvec3(0, 0, 1);
    pairs.push_back({sphere(0.3, dvec3(0.1, 0.2, 0.3) + aside + 0.299 * n), half_space({0.1, 0.2, 0.3}, q)});
  }
  const std::vector<std::vector<Contact>> found = contacts_of(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    ASSERT_EQ(found[k].size(), 1U);
    EXPECT_NEAR(static_cast<double>(found[k][0].depth), 0.001, 5e-5);
  }
}

// Listed before its bodies the half space is A; the point is on it, not half a millimetre off.
TEST_F(SphereHalfSpace, HalfSpaceListedFirstHasItsPointsWhereTheyAre) {
  for (const bool half_space_first : {true, false}) {
    TestScene scene(std::vector<BodySpec>{});
    if (half_space_first) scene.add(half_space({0, 0, 0}));
    scene.add(sphere(0.3, {6000.123456, -7000.654321, 0.2}));
    if (!half_space_first) scene.add(half_space({0, 0, 0}));
    collider_on("opencl").set_scene(scene.scene);
    const std::vector<Contact> found = collider_on("opencl").collide(scene.poses()).contacts;
    const ExpectedContact as_sphere{{6000.123456, -7000.654321, -0.1}, {0, 0, 1}, 0.1};
    const ExpectedContact as_plane{{6000.123456, -7000.654321, 0.0}, {0, 0, -1}, 0.1};
    EXPECT_TRUE(same_contacts(found, {half_space_first ? as_plane : as_sphere}));
  }
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
