// Bodies in rock with overhangs, a tunnel and arches, on device and reference: whole frames, as they come out of
// contact reduction.
#include <random>

#include "oclide/validation.hpp"
#include "scenarios/scenario.hpp"
#include "support/on_each_device.hpp"
#include "support/sweep.hpp"

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

// A block with a bent top, and a box in it: all places of a side of the block are as far in the box, and of these one
// is on a line that the box leaves when it is moved out of the top, another not.
TEST_F(MeshScenarioFuzz, RestsBetweenParallelFacesAreThoseOfTheFirstPlace) {
  const double side = 0.69554199766506873, deep = 0.12506088205213328, low = -0.30503972505709703;
  Mesh block;
  block.solid = true;
  block.vertices = {{0.0, 0.0, -0.007638022093142588},
                    {side, 0.0, 0.079202904280835653},
                    {0.0, deep, 0.11237074233269097},
                    {side, deep, -0.11643211366701967},
                    {0.0, 0.0, low},
                    {side, 0.0, low},
                    {side, deep, low},
                    {0.0, deep, low},
                    {0.5 * side, 0.5 * deep, low}};
  block.triangles = {{0, 1, 3}, {0, 3, 2}, {0, 4, 5}, {0, 5, 1}, {8, 5, 4}, {1, 5, 6}, {1, 6, 3},
                     {8, 6, 5}, {3, 6, 7}, {3, 7, 2}, {8, 7, 6}, {2, 7, 4}, {2, 4, 0}, {8, 4, 7}};
  Scene scene;
  scene.meshes = {block};
  scene.bodies.shape = {Shape::triangle_mesh, Shape::box};
  scene.bodies.size = {{0.0, 0.0, 0.0}, {0.26806505731162644, 0.28417756923721330, 0.05796124863359231}};
  const std::vector<double> position{0.0, 0.0, 0.0, 0.27663211113303987, -0.008461195324343862, 0.01993567413001074};
  const std::vector<double> orientation{
      1.0, 0.0, 0.0, 0.0, -0.7502494647372465, -0.11092687188773624, 0.4548185728354256, 0.4668629730002407};
  const Poses poses{position, orientation};
  Collider& collider = collider_on("opencl");
  collider.set_scene(scene);
  const FrameContacts found = collider.collide(poses);
  Validator validator(scene, 0.0);
  validator.add_frame(poses, found.contacts);
  const ValidationReport& report = validator.report();
  EXPECT_TRUE(report.holds()) << (report.examples.empty() ? "" : report.examples.front());
  EXPECT_EQ(found.contacts.size(), 1U);
}

TEST_F(MeshScenarioFuzz, DeviceAndReferenceFindTheSame) {
  std::mt19937_64 random(1);
  for (int k = 0; k < fuzz_seeds(2); ++k)
    expect_valid(100 + static_cast<std::uint64_t>(k), 5 + random() % 3, 0.01 * static_cast<double>(random() % 11));
}

}  // namespace
}  // namespace oclide::test
