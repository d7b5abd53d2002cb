// What the service counts, for Prometheus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace oclide::service {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void count_request(const char* kind);
  void count_problem(const char* kind);  ///< invalid_input, device, limit
  void count_refusal(const char* why);   ///< of a session: token, limit, draining, protocol
  void time_frame(double milliseconds, std::uint32_t together);
  void session_began();
  void session_ended();
  void count_bytes(std::uint64_t in, std::uint64_t out);

  /// What is read when somebody asks: name, help, value. Before serve().
  void add_gauge(const std::string& name, const std::string& help, std::function<double()> value);
  /// Answers GET /metrics at ADDRESS:PORT. Throws Error(invalid_input) where that cannot be listened at. The port.
  int serve(const std::string& address);
  /// Answers no more.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace oclide::service
