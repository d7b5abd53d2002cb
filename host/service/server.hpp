// The service on the network: gRPC with health and reflection services, TLS, tokens, and an end that lets what is at
// work come to its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "service/account.hpp"
#include "service/certificates.hpp"
#include "service/wire_limits.hpp"

namespace oclide::service {

struct ServerOptions {
  std::string listen = "127.0.0.1:7411";  ///< ADDRESS:PORT (port 0: any that is free), or unix:PATH
  /// TLS, where they have names; without it the service is for loopback alone. Looked at again every `reload`.
  CertificateFiles certificates;
  std::chrono::seconds reload{10};
  /// A file of lines "NAME TOKEN"; clients must send one as "authorization: Bearer TOKEN". Empty: none is asked for.
  std::string tokens;
  std::string metrics;  ///< ADDRESS:PORT for Prometheus, or empty
  Limits limits;
  std::uint64_t most_message_bytes = kMostMessageBytes;
  std::chrono::seconds drain{30};  ///< for what is at work, when the service is told to end
};

class Server {
 public:
  /// Listens. Throws Error(invalid_input) for what cannot be used of the options, Error(device) as Collider does.
  Server(const ServerOptions& options, const Settings& settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] const std::string& address() const;  ///< with the port
  [[nodiscard]] int metrics_port() const;            ///< 0: none
  [[nodiscard]] const DeviceInfo& device() const;
  /// Takes no new sessions, answers what has been asked, for at most ServerOptions::drain, and ends all sessions. What
  /// the device is at work at then is not stopped: the destructor waits for it, and nobody gets it.
  void drain();

  struct State;  ///< of server.cpp

 private:
  std::unique_ptr<State> state_;
};

}  // namespace oclide::service
