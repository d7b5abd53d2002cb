// Ground that stands up by kilometres over one cell, as values that were no heights make it: what is buried there is
// found, by device and reference alike.
#include "hulls/convex_hull.hpp"
#include "reference/broad_phase/terrain_range.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"
#include "validation/solid_overlap.hpp"

namespace oclide::test {
namespace {

// Gentle ground, and a block of vertices that stand up to `top`, as an undeclared value for missing heights makes it.
Terrain cliff(double top) {
  constexpr std::array along_x{-0.207, -0.799, -1.360, -1.868, -2.303, -2.647, -2.887, -3.013, -3.021, -2.909};
  constexpr std::array along_y{0.0, -0.324, -0.570, -0.716, -0.748, -0.656, -0.441, -0.109, 0.325};
  return terrain_of({9, 10, {16.0, 8.0}, {1.0, 1.0}}, [&](double x, double y) {
    const bool block = x > 19.5 && y > 9.5 && y < 13.5;
    return block ? top : along_x[static_cast<std::size_t>(x - 16.0)] + along_y[static_cast<std::size_t>(y - 8.0)];
  });
}
// The same with the block in place of the ground, and the ground in place of the block.
Terrain pit(double top) {
  Terrain ground = cliff(top);
  for (double& h : ground.heights) h = h == top ? 0.0 : top + h;
  return ground;
}

// How far straight up a body must move to be free, exactly; with all its sides moved in by `eroded`.
double way_up(const Terrain& terrain, const BodySpec& b, double eroded) {
  const reference::TerrainView view(terrain, b.position);
  const reference::Body body =
      *reference::make_body(b.shape, b.size, {b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z},
                            b.hull)
           .eroded(eroded);
  return validation::overlap_depth_vertical(body,
                                            reference::TerrainSurface(view, reference::terrain_range(view, body, 0.0)));
}

class CliffTerrain : public OnEachDevice {
 protected:
  // Bodies of all shapes in the ground and around it: those that overlap it have a contact, and no others.
  void expect_found(const Terrain& terrain, double top) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> x(17.0, 24.5), y(8.5, 15.5), part(0.0, 1.0);
    TestScene scene(terrain);
    std::vector<BodySpec> bodies;
    std::vector<ConvexHull> hulls;
    for (; scene.scene.hulls.size() < 20; hulls.push_back(build_convex_hull(scene.scene.hulls.back(), "hull"))) {
      scene.scene.hulls.emplace_back(4 + scene.scene.hulls.size());
      for (auto& p : scene.scene.hulls.back()) p = {part(random) - 0.3, part(random), part(random)};
    }
    for (std::size_t k = 0; k < 1250; ++k) {
      const double z = part(random) < 0.5 ? -5.0 + 8.0 * part(random) : top * part(random);
      bodies.push_back(
          of_any_shape(k, 0.05 + 0.7 * part(random), {x(random), y(random), z}, random_orientation(random)));
      if (k >= 1000) {
        bodies.back() = convex_hull(hulls[k % 20], bodies.back().position, bodies.back().orientation);
        bodies.back().size[0] = static_cast<double>(k % 20);
      }
      scene.add(bodies.back());
    }
    std::vector<bool> found(bodies.size());
    for (const Contact& c : frame(scene).contacts) found[c.body_a] = true;
    std::size_t buried = 0;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const bool overlaps = way_up(terrain, bodies[k], 1e-4) > 0.0;
      buried += overlaps ? 1 : 0;
      EXPECT_TRUE(found[k] || !overlaps) << "top " << top << ", body " << k;
      EXPECT_FALSE(found[k] && way_up(terrain, bodies[k], 0.0) < -1e-4) << "top " << top << ", body " << k;
    }
    EXPECT_GT(buried, bodies.size() / 3);
  }
};
OCLIDE_ON_EACH_DEVICE(CliffTerrain);

// The body lies under the edge of the block, its lowest point beside it: the highest ground over it is that edge.
TEST_P(CliffTerrain, ACapsuleBuriedUnderTheEdgeOfABlockOfFiveKilometresIsLiftedToItsTop) {
  const dquat turned(-0.17474, -0.17255, -0.64191, -0.72639);
  const BodySpec body = capsule(0.44055, 0.70974, {20.07657, 12.92802, -3.05727}, turned);
  const std::vector<Contact> found = contacts(cliff(5000.0), body);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
  EXPECT_NEAR(found[0].depth, 5003.5296, 1e-3);
  EXPECT_NEAR(found[0].depth, way_up(cliff(5000.0), body, 0.0), 1e-3);
  EXPECT_NEAR(found[0].point[0], 20.0, 1e-3);
}

constexpr double kTops[] = {1.0, 30.0, 1000.0, 2500.0, 5000.0, 30000.0, 1e6};

TEST_P(CliffTerrain, BodiesInABlockAreFound) {
  for (const double top : kTops) expect_found(cliff(top), top);
}

TEST_P(CliffTerrain, BodiesInTheWallsOfAPitAreFound) {
  for (const double top : kTops) expect_found(pit(top), top);
}

}  // namespace
}  // namespace oclide::test
