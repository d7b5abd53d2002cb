#include "service/half_sent.hpp"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <utility>

#include "service/unix_door.hpp"

namespace oclide::service {
namespace {

constexpr std::int64_t kMuch = 1 << 20;       // bytes of a connection that are looked at often
constexpr std::uint64_t kVeryMuch = 8 << 20;  // since the last look: looked at at once, where it is known
constexpr std::chrono::nanoseconds kOften = std::chrono::milliseconds(20), kSeldom = std::chrono::milliseconds(250);
constexpr int kRest = 50;  // times as long as a look took, where little comes: it takes longer for more connections
constexpr std::int64_t kForgiven = 256;  // bytes of a connection that are forgotten at each look: pings, say
// More may have been taken off than had come: messages come on while the kernel is asked. So much is remembered.
constexpr std::int64_t kAhead = 16 << 20;

// As gRPC writes it; empty for what is no connection over IP.
std::string peer_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return std::string("ipv4:") + text.data() + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (address.ss_family != AF_INET6) return {};
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  const std::string port = ":" + std::to_string(ntohs(v6.sin6_port));
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
    return std::string("ipv4:") + text.data() + port;
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return std::string("ipv6:%5B") + text.data() + "%5D" + port;
}

}  // namespace

std::string host_of(const std::string& peer) {
  if (UnixDoor::is_name(peer)) return "unix";
  return peer.starts_with("unix:") ? peer : peer.substr(0, peer.rfind(':'));
}

HalfSent::HalfSent(std::uint64_t most, std::function<bool(const std::string&, std::uint64_t)> refuse)
    : most_(most), refuse_(std::move(refuse)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

HalfSent::~HalfSent() {
  thread_.request_stop();
}

void HalfSent::began(const std::string& peer, const std::string& client) {
  const std::lock_guard lock(mutex_);
  connections_[peer].client = client;
}

void HalfSent::add(const std::string& peer, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto found = connections_.find(peer); found != connections_.end()) found->second.accounted += bytes;
}

void HalfSent::arrived(const std::string& peer, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  Connection& connection = connections_[peer];
  connection.is_told = true;
  connection.arrived += bytes;
  if (connection.arrived < kVeryMuch) return;
  is_hurried_ = true;
  stopped_.notify_one();
}

void HalfSent::ended(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  connections_.erase(peer);
}

std::uint64_t HalfSent::bytes() {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [peer, connection] : connections_) sum += connection.half_sent();
  return sum;
}

void HalfSent::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto begin = std::chrono::steady_clock::now();
    const bool is_much = look();
    const std::chrono::nanoseconds rest = kRest * (std::chrono::steady_clock::now() - begin);
    refuse_most();
    std::unique_lock lock(mutex_);
    (void)stopped_.wait_for(lock, stop, is_much ? kOften : std::clamp(rest, kOften, kSeldom),
                            [&] { return std::exchange(is_hurried_, false); });
  }
}

bool HalfSent::look() {
  std::map<std::string, std::pair<int, std::uint64_t>> now;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int socket = -1;
    std::from_chars(name.data(), name.data() + name.size(), socket);
    tcp_info info{};
    socklen_t size = sizeof(info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_bytes_received == 0) continue;
    if (std::string peer = peer_of(socket); !peer.empty()) now[std::move(peer)] = {socket, info.tcpi_bytes_received};
  }
  const std::lock_guard lock(mutex_);
  bool is_much = false;
  for (auto known = connections_.begin(); known != connections_.end();) {
    Connection& connection = known->second;
    const auto found = now.find(known->first);
    // One that is just accepted may have sent nothing.
    const bool is_gone = found == now.end() && connection.received > 0;
    connection.socket = -1;
    std::uint64_t came = std::exchange(connection.arrived, 0);
    if (found != now.end()) {
      const auto [socket, received] = found->second;
      came = received - std::min(received, connection.received);
      connection.received = received;
      connection.socket = socket;
      now.erase(found);
    }
    if (connection.socket >= 0 || connection.is_told) {
      const auto gone = static_cast<std::int64_t>(std::exchange(connection.accounted, 0)) + kForgiven;
      connection.held = std::max(connection.held + static_cast<std::int64_t>(came) - gone, -kAhead);
      is_much = is_much || connection.held > kMuch;
    }
    known = is_gone ? connections_.erase(known) : std::next(known);
  }
  for (const auto& [peer, found] : now) {
    Connection& connection = connections_[peer];
    connection.socket = found.first;
    connection.received = found.second;
    connection.held = static_cast<std::int64_t>(found.second);
  }
  return is_much;
}

void HalfSent::refuse_most() {
  for (;;) {
    std::string peer;
    std::uint64_t bytes = 0;
    int socket = -1;
    {
      const std::lock_guard lock(mutex_);
      std::map<std::string, std::uint64_t> of_client;
      const auto client_of = [](const auto& entry) {
        return entry.second.client.empty() ? host_of(entry.first) : entry.second.client;
      };
      for (const auto& entry : connections_) of_client[client_of(entry)] += entry.second.half_sent();
      std::uint64_t most = 0;
      for (auto& entry : connections_) {
        const std::uint64_t sum = of_client[client_of(entry)];
        if (sum <= most_ || entry.second.half_sent() <= most) continue;
        peer = entry.first, bytes = sum, socket = entry.second.socket;
        most = entry.second.half_sent();
      }
      if (peer.empty()) return;
      connections_[peer].held = 0;
    }
    if (!refuse_(peer, bytes) && peer_of(socket) == peer) shutdown(socket, SHUT_RDWR);
  }
}

}  // namespace oclide::service
