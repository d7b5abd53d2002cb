// Depths, normals and manifolds of pairs by formula, and what holds for any pair.
#include <algorithm>
#include <glm/gtc/quaternion.hpp>
#include <set>

#include "hulls/point_clouds.hpp"
#include "reference/two_bodies.hpp"

namespace oclide::test {
namespace {

// Exchanged, the pair has the same depth and the opposite normal.
void expect_pair(const OneBody& a, const OneBody& b, double depth, dvec3 normal, double tolerance = kRounding) {
  const auto found = penetration(a, b), turned = penetration(b, a);
  EXPECT_NEAR(found.depth, depth, tolerance);
  expect_near(found.normal, glm::normalize(normal), 1e-5);
  EXPECT_NEAR(turned.depth, depth, tolerance);
  expect_near(turned.normal, -glm::normalize(normal), 1e-5);
}

// The places of contacts, in any order; all of one depth.
void expect_contacts(const OneBody& a, const OneBody& b, double depth, std::vector<dvec3> points,
                     double tolerance = 1e-6) {
  const auto found = manifold(a, b);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->contacts.size(), points.size());
  for (const PairContact& c : found->contacts) {
    EXPECT_NEAR(c.depth, depth, tolerance);
    const auto same =
        std::find_if(points.begin(), points.end(), [&](dvec3 p) { return glm::distance(p, c.point) <= tolerance; });
    if (same == points.end()) {
      ADD_FAILURE() << "unexpected contact at " << c.point.x << " " << c.point.y << " " << c.point.z;
    } else {
      points.erase(same);
    }
  }
}

TEST(SpherePairs, TouchOnTheLineOfCentres) {
  expect_pair(ball(0.5, {0, 0, 0}), ball(0.7, {0.6, 0.8, 0}), 0.2, {-0.6, -0.8, 0});
  expect_pair(ball(0.5, {0, 0, 0}), ball(0.7, {3, 4, 0}), -3.8, {-0.6, -0.8, 0});
  expect_contacts(ball(0.5, {0, 0, 0}), ball(0.7, {1, 0, 0}), 0.2, {{0.5, 0, 0}});
}

TEST(SpherePairs, CoincidentCentresPointUp) {
  const auto found = penetration(ball(0.5, {1, 2, 3}), ball(0.2, {1, 2, 3}));
  expect_near(found.normal, kUp);
  EXPECT_NEAR(found.depth, 0.7, kRounding);
}

TEST(SpherePairs, BoxIsLeftByFaceEdgeCornerAndFromInside) {
  const OneBody box = block({1, 2, 3}, {0, 0, 0});
  expect_pair(ball(0.5, {1.2, 0.3, -1}), box, 0.3, {1, 0, 0});
  expect_pair(ball(0.5, {1.3, 2.4, 1}), box, 0.0, {3, 4, 0});
  expect_pair(ball(2.0, {2, 3, -4}), box, 2.0 - std::sqrt(3.0), {1, 1, -1});
  expect_pair(ball(0.5, {0.1, -1.8, 0}), box, 0.7, {0, -1, 0});
}

TEST(SpherePairs, CylinderIsLeftBySideBaseRimAndFromInside) {
  const OneBody cylinder = drum(1.0, 2.0, {0, 0, 0});
  expect_pair(ball(0.5, {0.6, 1.2, 1}), cylinder, 1.5 - std::sqrt(1.8), {1, 2, 0});
  expect_pair(ball(0.5, {0.3, 0.2, -2.4}), cylinder, 0.1, {0, 0, -1});
  expect_pair(ball(0.6, {1.3, 0, 2.4}), cylinder, 0.1, {3, 0, 4});
  expect_pair(ball(0.5, {0.2, 0, 1.9}), cylinder, 0.6, {0, 0, 1});
  expect_pair(ball(0.5, {0, 0.9, 0}), cylinder, 0.6, {0, 1, 0});
  expect_pair(ball(0.5, {0, 0, 0}), cylinder, 1.5, {1, 0, 0});
}

TEST(SpherePairs, CapsuleIsLeftByItsSegment) {
  const OneBody capsule = pill(0.5, 1.0, {0, 0, 0}, kAlongX);
  expect_pair(ball(0.5, {0.7, 0, 0.8}), capsule, 0.2, {0, 0, 1});
  expect_pair(ball(0.5, {1.6, 0.8, 0}), capsule, 0.0, {3, 4, 0});
}

TEST(SpherePairs, ACentreOnAnAxisThatIsNotTheWorldsLeavesAcrossTheAxis) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 200; ++k) {
    const Quaternion q = random_turn(random);
    const OneBody cylinder = drum(0.3, 40.0, {5, 6, 7}, q), capsule = pill(0.3, 40.0, {5, 6, 7}, q);
    const dvec3 axis = cylinder.body().axis();
    for (const OneBody& body : {cylinder, capsule}) {
      const auto found = penetration(ball(0.2, body.position + 0.17 * k * axis), body);
      EXPECT_NEAR(found.depth, 0.5, 1e-8);
      EXPECT_NEAR(glm::dot(found.normal, axis), 0.0, 1e-8);
    }
  }
}

