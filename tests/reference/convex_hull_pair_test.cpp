// Pairs with hulls: what the hull of another solid's points has in common with that solid, and hard cases by formula.
#include <algorithm>
#include <glm/gtc/quaternion.hpp>

#include "hulls/point_clouds.hpp"
#include "reference/two_bodies.hpp"

namespace oclide::test {
namespace {

OneBody as_hull(const OneBody& box) {
  const dvec3 half(box.size[0], box.size[1], box.size[2]);
  return hulled(grid_on_box(half, 2), box.position, box.orientation);
}

// Sizes that floats have, so that the box and its hull are one solid.
double some_size(std::mt19937_64& random) {
  return static_cast<float>(std::uniform_real_distribution<double>(0.3, 1.2)(random));
}

OneBody any_body(Shape shape, std::mt19937_64& random) {
  if (shape == Shape::half_space) return floor_at({0, 0, 0}, random_turn(random));
  if (shape == Shape::convex_hull) return hulled(in_ball(5 + random() % 20, random()), {0, 0, 0}, random_turn(random));
  return {shape, {some_size(random), some_size(random), some_size(random)}, {0, 0, 0}, random_turn(random)};
}

constexpr Shape kOthers[] = {Shape::sphere,  Shape::box,         Shape::cylinder,
                             Shape::capsule, Shape::convex_hull, Shape::half_space};

// Depth, normal and points of contacts, in any order.
void expect_same(const std::optional<PairManifold>& found, const std::optional<PairManifold>& expected,
                 const std::string& what, bool of_disc = false) {
  ASSERT_EQ(found.has_value(), expected.has_value()) << what;
  if (!found) return;
  EXPECT_NEAR(found->depth, expected->depth, 1e-6) << what;
  // Of directions that are as good as equal either will do; of points on a rim the first depends on rounding.
  if (glm::distance(found->normal, expected->normal) > 1e-5 || (of_disc && found->contacts.size() == 4)) return;
  ASSERT_EQ(found->contacts.size(), expected->contacts.size()) << what;
  for (const PairContact& c : found->contacts)
    EXPECT_TRUE(std::any_of(expected->contacts.begin(), expected->contacts.end(), [&](const PairContact& d) {
      return glm::distance(c.point, d.point) < 1e-4 && std::abs(c.depth - d.depth) < 1e-5;
    })) << what;
}

TEST(ConvexHullPairs, AHullOfABoxHasTheContactsOfTheBox) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  int touching = 0, of_one_normal = 0;
  for (int k = 0; k < 400; ++k) {
    const OneBody other = any_body(kOthers[k % 6], random);
    OneBody box = block({some_size(random), some_size(random), some_size(random)},
                        1.5 * dvec3(part(random), part(random), part(random)), random_turn(random));
    if (k % 4 == 0) box.orientation = other.orientation;  // side by side
    const OneBody hull = as_hull(box);
    const double margin = k % 2 == 0 ? 0.0 : 0.1;
    const auto of_box = manifold(other, box, margin), of_hull = manifold(other, hull, margin);
    expect_same(of_hull, of_box, "case " + std::to_string(k), other.shape == Shape::cylinder);
    touching += of_box ? 1 : 0;
    of_one_normal += of_box && of_hull && glm::distance(of_box->normal, of_hull->normal) < 1e-5 ? 1 : 0;
  }
  EXPECT_GT(touching, 250);
  EXPECT_GT(of_one_normal, touching * 98 / 100);
}

TEST(ConvexHullPairs, ExchangedTheyAreTheSameTurnedRound) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (int k = 0; k < 600; ++k) {
    OneBody a = any_body(Shape::convex_hull, random);
    const OneBody b = any_body(kOthers[k % 6], random);
    a.position = 0.8 * dvec3(part(random), part(random), part(random));
    const auto one = manifold(a, b, 0.05), other = manifold(b, a, 0.05);
    ASSERT_EQ(one.has_value(), other.has_value()) << "case " << k;
    if (!one) continue;
    EXPECT_NEAR(one->depth, other->depth, 1e-9) << "case " << k;
    expect_near(one->normal, -other->normal, 1e-9);
    ASSERT_EQ(one->contacts.size(), other->contacts.size()) << "case " << k;
    if (b.shape == Shape::cylinder && one->contacts.size() == 4) continue;  // the first point on a rim is rounding
    for (const PairContact& c : one->contacts)
      EXPECT_TRUE(std::any_of(
          other->contacts.begin(), other->contacts.end(),
          [&](const PairContact& d) { return glm::distance(c.point + c.depth * one->normal, d.point) < 1e-7; }))
          << "case " << k;
  }
}

