// What the host's CPU calls itself.
#pragma once

#include <string>

namespace oclide {

/// As the system has it, or "unknown".
[[nodiscard]] std::string host_cpu();

}  // namespace oclide
