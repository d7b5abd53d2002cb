// Impacts with terrain and with triangle meshes whose times are known.
#include <cmath>
#include <numbers>

#include "motion/motion.hpp"
#include "support/mesh_shapes.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class SurfaceImpact : public MotionTest {};
OCLIDE_ON_EACH_DEVICE(SurfaceImpact);

const Grid kGrid{13, 17, {-8.0, -6.0}, {1.0, 1.0}};

Terrain with_materials(Terrain terrain) {
  terrain.material.resize((terrain.rows - 1) * (terrain.cols - 1));
  for (std::size_t c = 0; c < terrain.material.size(); ++c) terrain.material[c] = static_cast<std::uint8_t>(c % 251);
  return terrain;
}

std::uint32_t element_of(const Terrain& t, std::size_t row, std::size_t col, std::uint32_t k) {
  return 2 * static_cast<std::uint32_t>(row * (t.cols - 1) + col) + k;
}

TEST_P(SurfaceImpact, WhatFallsOnFlatGroundNamesTriangleAndMaterial) {
  const Terrain ground = with_materials(plane(kGrid, 0.0, 0.0, 0.25));
  for (const double height : {3.0, 300.0, 5e4}) {
    const double speed = 1.5 * height;
    const auto found =
        impact(MovingScene(ground).add(sphere(0.05, {2.3, 1.2, 0.3 + height}), {0, 0, -speed}, {3, 1, 2}));
    EXPECT_TRUE(is_impact(found, 1.0 / 1.5, speed, {0, 0, 1}));
    EXPECT_EQ(found->body_b, kTerrain);
    EXPECT_EQ(found->element, element_of(ground, 7, 10, 0));
    EXPECT_EQ(found->material, 7 * 16 + 10);
  }
  // A box that covers many: the lowest of them.
  const auto found = impact(MovingScene(ground).add(box({1.2, 0.7, 0.3}, {0.5, 0.5, 2.55}), {0, 0, -4.0}));
  EXPECT_TRUE(is_impact(found, 0.5, 4.0, {0, 0, 1}));
  EXPECT_EQ(found->element, element_of(ground, 5, 7, 1)) << text(*found);
  // None that stops before, or moves along.
  EXPECT_FALSE(impact(MovingScene(ground).add(sphere(0.5, {2.3, 1.2, 3.75}), {0, 0, -2.9998})));
  EXPECT_FALSE(impact(MovingScene(ground).add(sphere(0.5, {-7.0, 1.2, 0.7502}), {1e4, 300.0, 0.0}, {0, 900.0, 0})));
  EXPECT_TRUE(impact(MovingScene(ground).add(sphere(0.5, {-7.0, 1.2, 0.75}), {1e4, 300.0, 0.0})));
}

TEST_P(SurfaceImpact, AWheelRollsOverARidge) {
  // On a plain with a ridge of one metre across its way: its rim meets the slope, or the ridge's edge.
  Terrain ground = plane(kGrid, 0.0, 0.0);
  for (std::size_t i = 0; i < kGrid.rows; ++i) ground.heights[vertex(ground, i, 8)] = 0.2;  // x = 0
  const BodySpec wheel = cylinder(0.5, 0.1, {-5.0, 0.3, 0.5002}, kAlongY);
  const auto found = impact(MovingScene(ground).add(wheel, {8.0, 0, 0}, {0, 16.0, 0}));
  // The slope goes up from x = -1: sine s = 0.2 / sqrt(1.04). Its line is touched where the middle is r above it.
  const double length = std::sqrt(1.04), s = 0.2 / length, c = 1.0 / length;
  const double x = -1.0 + (0.5002 * c - 0.5) / s;
  EXPECT_TRUE(is_impact(found, (x + 5.0) / 8.0, 8.0 * s, {-s, 0, c}));
  // Rolling on the plain it touches nothing.
  EXPECT_FALSE(impact(MovingScene(ground).add(wheel, {2.9, 0, 0}, {0, 1600.0, 0})));
  // A little above the ridge, and a little below its top.
  const auto over = [&](double z) {
    BodySpec high = wheel;
    high.position.z = 0.7 + z;
    return impact(MovingScene(ground).add(high, {8.0, 0, 0}, {0, 16.0, 0}));
  };
  EXPECT_FALSE(over(2e-4));
  EXPECT_TRUE(over(-2e-5));
}

