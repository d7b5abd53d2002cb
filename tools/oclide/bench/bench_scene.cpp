#include "bench/bench_scene.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "scenarios/scenario.hpp"

namespace oclide::command {
namespace {

constexpr std::size_t kBodiesOfACrowd = 20;

BenchScene of_scenario(const SceneChoice& choice, std::size_t bodies) {
  ScenarioRequest request;
  request.name = choice.scenario;
  request.bodies = bodies;
  request.frames = 1;
  if (choice.scenario == "crowd") request.environments = std::max<std::size_t>(1, bodies / kBodiesOfACrowd);
  if (!choice.terrain.file.empty()) request.terrain = import_terrain(choice.terrain);
  const std::unique_ptr<Scenario> scenario = make_scenario(request);
  BenchScene made{scenario->scene(), {}, std::max<std::size_t>(1, scenario->scene().environment_terrain.size())};
  made.frame.position.resize(3 * made.scene.bodies.count());
  made.frame.orientation.resize(4 * made.scene.bodies.count());
  scenario->pose(0, made.frame);
  return made;
}

template <class Value>
void keep(std::vector<Value>& values, const std::vector<std::size_t>& kept) {
  if (values.empty()) return;
  for (std::size_t k = 0; k < kept.size(); ++k) values[k] = values[kept[k]];
  values.resize(kept.size());
}

// The first `most` bodies and all half spaces.
void cut(BenchScene& scene, std::size_t most) {
  Bodies& b = scene.scene.bodies;
  std::vector<std::size_t> kept;
  const std::size_t all = b.count();
  std::size_t taken = 0;
  for (std::size_t i = 0; i < all; ++i)
    if (b.shape[i] == Shape::half_space || taken++ < most) kept.push_back(i);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::copy_n(scene.frame.position.begin() + static_cast<std::ptrdiff_t>(3 * kept[k]), 3,
                scene.frame.position.begin() + static_cast<std::ptrdiff_t>(3 * k));
    std::copy_n(scene.frame.orientation.begin() + static_cast<std::ptrdiff_t>(4 * kept[k]), 4,
                scene.frame.orientation.begin() + static_cast<std::ptrdiff_t>(4 * k));
  }
  scene.frame.position.resize(3 * kept.size());
  scene.frame.orientation.resize(4 * kept.size());
  keep(b.shape, kept);
  keep(b.size, kept);
  keep(b.environment, kept);
  keep(b.group, kept);
  keep(b.category, kept);
  keep(b.mask, kept);
  keep(b.flags, kept);
  keep(b.margin, kept);
  constexpr std::uint32_t kLeftOut = 0xFFFFFFFFU;
  std::vector<std::uint32_t> place(all, kLeftOut);
  for (std::size_t k = 0; k < kept.size(); ++k) place[kept[k]] = static_cast<std::uint32_t>(k);
  for (auto& [first, second] : b.excluded) first = place[first], second = place[second];
  std::erase_if(b.excluded, [](const auto& pair) { return pair[0] == kLeftOut || pair[1] == kLeftOut; });
}

BenchScene of_file(const std::string& file) {
  SceneReader reader(file);
  if (reader.frames() == 0) throw Error(ErrorKind::invalid_input, file + ": has no frame");
  BenchScene made{reader.scene(), {}, 1};
  reader.read_frame(0, made.frame);
  const std::vector<std::uint32_t>& environment = made.scene.bodies.environment;
  if (!environment.empty()) made.environments = *std::max_element(environment.begin(), environment.end()) + 1U;
  made.environments = std::max(made.environments, made.scene.environment_terrain.size());
  return made;
}

}  // namespace

std::string SceneChoice::name() const {
  return scenario.empty() ? std::filesystem::path(file).filename().string() : scenario;
}

Json json_of(const SceneChoice& choice) {
  return {{"scenario", choice.scenario},
          {"bodies", choice.bodies},
          {"terrain",
           {{"file", choice.terrain.file},
            {"spacing", choice.terrain.spacing ? Json(*choice.terrain.spacing) : Json()},
            {"no_data", choice.terrain.no_data}}},
          {"file", choice.file}};
}

SceneChoice scene_choice_of(const Json& json) {
  const Json& terrain = json.at("terrain");
  const Json& spacing = terrain.at("spacing");
  return {
      json.at("scenario").get<std::string>(),
      json.at("bodies").get<std::size_t>(),
      {terrain.at("file").get<std::string>(), spacing.is_null() ? std::nullopt : std::optional(spacing.get<double>()),
       terrain.at("no_data").get<std::vector<std::string>>()},
      json.at("file").get<std::string>()};
}

BenchScene make_bench_scene(const SceneChoice& choice, std::optional<std::size_t> most) {
  if (!choice.scenario.empty()) return of_scenario(choice, std::min(choice.bodies, most.value_or(choice.bodies)));
  BenchScene scene = of_file(choice.file);
  if (most && scene.scene.bodies.count() > *most) cut(scene, *most);
  return scene;
}

}  // namespace oclide::command
