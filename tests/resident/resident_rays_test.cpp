// Casts with poses, rays or hits on the device, and sweeps with poses, motion and impacts there: the hits of
// Collider::cast() and the impacts of Collider::sweep(), bit for bit, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "resident/resident_fixture.hpp"
#include "support/mesh_shapes.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

// To +-1 in each direction.
dvec3 spread(std::mt19937_64& random) {
  std::uniform_real_distribution<double> way(-1.0, 1.0);
  const double x = way(random), y = way(random), z = way(random);
  return {x, y, z};
}

// Bodies of all shapes over rough ground with holes, in three environments, of which one has no ground.
TestScene worlds(int bodies, std::uint64_t seed) {
  Terrain ground = rough({41, 47, {-2.0, -3.0}, {0.25, 0.3}}, 0.3, seed);
  open_cells(ground, 0.1, seed + 1);
  ground.material.assign(std::size_t{40} * 46, 5);
  TestScene scene(std::move(ground));
  scene.scene.terrains.push_back(plane({31, 33, {-1.0, -1.0}, {0.5, 0.4}}, 0.1, 0.05, 0.3));
  scene.scene.environment_terrain = {0, 1, -1, 0};
  scene.scene.meshes = {ball_mesh(0.7, 4), flat_sheet(6, 0.4)};
  std::mt19937_64 random(seed + 2);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  scene.add(half_space({0.0, 0.0, -1.0}, turn({1.0, 0.4, 0.2}, 0.3)));
  scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, {3.0, 3.0, 2.0}, turn({1.0, 2.0, 3.0}, 0.7)});
  scene.add({Shape::triangle_mesh, {1.0, 0.0, 0.0}, {1.0, 4.0, 2.0}, random_orientation(random)});
  for (int k = 0; k < bodies; ++k)
    scene.add(of_any_shape(static_cast<std::size_t>(k), 0.2 + 0.3 * unit(random),
                           dvec3(8.0, 9.0, 3.0) * dvec3(unit(random), unit(random), unit(random)),
                           random_orientation(random)));
  scene.scene.bodies.environment.resize(scene.scene.bodies.count());
  for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i) {
    scene.scene.bodies.environment[i] = i == 0 ? 2 : static_cast<std::uint32_t>(i % 3);
    scene.scene.bodies.category.push_back(1U << (i % 4));
  }
  return scene;
}

// Every second body gets a ball beside it that is a part of it.
TestScene with_balls(TestScene scene) {
  for (std::size_t i = 0; i < scene.scene.bodies.count(); i += 2) {
    if (scene.scene.bodies.shape[i] == Shape::half_space || scene.scene.bodies.shape[i] == Shape::triangle_mesh)
      continue;
    scene.scene.compounds.push_back(
        {{scene.scene.bodies.shape[i], scene.scene.bodies.size[i], {0.1, -0.2, 0.05}, {0.9, 0.1, -0.3, 0.2}},
         {Shape::sphere, {0.2, 0.0, 0.0}, {0.0, 0.1, 0.4}}});
    scene.scene.bodies.shape[i] = Shape::compound;
    scene.scene.bodies.size[i] = {static_cast<double>(scene.scene.compounds.size() - 1), 0.0, 0.0};
  }
  return scene;
}

// Rays as floats, on the device and as cast() takes them.
struct FloatRays {
  std::vector<float> origin, origin_low, direction, length;
  std::vector<std::uint32_t> environment, mask;
  std::vector<double> exact_origin, exact_direction, exact_length;
  std::vector<cl::Buffer> memory;
  bool has_all = true;

