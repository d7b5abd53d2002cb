// Is this text one JSON object (RFC 8259) and nothing else? And what are its members?
#pragma once

#include <map>
#include <optional>
#include <string>

namespace oclide::test {

/// The members of the outermost object as they stand in the text, by name; nothing when the text is not one object
/// with at most a line end behind it.
[[nodiscard]] std::optional<std::map<std::string, std::string>> parse_json_object(const std::string& text);

}  // namespace oclide::test
