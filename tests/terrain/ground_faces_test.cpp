// What contacts are called by is the same on the device and in the reference: where one gives two contacts one name,
// so does the other. Small spheres stand on every element and edge, one each.
#include <cmath>
#include <map>

#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr double kRadius = 0.02, kDeep = 1e-3;  // [m]

// Terraces, some of them ramps, with steps between them; some cells are holes.
Terrain terraces(std::uint64_t seed, std::size_t rows = 22, std::size_t cols = 31) {
  const double turned = static_cast<double>(seed);
  Terrain t = terrain_of({rows, cols, {-3.0, 1.0}, {0.5, 0.4}}, [&](double x, double y) {
    const double step = 0.25 * std::floor(1.5 * std::sin(0.9 * x + turned) + 1.5 * std::cos(0.7 * y - turned));
    return x > 6.0 ? step + 0.1 * x : step;
  });
  open_cells(t, 0.03, seed);
  return t;
}

dvec3 corner(const Terrain& t, std::size_t i, std::size_t j) {
  return {t.origin[0] + static_cast<double>(j) * t.spacing[0], t.origin[1] + static_cast<double>(i) * t.spacing[1],
          t.heights[vertex(t, i, j)]};
}

bool solid(const Terrain& t, std::ptrdiff_t i, std::ptrdiff_t j) {
  const auto rows = static_cast<std::ptrdiff_t>(t.rows) - 1, cols = static_cast<std::ptrdiff_t>(t.cols) - 1;
  if (i < 0 || j < 0 || i >= rows || j >= cols) return false;
  return t.holes.empty() || t.holes[cell(t, static_cast<std::size_t>(i), static_cast<std::size_t>(j))] == 0;
}

// The normal of an element, or `outward` where its cell is open.
dvec3 normal(const Terrain& t, std::ptrdiff_t row, std::ptrdiff_t col, int k, dvec3 outward = dvec3(0.0)) {
  if (!solid(t, row, col)) return outward;
  const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(col);
  const dvec3 v0 = corner(t, i, j), v1 = corner(t, i, j + 1), v2 = corner(t, i + 1, j), v3 = corner(t, i + 1, j + 1);
  return glm::normalize(k == 0 ? glm::cross(v1 - v0, v2 - v0) : glm::cross(v2 - v3, v1 - v3));
}

// The spheres of one environment: each between the normals of what is beside it, so that there is no doubt what it
// touches.
void add_spheres(TestScene& scene, const Terrain& t, std::uint32_t environment) {
  const auto add = [&](dvec3 at, dvec3 n) {
    BodySpec body = sphere(kRadius, at + (kRadius - kDeep) * glm::normalize(n));
    body.environment = environment;
    scene.add(body);
  };
  for (std::size_t row = 0; row + 1 < t.rows; ++row)
    for (std::size_t col = 0; col + 1 < t.cols; ++col) {
      const auto i = static_cast<std::ptrdiff_t>(row), j = static_cast<std::ptrdiff_t>(col);
      const dvec3 v0 = corner(t, row, col), v1 = corner(t, row, col + 1), v2 = corner(t, row + 1, col),
                  v3 = corner(t, row + 1, col + 1), x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0), up(0.0, 0.0, 1.0);
      add((v0 + v1 + v2) / 3.0, normal(t, i, j, 0, up));
      add((v3 + v2 + v1) / 3.0, normal(t, i, j, 1, up));
      add(0.5 * (v1 + v2), normal(t, i, j, 0, up) + normal(t, i, j, 1, up));
      if (solid(t, i, j) || solid(t, i - 1, j))
        add(0.5 * (v0 + v1), normal(t, i, j, 0, y) + normal(t, i - 1, j, 1, -y));
      if (solid(t, i, j) || solid(t, i, j - 1))
        add(0.5 * (v0 + v2), normal(t, i, j, 0, x) + normal(t, i, j - 1, 1, -x));
    }
}

