// Kind 6 by itself: bodies so deep in a small patch of ground that no way out leads anywhere but up.
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class LiftTerrain : public OnEachDevice {
 protected:
  // The scene's body has one contact, upwards at this x.
  void expect_lift(const TestScene& scene, double depth, double x) {
    const std::vector<Contact> found = contacts(scene);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
    EXPECT_NEAR(found[0].depth, depth, closed_form_tolerance(depth));
    EXPECT_NEAR(found[0].point[0], x, 1e-4);
  }
  void expect_lift(const Terrain& ground, const BodySpec& body, double depth) {
    expect_lift(TestScene(ground, {body}), depth, body.position.x);
  }
};
OCLIDE_ON_EACH_DEVICE(LiftTerrain);

constexpr double kDeep = 4.0, kSlope = 0.4, kAlong = -0.6;

// One cell to either side of an edge from (0, -1) to (0, 1), which rises along y; away from it the ground falls.
Terrain roof(double fall, double slope = kSlope) {
  return terrain_of({2, 3, {-1.0, -1.0}, {1.0, 2.0}},
                    [&](double x, double y) { return slope * y - fall * std::abs(x); });
}

// The greatest gap between the line z = slope * y over x = 0 and a box: over a point where one of its edges crosses x =
// 0.
double gap_over_box(const BodySpec& b, double slope) {
  double greatest = -1e30;
  auto corner = [&](int k) {
    const dvec3 side(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
    return b.position + b.orientation * (side * dvec3(b.size[0], b.size[1], b.size[2]));
  };
  for (int k = 0; k < 8; ++k)
    for (const int axis : {1, 2, 4}) {
      const dvec3 p = corner(k), q = corner(k ^ axis);
      if (p.x < 0.0 || q.x > 0.0 || p.x == q.x) continue;
      const dvec3 at = p + (q - p) * (p.x / (p.x - q.x));
      greatest = std::max(greatest, slope * at.y - at.z);
    }
  return greatest;
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

// A face of the body that is all but in line with the edge: between the corners that are lowest to either side of the
// edge lies the face, whose rim has the greatest gap. The steeper the edge is, the more of it.
TEST_P(LiftTerrain, OverAFaceNearlyInLineWithTheEdgeTheGapOfItsRimCounts) {
  constexpr double kSteep = 20.0;
  const Terrain ground = roof(1.0, kSteep);
  const double rise = std::atan(kSteep);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (const double lean : {0.0, 1e-6, 1e-5, 5e-5, 1e-4, 2e-4, 4e-4, 1e-3, 1e-2})
    for (int k = 0; k < 12; ++k) {
      SCOPED_TRACE(std::to_string(lean) + ", " + std::to_string(k));
      // Turned about the normal of the face, leaning a little across the edge, and along it.
      const dquat orientation = turn({1, 0, 0}, rise + lean * part(random)) * turn({0, 1, 0}, 0.003 * part(random)) *
                                turn({0, 0, 1}, 3.0 * part(random));
      const dvec3 centre(0.05 * part(random), kAlong, kSteep * kAlong - 10.0 * kDeep);
      const BodySpec b = box({3.0, 2.0, 0.1}, centre, orientation);
      const double depth = gap_over_box(b, kSteep);
      expect_lift(TestScene(ground, {b}), depth, 0.0);
      TestScene hull(ground);
      hull.scene.hulls.emplace_back();
      for (int c = 0; c < 8; ++c)
        hull.scene.hulls[0].push_back({c & 1 ? 3.0 : -3.0, c & 2 ? 2.0 : -2.0, c & 4 ? 0.1 : -0.1});
      hull.add({Shape::convex_hull, {}, centre, orientation});
      expect_lift(hull, depth, 0.0);
    }
}

// Over the border of level ground the greatest gap may be at the rim of the body's outline, where a move straight up
// leaves it: rounding, which steps of 1e-7 m bring about here, has no say in that.
TEST_P(LiftTerrain, AtTheRimOfTheBodyTheGapCountsWhateverRoundingSays) {
  const Terrain ground = plane({2, 3, {-8.0, -4.0}, {4.0, 8.0}}, 0.0, 0.0);
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> x(-0.3, 0.4), z(-0.35, 0.0);
  int over_border = 0;
  for (int k = 0; k < 210; ++k) {
    const double u = x(random), w = z(random);
    const dquat q = random_orientation(random);
    TestScene scene(ground);
    scene.scene.hulls = {{{0.5, 0.1, 0.1}, {-0.4, 0.3, 0.1}, {-0.3, -0.5, 0.1}, {0.2, -0.1, -0.2}, {0.1, 0.4, 0.0}}};
    constexpr int kSteps = 24;
    for (int step = 0; step < kSteps; ++step) {
      const dvec3 at(u + 1e-7 * step, 0.0, w);
      scene.add(k % 3 == 0   ? box({0.48, 0.5, 0.12}, at, q)
                : k % 3 == 1 ? cylinder(0.5, 0.1, at, q)
                             : BodySpec{Shape::convex_hull, {}, at, q});
    }
    const std::vector<Contact> found = contacts(scene);
    std::vector<ExpectedContact> expected;
    for (const Contact& c : of_body(found, 0))
      expected.push_back({point_of(c), normal_of(c), static_cast<double>(c.depth)});
    over_border += !expected.empty() && expected[0].normal.z == 1.0 && std::abs(expected[0].point.x) < 1e-5 ? 1 : 0;
    for (std::uint32_t step = 1; step < kSteps; ++step)
      EXPECT_TRUE(same_contacts(of_body(found, step), expected, {2e-5, 1e-4})) << k << ", step " << step;
  }
  EXPECT_GT(over_border, 20);
}

}  // namespace
}  // namespace oclide::test