TEST(HalfSpacePairs, DeepestPointIsAlongThePlanesNormal) {
  const OneBody ground = floor_at({5, 6, 1});
  expect_pair(ball(0.5, {0, 0, 1.4}), ground, 0.1, kUp);
  expect_pair(block({1, 2, 3}, {0, 0, 3.5}), ground, 0.5, kUp);
  expect_pair(drum(0.5, 2.0, {0, 0, 1.4}, kAlongX), ground, 0.1, kUp);
  expect_pair(pill(0.5, 2.0, {0, 0, 3.4}), ground, 0.1, kUp);
  expect_pair(drum(3.0, 4.0, {0, 0, 0}, turn({0, 1, 0}, std::atan2(3.0, 4.0))), ground, 1.0 + 4.0 * 0.8 + 3.0 * 0.6,
              kUp);
}

TEST(HalfSpacePairs, LieOnFourTwoOrOnePoints) {
  const OneBody ground = floor_at({0, 0, 0});
  expect_contacts(block({1, 2, 3}, {0, 0, 2.9}), ground, 0.1,
                  {{1, 2, -0.1}, {1, -2, -0.1}, {-1, 2, -0.1}, {-1, -2, -0.1}});
  expect_contacts(drum(0.5, 2.0, {1, 0, 0.4}, kAlongX), ground, 0.1, {{-1, 0, -0.1}, {3, 0, -0.1}});
  expect_contacts(pill(0.5, 2.0, {1, 0, 0.4}, kAlongX), ground, 0.1, {{-1, 0, -0.1}, {3, 0, -0.1}});
  expect_contacts(pill(0.5, 2.0, {1, 0, 2.4}), ground, 0.1, {{1, 0, -0.1}});
  const auto base = manifold(drum(0.5, 2.0, {1, 0, 1.9}), ground);
  ASSERT_EQ(base->contacts.size(), 4u);
  for (const PairContact& c : base->contacts) {
    EXPECT_NEAR(glm::distance(dvec2(c.point), dvec2(1, 0)), 0.5, kRounding);
    EXPECT_NEAR(c.depth, 0.1, kRounding);
  }
}

TEST(HalfSpacePairs, TheHalfSpaceAsAHasPointsOnItsPlane) {
  const auto found = manifold(floor_at({0, 0, 0}), block({1, 2, 3}, {0, 0, 2.9}));
  ASSERT_EQ(found->contacts.size(), 4u);
  expect_near(found->normal, -kUp);
  for (const PairContact& c : found->contacts) EXPECT_NEAR(c.point.z, 0.0, kRounding);
}

TEST(BoxPairs, BoxOnBoxFaceToFaceSharesARectangle) {
  const OneBody lower = block({1, 1, 0.5}, {0, 0, 0}), upper = block({1, 1, 0.5}, {0.6, 0.2, 0.95});
  expect_pair(upper, lower, 0.05, kUp);
  expect_contacts(upper, lower, 0.05, {{-0.4, -0.8, 0.45}, {1, -0.8, 0.45}, {1, 1, 0.45}, {-0.4, 1, 0.45}});
}

TEST(BoxPairs, EdgesThatCrossTouchInOnePoint) {
  // An edge up along x, an edge down along y, 0.1 into each other.
  const double reach = std::sqrt(2.0);
  const OneBody lower = block({3, 1, 1}, {0, 0, 0}, turn({1, 0, 0}, kHalfTurn / 4.0));
  const OneBody upper = block({1, 3, 1}, {0.2, 0.3, 2.0 * reach - 0.1}, turn({0, 1, 0}, kHalfTurn / 4.0));
  expect_pair(upper, lower, 0.1, kUp);
  expect_contacts(upper, lower, 0.1, {{0.2, 0, reach - 0.1}});
}

