// Bodies in rock with overhangs, a tunnel and arches, on device and reference: whole frames, as they come out of
// contact reduction.
#include <cstdlib>
#include <random>

#include "oclide/validation.hpp"
#include "scenarios/scenario.hpp"
#include "support/on_each_device.hpp"

namespace oclide::test {
namespace {

class MeshScenarioFuzz : public OnOpenCl {
 protected:
  static void expect_valid(std::uint64_t seed, std::size_t frame_number, double margin) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", margin " + std::to_string(margin));
    ScenarioRequest request;
    request.name = "quarry";
    request.seed = seed;
    const std::unique_ptr<Scenario> scenario = make_scenario(request);
    const Scene& scene = scenario->scene();
    Frame frame{std::vector<double>(3 * scene.bodies.count()), std::vector<double>(4 * scene.bodies.count())};
    scenario->pose(frame_number, frame);
    const Poses poses{frame.position, frame.orientation};
    Collider& collider = collider_on("opencl", margin);
    collider.set_scene(scene);
    Validator validator(scene, margin);
    validator.add_frame(poses, collider.collide(poses).contacts);
    const ValidationReport& report = validator.report();
    EXPECT_TRUE(report.holds()) << (report.examples.empty() ? "" : report.examples.front());
    EXPECT_GT(report.contacts_device, 500U);
  }
};

// In frame 7 of these a hull has points on a triangle whose manifold is dropped, and what stays leaves it 33 mm and 13
// mm deep in that triangle: then the rest of the triangle is needed.
TEST_F(MeshScenarioFuzz, RestsOfTrianglesWhosePointsAreDroppedStay) {
  for (const std::uint64_t seed : {22U, 39U})
    for (const double margin : {0.0, 0.05}) expect_valid(seed, 7, margin);
}

// More of them on request: OCLIDE_FUZZ_SEEDS.
TEST_F(MeshScenarioFuzz, DeviceAndReferenceFindTheSame) {
  const char* more = std::getenv("OCLIDE_FUZZ_SEEDS");
  const int seeds = more ? std::atoi(more) : 2;
  std::mt19937_64 random(1);
  for (int k = 0; k < seeds; ++k)
    expect_valid(100 + static_cast<std::uint64_t>(k), 5 + random() % 3, 0.01 * static_cast<double>(random() % 11));
}

}  // namespace
}  // namespace oclide::test
