// Convex hulls whose position is anywhere about the solid, as long floors and long edges, and in a scene.
#include <algorithm>
#include <glm/gtc/quaternion.hpp>
#include <random>

#include "hulls/point_clouds.hpp"
#include "reference/two_bodies.hpp"

namespace oclide::test {
namespace {

class ConvexHullInReference : public testing::Test {
 protected:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  // One of each shape, the hull last.
  std::vector<OneBody> one_of_each(dvec3 position) {
    const Quaternion q = random_turn(random_);
    return {ball(between(0.2, 1.0), position),
            block({between(0.2, 1.0), between(0.2, 1.0), between(0.2, 1.0)}, position, q),
            drum(between(0.2, 1.0), between(0.2, 1.0), position, q),
            pill(between(0.2, 0.6), between(0.2, 1.0), position, q),
            floor_at(position, q),
            hulled(in_ball(4 + random_() % 29, random_()), position, q)};
  }

  std::mt19937_64 random_{31};
};

// The same depth, normal and places.
void expect_same_contacts(const OneBody& a, const OneBody& b, const OneBody& c, const OneBody& d, double margin,
                          double tolerance, const std::string& what) {
  const auto one = manifold(a, b, margin), other = manifold(c, d, margin);
  ASSERT_EQ(one.has_value(), other.has_value()) << what;
  if (!one) return;
  EXPECT_NEAR(one->depth, other->depth, tolerance) << what;
  expect_near(one->normal, other->normal, tolerance);
  ASSERT_EQ(one->contacts.size(), other->contacts.size()) << what;
  // Of a base's corners other four may span as much.
  if (b.shape == Shape::cylinder) return;
  for (const PairContact& p : one->contacts)
    EXPECT_TRUE(std::any_of(other->contacts.begin(), other->contacts.end(),
                            [&](const PairContact& q) {
                              return glm::distance(p.point, q.point) <= tolerance &&
                                     std::abs(p.depth - q.depth) <= tolerance;
                            }))
        << what << ", no contact at " << p.point.x << " " << p.point.y << " " << p.point.z;
}

TEST_F(ConvexHullInReference, ContactsTurnAndMoveWithTheBodies) {
  for (int k = 0; k < 40; ++k) {
    const OneBody hull = hulled(in_ball(4 + random_() % 29, random_()), dvec3(0.0), random_turn(random_));
    const glm::dquat by = glm::normalize(glm::dquat(0.3, random_direction(random_)));
    const dvec3 away(1000.0, -2000.0, 300.0);
    const auto moved = [&](OneBody body) {
      const auto& [w, x, y, z] = body.orientation;
      const glm::dquat q = by * glm::dquat(w, x, y, z);
      body.orientation = {q.w, q.x, q.y, q.z};
      body.position = by * body.position + away;
      return body;
    };
    for (const OneBody& other : one_of_each(0.9 * random_direction(random_))) {
      const auto here = manifold(hull, other), there = manifold(moved(hull), moved(other));
      ASSERT_EQ(here.has_value(), there.has_value());
      if (!here) continue;
      EXPECT_NEAR(here->depth, there->depth, 1e-9);
      expect_near(by * here->normal, there->normal, 1e-5);
      ASSERT_EQ(here->contacts.size(), there->contacts.size());
      for (const PairContact& p : here->contacts)
        EXPECT_TRUE(
            std::any_of(there->contacts.begin(), there->contacts.end(),
                        [&](const PairContact& q) { return glm::distance(by * p.point + away, q.point) < 2e-5; }))
            << "case " << k << ", " << to_string(other.shape);
    }
  }
}

// The same points about another origin: on a face, on a vertex, beside the solid.
TEST_F(ConvexHullInReference, ThePositionMayBeAnywhereAboutTheSolid) {
  for (int k = 0; k < 40; ++k) {
    Points points = in_ball(4 + random_() % 29, random_());
    for (auto& p : points)  // sums with the shift below are floats
      for (double& x : p) x = std::round(x * 4096.0) / 4096.0;
    const Quaternion q = random_turn(random_);
    const OneBody centred = hulled(points, dvec3(0.0), q);
    const ConvexHull& hull = *centred.hull;
    const auto corner = [&](std::size_t c) { return dvec3(hull.vertices[hull.loop(0)[c]]); };
    const dvec3 on_face = glm::round((0.25 * (corner(0) + corner(1)) + 0.5 * corner(2)) * 4096.0) / 4096.0;
    for (const dvec3 origin : {on_face, dvec3(hull.vertices[k % 4]), dvec3(8.0, -4.0, 2.0)}) {
      const OneBody shifted = hulled(changed(points, dmat3(1.0), -origin), centred.body().axes * origin, q);
      for (const OneBody& other : one_of_each(0.9 * random_direction(random_)))
        expect_same_contacts(centred, other, shifted, other, 0.02, 2e-5,
                             "case " + std::to_string(k) + ", " + to_string(other.shape));
    }
  }
}

TEST_F(ConvexHullInReference, ALargerFloorChangesNothing) {
  const auto floor_of = [](double half) { return hulled(grid_on_box({half, half, 1.0}, 2), {0, 0, -1}); };
  const OneBody narrow = floor_of(1.0);
  for (int k = 0; k < 20; ++k) {
    Points on_a_base;  // no four of its corners span as much as four others
    for (int corner = 0; corner < 3 + k; ++corner)
      for (const double z : {-0.25, 0.25}) {
        const double angle = (corner + between(0.1, 0.9)) * 2.0 * kHalfTurn / (3 + k);
        if (z < 0.0)
          on_a_base.push_back({0.3 * std::cos(angle), 0.3 * std::sin(angle), z});
        else
          on_a_base.push_back({on_a_base.back()[0], on_a_base.back()[1], z});
      }
    for (OneBody body :
         {hulled(on_a_base, dvec3(0.0)), block({0.3, 0.2, 0.25}, dvec3(0.0), turn(kUp, between(0.0, 3.0))),
          drum(0.3, 0.25, dvec3(0.0), kAlongX), pill(0.2, 0.25, dvec3(0.0), kAlongY),
          ball(between(0.2, 0.5), dvec3(0.0))}) {
      body.position = {0.1, 0.0, -0.02 - body.body().bounds().lower.z};
      const auto expected = manifold(body, narrow);
      ASSERT_TRUE(expected);
      expect_near(expected->normal, kUp);
      for (const double half : {3.0, 10.0, 42.0, 100.0})
        expect_same_contacts(
            body, narrow, body, floor_of(half), 0.0, 1e-9,
            "case " + std::to_string(k) + ", " + to_string(body.shape) + ", floor of " + std::to_string(half));
    }
  }
}

// A roof whose ridge is 84 m long.
TEST_F(ConvexHullInReference, ALongEdgeIsCrossedWhereItIsCrossed) {
  const OneBody roof =
      hulled({{-42, -1, 0}, {-42, 1, 0}, {-42, 0, 1}, {42, -1, 0}, {42, 1, 0}, {42, 0, 1}}, dvec3(0.0));
  const Points keel{{0, -1, 0}, {0, 1, 0}, {-0.5, -1, 1}, {-0.5, 1, 1}, {0.5, -1, 1}, {0.5, 1, 1}};
  for (const double x : {-41.9, -20.0, 0.0, 37.5, 41.7})
    for (const double angle : {0.0, 0.7, 1.3}) {
      const OneBody crossing = hulled(keel, {x, 0.05, 0.99}, turn({0, 0, 1}, angle));
      const auto found = manifold(crossing, roof);
      ASSERT_TRUE(found) << "at " << x << ", angle " << angle;
      EXPECT_NEAR(found->depth, 0.01, 1e-9);
      expect_near(found->normal, kUp);
      ASSERT_EQ(found->contacts.size(), 1u) << "at " << x << ", angle " << angle;
      const dvec3 along(-std::sin(angle), std::cos(angle), 0);
      expect_near(found->contacts[0].point, dvec3(x, 0.05, 0.99) - 0.05 / along.y * along, 1e-9);
    }
  // Along the ridge, and over it, for from inside a side of the roof is nearer: both ends of what is shared.
  const auto along = manifold(hulled(keel, {41.5, 0, 1.01}, turn({0, 0, 1}, kHalfTurn / 2.0)), roof, 0.02);
  ASSERT_TRUE(along);
  ASSERT_EQ(along->contacts.size(), 2u);
  for (const PairContact& c : along->contacts) EXPECT_NEAR(std::abs(c.point.x - 41.25), 0.75, 1e-6);
}

// The least width of the solid: of a tetrahedron between two opposite edges, of most others a face's.
TEST_F(ConvexHullInReference, EqualHullsAtOnePlaceLeaveAlongTheirLeastWidth) {
  const Points corners{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const OneBody tetrahedron = hulled(corners, {5, 6, 7});
  const auto between_edges = penetration(tetrahedron, tetrahedron);
  EXPECT_NEAR(between_edges.depth, 2.0, kRounding);
  EXPECT_NEAR(
      std::max({std::abs(between_edges.normal.x), std::abs(between_edges.normal.y), std::abs(between_edges.normal.z)}),
      1.0, kRounding);
  for (const int sides : {3, 5, 8, 40}) {
    const OneBody disc = hulled(prism(sides, 0.5, 0.1), {5, 6, 7}, random_turn(random_));
    const auto found = penetration(disc, disc);
    EXPECT_NEAR(found.depth, 0.2, 1e-7);
    EXPECT_NEAR(std::abs(glm::dot(found.normal, disc.body().axis())), 1.0, kRounding);
    EXPECT_GE(manifold(disc, disc)->contacts.size(), 3u);
  }
}

TEST(ConvexHullScene, TheReferenceTakesHullsFromTheScene) {
  Settings settings;
  settings.device = "reference";
  Collider collider(settings);
  Scene scene;
  scene.terrains.push_back(around_origin(flat));
  scene.hulls = {in_ball(20, 3), grid_on_box({0.5, 0.4, 0.3}, 2)};
  scene.bodies.shape = {Shape::convex_hull, Shape::convex_hull, Shape::sphere, Shape::convex_hull};
  scene.bodies.size = {{1, 0, 0}, {1, 0, 0}, {0.25, 0, 0}, {0, 0, 0}};
  const std::vector<double> position{0.5, 0.5, 0.29, 0.6, 0.5, 0.88, 0.6, 0.5, 1.42, 2.5, 0, 10.0};
  const std::vector<double> orientation{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  collider.set_scene(scene);
  const FrameContacts frame = collider.collide({position, orientation});
  // The ground under the lower box, box on box, ball on box; the stone is far above.
  ASSERT_EQ(frame.contacts.size(), 9u);
  for (const Contact& c : frame.contacts) {
    const bool on_ground = c.body_b == kTerrain;
    EXPECT_EQ(c.body_a, on_ground || c.body_b == 1 ? 0u : 1u);
    EXPECT_NEAR(std::abs(c.normal[2]), 1.0, 1e-6);
    EXPECT_NEAR(c.depth, 0.01, 1e-6);
  }
  scene.bodies.size[3][0] = 2;
  EXPECT_THROW(collider.set_scene(scene), Error);
}

}  // namespace
}  // namespace oclide::test
