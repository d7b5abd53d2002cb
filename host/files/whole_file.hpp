// Files that appear under their name when they are whole: written beside it, and renamed.
#pragma once

#include <string>
#include <string_view>

namespace oclide {

/// The name to rename a file to that is asked for under `name`: where that is a link, what it leads to, there or not.
/// Throws Error(invalid_input) "<name>: cannot be written: <why>" for what renaming must not replace: a folder, a
/// device, a pipe, or a file that its owner has protected.
[[nodiscard]] std::string output_target(const std::string& name);

/// The whole file or none of it. Throws as output_target(), and Error(invalid_input) "<name>: cannot be written".
void write_file(const std::string& name, std::string_view bytes);

}  // namespace oclide
