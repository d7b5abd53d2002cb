// The OpenCL device that a benchmark of devices was asked for.
#pragma once

#include <string>

#include "opencl/device_list.hpp"

namespace oclide::bench {

/// The first usable one with this id or in whose name `name` is found; any where it is empty. Throws
/// Error(invalid_input) where there is none.
inline DeviceInfo chosen_device(const std::string& name) {
  for (const DeviceInfo& info : opencl_devices())
    if (info.usable && (info.id == name || info.name.find(name) != std::string::npos)) return info;
  throw Error(ErrorKind::invalid_input, "--device: there is no usable OpenCL device '" + name + "'");
}

}  // namespace oclide::bench
