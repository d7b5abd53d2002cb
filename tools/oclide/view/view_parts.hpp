// Files that are embedded into the command at build time, for `oclide view`.
#pragma once

#include <string_view>

namespace oclide::command {

/// Text of view.html, view.css or view.js.
[[nodiscard]] std::string_view view_part(std::string_view name);
/// Text of three.min.js or OrbitControls.js; empty for what was not built in.
[[nodiscard]] std::string_view three_part(std::string_view name);

}  // namespace oclide::command