  FloatRays() = default;
  // Of all lengths of directions and of rays, many along an axis.
  FloatRays(int count, std::uint64_t seed, dvec3 corner, dvec3 room) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    std::normal_distribution<double> normal;
    for (int k = 0; k < count; ++k) {
      for (int a = 0; a < 3; ++a) {
        const double p = corner[a] + room[a] * unit(random);
        origin.push_back(static_cast<float>(p));
        origin_low.push_back(static_cast<float>(p - static_cast<double>(origin.back())));
        const double scale = k % 7 == 0 ? 1e30 : k % 7 == 1 ? 1e-30 : k % 7 == 2 ? 1e-42 : k % 7 == 3 ? 3e38 : 1.0;
        const double d = k % 5 == 0 && a != k / 5 % 3 ? 0.0 : std::clamp(normal(random), -1.0, 1.0);
        direction.push_back(static_cast<float>(d * scale));
      }
      if (direction[3 * static_cast<std::size_t>(k)] == 0.0F) direction[3 * static_cast<std::size_t>(k)] = -0.0F;
      if (k % 5 == 0 || k % 7 == 2) direction[3 * static_cast<std::size_t>(k) + 2] = -1e-40F;
      length.push_back(k % 11 == 0 ? kInfinite : k % 13 == 0 ? 0.0F : static_cast<float>(10.0 * unit(random)));
      environment.push_back(static_cast<std::uint32_t>(k % 4));
      mask.push_back(k % 3 == 0 ? 0xFFFFFFFFU : 0x5U);
    }
  }
  [[nodiscard]] ResidentRays on(const Application& application) {
    memory = {application.buffer(origin), application.buffer(origin_low),  application.buffer(direction),
              application.buffer(length), application.buffer(environment), application.buffer(mask)};
    ResidentRays rays;
    rays.origin = memory[0]();
    rays.direction = memory[2]();
    if (has_all) {
      rays.origin_low = memory[1]();
      rays.length = memory[3]();
      rays.environment = memory[4]();
      rays.mask = memory[5]();
    }
    rays.count = static_cast<std::uint32_t>(length.size());
    return rays;
  }
  [[nodiscard]] Rays host() {
    exact_origin.assign(origin.begin(), origin.end());
    if (has_all)
      for (std::size_t k = 0; k < origin.size(); ++k) exact_origin[k] += static_cast<double>(origin_low[k]);
    exact_direction.assign(direction.begin(), direction.end());
    exact_length.assign(length.begin(), length.end());
    if (!has_all) return {exact_origin, exact_direction, {}, {}, {}};
    return {exact_origin, exact_direction, exact_length, environment, mask};
  }
};

class ResidentRaysTest : public ResidentFixture {
 protected:
  static std::vector<oclide_device_hit> read(const Application& application, const DeviceHits& hits) {
    return application.read<oclide_device_hit>(hits.hits, hits.count, hits.ready);
  }

  static void expect_same(const std::vector<oclide_device_hit>& found, const std::vector<Hit>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const oclide_device_hit& f = found[i];
      const Hit& e = expected[i];
      EXPECT_EQ(std::tie(f.body, f.element, f.shape), std::tie(e.body, e.element, e.shape)) << i;
      EXPECT_EQ(f.material, e.material) << i;
      EXPECT_EQ(static_cast<double>(f.distance) + static_cast<double>(f.distance_low), e.distance) << i;
      EXPECT_FALSE(is_negative_zero(f.distance) || is_negative_zero(f.distance_low)) << i;
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_EQ(f.normal[a], e.normal[a]) << i;
        EXPECT_FALSE(is_negative_zero(f.normal[a])) << i;
      }
    }
  }

  // All ways give the hits of cast(); how many hit anything.
  static std::size_t expect_all_same(const Application& application, Collider& collider, const TestScene& scene,
                                     FloatRays& rays, bool with_low = false) {
    const FloatPoses poses(application, scene);
    const ResidentPoses resident = poses.resident(with_low);
    Settings settings;
    settings.device = opencl_device();
    Collider usual(settings);
    usual.set_scene(scene.scene);
    const RayHits expected = usual.cast(poses.host(with_low), rays.host());
    const ResidentRays given = rays.on(application);
    expect_same(read(application, cast_on_device(collider, resident, given)), expected.hits);
    expect_same(read(application, cast_on_device(collider, ResidentPoses(), given)), expected.hits);
    expect_same(read(application, cast_on_device(collider, resident, rays.host())), expected.hits);
    expect_same(read(application, cast_on_device(collider, poses.host(with_low), given)), expected.hits);
    expect_same(read(application, cast_on_device(collider, poses.host(with_low), rays.host())), expected.hits);
    const RayHits brought = cast(collider, resident, rays.host());
    EXPECT_EQ(hit_hash(brought.hits), hit_hash(expected.hits));
    EXPECT_EQ(brought.hit_count, expected.hit_count);
    EXPECT_EQ(hit_hash(cast(collider, ResidentPoses(), rays.host()).hits), hit_hash(expected.hits));
    return expected.hit_count;
  }
  static std::size_t expect_all_same(const TestScene& scene, FloatRays rays, bool with_low = false) {
    const Application application;
    Collider collider = make_collider(application.context(), application.queue());
    collider.set_scene(scene.scene);
    return expect_all_same(application, collider, scene, rays, with_low);
  }

  template <class Call>
  static std::string refusal(Call&& call) {
    try {
      (void)call();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      return e.what();
    }
    return "no error";
  }
};