TEST(ConvexHullPairs, TurnAndMoveWithTheWorld) {
  std::mt19937_64 random(10);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (int k = 0; k < 300; ++k) {
    OneBody a = any_body(Shape::convex_hull, random), b = any_body(kOthers[k % 5], random);
    a.position = 0.8 * dvec3(part(random), part(random), part(random));
    const glm::dquat turned = glm::normalize(glm::dquat(0.3, random_direction(random)));
    const auto moved = [&](OneBody body) {
      const auto& o = body.orientation;
      const glm::dquat q = turned * glm::dquat(o[0], o[1], o[2], o[3]);
      body.orientation = {q.w, q.x, q.y, q.z};
      body.position = turned * body.position + dvec3(9000.0, -8000.0, 500.0);
      return body;
    };
    const auto here = penetration(a, b), there = penetration(moved(a), moved(b));
    EXPECT_NEAR(here.depth, there.depth, 1e-8) << "case " << k;
    if (here.depth > 1e-3) expect_near(turned * here.normal, there.normal, 1e-6);
  }
}

// The polyhedron is inside of the curve by at most its sagitta.
TEST(ConvexHullPairs, FinePrismsAndCapsulesAreThoseOfTheCurves) {
  constexpr int kSides = 32;
  const double radius = 0.5, sagitta = radius * (1.0 - std::cos(kHalfTurn / kSides));
  Points of_capsule;
  for (const double end : {-0.8, 0.8})
    for (int ring = 0; ring <= kSides / 4; ++ring)
      for (int k = 0; k < kSides; ++k) {
        const double up = 2.0 * kHalfTurn * ring / kSides, around = 2.0 * kHalfTurn * k / kSides;
        of_capsule.push_back({radius * std::cos(up) * std::cos(around), radius * std::cos(up) * std::sin(around),
                              end + std::copysign(radius * std::sin(up), end)});
      }
  const OneBody fine_prism = hulled(prism(kSides, radius, 0.8), {0, 0, 0});
  const OneBody fine_capsule = hulled(of_capsule, {0, 0, 0});
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (int k = 0; k < 60; ++k) {
    OneBody other = any_body(kOthers[k % 4], random);
    other.position = 1.2 * dvec3(part(random), part(random), part(random));
    const double cylinder = penetration(drum(radius, 0.8, {0, 0, 0}), other).depth;
    const double capsule = penetration(pill(radius, 0.8, {0, 0, 0}), other).depth;
    const double of_prism = penetration(fine_prism, other).depth, of_hull = penetration(fine_capsule, other).depth;
    EXPECT_LE(of_prism, cylinder + 4e-6) << "case " << k;
    EXPECT_GE(of_prism, cylinder - sagitta - 4e-6) << "case " << k;
    EXPECT_LE(of_hull, capsule + 4e-6) << "case " << k;
    EXPECT_GE(of_hull, capsule - 2.0 * sagitta - 4e-6) << "case " << k;
  }
}

// On its base a fine prism has four points of its rim, as a cylinder has; on its side the ends of a line or of a facet.
TEST(ConvexHullPairs, AFinePrismStandsAndLiesAsACylinderDoes) {
  const OneBody floor = floor_at({0, 0, 0});
  for (const int sides : {8, 96, 1000}) {
    const auto stands = manifold(hulled(prism(sides, 0.5, 0.75), {0.3, 0, 0.7}), floor);
    ASSERT_EQ(stands->contacts.size(), 4u);
    double area = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      const dvec3 p = stands->contacts[k].point - dvec3(0.3, 0, -0.05),
                  q = stands->contacts[(k + 1) % 4].point - dvec3(0.3, 0, -0.05);
      EXPECT_NEAR(glm::length(p), 0.5, 1e-6);
      area += 0.5 * (p.x * q.y - p.y * q.x);
    }
    EXPECT_NEAR(std::abs(area), 0.5, 0.05);
    const auto lies = manifold(hulled(prism(sides, 0.5, 0.75), {0.3, 0, 0.48}, kAlongX), floor);
    double least = 1e9, greatest = -1e9;
    for (const PairContact& c : lies->contacts)
      least = std::min(least, c.point.x), greatest = std::max(greatest, c.point.x);
    EXPECT_NEAR(least, -0.45, 1e-5);
    EXPECT_NEAR(greatest, 1.05, 1e-5);
  }
}

