// Frames on the device of scenes with compound bodies: the same contacts as collide(), bit for bit, by body and shape.
#include "resident/resident_compounds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "opencl/device.hpp"
#include "resident/resident_fixture.hpp"
#include "resident/resident_poses.hpp"
#include "support/terrains.hpp"
#include "upload/compound_bodies.hpp"
#include "upload/device_poses.hpp"
#ifdef OCLIDE_TEST_SCENARIOS
#include "scenarios/scenario.hpp"
#endif

namespace oclide::test {
namespace {

using ResidentCompoundFrames = ResidentFixture;

CompoundPart random_part(std::mt19937_64& random, double room) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const double s = 0.2 + 0.1 * unit(random);
  CompoundPart part;
  part.shape = static_cast<Shape>(random() % 4);
  part.size = {s, 0.7 * s, 0.5 * s};
  part.position = {room * unit(random), room * unit(random), room * unit(random)};
  const dquat q = (2.0 + unit(random)) * random_orientation(random);
  part.orientation = {q.w, q.x, q.y, q.z};
  return part;
}

// Compounds of one to `most` parts and single shapes by turns, in a room; every body with an orientation of any length.
TestScene crowd(Terrain terrain, int count, std::size_t most, dvec3 room, std::uint64_t seed,
                dvec3 corner = dvec3(0.0)) {
  TestScene scene(std::move(terrain));
  scene.bodies_meet = true;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (std::size_t k = 0; k < 12; ++k) {
    std::vector<CompoundPart> parts;
    const std::size_t parts_of = k < 2 ? 1 : k == 2 ? most : 1 + random() % most;
    for (std::size_t p = 0; p < parts_of; ++p) parts.push_back(random_part(random, 0.5));
    scene.scene.compounds.push_back(parts);
  }
  for (int k = 0; k < count; ++k) {
    const dvec3 p = corner + room * dvec3(unit(random), unit(random), unit(random));
    const dquat q = (0.1 + 3.0 * unit(random)) * random_orientation(random);
    const double s = 0.2 + 0.2 * unit(random);
    const auto compound = static_cast<double>(random() % scene.scene.compounds.size());
    scene.add(k % 8 == 1   ? sphere(s, p)
              : k % 8 == 4 ? box({s, 0.5 * s, 0.7 * s}, p, q)
              : k % 8 == 6 ? cylinder(s, 0.6 * s, p, q)
                           : BodySpec{Shape::compound, {compound, 0.0, 0.0}, p, q});
  }
  return scene;
}

TestScene yard(int count, std::uint64_t seed) {
  const double width = 0.8 * std::sqrt(static_cast<double>(count));
  return crowd(rough({81, 91, {-1.0, -2.0}, {0.25, 0.3}}, 0.1, seed), count, 7, {width, width, 1.5}, seed + 1);
}

TEST_F(ResidentCompoundFrames, MatchCollide) {
  expect_same(yard(few_or(1500), 41));
  expect_same(yard(7, 42));
}

TEST_F(ResidentCompoundFrames, FarFromTheOriginMatchCollide) {
  expect_same(crowd(rough({81, 91, {9000.1, -8999.7}, {0.25, 0.3}}, 0.1, 43), few_or(400), 9, {15.0, 15.0, 1.5}, 44,
                    {9001.0, -8998.0, 0.0}),
              true);
}

TEST_F(ResidentCompoundFrames, WithHalfSpacesEnvironmentsAndGroupsMatchCollide) {
  TestScene scene = yard(few_or(900), 45);
  open_cells(scene.scene.terrains[0], 0.1, 46);
  scene.scene.terrains[0].material.assign(std::size_t{80} * 90, 7);
  scene.scene.terrains.push_back(plane({51, 47, {0.0, 0.0}, {0.5, 0.5}}, 0.1, 0.02, 0.1));
  scene.scene.environment_terrain = {0, 1, -1};
  // Half spaces before, between and behind the bodies that they meet.
  TestScene other;
  other.bodies_meet = true;
  other.scene.terrains = scene.scene.terrains;
  other.scene.compounds = scene.scene.compounds;
  other.scene.environment_terrain = scene.scene.environment_terrain;
  const std::size_t n = scene.scene.bodies.count();
  for (std::size_t i = 0; i < n; ++i) {
    if (i % (n / 3) == 0)
      other.add(half_space({0.0, 0.0, 0.2 + 1e-4 * static_cast<double>(i)}, turn({1, 0.4, 0}, 0.1)));
    BodySpec body{scene.scene.bodies.shape[i], scene.scene.bodies.size[i],
                  dvec3(scene.position[3 * i], scene.position[3 * i + 1], scene.position[3 * i + 2]),
                  dquat(scene.orientation[4 * i], scene.orientation[4 * i + 1], scene.orientation[4 * i + 2],
                        scene.orientation[4 * i + 3]),
                  static_cast<std::uint32_t>(i % 3)};
    other.add(body);
    other.scene.bodies.group.back() = i % 5 == 1 ? 1 : i % 5 == 2 ? -7 : 0;
  }
  for (std::size_t i = 0; i < other.scene.bodies.count(); ++i)
    if (other.scene.bodies.shape[i] == Shape::half_space)
      other.scene.bodies.environment[i] = static_cast<std::uint32_t>(i % 3);
  expect_same(other);
}

TEST_F(ResidentCompoundFrames, OfOnePartMatchThePlainShape) {
  const Application application;
  TestScene plain = yard(few_or(600), 47), compound;
  plain.scene.compounds.clear();
  compound.scene.terrains = plain.scene.terrains;
  compound.bodies_meet = true;
  TestScene singles(plain.scene.terrains[0]);
  singles.bodies_meet = true;
  for (std::size_t i = 0; i < plain.scene.bodies.count(); ++i) {
    const dvec3 p(plain.position[3 * i], plain.position[3 * i + 1], plain.position[3 * i + 2]);
    const dquat q(plain.orientation[4 * i], plain.orientation[4 * i + 1], plain.orientation[4 * i + 2],
                  plain.orientation[4 * i + 3]);
    const BodySpec spec = i % 2 == 0 ? box({0.3, 0.4, 0.2}, p, q) : capsule(0.2, 0.3, p, q);
    singles.add(spec);
    compound.scene.compounds.push_back({{spec.shape, spec.size}});
    compound.add({Shape::compound, {static_cast<double>(i), 0.0, 0.0}, p, q});
  }
  std::array<FrameContacts, 2> found;
  for (std::size_t k = 0; k < 2; ++k) {
    const TestScene& scene = k == 0 ? singles : compound;
    Collider collider = make_collider(application.context(), application.queue());
    collider.set_scene(scene.scene);
    expect_same(application, collider, scene);
    found[k] = to_host(collider);
  }
  ASSERT_GT(found[0].body_pairs, found[0].contacts.size() / 50);
  EXPECT_TRUE(same_bits(found[0].contacts, found[1].contacts));
}

#ifdef OCLIDE_TEST_SCENARIOS
TEST_F(ResidentCompoundFrames, OfRoversMatchCollide) {
  ScenarioRequest request;
  request.name = "rovers";
  request.bodies = static_cast<std::size_t>(few_or(400));
  request.frames = 3;
  request.environments = 2;
  const auto scenario = make_scenario(request);
  const Application application;
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scenario->scene());
  Frame frame;
  frame.position.resize(3 * scenario->scene().bodies.count());
  frame.orientation.resize(4 * scenario->scene().bodies.count());
  for (std::size_t k = 0; k < request.frames; ++k) {
    scenario->pose(k, frame);
    TestScene scene;
    scene.scene = scenario->scene();
    scene.position = frame.position;
    scene.orientation = frame.orientation;
    expect_same(application, collider, scene);
    EXPECT_GT(to_host(collider).body_pairs, 0U);
  }
}
#endif

