// Scenarios give what was asked for, the same each time, and bodies that touch the ground.
#include "scenarios/scenario.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scene/temporary_folder.hpp"

namespace oclide {
namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t touching(const Scenario& scenario, std::size_t index) {
  Frame frame;
  frame.position.resize(3 * scenario.scene().bodies.count());
  frame.orientation.resize(4 * scenario.scene().bodies.count());
  scenario.pose(index, frame);
  Settings settings;
  settings.device = "reference";
  Collider collider(settings);
  collider.set_scene(scenario.scene());
  std::set<std::uint32_t> bodies;
  for (const Contact& c : collider.collide(frame.poses()).contacts) bodies.insert(c.body_a);
  return bodies.size();
}

class EveryScenario : public ::testing::TestWithParam<const char*> {
 protected:
  static ScenarioRequest request(std::size_t bodies) {
    ScenarioRequest request;
    request.name = GetParam();
    request.bodies = bodies;
    request.frames = 3;
    return request;
  }
};

TEST_P(EveryScenario, HasTheBodiesAndFramesAskedFor) {
  for (std::size_t bodies : {0U, 1U, 7U, 45U}) {
    const auto scenario = make_scenario(request(bodies));
    EXPECT_EQ(scenario->scene().bodies.count(), bodies);
    EXPECT_EQ(scenario->frames(), 3U);
    EXPECT_NO_THROW(check(scenario->scene()));
  }
}

TEST_P(EveryScenario, IsTheSameFileForTheSameSeedAlone) {
  const test::TemporaryFolder folder;
  ScenarioRequest r = request(45);
  write_scene(folder.file("a.h5"), *make_scenario(r), {});
  write_scene(folder.file("b.h5"), *make_scenario(r), {});
  r.seed = 2;
  write_scene(folder.file("c.h5"), *make_scenario(r), {});
  EXPECT_EQ(content(folder.file("a.h5")), content(folder.file("b.h5")));
  EXPECT_NE(content(folder.file("a.h5")), content(folder.file("c.h5")));
}

TEST_P(EveryScenario, DealsBodiesOutToEnvironments) {
  ScenarioRequest r = request(45);
  r.environments = 3;
  const auto scenario = make_scenario(r);
  const Scene& scene = scenario->scene();
  EXPECT_EQ(scene.environment_terrain, (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(scene.terrains.size(), 1U);
  EXPECT_EQ(std::set<std::uint32_t>(scene.bodies.environment.begin(), scene.bodies.environment.end()).size(), 3U);
  EXPECT_NO_THROW(check(scene));
}

TEST_P(EveryScenario, TakesTerrainFromAFileWithHoles) {
  ScenarioRequest r = request(45);
  r.terrain = scenario::make_terrain(3000.0, 2000.0, {60.0, 50.0}, [](double x, double y) {
    return 0.01 * x + 40.0 * scenario::noise(x / 500.0, y / 500.0, 3);
  });
  r.terrain->heights[1000] = std::nan("");
  const auto scenario = make_scenario(r);
  EXPECT_NO_THROW(check(scenario->scene()));
  EXPECT_GT(touching(*scenario, 2), 5U);
}

INSTANTIATE_TEST_SUITE_P(, EveryScenario, ::testing::Values("barrels", "robot", "boulders", "mixed"),
                         [](const auto& scenario) { return std::string(scenario.param); });

TEST(Scenarios, AboutHalfOfMixedTouchInEveryFrame) {
  ScenarioRequest request;
  request.name = "mixed";
  request.bodies = 1000;
  request.frames = 4;
  const auto scenario = make_scenario(request);
  for (std::size_t frame : {0U, 3U}) {
    EXPECT_GT(touching(*scenario, frame), 400U);
    EXPECT_LT(touching(*scenario, frame), 600U);
  }
}

TEST(Scenarios, BarrelsEndOnTheGroundAllOfThem) {
  ScenarioRequest request;
  request.name = "barrels";
  const auto scenario = make_scenario(request);
  EXPECT_EQ(touching(*scenario, 0), 0U);
  EXPECT_EQ(touching(*scenario, scenario->frames() - 1), scenario->scene().bodies.count());
}

TEST(Scenarios, EveryWheelOfTheRobotStandsOnTheGround) {
  ScenarioRequest request;
  request.name = "robot";
  request.frames = 5;
  const auto scenario = make_scenario(request);
  for (std::size_t frame = 0; frame < 5; ++frame) EXPECT_EQ(touching(*scenario, frame), 6U) << frame;
  const Bodies& bodies = scenario->scene().bodies;
  EXPECT_EQ(bodies.group, std::vector<std::int32_t>(10, 1));
}

TEST(Scenarios, EveryBoulderRests) {
  ScenarioRequest request;
  request.name = "boulders";
  const auto scenario = make_scenario(request);
  for (const auto& size : scenario->scene().bodies.size) {
    EXPECT_GE(size[0], 0.2);
    EXPECT_LE(size[0], 5.0);
  }
  EXPECT_EQ(touching(*scenario, 0), scenario->scene().bodies.count());
}

TEST(Scenarios, RefuseWhatCannotBe) {
  ScenarioRequest request;
  request.name = "nothing";
  EXPECT_THROW((void)make_scenario(request), Error);
  request.name = "mixed";
  request.frames = 0;
  EXPECT_THROW((void)make_scenario(request), Error);
  request.frames = 1;
  request.environments = 0;
  EXPECT_THROW((void)make_scenario(request), Error);
}

TEST(Geometry, SineAndCosineAreThoseOfTheLibrary) {
  for (double angle = -40.0; angle < 40.0; angle += 0.37) {
    EXPECT_NEAR(scenario::sine_cosine(angle).sine, std::sin(angle), 1e-13);
    EXPECT_NEAR(scenario::sine_cosine(angle).cosine, std::cos(angle), 1e-13);
  }
}

TEST(Geometry, RandomNumbersAreTheSameOnEveryMachine) {
  scenario::Random random(1, 2);
  const std::uint64_t first = random.next();
  EXPECT_EQ(first, scenario::Random(1, 2).next());
  EXPECT_NE(first, scenario::Random(1, 3).next());
  EXPECT_NE(first, scenario::Random(2, 2).next());
  double mean_of_logarithm = 0.0;
  for (int k = 0; k < 10'000; ++k) {
    const double x = random.log_uniform(0.2, 5.0);
    ASSERT_GE(x, 0.2);
    ASSERT_LE(x, 5.0);
    mean_of_logarithm += std::log(x) / 10'000.0;
  }
  EXPECT_NEAR(mean_of_logarithm, 0.0, 0.05);  // 0.2 * 5 = 1; its deviation is 0.93 / sqrt(10000)
}

}  // namespace
}  // namespace oclide
