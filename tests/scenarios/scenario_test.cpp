// Scenarios give what was asked for, the same each time, and bodies that touch the ground.
#include "scenarios/scenario.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "oclide/validation.hpp"
#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/heap.hpp"
#include "shapes/shape_list.hpp"
#include "support/on_each_device.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Frame frame_of(const Scenario& scenario, std::size_t index) {
  Frame frame;
  frame.position.resize(3 * scenario.scene().bodies.count());
  frame.orientation.resize(4 * scenario.scene().bodies.count());
  scenario.pose(index, frame);
  return frame;
}

// Bodies that touch terrain.
std::size_t touching(const Scenario& scenario, std::size_t index) {
  const Frame frame = frame_of(scenario, index);
  Settings settings;
  settings.device = "reference";
  Collider collider(settings);
  collider.set_scene(scenario.scene());
  std::set<std::uint32_t> bodies;
  for (const Contact& c : collider.collide(frame.poses()).contacts)
    if (c.body_b == kTerrain) bodies.insert(c.body_a);
  return bodies.size();
}

// Two bodies that may meet and overlap, and how far they do at most.
struct Touch {
  std::size_t a, b;
  double depth;
};

// All pairs but those of half spaces.
std::vector<Touch> touches(const Scenario& scenario, std::size_t index) {
  const Frame frame = frame_of(scenario, index);
  const Bodies& b = scenario.scene().bodies;
  std::vector<scenario::PlacedBody> bodies;
  for (std::size_t i = 0; i < b.count(); ++i) {
    const double* p = &frame.position[3 * i];
    const double* q = &frame.orientation[4 * i];
    bodies.push_back({b.shape[i], b.size[i], {p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}});
  }
  std::vector<Touch> result;
  for (std::size_t i = 0; i < b.count(); ++i)
    for (std::size_t j = i + 1; j < b.count(); ++j) {
      if (b.shape[i] == Shape::half_space || b.shape[j] == Shape::half_space) continue;
      if (!b.environment.empty() && b.environment[i] != b.environment[j]) continue;
      if (!b.group.empty() && b.group[i] != 0 && b.group[i] == b.group[j]) continue;
      const glm::dvec3 between = bodies[j].position - bodies[i].position;
      const double reach =
          scenario::bounding_radius(b.shape[i], b.size[i]) + scenario::bounding_radius(b.shape[j], b.size[j]);
      if (glm::dot(between, between) > reach * reach) continue;
      const double depth = scenario::overlap_bound(bodies[i], bodies[j]);
      if (depth > 0.0) result.push_back({i, j, depth});
    }
  return result;
}

double median_depth(std::vector<Touch> touches) {
  const auto middle = touches.begin() + static_cast<std::ptrdiff_t>(touches.size() / 2);
  std::nth_element(touches.begin(), middle, touches.end(),
                   [](const Touch& a, const Touch& b) { return a.depth < b.depth; });
  return middle->depth;
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
  EXPECT_TRUE(content(folder.file("a.h5")) == content(folder.file("b.h5")));
  EXPECT_FALSE(content(folder.file("a.h5")) == content(folder.file("c.h5")));
}

TEST_P(EveryScenario, DealsBodiesOutToEnvironments) {
  ScenarioRequest r = request(45);
  r.environments = 3;
  const auto scenario = make_scenario(r);
  const Scene& scene = scenario->scene();
  ASSERT_EQ(scene.environment_terrain.size(), 3U);
  for (const std::int32_t terrain : scene.environment_terrain)
    EXPECT_LT(terrain, static_cast<std::int32_t>(scene.terrains.size()));
  EXPECT_EQ(std::set<std::uint32_t>(scene.bodies.environment.begin(), scene.bodies.environment.end()).size(), 3U);
  EXPECT_NO_THROW(check(scene));
}

TEST_P(EveryScenario, IsTheSameForAnyNumberOfThreads) {
  const auto position = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return frame_of(*make_scenario(request(400)), 2).position;
  };
  EXPECT_EQ(position(1), position(4));
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