TEST_P(SurfaceImpact, HolesAndBordersHaveWalls) {
  Terrain ground = plane(kGrid, 0.0, 0.0);
  ground.holes.assign(12 * 16, 0);
  for (std::size_t row = 4; row < 8; ++row)
    for (std::size_t col = 6; col < 10; ++col) ground.holes[cell(ground, row, col)] = 1;  // x, y of -2 to 2
  const auto found = impact(MovingScene(ground).add(sphere(0.25, {0.1, 0.2, -3.0}), {8.0, 0.0, 0.0}));
  EXPECT_TRUE(is_impact(found, 1.65 / 8.0, 8.0, {-1, 0, 0}));
  EXPECT_EQ(found->element / 2, element_of(ground, 6, 10, 0) / 2) << text(*found);
  // Through the hole.
  EXPECT_FALSE(impact(MovingScene(ground).add(box({1.9, 1.9, 1.0}, {0, 0, 30.0}), {0, 0, -900.0})));
  EXPECT_TRUE(is_impact(impact(MovingScene(ground).add(box({1.9, 2.1, 1.0}, {0, 0, 11.0}), {0, 0, -100.0})), 0.1, 100.0,
                        {0, 0, 1}));
  // Against the border from outside, above and below.
  EXPECT_TRUE(is_impact(impact(MovingScene(ground).add(capsule(0.25, 1.0, {-20.0, 0.2, -50.0}), {1e3, 0.0, 0.0})),
                        11.75 / 1e3, 1e3, {-1, 0, 0}));
  EXPECT_FALSE(impact(MovingScene(ground).add(capsule(0.25, 1.0, {-20.0, 0.2, 1.3}), {1e3, 0.0, 0.0})));
  // Beside the grid down to the depths.
  EXPECT_FALSE(impact(MovingScene(ground).add(sphere(0.5, {-8.502, 0.2, 5.0}), {0, 0, -1e4})));
}

TEST_P(SurfaceImpact, WhatBeginsUndergroundIsThereAtZero) {
  const Terrain ground = rough(kGrid, 0.5, 3);
  for (const double z : {-0.7, -10.0, -4000.0}) {
    const auto found = impact(MovingScene(ground).add(box({0.3, 0.2, 0.1}, {1.2, 2.3, z}), {0, 0, 5000.0}, {9, 0, 0}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->time, 0.0);
    EXPECT_GT(found->normal[2], 0.0F);
  }
}

TEST_P(SurfaceImpact, ARodTurnsDownToTheGround) {
  // Its end, 2 m from the middle, comes down from level: 2 sin(angle) = 1 - its radius.
  const Terrain ground = plane(kGrid, 0.0, 0.0);
  const double angle = std::asin(0.9 / 2.0);
  for (const double turns : {1.0, 30.0, 1e7}) {
    const auto found = impact(MovingScene(ground).add(capsule(0.1, 2.0, {0.2, 0.3, 1.0}, kAlongX), {}, {0, turns, 0}));
    EXPECT_TRUE(is_impact(found, angle / turns, 2.0 * turns * std::cos(angle), {0, 0, 1})) << turns;
  }
  EXPECT_FALSE(impact(MovingScene(ground).add(capsule(0.1, 2.0, {0.2, 0.3, 1.0}, kAlongX), {}, {0, angle - 1e-3, 0})));
  EXPECT_FALSE(impact(MovingScene(ground).add(capsule(0.1, 2.0, {0.2, 0.3, 2.1002}, kAlongX), {}, {0, 1e7, 0})));
  // Coming down too: as soon as an end is below.
  const auto down =
      impact(MovingScene(ground).add(capsule(0.1, 2.0, {0.2, 0.3, 3.0}, kAlongX), {0.3, 0, -1}, {0, 1e7, 0}));
  ASSERT_TRUE(down);
  EXPECT_NEAR(down->time, 0.9, 1e-4);
}

// A step that trusts in no more than how fast the corners go would take a millionth of the frame.
TEST_P(SurfaceImpact, WhatSpinsJustAboveTakesNoTime) {
  MovingScene scene(plane(kGrid, 0.0, 0.0, 0.0));
  for (int k = 0; k < 20; ++k)
    scene.add(box({0.4, 0.4, 0.2}, {-6.0 + 2.0 * (k % 5), -4.0 + 2.0 * (k / 5), 0.2 + 1.2e-4}), {}, {0, 0, 31.0 - k});
  EXPECT_TRUE(sweep(scene).empty());
  // The same above a box, a sheet and a half space; and one that spins as often as it may.
  for (const double turns : {20.0, 31.0, 1e7}) {
    const dvec3 spin(0, 0, turns);
    const BodySpec body = box({0.4, 0.4, 0.2}, {0, 0, 0.2 + 1.2e-4});
    EXPECT_FALSE(impact(MovingScene().add(body, {}, spin).add(box({2, 2, 1}, {0, 0, -1})))) << turns;
    EXPECT_FALSE(impact(MovingScene().add(body, {}, spin).add(half_space({})))) << turns;
    MovingScene on_sheet;
    on_sheet.scene.scene.meshes = {flat_sheet(3, 2.0)};
    EXPECT_FALSE(impact(on_sheet.add(body, {}, spin).add({Shape::triangle_mesh, {0, 0, 0}, {0, 0, 0}}))) << turns;
  }
}

// Sheets that turn, too, at other rates.
TEST_P(SurfaceImpact, TwoThatTurnBesideEachOtherAreTold) {
  for (const double turns : {50.0, 1e3, 1e6})
    for (const double ratio : {0.5, -std::sqrt(0.5)}) {
      const dvec3 spin(0, 0, turns);
      MovingScene scene;
      scene.scene.scene.meshes = {flat_sheet(2, 2.0)};
      scene.add(box({0.4, 0.4, 0.2}, {0.5, 0, 0.2 + 1.2e-4}), {}, spin);
      scene.add({Shape::triangle_mesh, {0, 0, 0}, {0, 0, 0}}, {}, ratio * spin);
      EXPECT_FALSE(impact(scene)) << turns << " " << ratio;
      // Beside its corner, which comes by.
      MovingScene beside;
      beside.scene.scene.meshes = {flat_sheet(2, 2.0)};
      beside.add(box({0.4, 0.4, 0.2}, {1.9, 0, 0}), {}, spin);
      beside.add({Shape::triangle_mesh, {0, 0, 0}, {0, 0, 0}, turn({0, 0, 1}, 0.7)}, {}, ratio * spin);
      EXPECT_TRUE(impact(beside)) << turns << " " << ratio;
    }
}

TEST_P(SurfaceImpact, SheetsAreMetFromEitherSide) {
  MovingScene scene;
  scene.scene.scene.meshes = {flat_sheet(6, 0.5)};
  scene.scene.scene.meshes[0].material.assign(72, 9);
  const BodySpec sheet{Shape::triangle_mesh, {}, {0, 0, 0}};
  for (const double side : {1.0, -1.0}) {
    MovingScene with = scene;
    with.add(sheet).add(sphere(0.05, {0.7, 0.1, 100.0 * side}), {0, 0, -300.0 * side});
    const auto found = impact(with);
    EXPECT_TRUE(is_impact(found, 99.95 / 300.0, 300.0, {0, 0, -side}));
    EXPECT_EQ(found->element, 2u);
    EXPECT_EQ(found->material, 9);
    EXPECT_NEAR(found->point[2], 0.0, near());  // on A
  }
  // Through it at the start, and beside it.
  MovingScene through = scene;
  through.add(sheet).add(box({0.1, 0.1, 2.0}, {1.0, 1.0, 0.3}), {0, 0, 9.0});
  EXPECT_EQ(impact(through)->time, 0.0);
  MovingScene beside = scene;
  beside.add(sheet).add(sphere(0.05, {3.0502, 0.1, 100.0}), {0, 0, -300.0});
  EXPECT_FALSE(impact(beside));
}

TEST_P(SurfaceImpact, SolidsAreMetFromInsideToo) {
  MovingScene scene;
  scene.scene.scene.meshes = {box_mesh({2.0, 2.0, 2.0}, 3)};
  const BodySpec solid{Shape::triangle_mesh, {}, {10, 0, 0}};
  for (const bool first : {true, false}) {
    MovingScene inside = scene;
    if (first) inside.add(solid);
    inside.add(sphere(0.1, {10.3, 0.2, 0.1}), {0, 0, 9});
    if (!first) inside.add(solid);
    const auto found = impact(inside);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->time, 0.0);
    EXPECT_EQ(found->element, kNone);
    EXPECT_EQ(found->material, 0);
    MovingScene outside = scene;
    if (first) outside.add(solid);
    outside.add(sphere(0.1, {0.3, 0.2, 0.1}), {40, 0, 0});
    if (!first) outside.add(solid);
    EXPECT_TRUE(is_impact(impact(outside), 7.6 / 40.0, 40.0, {first ? 1 : -1, 0, 0}));
  }
  // A small one within a large body.
  MovingScene held = scene;
  held.add(solid).add(sphere(20.0, {10, 0, 0}), {90, 0, 0});
  EXPECT_EQ(impact(held)->time, 0.0);
}