TEST_F(ResidentRaysTest, OfAllWaysMatchCast) {
  const TestScene scene = worlds(few_or(400), 31);
  FloatRays rays(few_or(4000), 32, {-2.0, -3.0, -0.5}, {12.0, 14.0, 4.0});
  EXPECT_GT(expect_all_same(scene, rays), rays.length.size() / 4);
  rays.has_all = false;
  EXPECT_GT(expect_all_same(scene, rays), rays.length.size() / 4);
}

TEST_F(ResidentRaysTest, AfterAChangeOfEnvironmentsMatchCast) {
  const Application application;
  TestScene scene = worlds(few_or(200), 40);
  FloatRays rays(few_or(2000), 41, {-2.0, -3.0, -0.5}, {12.0, 14.0, 4.0});
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  EXPECT_GT(expect_all_same(application, collider, scene, rays), rays.length.size() / 4);
  // As many environments as before, but others.
  Bodies& bodies = scene.scene.bodies;
  const std::vector<BodyHandle> handles = collider.handles();
  BodyChanges changes;
  for (std::size_t i = 0; i < bodies.count(); ++i) {
    if (bodies.environment[i] != 2) continue;
    bodies.environment[i] = 3;
    changes.changed.push_back(handles[i]);
    changes.become.shape.push_back(bodies.shape[i]);
    changes.become.size.push_back(bodies.size[i]);
    changes.become.environment.push_back(3);
    changes.become.category.push_back(bodies.category[i]);
  }
  (void)collider.change(changes);
  EXPECT_GT(expect_all_same(application, collider, scene, rays), rays.length.size() / 4);
}

TEST_F(ResidentRaysTest, OfCompoundBodiesMatchCast) {
  const FloatRays rays(few_or(3000), 33, {-2.0, -3.0, -0.5}, {12.0, 14.0, 4.0});
  EXPECT_GT(expect_all_same(with_balls(worlds(few_or(300), 34)), rays), rays.length.size() / 4);
}

TEST_F(ResidentRaysTest, FarFromTheOriginMatchCast) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(35);
  for (std::size_t k = 0; k < 200; ++k)
    scene.add(of_any_shape(k, 0.5, dvec3(9001.3, -8999.1, 1.7) + 9.0 * spread(random), random_orientation(random)));
  scene.add(half_space({9000.0, -9000.0, -12.0}, turn({1.0, 0.4, 0.2}, 0.3)));
  const FloatRays rays(few_or(2000), 36, {8995.0, -9005.0, -3.0}, {12.0, 12.0, 12.0});
  EXPECT_GT(expect_all_same(scene, rays, true), rays.length.size() / 40);
}

