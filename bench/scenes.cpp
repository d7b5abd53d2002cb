#include "scenes.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include "files/hdf5_file.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/stones.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::bench {
namespace {

constexpr std::size_t kFrames = 4;       // that engines go round
constexpr double kCloudVolume = 60.0;    // of space for each body of a cloud [m^3]; smaller: more of them touch
constexpr double kAside = 2.0;           // between two copies of a scene [m]
constexpr std::size_t kBodiesEach = 20;  // of an environment
constexpr double kArena = 16.0;          // side of an environment's terrain [m]
constexpr double kArenaCell = 0.5;       // [m]
constexpr double kMeshCell = 0.32;       // of a mesh landscape: two triangles [m]
constexpr double kCellsABody = 12.5;     // of a mesh landscape
constexpr std::size_t kMeshHulls = 48;   // that its bodies share
constexpr double kDeepest = 0.03;        // that a body is put into it [m]

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

bool stands(Shape shape) {
  return shape == Shape::half_space || shape == Shape::triangle_mesh;
}

// All bodies but half spaces and meshes moved by up to `distance` [m] along each axis.
Frame moved(const Scene& scene, const Frame& from, double distance, std::uint64_t seed) {
  Frame frame = from;
  scenario::Random random(seed, 1);
  for (std::size_t i = 0; i < scene.bodies.count(); ++i)
    for (std::size_t a = 0; a < 3 && !stands(scene.bodies.shape[i]); ++a)
      frame.position[3 * i + a] += random.uniform(-distance, distance);
  return frame;
}

// Frames in each of which every body has moved since the frame before.
void add_moving_frames(Work& work, double move) {
  for (std::uint64_t k = 1; k < kFrames; ++k) work.frames.push_back(moved(work.scene, work.frames[0], move, k));
}

// Frames of which each differs from the one before in this part of the bodies alone, and so does the first from the
// last. In each frame half as many bodies are out of their places, others each time.
void add_resting_frames(Work& work, double move, double changed) {
  const Frame all = moved(work.scene, work.frames[0], move, 1);
  constexpr std::size_t kSets = kFrames + 1;
  const std::size_t n = work.scene.bodies.count();
  for (std::size_t k = 1; k < kSets; ++k) {
    Frame frame = work.frames[0];
    scenario::Random random(2, 1);
    for (std::size_t i = 0; i < n; ++i) {
      // Sets do not overlap: a body belongs to one at most. The first frame is a set without bodies.
      const double place = random.uniform() / (0.5 * changed);
      if (place >= static_cast<double>(k) || place < static_cast<double>(k - 1)) continue;
      std::copy_n(&all.position[3 * i], 3, &frame.position[3 * i]);
    }
    work.frames.push_back(std::move(frame));
  }
  // Back to the first frame is no step of its own: it would change half as many.
  work.frames.erase(work.frames.begin());
}

// --- scene files ---

// What touches in one copy, as the file says it.
void read_truth(const std::string& file, Work& work, bool with_terrain, bool with_bodies) {
  const hdf5::Session session;
  const hdf5::InputFile input(file);
  if (with_terrain && input.exists("/truth/touches_terrain")) {
    work.has_truth = true;
    const std::vector<std::uint8_t> touches = input.read_integer_list<std::uint8_t>("/truth/touches_terrain");
    for (std::size_t i = 0; i < touches.size(); ++i)
      if (touches[i] != 0) work.truth.push_back({static_cast<std::uint32_t>(i), kTerrain});
  }
  if (with_bodies && input.exists("/truth/touching_pairs")) {
    work.has_truth = true;
    const hdf5::Dataset pairs = input.open_real("/truth/touching_pairs");
    if (pairs.extent.size() != 2 || pairs.extent[1] != 2) input.fail_extent(pairs, "(pairs, 2)");
    std::vector<double> indices(pairs.count());
    input.read(pairs, indices);
    for (std::size_t k = 0; k + 1 < indices.size(); k += 2) {
      const auto a = static_cast<std::uint32_t>(indices[k]), b = static_cast<std::uint32_t>(indices[k + 1]);
      work.truth.push_back({std::min(a, b), std::max(a, b)});
    }
  }
}

double radius_of(const Scene& scene, std::size_t body) {
  if (scene.bodies.shape[body] != Shape::convex_hull)
    return scenario::bounding_radius(scene.bodies.shape[body], scene.bodies.size[body]);
  double radius = 0.0;
  for (const auto& p : scene.hulls[static_cast<std::size_t>(scene.bodies.size[body][0])])
    radius = std::max(radius, std::hypot(p[0], p[1], p[2]));
  return radius;
}

// The distance from copy to copy along x and y.
std::array<double, 2> step_of_copies(const Scene& scene, const Frame& frame) {
  std::array<double, 2> step{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double low = 0.0, high = 0.0;
    for (std::size_t i = 0; i < scene.bodies.count(); ++i) {
      const double x = frame.position[3 * i + axis];
      const double reach = radius_of(scene, i);
      low = i == 0 ? x - reach : std::min(low, x - reach);
      high = i == 0 ? x + reach : std::max(high, x + reach);
    }
    step[axis] = high - low + kAside;
  }
  return step;
}

// A scene's first frame, with its bodies taken over and over. On terrain they stand in the same places and do not meet
// each other. Without terrain the copies stand beside each other.
Work read_work(const WorkRequest& request, const std::string& file) {
  Work work;
  work.name = request.name;
  work.source = std::filesystem::path(file).filename().string();
  SceneReader reader(file);
  Frame one;
  reader.read_frame(0, one);
  work.scene = reader.scene();
  const bool terrain_alone = request.name == "terrain";
  const bool bodies_alone = request.name == "pile" || request.name == "resting" || request.name == "cloud";
  if (terrain_alone && work.scene.terrains.empty())
    throw Error(ErrorKind::invalid_input, file + ": /terrains: the work 'terrain' needs one");
  const Bodies source = work.scene.bodies;
  const std::size_t n = source.count();
  if (n == 0) throw Error(ErrorKind::invalid_input, file + ": /bodies: there are none");
  read_truth(file, work, !bodies_alone, !terrain_alone);
  if (bodies_alone) {
    work.scene.terrains.clear();
    work.scene.environment_terrain.assign(std::max<std::size_t>(1, work.scene.environment_terrain.size()), -1);
  }

  const std::size_t copies = (request.bodies.value_or(n) + n - 1) / n;
  const bool is_grounded =
      !work.scene.terrains.empty() || std::count(source.shape.begin(), source.shape.end(), Shape::half_space) > 0;
  if (copies > 1 && is_grounded && !terrain_alone)
    throw Error(ErrorKind::invalid_input, file + ": copies that meet each other cannot share the ground: at most " +
                                              std::to_string(n) + " bodies");
  if (copies > 1) work.source += " x " + std::to_string(copies);
  const std::array<double, 2> step = step_of_copies(work.scene, one);
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(copies))));
  const std::vector<IndexPair> truth = std::move(work.truth);
  work.truth.clear();
  work.scene.bodies = {};
  Bodies& bodies = work.scene.bodies;
  Frame frame;
  for (std::size_t c = 0; c < copies; ++c) {
    const std::size_t first = c * n;
    append(bodies.shape, source.shape);
    append(bodies.size, source.size);
    append(bodies.environment, source.environment);
    append(bodies.group, source.group);
    append(bodies.category, source.category);
    append(bodies.mask, source.mask);
    append(frame.position, one.position);
    append(frame.orientation, one.orientation);
    for (std::size_t i = first; i < first + n && !terrain_alone; ++i) {
      frame.position[3 * i] += step[0] * static_cast<double>(c % columns);
      frame.position[3 * i + 1] += step[1] * static_cast<double>(c / columns);
    }
    const auto shift = static_cast<std::uint32_t>(first);
    for (const IndexPair& p : truth) work.truth.push_back({p[0] + shift, p[1] == kTerrain ? p[1] : p[1] + shift});
  }
  if (terrain_alone) bodies.group.assign(bodies.count(), 1);
  std::sort(work.truth.begin(), work.truth.end());
  work.frames.push_back(std::move(frame));
  return work;
}

