// Of a test program's own definitions of OpenCL's functions, which come before those of the loader, for the library as
// well.
#pragma once

#include <dlfcn.h>

#include <cstddef>

#include "opencl/cl.hpp"

namespace oclide::test {

/// The loader's function of that name, before which the program's own stands.
template <class Function>
Function* of_loader(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// How many of these events are not over: for the others there is no wait.
inline std::size_t unfinished(cl_uint count, const cl_event* events) {
  std::size_t found = 0;
  for (cl_uint k = 0; k < count; ++k) {
    cl_int state = CL_COMPLETE;
    clGetEventInfo(events[k], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
    found += state > CL_COMPLETE ? 1 : 0;
  }
  return found;
}

}  // namespace oclide::test
