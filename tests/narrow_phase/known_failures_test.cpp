// What other engines are known to get wrong on height fields, each a test. The numbers are those of their reports.
#include <set>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class KnownFailures : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(KnownFailures);

// MuJoCo 689: fifty contacts, and the sphere flies away.
TEST_P(KnownFailures, SmallSphereFarFromAnyVertexOfATwoByTwoGridHasOneContact) {
  const Grid grid{2, 2, {-50.0, -50.0}, {100.0, 100.0}};
  for (const dvec3 c : {dvec3(7.3, 11.9, 0.049), dvec3(-20, 33, 0.03), dvec3(0, 0, 0.049)})
    EXPECT_TRUE(
        same_contacts(contacts(plane(grid, 0, 0), sphere(0.05, c)), {{{c.x, c.y, c.z - 0.05}, {0, 0, 1}, 0.05 - c.z}}));
}

// PhysX 435, MuJoCo 236: a limit on the contacts of a pair lets large bodies sink.
TEST_P(KnownFailures, LargeFlatBoxOnADenseGridKeepsItsFourCornersAndDoesNotSink) {
  const Grid grid{201, 221, {-11.0, -10.0}, {0.1, 0.1}};
  for (double gx : {0.0, 0.2}) {
    const Plane slope{gx, 0.0, 0.0};
    const dvec3 n = slope.normal();
    const dquat along = gx == 0.0 ? kUpright : turn(glm::cross(dvec3(0, 0, 1), n), std::acos(n.z));
    const BodySpec b = box({8.0, 6.0, 0.5}, n * 0.499, along);
    const std::vector<Contact> found = contacts(plane(grid, gx, 0), b);
    EXPECT_TRUE(same_contacts(found, plane_contacts(b, slope), {closed_form_tolerance(10.0), kClosedFormNormal}));
    EXPECT_EQ(found.size(), 4U);
  }
}

// PhysX 502: spheres piled up to the rim of a grid crash.
TEST_P(KnownFailures, SpheresOverTheRimNeitherCrashNorFallThrough) {
  const Grid grid{64, 64, {0.0, 0.0}, {1.0, 1.0}};
  TestScene scene(plane(grid, 0, 0));
  std::vector<bool> touches;
  for (int k = 0; k < 1800; ++k) {
    // Four sides, from half a metre outside to half a metre inside, ends and corners too.
    const double along = 63.0 * (k / 4) / 449.0, in = -0.5 + (k % 9) / 8.0;
    const dvec3 c = k % 4 == 0   ? dvec3(along, in, 0.3)
                    : k % 4 == 1 ? dvec3(along, 63.0 - in, 0.3)
                    : k % 4 == 2 ? dvec3(in, along, 0.3)
                                 : dvec3(63.0 - in, along, 0.3);
    scene.add(sphere(0.5, c));
    const double x = std::max({0.0, -c.x, c.x - 63.0}), y = std::max({0.0, -c.y, c.y - 63.0});
    touches.push_back(x * x + y * y + 0.09 < 0.25 - 1e-9);
  }
  const std::vector<Contact> found = contacts(scene);
  for (std::uint32_t k = 0; k < 1800; ++k) EXPECT_EQ(!of_body(found, k).empty(), touches[k]) << k;
}

