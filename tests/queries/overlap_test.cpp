// Shapes at places where it is known whether they overlap the scene.
#include "queries/shape_list.hpp"
#include "support/mesh_shapes.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr double kClear = 1.1e-4;  // [m] beyond what either may be the answer for

class Overlap : public OnEachDevice {
 protected:
  Overlaps ask(const TestScene& scene, const ShapeList& shapes, bool find_lowest) {
    Collider& collider = collider_on(GetParam());
    collider.set_scene(scene.scene);
    return collider.overlap(scene.poses(), shapes.queries(find_lowest));
  }
  // The lowest body that each overlaps; the answer without it is the same.
  std::vector<std::uint32_t> lowest(const TestScene& scene, const ShapeList& shapes) {
    const Overlaps found = ask(scene, shapes, true), fast = ask(scene, shapes, false);
    EXPECT_EQ(found.overlaps, fast.overlaps);
    EXPECT_EQ(found.overlap_count, fast.overlap_count);
    EXPECT_TRUE(fast.body.empty());
    EXPECT_EQ(found.body.size(), shapes.count());
    EXPECT_EQ(found.overlaps.size(), shapes.count());
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < found.body.size(); ++k) {
      EXPECT_EQ(found.overlaps[k], found.body[k] == kNothing ? 0 : 1) << k;
      count += found.overlaps[k];
    }
    EXPECT_EQ(found.overlap_count, count);
    return found.body;
  }
  std::uint32_t lowest(const TestScene& scene, const BodySpec& shape) {
    return lowest(scene, ShapeList().add(shape)).front();
  }
};
OCLIDE_ON_EACH_DEVICE(Overlap);

// A query on both sides of touching a body along x, where the two touch at a distance `at` of their centres.
TEST_P(Overlap, BeginsWhereTheyTouch) {
  const double s = std::sqrt(0.5);
  struct Case {
    BodySpec body, query;
    dvec3 way;
    double at;
  };
  const dquat eighth = turn({0, 0, 1}, kQuarter / 2);
  const std::vector<Case> cases = {
      {sphere(0.5, {}), sphere(0.25, {}), {1, 0, 0}, 0.75},
      {sphere(50.0, {}), sphere(0.05, {}), {0, 0, -1}, 50.05},
      {box({1, 2, 3}, {}), box({0.5, 0.5, 0.5}, {}), {0, 1, 0}, 2.5},
      {box({1, 1, 1}, {}), box({1, 1, 1}, {}, eighth), {1, 0, 0}, 1.0 + 2.0 * s},
      {box({1, 1, 1}, {}), sphere(0.5, {}), glm::normalize(dvec3(1, 1, 1)), std::sqrt(3.0) + 0.5},
      {cylinder(1, 2, {}), cylinder(0.5, 1, {}), {0, 0, 1}, 3.0},
      {cylinder(1, 2, {}), cylinder(0.5, 1, {}), {s, s, 0}, 1.5},
      {cylinder(1, 2, {}), cylinder(0.5, 1, {}, kAlongX), {0, -1, 0}, 1.5},
      {capsule(0.2, 1, {}), capsule(0.3, 2, {}, kAlongX), {0, 1, 0}, 0.5},
      {capsule(0.2, 1, {}), box({1, 1, 1}, {}), {0, 0, 1}, 2.2},
      {half_space({}, kAlongX), capsule(0.2, 1, {}, kAlongX), {1, 0, 0}, 1.2},
      {half_space({}, kAlongX), box({1, 1, 1}, {}, eighth), {1, 0, 0}, 2.0 * s},
  };
  for (const dvec3 place : {dvec3(0.0), dvec3(-7000.25, 7000.5, 123.75)})
    for (std::size_t k = 0; k < cases.size(); ++k) {
      BodySpec body = cases[k].body, query = cases[k].query;
      body.position = place;
      const TestScene scene({body});
      ShapeList shapes;
      for (const double off : {-0.5 * cases[k].at, -kClear, kClear, 3.0})
        query.position = place + (cases[k].at + off) * cases[k].way, shapes.add(query);
      EXPECT_EQ(lowest(scene, shapes), (std::vector<std::uint32_t>{0, 0, kNothing, kNothing})) << k;
    }
}

