// A kernel that is compiled when it is first needed.
#pragma once

#include <string>
#include <utility>

#include "opencl/launch.hpp"

namespace oclide::opencl {

class LazyKernel {
 public:
  /// As Device::kernel(). The device outlives it.
  LazyKernel(Device& device, std::string stem, std::string name, std::string options = {})
      : device_(device), stem_(std::move(stem)), name_(std::move(name)), options_(std::move(options)) {}

  /// Compiles it the first time; throws Error(device) where that fails.
  [[nodiscard]] cl::Kernel& get() {
    if (kernel_() == nullptr) kernel_ = device_.kernel(stem_, name_, options_);
    return kernel_;
  }

 private:
  Device& device_;
  std::string stem_, name_, options_;
  cl::Kernel kernel_;
};

/// As launch() of the kernel, which is not compiled for 0 items.
template <class... Arguments>
void launch(Device& device, LazyKernel& kernel, StageTimer* timer, Stage stage, std::size_t global_items,
            std::size_t local, const Arguments&... arguments) {
  if (global_items > 0) launch(device, kernel.get(), timer, stage, global_items, local, arguments...);
}

}  // namespace oclide::opencl
