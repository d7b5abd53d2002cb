// oclide serve: runs until it is told to end.
#include <pthread.h>
#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "commands.hpp"
#include "service/log.hpp"
#include "service/server.hpp"
#include "terminal.hpp"
#include "text/no_device.hpp"

namespace oclide::command {
namespace {

void check_serve(const ServeOptions& options) {
  if (options.sessions == 0) throw Error(ErrorKind::invalid_input, "--max-sessions must be at least 1");
  constexpr std::uint64_t kDay = 86'400;
  for (const auto& [name, seconds] :
       {std::pair{"--drain", options.drain_seconds}, std::pair{"--reload", options.reload_seconds}})
    if (seconds > kDay)
      throw Error(ErrorKind::invalid_input,
                  name + (" must be at most " + std::to_string(kDay)) + " seconds, got " + std::to_string(seconds));
}

// A client may have a connection of its own, and shells set the limit low.
void take_all_files_there_are() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &files));
}

}  // namespace

int run_serve(const ServeOptions& options) {
  check_serve(options);
  // Told by a signal to end, which this thread alone takes; threads inherit that from here on.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  take_all_files_there_are();
  service::take_log_of_grpc();
  service::ServerOptions server_options;
  server_options.listen = options.listen;
  server_options.certificates = {options.certificate, options.key, options.client_authority};
  server_options.reload = std::chrono::seconds(std::max<std::uint64_t>(options.reload_seconds, 1));
  server_options.tokens = options.tokens;
  server_options.metrics = options.metrics;
  server_options.most_message_bytes = options.message_bytes;
  server_options.limits = {options.sessions, options.bytes, options.bodies, options.waiting_bytes, options.turns};
  server_options.drain = std::chrono::seconds(options.drain_seconds);
  Settings settings = device_settings(options.device, options.memory_limit);
  settings.on_compile = [](const std::string& device, const std::string& kernels) {
    service::log("compiling", {{"device", device}, {"kernels", kernels}});
  };
  std::optional<service::Server> serving(std::in_place, server_options, settings);
  service::Server& server = *serving;
  if (settings.device == "auto" && server.device().is_reference) service::log("no_device", {{"message", kNoDevice}});

  if (options.json) {
    std::cout << nlohmann::ordered_json{{"address", server.address()},
                                        {"metrics_port", server.metrics_port()},
                                        {"device", server.device().name}}
              << std::endl;
  } else {
    line("device", server.device().name + " (" + server.device().id + ")");
    line("listening at", server.address());
    if (server.metrics_port() != 0) line("metrics", "port " + std::to_string(server.metrics_port()));
    std::cout.flush();
  }
  service::log("serving", {{"address", server.address()}, {"device", server.device().name}});
  int signal = 0;
  sigwait(&signals, &signal);
  service::log("ending", {{"signal", signal}});
  server.drain();
  serving.reset();  // waits for what the device is at work at
  service::log("ended", {{"status", kDone}});
  return kDone;
}

}  // namespace oclide::command
