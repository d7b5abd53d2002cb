// oclide_simulate: runs a scene, says what it took, and whether what must hold holds.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands.hpp"
#include "film.hpp"
#include "measures.hpp"
#include "raster_options.hpp"
#include "scenes.hpp"
#include "terminal.hpp"
#include "text/clean_text.hpp"
#include "world.hpp"

namespace {

using namespace oclide;
using namespace oclide::simulation;
using command::hash_text;
using command::kBadInput;
using command::kCheckFailed;
using command::kDeviceFailed;
using command::kDone;

struct Options {
  SceneRequest scene;
  std::string device = "auto";
  std::optional<std::size_t> steps;
  std::optional<double> dt;
  std::optional<int> iterations;
  std::string film;
  std::size_t every = 10;
  bool json = false;
  bool list = false;
  bool no_sleep = false;
};

int report(const std::string& message, int status) {
  std::cerr << "oclide_simulate: " << clean_text(message.substr(0, message.find('\n'))) << "\n";
  return status;
}

int list_scenes() {
  for (const SceneInfo& info : scenes())
    std::printf("%-10s %s (%zu bodies, %zu steps of %g s)\n", info.name, info.description, info.bodies, info.steps,
                info.dt);
  return kDone;
}

int simulate(const Options& options) {
  const SceneInfo& info = scene_info(options.scene.name);
  WorldOptions world_options;
  world_options.device = options.device;
  world_options.dt = options.dt.value_or(info.dt);
  world_options.iterations = options.iterations.value_or(info.iterations);
  world_options.seed = options.scene.seed;
  world_options.sleeping = !options.no_sleep;
  const std::size_t steps = options.steps.value_or(info.steps);

  World world(world_options);
  const std::unique_ptr<SimulatedScene> scene = make_scene(options.scene, world);
  world.start();
  std::optional<Film> film;
  if (!options.film.empty()) film.emplace(options.film, world, (steps + options.every - 1) / options.every);
  Measures measures(world.movable(), world.dt());
  for (std::size_t k = 0; k < steps; ++k) {
    scene->control(world);
    measures.add(world.step());
    if (film && k % options.every == 0) film->append(world);
  }
  if (film) film->finish();

  const std::vector<Check> checks = scene->checks(world, measures);
  bool all_hold = true;
  for (const Check& check : checks) all_hold = all_hold && check.holds;
  if (options.json) {
    nlohmann::ordered_json json;
    json["scene"] = info.name;
    json["device"] = world.device().name;
    json["device_id"] = world.device().id;
    json["bodies"] = world.movable();
    json["steps"] = steps;
    json["dt"] = world.dt();
    json["iterations"] = world_options.iterations;
    json["seed"] = options.scene.seed;
    json.update(measures.json());
    for (const Check& check : checks)
      json["checks"].push_back({{"what", check.what}, {"found", check.found}, {"holds", check.holds}});
    json["state_hash"] = hash_text(world.state_hash());
    std::cout << json.dump(1) << "\n";
  } else {
    std::printf("%s: %zu bodies, %zu steps of %g s, %d iterations, %s\n", info.name, world.movable(), steps, world.dt(),
                world_options.iterations, world.device().name.c_str());
    std::fputs(measures.text().c_str(), stdout);
    for (const Check& check : checks)
      std::printf("  %-4s %s: %s\n", check.holds ? "ok" : "FAIL", check.what.c_str(), check.found.c_str());
    std::printf("  state hash %s\n", hash_text(world.state_hash()).c_str());
  }
  return all_hold ? kDone : kCheckFailed;
}

}  // namespace

int main(int argc, char** argv) {
  command::set_up_signals();
  const CleanOutput output(std::cout);
  const CleanOutput errors(std::cerr);
  CLI::App app{"Runs a scene with oclide's contacts and ODE's solver", "oclide_simulate"};
  app.footer(
      "Exit status: 0 done, 1 a check of the scene did not hold, 2 bad arguments or input, 3 the device failed.");
  Options options;
  app.add_option("scene", options.scene.name, "Name of the scene, see --list");
  app.add_option("--bodies", options.scene.bodies, "Number of bodies")->type_name("N")->check(CLI::NonNegativeNumber);
  app.add_option("--steps", options.steps, "Number of steps")->type_name("N")->check(CLI::PositiveNumber);
  app.add_option("--dt", options.dt, "Length of a step")->type_name("SECONDS")->check(CLI::Range(1e-5, 0.1));
  app.add_option("--iterations", options.iterations, "Of the solver in a step")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  app.add_option("--seed", options.scene.seed, "The same seed gives the same run")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--device", options.device, "auto, reference, opencl:K or part of a device's name")->type_name("NAME");
  app.add_option("--terrain", options.scene.terrain.file, "Raster that GDAL reads, for robot and landslide")
      ->type_name("FILE");
  command::add_raster_options(app, options.scene.terrain);
  app.add_option("--film", options.film, "Write poses and contacts to NAME.h5 and NAME_contacts.h5")->type_name("NAME");
  app.add_option("--every", options.every, "Steps from one frame of the film to the next")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--no-sleep", options.no_sleep, "Bodies that rest go on being simulated");
  app.add_flag("--json", options.json, "One JSON object on standard output");
  app.add_flag("--list", options.list, "Name the scenes");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    return report(std::string(error.what()) + " (--help says more)", kBadInput);
  }
  try {
    if (options.list) return list_scenes();
    if (options.scene.name.empty()) return report("no scene is named (--list names them)", kBadInput);
    check_raster_file(options.scene.terrain, options.scene.name);
    return simulate(options);
  } catch (const oclide::Error& error) {
    return report(error.what(), error.kind() == ErrorKind::invalid_input ? kBadInput : kDeviceFailed);
  } catch (const std::exception& error) {
    return report(error.what(), kDeviceFailed);
  }
}
