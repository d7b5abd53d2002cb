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

// Beside a pit of kilometres the way out leads to a wall whose ends are far away: rounding of these does not lose it.
TEST_P(CliffTerrain, ABoxBesideADeepPitIsPushedIntoItFromEachCorner) {
  const double deep = -3491.242;
  const Terrain ground = terrain_of({13, 11, {0.0, 0.0}, {1.0, 2.0}},
                                    [&](double x, double y) { return x == 4.0 && y == 6.0 ? deep : 0.0; });
  const BodySpec body = box({0.021051, 0.187081, 0.090889}, {2.929265, 8.242752, -1.595332},
                            glm::normalize(dquat(0.295444, -0.669715, -0.475345, -0.4881)));
  // The pit's edge that ends at vertex (3, 8).
  const dvec3 end(3.0, 8.0, 0.0), edge = glm::normalize(dvec3(4.0, 6.0, deep) - end);
  const std::vector<Contact> found = contacts(ground, body);
  for (const dvec3 corner : {dvec3(-0.20847, -0.015595, -0.000739), dvec3(-0.205455, -0.000932, 0.038611)}) {
    const dvec3 p = body.position + corner;
    const double depth = glm::length(glm::cross(p - end, edge));
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Contact& c) {
      return glm::distance(point_of(c), p) < 1e-5 && std::abs(static_cast<double>(c.depth) - depth) < 2 * kClosedForm;
    })) << text(found);
  }
}

// Ground that falls by kilometres from its border: a blade, whose sides all but look away from each other.
Terrain blade(Diagonal diagonal) {
  Terrain ground =
      terrain_of({9, 4, {0.0, 0.0}, {0.5, 0.5}}, [](double x, double y) { return x == 0.0 ? 0.2 * y : -2111.8; });
  ground.diagonal = diagonal;
  return ground;
}

TEST_P(CliffTerrain, WhatStandsOnABladeTouchesAlongIt) {
  // The blade is under the body, from one side of it to the other.
  for (const Diagonal diagonal : {Diagonal::falling, Diagonal::rising}) {
    TestScene scene(blade(diagonal), {box({0.3, 0.4, 0.2}, {0.1, 2.0, 0.55}), cylinder(0.4, 0.2, {0.0, 2.0, 0.55})});
    scene.scene.hulls.emplace_back();
    for (int k = 0; k < 8; ++k)
      scene.scene.hulls[0].push_back({k & 1 ? 0.3 : -0.3, k & 2 ? 0.4 : -0.4, k & 4 ? 0.2 : -0.2});
    scene.add({Shape::convex_hull, {0.0, 0.0, 0.0}, {0.1, 2.0, 0.55}});
    const dvec3 normal = glm::normalize(dvec3(0.0, -0.2, 1.0));
    std::array<int, 3> touches{};
    for (const Contact& c : contacts(scene)) {
      const dvec3 q = point_of(c) + static_cast<double>(c.depth) * normal_of(c);
      if (glm::distance(normal_of(c), normal) > 1e-5) continue;
      ++touches[c.body_a];
      EXPECT_NEAR(q.x, 0.0, kClosedForm) << text(c);
      EXPECT_NEAR(q.z, 0.2 * q.y, kClosedForm) << text(c);
      EXPECT_NEAR(point_of(c).z, 0.35, kClosedForm) << text(c);
    }
    for (const int count : touches) EXPECT_GT(count, 0);
  }
}

