// Rays at terrain: its surface, its walls, its inside, its holes, and what must not pass between cells.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "rays/cast.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class TerrainRay : public RayTest {};
OCLIDE_ON_EACH_DEVICE(TerrainRay);

std::uint32_t element_at(const Terrain& t, std::size_t row, std::size_t col, std::uint32_t k) {
  return 2 * static_cast<std::uint32_t>(row * (t.cols - 1) + col) + k;
}

// Five rows of six cells of 2 m by 1 m from (0, 0) on, level at 0.
Terrain level() {
  return plane({6, 7, {0.0, 0.0}, {2.0, 1.0}}, 0.0, 0.0);
}

TEST_P(TerrainRay, NamesTheTriangleAndItsMaterial) {
  Terrain t = level();
  t.material.resize(30);
  for (std::size_t c = 0; c < 30; ++c) t.material[c] = static_cast<std::uint8_t>(c + 1);
  RayList rays;
  for (std::size_t row = 0; row < 5; ++row)
    for (std::size_t col = 0; col < 6; ++col)
      for (const double part : {0.25, 0.75})
        rays.add({2.0 * (static_cast<double>(col) + part), static_cast<double>(row) + part, 9.0}, {0, 0, -1});
  const std::vector<Hit> hits = cast(TestScene(t), rays);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_TRUE(is_hit(hits[i], kTerrain, 9.0, {0, 0, 1}));
    EXPECT_EQ(hits[i].element, i);
    EXPECT_EQ(hits[i].material, i / 2 + 1);
  }
}

TEST_P(TerrainRay, RaysHitAPlaneAtAnySlopeAndPlace) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> inside(0.1, 0.9);
  for (const dvec2 origin : {dvec2(-10.0, -8.0), dvec2(7000.3, -9000.7)})
    for (const dvec2 slope : {dvec2(0.0), dvec2(0.5, -0.25), dvec2(-3.0, 4.0)}) {
      const Terrain t =
          plane({33, 41, {origin.x, origin.y}, {0.5, 0.3}}, slope.x, slope.y, -slope.x * origin.x - slope.y * origin.y);
      const dvec3 n = glm::normalize(dvec3(-slope.x, -slope.y, 1.0));
      RayList rays;
      std::vector<double> expected;
      for (int k = 0; k < 60; ++k) {
        const dvec2 p = origin + dvec2(20.0, 9.6) * dvec2(inside(random), inside(random));
        const dvec3 at(p, glm::dot(slope, p - origin));
        dvec3 way = random_way(random);
        if (glm::dot(way, n) > 0.0) way = -way;
        if (glm::dot(way, n) > -0.2) way = -n;
        // So near that the ray comes in over the plane and not through a wall.
        const double distance = k % 3 == 0 ? 0.3 : 0.01;
        rays.add(at - distance * way, way), expected.push_back(distance);
        rays.add(at + 2000.0 * n, -n), expected.push_back(2000.0);
        rays.add(at + 3.0 * n, n), expected.push_back(kForever);
        rays.add(at + 3.0 * n, -n, 2.99), expected.push_back(kForever);
        rays.add(at - 0.3 * n, random_way(random)), expected.push_back(0.0);
      }
      const std::vector<Hit> hits = cast(TestScene(t), rays);
      for (std::size_t i = 0; i < hits.size(); ++i) {
        if (expected[i] == kForever) {
          EXPECT_TRUE(is_miss(hits[i])) << i;
        } else {
          EXPECT_TRUE(is_hit(hits[i], kTerrain, expected[i], expected[i] == 0.0 ? -rays.way_of(i) : n, 1e5)) << i;
        }
      }
    }
}

