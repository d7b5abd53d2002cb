// Connections over a socket of this machine. The kernel does not count what comes on those, and gRPC calls all of them
// by one name. So the service takes them in itself, hands on what it counts, and gRPC has the other end of a pair.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace oclide::service {

class UnixDoor {
 public:
  /// What is done about connections, by the names that gRPC has for them: any of the door's thread.
  struct Told {
    std::function<void(int socket)> begins;  ///< gRPC is to take that end, and to close it
    std::function<void(const std::string& peer, std::uint64_t bytes)> came;
    std::function<void(const std::string& peer)> ended;
  };
  /// Throws Error(invalid_input) with the reason where it cannot listen there. Another program does not.
  explicit UnixDoor(const std::string& path);
  ~UnixDoor();
  UnixDoor(const UnixDoor&) = delete;
  UnixDoor& operator=(const UnixDoor&) = delete;

  void open(Told told);
  /// Nobody comes in any more.
  void shut();
  /// Nor does anything go on; nothing is told any more.
  void stop();
  /// Any thread. The connection of that name is no more; whether there was one.
  bool end(const std::string& peer);

  static bool is_name(const std::string& peer) { return peer.starts_with("fd:"); }

 private:
  // What has been read from one socket and not yet written to the other.
  struct Way {
    std::string bytes;
    std::size_t sent = 0;
    bool is_closed = false;  // nothing more comes
  };
  struct Connection {
    int outer = -1, inner = -1;
    std::string peer;
    Way in, out;
  };

  void run(const std::stop_token& stop);
  void take_in();
  std::list<Connection>::iterator drop(std::list<Connection>::iterator connection);
  std::size_t pass(Way& way, int from, int to);
  // False: the connection has ended.
  bool work(Connection& connection);

  std::string path_;
  int listener_ = -1, alarm_ = -1;
  std::vector<char> buffer_;  // of the thread: what was just read
  Told told_;
  std::mutex mutex_;  // of what follows; connections_ are changed by the thread alone
  std::list<Connection> connections_;
  bool is_shut_ = false;
  std::jthread thread_;
};

}  // namespace oclide::service
