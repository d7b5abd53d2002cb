// What rays meet and what they do not, which of equal distances is hit, and rays that nobody would think of.
#include <cmath>

#include "rays/cast.hpp"
#include "support/mesh_shapes.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class CastRules : public RayTest {};
OCLIDE_ON_EACH_DEVICE(CastRules);

constexpr dvec3 kDown{0.0, 0.0, -1.0}, kUp{0.0, 0.0, 1.0};

TEST_P(CastRules, OfEqualDistancesTheLowestIndexIsHitAndTerrainLast) {
  // Let into the ground up to the top.
  EXPECT_TRUE(is_hit(cast(TestScene(plane({}, 0, 0), {box({1, 1, 1}, {0.3, 0.2, -1.0})}), {0.1, 0.1, 5.0}, kDown), 0,
                     5.0, kUp));
  EXPECT_TRUE(
      is_hit(cast(TestScene(plane({}, 0, 0), {half_space({0.3, 0.2, 0.0})}), {0.1, 0.1, 5.0}, kDown), 0, 5.0, kUp));
  const auto topped = [](std::vector<double> tops) {
    TestScene scene{std::vector<BodySpec>{}};
    for (const double top : tops) scene.add(box({1, 1, 1}, {0.3, 0.2, top - 1.0}));
    return scene;
  };
  EXPECT_TRUE(is_hit(cast(topped({0.0, 0.0, 0.0}), {0.1, 0.1, 5.0}, kDown), 0, 5.0, kUp));
  EXPECT_TRUE(is_hit(cast(topped({-1e-5, 0.0}), {0.1, 0.1, 5.0}, kDown), 0, 5.00001, kUp));
  EXPECT_TRUE(is_hit(cast(topped({-1e-3, 0.0, 0.0}), {0.1, 0.1, 5.0}, kDown), 1, 5.0, kUp));
  EXPECT_TRUE(is_hit(cast(topped({-1e-3, -0.5, 1e-3}), {0.1, 0.1, 5.0}, kDown), 2, 4.999, kUp));
  // A sheet on a box, and the other way round.
  TestScene scene;
  scene.bodies_meet = true;
  scene.scene.meshes = {flat_sheet(2, 1.0)};
  scene.add({Shape::triangle_mesh, {}, {-1.0, -1.0, 0.0}});
  scene.add(box({1, 1, 1}, {0.0, 0.0, -1.0}));
  scene.add({Shape::triangle_mesh, {}, {9.0, -1.0, 0.0}});
  scene.add(box({1, 1, 1}, {10.0, 0.0, -1.0}));
  const Hit on_sheet = cast(scene, {0.1, 0.3, 5.0}, kDown);
  EXPECT_TRUE(is_hit(on_sheet, 0, 5.0, kUp));
  EXPECT_NE(on_sheet.element, kNone);
  EXPECT_TRUE(is_hit(cast(scene, {10.1, 0.3, 5.0}, kDown), 2, 5.0, kUp));
}

TEST_P(CastRules, OfBeginningsInSolidsTheLowestIndexIsHit) {
  TestScene scene(plane({}, 0, 0), {sphere(0.5, {3.0, 3.0, 0.5}), sphere(1.0, {0, 0, 0}), box({1, 1, 1}, {0, 0, 0})});
  scene.add(half_space({0.0, 0.0, -0.5}));
  EXPECT_TRUE(is_hit(cast(scene, {0.1, 0.1, -0.2}, {1, 0, 0}), 1, 0.0, {-1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {0.9, 0.9, -0.2}, {1, 0, 0}), 2, 0.0, {-1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {5.0, 3.0, -0.7}, {1, 0, 0}), 3, 0.0, {-1, 0, 0}));
  const Hit in_ground = cast(scene, {5.0, 3.0, -0.2}, {1, 0, 0});
  EXPECT_TRUE(is_hit(in_ground, kTerrain, 0.0, {-1, 0, 0}));
  EXPECT_NE(in_ground.element, kNone);
}

TEST_P(CastRules, AMissIsEmptyAndNoWallAtTheEnd) {
  const TestScene nothing, ground(plane({}, 0, 0));
  EXPECT_TRUE(is_miss(cast(nothing, {0, 0, 0}, {1, 0, 0})));
  EXPECT_TRUE(is_miss(cast(ground, {0, 0, 5}, {0, 0, 1})));
  EXPECT_TRUE(is_miss(cast(ground, {0, 0, 5}, {0, 0, -1}, 4.0)));
  RayList none;
  EXPECT_TRUE(cast(ground, none).empty());
}