TEST_P(TerrainRay, TheBorderIsAWallThatGoesDownWithoutEnd) {
  const TestScene scene(level());
  for (const double z : {-0.001, -3.0, -8000.0}) {
    EXPECT_TRUE(is_hit(cast(scene, {-5.0, 2.25, z}, {1, 0, 0}), kTerrain, 5.0, {-1, 0, 0}));
    EXPECT_TRUE(is_hit(cast(scene, {17.0, 2.25, z}, {-1, 0, 0}), kTerrain, 5.0, {1, 0, 0}));
    EXPECT_TRUE(is_hit(cast(scene, {4.5, -5.0, z}, {0, 1, 0}), kTerrain, 5.0, {0, -1, 0}));
    EXPECT_TRUE(is_hit(cast(scene, {4.5, 10.0, z}, {0, -1, 0}), kTerrain, 5.0, {0, 1, 0}));
  }
  EXPECT_TRUE(is_miss(cast(scene, {-5.0, 2.25, 0.001}, {1, 0, 0})));
  EXPECT_TRUE(is_miss(cast(scene, {-5.0, 2.25, -1.0}, {1, 0, 0}, 4.999)));
  EXPECT_TRUE(is_hit(cast(scene, {-5.0, 2.25, -1.0}, {1, 0, 0}, 5.0), kTerrain, 5.0, {-1, 0, 0}));
  // Up from below, beside it and under it.
  EXPECT_TRUE(is_miss(cast(scene, {-0.5, 2.25, -50.0}, {0, 0, 1})));
  EXPECT_TRUE(is_hit(cast(scene, {0.5, 2.25, -50.0}, {0, 0, 1}), kTerrain, 0.0, {0, 0, -1}));
  // Down along the wall, outside.
  EXPECT_TRUE(is_miss(cast(scene, {-0.5, 2.25, 50.0}, {0, 0, -1})));
  EXPECT_TRUE(is_miss(cast(scene, {-0.001, 2.25, 50.0}, {0, 0, -1})));
  // Over the border from above, down to the wall on the far side of nothing.
  EXPECT_TRUE(is_hit(cast(scene, {-4.0, 2.25, 1.0}, {1, 0, -0.5}), kTerrain, std::hypot(4.0, 2.0), {-1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {-4.0, 2.25, 3.0}, {1, 0, -0.5}), kTerrain, std::hypot(6.0, 3.0), {0, 0, 1}));
  // The cell at the wall.
  const Hit hit = cast(scene, {-5.0, 2.75, -1.0}, {1, 0, 0});
  EXPECT_EQ(hit.element, element_at(level(), 2, 0, 0));
  EXPECT_EQ(cast(scene, {17.0, 2.75, -1.0}, {-1, 0, 0}).element, element_at(level(), 2, 5, 1));
}

TEST_P(TerrainRay, AHoleHasWallsAndNoFloor) {
  Terrain t = level();
  t.holes.assign(30, 0);
  t.holes[2 * 6 + 3] = 1;  // 6 < x < 8, 2 < y < 3
  t.material.assign(30, 0);
  t.material[2 * 6 + 4] = 9;
  const TestScene scene(t);
  EXPECT_TRUE(is_miss(cast(scene, {7.0, 2.5, 5.0}, {0, 0, -1})));
  EXPECT_TRUE(is_miss(cast(scene, {7.0, 2.5, -5.0}, {0, 0, 1})));
  EXPECT_TRUE(is_hit(cast(scene, {5.9, 2.5, 5.0}, {0, 0, -1}), kTerrain, 5.0, {0, 0, 1}));
  const Hit east = cast(scene, {7.0, 2.5, -0.5}, {1, 0, 0});
  EXPECT_TRUE(is_hit(east, kTerrain, 1.0, {-1, 0, 0}));
  EXPECT_EQ(east.element / 2, 2 * 6 + 4U);
  EXPECT_EQ(east.material, 9);
  EXPECT_TRUE(is_hit(cast(scene, {7.0, 2.5, -0.5}, {-1, 0, 0}), kTerrain, 1.0, {1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {7.0, 2.5, -0.5}, {0, 1, 0}), kTerrain, 0.5, {0, -1, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {7.0, 2.5, -0.5}, {0, -1, 0}), kTerrain, 0.5, {0, 1, 0}));
  // In over the rim and against the wall behind.
  EXPECT_TRUE(is_hit(cast(scene, {5.0, 2.5, 1.0}, {1, 0, -0.5}), kTerrain, std::hypot(3.0, 1.5), {-1, 0, 0}));
  // Out of it again, upward.
  EXPECT_TRUE(is_miss(cast(scene, {6.5, 2.5, -0.5}, {1, 0, 1})));
  EXPECT_TRUE(is_hit(cast(scene, {6.5, 2.5, -0.5}, {1, 0, 0.25}), kTerrain, std::hypot(1.5, 0.375), {-1, 0, 0}));
}