TEST_F(ResidentRaysTest, WithoutBodiesRaysOrGroundMatchCast) {
  FloatRays rays(40, 37, {-2.0, -3.0, 0.5}, {12.0, 14.0, 4.0});
  rays.has_all = false;
  EXPECT_GT(expect_all_same(TestScene(plane({51, 51, {-5.0, -5.0}, {0.5, 0.5}}, 0, 0)), rays), 0U);
  EXPECT_GT(expect_all_same(TestScene({sphere(9.0, {0.0, 0.0, 0.0})}), rays), 0U);
  EXPECT_EQ(expect_all_same(TestScene({sphere(0.5, {0.0, 0.0, 0.0})}), {}), 0U);
}

// Planes to the last bit, of numbers beside which others are nothing too.
TEST_F(ResidentRaysTest, OfHalfSpacesThatLeanALittleMatchCast) {
  const FloatRays rays(few_or(1000), 38, {0.0, 0.0, 1.0}, {9.0, 9.0, 9.0});
  for (const float part : {0.0F, 1e-10F, 1e-13F, 0.3F, 1.0F}) {
    TestScene scene({half_space({0.0, 0.0, -1.0}, dquat(3.0, part, -0.5 * part, 0.25 * part))});
    EXPECT_GT(expect_all_same(scene, rays), rays.length.size() / 100);
  }
}

TEST_F(ResidentRaysTest, BesideFramesOnTheDeviceLeaveTheseAlone) {
  const Application application;
  TestScene scene = worlds(few_or(300), 39);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  FloatRays rays(few_or(500), 40, {-2.0, -3.0, -0.5}, {12.0, 14.0, 4.0});
  EXPECT_NE(refusal([&] { return cast(collider, ResidentPoses(), rays.host()); }).find("position is null"),
            std::string::npos);
  std::mt19937_64 random(41);
  for (int frame = 0; frame < 3; ++frame) {
    const FloatPoses poses(application, scene);
    const DeviceFrame contacts = collide_on_device(collider, poses.resident());
    const FrameContacts before = to_host(collider);
    const DeviceHits hits = cast_on_device(collider, ResidentPoses(), rays.on(application));
    const auto found = read(application, hits);
    EXPECT_TRUE(same_bits(to_host(collider).contacts, before.contacts));
    EXPECT_EQ(application.read<oclide_device_contact>(contacts.contacts, contacts.contact_count, contacts.ready).size(),
              before.contacts.size());
    expect_same(found, collider.cast(poses.host(), rays.host()).hits);
    // These poses are of host memory.
    EXPECT_NE(refusal([&] { return cast(collider, ResidentPoses(), rays.host()); }).find("position is null"),
              std::string::npos);
    EXPECT_NE(refusal([&] { return to_host(collider); }).find("no frame"), std::string::npos);
    EXPECT_TRUE(same_bits(collider.collide(poses.host()).contacts, before.contacts));
    expect_all_same(application, collider, scene, rays);
    for (double& p : scene.position) p += 0.2 * spread(random).x;
  }
}

TEST_F(ResidentRaysTest, ThatCannotBeUsedHitNoRay) {
  const Application application;
  const TestScene scene = worlds(40, 42);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  const FloatPoses poses(application, scene);
  FloatRays rays(64, 43, {0.0, 0.0, 1.0}, {9.0, 9.0, 2.0});
  const std::vector<oclide_device_hit> good =
      read(application, cast_on_device(collider, poses.resident(), rays.on(application)));
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  rays.origin[3 * 3 + 1] = kNan;
  rays.origin[3 * 5 + 2] = 3.1e18F;
  rays.origin_low[3 * 7] = kInfinite;
  rays.direction[3 * 9 + 2] = -kInfinite;
  for (std::size_t a = 0; a < 3; ++a) rays.direction[3 * 11 + a] = a == 1 ? -0.0F : 0.0F;
  rays.length[13] = -1e-30F;
  rays.length[15] = kNan;
  rays.environment[17] = 4;
  const std::vector<oclide_device_hit> found =
      read(application, cast_on_device(collider, poses.resident(), rays.on(application)));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i < 3 || i > 17 || i % 2 == 0) {
      EXPECT_EQ(std::memcmp(&found[i], &good[i], sizeof found[i]), 0) << i;
      continue;
    }
    EXPECT_EQ(found[i].body, OCLIDE_DEVICE_NO_RAY) << i;
    EXPECT_EQ(found[i].distance, kInfinite) << i;
    EXPECT_EQ(found[i].element, kNone) << i;
  }
}

