// Box against half space; half extents 1, 2, 0.5 above the plane z = 0: docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class BoxHalfSpace : public PairTest {};

BodyPair box_on_plane(double height, dquat orientation = kUpright) {
  return {box({1, 2, 0.5}, {3, 4, height}, orientation), half_space({0, 0, 0})};
}

TEST_F(BoxHalfSpace, StandingTouchesWithTheFourCornersOfItsFace) {
  for (const double depth : {1e-3, 0.3, 0.9, 1.3}) {
    const double z = -depth;
    expect_contacts(box_on_plane(0.5 - depth), {{{2, 2, z}, {0, 0, 1}, depth},
                                                {{4, 2, z}, {0, 0, 1}, depth},
                                                {{2, 6, z}, {0, 0, 1}, depth},
                                                {{4, 6, z}, {0, 0, 1}, depth}});
  }
}

TEST_F(BoxHalfSpace, OnEachFaceTheFeaturesAreItsCorners) {
  const std::array<dquat, 6> turns{kUpright,
                                   turn({1, 0, 0}, glm::radians(180.0)),
                                   turn({1, 0, 0}, glm::radians(90.0)),
                                   turn({1, 0, 0}, glm::radians(-90.0)),
                                   turn({0, 1, 0}, glm::radians(90.0)),
                                   turn({0, 1, 0}, glm::radians(-90.0))};
  const std::array<double, 6> heights{0.5, 0.5, 2.0, 2.0, 1.0, 1.0};
  for (std::size_t k = 0; k < 6; ++k) {
    const BodyPair pair = box_on_plane(heights[k] - 0.01, turns[k]);
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 4U) << text(found);
    for (const Contact& c : found) {
      const dvec3 corner = glm::inverse(turns[k]) * (point_of(c) - pair.first.position);
      EXPECT_EQ(c.feature >> 16, (corner.x > 0 ? 1U : 0U) + (corner.y > 0 ? 2U : 0U) + (corner.z > 0 ? 4U : 0U));
    }
  }
}

TEST_F(BoxHalfSpace, TiltedTouchesWithAnEdgeOrACorner) {
  const double a = 0.3, low = std::sin(a) * 1.0 + std::cos(a) * 0.5;
  const dvec3 at(3 - std::cos(a) + std::sin(a) * 0.5, 4, -0.01);
  expect_contacts(box_on_plane(low - 0.01, turn({0, 1, 0}, -a)),
                  {{at + dvec3(0, 2, 0), {0, 0, 1}, 0.01}, {at - dvec3(0, 2, 0), {0, 0, 1}, 0.01}});
  const dquat q = turn({1, 2, 3}, 0.7);
  const double reach = 1.0 * std::abs((q * dvec3(1, 0, 0)).z) + 2.0 * std::abs((q * dvec3(0, 1, 0)).z) +
                       0.5 * std::abs((q * dvec3(0, 0, 1)).z);
  expect_deepest(box_on_plane(reach - 0.01, q), {0, 0, 1}, 0.01, 1);
}

// Half a millimetre of tilt over the box's length: in at one side and out at the other; the patch has four corners.
TEST_F(BoxHalfSpace, FlatFaceThatIsHalfOutTouchesWhereItComesOut) {
  const double tilt = 5e-4, depth = 0.8e-3;
  for (const dquat& q : {turn({1, 0, 0}, tilt), turn({1, 0.4, 0}, tilt), turn({-0.2, 1, 0}, tilt)}) {
    BodyPair pair = box_on_plane(0.0, q);
    pair.first.position.z = least_overlap(pair) - depth;
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 4U) << text(found);
    EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm));
    double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
    for (const Contact& c : found) {
      const dvec3 p = point_of(c);
      x0 = std::min(x0, p.x), x1 = std::max(x1, p.x), y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
    }
    EXPECT_GT((x1 - x0) * (y1 - y0), 2.5);
  }
}

TEST_F(BoxHalfSpace, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of(box_on_plane(0.5)).empty());
  EXPECT_TRUE(contacts_of(box_on_plane(0.53), 0.02).empty());
  expect_deepest(box_on_plane(0.53), {0, 0, 1}, -0.03, 4, 0.04);
}

TEST_F(BoxHalfSpace, HoldsForAllSizes) {
  fuzz(Shape::box, Shape::half_space,
       {{"cube", {0.5, 0.5, 0.5}, {}},
        {"slab", {2.0, 1.5, 0.05}, {}},
        {"needle", {0.05, 0.05, 3.0}, {}},
        {"tiny", {0.05, 0.06, 0.07}, {}},
        {"huge", {50.0, 40.0, 30.0}, {}}});
}

}  // namespace
}  // namespace oclide::test
