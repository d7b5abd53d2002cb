// The scenes that are timed: one frame of a scenario or of a scene file, in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bench/row.hpp"
#include "files/scene_file.hpp"
#include "files/terrain_import.hpp"
#include "oclide/oclide.hpp"

namespace oclide::command {

/// Which scene.
struct SceneChoice {
  std::string scenario;    ///< a name of scenarios(), or empty
  std::size_t bodies = 0;  ///< of the scenario
  RasterFile terrain;      ///< for the scenario
  std::string file;        ///< a scene file, where no scenario is named

  /// What a row calls it.
  [[nodiscard]] std::string name() const;
};
[[nodiscard]] Json json_of(const SceneChoice& choice);
[[nodiscard]] SceneChoice scene_choice_of(const Json& json);

struct BenchScene {
  Scene scene;
  Frame frame;
  std::size_t environments = 1;
};

/// The first frame of the file, or the last state of the scenario. A crowd has 20 bodies an environment. With `most`
/// the scene has at most so many bodies: the scenario with fewer of them, or the first bodies of the file and all its
/// half spaces. Throws Error(invalid_input).
[[nodiscard]] BenchScene make_bench_scene(const SceneChoice& choice, std::optional<std::size_t> most = {});

}  // namespace oclide::command