TEST_F(ResidentRaysTest, WithBuffersOrPosesThatCannotBeUsedAreRefusedByName) {
  const Application application;
  const TestScene scene = worlds(20, 44);
  Collider collider = make_collider(application.context(), application.queue());
  FloatRays rays(16, 45, {0.0, 0.0, 1.0}, {9.0, 9.0, 2.0});
  const FloatPoses poses(application, scene);
  const auto with = [&](auto change) {
    ResidentRays given = rays.on(application);
    change(given);
    return refusal([&] { return cast_on_device(collider, poses.resident(), given); });
  };
  EXPECT_NE(with([](ResidentRays&) {}).find("no scene"), std::string::npos);
  collider.set_scene(scene.scene);
  EXPECT_EQ(with([](ResidentRays& r) { r.origin = nullptr; }), "rays/origin is null");
  EXPECT_EQ(with([](ResidentRays& r) { r.direction = nullptr; }), "rays/direction is null");
  EXPECT_EQ(with([](ResidentRays& r) { ++r.count; }),
            "rays/origin has 192 bytes, 204 are 3 floats for each of 17 rays");
  const cl::Buffer small(application.context, CL_MEM_READ_WRITE, 60);
  EXPECT_EQ(with([&](ResidentRays& r) { r.mask = small(); }),
            "rays/mask has 60 bytes, 64 are 1 numbers for each of 16 rays");
  EXPECT_NE(with([](ResidentRays& r) { r.wait_count = 1; }).find("wait_list"), std::string::npos);
  FloatRays far = rays;
  far.origin[4] = 3.5e18F;
  EXPECT_EQ(refusal([&] { return cast_on_device(collider, poses.resident(), far.host()); }),
            "rays/origin[1][1] is 3e18 m out or farther");
  ResidentPoses other = poses.resident();
  other.orientation = nullptr;
  EXPECT_EQ(refusal([&] { return cast_on_device(collider, other, rays.host()); }), "orientation is null");
  std::vector<float> bad(3 * scene.scene.bodies.count(), 1.0F);
  bad[3 * 7 + 1] = kInfinite;
  const cl::Buffer bad_position = application.buffer(bad);
  other = poses.resident();
  other.position = bad_position();
  EXPECT_EQ(refusal([&] { return cast_on_device(collider, other, rays.host()); }), "position[7] is not finite");
  EXPECT_NE(refusal([&] { return cast_on_device(collider, ResidentPoses(), rays.host()); }).find("position is null"),
            std::string::npos);
  Settings reference;
  reference.device = "reference";
  Collider on_host(reference);
  on_host.set_scene(scene.scene);
  EXPECT_NE(refusal([&] { return cast_on_device(on_host, poses.host(), rays.host()); }).find("reference"),
            std::string::npos);
  EXPECT_GT(expect_all_same(application, collider, scene, rays), 0U);
}

