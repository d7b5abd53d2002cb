// What must not change when the scene is moved, turned or listed in another order.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class Equivariance : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(Equivariance);

constexpr int kBodies = 240;

// Bodies of all shapes about ground level within 6 m of the origin. Coordinates are multiples of 2^-16 m, so that they
// stay what they are 10 km away.
std::vector<BodySpec> some_bodies() {
  std::mt19937_64 random(44);
  std::uniform_real_distribution<double> across(-6.0, 6.0), height(-0.2, 0.6), size(0.05, 0.5);
  const auto coarse = [](double v) { return std::round(v * 65536.0) / 65536.0; };
  std::vector<BodySpec> bodies;
  for (int k = 0; k < kBodies; ++k) {
    const dvec3 p(coarse(across(random)), coarse(across(random)), coarse(height(random)));
    const dquat q = random_orientation(random);
    const double a = size(random), b = size(random), c = size(random);
    bodies.push_back(k % 4 == 0   ? sphere(a, p)
                     : k % 4 == 1 ? box({a, b, c}, p, q)
                     : k % 4 == 2 ? cylinder(a, b, p, q)
                                  : capsule(a, b, p, q));
  }
  return bodies;
}

Terrain some_ground(double x0, double y0, double z0) {
  Terrain t = rough({33, 37, {x0 - 8.0, y0 - 8.0}, {0.5, 0.5}}, 0.25, 45);
  for (double& h : t.heights) h = std::round(h * 65536.0) / 65536.0 + z0;
  open_cells(t, 0.05, 46);
  return t;
}

// Moves by whole cells and exactly held heights: only what is not held exactly may change, and nothing by more than
// this. Positions come back as doubles.
void expect_moved(const std::vector<Contact>& here, const std::vector<Contact>& there, dvec3 by) {
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t k = 0; k < here.size(); ++k) {
    ASSERT_EQ(here[k].body_a, there[k].body_a);
    ASSERT_LE(glm::distance(point_of(here[k]) + by, point_of(there[k])), 1e-9) << text(here[k]) << text(there[k]);
    ASSERT_EQ(here[k].normal, there[k].normal) << text(here[k]) << text(there[k]);
    ASSERT_EQ(here[k].depth, there[k].depth) << text(here[k]) << text(there[k]);
    ASSERT_EQ(here[k].feature, there[k].feature);
  }
}

TEST_P(Equivariance, MovedWithItsTerrainTheSceneHasTheSameContacts) {
  const std::vector<BodySpec> bodies = some_bodies();
  const std::vector<Contact> here = contacts(TestScene(some_ground(0, 0, 0), bodies));
  ASSERT_GT(here.size(), 100U);
  for (const dvec3 by : {dvec3(9000, -9000, 0), dvec3(-9000, 9000, 0), dvec3(0.5, 1.5, 0), dvec3(9000, 9000, 1024)}) {
    std::vector<BodySpec> moved = bodies;
    for (BodySpec& b : moved) b.position += by;
    const std::vector<Contact> there = contacts(TestScene(some_ground(by.x, by.y, by.z), moved));
    // The reference works in doubles whose steps are 2e-12 m out there.
    if (GetParam() == "reference") {
      ASSERT_EQ(here.size(), there.size());
      for (std::size_t k = 0; k < here.size(); ++k)
        ASSERT_TRUE(matches(there[k], {point_of(here[k]) + by, normal_of(here[k]), here[k].depth}, {1e-7, 1e-6}));
    } else {
      expect_moved(here, there, by);
    }
  }
}

TEST_P(Equivariance, FarOutWithHeightsThatNoFloatHoldsTheDepthIsThatOfTheFormula) {
  const dvec3 by(9000.3, -9000.7, 7999.123456789);
  for (const Plane slope : {Plane{0, 0, 0}, Plane{0.3, -0.2, 0}}) {
    TestScene scene(terrain_of({33, 37, {by.x - 8.0, by.y - 8.0}, {0.5, 0.5}}, [&](double x, double y) {
      return by.z + slope.gx * (x - by.x) + slope.gy * (y - by.y);
    }));
    std::vector<BodySpec> bodies = some_bodies();
    for (BodySpec& b : bodies) {
      b.position *= dvec3(0.5, 0.5, 1.0);
      b.position.z += slope.gx * b.position.x + slope.gy * b.position.y + 0.2;
      BodySpec moved = b;
      moved.position += by;
      scene.add(moved);
    }
    const std::vector<Contact> found = contacts(scene);
    ASSERT_GT(found.size(), 100U);
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      double depth = 0.0;
      for (const ExpectedContact& c : plane_contacts(bodies[k], slope)) depth = std::max(depth, c.depth);
      if (depth > kContract) {
        ASSERT_NEAR(deepest(of_body(found, k)), depth, kContract / 5) << k;
      }
    }
  }
}