TEST_P(CastRules, ALengthOfZeroAsksWhereTheOriginIs) {
  const TestScene scene(plane({}, 0, 0), {sphere(1.0, {0, 0, 4})});
  EXPECT_TRUE(is_miss(cast(scene, {0.0, 0.0, 2.0}, kUp, 0.0)));
  EXPECT_TRUE(is_hit(cast(scene, {0.0, 0.0, 3.5}, kUp, 0.0), 0, 0.0, kDown));
  EXPECT_TRUE(is_hit(cast(scene, {0.0, 0.0, -3.5}, kUp, 0.0), kTerrain, 0.0, kDown));
}

TEST_P(CastRules, BodiesAreMetByEnvironmentAndCategory) {
  TestScene scene(plane({}, 0, 0));
  scene.scene.terrains.push_back(plane({}, 0, 0, 1.0));
  scene.scene.environment_terrain = {0, 1, -1};
  for (std::uint32_t k = 0; k < 6; ++k) {
    BodySpec body = sphere(0.5, {0.0, 0.0, 4.0 + 2.0 * k});
    body.environment = k % 3;
    scene.add(body);
  }
  Bodies& bodies = scene.scene.bodies;
  bodies.category = {1, 2, 4, 8, 0x80000000U, 0};
  bodies.mask = {0, 0, 0, 0, 0, 0};  // what they meet does not count
  RayList rays;
  std::vector<std::pair<std::uint32_t, double>> expected;  // body, height of what is hit
  const auto add = [&](std::uint32_t environment, std::uint32_t mask, std::uint32_t body, double height) {
    rays.add({0.0, 0.0, 30.0}, kDown, kForever, environment, mask);
    expected.emplace_back(body, height);
  };
  add(0, 0xFFFFFFFFU, 3, 10.5);
  add(0, 1, 0, 4.5);
  add(0, 6, kTerrain, 0.0);
  add(0, 0, kTerrain, 0.0);
  add(1, 0xFFFFFFFFU, 4, 12.5);
  add(1, 0x7FFFFFFFU, 1, 6.5);
  add(1, 1, kTerrain, 1.0);
  add(2, 0xFFFFFFFFU, 2, 8.5);
  add(2, 1, kNothing, 0.0);
  const std::vector<Hit> hits = cast(scene, rays);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (expected[i].first == kNothing) {
      EXPECT_TRUE(is_miss(hits[i])) << i;
    } else {
      EXPECT_TRUE(is_hit(hits[i], expected[i].first, 30.0 - expected[i].second, kUp)) << i;
    }
  }
  // Without the arrays of rays all are in environment 0 and meet all.
  Collider& collider = collider_on(GetParam());
  const Hit hit = collider.cast(scene.poses(), {rays.origin, rays.direction, {}, {}, {}}).hits[0];
  EXPECT_TRUE(is_hit(hit, 3, 19.5, kUp));
  // Without categories all have 1, and where the scene has no list of environments there may be any.
  bodies.category.clear(), bodies.mask.clear();
  scene.scene.environment_terrain.clear();
  RayList some;
  some.add({0.0, 0.0, 30.0}, kDown, kForever, 0, 2);
  some.add({0.0, 0.0, 30.0}, kDown, kForever, 1, 3);
  some.add({0.0, 0.0, 30.0}, kDown, kForever, 4000000000U, 1);
  const std::vector<Hit> of_some = cast(scene, some);
  EXPECT_TRUE(is_hit(of_some[0], kTerrain, 30.0, kUp));
  EXPECT_TRUE(is_hit(of_some[1], 4, 17.5, kUp));
  EXPECT_TRUE(is_hit(of_some[2], kTerrain, 30.0, kUp));
}

TEST_P(CastRules, OfACompoundThePartIsNamed) {
  TestScene scene{std::vector<BodySpec>{sphere(0.5, {-20.0, 0.0, 0.0})}};
  CompoundPart ball{Shape::sphere, {0.5, 0, 0}, {2.0, 0.0, 0.0}}, block{Shape::box, {1.0, 1.0, 0.25}, {-2.0, 0.0, 0.0}};
  scene.scene.compounds = {{ball, block, block}};
  scene.add({Shape::compound, {}, {100.0, 0.0, 50.0}, turn({0, 0, 1}, kQuarter)});  // along y
  scene.add(sphere(1.0, {100.0, 0.0, 50.0}));
  scene.add({Shape::compound, {}, {0.0, 0.0, 80.0}});
  EXPECT_TRUE(is_hit(cast(scene, {-20, 0, 9}, kDown), 0, 8.5, kUp));
  const Hit of_ball = cast(scene, {100.0, 2.0, 60.0}, kDown), of_block = cast(scene, {100.0, -2.0, 60.0}, kDown);
  EXPECT_TRUE(is_hit(of_ball, 1, 9.5, kUp));
  EXPECT_EQ(of_ball.shape, 0);
  EXPECT_TRUE(is_hit(of_block, 1, 9.75, kUp));  // of two at one place the first
  EXPECT_EQ(of_block.shape, 1);
  EXPECT_TRUE(is_hit(cast(scene, {100.0, 0.0, 60.0}, kDown), 2, 9.0, kUp));
  const Hit inside = cast(scene, {100.0, -2.0, 50.1}, {1, 0, 0});
  EXPECT_TRUE(is_hit(inside, 1, 0.0, {-1, 0, 0}));
  EXPECT_EQ(inside.shape, 1);
  const Hit of_last = cast(scene, {-2.0, 0.0, 90.0}, kDown);
  EXPECT_TRUE(is_hit(of_last, 3, 9.75, kUp));
  EXPECT_EQ(of_last.shape, 1);
}

