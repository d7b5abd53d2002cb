// Prints contacts, candidates and the contact hash of a few scenes on the OpenCL device, one line each, for a
// comparison between runtimes; then hashes of the events of frames that are tracked, of all that frames on the device
// leave there, of what rays hit and of impacts. The last scene has a thousand bodies, however few the others have.
//   print_contact_hash [BODIES [GRID]]    bodies a scene, cells a side
//   print_contact_hash --kind             as what the device is treated, gpu or cpu
//   print_contact_hash --queries N        what N rays hit, and impacts, alone
//   print_contact_hash --light            scenes without terrain of pairs whose kernels are small, for runtimes that
//                                         take minutes to compile the others
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <span>

#include "hulls/point_clouds.hpp"
#include "oclide/opencl.hpp"
#include "opencl/cl.hpp"
#include "opencl/first_device.hpp"
#include "support/mesh_shapes.hpp"
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
  std::printf("%s %zu contacts, %llu and %llu candidates, %016llx\n", name, frame.contacts.size(),
              static_cast<unsigned long long>(frame.candidates), static_cast<unsigned long long>(frame.body_candidates),
              static_cast<unsigned long long>(contact_hash(frame.contacts)));
  if (frame.contacts.empty()) std::fprintf(stderr, "%s: no contacts at all\n", name);
  return !frame.contacts.empty();
}

// What rays hit, from everywhere around the bodies in all directions. False where nothing is hit.
bool print_hits(Collider& collider, const char* name, const TestScene& scene, int count, std::uint64_t seed) {
  collider.set_scene(scene.scene);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<std::size_t> body(0, scene.scene.bodies.count() - 1);
  std::vector<double> origin, direction;
  for (int k = 0; k < count; ++k) {
    const std::size_t near = 3 * body(random);
    for (std::size_t a = 0; a < 3; ++a) {
      origin.push_back(scene.position[near + a] + 2.0 * normal(random));
      direction.push_back(normal(random));
    }
  }
  const RayHits found = collider.cast(scene.poses(), {origin, direction, {}, {}, {}});
  std::printf("%s %llu hits %016llx\n", name, static_cast<unsigned long long>(found.hit_count),
              static_cast<unsigned long long>(hit_hash(found.hits)));
  return found.hit_count > 0;
}

// Where moving bodies touch. False where none do.
bool print_impacts(Collider& collider, const char* name, const TestScene& scene, std::uint64_t seed) {
  collider.set_scene(scene.scene);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> displacement, rotation;
  for (std::size_t k = 0; k < 3 * scene.scene.bodies.count(); ++k) {
    displacement.push_back(0.3 * normal(random));
    rotation.push_back(k % 2 == 0 ? normal(random) : 0.0);
  }
  const FrameImpacts found = collider.sweep(scene.poses(), {displacement, rotation});
  std::printf("%s %zu impacts %016llx\n", name, found.impacts.size(),
              static_cast<unsigned long long>(impact_hash(found.impacts)));
  return !found.impacts.empty();
}

// FNV-1a over the words of records without padding.
template <class Record>
std::uint64_t hash_of(std::span<const Record> records, std::uint64_t hash = 0xCBF29CE484222325U) {
  static_assert(sizeof(Record) % sizeof(std::uint32_t) == 0);
  for (const Record& record : records) {
    std::array<std::uint32_t, sizeof(Record) / sizeof(std::uint32_t)> words{};
    std::memcpy(words.data(), &record, sizeof(Record));
    for (const std::uint32_t word : words) hash = (hash ^ word) * 0x100000001B3U;
  }
  return hash;
}

// Small frames that follow each other: on the ground, above all of it, on the ground again, sunk in it. False where
// there is nothing to see.
bool print_small(const Settings& settings, TestScene scene) {
  Collider collider(settings);
  collider.set_scene(scene.scene);
  const std::vector<double> start = scene.position;
  std::vector<std::size_t> counts;
  for (const double height : {0.0, 0.01, 50.0, 50.1, 0.02, -0.3}) {
    for (std::size_t i = 2; i < start.size(); i += 3) scene.position[i] = start[i] + height;
    const FrameContacts& found = collider.update(scene.poses());
    counts.push_back(found.contacts.size());
    std::printf("small %zu %016llx\n", found.contacts.size(),
                static_cast<unsigned long long>(contact_hash(found.contacts)));
  }
  return counts[1] > 0 && counts[3] < counts[4] && counts[4] < counts[5];
}

// To the next frame: all bodies after the first one, a few after the second.
void move(TestScene& scene, int frame, std::mt19937_64& random) {
  std::uniform_real_distribution<double> way(-0.05, 0.05);
  const std::size_t step = frame == 0 ? 1 : 10;
  for (std::size_t i = 0; i < scene.position.size(); i += 3 * step) scene.position[i + 2] += way(random);
}

