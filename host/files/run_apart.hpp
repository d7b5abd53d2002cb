// Work in a process of its own: for readers of other projects, which damaged files make crash, loop or take all memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace oclide {

struct ApartLimits {
  std::size_t memory = 0;   ///< beyond what the process has already [bytes]
  std::size_t seconds = 0;  ///< of the processor
};

struct ApartResult {
  bool done = false;
  std::string text;  ///< what the work returned, or why there is nothing
};

/// Calls `work` in a child process, whose standard error goes nowhere, and gives what it returns. An Error that it
/// throws is thrown here. Where it does not come to its end, `text` says in a few words what happened. `work` must not
/// need other threads than its own.
[[nodiscard]] ApartResult run_apart(const ApartLimits& limits, const std::function<std::string()>& work);

}  // namespace oclide
