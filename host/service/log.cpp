#include "service/log.hpp"

#include <grpc/support/log.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

namespace oclide::service {

void log(const char* event, nlohmann::ordered_json fields) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char time[32];
  const std::size_t length = std::strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(time + length, sizeof(time) - length, ".%03dZ", static_cast<int>(milliseconds));
  nlohmann::ordered_json line{{"time", time}, {"event", event}};
  line.update(fields);
  // One call: lines of several threads do not mix.
  const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void take_log_of_grpc() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    log("grpc", {{"severity", gpr_log_severity_string(line->severity)}, {"message", line->message}});
  });
}

}  // namespace oclide::service
