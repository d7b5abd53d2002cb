// Drivers of OpenCL do not survive fork(): their threads are not there in the child, and calls wait for them for ever.
#pragma once

namespace oclide::opencl {

/// From here on this process uses OpenCL.
void note_use();

/// Whether this process was forked from one that used OpenCL: what it has of OpenCL is not to be touched, nor given
/// back.
[[nodiscard]] bool is_forked();

/// Throws Error(device) where is_forked().
void check_process();

}  // namespace oclide::opencl
