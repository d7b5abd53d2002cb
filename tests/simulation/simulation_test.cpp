// Small runs of the scenes: what must hold of them, and that they are the same again.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "scenes.hpp"

namespace oclide::simulation {
namespace {

struct Outcome {
  std::unique_ptr<World> world;
  std::unique_ptr<SimulatedScene> scene;
  std::unique_ptr<Measures> measures;
};

Outcome run(const SceneRequest& request, std::size_t steps, const std::string& device = "auto") {
  const SceneInfo& info = scene_info(request.name);
  WorldOptions options;
  options.device = device;
  options.dt = info.dt;
  options.iterations = info.iterations;
  Outcome outcome;
  outcome.world = std::make_unique<World>(options);
  outcome.scene = make_scene(request, *outcome.world);
  outcome.world->start();
  outcome.measures = std::make_unique<Measures>(outcome.world->movable(), options.dt);
  for (std::size_t k = 0; k < steps; ++k) {
    outcome.scene->control(*outcome.world);
    outcome.measures->add(outcome.world->step());
  }
  return outcome;
}

void expect_checks(const Outcome& run) {
  const std::vector<Check> checks = run.scene->checks(*run.world, *run.measures);
  EXPECT_FALSE(checks.empty());
  for (const Check& check : checks) EXPECT_TRUE(check.holds) << check.what << ": " << check.found;
}

TEST(Simulation, APileComesToRestAndStays) {
  const Outcome pile = run({"pile", 200, 1, {}}, 1000);
  expect_checks(pile);
  EXPECT_GE(pile.measures->rest_since(), 0.0);
  EXPECT_GT(pile.measures->steps().back().pairs, 200U);
  EXPECT_EQ(pile.measures->steps().back().awake, 0U);
}

TEST(Simulation, ABodyThatIsHitWakes) {
  WorldOptions options;
  World world(options);
  world.scene().environment_terrain = {-1};
  const Matter matter;
  world.add_ground({0.0, 0.0, 0.0}, matter);
  Start start;
  start.position = {0.0, 0.0, 0.2};
  const std::uint32_t box = world.add_body(Shape::box, {0.2, 0.2, 0.2}, matter, start);
  start.position = {0.05, 0.0, 12.0};
  const std::uint32_t ball = world.add_body(Shape::sphere, {0.2, 0.0, 0.0}, matter, start);
  world.start();
  // The box falls asleep while the ball falls, more than a second and a half.
  for (int k = 0; k < 100; ++k) (void)world.step();
  EXPECT_FALSE(world.awake(box));
  EXPECT_TRUE(world.awake(ball));
  const glm::dvec3 before = world.position(box);
  bool woken = false;
  for (int k = 0; k < 100; ++k) {
    (void)world.step();
    woken = woken || world.awake(box);
  }
  EXPECT_TRUE(woken);
  EXPECT_GT(glm::length(world.position(box) - before), 1e-6);
}

TEST(Simulation, BarrelsStandAndLieInTheEnd) {
  expect_checks(run({"barrels", 7, 1, {}}, 1400));
}

TEST(Simulation, TheRobotDrivesOntoTheSand) {
  const Outcome robot = run({"robot", 8, 1, {}}, 900);
  EXPECT_GT(robot.world->position(0).x, 1.0);
  EXPECT_GT((robot.world->orientation(0) * glm::dvec3(0.0, 0.0, 1.0)).z, 0.8);
  EXPECT_LT(std::abs(robot.world->position(0).y), 0.3);
}

TEST(Simulation, TheSameRunGivesTheSameBits) {
  const SceneRequest pile{"pile", 60, 3, {}};
  const std::uint64_t first = run(pile, 150).world->state_hash();
  EXPECT_EQ(run(pile, 150).world->state_hash(), first);
  EXPECT_NE(run({"pile", 60, 4, {}}, 150).world->state_hash(), first);
  const SceneRequest robot{"robot", 8, 1, {}};
  EXPECT_EQ(run(robot, 300).world->state_hash(), run(robot, 300).world->state_hash());
}

// Float and double contacts differ by less than a millimetre in depth; over a second of driving that stays small.
TEST(Simulation, TheRobotDrivesTheSameWayOnTheReference) {
  const SceneRequest request{"robot", 8, 1, {}};
  const Outcome device = run(request, 200);
  const Outcome reference = run(request, 200, "reference");
  for (std::uint32_t i = 0; i < device.world->count(); ++i)
    EXPECT_LT(glm::length(device.world->position(i) - reference.world->position(i)), 0.02) << i;
}

TEST(Simulation, WhatItCannotTakeIsAnError) {
  EXPECT_THROW(run({"piles", 10, 1, {}}, 1), Error);
  EXPECT_THROW(run({"robot", 9, 1, {}}, 1), Error);
  EXPECT_THROW(run({"landslide", 10, 1, {}}, 1), Error);
  EXPECT_THROW(run({"robot", 8, 1, {"no_such_file.tif", {}, {}}}, 1), Error);
}

}  // namespace
}  // namespace oclide::simulation