TEST_P(Equivariance, TurnedByAQuarterAPlaneGivesTheTurnedContacts) {
  const dquat quarter = turn({0, 0, 1}, glm::radians(90.0));
  const Grid grid{41, 41, {-10.0, -10.0}, {0.5, 0.5}};
  std::vector<BodySpec> bodies = some_bodies();
  for (BodySpec& b : bodies) {
    b.position *= 0.5;
    b.position.z += 0.25 * b.position.x;
  }
  const std::vector<Contact> before = contacts(TestScene(plane(grid, 0.25, 0), bodies));
  for (BodySpec& b : bodies) {
    b.position = quarter * b.position;
    b.orientation = quarter * b.orientation;
  }
  const std::vector<Contact> after = contacts(TestScene(plane(grid, 0, 0.25), bodies));
  ASSERT_GT(before.size(), 100U);
  for (std::uint32_t k = 0; k < bodies.size(); ++k) {
    const std::vector<Contact> a = of_body(before, k), b = of_body(after, k);
    if (a.empty() && b.empty()) continue;
    // A contact less deep than the rounding may be on one side alone.
    ASSERT_NEAR(std::max(deepest(a), 0.0), std::max(deepest(b), 0.0), kClosedForm) << k;
    for (const Contact& c : b) {
      if (c.depth < kClosedForm) continue;
      ASSERT_LE(glm::distance(normal_of(c), quarter * dvec3(glm::normalize(dvec3(-0.25, 0, 1)))), kClosedFormNormal);
    }
  }
}

TEST_P(Equivariance, TheSameFrameTwiceHasTheSameBits) {
  const TestScene scene(some_ground(0, 0, 0), some_bodies());
  const std::vector<Contact> first = frame(scene).contacts;
  EXPECT_TRUE(same_bits(first, frame(scene).contacts));
  EXPECT_TRUE(same_bits(first, collider_on(GetParam()).collide(scene.poses()).contacts));
  EXPECT_GT(first.size(), 100U);
}

TEST_P(Equivariance, BodiesInAnotherOrderHaveTheSameContacts) {
  const std::vector<BodySpec> bodies = some_bodies();
  std::vector<std::uint32_t> order(bodies.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(47));
  std::vector<BodySpec> shuffled;
  for (std::uint32_t k : order) shuffled.push_back(bodies[k]);
  const std::vector<Contact> a = frame(TestScene(some_ground(0, 0, 0), bodies)).contacts;
  const std::vector<Contact> b = frame(TestScene(some_ground(0, 0, 0), shuffled)).contacts;
  ASSERT_EQ(a.size(), b.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    std::vector<Contact> of_a = of_body(a, order[k]), of_b = of_body(b, k);
    ASSERT_EQ(of_a.size(), of_b.size());
    for (std::size_t c = 0; c < of_a.size(); ++c) {
      of_b[c].body_a = of_a[c].body_a;
      of_b[c].manifold += of_a[0].manifold - of_b[0].manifold * (c == 0 ? 1U : 0U);
      if (c > 0) of_b[c].manifold -= of_body(b, k)[0].manifold;
    }
    ASSERT_TRUE(same_bits(of_a, of_b)) << k;
  }
}

TEST_P(Equivariance, ContactsAreOrderedByBodyAndManifoldsAreNumberedWithoutGaps) {
  const std::vector<Contact> found = frame(TestScene(some_ground(0, 0, 0), some_bodies())).contacts;
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].manifold, 0U);
  for (std::size_t k = 1; k < found.size(); ++k) {
    EXPECT_LE(found[k - 1].body_a, found[k].body_a);
    const bool another_body = found[k - 1].body_a != found[k].body_a;
    if (another_body) {
      EXPECT_EQ(found[k].manifold, found[k - 1].manifold + 1);
    } else {
      EXPECT_LE(found[k].manifold - found[k - 1].manifold, 1U);
    }
  }
}

}  // namespace
}  // namespace oclide::test
