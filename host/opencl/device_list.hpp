// The OpenCL devices that the loader lists.
#pragma once

#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// OpenCL devices only, in the loader's order; empty without any platform.
std::vector<DeviceInfo> opencl_devices();

}  // namespace oclide
