// Frames whose poses and contacts stay on the device: the same contacts as collide(), bit for bit, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <future>
#include <numeric>

#include "opencl/device.hpp"
#include "resident/resident_fixture.hpp"
#include "resident/resident_poses.hpp"
#include "support/mesh_shapes.hpp"
#include "support/sanitizer.hpp"
#include "support/terrains.hpp"
#include "upload/device_poses.hpp"

namespace oclide::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TestScene mixed(Terrain terrain, int count, dvec3 room, std::uint64_t seed, dvec3 corner = dvec3(0.0)) {
  TestScene scene(std::move(terrain));
  scene.bodies_meet = true;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int k = 0; k < count; ++k) {
    const dvec3 p = corner + room * dvec3(unit(random), unit(random), unit(random));
    const dquat q = random_orientation(random);
    const double s = 0.2 + 0.4 * unit(random);
    scene.add(of_any_shape(static_cast<std::size_t>(k), s, p, q));
  }
  return scene;
}

TestScene pile(int count, std::uint64_t seed) {
  const double width = 0.55 * std::sqrt(static_cast<double>(count));
  return mixed(rough({81, 91, {-1.0, -2.0}, {0.25, 0.3}}, 0.1, seed), count, {width, width, 1.5}, seed + 1);
}

using ResidentFrames = ResidentFixture;

TEST_F(ResidentFrames, OfAPileOnTerrainMatchCollide) {
  expect_same(pile(few_or(6000), 11));
}

TEST_F(ResidentFrames, OfAFewBodiesMatchCollide) {
  expect_same(pile(30, 12));
}

TEST_F(ResidentFrames, OverATiltedHalfSpaceMatchCollide) {
  TestScene scene = mixed(plane({}, 0, 0), few_or(1500), {8.0, 8.0, 8.0}, 13);
  scene.scene.terrains.clear();
  scene.add(half_space({0.0, 0.0, 2.0}, turn({1.0, 0.4, 0.0}, 0.3)));
  scene.add(sphere(0.5, {1.0, 1.0, 2.0}));
  expect_same(scene);
}

TEST_F(ResidentFrames, OnMeshesMatchCollide) {
  TestScene scene = mixed(rough({81, 91, {-1.0, -2.0}, {0.25, 0.3}}, 0.1, 17), few_or(300), {6.0, 6.0, 2.0}, 18);
  scene.scene.meshes = {ball_mesh(1.5, 6), flat_sheet(12, 0.5)};
  scene.scene.meshes[0].material.assign(scene.scene.meshes[0].triangles.size(), 7);
  scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, {3.0, 3.0, 1.0}, turn({1.0, 2.0, 3.0}, 0.7)});
  scene.add({Shape::triangle_mesh, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.6}});
  expect_same(scene);
}

TEST_F(ResidentFrames, WithSensorsMatchCollide) {
  TestScene scene = mixed(rough({81, 91, {-1.0, -2.0}, {0.25, 0.3}}, 0.1, 17), few_or(300), {6.0, 6.0, 2.0}, 18);
  for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i)
    scene.scene.bodies.flags.push_back(i % 4 == 0 ? kSensor : 0U);
  expect_same(scene);
}

TEST_F(ResidentFrames, FarFromTheOriginMatchCollide) {
  TestScene scene = mixed(rough({81, 91, {9000.1, -8999.7}, {0.25, 0.3}}, 0.1, 15), few_or(800), {15.0, 15.0, 1.5}, 16,
                          {9001.0, -8998.0, 0.0});
  expect_same(scene, true);
}

