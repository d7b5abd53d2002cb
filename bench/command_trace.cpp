// Every OpenCL command of a program, with its times on the device: preloaded (LD_PRELOAD), it stands before the loader.
// OCLIDE_COMMAND_TRACE names the file that is written when the program ends, comma-separated, a line a command:
//
//   frame,command,name,items,group,bytes,blocking,queued_ns,start_ns,end_ns
//
// `command` is kernel, read, write, copy, fill or migrate, all with times where their queue has profiling, or wait:
// a call that waits for the device without moving data (a blocking read counts in its own line). A program that calls
// command_trace_frame(n), where it finds it, says which frame the commands that follow belong to; others are frame 0.
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct Command {
  int frame = 0;
  const char* kind = "";
  std::string name = {};
  std::size_t items = 0, group = 0, bytes = 0;
  bool blocking = false;
  cl_event event = nullptr;
};

// Never destroyed: an OpenCL call may come late.
struct Trace {
  std::mutex mutex;
  std::vector<Command> commands;
  std::map<cl_kernel, std::string> names;
  int frame = 0;
};
Trace& trace() {
  static Trace* const all = new Trace;
  return *all;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

cl_ulong time_of(cl_event event, cl_profiling_info which) {
  cl_ulong time = 0;
  if (event == nullptr || clGetEventProfilingInfo(event, which, sizeof time, &time, nullptr) != CL_SUCCESS) return 0;
  return time;
}

// Calls the loader's function with an event of ours where the caller asks for none.
template <class Call>
cl_int traced(Command command, cl_event* asked, Call call) {
  cl_event own = nullptr;
  cl_event* const event = asked != nullptr ? asked : &own;
  const cl_int status = call(event);
  if (status == CL_SUCCESS) {
    if (asked != nullptr) clRetainEvent(*asked);
    command.event = *event;
    const std::scoped_lock lock(trace().mutex);
    command.frame = trace().frame;
    trace().commands.push_back(std::move(command));
  }
  return status;
}

std::string name_of(cl_kernel kernel) {
  {
    const std::scoped_lock lock(trace().mutex);
    const auto found = trace().names.find(kernel);
    if (found != trace().names.end()) return found->second;
  }
  char name[256] = "";
  clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr);
  const std::scoped_lock lock(trace().mutex);
  return trace().names[kernel] = name;
}

void write() {
  const char* file = std::getenv("OCLIDE_COMMAND_TRACE");
  std::FILE* to = file != nullptr ? std::fopen(file, "w") : nullptr;
  if (to == nullptr) return;
  std::fprintf(to, "frame,command,name,items,group,bytes,blocking,queued_ns,start_ns,end_ns\n");
  const std::scoped_lock lock(trace().mutex);
  for (const Command& c : trace().commands) {
    const auto at = [&](cl_profiling_info which) { return static_cast<unsigned long long>(time_of(c.event, which)); };
    std::fprintf(to, "%d,%s,%s,%zu,%zu,%zu,%d,%llu,%llu,%llu\n", c.frame, c.kind, c.name.c_str(), c.items, c.group,
                 c.bytes, c.blocking ? 1 : 0, at(CL_PROFILING_COMMAND_QUEUED), at(CL_PROFILING_COMMAND_START),
                 at(CL_PROFILING_COMMAND_END));
  }
  std::fclose(to);
}

}  // namespace

EXPORTED void command_trace_frame(int frame) {
  const std::scoped_lock lock(trace().mutex);
  trace().frame = frame;
}
/// Writes the file, while the device is still there.
EXPORTED void command_trace_write() {
  write();
}

EXPORTED cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                       const size_t* offset, const size_t* global, const size_t* local, cl_uint events,
                                       const cl_event* list, cl_event* event) {
  static const auto real = next<decltype(&clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel");
  return traced({.kind = "kernel", .name = name_of(kernel), .items = global[0], .group = local != nullptr ? *local : 0},
                event,
                [&](cl_event* to) { return real(queue, kernel, dimensions, offset, global, local, events, list, to); });
}

EXPORTED cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                    size_t bytes, void* host, cl_uint events, const cl_event* list, cl_event* event) {
  static const auto real = next<decltype(&clEnqueueReadBuffer)>("clEnqueueReadBuffer");
  return traced({.kind = "read", .bytes = bytes, .blocking = blocking == CL_TRUE}, event,
                [&](cl_event* to) { return real(queue, buffer, blocking, offset, bytes, host, events, list, to); });
}

EXPORTED cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                     size_t bytes, const void* host, cl_uint events, const cl_event* list,
                                     cl_event* event) {
  static const auto real = next<decltype(&clEnqueueWriteBuffer)>("clEnqueueWriteBuffer");
  return traced({.kind = "write", .bytes = bytes, .blocking = blocking == CL_TRUE}, event,
                [&](cl_event* to) { return real(queue, buffer, blocking, offset, bytes, host, events, list, to); });
}

EXPORTED cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem into, size_t from_offset,
                                    size_t into_offset, size_t bytes, cl_uint events, const cl_event* list,
                                    cl_event* event) {
  static const auto real = next<decltype(&clEnqueueCopyBuffer)>("clEnqueueCopyBuffer");
  return traced({.kind = "copy", .bytes = bytes}, event, [&](cl_event* to) {
    return real(queue, from, into, from_offset, into_offset, bytes, events, list, to);
  });
}

EXPORTED cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size,
                                    size_t offset, size_t bytes, cl_uint events, const cl_event* list,
                                    cl_event* event) {
  static const auto real = next<decltype(&clEnqueueFillBuffer)>("clEnqueueFillBuffer");
  return traced({.kind = "fill", .bytes = bytes}, event, [&](cl_event* to) {
    return real(queue, buffer, pattern, pattern_size, offset, bytes, events, list, to);
  });
}

EXPORTED cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem* buffers,
                                           cl_mem_migration_flags flags, cl_uint events, const cl_event* list,
                                           cl_event* event) {
  static const auto real = next<decltype(&clEnqueueMigrateMemObjects)>("clEnqueueMigrateMemObjects");
  return traced({.kind = "migrate"}, event,
                [&](cl_event* to) { return real(queue, count, buffers, flags, events, list, to); });
}

EXPORTED cl_int clFinish(cl_command_queue queue) {
  static const auto real = next<decltype(&clFinish)>("clFinish");
  const std::scoped_lock lock(trace().mutex);
  trace().commands.push_back({.frame = trace().frame, .kind = "wait", .name = "finish", .blocking = true});
  return real(queue);
}

EXPORTED cl_int clWaitForEvents(cl_uint count, const cl_event* list) {
  static const auto real = next<decltype(&clWaitForEvents)>("clWaitForEvents");
  bool is_over = true;  // waiting for what is done is no wait
  for (cl_uint k = 0; k < count; ++k) {
    cl_int state = CL_COMPLETE;
    clGetEventInfo(list[k], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
    is_over = is_over && state <= CL_COMPLETE;
  }
  if (!is_over) {
    const std::scoped_lock lock(trace().mutex);
    trace().commands.push_back({.frame = trace().frame, .kind = "wait", .name = "events", .blocking = true});
  }
  return real(count, list);
}
