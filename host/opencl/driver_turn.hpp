// Threads call the driver for a device in turn. NVIDIA's driver 580 crashes in a thread of its own where two threads
// make and enqueue commands of one context at the same time, which OpenCL allows.
#pragma once

#include <mutex>

namespace oclide::opencl {

/// While it lives, no other thread has the turn. A thread that has it already, keeps it.
class DriverTurn {
 public:
  explicit DriverTurn(std::mutex& driver);
  ~DriverTurn();
  DriverTurn(const DriverTurn&) = delete;
  DriverTurn& operator=(const DriverTurn&) = delete;

 private:
  std::mutex* driver_;  // null: the thread had the turn
  std::mutex* before_;  // another driver's, whose turn the thread has too
};

/// While it lives, others may have the turn that this thread has, if it has one: around a wait for the device, and
/// around work of the host. Nothing that it guards may be used meanwhile.
class DriverPause {
 public:
  DriverPause();
  ~DriverPause();
  DriverPause(const DriverPause&) = delete;
  DriverPause& operator=(const DriverPause&) = delete;

 private:
  std::mutex* driver_;
};

}  // namespace oclide::opencl