TEST_P(Overlap, FindsTheGround) {
  Terrain ground = rough({33, 41, {-4.0, -4.0}, {0.25, 0.25}}, 0.0, 1);
  for (double& h : ground.heights) h = 2.0;
  ground.holes.assign(32 * 40, 0);
  for (std::size_t i = 10; i < 14; ++i)
    for (std::size_t j = 10; j < 14; ++j) ground.holes[i * 40 + j] = 1;  // x and y from -1.5 to -0.5
  const TestScene scene(ground);
  const auto at = [&](const BodySpec& shape) { return lowest(scene, shape) == kTerrain; };
  for (const BodySpec& shape :
       {sphere(0.3, {}), box({0.5, 0.4, 0.3}, {}), cylinder(0.2, 0.3, {}), capsule(0.2, 0.1, {})})
    for (const double off : {-400.0, -1.0, -kClear, kClear, 2.0}) {
      BodySpec moved = shape;
      moved.position = {2.1, 1.3, 2.3 + off};
      EXPECT_EQ(at(moved), off < 0.0) << to_string(shape.shape) << " " << off;
    }
  // In the hole, between its walls, at any depth; and through one of them.
  EXPECT_FALSE(at(sphere(0.45, {-1.0, -1.0, 2.0})));
  EXPECT_FALSE(at(sphere(0.45, {-1.0, -1.0, -300.0})));
  EXPECT_FALSE(at(box({0.5 - kClear, 0.4, 7.0}, {-1.0, -1.0, 1.0})));
  EXPECT_TRUE(at(box({0.5 + kClear, 0.4, 7.0}, {-1.0, -1.0, 1.0})));
  EXPECT_TRUE(at(sphere(0.6, {-1.0, -1.0, -300.0})));
  // Beside the border.
  EXPECT_FALSE(at(box({1, 1, 1}, {-5.0 - kClear, 0.0, 0.0})));
  EXPECT_TRUE(at(box({1, 1, 1}, {-5.0 + kClear, 0.0, 0.0})));
  EXPECT_TRUE(at(box({40, 40, 1}, {3.0, 3.0, -20.0})));
  EXPECT_FALSE(at(box({40, 40, 1}, {3.0, 3.0, 3.0 + kClear})));
}

TEST_P(Overlap, FindsMeshes) {
  TestScene scene({{Shape::triangle_mesh, {0, 0, 0}, {10, 0, 0}, kUpright},
                   {Shape::triangle_mesh, {1, 0, 0}, {}, turn({1, 2, 3}, 0.4)},
                   {Shape::triangle_mesh, {2, 0, 0}, {-20, 0, 0}, kAlongX}});
  scene.scene.meshes = {flat_sheet(4, 0.5), ball_mesh(2.0, 8), box_mesh({1, 1, 1}, 2)};
  EXPECT_EQ(lowest(scene, sphere(0.1, {10.1, 0.1, 0.1 - kClear})), 0u);
  EXPECT_EQ(lowest(scene, sphere(0.1, {10.1, 0.1, -0.1 + kClear})), 0u);
  EXPECT_EQ(lowest(scene, sphere(0.1, {10.1, 0.1, 0.1 + kClear})), kNothing);
  // Deep inside of a solid no triangle is near.
  EXPECT_EQ(lowest(scene, sphere(0.05, {0.1, 0.2, 0.3})), 1u);
  EXPECT_EQ(lowest(scene, capsule(0.05, 3.0, {0.1, 0.2, 0.3})), 1u);
  EXPECT_EQ(lowest(scene, box({9, 9, 9}, {0.1, 0.2, 0.3})), 1u);
  EXPECT_EQ(lowest(scene, box({1, 1, 1}, {-18.0 - kClear, 0, 0})), 2u);
  EXPECT_EQ(lowest(scene, box({1, 1, 1}, {-18.0 + kClear, 0, 0})), kNothing);
}

// Bodies of one group, as all of a robot, may be asked about too.
TEST_P(Overlap, ObeysEnvironmentsMasksAndGroups) {
  TestScene scene({sphere(1.0, {}), sphere(1.0, {}), sphere(1.0, {0.1, 0, 0})});
  scene.scene.bodies.environment = {0, 1, 0};
  scene.scene.bodies.category = {1, 2, 4};
  scene.scene.bodies.mask = {0, 0, 0};
  scene.scene.bodies.group = {7, 0, -3};
  BodySpec query = sphere(0.5, {});
  ShapeList shapes;
  shapes.add(query).add(query, 4).add(query, 2).add(query, 0xFFFFFFFF, 7).add(query, 0xFFFFFFFF, -3).add(query, 1, 7);
  query.environment = 1;
  shapes.add(query).add(query, 1);
  query.environment = 5;
  shapes.add(query);
  EXPECT_EQ(lowest(scene, shapes), (std::vector<std::uint32_t>{0, 2, kNothing, 2, 0, kNothing, 1, kNothing, kNothing}));
  // The ground of the environment, whatever the mask, after all bodies.
  scene.scene.terrains = {rough({5, 5, {-2, -2}, {1, 1}}, 0.0, 1)};
  scene.scene.environment_terrain = {0, -1, 0};
  shapes.environment.back() = 2;
  EXPECT_EQ(lowest(scene, shapes), (std::vector<std::uint32_t>{0, 2, kTerrain, 2, 0, kTerrain, 1, kNothing, kTerrain}));
}

