// Random hulls on random ground: what the device finds against the reference and against exact geometry, both ways.
#include <algorithm>
#include <cmath>

#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

using Points = std::vector<std::array<double, 3>>;

struct FuzzedHull {
  const char* name;
  std::size_t vertices;  // at most
  dvec3 half;            // of the ellipsoid that the vertices are on [m]
  dvec3 middle;          // of the ellipsoid [m]
  double round;          // coordinates are multiples of it: equal heights, parallel edges, many corners of a face [m]
  double spacing;        // of the grid [m]
  int bodies;
};
const std::vector<FuzzedHull> kFuzzedHulls{
    {"tetrahedron", 4, {0.4, 0.4, 0.4}, {0, 0, 0}, 0.0, 0.5, 240},
    {"stone", 12, {0.5, 0.4, 0.3}, {0, 0, 0}, 0.0, 0.5, 240},
    {"crystal", 30, {0.5, 0.4, 0.3}, {0, 0, 0}, 0.2, 0.5, 240},
    {"needle", 9, {0.02, 0.03, 1.2}, {0, 0, 0}, 0.0, 0.5, 200},
    {"sliver", 7, {0.8, 0.7, 0.01}, {0, 0, 0}, 0.0, 0.5, 200},
    {"sphere", 200, {0.5, 0.5, 0.5}, {0, 0, 0}, 0.0, 0.5, 60},
    {"fine", 2000, {0.5, 0.7, 0.6}, {0, 0, 0}, 0.0, 0.5, 2},
    {"far_off", 20, {0.5, 0.4, 0.3}, {2.0, -1.0, 3.0}, 0.0, 0.5, 200},
    {"tiny_on_huge", 12, {0.05, 0.06, 0.05}, {0, 0, 0}, 0.0, 20.0, 400},
    {"huge_on_tiny", 24, {2.0, 1.5, 1.0}, {0, 0, 0}, 0.0, 0.4, 40},
};

// Heights of one row of columns after another, as steps, walls or terraces of cells have them.
Terrain steps(const Grid& g, double height) {
  return terrain_of(g, [&](double x, double y) {
    return height * (std::round(x / (3.0 * g.spacing[0])) + 2.0 * std::round(y / (5.0 * g.spacing[1])));
  });
}

struct HullGround {
  const char* name;
  Terrain (*make)(const Grid&, std::uint64_t seed);
};
const std::vector<HullGround> kHullGrounds{
    {"flat", [](const Grid& g, std::uint64_t) { return plane(g, 0.0, 0.0, 2.5); }},
    {"slope", [](const Grid& g, std::uint64_t) { return plane(g, 0.37, -0.21); }},
    {"ridge", [](const Grid& g, std::uint64_t s) { return ridge(g, s % 2 == 0 ? 0.6 : -0.6); }},
    {"rough_fine", [](const Grid& g, std::uint64_t s) { return rough(g, 0.1 * g.spacing[0], s); }},
    {"rough", [](const Grid& g, std::uint64_t s) { return rough(g, 0.7 * g.spacing[0], s); }},
    {"steep", [](const Grid& g, std::uint64_t s) { return rough(g, 2.5 * g.spacing[0], s); }},
    {"steep_holes",
     [](const Grid& g, std::uint64_t s) {
       Terrain t = rough(g, 1.5 * g.spacing[0], s);
       open_cells(t, 0.3, s + 1);
       return t;
     }},
    {"steps_of_1_cm", [](const Grid& g, std::uint64_t) { return steps(g, 0.01); }},
    {"steps_of_5_cm", [](const Grid& g, std::uint64_t) { return steps(g, 0.05); }},
    {"kerbs", [](const Grid& g, std::uint64_t) { return steps(g, 0.6 * g.spacing[0]); }},
    {"spikes", [](const Grid& g, std::uint64_t s) { return spikes(g, 2.0 * g.spacing[0], 12, s); }},
};

