// The scenes that the structures are measured on.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "structures/structure.hpp"

namespace oclide::bench::structures {

/// Names, and what makes each: the same on every machine, its bodies in no particular order.
[[nodiscard]] std::vector<std::pair<std::string, std::function<Scene()>>> scenes();

}  // namespace oclide::bench::structures