// Flush with each other and the ground: where the sign of a zero is the driver's choice (see expect_consistent()).
TEST_F(ResidentFrames, OfBodiesOnALatticeHaveNoNegativeZeros) {
  TestScene scene(plane({41, 41, {-5.0, -5.0}, {0.25, 0.25}}, 0, 0));
  scene.bodies_meet = true;
  for (int k = 0; k < few_or(300); ++k) {
    const dvec3 p(0.375 * (k % 7 - 3), 0.375 * (k / 7 % 7 - 3), 0.375 * (k / 49));
    scene.add(of_any_shape(static_cast<std::size_t>(k), 0.25, p * (k % 2 == 0 ? 1.0 : -1.0), kUpright));
  }
  expect_same(scene);
}

TEST_F(ResidentFrames, WithHolesMaterialsAndEnvironmentsMatchCollide) {
  TestScene scene = pile(few_or(1500), 17);
  open_cells(scene.scene.terrains[0], 0.1, 18);
  scene.scene.terrains[0].material.assign(std::size_t{80} * 90, 7);
  Terrain other = plane({51, 47, {0.0, 0.0}, {0.5, 0.5}}, 0.1, 0.02, 0.1);
  scene.scene.terrains.push_back(other);
  scene.scene.environment_terrain = {0, 1, -1};
  scene.scene.bodies.environment.resize(scene.scene.bodies.count());
  for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i)
    scene.scene.bodies.environment[i] = static_cast<std::uint32_t>(i % 3);
  expect_same(scene);
}

TEST_F(ResidentFrames, WithoutContactsOrBodiesAreEmpty) {
  TestScene apart(plane({}, 0, 0), {sphere(0.5, {0.0, 0.0, 9.0}), box({0.3, 0.2, 0.1}, {3.0, 0.0, 9.0})});
  apart.bodies_meet = true;
  const Application application;
  for (const TestScene& scene : {apart, TestScene(plane({}, 0, 0)), TestScene({sphere(0.5, {0.0, 0.0, 0.0})})}) {
    Collider collider = make_collider(application.context(), application.queue());
    collider.set_scene(scene.scene);
    EXPECT_FALSE(expect_same_if_any(application, collider, scene));
  }
}

TEST_F(ResidentFrames, WhileBodiesGoFarMatchCollide) {
  const Application application;
  TestScene scene = pile(few_or(3000), 19);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> way(-1.0, 1.0);
  for (int frame = 0; frame < 4; ++frame) {
    expect_same(application, collider, scene);
    for (std::size_t k = 0; k < scene.position.size(); ++k)
      scene.position[k] += (frame == 1 ? 2.0 : 0.01) * way(random);
  }
}