TEST_P(CastRules, TheLengthOfADirectionDoesNotCount) {
  const TestScene scene({sphere(1.0, {100.0, 0.0, 0.0})});
  for (const double scale : {1e300, 1.7e308, 1.0, 1e-30, 1e-300, 5e-324})
    EXPECT_TRUE(is_hit(cast(scene, {0, 0, 0}, {scale, 0, 0}), 0, 99.0, {-1, 0, 0})) << scale;
  for (const double scale : {1e300, 1e-300}) {
    const dvec3 n = -glm::normalize(dvec3(3, 4, 12));
    EXPECT_TRUE(is_hit(cast(scene, dvec3(100, 0, 0) + 26.0 * n, scale * dvec3(3, 4, 12)), 0, 25.0, n)) << scale;
  }
  EXPECT_TRUE(is_hit(cast(scene, {0, 0, 0}, {1e300, 1e-300, -1e-300}), 0, 99.0, {-1, 0, 0}));
}

TEST_P(CastRules, RaysFromAMillionMillionMetresAwayHit) {
  // 1e-4 m is the step of doubles there: what is aimed at is larger.
  const TestScene scene(plane({}, 0, 0), {sphere(1.0, {0.0, 0.0, 5.0}), box({2, 2, 2}, {7.0, 0.0, 5.0})});
  EXPECT_TRUE(is_hit(cast(scene, {1e12, 0.0, 5.0}, {-1, 0, 0}), 1, 1e12 - 9.0, {1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {-1e12, 0.0, 5.0}, {1, 0, 0}), 0, 1e12 - 1.0, {-1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {0.0, 4.0, 1e12}, {0, 0, -1}), kTerrain, 1e12, {0, 0, 1}));
  EXPECT_TRUE(is_miss(cast(scene, {1e12, 0.0, 9.0}, {-1, 0, 0})));
  EXPECT_TRUE(is_miss(cast(scene, {1e12, 0.0, 5.0}, {1, 0, 0})));
}

// Squares of what is farther out are infinite on a device.
TEST_P(CastRules, RaysFromNearlyTheFarthestHaveAnAnswerAndThoseFromBeyondAreRefused) {
  TestScene scene(plane({}, 0, 0), {sphere(1.0, {0.0, 0.0, 5.0}), half_space({0.0, 0.0, -3.0})});
  scene.scene.meshes = {ball_mesh(1.0, 2)};
  scene.add({Shape::triangle_mesh, {}, {0.0, 0.0, 9.0}});
  const std::vector<dvec3> ways{{1, 0, 0}, {0, 0, 1}, {1, 1, 1}, {1e-300, 1, 0}, {1e300, 1e-300, 1}};
  RayList rays;
  for (const double far : {1e15, 2.999e18})
    for (const dvec3 way : ways)
      for (const double side : {-1.0, 1.0})
        for (const double length : {kForever, 1e300, 1.0})
          rays.add(far * (way / std::max({way.x, way.y, way.z})), side * way, length);
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const std::vector<Hit> hits = collider.cast(scene.poses(), rays.rays()).hits;
  ASSERT_EQ(hits.size(), rays.count());
  for (const Hit& hit : hits) {
    EXPECT_GE(hit.distance, 0.0) << text(hit);
    EXPECT_EQ(hit.body == kNothing, hit.distance == kForever) << text(hit);
  }
  for (const double far : {3e18, -1e19, 1e39, 1.7e308}) {
    RayList beyond;
    beyond.add({0.0, 0.0, 9.0}, {0.0, 0.0, -1.0});
    beyond.add({0.0, far, 9.0}, {0.0, 0.0, -1.0});
    try {
      (void)collider.cast(scene.poses(), beyond.rays());
      ADD_FAILURE() << far;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_STREQ(error.what(), "rays/origin[1][1] is 3e18 m out or farther");
    }
  }
}

