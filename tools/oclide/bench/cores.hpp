// The cores of the host that a process may use.
#pragma once

#include <cstddef>

namespace oclide::command {

/// Cores that this process may use.
[[nodiscard]] std::size_t available_cores();
/// Whether a process can be bound to some of them.
[[nodiscard]] bool can_limit_cores();
/// Binds this process to so many of them. Before anything has looked at their number: OpenCL runtimes and oneTBB do so
/// when they are first used. With all of them PoCL's threads are pinned, see pins_pocl_threads().
void limit_cores(std::size_t threads);

/// Whether PoCL can have a thread on each core, one pinned to each (POCL_AFFINITY=1): it numbers cores from 0 on, so
/// that this is for processes that may use them all. Where they are not, it is some milliseconds after each pause until
/// the system has spread them. False where the environment says how it is to be.
[[nodiscard]] bool pins_pocl_threads();

}  // namespace oclide::command