TEST_P(Overlap, FindsHullsAndCompounds) {
  TestScene scene({{Shape::compound, {0, 0, 0}, {}, kAlongX}, sphere(0.5, {0, 0, 9})});
  scene.scene.compounds = {{{Shape::sphere, {0.5, 0, 0}, {0, 0, 2}}, {Shape::box, {0.2, 0.3, 0.4}, {0, 0, -2}}},
                           {{Shape::capsule, {0.1, 1.0, 0}, {0, 3, 0}, {0.5, 0.5, 0.5, 0.5}}}};
  scene.scene.hulls = {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  scene.scene.bodies.environment = {0, 0};
  const BodySpec hull{Shape::convex_hull, {0, 0, 0}, {}, kUpright};
  const auto at = [](BodySpec shape, dvec3 place, dquat q = kUpright) {
    shape.position = place, shape.orientation = q;
    return shape;
  };
  // Parts at x = 2 and x = -2.
  EXPECT_EQ(lowest(scene, at(hull, {3.5 + kClear, 0, 0})), kNothing);
  EXPECT_EQ(lowest(scene, at(hull, {3.5 - kClear, 0, 0})), 0u);
  EXPECT_EQ(lowest(scene, at(hull, {0.0, 0, 0})), kNothing);
  EXPECT_EQ(lowest(scene, at(hull, {0, 0, 7.5 + kClear})), 1u);
  EXPECT_EQ(lowest(scene, at(hull, {0, 0, 7.5 - kClear})), kNothing);
  // A compound as the query: both bodies, or one part alone.
  const BodySpec compound{Shape::compound, {0, 0, 0}, {}, kUpright};
  EXPECT_EQ(lowest(scene, at(compound, {0, 0, 6.0 - kClear})), kNothing);
  EXPECT_EQ(lowest(scene, at(compound, {0, 0, 6.0 + kClear})), 1u);
  EXPECT_EQ(lowest(scene, at(compound, {2, 0, 1.7})), 0u);
  EXPECT_EQ(lowest(scene, at(compound, {2, 0, 7.0})), kNothing);
  // Its one part is a rod along x, 3 m aside; turned to lie along y.
  const BodySpec rod{Shape::compound, {1, 0, 0}, {}, kUpright};
  EXPECT_EQ(lowest(scene, at(rod, {0.4 + kClear, -3, 0})), 0u);
  EXPECT_EQ(lowest(scene, at(rod, {0.4 - kClear, -3, 0})), kNothing);
  EXPECT_EQ(lowest(scene, at(rod, {4, 0.3, 0}, {2, 0, 0, 2})), kNothing);
  EXPECT_EQ(lowest(scene, at(rod, {5 - kClear, -0.3, 0}, {2, 0, 0, 2})), 0u);
}

TEST_P(Overlap, TakesOneShapeForAllAndNone) {
  const TestScene scene({sphere(1.0, {})});
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const std::vector<Shape> shape{Shape::sphere};
  const std::vector<std::array<double, 3>> size{{0.5, 0, 0}};
  const std::vector<double> position{0, 0, 0, 1.4, 0, 0, 1.6, 0, 0}, orientation{1, 0, 0, 0, 0, 9, 0, 0, 0, 0, 1e-5, 0};
  EXPECT_EQ(collider.overlap(scene.poses(), {shape, size, position, orientation}).overlaps,
            (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_TRUE(collider.overlap(scene.poses(), {}).overlaps.empty());
  EXPECT_TRUE(collider.overlap(scene.poses(), {shape, size, {}, {}}).overlaps.empty());
  collider.set_scene({});
  EXPECT_EQ(collider.overlap({}, {shape, size, position, orientation}).overlap_count, 0u);
}

TEST_P(Overlap, RefusesWhatCannotBeAsked) {
  TestScene scene({sphere(1.0, {})});
  scene.scene.meshes = {flat_sheet(2, 1.0)};
  scene.scene.environment_terrain = {-1};
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const auto message = [&](const ShapeList& shapes) -> std::string {
    try {
      (void)collider.overlap(scene.poses(), shapes.queries(false));
    } catch (const Error& e) {
      return e.kind() == ErrorKind::invalid_input ? e.what() : "";
    }
    return "";
  };
  const auto with = [](const auto& change) {
    ShapeList shapes;
    shapes.add(sphere(1.0, {})).add(sphere(2.0, {}));
    change(shapes);
    return shapes;
  };
  EXPECT_EQ(message(with([](ShapeList& s) { s.position[4] = kNoData; })), "queries/position[1][1] is not finite");
  EXPECT_EQ(message(with([](ShapeList& s) { s.orientation[4] = 0.0; })),
            "queries/orientation[1] is a quaternion of zero length");
  EXPECT_EQ(message(with([](ShapeList& s) { s.position.pop_back(); })), "queries/position has 5 numbers for 1 queries");
  EXPECT_EQ(message(with([](ShapeList& s) { s.mask.pop_back(); })), "queries/mask has 1 numbers for 2 queries");
  EXPECT_EQ(message(with([](ShapeList& s) { s.size.pop_back(); })), "queries/size has 1 entries for 2 shapes");
  EXPECT_EQ(message(with([](ShapeList& s) {
              s.shape.pop_back(), s.size.pop_back(), s.size[0] = {-1, 0, 0};
            })),
            "queries/size[0]: radius must be positive, finite and at most 1e9 m, got -1");
  EXPECT_EQ(message(with([](ShapeList& s) { s.shape[1] = Shape::triangle_mesh; })),
            "queries/shape[1]: a triangle mesh cannot be asked about");
  EXPECT_EQ(message(with([](ShapeList& s) { s.shape[1] = Shape::half_space; })),
            "queries/shape[1]: a half space cannot be asked about");
  EXPECT_EQ(message(with([](ShapeList& s) { s.shape[1] = Shape::convex_hull; })),
            "queries/size[1]: index of a hull must be a whole number below the 0 that there are, got 2");
  EXPECT_EQ(message(with([](ShapeList& s) { s.environment[1] = 1; })),
            "queries/environment[1] is 1, and environments/terrain has 1 entries");
  EXPECT_EQ(message(with([](ShapeList& s) { s.shape[0] = static_cast<Shape>(99); })),
            "queries/shape[0] is 99, which is no shape");
}

// Of one set of poses after another the tree follows, and contacts that are known stay so.
TEST_P(Overlap, GoesAlongWithFrames) {
  TestScene scene({sphere(1.0, {}), sphere(1.0, {5, 0, 0}), half_space({0, 0, -3})});
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const ShapeList shapes = ShapeList().add(sphere(0.5, {5, 0, 0})).add(sphere(0.5, {0, 0, -2.6}));
  const auto found = [&] { return collider.overlap(scene.poses(), shapes.queries(true)).body; };
  EXPECT_EQ(found(), (std::vector<std::uint32_t>{1, 2}));
  const std::size_t contacts = collider.update(scene.poses()).contacts.size();
  scene.position[0] = 5.0;
  EXPECT_EQ(found(), (std::vector<std::uint32_t>{0, 2}));
  scene.position[0] = 0.0;
  EXPECT_EQ(collider.update(scene.poses()).contacts.size(), contacts);
  EXPECT_EQ(found(), (std::vector<std::uint32_t>{1, 2}));
}

// More queries than one turn has room for.
TEST_F(OnOpenCl, OverlapsInTurnsWhereMemoryIsShort) {
  const TestScene scene({sphere(1.0, {}), box({1, 1, 1}, {3, 0, 0})});
  ShapeList shapes;
  for (int k = 0; k < 40000; ++k) shapes.add(sphere(0.3, {0.0002 * k, 0, 0}));
  const auto ask = [&](std::uint64_t limit) {
    Settings settings;
    settings.device = opencl_device();
    settings.memory_limit = limit;
    Collider collider(settings);
    collider.set_scene(scene.scene);
    return collider.overlap(scene.poses(), shapes.queries(true));
  };
  const Overlaps all = ask(0), parts = ask(std::uint64_t{1} << 20);
  EXPECT_EQ(all.body, parts.body);
  EXPECT_GT(all.overlap_count, 10000u);
  EXPECT_LE(parts.device_bytes, std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace oclide::test