INSTANTIATE_TEST_SUITE_P(, EveryScenario,
                         ::testing::Values("barrels", "robot", "boulders", "mixed", "pile", "crowd", "rain", "rovers",
                                           "rubble", "ship", "quarry", "volley"),
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

TEST(Scenarios, BarrelsAndBouldersDoNotMeet) {
  for (const char* name : {"barrels", "boulders"})
    for (const char* on : {"its own", "a file's", "a file's, scaled"}) {
      ScenarioRequest request;
      request.name = name;
      request.bodies = 300;
      request.frames = 12;
      request.environments = 2;
      request.fit_terrain = std::string(on) == "a file's, scaled";
      if (std::string(on) != "its own")
        request.terrain = scenario::make_terrain(3000.0, 1000.0, {60.0, 50.0}, [](double x, double y) {
          return 0.01 * x + 40.0 * scenario::noise(x / 500.0, y / 500.0, 3);
        });
      const auto scenario = make_scenario(request);
      for (std::size_t frame : {0U, 11U})
        EXPECT_EQ(touches(*scenario, frame).size(), 0U) << name << " on " << on << frame;
    }
}

// Terrain from a file, far from where x and y are 0, with a hole away from its middle.
Terrain hills(double width, double depth) {
  Terrain terrain = scenario::make_terrain(width, depth, {10.0, 10.0}, [](double x, double y) {
    return 1200.0 + 0.02 * x + 40.0 * scenario::noise(x / 500.0, y / 500.0, 3);
  });
  terrain.heights[1] = std::numeric_limits<double>::quiet_NaN();
  terrain.origin = {500000.0, 5400000.0};
  return terrain;
}

TEST(Scenarios, TerrainFromAFileKeepsItsMetres) {
  const Terrain file = hills(3000.0, 1000.0);
  for (const ScenarioInfo& info : scenarios()) {
    ScenarioRequest request;
    request.name = info.name;
    request.bodies = 200;
    request.frames = 2;
    request.environments = 2;
    request.terrain = file;
    const auto scenario = make_scenario(request);
    const Terrain& terrain = scenario->scene().terrains.at(0);
    EXPECT_EQ(terrain.spacing, file.spacing) << info.name;
    EXPECT_EQ(terrain.origin, (std::array{-1500.0, -500.0})) << info.name;
    ASSERT_EQ(terrain.heights.size(), file.heights.size());
    EXPECT_TRUE(std::isnan(terrain.heights[1]));
    for (std::size_t k = 2; k < file.heights.size(); ++k) ASSERT_EQ(terrain.heights[k], file.heights[k]) << info.name;

    // As near to each other as on the scenario's own terrain, on the ground in its middle.
    const scenario::Ground ground(terrain);
    const Frame frame = frame_of(*scenario, 1);
    const std::vector<Shape>& shapes = scenario->scene().bodies.shape;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const double* p = &frame.position[3 * i];
      EXPECT_NE(shapes[i], Shape::half_space);
      EXPECT_LT(std::abs(p[0]), 150.0) << info.name << i;
      EXPECT_LT(std::abs(p[1]), 150.0) << info.name << i;
      // What floats is over all of the ground.
      const double near = std::string(info.name) == "ship" ? 30.0 : 12.0;
      EXPECT_NEAR(p[2], ground.height(p[0], p[1]), near) << info.name << i;
    }
    EXPECT_GT(touching(*scenario, 1), 0U) << info.name;
  }
}

TEST(Scenarios, MotionLeadsFromEachFrameToTheNext) {
  for (const char* name : {"volley", "ship"}) {
    ScenarioRequest request;
    request.name = name;
    request.bodies = 90;
    request.frames = 5;
    const auto scenario = make_scenario(request);
    ASSERT_TRUE(scenario->moves());
    FrameMotion motion;
    double longest = 0.0;
    for (std::size_t f = 0; f < 5; ++f) {
      const Frame from = frame_of(*scenario, f), to = frame_of(*scenario, f + 1);
      scenario->motion(f, motion);
      for (std::size_t i = 0; i < 90; ++i) {
        for (std::size_t a = 3 * i; a < 3 * i + 3; ++a)
          EXPECT_NEAR(from.position[a] + motion.displacement[a], to.position[a], 1e-12) << name << i;
        const glm::dvec3 r(motion.rotation[3 * i], motion.rotation[3 * i + 1], motion.rotation[3 * i + 2]);
        const double angle = glm::length(r);
        longest = std::max(longest, angle);
        const auto quaternion = [i](const Frame& frame) {
          const double* q = &frame.orientation[4 * i];
          return glm::dquat(q[0], q[1], q[2], q[3]);
        };
        const glm::dquat turn = angle == 0.0 ? glm::dquat(1.0, 0.0, 0.0, 0.0) : glm::angleAxis(angle, r / angle);
        EXPECT_NEAR(std::abs(glm::dot(turn * quaternion(from), quaternion(to))), 1.0, 1e-12) << name << i;
      }
    }
    EXPECT_EQ(longest > 3.2, std::string(name) == "volley") << longest;  // more than the poses say
  }
  ScenarioRequest other;
  other.name = "rain";
  EXPECT_FALSE(make_scenario(other)->moves());
}

