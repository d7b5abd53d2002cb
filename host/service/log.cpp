#include "service/log.hpp"

#include <grpc/support/log.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "text/clean_text.hpp"

namespace oclide::service {
namespace {

struct LineOfGrpc {
  const char* severity;
  std::string message;
  void write() const { log("grpc", {{"severity", severity}, {"message", message}}); }
};

std::mutex grpc_mutex;
bool holds_grpc = false;
std::vector<LineOfGrpc> held_of_grpc;

}  // namespace

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
  const std::string text =
      clean_text(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void take_log_of_grpc() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    LineOfGrpc said{gpr_log_severity_string(line->severity), line->message};
    const std::lock_guard lock(grpc_mutex);
    if (holds_grpc)
      held_of_grpc.push_back(std::move(said));
    else
      said.write();
  });
}

HeldLogOfGrpc::HeldLogOfGrpc() {
  const std::lock_guard lock(grpc_mutex);
  holds_grpc = true;
}

HeldLogOfGrpc::~HeldLogOfGrpc() {
  const std::lock_guard lock(grpc_mutex);
  holds_grpc = false;
  for (const LineOfGrpc& line : std::exchange(held_of_grpc, {})) line.write();
}

std::string HeldLogOfGrpc::drop() {
  const std::lock_guard lock(grpc_mutex);
  std::string error;
  for (const LineOfGrpc& line : std::exchange(held_of_grpc, {})) {
    constexpr std::string_view kError = "os_error:\"";
    const std::size_t begin = line.message.rfind(kError);
    if (begin == std::string::npos) continue;
    const std::size_t from = begin + kError.size();
    error = line.message.substr(from, line.message.find('"', from) - from);
  }
  return error;
}

}  // namespace oclide::service
