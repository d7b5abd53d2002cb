// Kind 6 by itself: bodies so deep in a small patch of ground that no way out leads anywhere but up.
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class LiftTerrain : public OnEachDevice {
 protected:
  void expect_lift(const Terrain& ground, const BodySpec& body, double depth) {
    const std::vector<Contact> found = contacts(ground, body);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
    EXPECT_NEAR(found[0].depth, depth, closed_form_tolerance(kDeep));
    EXPECT_NEAR(found[0].point[0], body.position.x, 1e-4);
  }

  static constexpr double kDeep = 4.0;
};
OCLIDE_ON_EACH_DEVICE(LiftTerrain);

constexpr double kSlope = 0.4, kAlong = -0.6;

// One cell to either side of an edge from (0, -1) to (0, 1), which rises along y; away from it the ground falls.
Terrain roof(double fall) {
  return terrain_of({2, 3, {-1.0, -1.0}, {1.0, 2.0}},
                    [&](double x, double y) { return kSlope * y - fall * std::abs(x); });
}

// The lowest points along the normals to both sides of the edge are each over the other side's element, so that the
// edge alone has the greatest gap, however little the ground bends there.
TEST_P(LiftTerrain, OverARidgeThatBendsLittleTheGapOfTheRidgeCounts) {
  const dvec3 centre(0.0, kAlong, kSlope * kAlong - kDeep);
  const double slant = std::sqrt(1.0 + kSlope * kSlope);
  for (const double fall : {1e-5, 5e-5, 1e-4, 2e-4, 1e-3, 0.1}) {
    SCOPED_TRACE(fall);
    const Terrain ground = roof(fall);
    expect_lift(ground, sphere(0.3, centre), kDeep + 0.3 * slant);
    expect_lift(ground, capsule(0.2, 0.5, centre), kDeep + 0.5 + 0.2 * slant);
    expect_lift(ground, cylinder(0.3, 0.5, centre), kDeep + 0.5 + 0.3 * kSlope);
    // Across the edge lies the box's lowest one.
    expect_lift(ground, box({0.5, 0.2, 0.2}, centre, turn({1, 0, 0}, glm::radians(45.0))),
                kDeep + 0.2 * std::sqrt(2.0));
  }
}

// The same ground without a bend, and with one the other way: the gap is what the plane makes it, and never less than
// that of the edge.
TEST_P(LiftTerrain, OverAnEdgeThatIsNoRidgeTheGapIsThatOfThePlane) {
  const dvec3 centre(0.003, kAlong, kSlope * kAlong - kDeep);
  const double slant = std::sqrt(1.0 + kSlope * kSlope);
  for (const double fall : {0.0, -1e-6, -1e-5, -1e-4}) {
    SCOPED_TRACE(fall);
    const Terrain ground = roof(fall);
    expect_lift(ground, sphere(0.3, centre), kDeep + 0.3 * slant);
    expect_lift(ground, cylinder(0.3, 0.5, centre), kDeep + 0.5 + 0.3 * kSlope);
  }
}

}  // namespace
}  // namespace oclide::test