void print_line(const char* name, int frame, std::size_t count, std::uint64_t hash) {
  std::printf("%s %d %zu %016llx\n", name, frame, count, static_cast<unsigned long long>(hash));
}

// Events and previous contacts of frames in host memory. False where a frame has none.
bool print_tracked(Settings settings, TestScene scene, std::uint64_t seed) {
  settings.track = true;
  Collider collider(settings);
  collider.set_scene(scene.scene);
  std::mt19937_64 random(seed);
  for (int frame = 0; frame < 3; ++frame) {
    const FrameContacts& found = collider.update(scene.poses());
    std::vector<std::array<std::uint32_t, 7>> events;
    for (const ManifoldEvent& e : found.events)
      events.push_back(
          {e.body_a, e.body_b, e.shape_a, e.shape_b, static_cast<std::uint32_t>(e.change), e.manifold, e.previous});
    const std::uint64_t hash = hash_of<std::array<std::uint32_t, 7>>(events);
    print_line("tracked", frame, events.size(), hash_of<std::uint32_t>(found.previous, hash));
    if (events.empty() || found.previous.empty()) return false;
    move(scene, frame, random);
  }
  return true;
}

// All records of frames on the device, on a context and a queue of our own. False where a frame has no contact.
bool print_resident(TestScene scene, std::uint64_t seed) {
  const cl::Device device(opencl_handle(*first_device()), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const auto upload = [&](const std::vector<double>& numbers) {
    const std::vector<float> floats(numbers.begin(), numbers.end());
    cl::Buffer buffer(context, CL_MEM_READ_WRITE, floats.size() * sizeof(float));
    queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, floats.size() * sizeof(float), floats.data());
    return buffer;
  };
  Settings settings;
  settings.track = true;
  Collider collider = make_collider(context(), queue(), settings);
  collider.set_scene(scene.scene);
  std::mt19937_64 random(seed);
  for (int frame = 0; frame < 3; ++frame) {
    const cl::Buffer position = upload(scene.position), orientation = upload(scene.orientation);
    ResidentPoses poses;
    poses.position = position();
    poses.orientation = orientation();
    const DeviceFrame found = collide_on_device(collider, poses);
    const std::vector<cl::Event> ready{cl::Event(found.ready, true)};
    std::uint64_t hash = hash_of<std::uint32_t>({});
    const auto add = [&]<class Record>(cl_mem memory, std::size_t count, Record) {
      std::vector<Record> records(count);
      if (count > 0)
        queue.enqueueReadBuffer(cl::Buffer(memory, true), CL_TRUE, 0, count * sizeof(Record), records.data(), &ready);
      hash = hash_of<Record>(records, hash);
    };
    add(found.contacts, found.contact_count, oclide_device_contact{});
    add(found.manifolds, found.manifold_count, oclide_device_manifold{});
    add(found.contact_offsets, scene.scene.bodies.count() + 1, std::uint32_t{});
    add(found.manifold_offsets, scene.scene.bodies.count() + 1, std::uint32_t{});
    add(found.counts, 1, oclide_device_counts{});
    add(found.events, found.event_count, oclide_device_event{});
    add(found.previous, found.contact_count, std::uint32_t{});
    print_line("resident", frame, found.contact_count, hash);
    if (found.contact_count == 0) return false;
    move(scene, frame, random);
  }
  return true;
}

// Two bodies of three become compound ones: their shape, turned, and a ball.
TestScene with_compounds(TestScene scene) {
  const dquat q = turn({0.3, -0.7, 0.4}, 1.1);
  for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i) {
    if (i % 3 == 2 || scene.scene.bodies.shape[i] == Shape::half_space) continue;
    scene.scene.compounds.push_back(
        {{scene.scene.bodies.shape[i], scene.scene.bodies.size[i], {0.1, -0.2, 0.05}, {q.w, q.x, q.y, q.z}},
         {Shape::sphere, {0.2, 0.0, 0.0}, {0.0, 0.1, 0.3}}});
    scene.scene.bodies.shape[i] = Shape::compound;
    scene.scene.bodies.size[i] = {static_cast<double>(scene.scene.compounds.size() - 1), 0.0, 0.0};
  }
  return scene;
}

