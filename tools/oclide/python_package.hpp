// What the command has the Python package do: what needs MuJoCo or CoACD.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"

namespace oclide::command {

/// What `python3 -m oclide` with these arguments and --json prints; $OCLIDE_PYTHON is another Python. Throws
/// Error(invalid_input) with its line where it refuses, or with `what` where there is no such package.
[[nodiscard]] Json ask_python(std::vector<std::string> arguments, const std::string& what);

}  // namespace oclide::command