TEST_F(ResidentCompoundFrames, WithTheMostPartsMatchCollide) {
  if (is_simulator(*first_device())) GTEST_SKIP() << "takes too long in a simulator";
  TestScene scene(plane({11, 13, {-5.0, -6.0}, {1.0, 1.0}}, 0.0, 0.0));
  scene.bodies_meet = true;
  // A hedge: its last parts stand in those of another one and in the ground.
  std::vector<CompoundPart> hedge;
  for (int k = 0; k < 65536; ++k) {
    CompoundPart part;
    part.size = {0.01, 0.0, 0.0};
    part.position = {0.03 * (k % 256), 0.03 * (k / 256), k < 65000 ? 5.0 + k % 3 : 0.3};
    hedge.push_back(part);
  }
  scene.scene.compounds.push_back(hedge);
  scene.scene.compounds.push_back({{Shape::box, {9.0, 9.0, 0.3}, {0.0, 0.0, -0.3}}, {Shape::sphere, {0.5, 0.0, 0.0}}});
  scene.add({Shape::compound, {0.0, 0.0, 0.0}, {-4.0, -4.0, -0.295}});
  scene.add({Shape::compound, {1.0, 0.0, 0.0}, {-4.0, -4.0, 0.0}});
  scene.add({Shape::compound, {0.0, 0.0, 0.0}, {-4.001, -4.0, -0.292}});
  const Application application;
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  expect_same(application, collider, scene);
  std::uint16_t last = 0;
  for (const Contact& c : to_host(collider).contacts) last = std::max({last, c.shape_a, c.shape_b});
  EXPECT_EQ(last, 65535);
}

