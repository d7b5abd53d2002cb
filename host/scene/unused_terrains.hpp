#pragma once

#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// One line that names the terrains of a scene that nothing meets; empty where there are none.
[[nodiscard]] inline std::string note_of_unused(const Scene& scene) {
  std::string text;
  for (const std::size_t k : unused_terrains(scene))
    text += (text.empty() ? "nothing meets /terrains/" : ", /terrains/") + std::to_string(k);
  if (!text.empty()) text += ": no environment has it, and no ground that one has";
  return text;
}

/// As Settings::on_warning, after the scene was set. In the client of a service as well, which has no more of the
/// library than its API: so here, and not in tiles.cpp.
inline void tell_of_unused(const Scene& scene, const std::function<void(const std::string&)>& on_warning) {
  const std::string note = note_of_unused(scene);
  if (note.empty()) return;
  if (on_warning)
    on_warning(note);
  else
    std::cerr << "oclide: " + note + "\n";
}

/// A Settings::on_warning for who has said it already.
inline void say_nothing(const std::string& /*line*/) {}

}  // namespace oclide
