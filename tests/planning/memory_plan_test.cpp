// The plan of a scene's memory against what the device really held, buffer by buffer.
#include "planning/memory_plan.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

// How far an estimate may be from what it turns out to be, beyond the smallest size of a buffer.
constexpr double kFactor = 2.0;
constexpr std::uint64_t kSlack = 64;

class MemoryPlans : public OnOpenCl {
 public:
  static Settings settings(std::uint64_t limit = 0) {
    Settings s;
    s.device = opencl_device();
    s.memory_limit = limit;
    return s;
  }

  static std::map<std::string, std::uint64_t> held(const Collider& collider) {
    std::map<std::string, std::uint64_t> bytes;
    for (const BufferBytes& b : collider.device_memory()) bytes[b.name] = b.bytes;
    return bytes;
  }

  // Each buffer that is there is planned, and each one planned is there and of its size.
  static void expect_planned(const MemoryPlan& plan, const Collider& collider) {
    std::map<std::string, std::uint64_t> there = held(collider);
    std::uint64_t device_bytes = 0, held_bytes = 0;
    for (const MemoryPlan::Buffer& b : plan.buffers) {
      if (!b.on_device) continue;
      device_bytes += b.bytes;
      const std::uint64_t bytes = there[b.name];
      held_bytes += bytes;
      if (b.exact) {
        EXPECT_EQ(bytes, b.bytes) << b.name;
      } else {
        const auto found = static_cast<double>(bytes), planned = static_cast<double>(b.bytes);
        EXPECT_LE(found, kFactor * planned + kSlack) << b.name;
        if (!b.only_if_needed) {
          EXPECT_GE(kFactor * found + kSlack, planned) << b.name;
        }
      }
      there.erase(b.name);
    }
    for (const auto& [name, bytes] : there) ADD_FAILURE() << "not planned: " << name << ", " << bytes << " bytes";
    EXPECT_EQ(plan.device_bytes, device_bytes);
    EXPECT_GT(held_bytes, 0U);
  }

  // Each buffer that is there is planned, and not much larger than that.
  static void expect_within(const MemoryPlan& plan, const Collider& collider) {
    std::map<std::string, std::uint64_t> planned;
    for (const MemoryPlan::Buffer& b : plan.buffers) planned[b.name] = b.bytes;
    for (const auto& [name, bytes] : held(collider)) {
      ASSERT_TRUE(planned.contains(name)) << "not planned: " << name;
      EXPECT_LE(static_cast<double>(bytes), kFactor * static_cast<double>(planned[name]) + kSlack) << name;
    }
  }

  static void expect_planned(const TestScene& scene) {
    Collider collider(settings());
    collider.set_scene(scene.scene);
    (void)collider.collide(scene.poses());
    const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings());
    EXPECT_TRUE(plan.fits) << plan.problem;
    EXPECT_EQ(plan.terrain_slices, 1U);
    EXPECT_EQ(plan.body_slices, 1U);
    expect_planned(plan, collider);
  }
};

// Bodies of all shapes, in a box of these sizes above z = 0, in a pile where it is small.
void add_bodies(TestScene& scene, int count, dvec3 room, double least, double most, std::uint64_t seed) {
  scene.bodies_meet = true;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int k = 0; k < count; ++k) {
    const dvec3 p = room * dvec3(unit(random), unit(random), unit(random));
    const dquat q = random_orientation(random);
    const double s = least + (most - least) * unit(random);
    scene.add(of_any_shape(static_cast<std::size_t>(k), s, p, q));
  }
}

TestScene pile_on_terrain() {
  TestScene scene(rough({101, 121, {0.0, 0.0}, {0.25, 0.25}}, 0.1, 81));
  add_bodies(scene, 5000, {30.0, 25.0, 6.0}, 0.2, 0.7, 82);
  return scene;
}

TEST_F(MemoryPlans, CoverAPileOnTerrain) {
  expect_planned(pile_on_terrain());
}

TEST_F(MemoryPlans, CoverBodiesWithoutTerrain) {
  TestScene scene;
  add_bodies(scene, 6000, {18.0, 18.0, 18.0}, 0.3, 0.6, 83);
  scene.add(half_space({0.0, 0.0, 1.0}));
  expect_planned(scene);
}