TEST(BoxPairs, CornersApartHaveTheirDistance) {
  expect_pair(block({1, 1, 1}, {0, 0, 0}), block({1, 1, 1}, {3, 4, 3}), -std::sqrt(6.0), {-1, -2, -1});
}

TEST(BoxPairs, CoincidentBoxesGoTheShortestWay) {
  const auto found = penetration(block({1, 2, 3}, {0, 0, 0}), block({0.5, 4, 3}, {0, 0, 0}));
  EXPECT_NEAR(found.depth, 1.5, kRounding);
  EXPECT_NEAR(std::abs(found.normal.x), 1.0, kRounding);
}

TEST(BoxPairs, ALyingCylinderHasTheTwoEndsOverTheBox) {
  const OneBody box = block({1, 1, 0.5}, {0, 0, 0}), cylinder = drum(0.4, 2.0, {0.5, 0.3, 0.85}, kAlongX);
  expect_pair(box, cylinder, 0.05, -kUp);
  expect_contacts(cylinder, box, 0.05, {{-1, 0.3, 0.45}, {1, 0.3, 0.45}});
}

TEST(BoxPairs, AnEdgeAcrossACylinderTouchesItInOnePoint) {
  // The box stands on an edge along y over the cylinder along x.
  const OneBody cylinder = drum(0.5, 2.0, {0, 0, 0}, kAlongX);
  const OneBody box = block({1, 2, 1}, {0.3, 0.1, 0.5 + std::sqrt(2.0) - 0.02}, turn({0, 1, 0}, kHalfTurn / 4.0));
  expect_pair(box, cylinder, 0.02, kUp);
  expect_contacts(box, cylinder, 0.02, {{0.3, 0, 0.48}});
}

TEST(BoxPairs, AWideRollerBesideANarrowFaceTouchesItsBorder) {
  // The roller's lowest line passes the face on the outside, by less than rounding tells in the depth.
  const OneBody box = block({0.35, 3.0, 0.6}, {0, 0, 0}), roller = pill(35.0, 5.0, {0.351, 0, 35.59}, kAlongY);
  const auto found = manifold(box, roller);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->depth, 0.01, 1e-6);
  for (const PairContact& c : found->contacts) {
    EXPECT_NEAR(box.body().signed_distance(c.point), 0.0, 1e-5);
    EXPECT_NEAR(roller.body().signed_distance(c.point + c.depth * found->normal - roller.position), 0.0, 1e-5);
  }
}

TEST(BoxPairs, ACapsuleInsideLeavesThroughTheNearestFace) {
  expect_pair(pill(0.1, 0.3, {0.2, 0.1, 1.5}, kAlongX), block({2, 2, 2}, {0, 0, 0}), 0.6, kUp);
}

TEST(CylinderPairs, StackedDiscsShareALens) {
  const auto found = manifold(drum(1.0, 0.5, {1.0, 0, 0.95}), drum(1.0, 0.5, {0, 0, 0}));
  ASSERT_EQ(found->contacts.size(), 4u);
  expect_near(found->normal, kUp);
  for (const PairContact& c : found->contacts) {
    EXPECT_NEAR(c.depth, 0.05, kRounding);
    EXPECT_LE(glm::length(dvec2(c.point)), 1.0 + kRounding);
    EXPECT_LE(glm::distance(dvec2(c.point), dvec2(1, 0)), 1.0 + kRounding);
  }
  // The lens from (0.5, -sqrt(3)/2) to (0.5, sqrt(3)/2), from x = 0 to 1: its largest quadrilateral is the rhombus.
  dvec2 lo(1e9), hi(-1e9);
  for (const PairContact& c : found->contacts) lo = glm::min(lo, dvec2(c.point)), hi = glm::max(hi, dvec2(c.point));
  EXPECT_NEAR(hi.x - lo.x, 1.0, 0.01);
  EXPECT_NEAR(hi.y - lo.y, std::sqrt(3.0), 0.01);
}

