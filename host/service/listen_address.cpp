#include "service/listen_address.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "oclide/oclide.hpp"

namespace oclide::service {
namespace {

constexpr const char* kUnix = "unix:";

[[noreturn]] void refuse_address(const std::string& text, const std::string& what) {
  throw Error(ErrorKind::invalid_input, "cannot listen at " + text + ": " + what);
}

bool is_port(const std::string& text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port <= 65535;
}

}  // namespace

bool ListenAddress::is_loopback() const {
  const bool is_ipv4 = host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
  return is_ipv4 || host == "localhost" || host == "[::1]" || !path.empty();
}

ListenAddress parse_listen_address(const std::string& text, bool may_be_path) {
  if (may_be_path && text.starts_with(kUnix)) {
    std::string path = text.substr(std::strlen(kUnix));
    if (path.starts_with("//")) path.erase(0, 2);
    if (path.empty()) refuse_address(text, "unix: needs the path of a socket");
    if (path.size() >= sizeof(sockaddr_un::sun_path))
      refuse_address(
          text, "the path of a socket has at most " + std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
    return {text, {}, path};
  }
  const std::size_t colon = text.rfind(':');
  const std::string host = text.substr(0, colon);
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  if (colon == std::string::npos || host.empty() || !is_port(text.substr(colon + 1)) ||
      (!is_bracketed && host.find(':') != std::string::npos))
    refuse_address(text, std::string("it must be ADDRESS:PORT, as 127.0.0.1:7411 or [::1]:7411, with a port from 0 to "
                                     "65535") +
                             (may_be_path ? ", or unix:PATH" : ""));
  return {text, host, {}};
}

void check_that_nobody_listens(const ListenAddress& address) {
  if (address.path.empty()) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::copy(address.path.begin(), address.path.end(), to.sun_path);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const bool is_taken = connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 || errno == EAGAIN ||
                        errno == EACCES || errno == EPROTOTYPE;
  close(socket);
  if (is_taken) refuse_address(address.text, "another program listens there");
}

}  // namespace oclide::service
