// The programs that a Collider compiles on a device of a kind, as text: for compilers of devices that are not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oclide::opencl {

/// What programs of bodies on terrain are compiled with a second time, for ground whose diagonals alternate.
inline constexpr std::string_view kAlternatingGround = "-DOCLIDE_ALTERNATING";

struct KernelProgram {
  std::string stem;                  ///< of kernels/<stem>.cl
  std::string options;               ///< all that a device gets which rounds quotients and roots itself
  std::vector<std::string> kernels;  ///< names, in the order of the text
};

/// All programs of a device of that kind, those that only some scenes need among them. Text: kernel_source(stem).
[[nodiscard]] std::vector<KernelProgram> kernel_programs(bool is_gpu);

}  // namespace oclide::opencl