TEST(Scenarios, AVolleyJumpsOverThePlatesThatItHits) {
  ScenarioRequest request;
  request.name = "volley";
  request.bodies = 80;
  const auto scenario = make_scenario(request);
  Settings settings;
  settings.device = "reference";
  Collider collider(settings);
  collider.set_scene(scenario->scene());
  FrameMotion motion;
  std::set<std::pair<std::uint32_t, std::uint32_t>> touched, overlapped;
  for (std::size_t f = 2; f < 14; ++f) {
    const Frame frame = frame_of(*scenario, f);
    scenario->motion(f, motion);
    for (const Contact& c : collider.collide(frame.poses()).contacts)
      if (c.body_b != kTerrain) overlapped.insert({c.body_a, c.body_b});
    for (const Impact& i : collider.sweep(frame.poses(), motion.motion()).impacts)
      if (i.body_b != kTerrain) touched.insert({i.body_a, i.body_b});
  }
  EXPECT_GT(touched.size(), 20U);
  EXPECT_LT(3 * overlapped.size(), touched.size());
  for (const auto& pair : overlapped) EXPECT_TRUE(touched.contains(pair)) << pair.first << " " << pair.second;
}

TEST(Scenarios, TerrainFromAFileIsScaledWhereThatIsAskedFor) {
  ScenarioRequest request;
  request.name = "rain";
  request.bodies = 300;
  request.terrain = hills(3000.0, 1000.0);
  request.fit_terrain = true;
  const Terrain terrain = make_scenario(request)->scene().terrains.at(0);
  const double width = terrain.spacing[0] * static_cast<double>(terrain.cols - 1);
  const double depth = terrain.spacing[1] * static_cast<double>(terrain.rows - 1);
  EXPECT_NEAR(width * depth, 360.0, 1e-6);
  EXPECT_NEAR(width, 3.0 * depth, 1e-6);
}

TEST(Scenarios, ASmallTerrainFromAFileTakesAllBodies) {
  for (const ScenarioInfo& info : scenarios()) {
    ScenarioRequest request;
    request.name = info.name;
    request.bodies = 60;
    request.frames = 2;
    request.terrain = scenario::make_terrain(12.0, 3.0, {1.0, 1.0}, [](double x, double) { return 0.1 * x; });
    const auto scenario = make_scenario(request);
    EXPECT_EQ(scenario->scene().bodies.count(), 60U) << info.name;
    for (const double x : frame_of(*scenario, 1).position) EXPECT_TRUE(std::isfinite(x)) << info.name;
  }
}

TEST(Scenarios, APileTouchesFiveNeighboursByAboutACentimetre) {
  ScenarioRequest request;
  request.name = "pile";
  request.bodies = 1500;
  request.frames = 4;
  const auto scenario = make_scenario(request);
  const Bodies& bodies = scenario->scene().bodies;
  ASSERT_EQ(bodies.shape[0], Shape::half_space);
  ByShape<int> of_shape;
  for (Shape shape : bodies.shape) ++of_shape[shape];
  for (const Shape shape : {Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule})
    EXPECT_GT(of_shape[shape], 300);
  EXPECT_EQ(of_shape[Shape::half_space], 1);

  const std::vector<Touch> first = touches(*scenario, 0);
  const double neighbours = 2.0 * static_cast<double>(first.size()) / 1499.0;
  EXPECT_GT(neighbours, 4.5);
  EXPECT_LT(neighbours, 6.5);
  EXPECT_GT(median_depth(first), 0.005);
  EXPECT_LT(median_depth(first), 0.02);

  // None is in the ground by more than a little, and some stand on it.
  const Frame frame = frame_of(*scenario, 0);
  std::size_t on_ground = 0;
  for (std::size_t i = 1; i < bodies.count(); ++i) {
    const double* q = &frame.orientation[4 * i];
    const double lowest = frame.position[3 * i + 2] -
                          scenario::reach(bodies.shape[i], bodies.size[i], {q[0], q[1], q[2], q[3]}, {0.0, 0.0, 1.0});
    EXPECT_GT(lowest, -0.025);
    if (lowest < 0.0) ++on_ground;
  }
  EXPECT_GT(on_ground, 150U);

  // A part of the bodies moves, a little.
  const Frame later = frame_of(*scenario, 3);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < bodies.count(); ++i) {
    double way = 0.0;
    for (std::size_t a = 3 * i; a < 3 * i + 3; ++a)
      way = std::max(way, std::abs(later.position[a] - frame.position[a]));
    EXPECT_LE(way, 0.01);
    if (way > 0.0) ++moved;
  }
  EXPECT_EQ(moved, 300U);
}

