// What the broad phase passes over has no contacts: the same bits as from looking at all sites of each body's range and
// all their features, which OCLIDE_LOOK_AT_ALL=1 makes it do.
#include <cmath>
#include <cstdlib>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

struct GroundCase {
  const char* name;
  Terrain (*make)(const Grid&, std::uint64_t seed);
};
const std::vector<GroundCase> kGrounds{
    {"rough_fine", [](const Grid& g, std::uint64_t seed) { return rough(g, 0.05 * g.spacing[0], seed); }},
    {"rough_coarse", [](const Grid& g, std::uint64_t seed) { return rough(g, 0.9 * g.spacing[0], seed); }},
    {"spikes", [](const Grid& g, std::uint64_t seed) { return spikes(g, 1.1 * g.spacing[0], 5, seed); }},
    {"slope", [](const Grid& g, std::uint64_t) { return plane(g, 0.4, -0.3, 2.0); }},
    {"waves",
     [](const Grid& g, std::uint64_t) {
       const double wave = 0.8 / g.spacing[0];
       return terrain_of(g, [&](double x, double y) { return 0.4 / wave * std::sin(wave * x) * std::cos(wave * y); });
     }},
    // Not level: of a level body all of a side would be as deep, and rounding would choose the point.
    {"steps",
     [](const Grid& g, std::uint64_t) {
       return terrain_of(g, [&](double x, double y) {
         const auto column = std::lround(x / g.spacing[0]), row = std::lround(y / g.spacing[1]);
         return 0.013 * x + 0.007 * y + ((column / 3 + row / 4) % 2 == 0 ? 0.0 : 0.6 * g.spacing[0]);
       });
     }},
    {"holes",
     [](const Grid& g, std::uint64_t seed) {
       Terrain t = rough(g, 0.5 * g.spacing[0], seed);
       open_cells(t, 0.08, seed + 1);
       return t;
     }},
};

std::unique_ptr<Collider> collider(bool looks_at_all, double margin) {
  Settings settings;
  settings.device = "opencl:0";
  settings.margin = margin;
  if (looks_at_all) ::setenv("OCLIDE_LOOK_AT_ALL", "1", 1);
  auto made = std::make_unique<Collider>(settings);
  ::unsetenv("OCLIDE_LOOK_AT_ALL");
  return made;
}

class CulledFeatures : public OnOpenCl, public testing::WithParamInterface<std::tuple<std::size_t, double>> {};

// A hull of 4 to 40 points of an ellipsoid. Its position is somewhere about it.
BodySpec hull_of(TestScene& scene, dvec3 half, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const auto any = [&] { return dvec3(normal(random), normal(random), normal(random)); };
  const dvec3 middle = 0.7 * half * any();
  std::vector<std::array<double, 3>> points(4 + random() % 37);
  for (auto& point : points) {
    const dvec3 p = middle + half * glm::normalize(any());
    point = {p.x, p.y, p.z};
  }
  scene.scene.hulls.push_back(points);
  return {Shape::convex_hull, {static_cast<double>(scene.scene.hulls.size() - 1), 0.0, 0.0}, {}};
}

// Bodies of a sixth of a cell to several cells, at any angle, upright, lying, or along the ground; a little in it, deep
// in it, or just above it; some of them over a vertex or an edge.
TestScene scene_on(const GroundCase& ground, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  const double step = std::exp(uniform(std::log(0.1), std::log(5.0)));
  const Grid grid{29, 37, {uniform(-900.0, 900.0), uniform(-900.0, 900.0)}, {step, step * uniform(0.6, 1.4)}};
  TestScene scene(ground.make(grid, seed));
  const Terrain terrain = scene.scene.terrains[0];
  for (int k = 0; k < 400; ++k) {
    const double size = step * std::exp(uniform(std::log(0.15), std::log(3.0)));
    const auto length = [&] { return size * std::exp(uniform(-1.2, 0.5)); };
    const double a = length(), b = length(), c = length();
    BodySpec body = k % 5 == 0   ? sphere(a, {})
                    : k % 5 == 1 ? box({a, b, c}, {})
                    : k % 5 == 2 ? cylinder(a, b, {})
                    : k % 5 == 3 ? capsule(a, b, {})
                                 : hull_of(scene, {a, b, c}, random);
    double u = uniform(0.5, 35.5), v = uniform(0.5, 27.5);
    if (random() % 8 == 0) u = std::floor(u);
    if (random() % 8 == 0) v = std::floor(v);
    const auto i = static_cast<std::size_t>(v), j = static_cast<std::size_t>(u);
    const auto height = [&](std::size_t row, std::size_t col) { return terrain.heights[vertex(terrain, row, col)]; };
    const double rise_x = height(i, j + 1) - height(i, j), rise_y = height(i + 1, j) - height(i, j);
    const double x = u - static_cast<double>(j), y = v - static_cast<double>(i);
    const std::uint64_t turn = random() % 5;
    if (turn == 0) body.orientation = dquat(1.0, 0.0, 0.0, 0.0);
    if (turn == 1) body.orientation = dquat(std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0);
    if (turn == 2) {
      const dvec3 normal = glm::normalize(dvec3(-rise_x / grid.spacing[0], -rise_y / grid.spacing[1], 1.0));
      body.orientation = glm::normalize(dquat(1.0 + normal.z, -normal.y, normal.x, 0.0));
    }
    if (turn > 2) body.orientation = random_orientation(random);
    const double reach = k % 5 == 0 ? a : (k % 5 == 1 || k % 5 == 4 ? 0.6 * (a + b + c) : 0.8 * (a + b));
    body.position = {
        terrain.origin[0] + u * grid.spacing[0], terrain.origin[1] + v * grid.spacing[1],
        height(i, j) + x * rise_x + y * rise_y + (random() % 3 == 0 ? uniform(-2.0, 1.2) : uniform(0.3, 1.1)) * reach};
    scene.add(body);
  }
  // Against the ground alone.
  scene.scene.bodies.group.assign(scene.scene.bodies.shape.size(), 1);
  return scene;
}

