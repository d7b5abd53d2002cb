#include "opencl/stage_timer.hpp"

#include "opencl/driver_turn.hpp"
#include "opencl/error.hpp"

namespace oclide::opencl {
namespace {

double& milliseconds_of(StageTimes& times, Stage stage) {
  switch (stage) {
    case Stage::upload:
      return times.upload;
    case Stage::broad_phase:
      return times.broad_phase;
    case Stage::narrow_phase:
      return times.narrow_phase;
    case Stage::contact_reduction:
      return times.contact_reduction;
    case Stage::download:
      return times.download;
    case Stage::tracking:
      return times.tracking;
  }
  return times.total;
}

}  // namespace

StageTimes StageTimer::collect() {
  StageTimes times;
  const std::vector<std::pair<Stage, cl::Event>> events = std::exchange(events_, {});
  translate_errors("stage times", "the device", [&] {
    for (const auto& [stage, event] : events) {
      {
        const DriverPause pause;
        event.wait();
      }
      const cl_ulong start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
      const cl_ulong end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
      if (end > start) milliseconds_of(times, stage) += static_cast<double>(end - start) * 1e-6;
    }
  });
  return times;
}

}  // namespace oclide::opencl