// --- made scenes ---

Work make_from_scenario(const WorkRequest& request, const char* scenario, std::size_t bodies) {
  ScenarioRequest made;
  made.name = scenario;
  made.bodies = bodies;
  made.frames = 1;
  const std::unique_ptr<Scenario> s = make_scenario(made);
  Work work;
  work.name = request.name;
  work.source = std::string("scenario ") + scenario;
  work.scene = s->scene();
  work.frames.resize(1);
  work.frames[0].position.resize(3 * work.scene.bodies.count());
  work.frames[0].orientation.resize(4 * work.scene.bodies.count());
  s->pose(0, work.frames[0]);
  if (request.name == "terrain") work.scene.bodies.group.assign(work.scene.bodies.count(), 1);
  return work;
}

void put(Work& work, const scenario::PlacedBody& body) {
  Bodies& bodies = work.scene.bodies;
  const std::size_t i = bodies.count();
  bodies.shape.push_back(body.shape);
  bodies.size.push_back(body.size);
  work.frames[0].position.resize(3 * i + 3);
  work.frames[0].orientation.resize(4 * i + 4);
  scenario::put_pose(work.frames[0], i, body.position, body.orientation);
}

// In each environment a terrain of its own and a small heap on it.
Work make_environments(std::size_t bodies, std::size_t environments) {
  Work work;
  work.name = "environments";
  work.source = "heaps, " + std::to_string(environments) + " terrains";
  work.frames.resize(1);
  for (std::size_t e = 0; e < environments; ++e) {
    work.scene.terrains.push_back(scenario::make_terrain(
        kArena, kArena, {kArenaCell, kArenaCell},
        [e](double x, double y) { return scenario::fractal_noise(x, y, 8.0, 1.0, 0.06, e + 1); }));
    work.scene.environment_terrain.push_back(static_cast<std::int32_t>(e));
  }
  for (std::size_t e = 0; e < environments; ++e) {
    const scenario::Ground ground(work.scene.terrains[e]);
    const std::size_t count = bodies / environments + (e < bodies % environments ? 1 : 0);
    const auto plane = [&](double x, double y) {
      return scenario::GroundPlane{ground.point(x, y), ground.normal(x, y)};
    };
    for (const scenario::PlacedBody& body :
         scenario::make_heap(count, scenario::paraboloid(count, 0.0, 0.0), plane, 1, e)) {
      put(work, body);
      work.scene.bodies.environment.push_back(static_cast<std::uint32_t>(e));
    }
  }
  return work;
}