TEST(CylinderPairs, SidesTouchCrossedAndParallel) {
  const OneBody lying = drum(0.5, 2.0, {0, 0, 0}, kAlongX);
  expect_pair(drum(0.3, 2.0, {0.4, 0.2, 0.75}, kAlongY), lying, 0.05, kUp);
  expect_contacts(drum(0.3, 2.0, {0.4, 0.2, 0.75}, kAlongY), lying, 0.05, {{0.4, 0, 0.45}});
  expect_pair(drum(0.3, 2.0, {1, 0, 0.75}, kAlongX), lying, 0.05, kUp);
  expect_contacts(drum(0.3, 2.0, {1, 0, 0.75}, kAlongX), lying, 0.05, {{-1, 0, 0.45}, {2, 0, 0.45}});
  expect_pair(drum(0.3, 2.0, {0.4, 0.2, 1.75}, kAlongY), lying, -0.95, kUp);
}

TEST(CylinderPairs, NearlyParallelSidesHaveBothEndsWhereThoseAreAsDeep) {
  const OneBody lower = drum(0.5, 1.0, {0, 0, 0}, kAlongX);
  const auto upper = [](double angle) {
    const Quaternion t = turn({0, 0, 1}, angle);
    const glm::dquat q =
        glm::dquat(t[0], t[1], t[2], t[3]) * glm::dquat(kAlongX[0], kAlongX[1], kAlongX[2], kAlongX[3]);
    return drum(0.5, 1.0, {0, 0, 0.95}, {q.w, q.x, q.y, q.z});
  };
  const auto along = manifold(upper(0.001), lower), crossed = manifold(upper(0.1), lower);
  ASSERT_EQ(along->contacts.size(), 2u);
  EXPECT_NEAR(glm::distance(along->contacts[0].point, along->contacts[1].point), 2.0, 1e-3);
  ASSERT_EQ(crossed->contacts.size(), 1u);
  EXPECT_NEAR(crossed->contacts[0].depth, 0.05, 1e-9);
  expect_near(crossed->contacts[0].point, {0, 0, 0.45}, 1e-6);
}

// Of nearly parallel lines the ends stay where the crossing is deeper, by 1e-5 m + 0.25 %; of two capsules 0.5 %.
TEST(CylinderPairs, NearlyParallelSidesThatAreDeeperBetweenHaveTheCrossingToo) {
  const auto at = [](double angle) {
    const Quaternion t = turn({0, 0, 1}, angle);
    const glm::dquat q =
        glm::dquat(t[0], t[1], t[2], t[3]) * glm::dquat(kAlongX[0], kAlongX[1], kAlongX[2], kAlongX[3]);
    return Quaternion{q.w, q.x, q.y, q.z};
  };
  const auto count = [&](const OneBody& upper, const OneBody& lower) {
    const auto found = manifold(upper, lower);
    std::set<std::uint32_t> features;
    for (const PairContact& c : found->contacts) features.insert(c.feature);
    EXPECT_EQ(features.size(), found->contacts.size());
    if (found->contacts.size() == 3) {
      EXPECT_NEAR(found->contacts[0].depth, found->depth, 1e-9);
      expect_near(found->contacts[0].point, {0, 0, upper.position.z - 0.5}, 1e-6);
      EXPECT_NEAR(glm::distance(found->contacts[1].point, found->contacts[2].point), 2.0, 1e-3);
    }
    return found->contacts.size();
  };
  // The ends stand on the line of one drum and are less deep by the square of the angle, 2.5e-5 m and 2.56e-4 m; of
  // pills between both, by half of that. The depth is 0.01 m, then 0.03 m.
  const OneBody drum_below = drum(0.5, 1.0, {0, 0, 0}, kAlongX), pill_below = pill(0.5, 1.0, {0, 0, 0}, kAlongX);
  EXPECT_EQ(count(drum(0.5, 1.0, {0, 0, 0.99}, at(0.005)), drum_below), 2u);
  EXPECT_EQ(count(drum(0.5, 1.0, {0, 0, 0.99}, at(0.016)), drum_below), 3u);
  EXPECT_EQ(count(pill(0.5, 1.0, {0, 0, 0.97}, at(0.016)), drum_below), 3u);
  EXPECT_EQ(count(pill(0.5, 1.0, {0, 0, 0.97}, at(0.016)), pill_below), 2u);
}

