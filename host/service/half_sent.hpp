// What clients have sent of messages that have not come as a whole. gRPC keeps that, whatever its resource quota and
// its limit on a message's size say: it looks at the size when the message is there. So the kernel is asked how much
// has come on each connection, and what was handed over as messages is taken off.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace oclide::service {

/// "ipv4:10.0.0.7:41234" without the port, which differs from stream to stream.
[[nodiscard]] std::string host_of(const std::string& peer);

class HalfSent {
 public:
  /// `refuse` ends all that a connection is in, by the peer that gRPC calls it by, and says whether there was anything.
  /// It is called as long as a client has more than `most` bytes, for the connection that has most of them. Where there
  /// is nothing to end, the connection is closed.
  HalfSent(std::uint64_t most, std::function<bool(const std::string& peer, std::uint64_t bytes)> refuse);
  ~HalfSent();
  HalfSent(const HalfSent&) = delete;
  HalfSent& operator=(const HalfSent&) = delete;

  /// A session of a client has begun. Any thread, as all else.
  void began(const std::string& peer, const std::string& client);
  /// A message has come as a whole, or one was sent.
  void came(const std::string& peer, std::uint64_t bytes) { add(peer, bytes + bytes / kOverhead + kSlack); }
  void sent(const std::string& peer, std::uint64_t bytes) { add(peer, bytes / kOverhead + kSlack); }
  /// Of a connection whose bytes the kernel does not count: what has come on it, and that it has ended.
  void arrived(const std::string& peer, std::uint64_t bytes);
  void ended(const std::string& peer);
  /// Of all clients.
  [[nodiscard]] std::uint64_t bytes();

 private:
  // What goes over the wire beside messages: frames, TLS, pings, and what gives room to answers.
  static constexpr std::uint64_t kOverhead = 64, kSlack = 256;
  struct Connection {
    std::string client;  // empty where no session has begun
    std::uint64_t received = 0, accounted = 0;
    std::uint64_t arrived = 0;  // since the last look
    bool is_told = false;       // by arrived() and ended()
    std::int64_t held = 0;      // below 0 where more was accounted for than had come
    int socket = -1;            // of this look; else it is gone
    [[nodiscard]] std::uint64_t half_sent() const { return held > 0 ? static_cast<std::uint64_t>(held) : 0; }
  };

  void add(const std::string& peer, std::uint64_t bytes);
  void run(const std::stop_token& stop);
  // Whether anybody is sending much.
  [[nodiscard]] bool look();
  void refuse_most();

  std::uint64_t most_;
  std::function<bool(const std::string&, std::uint64_t)> refuse_;
  std::mutex mutex_;
  std::map<std::string, Connection> connections_;  // by peer
  bool is_hurried_ = false;
  std::condition_variable_any stopped_;
  std::jthread thread_;
};

}  // namespace oclide::service