// As body 0: the ground is the first of each of its pairs.
TEST_F(MemoryPlans, CoverBodiesOnOneGround) {
  for (const bool plane : {true, false}) {
    TestScene scene;
    scene.bodies_meet = true;
    scene.add(plane ? half_space({0.0, 0.0, 0.0}) : box({75.0, 75.0, 1.0}, {70.0, 70.0, -1.0}));
    for (int k = 0; k < 19600; ++k) scene.add(sphere(0.4, {1.0 * (k % 140), 1.0 * (k / 140), 0.39}));
    expect_planned(scene);
  }
}

TEST_F(MemoryPlans, CoverAFewBodies) {
  TestScene scene(rough({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, 0.1, 84));
  add_bodies(scene, 40, {4.0, 4.0, 1.0}, 0.3, 0.6, 85);
  expect_planned(scene);
}

// Bodies over a sheet and in a ball: each buffer is planned, roughly.
TEST_F(MemoryPlans, CoverBodiesOnMeshes) {
  TestScene scene;
  add_bodies(scene, 2000, {30.0, 30.0, 1.0}, 0.2, 0.6, 89);
  scene.scene.meshes = {flat_sheet(100, 0.3), ball_mesh(3.0, 10)};
  for (auto& v : scene.scene.meshes[0].vertices) v[2] = 0.1 * std::sin(7.0 * v[0]) * std::sin(5.0 * v[1]);
  for (const double mesh : {0.0, 1.0}) {
    scene.add(sphere(1.0, {15.0 * mesh, 15.0 * mesh, 0.0}));
    scene.scene.bodies.shape.back() = Shape::triangle_mesh;
    scene.scene.bodies.size.back() = {mesh, 0.0, 0.0};
  }
  Collider collider(settings());
  collider.set_scene(scene.scene);
  (void)collider.collide(scene.poses());
  const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings());
  std::map<std::string, std::uint64_t> planned;
  for (const MemoryPlan::Buffer& b : plan.buffers) planned[b.name] = b.bytes;
  for (const auto& [name, bytes] : held(collider)) {
    ASSERT_TRUE(planned.contains(name)) << "not planned: " << name;
    EXPECT_LE(static_cast<double>(bytes), 4.0 * static_cast<double>(planned[name]) + kSlack) << name;
  }
}

TEST_F(MemoryPlans, CoverBodiesThatDoNotMeet) {
  TestScene scene(rough({101, 121, {0.0, 0.0}, {0.25, 0.25}}, 0.1, 86));
  add_bodies(scene, 3000, {30.0, 25.0, 1.0}, 0.2, 0.6, 87);
  scene.scene.bodies.group.assign(scene.scene.bodies.count(), 5);
  expect_planned(scene);
}

TEST_F(MemoryPlans, CoverTerrainsWithHolesMaterialsAndHeightsThatFloatsDoNotHold) {
  TestScene scene(rough({61, 73, {0.0, 0.0}, {0.25, 0.25}}, 0.1, 88));
  Terrain far = plane({51, 47, {0.0, 0.0}, {0.5, 0.5}}, 0.1, 0.02, 0.1);
  far.material.assign(std::size_t{50} * 46, 3);
  open_cells(far, 0.1, 89);
  scene.scene.terrains[0].heights[17] = 1.0 + 1e-12;
  scene.scene.terrains.push_back(far);
  scene.scene.environment_terrain = {0, 1, -1};
  add_bodies(scene, 1500, {15.0, 12.0, 1.0}, 0.2, 0.5, 90);
  scene.scene.bodies.environment.resize(scene.scene.bodies.count());
  for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i)
    scene.scene.bodies.environment[i] = static_cast<std::uint32_t>(i % 3);
  expect_planned(scene);
}

TestScene large_bodies() {
  TestScene scene(rough({401, 401, {-20.0, -20.0}, {0.1, 0.1}}, 0.05, 91));
  for (int k = 0; k < (kTakesItsTime ? 2 : 1); ++k)
    scene.add(box({6.0, 4.0, 0.5}, {-10.0 + 4.0 * k, 2.0 * k - 5.0, 0.45}));
  return scene;
}

TEST_F(MemoryPlans, CoverFewLargeBodiesOverManyCells) {
  expect_planned(large_bodies());
}

