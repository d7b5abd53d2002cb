// Points whose distance from the scene is known.
#include <limits>

#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

class Distance : public OnEachDevice {
 protected:
  std::vector<Hit> ask(const TestScene& scene, const std::vector<double>& position,
                       const std::vector<double>& range = {}) {
    Collider& collider = collider_on(GetParam());
    collider.set_scene(scene.scene);
    const Distances found = collider.distance(scene.poses(), {position, range});
    EXPECT_EQ(found.nearest.size(), position.size() / 3);
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < found.nearest.size(); ++k) {
      const Hit& hit = found.nearest[k];
      if (hit.body == kNothing) {
        EXPECT_TRUE(hit.distance == kFar && hit.element == kNone && hit.normal == (std::array<float, 3>{}));
        continue;
      }
      ++count;
      const dvec3 n(hit.normal[0], hit.normal[1], hit.normal[2]);
      EXPECT_NEAR(glm::length(n), 1.0, 1e-6);
      for (int a = 0; a < 3; ++a)
        EXPECT_NEAR(hit.point[a], position[3 * k + a] - hit.distance * n[a], 1e-6 * (1.0 + std::abs(hit.distance)));
    }
    EXPECT_EQ(found.near_count, count);
    return found.nearest;
  }
  Hit nearest_to(const TestScene& scene, dvec3 at, double range = kFar) {
    return ask(scene, {at.x, at.y, at.z}, {range}).front();
  }
  testing::AssertionResult is(const Hit& hit, std::uint32_t body, double distance, dvec3 normal) const {
    const double near = (GetParam() == "opencl" ? 2e-5 : 1e-9) + 1e-6 * std::abs(distance);
    const double off = glm::distance(dvec3(hit.normal[0], hit.normal[1], hit.normal[2]), normal);
    const bool holds =
        hit.body == body && std::abs(hit.distance - distance) <= near && off <= 1e-4 + 1e-7 * std::abs(distance);
    return (holds ? testing::AssertionSuccess() : testing::AssertionFailure())
           << "body " << static_cast<std::int32_t>(hit.body) << " at " << hit.distance << ", normal " << hit.normal[0]
           << " " << hit.normal[1] << " " << hit.normal[2] << "; expected " << static_cast<std::int32_t>(body) << " at "
           << distance << ", normal " << normal.x << " " << normal.y << " " << normal.z;
  }
};
OCLIDE_ON_EACH_DEVICE(Distance);

const double kS = std::sqrt(0.5);

TEST_P(Distance, IsThatOfTheClosedFormForEachShape) {
  struct Case {
    BodySpec body;
    dvec3 at;
    double distance;
    dvec3 normal;
  };
  const std::vector<Case> cases = {
      {sphere(0.5, {}), {0, 2, 0}, 1.5, {0, 1, 0}},
      {sphere(0.5, {}), {0, 0, -0.2}, -0.3, {0, 0, -1}},
      {box({1, 2, 3}, {}), {0, 0, 4}, 1.0, {0, 0, 1}},
      {box({1, 2, 3}, {}), {2, -3, 0}, std::sqrt(2.0), {kS, -kS, 0}},
      {box({1, 2, 3}, {}), {-0.9, 0.5, 0}, -0.1, {-1, 0, 0}},
      {box({1, 2, 3}, {}), {2, 3, 4}, std::sqrt(3.0), glm::normalize(dvec3(1, 1, 1))},
      {box({1, 2, 3}, {}, kAlongX), {3.5, 0, 0}, 0.5, {1, 0, 0}},
      {cylinder(1, 2, {}), {3, 0, 1}, 2.0, {1, 0, 0}},
      {cylinder(1, 2, {}), {0.5, 0, -5}, 3.0, {0, 0, -1}},
      {cylinder(1, 2, {}), {0, 2, 3}, std::sqrt(2.0), {0, kS, kS}},
      {cylinder(1, 2, {}), {0, 0.9, 1.5}, -0.1, {0, 1, 0}},
      {cylinder(1, 2, {}, kAlongY), {0, -1.95, 0.1}, -0.05, {0, -1, 0}},
      {capsule(0.5, 1, {}), {0, 0, 3}, 1.5, {0, 0, 1}},
      {capsule(0.5, 1, {}), {2, 0, 0.5}, 1.5, {1, 0, 0}},
      {capsule(0.5, 1, {}), {0, 0.1, -0.5}, -0.4, {0, 1, 0}},
      {half_space({}, kAlongX), {2, 7, 8}, 2.0, {1, 0, 0}},
      {half_space({}, kAlongX), {-300, 7, 8}, -300.0, {1, 0, 0}},
  };
  for (const dvec3 place : {dvec3(0.0), dvec3(-7000.25, 7000.5, 123.75)})
    for (std::size_t k = 0; k < cases.size(); ++k) {
      BodySpec body = cases[k].body;
      body.position = place;
      EXPECT_TRUE(is(nearest_to(TestScene({body}), place + cases[k].at), 0, cases[k].distance, cases[k].normal)) << k;
    }
}