TEST_P(TerrainRay, CellsBesideAHeightWithoutDataAreOpen) {
  Terrain t = level();
  t.heights[2 * 7 + 3] = kNoData;  // vertex at (6, 2)
  const TestScene scene(t);
  for (const double x : {4.5, 6.0, 7.5})
    for (const double y : {1.25, 2.0, 2.75})
      EXPECT_TRUE(is_miss(cast(scene, {x, y, 5.0}, {0, 0, -1}))) << x << " " << y;
  EXPECT_TRUE(is_hit(cast(scene, {3.9, 2.0, 5.0}, {0, 0, -1}), kTerrain, 5.0, {0, 0, 1}));
  EXPECT_TRUE(is_hit(cast(scene, {6.0, 2.0, -5.0}, {1, 0, 0}), kTerrain, 2.0, {-1, 0, 0}));
  Terrain none = level();
  std::fill(none.heights.begin(), none.heights.end(), kNoData);
  EXPECT_TRUE(is_miss(cast(TestScene(none), {5.0, 2.0, 5.0}, {0, 0, -1})));
  EXPECT_TRUE(is_miss(cast(TestScene(none), {-5.0, 2.0, -5.0}, {1, 0, 0})));
}

// A cliff between two columns of vertices is an element, no wall.
TEST_P(TerrainRay, ACliffIsASlope) {
  const Terrain t = terrain_of({5, 9, {0.0, 0.0}, {1.0, 1.0}}, [](double x, double) { return x >= 4.0 ? 100.0 : 0.0; });
  const TestScene scene(t);
  const dvec3 n = glm::normalize(dvec3(-100.0, 0.0, 1.0));
  EXPECT_TRUE(is_hit(cast(scene, {0.5, 1.25, 50.0}, {1, 0, 0}), kTerrain, 3.0, n));
  EXPECT_TRUE(is_miss(cast(scene, {0.5, 1.25, 100.01}, {1, 0, 0})));
  EXPECT_TRUE(is_hit(cast(scene, {7.5, 1.25, 99.0}, {-1, 0, 0}), kTerrain, 0.0, {1, 0, 0}));
}

// Every vertex, and places on every side and diagonal of cells, from above, steeper than any triangle: nothing gets
// through.
TEST_P(TerrainRay, NoRayPassesBetweenCells) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(0.0, 1.0), lean(-1.0, 1.0);
  for (const Grid& grid : {Grid{14, 17, {0.0, 0.0}, {1.0, 1.0}}, Grid{14, 17, {8123.4, -7123.7}, {0.3, 0.7}}}) {
    const Terrain t = rough(grid, 0.5 * std::min(grid.spacing[0], grid.spacing[1]), 3);
    const auto place = [&](double row, double col) {
      return dvec2(t.origin[0] + col * t.spacing[0], t.origin[1] + row * t.spacing[1]);
    };
    const auto height = [&](std::size_t row, std::size_t col) { return t.heights[vertex(t, row, col)]; };
    RayList rays;
    std::vector<dvec3> aims;
    const auto aim_at = [&](dvec2 p, double z) {
      const dvec3 at(p, z);
      for (const dvec3& from : {dvec3(0.0, 0.0, 1.0), dvec3(0.2, 0.0, 1.0), dvec3(0.0, -0.2, 1.0), dvec3(0.1, 0.1, 1.0),
                                dvec3(-0.1, 0.1, 1.0), dvec3(0.3 * lean(random), 0.3 * lean(random), 1.0)}) {
        rays.add(at + 5.0 * from, -from);
        aims.push_back(at);
      }
      rays.add(at + dvec3(0.0, 0.0, 7000.0), {0, 0, -1}), aims.push_back(at);
    };
    for (std::size_t i = 1; i + 2 < t.rows; ++i)
      for (std::size_t j = 1; j + 2 < t.cols; ++j) {
        const double part = unit(random), row = static_cast<double>(i), col = static_cast<double>(j);
        aim_at(place(row, col), height(i, j));
        aim_at(place(row, col + part), height(i, j) * (1.0 - part) + height(i, j + 1) * part);
        aim_at(place(row + part, col), height(i, j) * (1.0 - part) + height(i + 1, j) * part);
        aim_at(place(row + part, col + 1.0 - part), height(i, j + 1) * (1.0 - part) + height(i + 1, j) * part);
      }
    const std::vector<Hit> hits = cast(TestScene(t), rays);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(hits[i].body, kTerrain) << i;
      const double to_aim = glm::distance(rays.origin_of(i), aims[i]);
      EXPECT_LE(hits[i].distance, to_aim + 30.0 * tolerance(1e4).of(to_aim)) << i;
      if (rays.way_of(i).z == -1.0) {
        EXPECT_NEAR(hits[i].distance, to_aim, 10.0 * tolerance(1e4).of(to_aim)) << i;
      }
    }
  }
}