// What docs/benchmarks.md says of heaps on terrain.
TEST_F(MemoryPlans, CoverHeapsHaveAtMost300BytesABodyBesideWhatGoesInAndOut) {
  TestScene scene(rough({101, 121, {0.0, 0.0}, {0.5, 0.5}}, 0.1, 81));
  add_bodies(scene, 20000, {60.0, 50.0, 5.0}, 0.2, 0.7, 82);
  Collider collider(settings());
  collider.set_scene(scene.scene);
  std::size_t contacts = 0;
  for (int frame = 0; frame < 3; ++frame) {
    contacts = collider.collide(scene.poses()).contacts.size();
    for (double& p : scene.position) p += 1e-4;
  }
  ASSERT_GT(contacts, 20000U);
  std::uint64_t beside = 0;
  for (const BufferBytes& b : collider.device_memory()) {
    const bool is_input =
        b.name == "poses" || b.name == "bodies" || b.name == "bodies of the tree" || b.name.starts_with("terrain ");
    const bool is_output = b.name == "reduced contacts" || b.name == "contacts of pairs" || b.name == "touching pairs";
    if (!is_input && !is_output) beside += b.bytes;
  }
  EXPECT_LE(beside, 300U * 20000 + 64 * contacts);
}

// The second frame has one before it.
void expect_tracking_planned(const TestScene& scene) {
  Settings settings;
  settings.device = opencl_device();
  const std::uint64_t without = plan_memory(scene.scene, scene.poses(), settings).device_bytes;
  settings.track = true;
  Collider collider(settings);
  collider.set_scene(scene.scene);
  (void)collider.collide(scene.poses());
  (void)collider.collide(scene.poses());
  const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings);
  EXPECT_GT(plan.device_bytes, without);
  MemoryPlans::expect_planned(plan, collider);
}

TEST_F(MemoryPlans, CoverContactsThatAreTracked) {
  expect_tracking_planned(pile_on_terrain());
}

TEST_F(MemoryPlans, CoverLargeBodiesWhoseContactsAreTracked) {
  expect_tracking_planned(large_bodies());
}

TEST_F(MemoryPlans, HoldForIncrementalFrames) {
  TestScene scene = pile_on_terrain();
  Collider collider(settings());
  collider.set_scene(scene.scene);
  (void)collider.collide(scene.poses());
  for (std::size_t i = 0; i < 200; ++i) scene.position[3 * i] += 0.01;
  (void)collider.collide(scene.poses());
  // A second set of poses was on its way.
  const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings());
  const MemoryPlan ahead = plan_memory(scene.scene, scene.poses(), settings(), 1);
  EXPECT_GT(ahead.device_bytes, plan.device_bytes);
  expect_within(ahead, collider);
}

TEST_F(MemoryPlans, HoldForConsecutiveSmallFrames) {
  TestScene scene(rough({41, 51, {0.0, 0.0}, {0.25, 0.25}}, 0.1, 83));
  add_bodies(scene, 300, {12.0, 10.0, 2.0}, 0.2, 0.7, 84);
  Collider collider(settings());
  collider.set_scene(scene.scene);
  for (int frame = 0; frame < 4; ++frame) {
    (void)collider.collide(scene.poses());
    for (double& p : scene.position) p += 1e-3;
  }
  expect_within(plan_memory(scene.scene, scene.poses(), settings(), 1), collider);
}

TEST_F(MemoryPlans, UnderALimitTellWhetherItWorks) {
  const TestScene scene = pile_on_terrain();
  Collider& whole = collider_on("opencl");
  whole.set_scene(scene.scene);
  const FrameContacts expected = whole.collide(scene.poses());
  const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings());
  ASSERT_LT(plan.least_device_bytes, plan.device_bytes / 2);

  // Well above what the smallest slices need, well below what a whole frame does.
  const std::uint64_t enough = plan.least_device_bytes + plan.least_device_bytes / 2;
  const MemoryPlan sliced = plan_memory(scene.scene, scene.poses(), settings(enough));
  EXPECT_TRUE(sliced.fits) << sliced.problem;
  EXPECT_EQ(sliced.memory_limit, enough);
  EXPECT_GT(sliced.terrain_slices + sliced.body_slices, 2U);
  Collider limited(settings(enough));
  limited.set_scene(scene.scene);
  EXPECT_TRUE(same_bits(limited.collide(scene.poses()).contacts, expected.contacts));

  const std::uint64_t short_of = plan.least_device_bytes / 2;
  const MemoryPlan none = plan_memory(scene.scene, scene.poses(), settings(short_of));
  EXPECT_FALSE(none.fits);
  EXPECT_NE(none.problem.find(std::to_string(short_of)), std::string::npos) << none.problem;
  Collider starved(settings(short_of));
  EXPECT_THROW(
      {
        starved.set_scene(scene.scene);
        (void)starved.collide(scene.poses());
      },
      Error);
}