// Bodies of all shapes, two of three of them compound, on rough ground with holes and against a leaning wall.
TestScene thousand() {
  Terrain ground = rough(Grid{50, 53, {-1.3, 2.7}, {0.4, 0.45}}, 0.3, 9);
  open_cells(ground, 0.03, 10);
  TestScene scene(std::move(ground));
  std::mt19937_64 random(308);
  std::uniform_real_distribution<double> x(-1.0, 19.0), y(3.0, 24.0), z(-0.1, 0.9), size(0.05, 0.3);
  scene.add(half_space({-0.5, 0.0, 0.0}, turn({0.0, 1.0, 0.0}, 1.3)));
  for (int k = 1; k < 1000; ++k) {
    const dvec3 p(x(random), y(random), z(random));
    const dquat q = k % 5 == 0 ? kUpright : random_orientation(random);
    const double a = size(random), b = size(random), c = size(random);
    scene.add(k % 4 == 0   ? sphere(a, p)
              : k % 4 == 1 ? box({a, b, c}, p, q)
              : k % 4 == 2 ? cylinder(a, b, p, q)
                           : capsule(a, b, p, q));
  }
  scene.scene.bodies.group.clear();
  return scene;
}

// Hulls of a few forms among bodies of all other shapes, over rough ground with holes and a half space.
TestScene stones(int bodies) {
  Terrain ground = rough(Grid{17, 18, {-1.3, 2.7}, {0.4, 0.45}}, 0.3, 11);
  open_cells(ground, 0.05, 12);
  TestScene scene(std::move(ground));
  std::mt19937_64 random(312);
  std::uniform_real_distribution<double> unit(-1.0, 1.0), x(-1.0, 5.0), y(3.0, 10.0), z(-0.2, 0.9), size(0.1, 0.4);
  for (const std::size_t points : {4U, 8U, 20U, 60U}) {
    Points cloud(points);
    for (auto& p : cloud) p = {0.4 * unit(random), 0.3 * unit(random), 0.3 * unit(random)};
    scene.scene.hulls.push_back(cloud);
  }
  scene.scene.hulls.push_back(prism(40, 0.3, 0.2));  // faces of many corners
  scene.add(half_space({-0.5, 0.0, 0.0}, turn({0.0, 1.0, 0.0}, 1.3)));
  for (int k = 0; k < bodies; ++k) {
    const dvec3 p(x(random), y(random), z(random));
    const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
    const double a = size(random);
    scene.add(k % 2 == 0 ? BodySpec{Shape::convex_hull, {static_cast<double>(k / 2 % 5), 0.0, 0.0}, p, q}
                         : of_any_shape(static_cast<std::size_t>(k / 2), a, p, q));
  }
  scene.scene.bodies.group.clear();
  return scene;
}

// Bodies of all five convex shapes on and in a solid mesh, which is turned, and a sheet.
TestScene on_meshes(int bodies) {
  TestScene scene(std::vector<BodySpec>{});
  scene.scene.meshes = {ball_mesh(1.0, 4), flat_sheet(6, 0.8)};
  for (std::size_t k = 0; k < scene.scene.meshes[1].vertices.size(); ++k)
    scene.scene.meshes[1].vertices[k][2] = 0.1 * static_cast<double>(k % 4);
  scene.scene.hulls.push_back(prism(7, 0.3, 0.2));
  scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, {1.0, 1.5, 0.5}, turn({1.0, 2.0, 3.0}, 0.7)});
  scene.add({Shape::triangle_mesh, {1.0, 0.0, 0.0}, {-1.5, -1.5, 0.0}});
  std::mt19937_64 random(313);
  std::uniform_real_distribution<double> at(-1.5, 3.0), z(-0.3, 1.2), size(0.05, 0.4);
  for (int k = 0; k < bodies; ++k) {
    const dvec3 p(at(random), at(random), z(random));
    const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
    const double a = size(random);
    scene.add(k % 5 == 4 ? BodySpec{Shape::convex_hull, {0.0, 0.0, 0.0}, p, q}
                         : of_any_shape(static_cast<std::size_t>(k % 5), a, p, q));
  }
  scene.scene.bodies.group.clear();
  return scene;
}

// Spheres and capsules, more than fused kernels take.
TestScene balls() {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(309);
  std::uniform_real_distribution<double> at(-2.0, 2.0), size(0.05, 0.4);
  for (int k = 0; k < 700; ++k) {
    dvec3 p(at(random), at(random), at(random));
    if (k % 5 == 0) p = glm::round(4.0 * p) / 4.0;  // coincident
    const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
    const double a = size(random), b = size(random);
    scene.add(k % 2 == 0 ? sphere(a, p) : capsule(a, b, p, q));
  }
  return scene;
}