// Frames of host memory sort the bodies by where they are, which frames on the device then have to know.
TEST_F(ResidentFrames, AfterHostFramesThatSortBodiesMatchCollide) {
  const Application application;
  TestScene scene = pile(few_or(6000), 23);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  std::mt19937_64 random(24);
  for (int frame = 0; frame < 3; ++frame) {
    expect_same(application, collider, scene);
    const FloatPoses poses(application, scene);
    ASSERT_FALSE(collider.collide(poses.host()).contacts.empty());
    expect_same(application, collider, scene);
    // Every body where another was.
    std::vector<std::size_t> other(scene.scene.bodies.count());
    std::iota(other.begin(), other.end(), std::size_t{0});
    std::shuffle(other.begin(), other.end(), random);
    const std::vector<double> before = scene.position;
    for (std::size_t i = 0; i < other.size(); ++i)
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(3 * other[i]), 3,
                  scene.position.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
}

TEST_F(ResidentFrames, BetweenHostFramesMatchCollide) {
  const Application application;
  TestScene scene = pile(few_or(3000), 21);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  const FloatPoses poses(application, scene);
  const FrameContacts first = collider.collide(poses.host());
  ASSERT_FALSE(first.contacts.empty());
  EXPECT_THROW((void)to_host(collider), Error);
  expect_same(application, collider, scene);
  scene.position[5] += 0.02;
  const FloatPoses moved(application, scene);
  const FrameContacts second = collider.collide(moved.host());
  expect_same(application, collider, scene);
  EXPECT_TRUE(same_bits(second.contacts, to_host(collider).contacts));
  EXPECT_TRUE(same_bits(first.contacts, collider.collide(poses.host()).contacts));
  EXPECT_THROW((void)to_host(collider), Error);
}

// A set of poses that a frame on the device has read is the next one to be staged into.
TEST_F(ResidentFrames, WhilePosesAreStagedByAnotherThreadMatchCollide) {
  const Application application;
  TestScene scene = pile(few_or(3000), 25), other = scene;
  for (double& p : other.position) p += 0.05;
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  const FloatPoses poses(application, scene), others(application, other);
  const FrameContacts first = collider.collide(poses.host()), second = collider.collide(others.host());
  ASSERT_FALSE(same_bits(first.contacts, second.contacts));
  for (int round = 0; round < 4; ++round) {
    auto staging = std::async(std::launch::async, [&] {
      return std::array{collider.stage(others.host()), collider.stage(poses.host()), collider.stage(others.host())};
    });
    (void)collide_on_device(collider, poses.resident());
    EXPECT_TRUE(same_bits(to_host(collider).contacts, first.contacts));
    (void)collide_on_device(collider, others.resident());
    EXPECT_TRUE(same_bits(collider.collide(poses.host()).contacts, first.contacts));
    auto [a, b, c] = staging.get();
    EXPECT_TRUE(same_bits(collider.collide_staged(std::move(a)).contacts, second.contacts));
    EXPECT_TRUE(same_bits(collider.collide_staged(std::move(b)).contacts, first.contacts));
    EXPECT_TRUE(same_bits(collider.collide_staged(std::move(c)).contacts, second.contacts));
  }
}

TEST_F(ResidentFrames, ProcessedInSlicesMatchWholeOnes) {
  if (is_simulator(*first_device())) GTEST_SKIP() << "takes too long in a simulator";
  const Application application;
  const TestScene scene = pile(6000, 22);
  Settings settings;
  Collider whole = make_collider(application.context(), application.queue());
  whole.set_scene(scene.scene);
  const FloatPoses poses(application, scene);
  const std::uint64_t bytes = collide_on_device(whole, poses.resident()).device_bytes;
  settings.memory_limit = bytes / 2;
  Collider cut = make_collider(application.context(), application.queue(), settings);
  cut.set_scene(scene.scene);
  expect_same(application, cut, scene, false, true);
  expect_same(application, cut, scene, false, true);
}

TEST_F(ResidentFrames, AlternateWithHostFramesUnderAMemoryLimit) {
  if (is_simulator(*first_device())) GTEST_SKIP() << "takes too long in a simulator";
  const Application application;
  const TestScene scene = pile(2000, 26);
  const FloatPoses poses(application, scene);
  Collider whole = make_collider(application.context(), application.queue());
  whole.set_scene(scene.scene);
  const std::uint64_t bytes = collide_on_device(whole, poses.resident()).device_bytes;
  const std::vector<Contact> expected = whole.collide(poses.host()).contacts;
  ASSERT_FALSE(expected.empty());
  int limits = 0;
#ifdef OCLIDE_SANITIZER
  constexpr std::uint64_t kStep = 2;  // each takes ten times as long
#else
  constexpr std::uint64_t kStep = 1;
#endif
  for (std::uint64_t part = 2; part <= 16; part += kStep) {
    Settings settings;
    settings.memory_limit = bytes * part / 16;
    const auto collider = [&] {
      Collider made = make_collider(application.context(), application.queue(), settings);
      made.set_scene(scene.scene);
      return made;
    };
    try {
      Collider of_host = collider(), of_device = collider();
      (void)of_host.collide(poses.host());
      (void)collide_on_device(of_device, poses.resident());
    } catch (const Error&) {
      continue;  // too little for the one or the other alone
    }
    ++limits;
    Collider both = collider();
    for (int turn = 0; turn < 2; ++turn) {
      EXPECT_TRUE(same_bits(both.collide(poses.host()).contacts, expected)) << part;
      (void)collide_on_device(both, poses.resident());
      EXPECT_TRUE(same_bits(to_host(both).contacts, expected)) << part;
    }
  }
  EXPECT_GT(limits, 4 / static_cast<int>(kStep));
}

TEST_F(ResidentFrames, MatchCollideUnderAMemoryLimit) {
  if (is_simulator(*first_device())) GTEST_SKIP() << "takes too long in a simulator";
  const Application application;
  // Terrain takes most of it: from some limit on its contacts make room for the pairs, from another all is in slices.
  const TestScene scene = mixed(rough({161, 181, {-1.0, -2.0}, {0.25, 0.3}}, 0.1, 28), 2000, {38.0, 50.0, 0.7}, 29);
  const FloatPoses poses(application, scene);
  std::uint64_t bytes = 0;
  FrameContacts expected;
  unsigned whole = 0, by_host = 0;
  for (const unsigned part : {100U, 95U, 90U, 80U, 75U, 70U, 65U, 60U, 50U, 40U}) {
    Settings settings;
    settings.track = part >= 70 && part % 10 == 0;
    settings.memory_limit = bytes * part / 100;
    Collider collider = make_collider(application.context(), application.queue(), settings);
    collider.set_scene(scene.scene);
    const DeviceFrame frame = collide_on_device(collider, poses.resident());
    ++(frame.merged_by_host ? by_host : whole);
    const FrameContacts found = to_host(collider);
    if (part == 100) {
      bytes = frame.device_bytes;
      expected = found;
    }
    EXPECT_EQ(contact_hash(found.contacts), contact_hash(expected.contacts)) << part << " % of the memory";
    EXPECT_EQ(found.pairs, expected.pairs) << part << " % of the memory";
  }
  EXPECT_GT(expected.pairs, expected.body_pairs);
  EXPECT_GT(expected.body_pairs, 100U);
  EXPECT_GT(whole, 0U);
  EXPECT_GT(by_host, 0U);
}

TEST_F(ResidentFrames, OnQueuesOfEachKindMatchCollide) {
  const TestScene scene = pile(few_or(500), 23);
  for (const cl_command_queue_properties properties :
       {0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    std::unique_ptr<Application> application;
    try {
      application = std::make_unique<Application>(properties);
    } catch (const cl::Error&) {
      continue;  // a device need not have queues out of order
    }
    Collider collider = make_collider(application->context(), application->queue());
    collider.set_scene(scene.scene);
    expect_same(*application, collider, scene);
    const FloatPoses poses(*application, scene);
    EXPECT_FALSE(collider.collide(poses.host()).contacts.empty());
  }
}

// Counts contacts deeper than a bound, with the layouts that the library hands out.
constexpr const char* kReader = R"(
__kernel void deeper(__global const oclide_device_contact* contacts, __global const oclide_device_counts* counts,
                     const float bound, __global uint* found) {
  if (get_global_id(0) < counts->contacts && contacts[get_global_id(0)].depth > bound) atomic_inc(found);
}
)";

TEST_F(ResidentFrames, AreReadByAKernelEnqueuedRightAfterThem) {
  const Application application;
  const TestScene scene = pile(few_or(800), 24);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  const cl::Program program(application.context, std::string(device_layout()) + kReader, true);
  cl::Kernel kernel(program, "deeper");
  const FloatPoses poses(application, scene);
  const cl::Buffer found = application.buffer(std::vector<std::uint32_t>{0});
  const DeviceFrame frame = collide_on_device(collider, poses.resident());
  ASSERT_GT(frame.contact_count, 0U);
  kernel.setArg(0, cl::Buffer(frame.contacts, true));
  kernel.setArg(1, cl::Buffer(frame.counts, true));
  kernel.setArg(2, 0.05F);
  kernel.setArg(3, found);
  application.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(frame.contact_count));
  std::uint32_t deeper = 0;
  application.queue.enqueueReadBuffer(found, CL_TRUE, 0, 4, &deeper);
  const FrameContacts expected = to_host(collider);
  EXPECT_EQ(deeper, std::count_if(expected.contacts.begin(), expected.contacts.end(),
                                  [](const Contact& c) { return c.depth > 0.05F; }));
  EXPECT_GT(deeper, 0U);
}

