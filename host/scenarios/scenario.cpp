#include "scenarios/scenario.hpp"

#include <array>
#include <string>
#include <utility>

#include "files/terrain_import.hpp"
#include "scenarios/ground.hpp"

namespace oclide {
namespace {

constexpr std::array<ScenarioInfo, 12> kScenarios{{
    {"barrels", "barrels standing, lying, leaning and tipping on asphalt and a kerb", 12, 16, 1},
    {"robot", "wheeled robots with trailers that drive from grass up a sand hill", 10, 32, 1},
    {"boulders", "spheres of 0.2 to 5 m radius that roll down a slope", 200, 8, 1},
    {"mixed", "cylinders, spheres, boxes and capsules that drift over hills, half of them touching", 20000, 8, 1},
    {"pile", "a dense heap of all four shapes on a half space or terrain, a part of which trembles", 10000, 4, 1},
    {"crowd", "many environments, in each a few robots that push loose bodies on terrain or a half space", 2000, 8,
     100},
    {"rain", "bodies of all four shapes that fall onto terrain and each other, and lie in heaps", 2000, 24, 1},
    {"rovers", "compound bodies: six-wheeled rovers that cross hills in convoys, among stones", 20, 24, 1},
    {"rubble", "stones of all forms, convex hulls, in heaps on rough ground, a part of which trembles", 2000, 4, 1},
    {"ship", "a ship, a closed triangle mesh, that sails past bridge piers and pushes aside what floats", 200, 24, 1},
    {"quarry", "bodies of all shapes on rock of triangle meshes: benches, overhangs, a tunnel, arches", 1000, 8, 1},
    {"volley", "fast spheres and tumbling rods against thin plates and a bank of earth, for impacts", 240, 24, 1},
}};

constexpr std::size_t kMostFrames = 1'000'000;

}  // namespace

std::span<const ScenarioInfo> scenarios() {
  return kScenarios;
}

Scenario::Scenario(const ScenarioRequest& request) : seed_(request.seed) {
  for (const ScenarioInfo& info : kScenarios)
    if (request.name == info.name) {
      bodies_ = request.bodies.value_or(info.bodies);
      frames_ = request.frames.value_or(info.frames);
      environments_ = request.environments.value_or(info.environments);
    }
  if (environments_ > 1) scene_.environment_terrain.assign(environments_, 0);
}

Scenario::~Scenario() = default;

void Scenario::set_terrain(Terrain terrain) {
  scene_.terrains.clear();
  scene_.terrains.push_back(std::move(terrain));
  ground_ = std::make_unique<scenario::Ground>(scene_.terrains[0]);
}

void Scenario::set_terrain(const ScenarioRequest& request, double area) {
  Terrain& terrain = scene_.terrains.emplace_back(*request.terrain);
  if (request.fit_terrain) {
    fit_terrain(terrain, area);
    ground_ = std::make_unique<scenario::Ground>(terrain);
  } else {
    centre_terrain(terrain);
    ground_ = std::make_unique<scenario::Ground>(terrain, area);
  }
}

std::size_t Scenario::add_body(Shape shape, const std::array<double, 3>& size, std::size_t environment) {
  Bodies& b = scene_.bodies;
  b.shape.push_back(shape);
  b.size.push_back(size);
  if (environments_ > 1) b.environment.push_back(static_cast<std::uint32_t>(environment));
  return b.shape.size() - 1;
}

std::size_t Scenario::share(std::size_t environment) const {
  return bodies_ / environments_ + (environment < bodies_ % environments_ ? 1 : 0);
}

void Scenario::motion(std::size_t index, FrameMotion& motion) const {
  const std::size_t n = scene_.bodies.count();
  Frame from{std::vector<double>(3 * n), std::vector<double>(4 * n)}, to = from;
  pose(index, from);
  pose(index + 1, to);
  motion_between(from.poses(), to.poses(), motion);
}

double Scenario::progress(std::size_t frame) const {
  return frames_ > 1 ? static_cast<double>(frame) / static_cast<double>(frames_ - 1) : 1.0;
}

std::unique_ptr<Scenario> make_scenario(const ScenarioRequest& request) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::invalid_input, what); };
  if (request.bodies.value_or(0) > kMostScenarioBodies)
    refuse("--bodies " + std::to_string(*request.bodies) + ": at most " + std::to_string(kMostScenarioBodies));
  if (const std::size_t f = request.frames.value_or(1); f < 1 || f > kMostFrames)
    refuse("--frames " + std::to_string(f) + ": from 1 to " + std::to_string(kMostFrames));
  if (const std::size_t e = request.environments.value_or(1); e < 1 || e > kMostScenarioBodies)
    refuse("--environments " + std::to_string(e) + ": from 1 to " + std::to_string(kMostScenarioBodies));
  if (request.name == "barrels") return make_barrels(request);
  if (request.name == "robot") return make_robot(request);
  if (request.name == "boulders") return make_boulders(request);
  if (request.name == "mixed") return make_mixed(request);
  if (request.name == "pile") return make_pile(request);
  if (request.name == "crowd") return make_crowd(request);
  if (request.name == "rain") return make_rain(request);
  if (request.name == "rovers") return make_rovers(request);
  if (request.name == "rubble") return make_rubble(request);
  if (request.name == "ship") return make_ship(request);
  if (request.name == "quarry") return make_quarry(request);
  if (request.name == "volley") return make_volley(request);
  std::string known;
  for (const ScenarioInfo& info : kScenarios) known += (known.empty() ? "" : ", ") + std::string(info.name);
  throw Error(ErrorKind::invalid_input, "unknown scenario '" + request.name + "'; there are: " + known);
}

void write_scene(const std::string& file, const Scenario& scenario,
                 const std::function<void(std::size_t done, std::size_t all)>& on_frame) {
  SceneWriter writer(file, scenario.scene(), scenario.frames());
  if (scenario.moves()) writer.with_motion();
  FrameMotion motion;
  Frame frame;
  frame.position.resize(3 * scenario.scene().bodies.count());
  frame.orientation.resize(4 * scenario.scene().bodies.count());
  for (std::size_t f = 0; f < scenario.frames(); ++f) {
    scenario.pose(f, frame);
    if (scenario.moves()) scenario.motion(f, motion);
    writer.append(frame.poses(), motion.motion());
    if (on_frame) on_frame(f + 1, scenario.frames());
  }
  writer.finish();
}

}  // namespace oclide