TEST_F(ResidentCompoundFrames, WithoutContactsAreEmptyAndLaterOnesAreNot) {
  const Application application;
  TestScene scene = yard(40, 48);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  for (const double apart : {100.0, 0.0, 100.0}) {
    TestScene moved = scene;
    for (std::size_t i = 0; i < moved.scene.bodies.count(); ++i)
      moved.position[3 * i + 2] += apart * static_cast<double>(i + 1);
    EXPECT_EQ(expect_same_if_any(application, collider, moved), apart == 0.0);
  }
}

TEST_F(ResidentCompoundFrames, BetweenHostFramesAndPlainScenesMatchCollide) {
  const Application application;
  TestScene scene = yard(few_or(300), 49);
  TestScene plain(scene.scene.terrains[0]);
  plain.bodies_meet = true;
  for (int k = 0; k < 50; ++k) plain.add(sphere(0.4, {0.5 * (k % 7), 0.5 * (k / 7), 0.3}));
  Collider collider = make_collider(application.context(), application.queue());
  for (const TestScene* of : {&scene, &plain, &scene}) {
    collider.set_scene(of->scene);
    const FloatPoses poses(application, *of);
    const FrameContacts first = collider.collide(poses.host());
    EXPECT_THROW((void)to_host(collider), Error);
    expect_same(application, collider, *of);
    EXPECT_TRUE(same_bits(first.contacts, to_host(collider).contacts));
    EXPECT_TRUE(same_bits(first.contacts, collider.collide(poses.host()).contacts));
  }
}

TEST_F(ResidentCompoundFrames, MatchCollideUnderAMemoryLimit) {
  if (is_simulator(*first_device())) GTEST_SKIP() << "takes too long in a simulator";
  const Application application;
  const TestScene scene = yard(2500, 50);
  const FloatPoses poses(application, scene);
  std::uint64_t bytes = 0;
  FrameContacts expected;
  unsigned whole = 0, by_host = 0;
  for (const unsigned part : {100U, 90U, 80U, 70U, 65U, 60U, 55U}) {
    Settings settings;
    settings.track = part == 90 || part == 70 || part == 65;
    settings.memory_limit = bytes * part / 100;
    Collider collider = make_collider(application.context(), application.queue(), settings);
    collider.set_scene(scene.scene);
    for (int frame = 0; frame < 2; ++frame) {
      const DeviceFrame found = collide_on_device(collider, poses.resident());
      ++(found.merged_by_host ? by_host : whole);
      if (part == 100) {
        bytes = found.device_bytes;
        Settings usual_settings;
        usual_settings.device = opencl_device();
        Collider usual(usual_settings);
        usual.set_scene(scene.scene);
        expected = usual.collide(poses.host());
      }
      EXPECT_LE(settings.memory_limit == 0 ? 0 : found.device_bytes, settings.memory_limit);
      EXPECT_TRUE(same_bits(to_host(collider).contacts, expected.contacts)) << part << " % of the memory";
      EXPECT_EQ(found.body_pairs, expected.body_pairs) << part << " % of the memory";
      expect_consistent(application, found, expected.contacts, poses.host(), reach(scene));
    }
  }
  EXPECT_GT(expected.pairs, expected.body_pairs);
  EXPECT_GT(expected.body_pairs, 100U);
  EXPECT_GT(whole, 0U);
  EXPECT_GT(by_host, 0U);
}