TEST(Scenarios, RainComesDownInHeaps) {
  ScenarioRequest request;
  request.name = "rain";
  request.bodies = 600;
  request.frames = 5;
  const auto scenario = make_scenario(request);
  EXPECT_LT(touches(*scenario, 0).size(), 20U) << "in the air";
  EXPECT_EQ(touching(*scenario, 0), 0U);
  const std::vector<Touch> last = touches(*scenario, 4);
  EXPECT_GT(last.size(), 600U);
  EXPECT_LT(median_depth(last), 0.025);
  const std::size_t on_ground = touching(*scenario, 4);
  EXPECT_GT(on_ground, 150U);
  EXPECT_LT(on_ground, 500U) << "no heaps";
  // Half way down some have landed and some have not.
  EXPECT_GT(touching(*scenario, 3), 0U);
  EXPECT_LT(touches(*scenario, 3).size(), last.size());
}

TEST(Scenarios, InACrowdRobotsPushAndHaveGroups) {
  ScenarioRequest request;
  request.name = "crowd";
  const auto scenario = make_scenario(request);
  const Scene& scene = scenario->scene();
  const Bodies& b = scene.bodies;
  ASSERT_EQ(b.count(), 2000U);
  ASSERT_EQ(scene.environment_terrain.size(), 100U);
  EXPECT_EQ(std::count(b.shape.begin(), b.shape.end(), Shape::half_space), 50);
  EXPECT_EQ(std::count(scene.environment_terrain.begin(), scene.environment_terrain.end(), -1), 50);

  // Two robots in each environment, of ten and of five parts.
  std::map<std::int32_t, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < b.count(); ++i)
    if (b.group[i] != 0) parts[b.group[i]].push_back(i);
  ASSERT_EQ(parts.size(), 200U);
  for (const auto& [group, members] : parts) {
    EXPECT_EQ(members.size(), group % 2 == 1 ? 10U : 5U);
    for (std::size_t i : members) EXPECT_EQ(b.environment[i], b.environment[members[0]]);
  }

  // At first none meets what it will push, in the end each does.
  const auto pushing = [&](std::size_t frame) {
    std::set<std::int32_t> groups;
    for (const Touch& t : touches(*scenario, frame)) {
      EXPECT_LT(t.depth, 0.05) << t.a << " " << t.b;
      if (b.group[t.a] != 0 && b.group[t.b] == 0) groups.insert(b.group[t.a]);
    }
    return groups.size();
  };
  EXPECT_EQ(pushing(0), 0U);
  EXPECT_EQ(pushing(scenario->frames() - 1), 200U);
}

// Of contacts, the bodies that touch a triangle mesh.
std::set<std::uint32_t> at_meshes(const Scene& scene, const std::vector<Contact>& contacts) {
  const auto is_mesh = [&](std::uint32_t i) { return i != kTerrain && scene.bodies.shape[i] == Shape::triangle_mesh; };
  std::set<std::uint32_t> bodies;
  for (const Contact& c : contacts) {
    if (is_mesh(c.body_a)) bodies.insert(c.body_b);
    if (is_mesh(c.body_b)) bodies.insert(c.body_a);
  }
  return bodies;
}