// Contacts do not change as the floor grows, whatever stands on it.
TEST(ConvexHullPairs, ALargerFloorChangesNothing) {
  std::mt19937_64 random(12);
  for (int k = 0; k < 20; ++k) {
    const OneBody stone = hulled(in_ball(8 + random() % 24, random()), {0.1, 0.2, 0.0}, random_turn(random));
    const double lowest = stone.body().support({0, 0, -1}).z;
    std::optional<PairManifold> before;
    for (const double half : {1.0, 2.0, 5.0, 10.0, 50.0, 100.0}) {
      OneBody on_it = stone;
      on_it.position.z = -lowest - 0.01;
      const OneBody floor = hulled(grid_on_box({half, half, 1.0}, 2), {0, 0, -1.0});
      const auto found = manifold(on_it, floor);
      ASSERT_TRUE(found) << "case " << k << ", floor of " << half;
      EXPECT_NEAR(found->depth, 0.01, 1e-6);
      expect_near(found->normal, kUp, 1e-6);
      // A small floor cuts the patch.
      if (before && half > 2.0) expect_same(found, before, "floor of " + std::to_string(half));
      before = found;
    }
  }
}

TEST(ConvexHullPairs, EqualHullsAtOnePlaceHaveTheNormalOfAFace) {
  std::mt19937_64 random(13);
  for (int k = 0; k < 30; ++k) {
    const OneBody body = hulled(in_ball(4 + random() % 28, random()), {1, 2, 3}, random_turn(random));
    const auto found = manifold(body, body);
    ASSERT_TRUE(found);
    // Of a solid less itself; an edge pair may be better, and then no face is as good.
    EXPECT_NEAR(reference::pair_overlap_along(body.body(), body.body(), dvec3(0.0), found->normal), found->depth, 1e-8);
    for (const dvec3& n : reference::face_normals(body.body()))
      EXPECT_LE(found->depth, reference::pair_overlap_along(body.body(), body.body(), dvec3(0.0), n) + 1e-12);
  }
  const OneBody cube = as_hull(block({1, 1, 1}, {0, 0, 0}));
  const auto found = manifold(cube, cube);
  EXPECT_EQ(found->depth, 2.0);
  EXPECT_EQ(std::abs(found->normal.x) + std::abs(found->normal.y) + std::abs(found->normal.z), 1.0);
  EXPECT_EQ(found->contacts.size(), 4u);
}

// Kissing faces, off by what a float has of noise on either side: the contact's depth is exact, the normal the face's.
TEST(ConvexHullPairs, KissingFacesHaveTheirNormalAndFourPoints) {
  const OneBody lower = as_hull(block({1, 1, 1}, {0, 0, 0}));
  for (const double depth : {-1e-6, -1e-9, 0.0, 1e-12, 1e-9, 1e-6, 1e-5}) {
    const OneBody upper = as_hull(block({0.5, 0.5, 0.5}, {0.7, 0.2, 1.5 - depth}, turn({0, 0, 1}, 0.4)));
    const auto found = manifold(upper, lower, 1e-5);
    ASSERT_TRUE(found) << depth;
    EXPECT_NEAR(found->depth, depth, 1e-9);
    expect_near(found->normal, kUp, 1e-6);
    EXPECT_GE(found->contacts.size(), 4u);
  }
}

// The difference of the two has a vertex, an edge or a face exactly at the origin.
TEST(ConvexHullPairs, TouchingExactlyIsDepthZero) {
  const OneBody cube = as_hull(block({1, 1, 1}, {0, 0, 0}));
  for (const dvec3 at : {dvec3(2, 0, 0), dvec3(2, 2, 0), dvec3(2, 2, 2), dvec3(2, 0.5, -0.25), dvec3(-2, 2, 0.5)}) {
    const OneBody other = as_hull(block({1, 1, 1}, at));
    EXPECT_NEAR(penetration(cube, other).depth, 0.0, 1e-12);
    EXPECT_NEAR(glm::length(penetration(cube, other).normal), 1.0, 1e-12);
    EXPECT_TRUE(manifold(cube, other, 1e-3));
  }
  const Points tetrahedron{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_NEAR(penetration(hulled(tetrahedron, {0, 0, 0}), hulled(tetrahedron, {1, 0, 0})).depth, 0.0, 1e-12);
}

// An edge of 84 m over an edge of 84 m; a needle in a plate.
TEST(ConvexHullPairs, LongEdgesCrossWhereTheyDo) {
  const Points roof{{-42, 0, 0}, {42, 0, 0}, {-42, -1, -1}, {42, -1, -1}, {-42, 1, -1}, {42, 1, -1}};
  const OneBody lower = hulled(roof, {0, 0, 0});
  for (const double angle : {0.03, 0.5, 1.5707963267948966}) {
    const OneBody upper =
        hulled(changed(roof, dmat3(1, 0, 0, 0, 1, 0, 0, 0, -1), dvec3(0.0)), {0, 0, -0.01}, turn({0, 0, 1}, angle));
    const auto found = manifold(upper, lower);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->depth, 0.01, 1e-5);
    ASSERT_EQ(found->contacts.size(), 1u);
    expect_near(found->contacts[0].point, {0, 0, -0.01}, 1e-5);
  }
}