TestScene scene_on(const std::vector<Terrain>& terrains) {
  TestScene scene;
  scene.scene.terrains = terrains;
  for (std::uint32_t k = 0; k < terrains.size(); ++k) {
    scene.scene.environment_terrain.push_back(static_cast<std::int32_t>(k));
    add_spheres(scene, terrains[k], k);
  }
  return scene;
}

// The feature of each body that has one contact.
std::map<std::uint32_t, std::uint32_t> features(Collider& collider, const TestScene& scene) {
  std::map<std::uint32_t, std::uint32_t> found;
  std::map<std::uint32_t, int> contacts;
  for (const Contact& c : collider.update(scene.poses()).contacts) {
    found[c.body_a] = c.feature;
    ++contacts[c.body_a];
  }
  std::erase_if(found, [&](const auto& f) { return contacts[f.first] != 1; });
  return found;
}

// Do two lists name alike what each names alike, in every environment?
testing::AssertionResult name_alike(const TestScene& scene, const std::map<std::uint32_t, std::uint32_t>& a,
                                    const std::map<std::uint32_t, std::uint32_t>& b) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> there, back;
  std::size_t compared = 0;
  for (const auto& [body, name] : a) {
    const auto other = b.find(body);
    if (other == b.end()) continue;
    const std::uint32_t environment = scene.scene.bodies.environment[body];
    if (there.try_emplace({environment, name}, other->second).first->second != other->second ||
        back.try_emplace({environment, other->second}, name).first->second != name)
      return testing::AssertionFailure() << "body " << body << " at " << scene.position[3 * body] << ", "
                                         << scene.position[3 * body + 1] << ", " << scene.position[3 * body + 2];
    ++compared;
  }
  if (compared < a.size() / 2 || there.size() < 30) return testing::AssertionFailure() << compared << " compared";
  return testing::AssertionSuccess();
}

class GroundFaces : public OnOpenCl {
 protected:
  static Collider collider(const std::string& device) {
    Settings settings;
    settings.device = device;
    return Collider(settings);
  }
};

TEST_F(GroundFaces, DeviceAndReferenceNameTheSameAlikeOnEveryTerrainOfAScene) {
  const TestScene scene = scene_on({terraces(1), terraces(2, 8, 140), plane({9, 7, {0, 0}, {1, 1}}, 0.2, 0.1)});
  Collider device = collider(opencl_device()), reference = collider("reference");
  device.set_scene(scene.scene);
  reference.set_scene(scene.scene);
  EXPECT_TRUE(name_alike(scene, features(device, scene), features(reference, scene)));
}

TEST_F(GroundFaces, AfterUpdatesOfHeightsTheyAreThoseOfANewScene) {
  std::vector<Terrain> terrains{terraces(3), terraces(4, 140, 8)};
  const Scene first = scene_on(terrains).scene;
  Collider device = collider(opencl_device()), reference = collider("reference"), cold = collider(opencl_device());
  device.set_scene(first);
  reference.set_scene(first);
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int k = 0; k < (kTakesItsTime ? 12 : 3); ++k) {
    const std::size_t which = below(2);
    Terrain& t = terrains[which];
    const std::size_t rows = 1 + below(9), cols = 1 + below(8);
    const std::size_t row = below(t.rows - rows + 1), col = below(t.cols - cols + 1);
    std::vector<double> heights(rows * cols, 0.25 * static_cast<double>(below(3)));
    if (k % 3 == 2)
      for (double& h : heights) h += 0.01 * static_cast<double>(below(20));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) t.heights[vertex(t, row + i, col + j)] = heights[i * cols + j];
    device.update_heights(which, row, col, rows, cols, heights);
    reference.update_heights(which, row, col, rows, cols, heights);
    const TestScene scene = scene_on(terrains);
    const auto found = features(device, scene);
    EXPECT_TRUE(name_alike(scene, found, features(reference, scene))) << k;
    cold.set_scene(scene.scene);
    EXPECT_EQ(found, features(cold, scene)) << k;
  }
}

}  // namespace
}  // namespace oclide::test