TEST(CylinderPairs, RimsApartHaveTheirDistance) {
  // Upright beside and above each other: rim to rim at (1, 0, 1) and (1.3, 0, 1.4).
  expect_pair(drum(1.0, 1.0, {2.3, 0, 2.4}), drum(1.0, 1.0, {0, 0, 0}), -0.5, {3, 0, 4});
}

TEST(CylinderPairs, CoaxialAndCoincidentAreFinite) {
  EXPECT_NEAR(penetration(drum(1.0, 1.0, {0, 0, 1.9}), drum(1.0, 1.0, {0, 0, 0})).depth, 0.1, kRounding);
  const auto found = penetration(drum(0.5, 3.0, {0, 0, 0}), drum(0.5, 3.0, {0, 0, 0}));
  EXPECT_NEAR(found.depth, 1.0, 1e-6);  // across the axis, in any direction
  EXPECT_NEAR(found.normal.z, 0.0, 1e-6);
}

TEST(CylinderPairs, ACapsuleOnABaseAndBesideASideTouchesWithBothEnds) {
  const OneBody cylinder = drum(1.0, 1.0, {0, 0, 0});
  expect_pair(pill(0.2, 3.0, {0.5, 0, 1.15}, kAlongX), cylinder, 0.05, kUp);
  expect_contacts(pill(0.2, 3.0, {0.5, 0, 1.15}, kAlongX), cylinder, 0.05, {{-1, 0, 0.95}, {1, 0, 0.95}});
  expect_pair(pill(0.2, 0.4, {1.15, 0, 0}), cylinder, 0.05, {1, 0, 0});
  expect_contacts(pill(0.2, 0.4, {1.15, 0, 0}), cylinder, 0.05, {{0.95, 0, -0.4}, {0.95, 0, 0.4}});
}

TEST(CapsulePairs, CrossedParallelEndToEndAndCrossing) {
  const OneBody lying = pill(0.5, 2.0, {0, 0, 0}, kAlongX);
  expect_pair(pill(0.3, 2.0, {0.4, 0.2, 0.75}, kAlongY), lying, 0.05, kUp);
  expect_contacts(pill(0.3, 2.0, {0.4, 0.2, 0.75}, kAlongY), lying, 0.05, {{0.4, 0, 0.45}});
  expect_pair(pill(0.3, 2.0, {1, 0, 0.75}, kAlongX), lying, 0.05, kUp);
  expect_contacts(pill(0.3, 2.0, {1, 0, 0.75}, kAlongX), lying, 0.05, {{-1, 0, 0.45}, {2, 0, 0.45}});
  expect_pair(pill(0.3, 2.0, {4.7, 0, 0}, kAlongX), lying, 0.1, {1, 0, 0});
  const auto crossing = penetration(pill(0.3, 2.0, {0, 0, 0}, kAlongY), lying);
  EXPECT_NEAR(crossing.depth, 0.8, kRounding);
  EXPECT_NEAR(std::abs(crossing.normal.z), 1.0, kRounding);
}

// Any pair of shapes with any sizes and poses.
struct RandomPair {
  OneBody a, b;
};
RandomPair random_pair(std::mt19937_64& random, Shape first, Shape second, double reach) {
  std::uniform_real_distribution<double> log_size(std::log(0.05), std::log(5.0)), part(0.0, 1.0);
  const auto body = [&](Shape shape) {
    OneBody one{shape,
                {std::exp(log_size(random)), std::exp(log_size(random)), std::exp(log_size(random))},
                {1.0, -2.0, 3.0},
                random_turn(random)};
    if (shape != Shape::convex_hull) return one;
    const auto [x, y, z] = one.size;
    return hulled(changed(in_ball(4 + random() % 29, random()), dmat3(x, 0, 0, 0, y, 0, 0, 0, z), 0.3 * dvec3(x, y, z)),
                  one.position, one.orientation);
  };
  RandomPair pair{body(first), body(second)};
  const double size = pair.a.body().bounding_radius() + pair.b.body().bounding_radius();
  pair.b.position += random_direction(random) * (reach * part(random) * size);
  return pair;
}
constexpr Shape kSolids[] = {Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};

