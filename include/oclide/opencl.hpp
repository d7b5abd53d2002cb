// The one public header with OpenCL types in it: which OpenCL device an oclide device is, and the other way round, for
// applications that use OpenCL themselves.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "oclide/oclide.hpp"

namespace oclide {

/// The OpenCL device behind an entry of devices(). Not retained for the caller: root devices live as long as their
/// platform. Throws Error(invalid_input) for the reference, Error(device) when the device is no longer there.
[[nodiscard]] OCLIDE_API cl_device_id opencl_handle(const DeviceInfo& info);

/// The entry of devices() for an OpenCL device; its `id` is what Settings::device takes. Throws Error(invalid_input)
/// when it is none of them (a sub-device, say).
[[nodiscard]] OCLIDE_API DeviceInfo device_info(cl_device_id device);

}  // namespace oclide
