// update_heights against a fresh set_scene, through the public API: contacts bit for bit.
#include <cmath>
#include <map>

#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class HeightUpdate : public OnEachDevice {
 protected:
  // Bodies of all shapes all over the grid, some far larger than a cell.
  static TestScene scene_on(const Terrain& terrain) {
    TestScene scene(terrain);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> x(-0.5, 20.0), y(-0.5, 13.0), z(-0.3, 0.8), size(0.1, 0.6);
    for (int k = 0; k < 200; ++k) {
      const dvec3 p(x(random), y(random), z(random));
      const dquat q = random_orientation(random);
      const double s = k % 20 == 0 ? 6.0 * size(random) : size(random);
      scene.add(of_any_shape(static_cast<std::size_t>(k), s, p, q));
    }
    return scene;
  }

  // The same part on the device and in the scene.
  static void update(Collider& collider, TestScene& scene, std::size_t row, std::size_t col, std::size_t rows,
                     std::size_t cols, const std::vector<double>& heights) {
    Terrain& t = scene.scene.terrains[0];
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) t.heights[vertex(t, row + i, col + j)] = heights[i * cols + j];
    collider.update_heights(0, row, col, rows, cols, heights);
  }

  testing::AssertionResult same_as_fresh(const std::vector<Contact>& updated, const TestScene& scene) {
    collider_on(GetParam(), 0.0).set_scene(scene.scene);
    return same_bits(updated, collider_on(GetParam(), 0.0).collide(scene.poses()).contacts);
  }

  Collider& updated() {
    // Another Collider than the one that starts afresh.
    static std::map<std::string, Collider> colliders;
    auto found = colliders.find(GetParam());
    if (found == colliders.end()) {
      Settings settings;
      settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
      found = colliders.emplace(GetParam(), Collider(settings)).first;
    }
    return found->second;
  }

  // Heights that single precision holds, so that low parts appear only where a test wants them.
  static double single(double h) { return static_cast<double>(static_cast<float>(h)); }

  static Terrain ground() {
    Terrain t = rough({27, 41, {0.0, 0.0}, {0.5, 0.5}}, 0.2, 11);
    for (double& h : t.heights) h = single(h);
    open_cells(t, 0.05, 12);
    return t;
  }
};
OCLIDE_ON_EACH_DEVICE(HeightUpdate);

TEST_P(HeightUpdate, OfPartsAnywhereEqualsAFreshScene) {
  TestScene scene = scene_on(ground());
  updated().set_scene(scene.scene);
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> height(-0.3, 0.3);
  for (int k = 0; k < (kTakesItsTime ? 12 : 3); ++k) {
    const std::size_t row = k == 0 ? 0 : random() % 27, col = k == 0 ? 0 : random() % 41;
    const std::size_t rows = k == 0 ? 27 : 1 + random() % (27 - row), cols = k == 0 ? 41 : 1 + random() % (41 - col);
    std::vector<double> heights(rows * cols);
    for (double& h : heights) h = single(height(random));
    update(updated(), scene, row, col, rows, cols, heights);
    const std::vector<Contact> found = updated().collide(scene.poses()).contacts;
    ASSERT_GT(found.size(), 100U);
    ASSERT_TRUE(same_as_fresh(found, scene)) << rows << " x " << cols << " at " << row << ", " << col;
  }
}

TEST_P(HeightUpdate, NoDataAppearsAndVanishes) {
  TestScene scene = scene_on(ground());
  updated().set_scene(scene.scene);
  const std::vector<Contact> before = updated().collide(scene.poses()).contacts;
  const Terrain t = scene.scene.terrains[0];
  std::vector<double> part, gone(5 * 9, kNoData);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 9; ++j) part.push_back(t.heights[vertex(t, 10 + i, 15 + j)]);

  update(updated(), scene, 10, 15, 5, 9, gone);
  const std::vector<Contact> without = updated().collide(scene.poses()).contacts;
  EXPECT_TRUE(same_as_fresh(without, scene));
  EXPECT_FALSE(same_bits(before, without));
  for (const Contact& c : without) {
    const bool in_gap = c.point[0] > 7.05 && c.point[0] < 11.95 && c.point[1] > 4.55 && c.point[1] < 7.45;
    EXPECT_FALSE(in_gap && c.normal[2] > 0.0F && c.depth > 0.0F) << text(c);
  }

  update(updated(), scene, 10, 15, 5, 9, part);
  EXPECT_TRUE(same_bits(before, updated().collide(scene.poses()).contacts));
}

TEST_P(HeightUpdate, DoublePrecisionHeightsAppearInASinglePrecisionTerrain) {
  TestScene scene = scene_on(ground());
  updated().set_scene(scene.scene);
  const std::vector<double> heights{0.1, 0.123456789012345, 1.0 / 3.0, -0.2, 0.3, 0.05};
  update(updated(), scene, 12, 20, 2, 3, heights);
  EXPECT_TRUE(same_as_fresh(updated().collide(scene.poses()).contacts, scene));
}

TEST_P(HeightUpdate, OfOneTerrainLeavesTheOthersAsTheyAre) {
  TestScene scene = scene_on(ground());
  for (int k = 1; k < 4; ++k) {
    scene.scene.terrains.push_back(plane({27, 41, {0.0, 0.0}, {0.5, 0.5}}, 0.0, 0.0, 0.1 * k));
  }
  scene.scene.environment_terrain = {0, 1, 2, 3};
  for (std::size_t k = 0; k < scene.scene.bodies.count(); ++k)
    scene.scene.bodies.environment[k] = static_cast<std::uint32_t>(k / 50);
  updated().set_scene(scene.scene);
  for (std::size_t k : {2U, 1U, 3U, 0U}) {
    // A third of a metre is held by no float: this terrain alone gets low parts.
    const std::vector<double> heights(6, 1.0 / 3.0 + 0.1 * static_cast<double>(k));
    Terrain& t = scene.scene.terrains[k];
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j) t.heights[vertex(t, 12 + i, 20 + j)] = heights[3 * i + j];
    updated().update_heights(k, 12, 20, 2, 3, heights);
    EXPECT_TRUE(same_as_fresh(updated().collide(scene.poses()).contacts, scene)) << k;
  }
}

TEST_P(HeightUpdate, OfAFlatTerrainRaisesTheBodiesOnIt) {
  TestScene scene(plane({33, 33, {-8.0, -8.0}, {0.5, 0.5}}, 0, 0),
                  {sphere(0.3, {0.1, 0.2, 0.35}), sphere(0.3, {5.1, 0.2, 0.35})});
  updated().set_scene(scene.scene);
  EXPECT_TRUE(updated().collide(scene.poses()).contacts.empty());
  updated().update_heights(0, 14, 14, 6, 6, std::vector<double>(36, 0.1));
  const std::vector<Contact> found = updated().collide(scene.poses()).contacts;
  EXPECT_TRUE(same_contacts(found, {{{0.1, 0.2, 0.05}, {0, 0, 1}, 0.05}}));
}

}  // namespace
}  // namespace oclide::test