// Two triangles a cell, split as those of a terrain.
Mesh mesh_of(const Terrain& t) {
  Mesh mesh;
  const auto vertex = [&](std::size_t i, std::size_t j) { return static_cast<std::uint32_t>(i * t.cols + j); };
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) {
      mesh.vertices.push_back({t.origin[0] + static_cast<double>(j) * t.spacing[0],
                               t.origin[1] + static_cast<double>(i) * t.spacing[1], t.heights[vertex(i, j)]});
      if (i + 1 == t.rows || j + 1 == t.cols) continue;
      mesh.triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j)});
      mesh.triangles.push_back({vertex(i + 1, j + 1), vertex(i + 1, j), vertex(i, j + 1)});
    }
  return mesh;
}

// Bodies of all convex shapes that lie on a bumpy sheet, a little in it. They do not meet each other.
Work make_on_mesh(std::size_t bodies) {
  const double side = kMeshCell * std::round(std::sqrt(kCellsABody * static_cast<double>(bodies)));
  const Terrain terrain = scenario::make_terrain(side, side, {kMeshCell, kMeshCell}, [](double x, double y) {
    return scenario::fractal_noise(x, y, 16.0, 1.0, 0.08, 1);
  });
  Work work;
  work.name = "mesh";
  work.scene.environment_terrain = {-1};
  work.scene.meshes = {mesh_of(terrain)};
  work.source = "bodies on a mesh of " + std::to_string(work.scene.meshes[0].triangles.size()) + " triangles";
  for (std::size_t k = 0; k < kMeshHulls; ++k) work.scene.hulls.push_back(scenario::stone(k, 1));
  work.frames.resize(1);
  put(work, {Shape::triangle_mesh});
  const scenario::Ground ground(terrain);
  scenario::Random random(1);
  for (std::size_t i = 0; i < bodies; ++i) {
    scenario::PlacedBody body = scenario::loose_body(random, kMeshHulls, 0.2, 0.5);
    const double x = random.uniform(-0.49, 0.49) * side, y = random.uniform(-0.49, 0.49) * side;
    const glm::dvec3 normal = ground.normal(x, y);
    const double reach = scenario::reach_along(body, -normal, work.scene.hulls);
    body.position = ground.point(x, y) + (reach - random.uniform(0.0, kDeepest)) * normal;
    put(work, body);
  }
  work.scene.bodies.group.assign(bodies + 1, 1);
  work.scene.bodies.group[0] = 0;
  return work;
}