// Contacts of each frame, which the reference confirms.
std::vector<std::vector<Contact>> validated(const Scenario& scenario) {
  Settings settings;
  settings.device = test::opencl_device().empty() ? "reference" : test::opencl_device();
  Collider collider(settings);
  collider.set_scene(scenario.scene());
  Validator validator(scenario.scene(), settings.margin);
  std::vector<std::vector<Contact>> contacts;
  for (std::size_t k = 0; k < scenario.frames(); ++k) {
    const Frame frame = frame_of(scenario, k);
    contacts.push_back(collider.collide(frame.poses()).contacts);
    validator.add_frame(frame.poses(), contacts.back());
  }
  EXPECT_TRUE(validator.report().holds()) << testing::PrintToString(validator.report().examples);
  return contacts;
}

TEST(Scenarios, AShipTouchesThingsInEveryFrameAndPushesThemAside) {
  ScenarioRequest request;
  request.name = "ship";
  request.bodies = 120;
  request.frames = 7;
  const auto scenario = make_scenario(request);
  const Scene& scene = scenario->scene();
  ASSERT_EQ(scene.bodies.shape[0], Shape::triangle_mesh);
  ASSERT_EQ(scene.meshes.size(), 1U);
  EXPECT_TRUE(scene.meshes[0].solid);
  EXPECT_GT(scene.meshes[0].triangles.size(), 3000U);

  // The first of the others are cargo, which never leaves the ship.
  constexpr std::uint32_t kCargo = (120 - 1) / 8;
  const auto frames = validated(*scenario);
  std::set<std::uint32_t> touched;
  for (const auto& contacts : frames) {
    const std::set<std::uint32_t> bodies = at_meshes(scene, contacts);
    for (std::uint32_t i = 1; i <= kCargo; ++i) EXPECT_TRUE(bodies.contains(i)) << i;
    for (const std::uint32_t i : bodies)
      if (i > kCargo) touched.insert(i);
    for (const Contact& c : contacts)
      if (c.body_a == 0) {
        EXPECT_LT(c.depth, 0.2F) << c.body_b;
      }
  }
  EXPECT_GT(touched.size(), 6U);
  EXPECT_GT(at_meshes(scene, frames[3]).size(), kCargo);

  const Frame first = frame_of(*scenario, 0), last = frame_of(*scenario, 6);
  EXPECT_GT(last.position[0] - first.position[0], 30.0);
  std::size_t pushed = 0;
  for (std::size_t i = kCargo + 1; i < 120; ++i)
    if (std::abs(last.position[3 * i + 1]) > std::abs(first.position[3 * i + 1]) + 0.1) ++pushed;
  EXPECT_GT(pushed, 4U);
}

TEST(Scenarios, InAQuarryBodiesComeToLieOnRockThatHangsOver) {
  ScenarioRequest request;
  request.name = "quarry";
  request.bodies = 60;
  request.frames = 3;
  const auto scenario = make_scenario(request);
  const Scene& scene = scenario->scene();
  ASSERT_EQ(scene.meshes.size(), 1U);
  const Mesh& rock = scene.meshes[0];
  EXPECT_TRUE(rock.solid);
  EXPECT_GT(rock.triangles.size(), 10'000U);
  // Faces that look down, above the rock's own bottom.
  std::size_t overhangs = 0;
  for (const auto& t : rock.triangles) {
    const auto &a = rock.vertices[t[0]], &b = rock.vertices[t[1]], &c = rock.vertices[t[2]];
    const double up = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (up < -1e-3 && a[2] > 0.0) ++overhangs;
  }
  EXPECT_GT(overhangs, 500U);

  const auto frames = validated(*scenario);
  EXPECT_LT(at_meshes(scene, frames[0]).size(), 43U);
  EXPECT_GT(at_meshes(scene, frames[2]).size(), 45U);
  EXPECT_GT(std::set<Shape>(scene.bodies.shape.begin(), scene.bodies.shape.end()).size(), 5U);
}

TEST(Scenarios, ALargeQuarryHasSeveralRocksOfOneMesh) {
  ScenarioRequest request;
  request.name = "quarry";
  request.bodies = 2500;
  const auto scenario = make_scenario(request);
  const Scene& scene = scenario->scene();
  EXPECT_EQ(scene.meshes.size(), 1U);
  EXPECT_LT(scene.meshes[0].triangles.size(), 500'000U);
  EXPECT_EQ(std::count(scene.bodies.shape.begin(), scene.bodies.shape.end(), Shape::triangle_mesh), 3);
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
