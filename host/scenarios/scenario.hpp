// Scenarios: scenes that are made, not read. The same request gives the same scene on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

namespace scenario {
class Ground;
}

/// A name of the list, and what stands behind it.
struct ScenarioInfo {
  const char* name;
  const char* description;
  std::size_t bodies;  ///< where the request names no number
  std::size_t frames;
  std::size_t environments;
};
[[nodiscard]] std::span<const ScenarioInfo> scenarios();

/// Of any scenario.
constexpr std::size_t kMostScenarioBodies = 20'000'000;

struct ScenarioRequest {
  std::string name;
  std::optional<std::size_t> bodies;
  std::optional<std::size_t> frames;        ///< at least 1
  std::optional<std::size_t> environments;  ///< at least 1; bodies are dealt out to them, and all share the terrain
  std::uint64_t seed = 1;
  std::optional<Terrain> terrain;  ///< in place of the scenario's own; its middle is moved to x = y = 0
  bool fit_terrain = false;        ///< it is scaled to the size of the scenario's own, all slopes kept
};

/// A scene and the poses of its bodies in every frame.
class Scenario {
 public:
  virtual ~Scenario();
  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] std::size_t frames() const { return frames_; }
  /// Poses of frame `index`, below frames(), or frames() where moves().
  virtual void pose(std::size_t index, Frame& frame) const = 0;
  /// Whether each frame says how the bodies move until the next one.
  [[nodiscard]] virtual bool moves() const { return false; }
  /// Where moves(): over frame `index` < frames(). By default what lies between its poses and the next ones.
  virtual void motion(std::size_t index, FrameMotion& motion) const;

 protected:
  explicit Scenario(const ScenarioRequest& request);

  /// The scenario's own terrain, of all environments.
  void set_terrain(Terrain terrain);
  /// The terrain of the request, of all environments. Bodies have this area [m^2] in its middle, or less where it is
  /// smaller; or it is scaled to that area (see fit_terrain).
  void set_terrain(const ScenarioRequest& request, double area);
  [[nodiscard]] const scenario::Ground& ground() const { return *ground_; }
  [[nodiscard]] bool has_ground() const { return ground_ != nullptr; }
  /// How many bodies are this environment's, where each has its bodies in one run.
  [[nodiscard]] std::size_t share(std::size_t environment) const;
  /// Adds a body to the scene and says which number it has.
  std::size_t add_body(Shape shape, const std::array<double, 3>& size, std::size_t environment);
  /// 0 at the first frame, 1 at the last; 1 where there is only one.
  [[nodiscard]] double progress(std::size_t frame) const;

  Scene scene_;
  std::size_t bodies_ = 0;  ///< asked for
  std::size_t frames_ = 1;
  std::size_t environments_ = 1;
  std::uint64_t seed_ = 1;

 private:
  std::unique_ptr<scenario::Ground> ground_;
};

/// Throws Error(invalid_input) for a name that is not in scenarios(), or numbers that it cannot take.
[[nodiscard]] std::unique_ptr<Scenario> make_scenario(const ScenarioRequest& request);

std::unique_ptr<Scenario> make_barrels(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_robot(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_boulders(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_mixed(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_pile(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_crowd(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_rain(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_rovers(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_rubble(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_ship(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_quarry(const ScenarioRequest& request);
std::unique_ptr<Scenario> make_volley(const ScenarioRequest& request);

/// Writes all frames to a scene file, with their motion where the scenario has it. `on_frame`, where given, is called
/// after each frame.
void write_scene(const std::string& file, const Scenario& scenario,
                 const std::function<void(std::size_t done, std::size_t all)>& on_frame);

}  // namespace oclide