// Sizes and places of fields as a kernel sees them.
constexpr const char* kLayout = R"(
#define AT(type, field) (uint)(size_t)&((__global type*)0)->field
__kernel void layout(__global uint* numbers) {
  const uint all[] = {sizeof(oclide_device_contact), AT(oclide_device_contact, depth), AT(oclide_device_contact, normal),
    AT(oclide_device_contact, material), AT(oclide_device_contact, body_a), AT(oclide_device_contact, body_b),
    AT(oclide_device_contact, shape_a), AT(oclide_device_contact, shape_b), AT(oclide_device_contact, origin),
    AT(oclide_device_contact, manifold), AT(oclide_device_contact, feature), sizeof(oclide_device_manifold),
    AT(oclide_device_manifold, shape_b), AT(oclide_device_manifold, first), AT(oclide_device_manifold, count),
    sizeof(oclide_device_counts), AT(oclide_device_counts, body_pairs), sizeof(oclide_device_event),
    AT(oclide_device_event, shape_a), AT(oclide_device_event, change), AT(oclide_device_event, previous)};
  for (uint k = 0; k < sizeof(all) / sizeof(uint); ++k) numbers[k] = all[k];
}
)";

TEST_F(ResidentFrames, HaveLayoutsThatAreTheSameOnHostAndDevice) {
  using Contacts = oclide_device_contact;
  using Manifolds = oclide_device_manifold;
  using Counts = oclide_device_counts;
  using Events = oclide_device_event;
  const std::vector<std::size_t> expected{sizeof(Contacts),
                                          offsetof(Contacts, depth),
                                          offsetof(Contacts, normal),
                                          offsetof(Contacts, material),
                                          offsetof(Contacts, body_a),
                                          offsetof(Contacts, body_b),
                                          offsetof(Contacts, shape_a),
                                          offsetof(Contacts, shape_b),
                                          offsetof(Contacts, origin),
                                          offsetof(Contacts, manifold),
                                          offsetof(Contacts, feature),
                                          sizeof(Manifolds),
                                          offsetof(Manifolds, shape_b),
                                          offsetof(Manifolds, first),
                                          offsetof(Manifolds, count),
                                          sizeof(Counts),
                                          offsetof(Counts, body_pairs),
                                          sizeof(Events),
                                          offsetof(Events, shape_a),
                                          offsetof(Events, change),
                                          offsetof(Events, previous)};
  EXPECT_EQ(sizeof(Contacts), 64U);
  EXPECT_EQ(sizeof(Manifolds), 24U);
  EXPECT_EQ(sizeof(Counts), 16U);
  EXPECT_EQ(sizeof(Events), 24U);
  const Application application;
  const cl::Program program(application.context, std::string(device_layout()) + kLayout, true);
  cl::Kernel kernel(program, "layout");
  const cl::Buffer numbers = application.buffer(std::vector<std::uint32_t>(expected.size()));
  kernel.setArg(0, numbers);
  application.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
  std::vector<std::uint32_t> found(expected.size());
  application.queue.enqueueReadBuffer(numbers, CL_TRUE, 0, found.size() * 4, found.data());
  EXPECT_EQ(std::vector<std::size_t>(found.begin(), found.end()), expected);
}

