// The other side of serve.hpp: an engine's process, as the program that compares sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "peers/peer.hpp"
#include "process/child_process.hpp"

namespace oclide::bench {

/// Time and counts of one frame, as the engine answered them.
struct TimedFrame {
  double milliseconds = 0.0;
  std::uint64_t points = 0;
  std::optional<double> device_ms;
  std::vector<std::pair<std::string, double>> stages;
};

struct PeakMemory {
  std::optional<std::uint64_t> host_bytes, device_bytes;
};

/// A running engine. Every call throws an Error that names the engine when it fails, dies or takes too long, and ends
/// it then. The kind is invalid_input where the engine says that the scene or an option is at fault, else device.
class Child {
 public:
  /// Starts `command` with `environment` (NAME=VALUE) beside that of this process.
  Child(std::string name, const std::vector<std::string>& command, const std::vector<std::string>& environment);

  /// Waits until the scene is set.
  const PeerInfo& wait_until_ready(double seconds);
  [[nodiscard]] const PeerInfo& info() const { return info_; }
  TimedFrame collide(std::size_t frame, double seconds);
  /// What touched in the last frame, which goes by way of this file, and how many candidates the broad phase had.
  std::pair<std::vector<Touch>, std::optional<std::uint64_t>> touching(const std::string& file, double seconds);
  /// Of oclide: how many bodies' contacts were checked, and what did not hold; that is empty where all did.
  std::pair<std::size_t, std::string> check(std::size_t bodies, double seconds);
  PeakMemory memory(double seconds);

 private:
  void send(const std::string& line);
  /// The next line, whose first word must be `kind` (any where empty). Returns all of it.
  std::string receive(const std::string& kind, double seconds);
  [[noreturn]] void fail(const std::string& why, ErrorKind kind = ErrorKind::device);

  std::string name_;
  PeerInfo info_;
  std::optional<process::ChildProcess> process_;
};

}  // namespace oclide::bench
