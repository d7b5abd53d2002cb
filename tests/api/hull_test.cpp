// Convex hulls by the public interface, on each device: on terrain, on each other, as parts of compounds.
#include <algorithm>

#include "oclide/validation.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class ConvexHulls : public OnEachDevice {
 protected:
  std::vector<Contact> contacts(const Scene& scene, const std::vector<double>& position,
                                const std::vector<double>& orientation) {
    Collider& collider = collider_on(GetParam());
    collider.set_scene(scene);
    const FrameContacts found = collider.collide({position, orientation});
    Validator validator(scene, 0.0);
    validator.add_frame({position, orientation}, found.contacts);
    EXPECT_TRUE(validator.report().holds())
        << (validator.report().examples.empty() ? "" : validator.report().examples[0]);
    return {found.contacts.begin(), found.contacts.end()};
  }
};
OCLIDE_ON_EACH_DEVICE(ConvexHulls);

// A box of half 0.5, 0.4, 0.3, with its lower corner at the origin, and a pyramid whose tip is at the origin.
Scene scene_of_hulls() {
  Scene scene;
  scene.terrains.push_back(plane({}, 0, 0));
  scene.hulls.resize(2);
  for (int k = 0; k < 8; ++k) scene.hulls[0].push_back({k & 1 ? 1.0 : 0.0, k & 2 ? 0.8 : 0.0, k & 4 ? 0.6 : 0.0});
  scene.hulls[1] = {{0, 0, 0}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}};
  return scene;
}

TEST_P(ConvexHulls, MeetTerrainAndEachOther) {
  Scene scene = scene_of_hulls();
  scene.bodies.shape = {Shape::convex_hull, Shape::convex_hull, Shape::convex_hull};
  scene.bodies.size = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  // A box in the ground, one on it, and the pyramid's tip in that one.
  const std::vector<double> position{0.1, 0.1, -0.01, 0.2, 0.1, 0.57, 0.7, 0.5, 1.15};
  const std::vector<double> orientation{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const std::vector<Contact> found = contacts(scene, position, orientation);
  const auto of = [&](std::uint32_t a, std::uint32_t b) {
    std::vector<Contact> pair;
    std::copy_if(found.begin(), found.end(), std::back_inserter(pair),
                 [&](const Contact& c) { return c.body_a == a && c.body_b == b; });
    return pair;
  };
  ASSERT_EQ(of(0, kTerrain).size(), 4U);
  for (const Contact& c : of(0, kTerrain)) EXPECT_NEAR(c.depth, 0.01, 1e-6);
  ASSERT_EQ(of(0, 1).size(), 4U);
  for (const Contact& c : of(0, 1)) {
    EXPECT_NEAR(c.depth, 0.02, 1e-6);
    EXPECT_NEAR(c.normal[2], -1.0, 1e-6);
  }
  // Of a tilted face the deepest point, and others or not.
  ASSERT_GE(of(1, 2).size(), 1U);
  EXPECT_NEAR(of(1, 2)[0].depth, 0.02, 1e-6);
  EXPECT_NEAR(of(1, 2)[0].point[0], 0.7, 1e-5);
  EXPECT_EQ(found.size(), 8U + of(1, 2).size());
}

TEST_P(ConvexHulls, ArePartsOfCompounds) {
  Scene scene = scene_of_hulls();
  scene.bodies.shape = {Shape::compound};
  scene.bodies.size = {{0, 0, 0}};
  const CompoundPart box{Shape::convex_hull, {0, 0, 0}, {0, 0, -0.02}},
      tip{Shape::convex_hull, {1, 0, 0}, {3, 0, -0.05}};
  scene.compounds = {{box, tip}};
  const std::vector<Contact> found = contacts(scene, {-1.2, 0.1, 0.0}, {1, 0, 0, 0});
  ASSERT_EQ(found.size(), 5U);
  for (const Contact& c : found) EXPECT_NEAR(c.depth, c.shape_a == 0 ? 0.02 : 0.05, 1e-6);
}

TEST_P(ConvexHulls, ThatAreFlatAreErrorsThatNameThem) {
  Scene scene = scene_of_hulls();
  scene.hulls[1] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  scene.bodies.shape = {Shape::convex_hull};
  scene.bodies.size = {{1, 0, 0}};
  try {
    collider_on(GetParam()).set_scene(scene);
    ADD_FAILURE() << "a flat hull";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).rfind("hulls/1/vertices", 0), 0U) << e.what();
  }
}

}  // namespace
}  // namespace oclide::test