TEST_P(CastRules, TheSameRaysHaveTheSameBitsAndContactsStay) {
  // Spheres alone: their kernels are built soon.
  TestScene scene{std::vector<BodySpec>{}};
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> radius(0.2, 1.5);
  for (int k = 0; k < 60; ++k) scene.add(sphere(radius(random), 5.0 * random_way(random)));
  RayList rays;
  for (int k = 0; k < 300; ++k) rays.add(6.0 * random_way(random), random_way(random), k % 5 == 0 ? 3.0 : kForever);
  const std::vector<Hit> hits = cast(scene, rays);
  Collider& collider = collider_on(GetParam());
  const std::uint64_t contacts = contact_hash(collider.collide(scene.poses()).contacts);
  EXPECT_EQ(hit_hash(collider.cast(scene.poses(), rays.rays()).hits), hit_hash(hits));
  EXPECT_EQ(contact_hash(collider.update(scene.poses()).contacts), contacts);
  EXPECT_EQ(hit_hash(collider.cast(scene.poses(), rays.rays()).hits), hit_hash(hits));
  EXPECT_EQ(contact_hash(collider.update(scene.poses()).contacts), contacts);
  // One by one.
  for (const std::size_t i : {0UL, 17UL, 299UL}) {
    const Rays one{std::span(rays.origin).subspan(3 * i, 3),
                   std::span(rays.direction).subspan(3 * i, 3),
                   std::span(rays.length).subspan(i, 1),
                   std::span(rays.environment).subspan(i, 1),
                   {}};
    EXPECT_EQ(hit_hash(collider.cast(scene.poses(), one).hits), hit_hash({&hits[i], 1}));
  }
}

TEST_P(CastRules, BadRaysAreRefusedByOneLine) {
  TestScene scene(plane({}, 0, 0), {sphere(0.5, {0, 0, 3})});
  scene.scene.environment_terrain = {0, -1};
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  RayList good;
  for (int k = 0; k < 3; ++k) good.add({0.0, 0.0, 9.0}, kDown, 100.0);
  const auto refusal = [&](const Rays& rays) -> std::string {
    try {
      (void)collider.cast(scene.poses(), rays);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      return e.what();
    }
    return "";
  };
  const auto spoiled = [&](auto RayList::*array, std::size_t at, auto value) {
    RayList rays = good;
    (rays.*array)[at] = value;
    return refusal(rays.rays());
  };
  EXPECT_EQ(refusal(good.rays()), "");
  EXPECT_EQ(spoiled(&RayList::origin, 4, kNoData), "rays/origin[1][1] is not finite");
  EXPECT_EQ(spoiled(&RayList::origin, 8, -kForever), "rays/origin[2][2] is not finite");
  EXPECT_EQ(spoiled(&RayList::direction, 3, kForever), "rays/direction[1][0] is not finite");
  EXPECT_EQ(spoiled(&RayList::direction, 2, kNoData), "rays/direction[0][2] is not finite");
  EXPECT_EQ(spoiled(&RayList::direction, 5, 0.0), "rays/direction[1] is zero");
  EXPECT_EQ(spoiled(&RayList::direction, 5, -0.0), "rays/direction[1] is zero");
  EXPECT_EQ(spoiled(&RayList::length, 2, kNoData), "rays/length[2] is not a number");
  EXPECT_EQ(spoiled(&RayList::length, 2, -1e-300), "rays/length[2] is negative");
  EXPECT_EQ(spoiled(&RayList::environment, 1, 2U), "rays/environment[1] is 2, and environments/terrain has 2 entries");
  Rays rays = good.rays();
  rays.origin = rays.origin.first(8);
  EXPECT_EQ(refusal(rays), "rays/origin has 8 numbers for 2 rays");
  rays = good.rays(), rays.direction = rays.direction.first(6);
  EXPECT_EQ(refusal(rays), "rays/direction has 6 numbers for 3 rays");
  rays = good.rays(), rays.length = rays.length.first(2);
  EXPECT_EQ(refusal(rays), "rays/length has 2 numbers for 3 rays");
  rays = good.rays(), rays.environment = rays.environment.first(1);
  EXPECT_EQ(refusal(rays), "rays/environment has 1 numbers for 3 rays");
  rays = good.rays(), rays.mask = rays.mask.first(2);
  EXPECT_EQ(refusal(rays), "rays/mask has 2 numbers for 3 rays");
  // Poses are checked as of a frame, and no call left anything behind.
  TestScene moved = scene;
  moved.position[1] = kNoData;
  EXPECT_THROW((void)collider.cast(moved.poses(), good.rays()), Error);
  EXPECT_TRUE(is_hit(collider.cast(scene.poses(), good.rays()).hits[2], 0, 5.5, kUp));
}

TEST_P(CastRules, BeforeAnySceneThereIsNothingToAsk) {
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
  Collider collider(settings);
  RayList rays;
  rays.add({0, 0, 0}, kUp);
  try {
    (void)collider.cast({}, rays.rays());
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "cast: no scene has been set");
  }
}

}  // namespace
}  // namespace oclide::test