// An element of a wall ends in a tip at the wall's foot, where its sides, flat edges all, make an angle of a
// thousandth. What is just beyond both of them may be far from the ground.
TEST_P(CliffTerrain, NoFootIsBeyondTheTipOfAWallsElement) {
  constexpr std::array foot{0.014, 0.082, 0.097, -0.058, 0.031, -0.04, 0.06, 0.02};
  const Terrain ground = terrain_of({8, 8, {0.0, 0.0}, {1.0, 1.0}}, [&](double x, double y) {
    return y < 3.5 ? 1000.0 : foot[static_cast<std::size_t>(x + 3.0 * y) % foot.size()];
  });
  std::size_t found = 0;
  for (const double vertex : {2.0, 5.0})
    for (const double beside : {-1e-4, -5e-5, 0.0, 5e-5, 1e-4}) {
      TestScene scene(ground);
      scene.scene.hulls.push_back({{0.1, 0.0, 0.0}, {-0.1, 0.1, 0.0}, {-0.1, -0.1, 0.0}, {0.0, 0.0, 0.1}});
      for (int k = 0; k < 20; ++k) {
        const dvec3 centre(vertex + beside, 3.0 + 0.04 * k, -0.3 + 0.02 * k);
        scene.add(sphere(0.05, centre));
        scene.add(box({0.1, 0.1, 0.1}, centre + 0.1));
        scene.add(cylinder(0.1, 0.1, centre + 0.1, turn({0, 1, 0}, 0.3)));
        scene.add(capsule(0.05, 0.1, centre + dvec3(0.0, 0.0, 0.1)));
        scene.add({Shape::convex_hull, {0.0, 0.0, 0.0}, centre + dvec3(-0.1, 0.0, 0.0)});
      }
      const reference::TerrainView view(ground, dvec3(0.0));
      for (const Contact& c : contacts(scene)) {
        const dvec3 q = point_of(c) + static_cast<double>(c.depth) * normal_of(c);
        EXPECT_TRUE(view.nearest(q, 1e-4)) << vertex << ", beside it " << beside << ": " << text(c);
        ++found;
      }
    }
  EXPECT_GT(found, 1000U);
}

// Across the border of a pit the body's lowest point jumps from one corner to another, both beside the blade: only
// where a side of the box passes it is there a contact with it.
TEST_P(CliffTerrain, ABoxAcrossABladeTouchesItWhereItIs) {
  const Terrain ground = terrain_of({9, 6, {0.0, 0.0}, {0.5, 0.5}},
                                    [](double x, double y) { return x == 0.5 && y == 3.5 ? -2111.79952 : 0.0; });
  const BodySpec body = box({0.20737, 0.90286, 1.17348}, {0.47174, 3.51163, 0.71301},
                            glm::normalize(dquat(0.2868, 0.04919, -0.95183, -0.09668)));
  const std::vector<Contact> found = contacts(ground, body);
  EXPECT_EQ(found.size(), 3U) << text(found);
  for (const Contact& c : found) EXPECT_GT(c.depth, 0.295F) << text(c);
}

Terrain ground_of(std::array<double, 2> spacing, const std::vector<std::vector<double>>& rows) {
  return terrain_of({rows.size(), rows[0].size(), {0.0, 0.0}, spacing}, [&](double x, double y) {
    return rows[static_cast<std::size_t>(std::lround(y / spacing[1]))]
               [static_cast<std::size_t>(std::lround(x / spacing[0]))];
  });
}

// Above the top of a pit's wall, in line with it: the wall's plane is near, and the wall is not. Of the box's face that
// is level with the border's wall no point of the border is pushed through the free space behind.
TEST_P(CliffTerrain, AWayOverTheTopOfAPitsWallIsNotInTheGround) {
  const Terrain ground = ground_of({0.5, 0.5}, {{0.05625, -0.05987, -0.01796, 0.01905, 0.10102, -0.08628},
                                                {0.08348, -1862.0737, -0.04532, -1862.06393, -0.00424, -0.10426},
                                                {0.04745, -0.11401, 0.06044, 0.05982, -0.00152, -0.14118},
                                                {0.01281, -0.03591, -0.02923, 0.13125, 0.13322, -0.09826}});
  const BodySpec body =
      box({0.34654, 0.5423, 0.41412}, {1.18841, 0.29703, -0.44074}, turn({1, 0, 0}, 0.5 * std::numbers::pi));
  const std::vector<Contact> found = contacts(ground, body);
  ASSERT_EQ(found.size(), 1U) << text(found);
  EXPECT_NEAR(found[0].depth, 0.03767, 1e-4);
}

