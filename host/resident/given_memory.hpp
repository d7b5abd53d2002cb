// Buffers and events of an application's, checked as far as OpenCL can tell before anything is enqueued.
#pragma once

#include <cstddef>
#include <vector>

#include "opencl/cl.hpp"

namespace oclide {

/// What a buffer has to have: so many numbers of 4 bytes for each of so many things.
struct GivenNumbers {
  std::size_t things;
  const char* things_name;  ///< "bodies"
  std::size_t numbers;
  const char* numbers_name;  ///< "floats"
};

/// Throws Error(invalid_input) with the buffer's name where it is not one of this context that kernels may read and
/// that has all these numbers.
void check_given_buffer(const char* name, cl_mem memory, const GivenNumbers& needed, const cl::Context& context);
/// Throws Error(invalid_input) naming the entry that is no event of this context.
void check_given_events(const cl_event* wait_list, cl_uint count, const cl::Context& context);
/// These events; retained.
[[nodiscard]] std::vector<cl::Event> given_events(const cl_event* wait_list, cl_uint count);

}  // namespace oclide
