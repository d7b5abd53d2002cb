// One measurement, in a process of its own. It has its own peak of memory and its own cores, and a driver that crashes
// ends this process alone. The parent hands a task over as JSON and gets JSON back.
#pragma once

#include <cstddef>
#include <string>

#include "bench/bench_scene.hpp"
#include "bench/row.hpp"

namespace oclide::command {

enum class TaskKind { copy, check, time };

struct Task {
  TaskKind kind = TaskKind::time;
  std::string device;            ///< id of devices()
  std::size_t threads = 1;       ///< cores that the process may use
  SceneChoice scene;             ///< of check and time
  std::size_t most_checked = 0;  ///< of check: bodies of the scene that is validated, which runs the reference
  double moved = 1.0;            ///< share of the bodies whose pose changes from frame to frame
  std::size_t warm_up = 0;       ///< frames before those that count
  std::size_t repetitions = 10;
};

/// Answer of a worker.
struct Answer {
  std::string error;  ///< one line; empty where all went well
  int status = 0;     ///< exit status that the error stands for
  double copy_gb_per_s = 0.0;
  bool holds = false;              ///< of check: the contacts are valid
  std::size_t checked_bodies = 0;  ///< of check
  std::string contact_hash;        ///< of check and time
  Row row;                         ///< of time: counts, times and traffic
};

/// Does the task in this process and prints the answer: what `oclide bench --worker` runs.
int run_worker(const std::string& task);

/// Does the task in a process of its own. A crash is an answer with an error.
[[nodiscard]] Answer ask_worker(const Task& task);

}  // namespace oclide::command