// The way out leads along the wall of a peak of a kilometre, less than a slack above the ground before it.
TEST_P(CliffTerrain, AWayAlongAPeaksWallIsInTheGround) {
  const Terrain ground = ground_of({2.0, 0.5}, {{-0.141393297, -0.105622175, 0.128463307},
                                                {-0.0393020629, 0.00341700654, 0.0488528858},
                                                {0.00371469404, 0.0950209308, 0.0147225807},
                                                {1318.26995, 0.0274785912, -0.0794096305},
                                                {-0.0668565322, -0.125064901, 0.118783292},
                                                {0.120429324, -0.0848555228, -0.140077594}});
  const BodySpec body = box({1.00715834, 0.779633287, 0.910784796}, {2.206195824, 1.525884512, 0.03567363131});
  const std::vector<Contact> found = contacts(ground, body);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Contact& c) {
    return c.normal[0] > 0.9999F && std::abs(c.depth - 0.80096F) < 1e-4F;
  })) << text(found);
}

// Along an edge that goes down for kilometres, its upper end is where it is.
TEST_P(CliffTerrain, ABoxOverTheRimOfAPitTouchesTheEndOfTheEdgeThatLeadsDown) {
  const Terrain ground = terrain_of({7, 9, {0.0, 0.0}, {1.0, 2.0}},
                                    [](double x, double y) { return x == 5.0 && y == 12.0 ? -1855.43241079 : 0.0; });
  const dvec3 position(5.54035307, 11.42133565, -1.25575171);
  const BodySpec body = box({1.42450628, 1.60041057, 1.58807545}, position,
                            glm::normalize(dquat(-0.92826804, -0.01686945, 0.37000293, 0.03364066)));
  const std::vector<Contact> found = contacts(ground, body);
  EXPECT_TRUE(contain(
      found,
      {{position + dvec3(0.83628781, 0.55980097, 1.25554871), {-0.99874806, 0.05002048, 0.00053828}, 0.37711301}}))
      << text(found);
}

// The wall of a hole is that of a blade, as the ground behind it falls into a pit: a ball's centre is before it, and
// most of what is in the ball is behind it.
TEST_P(CliffTerrain, ABallInAHoleBesideAPitIsPushedOffTheWallBetween) {
  Terrain ground = terrain_of({6, 6, {0.0, 0.0}, {0.5, 0.25}},
                              [](double x, double y) { return x == 1.0 && y == 1.0 ? -798.3 : 0.0; });
  ground.holes.assign(25, 0);
  ground.holes[cell(ground, 2, 2)] = 1;
  const std::vector<Contact> found = contacts(ground, sphere(0.15, {1.27, 0.72, -0.13}));
  EXPECT_TRUE(same_contacts(found, {{{1.27, 0.87, -0.13}, {0, -1, 0}, 0.12}}));
}

// Which four points of a rim stand for a base that is level with a wall is told by up, however the ground's border
// runs.
TEST_P(CliffTerrain, ABaseThatIsLevelWithAWallHasPointsBelowAndBeside) {
  const Terrain ground = terrain_of({5, 9, {0.0, 0.0}, {0.25, 1.0}}, [](double x, double) { return 0.8 * x; });
  const double r = 0.4577, h = 0.2;
  const BodySpec body = cylinder(r, h, {1.1, 4.0 + h - 0.0157, 0.78}, kAlongY);
  const std::vector<Contact> found = contacts(ground, body);
  for (const dvec3 beside : {dvec3(r, -h, 0.0), dvec3(0.0, -h, -r)})
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Contact& c) {
      return glm::distance(point_of(c), body.position + beside) < kClosedForm &&
             std::abs(static_cast<double>(c.depth) - 0.0157) < kClosedForm;
    })) << text(found);
}

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