Points points_of(const FuzzedHull& h, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const std::size_t count = 4 + (h.vertices > 4 ? random() % (h.vertices - 3) : 0);
  Points points;
  // A crystal's corners may be few: then there are more of them.
  while (points.size() < (h.round > 0.0 ? count + 20 : std::max(count, h.vertices / 2))) {
    const dvec3 p = h.half * glm::normalize(dvec3(normal(random), normal(random), normal(random)));
    points.push_back({});
    for (int a = 0; a < 3; ++a)
      points.back()[static_cast<std::size_t>(a)] =
          h.middle[a] + (h.round > 0.0 ? h.round * std::round(p[a] / h.round) : p[a]);
  }
  return points;
}

class HullTerrainFuzz : public OnOpenCl, public testing::WithParamInterface<std::tuple<std::size_t, std::size_t>> {};

TEST_P(HullTerrainFuzz, DeviceAndReferenceFindTheSame) {
  const FuzzedHull& h = kFuzzedHulls[std::get<0>(GetParam())];
  const HullGround& ground = kHullGrounds[std::get<1>(GetParam())];
  for (int seed = 0; seed < fuzz_seeds(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(100000 * static_cast<std::uint64_t>(seed) + 1000 * std::get<0>(GetParam()) +
                           std::get<1>(GetParam()));
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    const double step = h.spacing, out = seed % 2 == 1 ? 1e4 : 0.0;
    const Grid grid{27, 34, {out - 15.3 * step, -out - 12.7 * step}, {step, 1.1 * step}};
    const Grid at_home{27, 34, {-15.3 * step, -12.7 * step}, {step, 1.1 * step}};
    Terrain t = ground.make(at_home, static_cast<std::uint64_t>(seed) + 5);
    t.origin = grid.origin;
    TestScene scene(t);
    for (int k = 0; k < h.bodies; ++k) {
      scene.scene.hulls.push_back(points_of(h, random));
      const auto size = static_cast<double>(k);
      const dquat q = k % 5 == 0 ? turn({0, 0, 1}, k % 10 == 0 ? 0.0 : 1.0) : random_orientation(random);
      const double u = uniform(-0.05, 1.05), v = uniform(-0.05, 1.05);
      const auto j = std::clamp<long>(std::lround(u * 33), 0, 33), i = std::clamp<long>(std::lround(v * 26), 0, 26);
      double low = 1e30, high = -1e30;
      for (const auto& p : scene.scene.hulls.back()) {
        const double z = (q * (dvec3(p[0], p[1], p[2]) - h.middle)).z;
        low = std::min(low, z);
        high = std::max(high, z);
      }
      // Some come to rest, some are buried, most are between.
      const double height = k % 3 == 0 ? -low - 1e-3 * uniform(-0.1, 1.0) : uniform(-high, -low + 0.02);
      scene.add({Shape::convex_hull,
                 {size, 0.0, 0.0},
                 dvec3(t.origin[0] + u * 33 * step, t.origin[1] + v * 26 * 1.1 * step,
                       t.heights[vertex(t, static_cast<std::size_t>(i), static_cast<std::size_t>(j))] + height) -
                     q * h.middle,
                 q});
    }
    // Hulls and grounds take turns with the margin.
    const double margin = (std::get<0>(GetParam()) + std::get<1>(GetParam()) + seed) % 2 == 0 ? 0.0 : 0.02;
    SCOPED_TRACE(margin);
    Collider& collider = collider_on("opencl", margin);
    collider.set_scene(scene.scene);
    const FrameContacts frame = collider.collide(scene.poses());
    EXPECT_GT(frame.contacts.size(), static_cast<std::size_t>(h.bodies) / 3);
    EXPECT_TRUE(validates(scene, frame.contacts, margin));
    for (const Contact& c : frame.contacts) ASSERT_GE(c.normal[2], -1e-6F) << text(c);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HullTerrainFuzz,
                         testing::Combine(testing::Range<std::size_t>(0, kFuzzedHulls.size()),
                                          testing::Range<std::size_t>(0, kHullGrounds.size())),
                         [](const auto& fuzz) {
                           return std::string(kFuzzedHulls[std::get<0>(fuzz.param)].name) + "_on_" +
                                  kHullGrounds[std::get<1>(fuzz.param)].name;
                         });

}  // namespace
}  // namespace oclide::test
