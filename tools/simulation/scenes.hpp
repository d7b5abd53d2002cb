// The scenes that are simulated: what is put into a world, what drives it, and what must hold in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/terrain_import.hpp"
#include "measures.hpp"
#include "world.hpp"

namespace oclide::simulation {

struct SceneRequest {
  std::string name;
  std::optional<std::size_t> bodies;
  std::uint64_t seed = 1;
  RasterFile terrain;  ///< without a file: the scene's own, if it has one
};

/// A name of the list, and what stands behind it.
struct SceneInfo {
  const char* name;
  const char* description;
  std::size_t bodies;  ///< where the request names no number
  std::size_t steps;
  double dt;       ///< [s]
  int iterations;  ///< of the solver
};
[[nodiscard]] std::span<const SceneInfo> scenes();
/// Throws Error(invalid_input) for a name that is not in the list.
[[nodiscard]] const SceneInfo& scene_info(const std::string& name);

/// Something that must hold, and what was found.
struct Check {
  std::string what;
  std::string found;
  bool holds = false;
};

class SimulatedScene {
 public:
  virtual ~SimulatedScene() = default;
  /// Before each step.
  virtual void control(World& world) = 0;
  /// After the last step.
  [[nodiscard]] virtual std::vector<Check> checks(const World& world, const Measures& measures) const = 0;
};

/// Puts the scene into an empty world. Throws Error(invalid_input) for numbers or files that it cannot take.
[[nodiscard]] std::unique_ptr<SimulatedScene> make_scene(const SceneRequest& request, World& world);

std::unique_ptr<SimulatedScene> make_pile(const SceneRequest& request, World& world);
std::unique_ptr<SimulatedScene> make_barrels(const SceneRequest& request, World& world);
std::unique_ptr<SimulatedScene> make_robot(const SceneRequest& request, World& world);
std::unique_ptr<SimulatedScene> make_landslide(const SceneRequest& request, World& world);

/// Whether all rests over the last second: deepest contact, mean speed and touching pairs.
void add_rest_checks(const Measures& measures, std::vector<Check>& checks);
/// `value` must be below `bound`.
[[nodiscard]] Check below(const std::string& what, double value, double bound, const std::string& unit);
[[nodiscard]] Check above(const std::string& what, double value, double bound, const std::string& unit);

}  // namespace oclide::simulation
