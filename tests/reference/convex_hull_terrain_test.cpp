// Hulls on terrain: what the hull of a box's corners has in common with the box, and what a hull alone has.
#include <algorithm>
#include <random>

#include "hulls/point_clouds.hpp"
#include "reference/two_bodies.hpp"

namespace oclide::test {
namespace {

OneBody box_as_hull(const OneBody& box) {
  return hulled(grid_on_box({box.size[0], box.size[1], box.size[2]}, 2), box.position, box.orientation);
}

// Each certain contact of one is one of the other.
std::size_t expect_each_in(const std::vector<GroundContact>& some, const std::vector<GroundContact>& all,
                           const std::string& what) {
  std::size_t certain = 0;
  for (const GroundContact& c : some) {
    if (!c.held || c.optional) continue;
    ++certain;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [&](const GroundContact& d) {
                              return glm::distance(c.normal, d.normal) < 1e-6 && std::abs(c.depth - d.depth) < 1e-6 &&
                                     glm::distance(c.point, d.point) < 1e-6;
                            }))
        << what << ", " << reference::to_string(c.kind) << " of depth " << c.depth << ", normal " << c.normal.x << " "
        << c.normal.y << " " << c.normal.z;
  }
  return certain;
}

TEST(ConvexHullTerrain, AHullOfABoxHasTheContactsOfTheBox) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::size_t contacts = 0, edges = 0, vertices = 0;
  for (int k = 0; k < 1200; ++k) {
    const double rough = k % 3 == 0 ? 0.0 : 0.5 * (k % 3);
    Terrain terrain = around_origin([&](double, double) { return rough * std::pow(part(random), 5.0); });
    if (k % 4 == 0) {
      terrain.holes.assign(6 * 8, 0);
      for (auto& hole : terrain.holes) hole = part(random) > 0.7 ? 1 : 0;
    }
    const auto size = [&] { return static_cast<double>(static_cast<float>(1.2 + part(random))); };
    OneBody box = block({size(), size(), size()}, 4.0 * dvec3(part(random), part(random), 0.4 * part(random)),
                        k % 5 == 0 ? kUpright : random_turn(random));
    const OneBody hull = box_as_hull(box);
    const double margin = k % 2 == 0 ? 0.0 : 0.05;
    const auto of_box = box.all(terrain, margin), of_hull = hull.all(terrain, margin);
    const std::string what = "case " + std::to_string(k);
    contacts += expect_each_in(of_box, of_hull, what + ", the hull lacks what the box has");
    expect_each_in(of_hull, of_box, what + ", the box lacks what the hull has");
    for (const GroundContact& c : of_hull) {
      edges += c.held && c.kind == reference::ContactKind::edge ? 1 : 0;
      vertices += c.held && c.kind == reference::ContactKind::vertex ? 1 : 0;
    }
  }
  EXPECT_GT(contacts, 1500u);
  EXPECT_GT(edges, 50u);
  EXPECT_GT(vertices, 50u);
}

TEST(ConvexHullTerrain, StandsOnAPlaneOnTheLowestFour) {
  const OneBody body =
      hulled(changed(grid_on_box({0.5, 0.4, 0.3}, 2), dmat3(1.0), {5.0, -2.0, 1.0}), {-4.5, 2.0, -0.8});
  const auto manifolds = body.manifolds(around_origin(flat));
  ASSERT_EQ(manifolds.size(), 1u);
  EXPECT_EQ(manifolds[0].size(), 4u);
  EXPECT_NEAR(manifolds[0][0].depth, 0.1, 1e-7);
  const auto [left, right] = extent(manifolds[0], {1, 0, 0});
  EXPECT_NEAR(left, 4.5, 1e-6);
  EXPECT_NEAR(right, 5.5, 1e-6);
}

// The body's position is beyond the border of the ground, or over it, and the body is not.
TEST(ConvexHullTerrain, WallsAskWhereTheHullIs) {
  const auto box_at = [](dvec3 middle, dvec3 position) {
    return hulled(changed(grid_on_box(dvec3(0.5), 2), dmat3(1.0), middle - position), position);
  };
  const Terrain terrain = around_origin(flat);
  for (const dvec3 position : {dvec3(6.0, 0.0, -0.3), dvec3(0.0, 0.0, -0.3), dvec3(4.4, 0.1, -2.0)}) {
    const auto beside = box_at({4.4, 0.1, -2.0}, position).contacts(terrain);
    ASSERT_NE(find(beside, {1, 0, 0}), nullptr);
    EXPECT_NEAR(find(beside, {1, 0, 0})->depth, 0.1, 1e-6);
    const auto inside = box_at({3.0, 0.1, 0.4}, position).manifolds(terrain);
    ASSERT_EQ(inside.size(), 1u);
    EXPECT_NEAR(inside[0][0].depth, 0.1, 1e-6);
    EXPECT_EQ(inside[0].size(), 4u);
  }
}

// A wedge's sharp edge across the ground's ridge.
TEST(ConvexHullTerrain, AWedgeOnARidgeTouchesWhereTheEdgesCross) {
  const Points wedge{{-1, 0, 0}, {1, 0, 0}, {-1, -1, 2}, {1, -1, 2}, {-1, 1, 2}, {1, 1, 2}};
  const OneBody body = hulled(wedge, {0.05, 0.3, -0.02});
  const auto manifolds = body.manifolds(around_origin(roof));
  expect_one_manifold(manifolds, kUp, 0.02, 1);
  expect_near(manifolds[0][0].point + body.position, {0, 0.3, -0.02}, 1e-9);
}

TEST(ConvexHullTerrain, ASpikeOfTheGroundLeavesThroughTheNearestFace) {
  const Terrain spike = around_origin([](double x, double y) { return std::abs(x) + std::abs(y) < 0.5 ? 3.0 : 0.0; });
  const OneBody body = hulled(changed(grid_on_box({0.5, 0.5, 0.5}, 2), dmat3(1.0), {0.1, 0.2, 0.0}), {0.0, 0.0, 3.35});
  const auto contacts = body.contacts(spike);
  EXPECT_NE(find(contacts, kUp), nullptr);
  EXPECT_NEAR(deepest(contacts), 0.15, 1e-9);
}

// As fine as the prism is, each of its corners is a contact of its own; kept are four.
TEST(ConvexHullTerrain, AFinePrismStandsAsTheCylinderDoes) {
  for (const int sides : {8, 64, 500}) {
    const OneBody prism_body = hulled(prism(sides, 0.5, 0.8), {0.3, 0.2, 0.75});
    const auto manifolds = prism_body.manifolds(around_origin(flat));
    expect_one_manifold(manifolds, kUp, 0.05 + static_cast<float>(0.8) - 0.8, 4);
    const OneBody lying = hulled(prism(sides, 0.5, 0.8), {0.3, 0.2, 0.48}, kAlongX);
    EXPECT_NEAR(deepest(lying.contacts(around_origin(flat))), 0.02, 0.5 * (1.0 - std::cos(kHalfTurn / sides)) + 1e-6);
  }
}

}  // namespace
}  // namespace oclide::test