// Along lines of the grid and diagonals, level with the surface or just above and below it.
TEST_P(TerrainRay, RaysAlongTheLinesOfTheGridHitOrPassOver) {
  const Terrain t = level();
  const TestScene scene(t);
  for (const dvec3 way :
       {dvec3(1, 0, 0), dvec3(-1, 0, 0), dvec3(0, 1, 0), dvec3(0, -1, 0), dvec3(2, 1, 0), dvec3(-2, 1, 0)})
    for (const dvec2 through : {dvec2(4.0, 2.0), dvec2(6.0, 3.0)}) {
      const dvec3 from = dvec3(through, 0.0) - 20.0 * way;
      EXPECT_TRUE(is_miss(cast(scene, from + dvec3(0, 0, 2e-4), way))) << way.x << way.y;
      EXPECT_EQ(cast(scene, from - dvec3(0, 0, 2e-4), way).body, kTerrain) << way.x << way.y;
      // Down onto the crossing of lines.
      const dvec3 down = glm::normalize(way) - dvec3(0.0, 0.0, 0.5);
      EXPECT_TRUE(
          is_hit(cast(scene, dvec3(through, 0.0) - 0.7 * down, down), kTerrain, 0.7 * glm::length(down), {0, 0, 1}));
    }
}

TEST_P(TerrainRay, BetweenTwoHillsItGoesOverTheFirst) {
  const Terrain t = terrain_of({21, 201, {0.0, 0.0}, {1.0, 1.0}}, [](double x, double) {
    return std::max(0.0, 10.0 - std::abs(x - 50.0)) + std::max(0.0, 20.0 - std::abs(x - 150.0));
  });
  const TestScene scene(t);
  EXPECT_TRUE(is_hit(cast(scene, {1.0, 10.25, 5.0}, {1, 0, 0}), kTerrain, 44.0, glm::normalize(dvec3(-1, 0, 1))));
  EXPECT_TRUE(is_hit(cast(scene, {1.0, 10.25, 15.0}, {1, 0, 0}), kTerrain, 144.0, glm::normalize(dvec3(-1, 0, 1))));
  EXPECT_TRUE(is_miss(cast(scene, {1.0, 10.25, 25.0}, {1, 0, 0})));
  EXPECT_TRUE(is_hit(cast(scene, {199.0, 10.25, 10.5}, {-1, 0, 0}), kTerrain, 39.5, glm::normalize(dvec3(1, 0, 1))));
}

// Walks as long as the grid, and rays that begin a million kilometres away.
TEST_P(TerrainRay, RaysFromFarOriginsHit) {
  const Terrain t = plane({101, 121, {-60.0, -50.0}, {1.0, 1.0}}, 0.0, 0.0, 3.0);
  const TestScene scene(t);
  for (const double far : {1e5, 1e9}) {
    const Hit hit = cast(scene, {0.25, 0.3, far}, {0, 0, -1});
    EXPECT_TRUE(is_hit(hit, kTerrain, far - 3.0, {0, 0, 1}, far));
    EXPECT_TRUE(is_hit(cast(scene, {-far, 0.3, -7.0}, {1, 0, 0}), kTerrain, far - 60.0, {-1, 0, 0}, far));
    EXPECT_TRUE(is_miss(cast(scene, {-far, 0.3, 3.1}, {1, 0, 0})));
  }
  EXPECT_TRUE(is_miss(cast(scene, {0.25, 0.3, 1e12}, {0, 0, 1})));
}

