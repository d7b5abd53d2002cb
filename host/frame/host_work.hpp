// What the host has to do within a frame at some time or other: best while it would wait for the device.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "opencl/driver_turn.hpp"

namespace oclide {

class HostWork {
 public:
  void add(std::function<void()> work) { work_.push_back(std::move(work)); }
  [[nodiscard]] bool is_done() const { return work_.empty(); }
  /// Does what has been added since, in that order. The device should have commands by then. What work throws, this
  /// throws; the rest of it is dropped then.
  void run() {
    const opencl::DriverPause pause;
    for (const std::function<void()>& work : std::exchange(work_, {})) work();
  }

 private:
  std::vector<std::function<void()>> work_;
};

}  // namespace oclide
