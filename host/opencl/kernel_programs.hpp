// The programs that a Collider compiles on a device of a kind, as text: for compilers of devices that are not there.
#pragma once

#include <string>
#include <vector>

namespace oclide::opencl {

struct KernelProgram {
  std::string stem;                  ///< of kernels/<stem>.cl
  std::string options;               ///< all that a device gets which rounds quotients and roots itself
  std::vector<std::string> kernels;  ///< names, in the order of the text
};

/// All programs of a device of that kind, those that only some scenes need among them. Text: kernel_source(stem).
[[nodiscard]] std::vector<KernelProgram> kernel_programs(bool is_gpu);

}  // namespace oclide::opencl
