#include "bench/cores.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "oclide/oclide.hpp"

namespace oclide::command {

std::size_t available_cores() {
#ifdef __linux__
  cpu_set_t all;
  CPU_ZERO(&all);
  if (::sched_getaffinity(0, sizeof(all), &all) == 0) return static_cast<std::size_t>(std::max(1, CPU_COUNT(&all)));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

bool can_limit_cores() {
#ifdef __linux__
  return true;
#else
  return false;
#endif
}

bool pins_pocl_threads() {
#ifdef __linux__
  cpu_set_t all;
  CPU_ZERO(&all);
  if (std::getenv("POCL_AFFINITY") != nullptr || ::sched_getaffinity(0, sizeof(all), &all) != 0) return false;
  for (int cpu = 0; cpu < CPU_COUNT(&all); ++cpu)
    if (!CPU_ISSET(cpu, &all)) return false;
  return true;
#else
  return false;
#endif
}

void limit_cores([[maybe_unused]] std::size_t threads) {
#ifdef __linux__
  if (threads >= available_cores()) {
    if (pins_pocl_threads()) ::setenv("POCL_AFFINITY", "1", 1);
    return;
  }
  cpu_set_t all, some;
  CPU_ZERO(&all);
  CPU_ZERO(&some);
  if (::sched_getaffinity(0, sizeof(all), &all) != 0)
    throw Error(ErrorKind::device, std::string("cores: ") + std::strerror(errno));
  std::size_t taken = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && taken < threads; ++cpu)
    if (CPU_ISSET(cpu, &all)) {
      CPU_SET(cpu, &some);
      ++taken;
    }
  if (::sched_setaffinity(0, sizeof(some), &some) != 0)
    throw Error(ErrorKind::device, std::string("cores: ") + std::strerror(errno));
  ::setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads).c_str(), 1);  // PoCL does not look at the affinity
#endif
}

}  // namespace oclide::command