// Bodies like those of the pile, anywhere in a cube; about one in twenty touches another.
Work make_cloud(std::size_t bodies) {
  constexpr std::array kShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};
  Work work;
  work.name = "cloud";
  work.source = "bodies in a cube";
  work.scene.environment_terrain = {-1};
  work.frames.resize(1);
  const double side = std::cbrt(kCloudVolume * static_cast<double>(bodies));
  scenario::Random random(1);
  for (std::size_t i = 0; i < bodies; ++i) {
    scenario::PlacedBody body = random_body(kShapes[random.below(kShapes.size())], random);
    for (int a = 0; a < 3; ++a) body.position[a] = random.uniform(0.0, side);
    put(work, body);
  }
  return work;
}

}  // namespace

const std::vector<WorkInfo>& known_works() {
  static const std::vector<WorkInfo> kWorks{
      {"terrain", "bodies on terrain that do not meet each other", 100'000, 1},
      {"pile", "a dense pile of bodies, no terrain", 50'000, 1},
      {"mixed", "heaps on terrain: bodies meet the ground and each other", 50'000, 1},
      {"environments", "small heaps, each on a terrain of its own", 1000 * kBodiesEach, 1000},
      {"resting", "the pile with few poses changed since the last frame, and with all", 50'000, 1},
      {"latency", "heaps on terrain of 20, 100 and 1,000 bodies, one frame", 0, 1},
      {"mesh", "bodies on a triangle mesh that do not meet each other: 2,000 and 20,000", 0, 1},
      {"cloud", "a sparse cloud of bodies, no terrain", 100'000, 1},
  };
  return kWorks;
}

std::vector<Work> make_works(const WorkRequest& request) {
  const auto info = std::find_if(known_works().begin(), known_works().end(),
                                 [&](const WorkInfo& w) { return w.name == request.name; });
  if (info == known_works().end()) throw Error(ErrorKind::invalid_input, "unknown work '" + request.name + "'");
  if (request.bodies == 0U) throw Error(ErrorKind::invalid_input, "--bodies 0: at least 1");
  const std::size_t bodies = request.bodies.value_or(info->bodies);
  if (bodies > kMostScenarioBodies)
    throw Error(ErrorKind::invalid_input,
                "--bodies " + std::to_string(bodies) + ": at most " + std::to_string(kMostScenarioBodies));
  std::vector<Work> works;
  WorkRequest sized = request;
  if (!request.bodies && info->bodies != 0) sized.bodies = bodies;
  if (request.name == "latency" && !request.file) {
    std::vector<std::size_t> counts{20, 100, 1000};
    if (request.bodies) counts = {*request.bodies};
    for (const std::size_t count : counts) works.push_back(make_from_scenario(request, "rain", count));
  } else if (request.file) {
    works.push_back(read_work(info->bodies == 0 ? request : sized, *request.file));
  } else if (request.name == "terrain") {
    works.push_back(make_from_scenario(request, "mixed", bodies));
  } else if (request.name == "mixed") {
    works.push_back(make_from_scenario(request, "rain", bodies));
  } else if (request.name == "environments") {
    const std::size_t environments =
        request.environments.value_or(request.bodies ? (bodies + kBodiesEach - 1) / kBodiesEach : info->environments);
    if (environments == 0) throw Error(ErrorKind::invalid_input, "--environments 0: at least 1");
    works.push_back(make_environments(request.bodies ? bodies : environments * kBodiesEach, environments));
  } else if (request.name == "mesh") {
    std::vector<std::size_t> counts{2'000, 20'000};
    if (request.bodies) counts = {*request.bodies};
    for (const std::size_t count : counts) works.push_back(make_on_mesh(count));
  } else if (request.name == "cloud") {
    works.push_back(make_cloud(bodies));
  } else {
    works.push_back(make_from_scenario(request, "pile", bodies));
  }
  if (request.name == "resting") {
    works.push_back(works[0]);
    works[1].name = "resting_full";
    std::swap(works[0], works[1]);
  }
  for (Work& work : works)
    if (work.name == "resting")
      add_resting_frames(work, request.move, request.changed);
    else
      add_moving_frames(work, request.move);
  return works;
}

scenario::PlacedBody random_body(Shape shape, scenario::Random& random) {
  scenario::PlacedBody body;
  body.shape = shape;
  const std::size_t numbers = find_shape(shape)->sizes_used();
  for (std::size_t a = 0; a < numbers; ++a) body.size[a] = random.uniform(0.2, 0.5);
  body.orientation = random.rotation();
  if (random.chance(0.3))
    body.orientation = scenario::rotation_about(glm::dvec3(0.0, 0.0, 1.0), random.uniform(0.0, 6.28));
  return body;
}

Scene part_of(const Scene& scene, const Frame& frame, std::size_t bodies, Frame& part_frame) {
  const std::size_t n = scene.bodies.count();
  std::vector<std::size_t> chosen(n);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (bodies < n) {
    // Half spaces and meshes, then those nearest the middle body; whole environments where there are several.
    const double* middle = &frame.position[3 * (n / 2)];
    const auto key = [&](std::size_t i) {
      double distance = -1.0;
      if (!stands(scene.bodies.shape[i])) {
        distance = 0.0;
        for (std::size_t a = 0; a < 3; ++a)
          distance += (frame.position[3 * i + a] - middle[a]) * (frame.position[3 * i + a] - middle[a]);
      }
      const std::uint32_t environment = scene.bodies.environment.empty() ? 0U : scene.bodies.environment[i];
      return std::tuple(environment, distance, i);
    };
    std::sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    chosen.resize(bodies);
    std::sort(chosen.begin(), chosen.end());
  }
  Scene part = scene;
  part.bodies = {};
  part_frame = {};
  const auto take = [](auto& to, const auto& from, std::size_t i) {
    if (!from.empty()) to.push_back(from[i]);
  };
  for (const std::size_t i : chosen) {
    take(part.bodies.shape, scene.bodies.shape, i);
    take(part.bodies.size, scene.bodies.size, i);
    take(part.bodies.environment, scene.bodies.environment, i);
    take(part.bodies.group, scene.bodies.group, i);
    take(part.bodies.category, scene.bodies.category, i);
    take(part.bodies.mask, scene.bodies.mask, i);
    for (std::size_t a = 0; a < 3; ++a) part_frame.position.push_back(frame.position[3 * i + a]);
    for (std::size_t a = 0; a < 4; ++a) part_frame.orientation.push_back(frame.orientation[4 * i + a]);
  }
  return part;
}

}  // namespace oclide::bench
