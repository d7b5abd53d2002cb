// The OpenCL device that tests run on: the first one that can be used, or the one that OCLIDE_TEST_DEVICE names.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "opencl/device_list.hpp"

namespace oclide::test {

/// Empty where there is none, for which a test is skipped.
inline std::optional<DeviceInfo> first_device() {
  const char* wanted = std::getenv("OCLIDE_TEST_DEVICE");
  for (const DeviceInfo& info : opencl_devices())
    if (info.usable && (wanted == nullptr || info.id == wanted || info.name.find(wanted) != std::string::npos))
      return info;
  return std::nullopt;
}

/// A simulator, thousands of times slower than a device.
inline bool is_simulator(const DeviceInfo& info) {
  return info.platform == "Oclgrind";
}

/// PoCL, which takes whatever options of the compiler it is given.
inline bool is_pocl(const DeviceInfo& info) {
  return info.platform == "Portable Computing Language";
}

}  // namespace oclide::test
