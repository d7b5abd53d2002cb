// What is said where no OpenCL device is usable.
#pragma once

namespace oclide {

/// One line, without the name of who says it.
inline constexpr const char* kNoDevice =
    "no usable OpenCL device, so the CPU reference is used, which is slow: a GPU's driver brings a device; for CPUs "
    "install PoCL (Debian: pocl-opencl-icd)";

}  // namespace oclide