// Newton 3982: pushed down, by a metre.
TEST_P(KnownFailures, ThinBoxWithItsCentreJustBelowTheSurfaceIsPushedUp) {
  for (double z : {-1e-5, -1e-3, -0.004, -0.02})
    for (const dquat& q : {kUpright, turn({1, 0, 0}, 0.01), turn({1, 1, 0}, 0.2)}) {
      const std::vector<Contact> found = contacts(plane({}, 0, 0), box({0.5, 0.4, 0.005}, {0.1, 0.2, z}, q));
      ASSERT_FALSE(found.empty());
      for (const Contact& c : found) {
        EXPECT_EQ(c.normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
        EXPECT_GT(c.depth, 0.0F);
        EXPECT_LT(c.depth, 0.2F);
      }
    }
}

// Newton 3773: 6.17 cm became 58.8 cm.
TEST_P(KnownFailures, SmallCylinderOnATriangleOfAHundredMetresHasItsDepthToTheMillimetre) {
  const Grid grid{2, 2, {-40.0, -100.0}, {100.0, 320.0}};
  for (double gx : {0.0, 0.05}) {
    const Plane slope{gx, 0.0, 0.0};
    const BodySpec b = cylinder(0.1, 0.2, {0.0, 0.0, 0.2 - 0.0617}, turn({0, 0, 1}, 0.3));
    const std::vector<Contact> found = contacts(plane(grid, gx, 0), b);
    double depth = 0.0;
    for (const ExpectedContact& c : plane_contacts(b, slope)) depth = std::max(depth, c.depth);
    EXPECT_NEAR(deepest(found), depth, kClosedForm);
  }
}

// MuJoCo Warp 825: with more than one height field bodies sink.
TEST_P(KnownFailures, SeveralTerrainsEachCarryTheirOwnBodies) {
  TestScene scene;
  for (int k = 0; k < 5; ++k) {
    const auto side = static_cast<std::size_t>(3 + 2 * k);
    scene.scene.terrains.push_back(plane({side, side + 1, {-2.0, -2.0}, {4.0, 3.0}}, 0, 0, 10.0 * k));
    scene.scene.environment_terrain.push_back(4 - k);
  }
  for (std::uint32_t e = 0; e < 5; ++e) {
    BodySpec b = box({0.3, 0.2, 0.1}, {0.5, 0.6, 10.0 * (4 - e) + 0.09});
    b.environment = e;
    scene.add(b);
  }
  const std::vector<Contact> found = contacts(scene);
  for (std::uint32_t e = 0; e < 5; ++e) {
    const std::vector<Contact> own = of_body(found, e);
    EXPECT_EQ(own.size(), 4U);
    EXPECT_NEAR(deepest(own), 0.01, kClosedForm);
  }
}

// MuJoCo 1164: a great elevation scale.
TEST_P(KnownFailures, VeryTallElevationsAreHeldToTheSameDepth) {
  const Grid grid{9, 9, {-4.0, -4.0}, {1.0, 1.0}};
  // A cliff of 8 km between two flats; on each of them, and on its face.
  const Terrain cliff = terrain_of(grid, [](double x, double) { return x > 0.5 ? 8000.0 : 0.0; });
  EXPECT_TRUE(same_contacts(contacts(cliff, sphere(0.5, {3.0, 0.1, 8000.4})), {{{3.0, 0.1, 7999.9}, {0, 0, 1}, 0.1}}));
  EXPECT_TRUE(contain(contacts(cliff, sphere(0.5, {-2.0, 0.1, 0.4})), {{{-2.0, 0.1, -0.1}, {0, 0, 1}, 0.1}}));
  const dvec3 n = Plane{8000.0, 0.0, 0.0}.normal();
  const BodySpec beside = sphere(0.5, {0.4375 - 0.4, 0.1, 3500.0});
  EXPECT_TRUE(contain(contacts(cliff, beside),
                      {{beside.position - 0.5 * n, n, 0.5 - Plane{8000.0, 0, 0}.distance(beside.position)}}));
}

// PhysX 226: thousands of bodies at one point.
TEST_P(KnownFailures, FiveThousandBodiesAtOnePointEachHaveTheSameContacts) {
  TestScene scene(rough({17, 19, {-4.0, -4.0}, {0.5, 0.5}}, 0.1, 3));
  for (int k = 0; k < 5000; ++k) scene.add(box({0.3, 0.2, 0.1}, {0.1, 0.2, 0.05}, turn({1, 2, 3}, 0.4)));
  const FrameContacts found = frame(scene);
  EXPECT_EQ(found.pairs, 5000U);
  const std::vector<Contact> first = of_body(found.contacts, 0);
  ASSERT_FALSE(first.empty());
  ASSERT_EQ(found.contacts.size(), 5000 * first.size());
  for (std::size_t k = 0; k < found.contacts.size(); ++k) {
    ASSERT_EQ(found.contacts[k].body_a, k / first.size());
    ASSERT_EQ(found.contacts[k].depth, first[k % first.size()].depth);
    ASSERT_EQ(found.contacts[k].feature, first[k % first.size()].feature);
  }
}

// Jolt 1922, Parry 254: edges between coplanar cells catch what slides over them.
TEST_P(KnownFailures, SlidingOverCoplanarCellsMeetsNoGhostEdges) {
  for (const Plane slope : {Plane{0, 0, 0}, Plane{0.3, 0.1, 1.7}, Plane{-0.77, 0.31, 0.1}}) {
    const dvec3 n = slope.normal();
    TestScene scene(plane({}, slope.gx, slope.gy, slope.z0));
    for (int k = 0; k < 300; ++k) {
      const double x = -1.5 + 0.01 * k, y = 0.3 + 0.003 * k;
      const dvec3 foot(x, y, slope.z0 + slope.gx * x + slope.gy * y);
      scene.add(capsule(0.2, 0.3, foot + 0.199 * n,
                        turn(glm::cross(dvec3(0, 0, 1), glm::cross(n, dvec3(0, 1, 0))), glm::radians(90.0))));
      scene.add(sphere(0.2, foot + 0.199 * n));
      scene.add(cylinder(0.2, 0.3, foot + 0.4 * n, random_orientation(*std::make_unique<std::mt19937_64>(k))));
      scene.add(box({0.2, 0.3, 0.25}, foot + 0.3 * n, random_orientation(*std::make_unique<std::mt19937_64>(k))));
    }
    const std::vector<Contact> found = contacts(scene);
    ASSERT_GT(found.size(), 900U);
    for (const Contact& c : found) ASSERT_LE(glm::distance(normal_of(c), n), kClosedFormNormal) << text(c);
  }
}

// Bullet 1022: an elongated thin box slips through a coarse height field.
TEST_P(KnownFailures, ThinLongBoxOnACoarseGridIsHeldByTheRidgeItLiesAcross) {
  const Grid grid{3, 5, {-20.0, -50.0}, {10.0, 50.0}};
  const Terrain ground = terrain_of(grid, [](double x, double) { return -0.2 * std::abs(x); });
  EXPECT_TRUE(contain(contacts(ground, box({5.0, 0.05, 0.02}, {0.3, 20.0, 0.015})),
                      {{{0.0, 20.05, -0.005}, {0, 0, 1}, 0.005}, {{0.0, 19.95, -0.005}, {0, 0, 1}, 0.005}}));
}

// Coal 879: contact points in the field's own frame instead of the world's.
TEST_P(KnownFailures, PointsAreInTheWorldWhereverTheGridBegins) {
  const Grid grid{5, 7, {123.0, -456.0}, {2.0, 3.0}};
  EXPECT_TRUE(same_contacts(contacts(plane(grid, 0, 0, 77.0), sphere(0.5, {127.3, -450.1, 77.4})),
                            {{{127.3, -450.1, 76.9}, {0, 0, 1}, 0.1}}));
}

// MuJoCo Warp 1555: a single contact that changes ends lets a lying cylinder rock.
TEST_P(KnownFailures, LyingCylinderKeepsTheSameTwoFeaturesWhileItRolls) {
  std::set<std::uint32_t> first;
  for (int k = 0; k < 5; ++k) {
    const std::vector<Contact> found = contacts(
        plane({}, 0, 0), cylinder(0.3, 0.4, {0.3, 0.2 + 0.005 * k, 0.2995}, kAlongX * turn({0, 0, 1}, 0.017 * k)));
    ASSERT_EQ(found.size(), 2U);
    const std::set<std::uint32_t> features{found[0].feature, found[1].feature};
    ASSERT_EQ(features.size(), 2U);
    if (k == 0) first = features;
    EXPECT_EQ(features, first);
  }
}

// Jolt 1539: a disc much wider than thick.
TEST_P(KnownFailures, WideDiscOnAPlaneRestsOnPointsAcrossItsWholeBase) {
  const std::vector<Contact> found = contacts(plane({}, 0, 0), cylinder(4.0, 0.01, {0.1, 0.2, 0.009}));
  ASSERT_EQ(found.size(), 4U);
  double wide = 0.0;
  for (const Contact& c : found) {
    EXPECT_NEAR(c.depth, 0.001, kClosedForm);
    for (const Contact& d : found) wide = std::max(wide, glm::distance(point_of(c), point_of(d)));
  }
  EXPECT_NEAR(wide, 8.0, closed_form_tolerance(8.0));
}

// MuJoCo 1143: the depth depends on the grid's fineness.
TEST_P(KnownFailures, TwoByTwoAndAHundredByAHundredGiveTheSameDepth) {
  for (const BodySpec& b :
       {sphere(0.3, {0.1, 0.2, 0.25}), box({0.3, 0.2, 0.1}, {0.1, 0.2, 0.05}, turn({1, 2, 3}, 0.3)),
        cylinder(0.3, 0.4, {0.1, 0.2, 0.25}, kAlongY), capsule(0.2, 0.4, {0.1, 0.2, 0.15}, kAlongX)}) {
    const double coarse = deepest(contacts(plane({2, 2, {-5.0, -5.0}, {10.0, 10.0}}, 0, 0), b));
    const double fine = deepest(contacts(plane({101, 101, {-5.0, -5.0}, {0.1, 0.1}}, 0, 0), b));
    EXPECT_EQ(coarse, fine) << to_string(b.shape);
  }
}

}  // namespace
}  // namespace oclide::test
