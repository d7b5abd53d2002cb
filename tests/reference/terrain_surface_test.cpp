#include "reference/terrain_surface.hpp"

#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

using reference::CellRange;
using reference::Edge;
using reference::EdgeKind;

TEST(TerrainSurface, EdgesAreFlatConvexOrConcave) {
  const Terrain roof = around_origin([](double x, double) { return -std::abs(x); });
  const Terrain valley = around_origin([](double x, double) { return std::abs(x); });
  const Terrain plane = around_origin([](double x, double y) { return 0.3 * x - 0.7 * y; });
  // Edge V0 V2 of site (3, 4) runs along y from the origin.
  const auto ridge_edge = TerrainView(roof, dvec3(0.0)).edge(3, 4, 1);
  const auto valley_edge = TerrainView(valley, dvec3(0.0)).edge(3, 4, 1);
  ASSERT_TRUE(ridge_edge && valley_edge);
  EXPECT_EQ(ridge_edge->kind, EdgeKind::convex);
  EXPECT_EQ(valley_edge->kind, EdgeKind::concave);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(TerrainView(plane, dvec3(0.0)).edge(3, 4, k)->kind, EdgeKind::flat);
}

TEST(TerrainSurface, DirectionsIntoTheElementsLieInThem) {
  const Terrain rough = around_origin([](double x, double y) { return std::sin(3.0 * x) + std::cos(5.0 * y); });
  const TerrainView view(rough, dvec3(0.3, 0.2, 0.1));
  for (int k = 0; k < 3; ++k) {
    const Edge e = *view.edge(3, 4, k);
    EXPECT_NEAR(glm::dot(e.into1, e.n1), 0.0, kRounding);
    EXPECT_NEAR(glm::dot(e.into2, e.n2), 0.0, kRounding);
    EXPECT_NEAR(glm::dot(e.into1, e.direction), 0.0, kRounding);
    // A small step into an element stays on the surface.
    const dvec3 middle = 0.5 * (e.a + e.b);
    for (const dvec3 into : {e.into1, e.into2}) {
      const dvec3 p = middle + 0.05 * into;
      EXPECT_NEAR(*view.height(dvec2(p)), p.z, kRounding);
    }
  }
}

TEST(TerrainSurface, BorderEdgesHaveAWallThatLooksOut) {
  const Terrain flat = around_origin([](double, double) { return 0.0; });
  const TerrainView view(flat, dvec3(0.0));
  const std::optional<Edge> south = view.edge(0, 2, 0), west = view.edge(2, 0, 1), east = view.edge(2, 8, 1);
  ASSERT_TRUE(south && west && east);
  expect_near(south->n2, {0.0, -1.0, 0.0});
  expect_near(west->n2, {-1.0, 0.0, 0.0});
  expect_near(east->n2, {1.0, 0.0, 0.0});
  EXPECT_TRUE(south->border);
  EXPECT_FALSE(view.edge(6, 8, 0).has_value());
}

TEST(TerrainSurface, HeightFollowsTheTwoTriangles) {
  Terrain t = make_terrain(2, 2, {0.0, 0.0}, {1.0, 1.0}, [](double, double) { return 0.0; });
  t.heights = {0.0, 1.0, 2.0, 10.0};
  const TerrainView view(t, dvec3(0.0));
  EXPECT_NEAR(*view.height({0.25, 0.25}), 0.75, kRounding);
  EXPECT_NEAR(*view.height({0.5, 0.5}), 1.5, kRounding);
  EXPECT_NEAR(*view.height({0.75, 0.75}), 0.5 * 10.0 + 0.25 * 2.0 + 0.25 * 1.0, kRounding);
  EXPECT_FALSE(view.height({1.01, 0.5}).has_value());
}

TEST(TerrainSurface, DistanceIsToTheNearestElement) {
  const Terrain roof = around_origin([](double x, double) { return -std::abs(x); });
  const TerrainSurface ground(TerrainView(roof, dvec3(0.0)), CellRange{0, 6, 0, 8});
  EXPECT_NEAR(ground.boundary_distance({0.0, 0.2, 1.0}, 9.0), 1.0, kRounding);
  EXPECT_NEAR(ground.boundary_distance({0.0, 0.2, -1.0}, 9.0), std::sqrt(0.5), kRounding);
  EXPECT_NEAR(ground.wall_distance({4.5, 0.2, -9.0}), 0.5, kRounding);
  EXPECT_NEAR(ground.wall_distance({5.0, 0.2, -3.0}), std::hypot(1.0, 1.0), kRounding);
}

TEST(TerrainSurface, InsideSolidIsSignedDistanceToTheNextOpenCell) {
  Terrain t = around_origin([](double, double) { return 0.0; });
  t.holes.assign(6 * 8, 0);
  t.holes[3 * 8 + 4] = 1;  // 0 < x < 1, 0 < y < 1
  const TerrainView view(t, dvec3(0.0));
  EXPECT_NEAR(view.inside_solid({-0.1, 0.5}), 0.1, kRounding);
  EXPECT_NEAR(view.inside_solid({0.2, 0.5}), -0.2, kRounding);
  EXPECT_NEAR(view.inside_solid({4.3, 0.5}), -0.3, kRounding);
  EXPECT_GT(view.inside_solid({-2.5, -1.5}), 0.4);
  EXPECT_LT(view.inside_solid({1e6, 0.0}), -0.4);
}

}  // namespace
}  // namespace oclide::test