TEST_F(ResidentCompoundFrames, AreTrackedAsByCollide) {
  expect_followed(yard(few_or(500), 51), 52);
}

TEST_F(ResidentCompoundFrames, WithPosesThatCannotBeUsedNameArrayAndBodyAndLeaveTheColliderUsable) {
  const Application application;
  const TestScene scene = yard(60, 53);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  const FloatPoses good(application, scene);
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
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(with(0, {3 * 57 + 1, 3 * 42 + 2}, bad), "position[42] is not finite");
    EXPECT_EQ(with(1, {3 * 58}, bad), "position_low[58] is not finite");
    EXPECT_NE(with(2, {4 * 8 + 3}, bad).find("orientation[8]"), std::string::npos);
  }
  EXPECT_NE(with(2, {32, 33, 34, 35}, 0.0F).find("orientation[8]"), std::string::npos);
  EXPECT_NE(with(2, {32, 33, 34, 35}, 4e-13F).find("orientation[8]"), std::string::npos);
  ResidentPoses poses = good.resident();
  poses.orientation = good.on_device[0]();
  EXPECT_EQ(error_of(collider, poses), "orientation has 720 bytes, 960 are 4 floats for each of 60 bodies");
  EXPECT_THROW((void)to_host(collider), Error);
  expect_same(application, collider, scene);
}

