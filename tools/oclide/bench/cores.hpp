// The cores of the host that a process may use.
#pragma once

#include <cstddef>

namespace oclide::command {

/// Cores that this process may use.
[[nodiscard]] std::size_t available_cores();
/// Whether a process can be bound to some of them.
[[nodiscard]] bool can_limit_cores();
/// Binds this process to so many of them. OpenCL runtimes and oneTBB look at their number when they are first used, so
/// this comes before. With all cores PoCL's threads are pinned, see pins_pocl_threads().
void limit_cores(std::size_t threads);

/// Whether PoCL is to have one thread pinned to each core (POCL_AFFINITY=1). It numbers cores from 0 on, so this is for
/// processes that may use them all. Threads that are not pinned take some milliseconds after each pause until the
/// system has spread them. False where the environment has the variable already.
[[nodiscard]] bool pins_pocl_threads();

}  // namespace oclide::command
