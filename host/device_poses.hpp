// The poses of one frame on the device, and on their way there.
#pragma once

#include <vector>

#include "opencl/buffer.hpp"

namespace oclide {

struct DevicePoses {
  explicit DevicePoses(opencl::Device& device)
      : high(device, "positions"), low(device, "positions (low parts)"), orientation(device, "orientations") {}

  std::vector<float> staging_high, staging_low, staging_orientation;
  opencl::Buffer<float> high, low, orientation;
  std::vector<cl::Event> uploads;  // of the transfer queue, still to be waited for
};

}  // namespace oclide