// Poses of shapes as the device composes them, against those that the host does.
TEST_F(ResidentCompoundFrames, PlaceShapesToTheLastBitAsTheHostDoes) {
  std::mt19937_64 random(54);
  std::normal_distribution<double> part(0.0, 1.0);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const std::size_t bodies = is_simulator(*first_device()) ? 20 : 150'000, parts = 16, kinds = 8;
  Scene scene;
  for (std::size_t k = 0; k < kinds; ++k) {
    std::vector<CompoundPart> compound;
    for (std::size_t p = 0; p < parts; ++p) {
      CompoundPart& c = compound.emplace_back(random_part(random, k == 0 ? 1e9 : k == 1 ? 1e-9 : 1.0));
      if (k == 2) c.orientation = {std::round(2.0 * part(random)), 1.0, 0.0, std::round(2.0 * part(random))};
      if (k == 3) c.orientation = {1e-14 * unit(random), 1.0, 1e-15 * unit(random), 0.0};
      if (k == 4)
        for (double& x : c.position) x = std::nearbyint(4.0 * x);
      if (k == 5)
        c.position = {std::ldexp(unit(random), -static_cast<int>(random() % 1074)), -0.0, 1e-18 * unit(random)};
      if (k == 7) c.orientation = {p % 2 == 0 ? 2.0 : -2.0, 0.0, -0.0, 0.0};  // not turned
      if (k == 6)
        for (double& x : c.orientation) x *= std::ldexp(1.0, static_cast<int>(random() % 60) - 30);
    }
    scene.compounds.push_back(compound);
  }
  std::vector<float> high, low, turns;
  std::vector<double> position, orientation;
  for (std::size_t i = 0; i < bodies; ++i) {
    scene.bodies.shape.push_back(i % 50 == 7 ? Shape::box : i % 50 == 8 ? Shape::half_space : Shape::compound);
    scene.bodies.size.push_back(
        {scene.bodies.shape.back() == Shape::compound ? static_cast<double>(i % kinds) : 1.0, 1.0, 1.0});
    std::array<float, 4> q{};
    for (float& c : q) c = static_cast<float>(part(random));
    if (i % 3 == 1) {  // rounded to length 1
      const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
      for (float& c : q) c = static_cast<float>(static_cast<double>(c) / length);
    }
    if (i % 7 == 2)
      for (float& c : q) c = std::nearbyint(3.0F * c) + 0.5F;
    if (i % 11 == 3)
      for (float& c : q) c = std::ldexp(c, static_cast<int>(30.0 * unit(random)));
    if (i % 13 == 4)
      for (float& c : q) c *= 8e-12F;
    if (i % 17 == 5) q = {0.0F, 1.0F, 1e-45F, -1e-39F};
    if (i % 19 == 6)
      for (float& c : q) c = std::copysign(3e38F, c);
    if (i % 23 == 7) q = {1.0F, 0.0F, -0.0F, 0.0F};
    double length2 = 0.0;
    for (const float c : q) length2 += static_cast<double>(c) * static_cast<double>(c);
    if (length2 < 1.001e-24) q = {0.4F, -0.3F, 0.2F, 0.1F};
    for (const float c : q) {
      turns.push_back(c);
      orientation.push_back(static_cast<double>(c));
    }
    for (int a = 0; a < 3; ++a) {
      const double at = std::ldexp(unit(random), static_cast<int>((i % 5 == 0 ? 90.0 : 10.0) * unit(random)));
      high.push_back(i % 29 == 9 ? 0.0F : static_cast<float>(at));
      low.push_back(i % 2 == 0 ? static_cast<float>(at - static_cast<double>(high.back())) : 0.0F);
      position.push_back(static_cast<double>(high.back()) + static_cast<double>(low.back()));
    }
  }
  const CompoundBodies compounds(scene);
  std::vector<double> placed, turned;
  const Poses poses{position, orientation};
  compounds.place(poses, placed, turned);
  const Poses of_shapes{placed, turned};

  opencl::Device device(Settings{}, *first_device());
  opencl::StageTimer timer;
  opencl::Buffer<float> given_high(device, "positions of the application"), given_low(device, "their low parts"),
      given_turns(device, "orientations of the application");
  given_high.assign(high);
  given_low.assign(low);
  given_turns.assign(turns);
  std::vector<std::uint32_t> slots_host(compounds.parts(), SLOT_NONE);
  const auto is_half_space = [&](std::size_t shape) {
    return scene.bodies.shape[compounds.body_of(shape)] == Shape::half_space;
  };
  for (std::size_t k = 0; k < slots_host.size(); ++k)
    if (is_half_space(k)) slots_host[k] = SLOT_HALF_SPACE;
  opencl::Buffer<std::uint32_t> slots(device, "slots");
  slots.assign(slots_host);
  ResidentPoses given;
  given.position = given_high.get()();
  given.position_low = given_low.get()();
  given.orientation = given_turns.get()();
  const DeviceScene in_place(device, 0.0F, WorkMemory(device));
  DevicePoses to(device);
  ResidentCompounds resident(device, compounds);
  ResidentUpload upload(device, &resident);
  upload.run(given, slots, in_place, to, timer);
  ASSERT_NO_THROW(upload.check());

  std::vector<PoseRecord> found(compounds.parts());
  std::vector<float> offsets(3 * compounds.parts());
  std::vector<double> centres(offsets.size());
  to.records.download(found);
  resident.centres().download(centres);
  resident.offsets().download(offsets);
  std::size_t different = 0;
  for (std::size_t k = 0; k < compounds.parts(); ++k) {
    const PoseRecord expected = device_pose(of_shapes, static_cast<std::uint32_t>(k), is_half_space(k));
    bool same = std::memcmp(&expected, &found[k], sizeof(PoseRecord)) == 0 &&
                std::memcmp(&placed[3 * k], &centres[3 * k], 24) == 0;
    const std::size_t body = compounds.body_of(k);
    for (std::size_t a = 0; a < 3; ++a) {
      const double whole = placed[3 * k + a] - position[3 * body + a];
      const double largest = std::max(std::abs(placed[3 * k + a]), std::abs(position[3 * body + a]));
      same = same && std::abs(whole - static_cast<double>(offsets[3 * k + a])) <=
                         0x1p-24 * std::abs(whole) + 0x1p-52 * largest + 1e-37;
    }
    if (same || ++different > 5) continue;
    ADD_FAILURE() << std::hexfloat << "shape " << k << " of kind " << body % kinds << ", body " << body << ": host "
                  << placed[3 * k] << " " << placed[3 * k + 1] << " " << placed[3 * k + 2] << ", device "
                  << centres[3 * k] << " " << centres[3 * k + 1] << " " << centres[3 * k + 2] << "; turned: host "
                  << expected.orientation[0] << " " << expected.orientation[1] << " " << expected.orientation[2] << " "
                  << expected.orientation[3] << ", device " << found[k].orientation[0] << " " << found[k].orientation[1]
                  << " " << found[k].orientation[2] << " " << found[k].orientation[3];
  }
  EXPECT_EQ(different, 0U);
}

}  // namespace
}  // namespace oclide::test
