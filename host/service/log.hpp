// The service's log: one JSON object a line on standard error.
#pragma once

#include <nlohmann/json.hpp>

namespace oclide::service {

/// Writes {"time": ..., "event": event, ...fields}. Any thread. Text that is not valid UTF-8 is written with U+FFFD.
void log(const char* event, nlohmann::ordered_json fields = nlohmann::ordered_json::object());

/// From here on lines of gRPC's own are written that way, too.
void take_log_of_grpc();

}  // namespace oclide::service
