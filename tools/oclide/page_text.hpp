// Pages that are put together from parts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace oclide::command {

/// The page with each place replaced by its part. The places stand in this order in the page. What is put in may have
/// such a name, and is not searched.
[[nodiscard]] std::string filled(std::string_view page,
                                 std::span<const std::pair<std::string_view, std::string_view>> parts);

/// JSON that can stand in a script element: nothing in it ends the element or begins a comment.
[[nodiscard]] std::string in_script(std::string_view json);

}  // namespace oclide::command