// Many pairs of these shapes, an environment each: a half space or a sphere below, and another body that reaches it.
TestScene pairs_of(Shape below, std::size_t shape) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(310 + shape);
  std::uniform_real_distribution<double> at(-0.3, 0.3), radius(0.2, 0.6);
  for (std::uint32_t k = 0; k < 300; ++k) {
    const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
    BodySpec first = below == Shape::sphere ? sphere(radius(random), {0.0, 0.0, 0.0}) : half_space({0.0, 0.0, 0.0}, q);
    BodySpec second =
        of_any_shape(shape, radius(random), {at(random), at(random), at(random)}, k % 2 == 0 ? kUpright : q);
    first.environment = second.environment = k;
    scene.add(first);
    scene.add(second);
  }
  scene.scene.environment_terrain.assign(300, -1);
  return scene;
}

int run_light(const Settings& settings, Collider& collider) {
  if (!print(collider, "balls", balls())) return 1;
  for (std::size_t shape = 0; shape < 4; ++shape)
    if (!print(collider, "on spheres", pairs_of(Shape::sphere, shape)) ||
        !print(collider, "on half spaces", pairs_of(Shape::half_space, shape)))
      return 1;
  return print_tracked(settings, balls(), 311) && print_resident(balls(), 311) ? 0 : 1;
}

// Of scenes of all shapes; false where nothing is hit or touches.
bool print_queries(Collider& collider, int bodies) {
  TestScene parts = scene_on(rough(Grid{10, 11, {-1.3, 2.7}, {0.4, 0.45}}, 0.3, 12), std::min(bodies, 200), 317);
  parts.scene.bodies.group.clear();
  parts = with_compounds(parts);
  const TestScene hulls = stones(std::min(bodies, 600)), meshes = on_meshes(std::min(bodies, 400));
  return print_hits(collider, "rays at stones", hulls, bodies, 314) &&
         print_hits(collider, "rays at meshes", meshes, bodies, 315) &&
         print_hits(collider, "rays at compounds", parts, bodies, 316) &&
         print_impacts(collider, "stones move", hulls, 318) && print_impacts(collider, "meshes move", meshes, 319) &&
         print_impacts(collider, "compounds move", parts, 320);
}

int run_queries(int bodies) {
  Settings settings;
  settings.device = opencl_device();
  Collider collider(settings);
  return print_queries(collider, bodies) ? 0 : 1;
}

int run(int bodies, std::size_t cells, bool is_light) {
  if (opencl_device().empty()) {
    std::fprintf(stderr, "no OpenCL device\n");
    return 77;
  }
  Settings settings;
  settings.device = opencl_device();
  Collider collider(settings);
  std::fprintf(stderr, "%s, %s\n", collider.device().name.c_str(), collider.device().platform.c_str());
  if (is_light) return run_light(settings, collider);

  const Grid grid{cells + 1, cells + 2, {-1.3, 2.7}, {0.4, 0.45}},
      far{cells + 1, cells + 2, {9000.1, -8999.7}, {0.4, 0.45}};
  Terrain holes = rough(grid, 0.15, 2);
  open_cells(holes, 0.15, 3);
  for (std::size_t i = 7; i < holes.heights.size(); i += 41)
    holes.heights[i] = std::numeric_limits<double>::quiet_NaN();
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
  if (!print(collider, "both", both)) return 1;
  TestScene few = scene_on(rough(grid, 0.3, 8), std::min(bodies, 300), 308);
  few.scene.bodies.group.clear();
  if (!print_small(settings, few)) return 1;
  TestScene moving = scene_on(rough(grid, 0.3, 7), bodies / 2, 304);
  moving.scene.bodies.group.clear();
  return print_tracked(settings, moving, 305) && print_resident(moving, 305) &&
                 print_resident(with_compounds(moving), 306) &&
                 print(collider, "stones", stones(std::min(bodies, 600))) &&
                 print(wide, "stones with a margin", stones(std::min(bodies, 600))) &&
                 print(collider, "meshes", on_meshes(std::min(bodies, 400))) &&
                 print(wide, "meshes with a margin", on_meshes(std::min(bodies, 400))) &&
                 print_queries(collider, bodies) && print(collider, "thousand", with_compounds(thousand()))
             ? 0
             : 1;
}

}  // namespace
}  // namespace oclide::test

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::strcmp(argv[1], "--kind") == 0) {
      const auto device = oclide::test::first_device();
      std::printf("%s\n", !device ? "none" : device->is_gpu ? "gpu" : "cpu");
      return 0;
    }
    if (argc > 1 && std::strcmp(argv[1], "--light") == 0) return oclide::test::run(0, 0, true);
    if (argc > 2 && std::strcmp(argv[1], "--queries") == 0) return oclide::test::run_queries(std::atoi(argv[2]));
    return oclide::test::run(argc > 1 ? std::atoi(argv[1]) : 2000,
                             argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 40, false);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
