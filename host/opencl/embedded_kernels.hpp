// The text of the kernels, embedded at build time with includes expanded. See tools/cmake/EmbedKernels.cmake.
#pragma once

#include <string_view>
#include <vector>

namespace oclide {

/// OpenCL C of kernels/<stem>.cl, such as "broad_phase/terrain_bounds". Throws Error(device) for an unknown stem.
std::string_view kernel_source(std::string_view stem);

/// All stems, in the order of kernels/CMakeLists.txt.
std::vector<std::string_view> kernel_stems();

}  // namespace oclide
