// Where the service and its metrics listen.
#pragma once

#include <string>

namespace oclide::service {

/// ADDRESS:PORT, as 127.0.0.1:7411, localhost:7411 or [::1]:7411, or where that is allowed unix:PATH.
struct ListenAddress {
  std::string text, host;
  std::string path;  ///< of a socket; empty: none
  [[nodiscard]] bool is_loopback() const;
};

/// Throws Error(invalid_input).
[[nodiscard]] ListenAddress parse_listen_address(const std::string& text, bool may_be_path);

/// Throws Error(invalid_input) where somebody listens at that socket already. gRPC would take it over.
void check_that_nobody_listens(const ListenAddress& address);

}  // namespace oclide::service
