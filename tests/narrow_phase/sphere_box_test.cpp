// Sphere against box; closed forms with the box at the origin, half extents 1, 2, 3: docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class SphereBox : public PairTest {};

BodyPair on_box(double radius, dvec3 centre) {
  return {sphere(radius, centre), box({1, 2, 3}, {0, 0, 0})};
}

TEST_F(SphereBox, AboveEachFaceTouchesAtTheCentresProjection) {
  for (int k = 0; k < 3; ++k)
    for (const double side : {1.0, -1.0}) {
      dvec3 n(0.0), centre(0.3, -0.4, 0.5);
      n[k] = side;
      centre[k] = side * (k + 1.4);
      expect_contacts(on_box(0.5, centre), {{centre - 0.5 * n, n, 0.1}});
    }
}

TEST_F(SphereBox, BeyondAnEdgeOrACornerTouchesItsNearestPoint) {
  expect_contacts(on_box(0.6, {1.3, 2.4, 0.5}), {{{0.94, 1.92, 0.5}, {0.6, 0.8, 0}, 0.1}});
  const dvec3 n = dvec3(-1, 2, -2) / 3.0;
  expect_contacts(on_box(0.35, dvec3(-1, 2, -3) + 0.3 * n), {{dvec3(-1, 2, -3) - 0.05 * n, n, 0.05}});
}

TEST_F(SphereBox, CentreInsideLeavesThroughTheNearestFace) {
  expect_contacts(on_box(0.25, {0.8, 0.1, 0.2}), {{{0.55, 0.1, 0.2}, {1, 0, 0}, 0.45}});
  expect_contacts(on_box(0.25, {0.2, -1.9, 0.2}), {{{0.2, -1.65, 0.2}, {0, -1, 0}, 0.35}});
  expect_contacts(on_box(0.25, {0.2, 0.3, 2.7}), {{{0.2, 0.3, 2.45}, {0, 0, 1}, 0.55}});
}

// All six faces of a cube are as near; the +x face has the lowest number.
TEST_F(SphereBox, ConcentricLeavesThroughTheFirstFace) {
  expect_contacts({sphere(0.5, {0, 0, 0}), box({1, 1, 1}, {0, 0, 0})}, {{{-0.5, 0, 0}, {1, 0, 0}, 1.5}});
  expect_contacts(on_box(5.0, {0, 0, 0}), {{{-5, 0, 0}, {1, 0, 0}, 6.0}});
}

TEST_F(SphereBox, NormalTurnsToTheFaceAsTheCentreComesToTheSurface) {
  for (const double z : {3.0 + 1e-3, 3.0 + 1e-6, 3.0, 3.0 - 1e-6})
    expect_contacts(on_box(0.5, {0.1, 0.2, z}), {{{0.1, 0.2, z - 0.5}, {0, 0, 1}, 3.5 - z}});
}

TEST_F(SphereBox, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  EXPECT_TRUE(contacts_of(on_box(0.5, {0, 0, 3.5})).empty());
  EXPECT_TRUE(contacts_of(on_box(0.5, {0, 0, 3.53}), 0.02).empty());
  expect_contacts(on_box(0.5, {0, 0, 3.53}), {{{0, 0, 3.03}, {0, 0, 1}, -0.03}}, 0.04);
}

TEST_F(SphereBox, HoldsForAllSizes) {
  fuzz(Shape::sphere, Shape::box,
       {{"cube", {0.5}, {0.5, 0.5, 0.5}},
        {"slab", {0.3}, {2.0, 1.5, 0.05}},
        {"needle", {0.3}, {0.05, 0.05, 3.0}},
        {"tiny_on_huge", {0.05}, {50.0, 40.0, 30.0}},
        {"huge_on_tiny", {50.0}, {0.05, 0.06, 0.07}}});
}

}  // namespace
}  // namespace oclide::test