TEST_P(SurfaceImpact, MeshesMoveAndTurn) {
  MovingScene scene;
  scene.scene.scene.meshes = {box_mesh({2.0, 0.5, 0.5}, 4)};
  const BodySpec bar{Shape::triangle_mesh, {}, {0, 0, 0}};
  MovingScene moving = scene;
  moving.add(bar, {300, 0, 0}).add(sphere(0.5, {100, 0.1, 0.1}), {-100, 0, 0});
  EXPECT_TRUE(is_impact(impact(moving), 97.5 / 400.0, 400.0, {-1, 0, 0}));
  // Its corner, sqrt(4.25) from the axis, comes up to the plate.
  const double radius = std::sqrt(4.25), plate = 1.2, angle = std::asin(plate / radius) - std::atan2(0.5, 2.0);
  MovingScene turning = scene;
  turning.add(bar, {}, {0, -5.0, 0}).add(box({9, 9, 0.1}, {0, 0, plate + 0.1}));
  EXPECT_TRUE(is_impact(impact(turning), angle / 5.0, 5.0 * std::sqrt(radius * radius - plate * plate), {0, 0, -1}));
  MovingScene free = scene;
  free.add(bar, {}, {0, -1e7, 0}).add(box({9, 9, 0.1}, {0, 0, radius + 0.1002}));
  EXPECT_FALSE(impact(free));
  // 10 km out, both going on together.
  MovingScene far = scene;
  far.add({Shape::triangle_mesh, {}, {1e4, -1e4, 0}}, {1000, 0, 0}).add(sphere(0.5, {1e4 + 3, -1e4, 0}), {999, 0, 0});
  EXPECT_TRUE(is_impact(impact(far), 0.5, 1.0, {-1, 0, 0}));
}

}  // namespace
}  // namespace oclide::test
