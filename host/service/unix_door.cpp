#include "service/unix_door.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "oclide/oclide.hpp"

namespace oclide::service {
namespace {

constexpr std::size_t kBuffer = 256 << 10;  // is on its way in a direction of a connection, at most
constexpr std::chrono::milliseconds kNoRoom{50};

}  // namespace

UnixDoor::UnixDoor(const std::string& path) : path_(path), buffer_(kBuffer) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), at.sun_path);
  // What a service that was killed has left.
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) unlink(path.c_str());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  alarm_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (listener_ >= 0 && alarm_ >= 0 && bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
      listen(listener_, SOMAXCONN) == 0)
    return;
  const std::string why = std::strerror(errno);
  for (const int socket : {listener_, alarm_})
    if (socket >= 0) close(socket);
  throw Error(ErrorKind::invalid_input, "cannot listen at unix:" + path + ": " + why);
}

UnixDoor::~UnixDoor() {
  stop();
  unlink(path_.c_str());
  for (const Connection& connection : connections_) {
    close(connection.outer);
    close(connection.inner);
  }
  close(listener_);
  close(alarm_);
}

void UnixDoor::open(Told told) {
  told_ = std::move(told);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void UnixDoor::shut() {
  const std::lock_guard lock(mutex_);
  is_shut_ = true;
}

void UnixDoor::stop() {
  thread_.request_stop();
  (void)eventfd_write(alarm_, 1);
  if (thread_.joinable()) thread_.join();
}

bool UnixDoor::end(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const Connection& connection) { return connection.peer == peer; });
  if (found == connections_.end()) return false;
  for (const int socket : {found->outer, found->inner}) shutdown(socket, SHUT_RDWR);
  return true;
}

void UnixDoor::take_in() {
  const int outer = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (outer < 0) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) std::this_thread::sleep_for(kNoRoom);
    return;
  }
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    close(outer);
    return;
  }
  const std::string peer = "fd:" + std::to_string(pair[1]);
  // gRPC has closed that one: its number is free.
  const auto before = std::find_if(connections_.begin(), connections_.end(),
                                   [&](const Connection& connection) { return connection.peer == peer; });
  if (before != connections_.end()) drop(before);
  const std::lock_guard lock(mutex_);
  connections_.push_back({outer, pair[0], peer, {}, {}});
  if (!is_shut_) return told_.begins(pair[1]);
  close(pair[1]);  // and so the connection ends at the next look
}

std::list<UnixDoor::Connection>::iterator UnixDoor::drop(std::list<Connection>::iterator connection) {
  const Connection gone = *connection;
  std::list<Connection>::iterator next;
  {
    const std::lock_guard lock(mutex_);
    next = connections_.erase(connection);
  }
  // While the name is its own: gRPC closes its end when it sees that this one is closed.
  told_.ended(gone.peer);
  close(gone.outer);
  close(gone.inner);
  return next;
}

// How many bytes were read.
std::size_t UnixDoor::pass(Way& way, int from, int to) {
  const auto has_failed = [](ssize_t result) { return result < 0 && errno != EAGAIN && errno != EINTR; };
  std::size_t came = 0;
  if (way.bytes.empty() && !way.is_closed) {
    const ssize_t read = recv(from, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    way.is_closed = read == 0 || has_failed(read);
    if (read > 0) way.bytes.assign(buffer_.data(), came = static_cast<std::size_t>(read));
  }
  if (way.bytes.empty()) return came;
  const ssize_t sent = send(to, way.bytes.data() + way.sent, way.bytes.size() - way.sent, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (has_failed(sent)) way = {{}, 0, true};
  if (sent > 0) way.sent += static_cast<std::size_t>(sent);
  // Memory is for those that send.
  if (way.sent == way.bytes.size()) way = {{}, 0, way.is_closed};
  return came;
}

bool UnixDoor::work(Connection& connection) {
  Way &in = connection.in, &out = connection.out;
  if (const std::size_t came = pass(in, connection.outer, connection.inner)) told_.came(connection.peer, came);
  // gRPC ends what it has to say, and then its end.
  if (in.is_closed && in.bytes.empty()) shutdown(connection.inner, SHUT_WR);
  pass(out, connection.inner, connection.outer);
  return !(out.is_closed && out.bytes.empty());
}

void UnixDoor::run(const std::stop_token& stop) {
  std::vector<pollfd> asked;
  while (!stop.stop_requested()) {
    asked = {{alarm_, POLLIN, 0}, {listener_, POLLIN, 0}};
    // The thread alone changes the list, and so reads it without the lock.
    const auto ask = [&asked](int socket, const Way& read, const Way& written) {
      const bool reads = read.bytes.empty() && !read.is_closed, writes = !written.bytes.empty();
      // Where there is nothing to do not even its end is of interest.
      asked.push_back(
          {reads || writes ? socket : -1, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0});
    };
    for (const Connection& c : connections_) {
      ask(c.outer, c.in, c.out);
      ask(c.inner, c.out, c.in);
    }
    if (poll(asked.data(), asked.size(), -1) < 0) continue;
    std::size_t k = 2;
    for (auto at = connections_.begin(); at != connections_.end(); k += 2) {
      const bool is_anything = asked[k].revents != 0 || asked[k + 1].revents != 0;
      at = !is_anything || work(*at) ? std::next(at) : drop(at);
    }
    if (asked[1].revents != 0) take_in();
  }
}

}  // namespace oclide::service
