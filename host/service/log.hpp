// The service's log: one JSON object a line on standard error.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace oclide::service {

/// Writes {"time": ..., "event": event, ...fields}. Any thread. Text that is not valid UTF-8 is written with U+FFFD.
void log(const char* event, nlohmann::ordered_json fields = nlohmann::ordered_json::object());

/// From here on lines of gRPC's own are written that way, too.
void take_log_of_grpc();

/// Lines of gRPC's own wait as long as this lives. They are written then, or dropped where drop() was called.
class HeldLogOfGrpc {
 public:
  HeldLogOfGrpc();
  ~HeldLogOfGrpc();
  HeldLogOfGrpc(const HeldLogOfGrpc&) = delete;
  HeldLogOfGrpc& operator=(const HeldLogOfGrpc&) = delete;
  /// Drops them. The last error of the system that they tell of, such as "Address already in use", or nothing.
  [[nodiscard]] std::string drop();
};

}  // namespace oclide::service