TEST_F(MemoryPlans, UnderALimitHoldForConsecutiveFrames) {
  const TestScene scene = pile_on_terrain();
  TestScene moved = scene;
  for (double& p : moved.position) p += 0.002;
  Collider& whole = collider_on("opencl");
  whole.set_scene(scene.scene);
  const FrameContacts first = whole.collide(scene.poses()), second = whole.collide(moved.poses());
  const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings(), 1);
  // Slices take what there is, of which the next frame's poses find more or less left: over many limits, sometimes
  // nothing.
  for (int k = 0; k < 10; ++k) {
    const std::uint64_t limit = plan.least_device_bytes + plan.least_device_bytes * static_cast<std::uint64_t>(k) / 12;
    Collider limited(settings(limit));
    limited.set_scene(scene.scene);
    Collider::StagedPoses now = limited.stage(scene.poses());
    EXPECT_TRUE(same_bits(limited.collide_staged(std::move(now)).contacts, first.contacts)) << limit;
    // With everything that the frame before holds.
    Collider::StagedPoses next = limited.stage(moved.poses()), after = limited.stage(scene.poses());
    EXPECT_TRUE(same_bits(limited.collide_staged(std::move(next)).contacts, second.contacts)) << limit;
    EXPECT_TRUE(same_bits(limited.collide_staged(std::move(after)).contacts, first.contacts)) << limit;
    EXPECT_TRUE(same_bits(limited.collide(moved.poses()).contacts, second.contacts)) << limit;
  }
}

TEST(MemoryPlan, OfTheReferenceIsOfTheHostAlone) {
  TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4})});
  Settings settings;
  settings.device = "reference";
  const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.device_bytes, 0U);
  EXPECT_GT(plan.host_bytes, 0U);
}

// So that bodies can change a Collider has them, and the parts of compounds, on the host.
TEST(MemoryPlan, CountsTheBodiesThatAreKept) {
  TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4})});
  Settings settings;
  settings.device = "reference";
  const auto bytes_of = [&](const std::string& name) {
    const MemoryPlan plan = plan_memory(scene.scene, scene.poses(), settings);
    std::uint64_t sum = 0, bytes = 0;
    for (const MemoryPlan::Buffer& buffer : plan.buffers) {
      sum += buffer.bytes;
      if (buffer.name == name) bytes += buffer.bytes;
    }
    EXPECT_EQ(sum, plan.host_bytes);
    return bytes;
  };
  scene.scene.bodies = {};
  scene.scene.bodies.shape = {Shape::sphere};
  scene.scene.bodies.size = {{0.5, 0.0, 0.0}};
  constexpr std::uint64_t kBody = sizeof(Shape) + 3 * sizeof(double);
  EXPECT_EQ(bytes_of("bodies and handles"), kBody + 4);
  EXPECT_EQ(bytes_of("bodies of parts"), 0U);
  scene.scene.bodies.flags = {kSensor};
  EXPECT_EQ(bytes_of("bodies and handles"), kBody + 8);
  CompoundPart part;
  part.shape = Shape::sphere;
  part.size = {0.2, 0.0, 0.0};
  scene.scene.compounds.push_back({part, part, part});
  scene.scene.bodies.shape = {Shape::compound};
  scene.scene.bodies.size = {{0.0, 0.0, 0.0}};
  // Three parts with flags and the group that keeps them apart.
  EXPECT_EQ(bytes_of("bodies and handles"), kBody + 8);
  EXPECT_EQ(bytes_of("bodies of parts"), 3 * (kBody + 8));
}

TEST(MemoryPlan, RefusesWhatAColliderRefuses) {
  TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4})});
  Settings settings;
  settings.margin = -1.0;
  EXPECT_THROW((void)plan_memory(scene.scene, scene.poses(), settings), Error);
  EXPECT_THROW((void)plan_memory(scene.scene, {}, {}), Error);
  scene.position[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)plan_memory(scene.scene, scene.poses(), {}), Error);
}

}  // namespace
}  // namespace oclide::test
