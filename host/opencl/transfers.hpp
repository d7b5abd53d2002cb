// Copies between host and device that are under way.
#pragma once

#include <utility>
#include <vector>

#include "opencl/cl.hpp"
#include "opencl/driver_turn.hpp"
#include "opencl/error.hpp"

namespace oclide::opencl {

/// The host memory that they read or write must stay as long as this, or until wait() has returned.
class Transfers {
 public:
  Transfers() = default;
  ~Transfers() { settle(); }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  void add(cl::Event event) { events_.push_back(std::move(event)); }

  /// Waits for all. Throws Error(device) when one failed.
  void wait() {
    const std::vector<cl::Event> events = std::exchange(events_, {});
    cl_int reason = CL_SUCCESS;
    const DriverPause pause;
    // The last one first: where they are of one queue the rest is done by then, and the host has slept once.
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      try {
        event->wait();
      } catch (const cl::Error& e) {
        reason = e.err();
      }
    }
    if (reason != CL_SUCCESS) throw device_error("transfer", reason, "the device");
  }
  /// The same; false where one failed.
  bool settle() {
    try {
      wait();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

 private:
  std::vector<cl::Event> events_;
};

}  // namespace oclide::opencl
