// Whether a device computes as its standard says: found out when it is opened, before any contact depends on it.
#pragma once

#include <string>

#include "opencl/cl.hpp"

namespace oclide::opencl {

class Device;

struct ArithmeticFault {
  std::string what;          ///< "a * b + c is 0 and not 1 for 2, 3, 4"; empty where there is none
  bool is_division = false;  ///< quotients or roots alone are wrong, which software can have right
};

/// Runs kernels/primitives/arithmetic_check.cl, or another program of the same kernel. NaN of any bits are equal;
/// subnormal numbers, which a device may set to zero, do not come up. Throws Error(device) when that fails.
ArithmeticFault find_arithmetic_fault(Device& device);
ArithmeticFault find_arithmetic_fault(Device& device, const cl::Program& program);

}  // namespace oclide::opencl