template <typename Check>
void for_random_pairs(int count, double reach, const Check& check) {
  std::mt19937_64 random(20);
  for (const Shape first : kSolids)
    for (const Shape second : kSolids)
      for (int k = 0; k < count; ++k) check(random_pair(random, first, second, reach), random);
  for (const Shape other : {Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule, Shape::convex_hull})
    for (int k = 0; k < count; ++k) {
      check(random_pair(random, other, Shape::convex_hull, reach), random);
      check(random_pair(random, Shape::convex_hull, other, reach), random);
    }
}

// Faces of hulls stand for what is less by up to 2e-5 m, and joined faces are flat but for 4e-5 m.
double face_slack(const RandomPair& pair) {
  return pair.a.hull || pair.b.hull ? 6e-5 : 0.0;
}

TEST(AnyPair, NoDirectionHasLessThanTheLeastPenetration) {
  for_random_pairs(40, 1.2, [](const RandomPair& pair, std::mt19937_64& random) {
    const Body a = pair.a.body(), b = pair.b.body();
    const dvec3 c = pair.b.position - pair.a.position;
    const double size = a.bounding_radius() + b.bounding_radius();
    const auto least = penetration(pair.a, pair.b);
    EXPECT_NEAR(reference::pair_overlap_along(a, b, c, least.normal), least.depth, 1e-8 * size + face_slack(pair));
    EXPECT_LE(least.uncertainty, reference::kProvenPart * size);
    // Anywhere, and near the normal.
    for (int k = 0; k < 500; ++k) {
      const dvec3 n = glm::normalize(random_direction(random) + (k % 2) * std::pow(10.0, k % 6) * least.normal);
      EXPECT_GE(reference::pair_overlap_along(a, b, c, n), least.depth - 1e-9 * size);
    }
  });
}

TEST(AnyPair, TheSearchAgreesWithTheClosedForms) {
  // Spheres, capsules and hulls have ways of their own; the search takes all shapes.
  for_random_pairs(60, 1.2, [](const RandomPair& pair, std::mt19937_64&) {
    const Body a = pair.a.body(), b = pair.b.body();
    if (a.shape != Shape::sphere && b.shape != Shape::sphere && a.shape != Shape::convex_hull &&
        b.shape != Shape::convex_hull && !(a.shape == Shape::capsule && b.shape == Shape::capsule))
      return;
    const auto searched = reference::least_penetration(a, b, pair.b.position - pair.a.position, 1e6);
    ASSERT_TRUE(searched);
    EXPECT_NEAR(searched->depth, penetration(pair.a, pair.b).depth,
                searched->uncertainty + 1e-9 * (a.bounding_radius() + b.bounding_radius()));
  });
}

TEST(AnyPair, PointsLieOnBothSurfacesAndTheDeepestHasThePairsDepth) {
  std::size_t contacts = 0;
  for_random_pairs(60, 0.9, [&](const RandomPair& pair, std::mt19937_64&) {
    const Body a = pair.a.body(), b = pair.b.body();
    const double tolerance = 1e-5 * (a.bounding_radius() + b.bounding_radius()) + face_slack(pair);
    const auto found = manifold(pair.a, pair.b, 0.02);
    if (!found) return;
    ASSERT_GE(found->contacts.size(), 1u);
    ASSERT_LE(found->contacts.size(), 4u);
    EXPECT_NEAR(found->contacts[0].depth, found->depth, 1e-4 + 0.01 * std::abs(found->depth));
    for (const PairContact& c : found->contacts) {
      ++contacts;
      EXPECT_GT(c.depth, -0.02);
      EXPECT_LE(c.depth, found->contacts[0].depth);
      EXPECT_NEAR(a.signed_distance(c.point - pair.a.position), 0.0, tolerance);
      EXPECT_NEAR(b.signed_distance(c.point + c.depth * found->normal - pair.b.position), 0.0, tolerance);
    }
  });
  EXPECT_GT(contacts, 600u);
}

TEST(AnyPair, TurnsAndMovesWithTheWorld) {
  for_random_pairs(30, 0.9, [](const RandomPair& pair, std::mt19937_64& random) {
    const glm::dquat turned = glm::normalize(glm::dquat(0.3, random_direction(random)));
    const auto move = [&](OneBody body) {
      const glm::dquat q =
          turned * glm::dquat(body.orientation[0], body.orientation[1], body.orientation[2], body.orientation[3]);
      body.orientation = {q.w, q.x, q.y, q.z};
      body.position = turned * body.position + dvec3(10.0, -20.0, 30.0);
      return body;
    };
    const auto here = penetration(pair.a, pair.b), there = penetration(move(pair.a), move(pair.b));
    const double size = pair.a.body().bounding_radius() + pair.b.body().bounding_radius();
    EXPECT_NEAR(here.depth, there.depth, 1e-9 * size);
  });
}