TEST_F(ResidentFrames, WaitForTheEventsGiven) {
  const Application application;
  const TestScene scene = pile(few_or(300), 25);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  // The poses come by another queue.
  const cl::CommandQueue other(application.context, application.device);
  const FloatPoses poses(application, scene);
  std::vector<float> elsewhere(scene.position.size(), 1000.0F), positions;
  for (const double p : poses.position) positions.push_back(static_cast<float>(p));
  const cl::Buffer position = application.buffer(elsewhere);
  cl::Event there;
  other.enqueueWriteBuffer(position, CL_FALSE, 0, positions.size() * sizeof(float), positions.data(), nullptr, &there);
  other.flush();
  ResidentPoses resident = poses.resident();
  resident.position = position();
  const cl_event wait = there();
  resident.wait_list = &wait;
  resident.wait_count = 1;
  (void)collide_on_device(collider, resident);
  const FrameContacts found = to_host(collider);
  EXPECT_FALSE(found.contacts.empty());
  EXPECT_TRUE(same_bits(found.contacts, collider.collide(poses.host()).contacts));
}

TEST_F(ResidentFrames, WithPosesThatCannotBeUsedNameArrayAndBodyAndLeaveTheColliderUsable) {
  const Application application;
  const TestScene scene = pile(100, 26);
  for (const bool terrain : {true, false}) {
    TestScene s = scene;
    if (!terrain) s.scene.terrains.clear();
    Collider collider = make_collider(application.context(), application.queue());
    collider.set_scene(s.scene);
    const FloatPoses good(application, s);
    const auto with = [&](std::size_t array, std::vector<std::size_t> places, float value) {
      std::vector<float> numbers;
      for (const double x : array == 2 ? good.orientation : good.position)
        numbers.push_back(array == 1 ? 0.0F : static_cast<float>(x));
      for (const std::size_t place : places) numbers[place] = value;
      const cl::Buffer buffer = application.buffer(numbers);
      ResidentPoses poses = good.resident(array == 1);
      (array == 0 ? poses.position : array == 1 ? poses.position_low : poses.orientation) = buffer();
      return error_of(collider, poses);
    };
    for (const float bad : {kNan, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
      EXPECT_EQ(with(0, {3 * 77 + 1, 3 * 41 + 2}, bad), "position[41] is not finite");
      EXPECT_EQ(with(1, {3 * 99}, bad), "position_low[99] is not finite");
      EXPECT_NE(with(2, {4 * 8 + 3}, bad).find("orientation[8]"), std::string::npos);
    }
    EXPECT_NE(with(2, {20, 21, 22, 23}, 0.0F).find("orientation[5]"), std::string::npos);
    EXPECT_NE(with(2, {20, 21, 22, 23}, 4e-13F).find("orientation[5]"), std::string::npos);
    EXPECT_THROW((void)to_host(collider), Error);
    expect_same(application, collider, s);
  }
}

TEST_F(ResidentFrames, WithBuffersThatCannotBePosesSayWhichAndWhy) {
  const Application application, another(0, cl::Context(Application::first()));
  const TestScene scene = pile(20, 27);
  Collider collider = make_collider(application.context(), application.queue());
  const FloatPoses good(application, scene), foreign(another, scene);
  EXPECT_NE(error_of(collider, good.resident()).find("no scene"), std::string::npos);
  collider.set_scene(scene.scene);
  EXPECT_THROW((void)to_host(collider), Error);

  EXPECT_EQ(error_of(collider, {}), "position is null");
  ResidentPoses poses = good.resident();
  poses.orientation = nullptr;
  EXPECT_EQ(error_of(collider, poses), "orientation is null");
  poses = good.resident();
  poses.orientation = foreign.on_device[2]();
  EXPECT_NE(error_of(collider, poses).find("orientation is a buffer of another context"), std::string::npos);
  poses = good.resident();
  poses.orientation = good.on_device[0]();
  EXPECT_EQ(error_of(collider, poses), "orientation has 240 bytes, 320 are 4 floats for each of 20 bodies");
  const cl::Buffer short_low = application.buffer(std::vector<float>(59));
  poses = good.resident();
  poses.position_low = short_low();
  EXPECT_NE(error_of(collider, poses).find("position_low has 236 bytes"), std::string::npos);
  const cl::Buffer write_only(application.context, CL_MEM_WRITE_ONLY, 240);
  poses = good.resident();
  poses.position = write_only();
  EXPECT_NE(error_of(collider, poses).find("may not read"), std::string::npos);

  poses = good.resident();
  poses.wait_count = 1;
  EXPECT_EQ(error_of(collider, poses), "wait_list is null");
  cl_event none = nullptr;
  poses.wait_list = &none;
  EXPECT_EQ(error_of(collider, poses), "wait_list[0] is null");
  const cl::UserEvent event(another.context);
  none = event();
  EXPECT_NE(error_of(collider, poses).find("wait_list[0] is an event of another context"), std::string::npos);
  expect_same(application, collider, scene);
}

TEST_F(ResidentFrames, OfCollidersThatHaveNoContextOfTheApplicationsAreErrors) {
  const Application application;
  const TestScene scene = pile(20, 28);
  const FloatPoses poses(application, scene);
  for (const std::string& device : {opencl_device(), std::string("reference")}) {
    Settings settings;
    settings.device = device;
    Collider collider(settings);
    collider.set_scene(scene.scene);
    EXPECT_NE(error_of(collider, poses.resident()), "no error");
    EXPECT_THROW((void)to_host(collider), Error);
  }
  Settings settings;
  settings.device = opencl_device();
  Collider collider(settings);
  const Collider taken = std::move(collider);
  EXPECT_NE(error_of(collider, poses.resident()).find("moved from"), std::string::npos);
}

TEST_F(ResidentFrames, OfHandlesThatCannotBeACollidersAreErrors) {
  const Application application, another(0, cl::Context(Application::first()));
  const auto error = [](cl_context context, cl_command_queue queue, const Settings& settings = {}) -> std::string {
    try {
      (void)make_collider(context, queue, settings);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error(nullptr, application.queue()).find("context is null"), std::string::npos);
  EXPECT_NE(error(application.context(), nullptr).find("queue is null"), std::string::npos);
  EXPECT_NE(error(application.context(), another.queue()).find("another context"), std::string::npos);
  Settings settings;
  settings.device = "reference";
  EXPECT_NE(error(application.context(), application.queue(), settings).find("the settings ask for"),
            std::string::npos);
  settings.device = opencl_device();
  EXPECT_EQ(error(application.context(), application.queue(), settings), "no error");
  settings.margin = -1.0;
  EXPECT_NE(error(application.context(), application.queue(), settings).find("margin"), std::string::npos);
}

TEST_F(ResidentFrames, KeepTheContextAndTheQueueAlive) {
  const TestScene scene = pile(30, 29);
  auto application = std::make_unique<Application>();
  const FloatPoses poses(*application, scene);
  Collider collider = make_collider(application->context(), application->queue());
  collider.set_scene(scene.scene);
  application.reset();
  (void)collide_on_device(collider, poses.resident());
  EXPECT_FALSE(to_host(collider).contacts.empty());
}

TEST_F(ResidentFrames, AreTrackedAsByCollide) {
  expect_followed(pile(few_or(1500), 31), 32);
}

// Orientations as the device brings them to length 1, against those of the host.
TEST_F(ResidentFrames, BringOrientationsToLengthOneToTheLastBitAsTheHostDoes) {
  std::mt19937_64 random(30);
  std::normal_distribution<double> part(0.0, 1.0);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<std::array<float, 4>> turns{{1, 0, 0, 0},
                                          {0, -1, 0, 0},
                                          {0.5F, 0.5F, -0.5F, 0.5F},
                                          {0.6F, 0.8F, 0, 0},
                                          {3e38F, 3e38F, 0, 1},
                                          {1e-20F, 1, 1e-15F, 0},
                                          {1.1e-12F, 0, 0, 0},
                                          {1, 1e-38F, 1e-45F, 0},
                                          {2e-12F, 1e-45F, 0, 0},
                                          {-0.0F, 0.0F, 1.0F, -0.0F}};
  const std::size_t count = is_simulator(*first_device()) ? 300 : 400000;
  while (turns.size() < count) {
    std::array<float, 4> q{};
    for (float& c : q) c = static_cast<float>(part(random));
    if (turns.size() % 3 == 1) {  // rounded to length 1
      const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
      for (float& c : q) c = static_cast<float>(static_cast<double>(c) / length);
    }
    if (turns.size() % 7 == 2)  // of few bits, so that quotients come near to the middle between two floats
      for (float& c : q) c = std::nearbyint(8.0F * c);
    if (turns.size() % 11 == 3)
      for (float& c : q) c = std::ldexp(c, static_cast<int>(30.0 * unit(random)));
    if (turns.size() % 13 == 4)
      for (float& c : q) c *= 2e-12F;
    if (turns.size() % 17 == 5) q[turns.size() % 4] = static_cast<float>(1e-15 * (1.0 + 1e-6 * unit(random)));
    double length2 = 0.0;
    for (const float c : q) length2 += static_cast<double>(c) * static_cast<double>(c);
    if (length2 > 1.001e-24) turns.push_back(q);
  }

  opencl::Device device(Settings{}, *first_device());
  opencl::StageTimer timer;
  for (const bool planes : {false, true}) {
    std::vector<float> numbers;
    Poses poses;
    std::vector<double> position(3 * count), orientation;
    for (const auto& q : turns)
      for (const float c : q) {
        numbers.push_back(c);
        orientation.push_back(static_cast<double>(c));
      }
    for (std::size_t i = 0; i < position.size(); ++i)
      position[i] = static_cast<double>(static_cast<float>(
          std::ldexp(unit(random), static_cast<int>(i % 5 == 0 ? 90.0 * unit(random) : 10.0 * unit(random)))));
    poses.position = position;
    poses.orientation = orientation;
    const std::vector<float> floats(position.begin(), position.end());
    opencl::Buffer<float> turned(device, "orientations of the application", numbers.size()),
        placed(device, "positions of the application", floats.size());
    turned.upload(numbers);
    placed.upload(floats);
    opencl::Buffer<std::uint32_t> slots(device, "slots");
    slots.assign(std::vector<std::uint32_t>(count, planes ? SLOT_HALF_SPACE : SLOT_NONE));
    ResidentPoses given;
    given.position = placed.get()();
    given.orientation = turned.get()();
    const DeviceScene in_place(device, 0.0F, WorkMemory(device));
    DevicePoses to(device);
    ResidentUpload upload(device);
    upload.run(given, slots, in_place, to, timer);
    ASSERT_NO_THROW(upload.check());
    std::vector<PoseRecord> found(count);
    to.records.download(found);
    std::size_t different = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const PoseRecord expected = device_pose(poses, static_cast<std::uint32_t>(i), planes), &own = found[i];
      if (std::memcmp(&expected, &own, sizeof(PoseRecord)) == 0) continue;
      if (++different > 5) continue;
      ADD_FAILURE() << i << ": " << turns[i][0] << " " << turns[i][1] << " " << turns[i][2] << " " << turns[i][3]
                    << "; host " << expected.orientation[0] << " " << expected.orientation[1] << " "
                    << expected.orientation[2] << " " << expected.orientation[3] << ", device " << own.orientation[0]
                    << " " << own.orientation[1] << " " << own.orientation[2] << " " << own.orientation[3]
                    << "; position host " << expected.position_high[0] << " " << expected.position_low[0] << ", device "
                    << own.position_high[0] << " " << own.position_low[0];
    }
    EXPECT_EQ(different, 0U);
  }
}

}  // namespace
}  // namespace oclide::test