TEST_F(ResidentRaysTest, InPartsWhereMemoryIsShortMatchCast) {
  const Application application;
  const TestScene scene = worlds(20, 46);
  FloatRays rays(few_or(40000), 47, {-2.0, -3.0, -0.5}, {12.0, 14.0, 4.0});
  Settings settings;
  Collider roomy = make_collider(application.context(), application.queue());
  roomy.set_scene(scene.scene);
  const FloatPoses poses(application, scene);
  (void)cast_on_device(roomy, poses.resident(), FloatRays(1, 48, {0.0, 0.0, 1.0}, {9.0, 9.0, 2.0}).on(application));
  std::uint64_t taken = 0;
  for (const BufferBytes& b : roomy.device_memory()) taken += b.bytes;
  // Room for the hits and some of the rays.
  settings.memory_limit = taken + 40 * rays.length.size() + (std::uint64_t{1} << 16);
  Collider collider = make_collider(application.context(), application.queue(), settings);
  collider.set_scene(scene.scene);
  EXPECT_GT(expect_all_same(application, collider, scene, rays), 0U);
  settings.memory_limit = taken + 16 * rays.length.size();
  Collider tight = make_collider(application.context(), application.queue(), settings);
  tight.set_scene(scene.scene);
  if (rays.length.size() > 10000) {
    EXPECT_THROW((void)cast_on_device(tight, poses.resident(), rays.on(application)), Error);
    FloatRays few(100, 49, {-2.0, -3.0, -0.5}, {12.0, 14.0, 4.0});
    EXPECT_GT(expect_all_same(application, tight, scene, few), 0U);
  }
}

TEST_F(ResidentRaysTest, OnQueuesOfAnyKindWaitForTheEventsGiven) {
  const TestScene scene = worlds(few_or(100), 50);
  for (const cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    std::unique_ptr<Application> application;
    try {
      application = std::make_unique<Application>(properties);
    } catch (const cl::Error&) {
      continue;  // a device need not have queues out of order
    }
    Collider collider = make_collider(application->context(), application->queue());
    collider.set_scene(scene.scene);
    FloatRays rays(few_or(300), 51, {-2.0, -3.0, -0.5}, {12.0, 14.0, 4.0});
    EXPECT_GT(expect_all_same(*application, collider, scene, rays), 0U);
    // The origins come by another queue.
    const cl::CommandQueue other(application->context, application->device);
    const FloatPoses poses(*application, scene);
    ResidentRays given = rays.on(*application);
    const cl::Buffer origin = application->buffer(std::vector<float>(rays.origin.size(), 1000.0F));
    cl::Event there;
    other.enqueueWriteBuffer(origin, CL_FALSE, 0, rays.origin.size() * sizeof(float), rays.origin.data(), nullptr,
                             &there);
    other.flush();
    const cl_event wait = there();
    given.origin = origin();
    given.wait_list = &wait;
    given.wait_count = 1;
    const auto found = read(*application, cast_on_device(collider, poses.resident(), given));
    expect_same(found, collider.cast(poses.host(), rays.host()).hits);
  }
}

// Sizes and places of fields as a kernel sees them.
constexpr const char* kHitLayout = R"(
#define AT(field) (uint)(size_t)&((__global oclide_device_hit*)0)->field
#define OF(field) (uint)(size_t)&((__global oclide_device_impact*)0)->field
__kernel void layout(__global uint* numbers) {
  const uint all[] = {sizeof(oclide_device_hit), AT(distance_low), AT(body), AT(element), AT(normal), AT(material),
                      AT(shape), sizeof(oclide_device_impact), OF(point), OF(normal), OF(body_a), OF(shape_b),
                      OF(origin), OF(element), OF(material)};
  for (uint k = 0; k < sizeof(all) / sizeof(uint); ++k) numbers[k] = all[k];
}
)";

