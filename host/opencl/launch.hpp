// Starting kernels.
#pragma once

#include <cstddef>
#include <type_traits>

#include "opencl/buffer.hpp"
#include "opencl/device.hpp"

namespace oclide::opencl {

inline void set_argument(cl::Kernel& kernel, cl_uint index, const cl::Buffer& memory) {
  kernel.setArg(index, memory);
}
inline void set_argument(cl::Kernel& kernel, cl_uint index, const cl::LocalSpaceArg& local) {
  kernel.setArg(index, local);
}
template <class T>
void set_argument(cl::Kernel& kernel, cl_uint index, const Buffer<T>& buffer) {
  kernel.setArg(index, buffer.get());
}
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
         !std::is_same_v<T, bool>) void set_argument(cl::Kernel& kernel, cl_uint index, const T& value) {
  kernel.setArg(index, value);
}

/// The part of launch() that does not depend on the arguments' types.
void enqueue(Device& device, const cl::Kernel& kernel, StageTimer* timer, Stage stage, std::size_t global_items,
             std::size_t local);
/// "<kernel name>" for an error.
std::string kernel_name(const cl::Kernel& kernel);

/// Sets the arguments by their place (cl::Buffer, Buffer<T>, cl::LocalSpaceArg, or a scalar or struct whose size is the
/// kernel's) and starts the kernel over at least `global_items` work-items: the number is rounded up to a multiple of
/// `local`, so a kernel tests its index. `local` is at most work_group_size() of the kernel; 0 leaves it to the driver.
/// Nothing happens for 0 items. Does not block. Throws Error(device) with the kernel's name.
template <class... Arguments>
void launch(Device& device, cl::Kernel& kernel, StageTimer* timer, Stage stage, std::size_t global_items,
            std::size_t local, const Arguments&... arguments) {
  if (global_items == 0) return;
  cl_uint index = 0;
  try {
    (set_argument(kernel, index++, arguments), ...);
  } catch (const cl::Error& e) {
    throw device_error(kernel_name(kernel) + ": argument " + std::to_string(index - 1), e.err(), device.info().name);
  }
  enqueue(device, kernel, timer, stage, global_items, local);
}

}  // namespace oclide::opencl
