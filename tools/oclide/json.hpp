// JSON objects whose members keep the order in which they are added. Numbers that are not finite are null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace oclide::command {

using Json = nlohmann::ordered_json;

/// In one line. Bytes that are no UTF-8, which a file name may have, become U+FFFD.
[[nodiscard]] inline std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace oclide::command