TEST_F(ResidentRaysTest, HaveALayoutThatIsTheSameOnHostAndDevice) {
  using Device = oclide_device_hit;
  using Touch = oclide_device_impact;
  const std::vector<std::size_t> expected{
      sizeof(Device),           offsetof(Device, distance_low), offsetof(Device, body),   offsetof(Device, element),
      offsetof(Device, normal), offsetof(Device, material),     offsetof(Device, shape),  sizeof(Touch),
      offsetof(Touch, point),   offsetof(Touch, normal),        offsetof(Touch, body_a),  offsetof(Touch, shape_b),
      offsetof(Touch, origin),  offsetof(Touch, element),       offsetof(Touch, material)};
  EXPECT_EQ(sizeof(Device), 32U);
  EXPECT_EQ(sizeof(Touch), 56U);
  const Application application;
  const cl::Program program(application.context, std::string(device_layout()) + kHitLayout, true);
  cl::Kernel kernel(program, "layout");
  const cl::Buffer numbers = application.buffer(std::vector<std::uint32_t>(expected.size()));
  kernel.setArg(0, numbers);
  application.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
  std::vector<std::uint32_t> found(expected.size());
  application.queue.enqueueReadBuffer(numbers, CL_TRUE, 0, found.size() * 4, found.data());
  EXPECT_EQ(std::vector<std::size_t>(found.begin(), found.end()), expected);
}

// Motion as floats, on the device and as sweep() takes it: of some bodies none, of some many turns.
struct FloatMotion {
  FloatMotion(std::size_t bodies, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < bodies; ++i) {
      const dvec3 d = i % 4 == 0 ? dvec3(0.0) : 3.0 * spread(random);
      const dvec3 r = i % 3 == 0 ? dvec3(0.0) : (i % 17 == 1 ? 300.0 : 2.0) * spread(random);
      for (int a = 0; a < 3; ++a) {
        displacement.push_back(static_cast<float>(d[a]));
        rotation.push_back(i % 19 == 1 && a == 1 ? 1e-42F : static_cast<float>(r[a]));
      }
    }
  }
  [[nodiscard]] ResidentMotion on(const Application& application) {
    memory = {application.buffer(displacement), application.buffer(rotation)};
    return {memory[0](), memory[1](), nullptr, 0};
  }
  [[nodiscard]] Motion host() {
    exact_displacement.assign(displacement.begin(), displacement.end());
    exact_rotation.assign(rotation.begin(), rotation.end());
    return {exact_displacement, exact_rotation};
  }
  std::vector<float> displacement, rotation;
  std::vector<double> exact_displacement, exact_rotation;
  std::vector<cl::Buffer> memory;
};

class ResidentSweeps : public ResidentRaysTest {
 protected:
  // Points of compound bodies are rounded once more, by less than `point` [m].
  static void expect_same(const Application& application, const DeviceImpacts& found,
                          const std::vector<Impact>& expected, const Poses& poses, const Motion& motion, double point) {
    const auto impacts = application.read<oclide_device_impact>(found.impacts, found.count, found.ready);
    ASSERT_EQ(impacts.size(), expected.size());
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      const oclide_device_impact& f = impacts[i];
      const Impact& e = expected[i];
      EXPECT_EQ(std::tie(f.body_a, f.body_b, f.shape_a, f.shape_b, f.element),
                std::tie(e.body_a, e.body_b, e.shape_a, e.shape_b, e.element))
          << i;
      EXPECT_EQ(f.material, e.material) << i;
      EXPECT_EQ(static_cast<double>(f.time) + static_cast<double>(f.time_low), e.time) << i;
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_EQ(f.normal[a], e.normal[a]) << i;
        EXPECT_FALSE(is_negative_zero(f.normal[a]) || is_negative_zero(f.point[a])) << i;
        const std::size_t k = 3 * std::size_t{f.origin} + a;
        const double from = motion.displacement.empty() ? 0.0 : e.time * motion.displacement[k];
        EXPECT_NEAR(poses.position[k] + from + static_cast<double>(f.point[a]), e.point[a], point) << i;
      }
    }
  }

  static std::size_t expect_all_same(const TestScene& scene, std::uint64_t seed, bool with_low, double point) {
    const Application application;
    Collider collider = make_collider(application.context(), application.queue());
    collider.set_scene(scene.scene);
    const FloatPoses poses(application, scene);
    Settings settings;
    settings.device = opencl_device();
    Collider usual(settings);
    usual.set_scene(scene.scene);
    FloatMotion motion(scene.scene.bodies.count(), seed);
    const Poses at = poses.host(with_low);
    const Motion moves = motion.host();
    const ResidentMotion given = motion.on(application);
    const std::vector<Impact> expected = usual.sweep(at, moves).impacts;
    expect_same(application, sweep_on_device(collider, poses.resident(with_low), given), expected, at, moves, point);
    expect_same(application, sweep_on_device(collider, ResidentPoses(), given), expected, at, moves, point);
    const std::vector<Impact> turned = usual.sweep(at, {{}, moves.rotation}).impacts;
    expect_same(application, sweep_on_device(collider, ResidentPoses(), {nullptr, given.rotation, nullptr, 0}), turned,
                at, {{}, moves.rotation}, point);
    EXPECT_EQ(impact_hash(collider.sweep(at, moves).impacts), impact_hash(expected));
    return expected.size();
  }
};