TEST_P(Distance, IsThatOfTheClosedFormForHullsMeshesAndCompounds) {
  TestScene scene({{Shape::convex_hull, {0, 0, 0}, {}, kUpright},
                   {Shape::triangle_mesh, {0, 0, 0}, {20, 0, 0}, kUpright},
                   {Shape::triangle_mesh, {1, 0, 0}, {40, 0, 0}, kUpright},
                   {Shape::compound, {0, 0, 0}, {60, 0, 0}, kAlongX}});
  scene.scene.hulls = {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  scene.scene.meshes = {box_mesh({1, 1, 1}, 2), flat_sheet(4, 0.5)};
  scene.scene.meshes[0].material.assign(scene.scene.meshes[0].triangles.size(), 9);
  scene.scene.compounds = {{{Shape::sphere, {0.5, 0, 0}, {0, 0, 2}}, {Shape::box, {0.2, 0.3, 0.4}, {0, 0, -2}}}};
  const double third = std::sqrt(1.0 / 3.0);
  EXPECT_TRUE(is(nearest_to(scene, {0, 0, 3}), 0, 2.0, {0, 0, 1}));
  EXPECT_TRUE(is(nearest_to(scene, {1, 1, 1}), 0, 2.0 * third, dvec3(third)));
  EXPECT_TRUE(is(nearest_to(scene, {0.1, 0.1, 0.1}), 0, -0.7 * third, dvec3(third)));
  EXPECT_TRUE(is(nearest_to(scene, {1, 0, 1}), 0, kS, {kS, 0, kS}));
  const Hit inside = nearest_to(scene, {20.3, 0.9, 0.1}), outside = nearest_to(scene, {22.0, 0.25, 0.1});
  EXPECT_TRUE(is(inside, 1, -0.1, {0, 1, 0}));
  EXPECT_TRUE(is(outside, 1, 1.0, {1, 0, 0}));
  EXPECT_EQ(inside.material, 9);
  const std::array<std::uint32_t, 3> corners = scene.scene.meshes[0].triangles[outside.element];
  for (const std::uint32_t v : corners) EXPECT_EQ(scene.scene.meshes[0].vertices[v][0], 1.0);
  EXPECT_TRUE(is(nearest_to(scene, {40.2, 0.1, -0.3}), 2, 0.3, {0, 0, -1}));
  EXPECT_TRUE(is(nearest_to(scene, {40.2, 0.1, 0.3}), 2, 0.3, {0, 0, 1}));
  const Hit ball = nearest_to(scene, {63.5, 0, 0}), block = nearest_to(scene, {58.1, 0.2, 0.1});
  EXPECT_TRUE(is(ball, 3, 1.0, {1, 0, 0}));
  EXPECT_TRUE(is(block, 3, -0.1, {0, 1, 0}) || is(block, 3, -0.1, {0, 0, 1}));
  EXPECT_EQ(ball.shape, 0);
  EXPECT_EQ(block.shape, 1);
}

TEST_P(Distance, IsThatOfTheClosedFormForTheGround) {
  Terrain ground = rough({33, 41, {-4.0, -4.0}, {0.25, 0.25}}, 0.0, 1);
  for (double& h : ground.heights) h = 2.0;
  ground.holes.assign(32 * 40, 0);
  for (std::size_t i = 10; i < 14; ++i)
    for (std::size_t j = 10; j < 14; ++j) ground.holes[i * 40 + j] = 1;  // x and y from -1.5 to -0.5
  ground.material.assign(32 * 40, 0);
  ground.material[(4 * 5) * 40 + (4 * 6)] = 77;
  const TestScene scene(ground);
  EXPECT_TRUE(is(nearest_to(scene, {2.1, 1.3, 5.0}), kTerrain, 3.0, {0, 0, 1}));
  EXPECT_TRUE(is(nearest_to(scene, {2.1, 1.3, 1.5}), kTerrain, -0.5, {0, 0, 1}));
  const Hit near = nearest_to(scene, {2.05, 1.05, 2.001});
  EXPECT_TRUE(is(near, kTerrain, 0.001, {0, 0, 1}));
  EXPECT_EQ(near.element, 2u * (20 * 40 + 24));
  EXPECT_EQ(near.material, 77);
  // In the hole, and in the ground beside it.
  EXPECT_TRUE(is(nearest_to(scene, {-1.4, -1.0, 0.0}), kTerrain, 0.1, {1, 0, 0}));
  EXPECT_TRUE(is(nearest_to(scene, {-1.0, -0.6, -700.0}), kTerrain, 0.1, {0, -1, 0}));
  EXPECT_TRUE(is(nearest_to(scene, {-1.7, -1.0, 0.0}), kTerrain, -0.2, {1, 0, 0}));
  EXPECT_TRUE(is(nearest_to(scene, {-1.4, -1.0, 2.1}), kTerrain, std::sqrt(0.02), {kS, 0, kS}));
  EXPECT_TRUE(is(nearest_to(scene, {-1.0, -0.4, -700.0}), kTerrain, -0.1, {0, -1, 0}));
  // Beside the border, and in the ground there.
  EXPECT_TRUE(is(nearest_to(scene, {-7.0, 0.1, -20.0}), kTerrain, 3.0, {-1, 0, 0}));
  EXPECT_TRUE(is(nearest_to(scene, {-3.8, 0.1, -20.0}), kTerrain, -0.2, {-1, 0, 0}));
  EXPECT_TRUE(is(nearest_to(scene, {7.0, 8.0, 6.0}), kTerrain, std::sqrt(32.0 + 1.0), glm::normalize(dvec3(1, 4, 4))));
  EXPECT_TRUE(is(nearest_to(scene, {9000.0, 0.1, 1.0}), kTerrain, 8994.0, {1, 0, 0}));
}

TEST_P(Distance, LeastCountsAndRangesHold) {
  TestScene scene(rough({5, 5, {-4, -4}, {2, 2}}, 0.0, 1), {sphere(1.0, {0, 0, 0.2}), sphere(2.0, {0, 0, 0.5})});
  scene.scene.bodies.category = {1, 2};
  scene.scene.bodies.environment = {0, 0};
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const std::vector<double> position{0, 0, 0.5, 0, 0, -0.25, 0, 0, 2.5, 0, 0, 3.5, 0, 0, 3.5, 3, 3, 9, 0, 0, -0.5};
  const std::vector<double> range{kFar, 0.0, 0.0, 0.99, 1.01, kFar, 1.0};
  const std::vector<std::uint32_t> mask{3, 1, 2, 2, 2, 0, 0};
  const auto body = [&](std::size_t k) {
    return collider.distance(scene.poses(), {position, range, {}, mask}).nearest[k];
  };
  EXPECT_TRUE(is(body(0), 1, -2.0, {0, 0, 1}));  // in both
  EXPECT_TRUE(is(body(1), 0, -0.55, {0, 0, -1}));
  EXPECT_TRUE(is(body(2), 1, 0.0, {0, 0, 1}));
  EXPECT_EQ(body(3).body, kNothing);
  EXPECT_TRUE(is(body(4), 1, 1.0, {0, 0, 1}));
  EXPECT_TRUE(is(body(5), kTerrain, 9.0, {0, 0, 1}));
  EXPECT_TRUE(is(body(6), kTerrain, -0.5, {0, 0, 1}));
  // Other environments, and scenes with nothing.
  const std::vector<std::uint32_t> other(7, 5);
  EXPECT_EQ(collider.distance(scene.poses(), {position, {}, other}).near_count, 7u);  // terrain 0 is for all
  EXPECT_EQ(collider.distance(scene.poses(), {}).nearest.size(), 0u);
  collider.set_scene({});
  EXPECT_EQ(collider.distance({}, {position}).near_count, 0u);
}

TEST_P(Distance, RefusesWhatCannotBeAsked) {
  TestScene scene({sphere(1.0, {})});
  scene.scene.environment_terrain = {-1};
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const auto message = [&](const std::vector<double>& position, const std::vector<double>& range,
                           const std::vector<std::uint32_t>& environment) -> std::string {
    try {
      (void)collider.distance(scene.poses(), {position, range, environment});
    } catch (const Error& e) {
      return e.kind() == ErrorKind::invalid_input ? e.what() : "";
    }
    return "";
  };
  EXPECT_EQ(message({0, 0, 0, 0, 0}, {}, {}), "points/position has 5 numbers for 1 points");
  EXPECT_EQ(message({0, 0, 0, 0, kNoData, 0}, {}, {}), "points/position[1][1] is not finite");
  EXPECT_EQ(message({0, 0, 0, 1, 2, -1e19}, {}, {}), "points/position[1][2] is 3e18 m out or farther");
  EXPECT_EQ(message({0, 0, 0}, {-1}, {}), "points/range[0] is negative");
  EXPECT_EQ(message({0, 0, 0}, {kNoData}, {}), "points/range[0] is not a number");
  EXPECT_EQ(message({0, 0, 0}, {1, 2}, {}), "points/range has 2 numbers for 1 points");
  EXPECT_EQ(message({0, 0, 0}, {}, {1}), "points/environment[0] is 1, and environments/terrain has 1 entries");
}

TEST_F(OnOpenCl, DistancesInPartsWhereMemoryIsShort) {
  const TestScene scene(rough({65, 65, {0, 0}, {1, 1}}, 2.0, 3), {sphere(1.0, {3, 3, 3}), box({1, 1, 1}, {30, 30, 4})});
  std::vector<double> position;
  for (int k = 0; k < 20000; ++k) position.insert(position.end(), {0.003 * k, 0.0031 * k, 0.0002 * k});
  const auto ask = [&](std::uint64_t limit) {
    Settings settings;
    settings.device = opencl_device();
    settings.memory_limit = limit;
    Collider collider(settings);
    collider.set_scene(scene.scene);
    return collider.distance(scene.poses(), {position});
  };
  const Distances all = ask(0), parts = ask(std::uint64_t{1} << 20);
  EXPECT_EQ(hit_hash(all.nearest), hit_hash(parts.nearest));
  EXPECT_EQ(all.near_count, 20000u);
  EXPECT_LE(parts.device_bytes, std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace oclide::test
