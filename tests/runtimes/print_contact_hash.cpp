// Prints the contact hash of a few scenes on the OpenCL device, one line each, for a comparison between runtimes.
//   print_contact_hash [BODIES [GRID]]    bodies a scene, cells a side
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

TestScene scene_on(Terrain terrain, int bodies, std::uint64_t seed) {
  const double width = static_cast<double>(terrain.cols - 1) * terrain.spacing[0];
  const double depth = static_cast<double>(terrain.rows - 1) * terrain.spacing[1];
  const std::array<double, 2> origin = terrain.origin;
  const double level = terrain.heights[0];
  TestScene scene(std::move(terrain));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> x(-0.2, width + 0.2), y(-0.2, depth + 0.2), z(-0.4, 0.6), size(0.05, 0.7);
  for (int k = 0; k < bodies; ++k) {
    const dvec3 p(origin[0] + x(random), origin[1] + y(random), level + z(random));
    const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
    const double a = size(random), b = size(random), c = size(random);
    scene.add(k % 4 == 0   ? sphere(a, p)
              : k % 4 == 1 ? box({a, b, c}, p, q)
              : k % 4 == 2 ? cylinder(a, b, p, q)
                           : capsule(a, b, p, q));
  }
  return scene;
}

// A heap over a tilted half space; every third body upright, so that faces, edges and axes are parallel.
TestScene heap(int bodies, double spread, std::uint64_t seed) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(seed);
  const double width = spread * std::cbrt(static_cast<double>(bodies));
  std::uniform_real_distribution<double> at(-width, width), size(0.1, 0.7);
  scene.add(half_space({0.0, 0.0, -0.5 * width}, turn({1.0, 0.4, 0.0}, 0.2)));
  for (int k = 0; k < bodies; ++k) {
    dvec3 p(at(random), at(random), at(random));
    if (k % 5 == 0) p = glm::round(4.0 * p) / 4.0;  // flush, coincident
    const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
    const double a = k % 7 == 0 ? 0.25 : size(random), b = k % 7 == 0 ? 0.25 : size(random), c = size(random);
    scene.add(k % 4 == 0   ? sphere(a, p)
              : k % 4 == 1 ? box({a, b, c}, p, q)
              : k % 4 == 2 ? cylinder(a, b, p, q)
                           : capsule(a, b, p, q));
  }
  return scene;
}

// One line of the list; false where nothing touches.
bool print(Collider& collider, const char* name, const TestScene& scene) {
  collider.set_scene(scene.scene);
  const FrameContacts frame = collider.collide(scene.poses());
  std::printf("%s %zu %016llx\n", name, frame.contacts.size(),
              static_cast<unsigned long long>(contact_hash(frame.contacts)));
  if (frame.contacts.empty()) std::fprintf(stderr, "%s: no contacts at all\n", name);
  return !frame.contacts.empty();
}

int run(int bodies, std::size_t cells) {
  if (opencl_device().empty()) {
    std::fprintf(stderr, "no OpenCL device\n");
    return 77;
  }
  Settings settings;
  settings.device = opencl_device();
  Collider collider(settings);
  std::fprintf(stderr, "%s, %s\n", collider.device().name.c_str(), collider.device().platform.c_str());

  const Grid grid{cells + 1, cells + 2, {-1.3, 2.7}, {0.4, 0.45}},
      far{cells + 1, cells + 2, {9000.1, -8999.7}, {0.4, 0.45}};
  Terrain holes = rough(grid, 0.15, 2);
  open_cells(holes, 0.15, 3);
  const std::vector<std::pair<const char*, Terrain>> grounds{
      {"flat", plane(grid, 0, 0)},         {"slope", plane(grid, 0.31, -0.17)},
      {"rough", rough(grid, 0.3, 1)},      {"holes", holes},
      {"spikes", spikes(grid, 1.0, 9, 4)}, {"far", rough(far, 0.2, 5)}};
  std::uint64_t seed = 100;
  for (const auto& [name, ground] : grounds) {
    const TestScene scene = scene_on(ground, bodies, seed++);
    if (!print(collider, name, scene)) return 1;
  }
  Settings with_margin = settings;
  with_margin.margin = 0.05;
  Collider wide(with_margin);
  if (!print(collider, "heap", heap(bodies, 0.35, 300)) || !print(collider, "crammed", heap(bodies / 2, 0.1, 301)) ||
      !print(wide, "margin", heap(bodies / 2, 0.5, 302)))
    return 1;
  TestScene both = scene_on(rough(grid, 0.3, 6), bodies / 2, 303);
  both.scene.bodies.group.clear();
  return print(collider, "both", both) ? 0 : 1;
}

}  // namespace
}  // namespace oclide::test

int main(int argc, char** argv) {
  try {
    return oclide::test::run(argc > 1 ? std::atoi(argv[1]) : 2000,
                             argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 40);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