// Past the upper edges of the border's walls by three times the tolerance, from kilometres away: coming and going.
TEST_P(TerrainRay, RaysFromAfarPassBesideTheBorder) {
  const Terrain t = plane({101, 121, {-60.0, -50.0}, {1.0, 1.0}}, 0.0, 0.0, 3.0);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> along(-0.9, 0.9), rise(0.2, 3.0), far(3000.0, 9000.0);
  RayList rays;
  std::vector<std::uint32_t> expected;
  for (int k = 0; k < 600; ++k) {
    const double side = k % 2 == 0 ? 1.0 : -1.0;
    const bool of_column = k % 4 < 2;
    const dvec3 out = side * (of_column ? dvec3(1, 0, 0) : dvec3(0, 1, 0));
    const dvec3 edge(of_column ? 60.0 * side : 60.0 * along(random), of_column ? 50.0 * along(random) : 50.0 * side,
                     3.0);
    const dvec3 aside(out.y * along(random), out.x * along(random), 0.0);
    const double slope = rise(random);
    for (const double past : {-3e-4, 3e-4}) {
      // Down in over the edge against the top or the wall, down out of the grid, up from below past the wall.
      const dvec3 in_down = glm::normalize(-out + aside - dvec3(0.0, 0.0, slope));
      const dvec3 out_down = glm::normalize(out + aside - dvec3(0.0, 0.0, slope));
      const dvec3 in_up = glm::normalize(-out + aside + dvec3(0.0, 0.0, slope));
      const double t_far = far(random);
      rays.add(edge - past * out - t_far * in_down, in_down), expected.push_back(kTerrain);
      rays.add(edge - past * out * 2.0 - t_far * out_down, out_down),
          expected.push_back(past > 0.0 ? kTerrain : kNothing);
      rays.add(edge + past * 4.0 * dvec3(0, 0, 1) - t_far * in_up, in_up),
          expected.push_back(past > 0.0 ? kNothing : kTerrain);
    }
  }
  const std::vector<Hit> hits = cast(TestScene(t), rays);
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits[i].body, expected[i]) << i % 3 << " " << text(hits[i]);
}

// On CPUs rays are side by side, those of a run one after another: none may change another's hit by a bit, whichever
// ones are beside it, and whatever ground each is over.
TEST_P(TerrainRay, RaysSideBySideHitAsEachAlone) {
  const auto hills = [](double x, double y) {
    return 4.0 * std::sin(0.11 * x) * std::cos(0.07 * y) + std::sin(1.3 * x);
  };
  Scene scene;
  scene.terrains = {terrain_of({181, 221, {-110.0, -90.0}, {1.0, 1.0}}, hills),
                    terrain_of({19, 14, {-20.0, -30.0}, {3.0, 2.5}}, hills), level()};
  scene.terrains[1].holes.assign(18 * 13, 0);
  for (std::size_t c = 0; c < 18 * 13; c += 5) scene.terrains[1].holes[c] = 1;
  scene.terrains[2].diagonal = Diagonal::alternating_rising;
  scene.environment_terrain = {0, 1, -1, 2};
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> x(-120.0, 120.0), up(-8.0, 20.0), fall(-0.5, 0.1);
  RayList rays;
  for (int k = 0; k < 700; ++k) {
    const std::uint32_t in = k < 300 ? 0 : static_cast<std::uint32_t>(random() % 4);
    const double part = in == 0 ? 1.0 : 0.2;
    const dvec3 from(part * x(random), part * x(random), up(random)), to(part * x(random), part * x(random), 0.0);
    dvec3 way = to - from;
    if (k % 3 == 0) way.z = fall(random) * glm::length(way);
    rays.add(from, way, k % 7 == 0 ? 30.0 : kForever, in);
  }
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene);
  const std::vector<Hit> all = collider.cast({}, rays.rays()).hits;
  EXPECT_GT(std::count_if(all.begin(), all.end(), [](const Hit& hit) { return hit.body == kTerrain; }), 250);
  for (std::size_t k = 0; k < all.size(); ++k) {
    RayList alone;
    alone.add(rays.origin_of(k), {rays.direction[3 * k], rays.direction[3 * k + 1], rays.direction[3 * k + 2]},
              rays.length[k], rays.environment[k]);
    const Hit hit = collider.cast({}, alone.rays()).hits[0];
    EXPECT_EQ(std::memcmp(&hit, &all[k], sizeof(Hit)), 0) << k << text(hit) << text(all[k]);
  }
}

TEST_P(TerrainRay, ChangedHeightsAreHit) {
  const Terrain t = level();
  const TestScene scene(t);
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  RayList rays;
  rays.add({5.0, 2.5, 9.0}, {0, 0, -1});
  EXPECT_TRUE(is_hit(collider.cast(scene.poses(), rays.rays()).hits[0], kTerrain, 9.0, {0, 0, 1}));
  const std::vector<double> raised(4, 2.0);
  collider.update_heights(0, 2, 2, 2, 2, raised);
  EXPECT_TRUE(is_hit(collider.cast(scene.poses(), rays.rays()).hits[0], kTerrain, 7.0, {0, 0, 1}));
}

}  // namespace
}  // namespace oclide::test
