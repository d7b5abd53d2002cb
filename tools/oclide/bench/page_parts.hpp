// Files that are embedded into the command at build time.
#pragma once

#include <string_view>

namespace oclide::command {

/// Text of page.html, page.css, page.js or chart.min.js; empty for what was not built in.
[[nodiscard]] std::string_view page_part(std::string_view name);

}  // namespace oclide::command
