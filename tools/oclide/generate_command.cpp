// oclide generate: writes the scene file of a scenario.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <utility>

#include "commands.hpp"
#include "files/terrain_import.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "python_package.hpp"
#include "scenarios/scenario.hpp"
#include "terminal.hpp"
#include "text/clean_text.hpp"

namespace oclide::command {
namespace {

// A scenario of the Python package.
constexpr const char* kWorkshop = "workshop";
constexpr const char* kWorkshopDescription = "robots of real meshes at work among loose parts, by the Python package";

int list_scenarios(bool json) {
  Json list = Json::array();
  for (const ScenarioInfo& s : scenarios()) {
    if (json)
      list.push_back({{"name", s.name}, {"description", s.description}, {"bodies", s.bodies}, {"frames", s.frames}});
    else
      std::cout << s.name << std::string(10 - std::string(s.name).size(), ' ') << s.description << " (by default "
                << grouped(s.bodies) << " bodies, " << s.frames << " frames)\n";
  }
  if (json) {
    list.push_back({{"name", kWorkshop}, {"description", kWorkshopDescription}, {"python", true}});
    std::cout << text_of({{"scenarios", list}}) << "\n";
  } else {
    std::cout << kWorkshop << "  " << kWorkshopDescription << "\n";
  }
  return kDone;
}

int generate_workshop(const GenerateOptions& options) {
  if (!options.terrain.file.empty()) throw Error(ErrorKind::invalid_input, "generate: workshop takes no --terrain");
  std::vector<std::string> arguments{"generate",     kWorkshop, "-o",
                                     options.output, "--seed",  std::to_string(options.seed)};
  for (const auto& [option, number] : {std::pair{"--bodies", options.bodies}, std::pair{"--frames", options.frames},
                                       std::pair{"--environments", options.environments}})
    if (number) arguments.insert(arguments.end(), {option, std::to_string(*number)});
  if (!options.meshes.empty()) arguments.insert(arguments.end(), {"--meshes", options.meshes});
  Json made = ask_python(arguments, "generate: workshop");
  made["scene"] = options.output;
  if (options.json) {
    std::cout << text_of(made) << "\n";
    return kDone;
  }
  std::cout << clean_text(options.output) << ": " << counted(made.at("bodies").get<std::size_t>(), "body", "bodies")
            << ", " << counted(made.at("frames").get<std::size_t>(), "frame", "frames") << ", "
            << grouped(made.at("environments").get<std::size_t>()) << " environments; robots:";
  for (const Json& robot : made.at("robots")) std::cout << " " << clean_text(robot.get<std::string>());
  std::cout << "\n";
  return kDone;
}

struct HeightRange {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  std::size_t no_data = 0;  // vertices
};

HeightRange height_range(const Terrain& terrain) {
  HeightRange range;
  for (const double height : terrain.heights) {
    if (std::isnan(height)) {
      ++range.no_data;
      continue;
    }
    range.lowest = std::min(range.lowest, height);
    range.highest = std::max(range.highest, height);
  }
  return range;
}

}  // namespace

int run_generate(const GenerateOptions& options) {
  if (options.list) return list_scenarios(options.json);
  if (options.scenario.empty()) throw Error(ErrorKind::invalid_input, "generate: SCENARIO is missing; see --list");
  if (options.output.empty()) throw Error(ErrorKind::invalid_input, "generate: -o FILE is missing");
  check_raster_file(options.terrain, "generate");
  if (options.terrain.file.empty() && options.fit_terrain)
    throw Error(ErrorKind::invalid_input, "generate: --terrain-fit is for the raster given with --terrain");

  if (options.scenario == kWorkshop) return generate_workshop(options);
  if (!options.meshes.empty()) throw Error(ErrorKind::invalid_input, "generate: --meshes is for workshop");

  ScenarioRequest request;
  request.name = options.scenario;
  request.bodies = options.bodies;
  request.frames = options.frames;
  request.environments = options.environments;
  request.seed = options.seed;
  if (!options.terrain.file.empty()) request.terrain = import_terrain(options.terrain);
  request.fit_terrain = options.fit_terrain;
  const std::unique_ptr<Scenario> scenario = make_scenario(request);
  {
    Progress progress("frames");
    write_scene(options.output, *scenario, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  }

  const Scene& scene = scenario->scene();
  std::map<Shape, std::uint64_t> of_shape;
  for (Shape shape : scene.bodies.shape) ++of_shape[shape];
  const Terrain* terrain = scene.terrains.empty() ? nullptr : scene.terrains.data();
  const std::size_t environments = std::max<std::size_t>(1, scene.environment_terrain.size());
  if (options.json) {
    Json shapes = Json::object();
    for (const auto& [shape, bodies] : of_shape) shapes[to_string(shape)] = bodies;
    Json json{{"scene", options.output},
              {"scenario", options.scenario},
              {"seed", options.seed},
              {"bodies", scene.bodies.count()},
              {"frames", scenario->frames()},
              {"environments", environments},
              {"shapes", shapes}};
    if (terrain != nullptr) {
      const HeightRange range = height_range(*terrain);
      json["terrain"] = {{"rows", terrain->rows},
                         {"cols", terrain->cols},
                         {"spacing_x", terrain->spacing[0]},
                         {"spacing_y", terrain->spacing[1]},
                         {"lowest", range.lowest},
                         {"highest", range.highest},
                         {"no_data", range.no_data}};
    }
    std::cout << text_of(json) << "\n";
    return kDone;
  }
  std::cout << clean_text(options.output) << ": " << counted(scene.bodies.count(), "body", "bodies");
  const char* separator = " (";
  for (const auto& [shape, bodies] : of_shape) {
    std::cout << separator << to_string(shape) << " " << grouped(bodies);
    separator = ", ";
  }
  std::cout << (scene.bodies.count() > 0 ? ")" : "") << ", " << counted(scenario->frames(), "frame", "frames");
  if (environments > 1) std::cout << ", " << grouped(environments) << " environments";
  if (terrain != nullptr) {
    const HeightRange range = height_range(*terrain);
    std::cout << ", terrain of " << terrain->rows << " x " << terrain->cols << " vertices, "
              << fixed(terrain->spacing[0], 3) << " x " << fixed(terrain->spacing[1], 3) << " m apart, at "
              << fixed(range.lowest, 3) << " to " << fixed(range.highest, 3) << " m";
    if (range.no_data > 0) std::cout << ", " << grouped(range.no_data) << " without data";
  }
  std::cout << "\n";
  return kDone;
}

}  // namespace oclide::command
