// OpenCL errors as oclide::Error of kind device.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "oclide/oclide.hpp"
#include "opencl/cl.hpp"

namespace oclide::opencl {

/// An error code as text, such as "CL_OUT_OF_RESOURCES"; "OpenCL error -N" for one that is not known.
std::string error_name(cl_int code);

/// A text of a driver's without blanks and zeros at its ends: some count a terminating zero, or pad with blanks.
std::string trimmed(std::string text);

/// Memory of the device, or what of it the settings allow, does not suffice.
class OutOfDeviceMemory final : public Error {
 public:
  explicit OutOfDeviceMemory(const std::string& message) : Error(ErrorKind::device, message) {}
};

/// "<what>: <code as text> on <device>".
Error device_error(std::string_view what, cl_int code, std::string_view device, const std::string& detail = {});

/// Calls `function` and turns cl::Error into Error; `what` names the kernel or buffer at work.
template <class Function>
decltype(auto) translate_errors(std::string_view what, std::string_view device, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (const cl::Error& e) {
    throw device_error(std::string(what) + ": " + e.what(), e.err(), device);
  }
}

}  // namespace oclide::opencl
