#include "resident/given_memory.hpp"

#include <string>

#include "oclide/oclide.hpp"
#include "opencl/error.hpp"

namespace oclide {
namespace {

[[noreturn]] void refuse_given(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

template <class T, class Get, class Handle>
T info_of(const char* name, const char* what, Get&& get, Handle handle, cl_uint key) {
  T value{};
  const cl_int code = get(handle, key, sizeof(value), &value, nullptr);
  if (code != CL_SUCCESS) refuse_given(std::string(name) + " is no " + what + ": " + opencl::error_name(code));
  return value;
}

}  // namespace

void check_given_buffer(const char* name, cl_mem memory, const GivenNumbers& needed, const cl::Context& context) {
  if (memory == nullptr) refuse_given(std::string(name) + " is null");
  const auto info = [&]<class T>(T, cl_uint key) {
    return info_of<T>(name, "memory object", clGetMemObjectInfo, memory, key);
  };
  if (info(cl_mem_object_type{}, CL_MEM_TYPE) != CL_MEM_OBJECT_BUFFER)
    refuse_given(std::string(name) + " is no buffer");
  if (info(cl_context{}, CL_MEM_CONTEXT) != context())
    refuse_given(std::string(name) + " is a buffer of another context than the Collider's");
  if ((info(cl_mem_flags{}, CL_MEM_FLAGS) & CL_MEM_WRITE_ONLY) != 0)
    refuse_given(std::string(name) + " is a buffer that kernels may not read");
  const std::size_t bytes = info(std::size_t{}, CL_MEM_SIZE), wanted = needed.things * needed.numbers * sizeof(float);
  if (bytes < wanted)
    refuse_given(std::string(name) + " has " + std::to_string(bytes) + " bytes, " + std::to_string(wanted) + " are " +
                 std::to_string(needed.numbers) + " " + needed.numbers_name + " for each of " +
                 std::to_string(needed.things) + " " + needed.things_name);
}

void check_given_events(const cl_event* wait_list, cl_uint count, const cl::Context& context) {
  if (count > 0 && wait_list == nullptr) refuse_given("wait_list is null");
  for (cl_uint k = 0; k < count; ++k) {
    const std::string name = "wait_list[" + std::to_string(k) + "]";
    if (wait_list[k] == nullptr) refuse_given(name + " is null");
    if (info_of<cl_context>(name.c_str(), "event", clGetEventInfo, wait_list[k], CL_EVENT_CONTEXT) != context())
      refuse_given(name + " is an event of another context than the Collider's");
  }
}

std::vector<cl::Event> given_events(const cl_event* wait_list, cl_uint count) {
  std::vector<cl::Event> events;
  for (cl_uint k = 0; k < count; ++k) events.emplace_back(wait_list[k], true);
  return events;
}

}  // namespace oclide
