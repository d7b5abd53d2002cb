// Whether a device computes as its standard says: found out when it is opened, before any contact depends on it.
#pragma once

#include <functional>
#include <string>

#include "opencl/cl.hpp"

namespace oclide::opencl {

class Device;

struct ArithmeticFault {
  std::string what;          ///< "a * b + c is 0 and not 1 for a, b, c = 2, 3, 4"; empty where there is none
  bool is_division = false;  ///< quotients or roots alone are wrong, which software can have right
};

/// Runs the kernel of kernels/primitives/arithmetic_check.cl, compiled as `program`, on the device's transfer queue.
/// NaN of any bits are equal, and zeros of either sign; subnormal numbers, which a device may set to zero, do not come
/// up. Throws Error(device) when that fails.
ArithmeticFault find_arithmetic_fault(Device& device, const cl::Program& program);

/// What all kernels are compiled with: with the device's own quotients and roots, or with those in software.
std::string build_options(bool divides_itself);
/// What kernels for a device of a kind are compiled with besides: the lanes of a work-item (kernels/math/lanes.clh).
std::string kind_options(bool is_gpu);

/// The options to compile all kernels of a device with: with its own quotients and roots where it says that it
/// `rounds_division` and has them right, else with those in software; and with `further` ones. `fault_with` tells what
/// is wrong with options, and throws Error(device) where that cannot be told. Throws Error(device) where nothing helps:
/// for the device of this name.
std::string choose_build_options(bool rounds_division, const std::string& further, const std::string& device,
                                 const std::function<ArithmeticFault(const std::string&)>& fault_with);

}  // namespace oclide::opencl
