// Device time per stage of the pipeline, from profiling events.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "oclide/oclide.hpp"
#include "opencl/cl.hpp"

namespace oclide::opencl {

enum class Stage { upload, broad_phase, narrow_phase, contact_reduction, download, tracking };

/// Collects the events of one frame. Not thread-safe.
class StageTimer {
 public:
  void record(Stage stage, cl::Event event) {
    if (on_) events_.emplace_back(stage, std::move(event));
  }

  /// Waits for the recorded commands, sums their device time and forgets them. `total` stays 0: it is wall time.
  /// Throws Error(device) when a command failed or the clock cannot be read.
  StageTimes collect();

  /// Whether commands are to be recorded; a frame that is not timed has no use for their events.
  void set_on(bool on) { on_ = on; }
  [[nodiscard]] bool on() const { return on_; }

  /// Forgets the recorded commands.
  void clear() { events_.clear(); }
  /// How many are recorded.
  [[nodiscard]] std::size_t commands() const { return events_.size(); }

 private:
  std::vector<std::pair<Stage, cl::Event>> events_;
  bool on_ = true;
};

}  // namespace oclide::opencl