TEST(AnyPair, IsApartWhenItsDistanceIsBeyondTheMargin) {
  const OneBody a = block({1, 1, 1}, {0, 0, 0}), b = drum(0.5, 0.5, {0, 0, 1.6});
  EXPECT_FALSE(manifold(a, b));
  EXPECT_FALSE(manifold(a, b, 0.099));
  ASSERT_TRUE(manifold(a, b, 0.101));
  EXPECT_NEAR(manifold(a, b, 0.101)->contacts[0].depth, -0.1, kRounding);
}

// P on A, where A begins along the normal, and P + depth * normal on B; the first as deep as the pair.
void expect_on_both(const OneBody& a, const OneBody& b, std::size_t count, double margin = 0.0) {
  const auto found = manifold(a, b, margin);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->contacts.size(), count);
  EXPECT_NEAR(found->contacts[0].depth, found->depth, 1e-5 + 0.005 * std::abs(found->depth));
  EXPECT_NEAR(reference::pair_overlap_along(a.body(), b.body(), b.position - a.position, found->normal), found->depth,
              1e-5 + 0.005 * std::abs(found->depth));
  for (const PairContact& c : found->contacts) {
    EXPECT_NEAR(a.body().signed_distance(c.point - a.position), 0.0, 1e-5);
    EXPECT_NEAR(b.body().signed_distance(c.point + c.depth * found->normal - b.position), 0.0, 1e-5);
  }
}

// Apart, and not over each other along the normal that has the distance: the points were up to 5 m off a body.
TEST(AnyPair, CylindersApartMeetWhereTheyAreNearest) {
  expect_on_both(block({0.0500000007, 0.519987643, 0.0500000007}, {0, 0, 0},
                       {0.00799791329, 0.205109894, -0.863911331, 0.459916532}),
                 drum(4.33267212, 1.46576679, {-2.0206050170562619, 3.6015123270950795, -2.965517991168356},
                      {0.205109894, -0.00799791329, -0.459916532, -0.863911331}),
                 1, 1e-3);
  expect_on_both(block({0.428514391, 0.0522574931, 30.5176353}, {0, 0, 0},
                       {0.0604190081, -0.419770062, -0.859628916, 0.284922451}),
                 drum(0.171415433, 0.05, {-10.222390670332686, -13.838342653914108, -25.417510400041976},
                      {0.753434777, 0.501783609, 0.424910873, 0}),
                 1, 1e-3);
  expect_on_both(drum(26.3213081, 0.492261797, {0, 0, 0}, {0.040279869, 0.000788790523, 0.135813296, -0.989914954}),
                 drum(1.75459921, 0.71107018, {-28.063378781699441, -0.39466750763641378, 1.4132977403564588},
                      {0.0965922177, -0.728457749, 0.671493411, 0.095476754}),
                 1, 1e-3);
}

// One behind the other, all but in one line: rounding had them cross, 0.1 m deep.
TEST(AnyPair, CapsulesBehindEachOtherDoNotCross) {
  expect_on_both(pill(0.0500000007, 0.182167128, {0, 0, 0}, {-0.23787877, 0.1612546, -0.701503158, -0.652153373}),
                 pill(0.0500000007, 0.129879221, {0.050891629162093777, 0.40892003743431182, -0.014934887281669182},
                      {0.490861654, -0.442218989, 0.567936659, 0.490861654}),
                 1, 3e-4);
}

// The overlap is known far better than its direction. On rims of tens of metres the place is the direction times the
// radius over the sine of its angle with the axis.
TEST(AnyPair, RimsMeetInOnePointHoweverLarge) {
  expect_on_both(drum(30, 25, {89.020047260078897, 38.074405608346936, 34.583265343455835},
                      {-0.67710907349683547, 0.67505118446582502, -0.26933068448311193, -0.11528305745165855}),
                 drum(20, 33, {130.94802822926371, 82.722994756819133, 49.681021226658203},
                      {0.65846268769019278, -0.72602910620454331, -0.050295693446768791, -0.19177843748541812}),
                 1);
}

