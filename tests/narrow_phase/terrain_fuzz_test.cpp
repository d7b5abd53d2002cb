// Random bodies on random ground: what the device finds against the reference and against exact geometry, both ways.
#include <algorithm>

#include "oclide/validation.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

// Sizes of the four shapes [m], and of the cells they are tried on.
struct SizeCase {
  const char* name;
  double ball, half_x, half_y, half_z, radius, half_length;
  double spacing;
  int bodies;
};
const std::vector<SizeCase> kSizes{
    {"needle", 0.05, 0.02, 0.03, 1.2, 0.02, 1.2, 0.5, 240},
    {"disc", 0.3, 0.8, 0.8, 0.02, 0.8, 0.02, 0.5, 240},
    {"slab", 0.2, 1.0, 0.6, 0.05, 0.6, 0.1, 0.5, 240},
    {"cube", 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.5, 240},
    {"tiny_on_huge", 0.05, 0.06, 0.05, 0.05, 0.05, 0.05, 20.0, 600},
    {"huge_on_tiny", 2.0, 2.0, 1.5, 1.0, 1.2, 1.5, 0.4, 40},
    {"ball", 0.5, 0.5, 0.45, 0.55, 0.5, 0.05, 0.5, 240},
};

using Ground = Terrain (*)(const Grid&);
struct GroundCase {
  const char* name;
  Ground make;
};
const std::vector<GroundCase> kGrounds{
    {"flat", [](const Grid& g) { return plane(g, 0.0, 0.0, 2.5); }},
    {"slope", [](const Grid& g) { return plane(g, 0.37, -0.21); }},
    {"rough_fine", [](const Grid& g) { return rough(g, 0.1 * g.spacing[0], 5); }},
    {"rough_coarse", [](const Grid& g) { return rough(g, 0.7 * g.spacing[0], 6); }},
    {"steep", [](const Grid& g) { return rough(g, 2.5 * g.spacing[0], 10); }},
    {"steep_holes",
     [](const Grid& g) {
       Terrain t = rough(g, 1.5 * g.spacing[0], 11);
       open_cells(t, 0.3, 12);
       return t;
     }},
    {"kerb",
     [](const Grid& g) {
       return terrain_of(g, [&](double x, double) { return x > 0.3 * g.spacing[0] ? 0.3 * g.spacing[0] : 0.0; });
     }},
    {"spikes", [](const Grid& g) { return spikes(g, 2.0 * g.spacing[0], 12, 7); }},
    {"holes",
     [](const Grid& g) {
       Terrain t = rough(g, 0.2 * g.spacing[0], 8);
       open_cells(t, 0.2, 9);
       return t;
     }},
};

class TerrainFuzz : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  void SetUp() override {
    if (opencl_device().empty()) GTEST_SKIP() << "no OpenCL device";
  }
};

TEST_P(TerrainFuzz, DeviceAndReferenceFindTheSame) {
  const SizeCase& size = kSizes[std::get<0>(GetParam())];
  const GroundCase& ground = kGrounds[std::get<1>(GetParam())];
  // Neither square nor a multiple of anything, and not symmetric about the origin.
  const double step = size.spacing;
  const Grid grid{27, 34, {-15.3 * step, -12.7 * step}, {step, 1.1 * step}};
  TestScene scene(ground.make(grid));
  const Terrain& terrain = scene.scene.terrains[0];

  std::mt19937_64 random(1000 * std::get<0>(GetParam()) + std::get<1>(GetParam()));
  std::uniform_real_distribution<double> across(-0.05, 1.05), height(-0.5, 1.05), scale(0.8, 1.25);
  for (int k = 0; k < size.bodies; ++k) {
    const double u = across(random), v = across(random), s = scale(random);
    const auto j = std::clamp<long>(std::lround(u * 33), 0, 33), i = std::clamp<long>(std::lround(v * 26), 0, 26);
    dvec3 position(grid.origin[0] + u * 33 * step, grid.origin[1] + v * 26 * 1.1 * step, 0.0);
    BodySpec b;
    double reach = size.ball;
    switch (k % 4) {
      case 0:
        b = sphere(s * size.ball, {});
        break;
      case 1:
        b = box(s * dvec3(size.half_x, size.half_y, size.half_z), {});
        reach = glm::length(dvec3(size.half_x, size.half_y, size.half_z));
        break;
      case 2:
        b = cylinder(s * size.radius, s * size.half_length, {});
        reach = std::hypot(size.radius, size.half_length);
        break;
      default:
        b = capsule(s * size.radius, s * size.half_length, {});
        reach = size.radius + size.half_length;
    }
    position.z = terrain.heights[vertex(terrain, static_cast<std::size_t>(i), static_cast<std::size_t>(j))] +
                 height(random) * s * reach;
    b.position = position;
    b.orientation = random_orientation(random);
    scene.add(b);
  }

  Collider& collider = collider_on("opencl");
  collider.set_scene(scene.scene);
  const FrameContacts frame = collider.collide(scene.poses());
  EXPECT_GT(frame.pairs, static_cast<std::uint64_t>(size.bodies) / 8);
  EXPECT_TRUE(validates(scene, frame.contacts));
  for (const Contact& c : frame.contacts) ASSERT_GE(c.normal[2], -1e-6F) << text(c);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TerrainFuzz,
                         testing::Combine(testing::Range<std::size_t>(0, 7), testing::Range<std::size_t>(0, 7)),
                         [](const auto& fuzz) {
                           return std::string(kSizes[std::get<0>(fuzz.param)].name) + "_on_" +
                                  kGrounds[std::get<1>(fuzz.param)].name;
                         });

}  // namespace
}  // namespace oclide::test
