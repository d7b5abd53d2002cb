#include "bench/copy_bandwidth.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "oclide/opencl.hpp"

namespace oclide::command {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{128} << 20;  // of each of the two buffers
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kCaches = 8;  // a buffer is this many times as large as the cache
constexpr int kRepetitions = 8;

constexpr const char* kSource =
    "__kernel void copy(__global const float4* restrict from, __global float4* restrict to) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  to[i] = from[i];\n"
    "}\n";

void must(cl_int status, const DeviceInfo& device, const char* what) {
  if (status != CL_SUCCESS)
    throw Error(ErrorKind::device,
                device.name + ": copy bandwidth: " + what + " failed with code " + std::to_string(status));
}

template <auto Release>
struct Releaser {
  template <class Handle>
  void operator()(Handle* handle) const {
    Release(handle);
  }
};
using Context = std::unique_ptr<std::remove_pointer_t<cl_context>, Releaser<clReleaseContext>>;
using Queue = std::unique_ptr<std::remove_pointer_t<cl_command_queue>, Releaser<clReleaseCommandQueue>>;
using Memory = std::unique_ptr<std::remove_pointer_t<cl_mem>, Releaser<clReleaseMemObject>>;
using Program = std::unique_ptr<std::remove_pointer_t<cl_program>, Releaser<clReleaseProgram>>;
using Kernel = std::unique_ptr<std::remove_pointer_t<cl_kernel>, Releaser<clReleaseKernel>>;
using Event = std::unique_ptr<std::remove_pointer_t<cl_event>, Releaser<clReleaseEvent>>;

// Seconds between the start and the end of a command, on the device's clock.
double seconds_of(cl_event event, const DeviceInfo& device) {
  must(clWaitForEvents(1, &event), device, "waiting");
  cl_ulong start = 0, end = 0;
  must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, nullptr), device, "the clock");
  must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, nullptr), device, "the clock");
  return 1e-9 * static_cast<double>(end - std::min(start, end));
}

double on_device(const DeviceInfo& info) {
  cl_device_id id = opencl_handle(info);
  cl_ulong cache = 0;
  must(clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cache), &cache, nullptr), info, "asking the device");
  const std::size_t room = std::min<std::uint64_t>(info.largest_allocation_bytes, info.memory_bytes / 4);
  std::size_t bytes = std::clamp<std::size_t>(kCaches * cache, kLeastBytes, kMostBytes);
  bytes = std::min(bytes, room) / 4096 * 4096;
  if (bytes == 0) throw Error(ErrorKind::device, info.name + ": copy bandwidth: the device has no memory");

  cl_int status = CL_SUCCESS;
  const Context context(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status));
  must(status, info, "a context");
  const Queue queue(clCreateCommandQueue(context.get(), id, CL_QUEUE_PROFILING_ENABLE, &status));
  must(status, info, "a queue");
  std::array<Memory, 2> buffers;
  for (Memory& buffer : buffers) {
    buffer.reset(clCreateBuffer(context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    must(status, info, "a buffer");
    const cl_uint pattern = 1;
    must(clEnqueueFillBuffer(queue.get(), buffer.get(), &pattern, sizeof(pattern), 0, bytes, 0, nullptr, nullptr), info,
         "filling");
  }
  const Program program(
      clCreateProgramWithSource(context.get(), 1, const_cast<const char**>(&kSource), nullptr, &status));
  must(status, info, "a program");
  must(clBuildProgram(program.get(), 1, &id, "-cl-std=CL1.2", nullptr, nullptr), info, "compiling");
  const Kernel kernel(clCreateKernel(program.get(), "copy", &status));
  must(status, info, "a kernel");
  for (cl_uint k = 0; k < 2; ++k) {
    cl_mem buffer = buffers[k].get();
    must(clSetKernelArg(kernel.get(), k, sizeof(buffer), &buffer), info, "an argument");
  }

  double best = 0.0;
  const std::size_t items = bytes / sizeof(cl_float4);
  for (int r = 0; r < kRepetitions; ++r)
    for (const bool by_kernel : {false, true}) {
      cl_event raw = nullptr;
      must(by_kernel
               ? clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &items, nullptr, 0, nullptr, &raw)
               : clEnqueueCopyBuffer(queue.get(), buffers[0].get(), buffers[1].get(), 0, 0, bytes, 0, nullptr, &raw),
           info, "copying");
      const Event event(raw);
      const double seconds = seconds_of(raw, info);
      if (r > 0 && seconds > 0.0) best = std::max(best, 2e-9 * static_cast<double>(bytes) / seconds);
    }
  return best;
}

double on_host() {
  constexpr std::size_t kBytes = kLeastBytes * 2, kPart = std::size_t{1} << 20;
  std::vector<char> from(kBytes, 1), to(kBytes, 2);
  double best = 0.0;
  for (int r = 0; r < kRepetitions; ++r) {
    const auto start = std::chrono::steady_clock::now();
    tbb::parallel_for(std::size_t{0}, kBytes / kPart,
                      [&](std::size_t p) { std::memcpy(to.data() + p * kPart, from.data() + p * kPart, kPart); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (r > 0) best = std::max(best, 2e-9 * static_cast<double>(kBytes) / seconds);
  }
  return best;
}

}  // namespace

double copy_gb_per_s(const DeviceInfo& device) {
  return device.is_reference ? on_host() : on_device(device);
}

}  // namespace oclide::command
