#include "scenes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace oclide::simulation {
namespace {

constexpr std::array<SceneInfo, 4> kScenes{{
    {"pile", "boxes and spheres fall onto a heap and come to rest on one another", 2000, 1200, 0.01, 40},
    {"barrels", "barrels on asphalt with a kerb: dropped, rolling, standing, leaning", 14, 1200, 0.005, 60},
    {"robot", "a robot with a trailer drives from grass up a hill of sand and over real terrain", 8, 6000, 0.005, 60},
    {"landslide", "spheres and boxes go down a real slope", 10000, 1000, 0.02, 20},
}};

std::string with_unit(double value, const std::string& unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return unit.empty() ? text.data() : text.data() + (" " + unit);
}

}  // namespace

std::span<const SceneInfo> scenes() {
  return kScenes;
}

const SceneInfo& scene_info(const std::string& name) {
  for (const SceneInfo& info : kScenes)
    if (name == info.name) return info;
  throw Error(ErrorKind::invalid_input, "scene '" + name + "': there is none of this name (--list names them)");
}

std::unique_ptr<SimulatedScene> make_scene(const SceneRequest& request, World& world) {
  const std::string name = scene_info(request.name).name;
  if (name == "pile") return make_pile(request, world);
  if (name == "barrels") return make_barrels(request, world);
  if (name == "robot") return make_robot(request, world);
  return make_landslide(request, world);
}

Check below(const std::string& what, double value, double bound, const std::string& unit) {
  return {what + " below " + with_unit(bound, unit), with_unit(value, unit), value < bound};
}

Check above(const std::string& what, double value, double bound, const std::string& unit) {
  return {what + " above " + with_unit(bound, unit), with_unit(value, unit), value > bound};
}

void add_rest_checks(const Measures& measures, std::vector<Check>& checks) {
  double deepest = 0.0;
  double speed = 0.0;
  std::size_t changes = 0;
  for (const Step& step : measures.last_second()) {
    deepest = std::max(deepest, step.deepest);
    speed = std::max(speed, step.mean_speed);
    changes += step.pairs_begun + step.pairs_ended;
  }
  checks.push_back(below("last second: deepest contact", 1e3 * deepest, 10.0, "mm"));
  checks.push_back(below("last second: mean speed", 1e3 * speed, 1.0, "mm/s"));
  checks.push_back({"last second: no pair begins or ends to touch", std::to_string(changes) + " do", changes == 0});
}

}  // namespace oclide::simulation