TEST_F(ResidentSweeps, MatchSweep) {
  EXPECT_GT(expect_all_same(worlds(few_or(200), 41), 42, false, 1e-12), few_or(200) / 4U);
  EXPECT_GT(expect_all_same(with_balls(worlds(few_or(120), 43)), 44, true, 2e-6), few_or(120) / 4U);
  (void)expect_all_same(TestScene(), 45, false, 0.0);
}

TEST_F(ResidentSweeps, WhoseMotionCannotBeUsedAreRefusedByName) {
  const TestScene scene = worlds(8, 51);
  const std::size_t bodies = scene.scene.bodies.count();
  const Application application;
  Collider collider = make_collider(application.context(), application.queue());
  const FloatPoses poses(application, scene);
  FloatMotion motion(bodies, 52);
  const auto message = [&](const ResidentMotion& given, const ResidentPoses& at) {
    return refusal([&] { return sweep_on_device(collider, at, given); });
  };
  EXPECT_NE(message(motion.on(application), poses.resident()).find("no scene has been set"), std::string::npos);
  collider.set_scene(scene.scene);
  EXPECT_EQ(message(motion.on(application), {}).find("position is null, and no poses"), 0U);
  motion.displacement[3 * 5 + 1] = kInfinite;
  EXPECT_EQ(message(motion.on(application), poses.resident()), "displacement[5] is not finite, or beyond 1e9 m");
  motion.displacement[3 * 5 + 1] = 0.0F;
  motion.rotation[3 * 2] = std::nanf("");
  motion.rotation[3 * 7 + 2] = -1.1e7F;
  EXPECT_EQ(message(motion.on(application), poses.resident()), "rotation[2] is not finite, or beyond 1e7 rad");
  motion.rotation[3 * 2] = 0.0F;
  EXPECT_EQ(message(motion.on(application), poses.resident()), "rotation[7] is not finite, or beyond 1e7 rad");
  const cl::Buffer few = application.buffer(std::vector<float>(3 * bodies - 1));
  EXPECT_EQ(message({few(), nullptr, nullptr, 0}, poses.resident()).find("displacement has"), 0U);
  EXPECT_EQ(message({nullptr, nullptr, nullptr, 1}, poses.resident()), "wait_list is null");
  motion.rotation[3 * 7 + 2] = 0.0F;
  EXPECT_GT(sweep_on_device(collider, poses.resident(), motion.on(application)).device_bytes, 0U);
  Settings settings;
  settings.device = "reference";
  Collider on_host(settings);
  on_host.set_scene(scene.scene);
  EXPECT_NE(
      refusal([&] { return sweep_on_device(on_host, poses.resident(), motion.on(application)); }).find("no memory"),
      std::string::npos);
}

}  // namespace
}  // namespace oclide::test