TEST(ConvexHullPairs, EdgesSideBySideHaveBothEndsOfWhatTheyShare) {
  const Points roof{{-2, 0, 0}, {2, 0, 0}, {-2, -1, -1}, {2, -1, -1}, {-2, 1, -1}, {2, 1, -1}};
  const OneBody lower = hulled(roof, {0, 0, 0});
  const OneBody upper = hulled(changed(roof, dmat3(1, 0, 0, 0, 1, 0, 0, 0, -1), dvec3(0.0)), {1.0, 0, -0.01});
  const auto found = manifold(upper, lower);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->depth, 0.01 * std::sqrt(0.5) * std::sqrt(2.0), 1e-2);
  for (const PairContact& c : found->contacts) {
    EXPECT_NEAR(upper.body().signed_distance(c.point - upper.position), 0.0, 1e-6);
    EXPECT_NEAR(lower.body().signed_distance(c.point + c.depth * found->normal), 0.0, 1e-6);
  }
}

// Features stay while the same parts touch, and no two of a manifold are equal; of large hulls as well.
TEST(ConvexHullPairs, FeaturesStayAndDiffer) {
  for (const int sides : {4, 12, 150}) {
    const OneBody lower = hulled(prism(sides, 1.0, 0.5), {0, 0, 0});
    const auto upper = [&](double x) { return hulled(prism(sides, 0.5, 0.5), {x, 0.02, 0.95}, turn({0, 0, 1}, 0.1)); };
    const auto features = [&](double x) {
      std::vector<std::uint32_t> all;
      const auto found = manifold(upper(x), lower);
      for (const PairContact& c : found->contacts) all.push_back(c.feature);
      std::sort(all.begin(), all.end());
      return all;
    };
    EXPECT_EQ(features(0.1), features(0.1 + 1e-6));
    const auto all = features(0.1);
    EXPECT_EQ(all.size(), 4u);
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

// What is left of a hull when all its sides move in: in the hull by that much everywhere, and not much less.
TEST(ConvexHullBody, ErodedIsInsideByTheDistance) {
  std::mt19937_64 random(14);
  for (int k = 0; k < 60; ++k) {
    const Points points = k % 3 == 0 ? grid_on_box({5.0, 0.5, 0.1}, 2) : in_ball(4 + random() % 28, random());
    const OneBody body = hulled(points, {0, 0, 0}, random_turn(random));
    for (const double distance : {1e-4, 1e-2}) {
      const auto inner = body.body().eroded(distance);
      if (k % 3 == 0) {
        ASSERT_TRUE(inner);
      } else if (!inner) {
        continue;
      }
      for (const reference::RoundedPoint& p : inner->rounded_points())
        EXPECT_LE(body.body().signed_distance(p.centre), -distance);
      if (k % 3 != 0) continue;
      // Of a box nearly all.
      for (const dvec3& n : reference::face_normals(body.body()))
        EXPECT_NEAR(glm::dot(inner->support(n), n), glm::dot(body.body().support(n), n) - distance,
                    2e-5 + 1e-3 * distance);
    }
  }
}

// Against points and directions at random.
TEST(ConvexHullBody, DistanceAndChordAgreeWithTheSupport) {
  std::mt19937_64 random(15);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 40; ++k) {
    const OneBody one = hulled(in_ball(4 + random() % 28, random()), {0, 0, 0}, random_turn(random));
    const Body body = one.body();
    for (int j = 0; j < 200; ++j) {
      const dvec3 p = dvec3(normal(random), normal(random), normal(random)), n = random_direction(random);
      // No half space that holds the body is nearer than it.
      EXPECT_GE(body.signed_distance(p), glm::dot(p, n) - glm::dot(body.support(n), n) - 1e-12);
      // Where the line enters and leaves the distance is 0.
      if (const auto part = body.interval_on_line(p, n)) {
        EXPECT_NEAR(body.signed_distance(p + part->lo * n), 0.0, 1e-6);
        EXPECT_NEAR(body.signed_distance(p + part->hi * n), 0.0, 1e-6);
      }
    }
    for (const reference::RoundedPoint& v : body.rounded_points())
      EXPECT_NEAR(body.signed_distance(v.centre), 0.0, 2.0 * body.hull->flat_slack + 1e-12);
  }
}

}  // namespace
}  // namespace oclide::test