// A rim and an edge of a hundred metres: along a normal that leans against the edge by rounding alone, that one's end
// is a tenth of a millimetre farther out than its place on the rim.
TEST(AnyPair, ARimOnALongEdgeIsMetWhereItIs) {
  expect_on_both(block({50, 40, 30}, {20.790050905543652, 42.821418346749986, 66.556438582870413},
                       {-0.50706426648601077, -0.082943013080283207, -0.59855441500237283, 0.61460466847831141}),
                 drum(40, 30, {-11.722998292383938, -21.414139836954618, 88.659466254067127},
                      {-0.85257027538532459, -0.2556368463473816, 0.33515553401374909, 0.30894092694059805}),
                 1);
}

// The side of a disc passes the base of a needle, which stands 4 mm off it.
TEST(AnyPair, ALineBesideABaseIsMetWhereItIsNearest) {
  expect_on_both(drum(2, 0.05, {17.380895479281062, 37.465803543370718, 21.363635802491665},
                      {0.63357633258210388, 0.74073443460875421, 0.050100790853523099, 0.21767737349690747}),
                 drum(0.05, 2, {16.566466150322793, 36.789639866631255, 25.226348556121096},
                      {-0.0026390995795869676, -0.70375798314779592, -0.6963779980840521, -0.14062510477721796}),
                 1, 0.02);
}

// Axes that cross at 1e-6 rad, 0.1 um apart: across both, and not along them.
TEST(AnyPair, CapsulesInOneLineButForRoundingLeaveAcrossTheirAxes) {
  expect_on_both(pill(0.5, 1, {90.169169730088399, 13.482181588637495, 40.572640273305218},
                      {-0.3792294532770753, 0.15077632514249045, 0.76155405439910473, -0.50347486905701866}),
                 pill(0.5, 1, {90.606809883197741, 13.873698041035345, 40.695871615014823},
                      {0.61831983608439667, 0.39537927230929837, -0.66810778758385903, 0.12242465234802863}),
                 2);
}

// Nearly along an edge, of whose two faces one is all but along the normal: the end's chord stands on the edge. A
// little beside it the box begins millimetres later.
TEST(AnyPair, EndsOfASharedStretchStandOnTheEdge) {
  const OneBody box = block({0.05, 0.05, 0.05}, {20.953341431147834, 0.95352985030179882, 46.594140209992467},
                            {0.87563857609471241, -0.23550388779219922, -0.35558955797769171, 0.22660774291010891});
  const OneBody capsule = pill(10, 20, {19.297065709146732, -2.503309590936917, 42.695750213013532},
                               {0.66318729042023539, -0.37621143899384091, -0.20091066683924641, 0.61504672582289166});
  expect_on_both(box, capsule, 2);
  expect_on_both(capsule, box, 2);
}

TEST(AnyPair, TiltedFacesKeepTheDeepestPoint) {
  for (const double tilt : {2e-3, 0.01, 0.1, 0.5}) {
    const Quaternion q = turn({1.0, 0.7, 0.0}, tilt);
    for (const OneBody& body : {block({0.5, 0.4, 0.3}, {0, 0, 0.3}, q), drum(0.5, 0.3, {0, 0, 0.3}, q)}) {
      const auto found = manifold(body, block({5, 5, 1}, {0, 0, -1}));
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->contacts[0].depth, found->depth, 1e-6 + 0.005 * found->depth);
    }
  }
}

TEST(AnyPair, FeaturesStayWhileTheSameOnesTouch) {
  const OneBody box = block({1, 1, 0.5}, {0, 0, 0});
  const auto here = manifold(block({0.3, 0.3, 0.3}, {0.1, 0, 0.79}), box);
  const auto moved = manifold(block({0.3, 0.3, 0.3}, {0.2, 0.1, 0.78}), box);
  ASSERT_EQ(here->contacts.size(), 4u);
  ASSERT_EQ(moved->contacts.size(), 4u);
  const auto features = [](const PairManifold& m) {
    std::vector<std::uint32_t> all;
    for (const PairContact& c : m.contacts) all.push_back(c.feature);
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(features(*here), features(*moved));
  const std::vector<std::uint32_t> distinct = features(*here);
  EXPECT_EQ(std::adjacent_find(distinct.begin(), distinct.end()), distinct.end());
}

}  // namespace
}  // namespace oclide::test
