#include "opencl/process.hpp"

#include <unistd.h>

#include <atomic>

#include "oclide/oclide.hpp"

namespace oclide::opencl {
namespace {

std::atomic<pid_t> user_process = 0;  // that used OpenCL first, 0: none has; children have the value of their parent

}  // namespace

void note_use() {
  pid_t none = 0;
  user_process.compare_exchange_strong(none, getpid());
}

bool is_forked() {
  const pid_t user = user_process;
  return user != 0 && user != getpid();
}

void check_process() {
  if (is_forked())
    throw Error(ErrorKind::device,
                "this process was forked after OpenCL was in use, which it can no longer use: start it with spawn or "
                "forkserver");
}

}  // namespace oclide::opencl