TEST_P(CulledFeatures, HaveNoContacts) {
  const auto [ground, margin] = GetParam();
  const auto some = collider(false, margin), all = collider(true, margin);
  std::uint64_t candidates = 0, candidates_of_all = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const TestScene scene = scene_on(kGrounds[ground], 100 * ground + seed);
    some->set_scene(scene.scene);
    all->set_scene(scene.scene);
    const FrameContacts found = some->collide(scene.poses()), expected = all->collide(scene.poses());
    EXPECT_TRUE(same_bits(found.contacts, expected.contacts)) << "seed " << seed;
    EXPECT_GT(expected.pairs, 150U) << "seed " << seed;
    candidates += found.candidates;
    candidates_of_all += expected.candidates;
  }
  // Else nothing was passed over.
  EXPECT_LT(candidates, candidates_of_all * 9 / 10);
}

class CulledFeaturesAlone : public OnOpenCl {
 protected:
  // The first contact is so deep, and all are those of looking at everything.
  static void expect_depth(const TestScene& scene, double depth, double tolerance) {
    const auto some = collider(false, 0.0), all = collider(true, 0.0);
    some->set_scene(scene.scene);
    all->set_scene(scene.scene);
    const FrameContacts found = some->collide(scene.poses()), expected = all->collide(scene.poses());
    ASSERT_FALSE(expected.contacts.empty());
    EXPECT_NEAR(expected.contacts[0].depth, depth, tolerance);
    EXPECT_TRUE(same_bits(found.contacts, expected.contacts));
  }
};

// Of a ridge so flat that it is no edge neither element has the lowest point of a cylinder that lies along it, level
// with both: what is left is the way straight up from under the centre.
TEST_F(CulledFeaturesAlone, KeepACylinderOnAFlatRidge) {
  const Grid grid{21, 37, {-40.0, -24.0}, {2.4, 2.4}};
  TestScene scene(terrain_of(grid, [](double, double y) { return -1e-4 * std::abs(y); }));
  scene.add(cylinder(0.64, 0.22, {0.3, 0.0, 0.57}, dquat(std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0)));
  expect_depth(scene, 0.07, 1e-3);
}

// The flat ridge is the diagonal of a cell that stands out of the ground. The cylinder's base is level with one of the
// cell's elements and nearly so with the other, over whose border the gap is greatest of all that is found.
TEST_F(CulledFeaturesAlone, KeepABorderBesideAFlatRidge) {
  const Grid grid{21, 37, {-40.0, -24.0}, {2.6, 2.6}};
  Terrain terrain = terrain_of(grid, [](double, double) { return -0.02; });
  for (const std::size_t row : {10U, 11U})
    for (const std::size_t col : {15U, 16U}) terrain.heights[vertex(terrain, row, col)] = 0.0F;
  terrain.heights[vertex(terrain, 11, 16)] = -2e-4F;
  TestScene scene(terrain);
  scene.add(cylinder(1.3, 1.0, {-1.0 + 1.83, 2.0 + 2.36, 0.997}));
  expect_depth(scene, 0.003, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Of, CulledFeatures,
                         testing::Combine(testing::Range<std::size_t>(0, kGrounds.size()), testing::Values(0.0, 0.03)),
                         [](const auto& tested) {
                           return std::string(kGrounds[std::get<0>(tested.param)].name) +
                                  (std::get<1>(tested.param) > 0.0 ? "_with_margin" : "");
                         });

}  // namespace
}  // namespace oclide::test
