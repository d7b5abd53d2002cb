// Starting kernels.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "opencl/buffer.hpp"
#include "opencl/device.hpp"

namespace oclide::opencl {

/// An argument as clSetKernelArg() takes it. What it points to must outlive it.
struct Argument {
  std::size_t bytes;
  const void* value;
};
inline Argument argument_of(const cl::Buffer& memory) {
  return {sizeof(cl_mem), &memory()};
}
inline Argument argument_of(const cl::LocalSpaceArg& local) {
  return {local.size_, nullptr};
}
inline Argument argument_of(const RawBuffer& buffer) {
  return argument_of(buffer.get());
}
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_same_v<T, bool>) Argument
    argument_of(const T& value) {
  return {sizeof(T), &value};
}

/// launch() with arguments in an array.
void start(Device& device, cl::Kernel& kernel, StageTimer* timer, Stage stage, std::size_t global_items,
           std::size_t local, std::span<const Argument> arguments);

/// Sets the arguments by their index (cl::Buffer, Buffer<T>, cl::LocalSpaceArg, or a scalar or struct whose size is the
/// kernel's) and starts the kernel over at least `global_items` work-items: the number is rounded up to a multiple of
/// `local`, so a kernel tests its index. `local` is at most work_group_size() of the kernel; 0 leaves it to the driver.
/// Nothing happens for 0 items. Does not block. Throws Error(device) with the kernel's name.
template <class... Arguments>
void launch(Device& device, cl::Kernel& kernel, StageTimer* timer, Stage stage, std::size_t global_items,
            std::size_t local, const Arguments&... arguments) {
  if (global_items == 0) return;
  const std::array<Argument, sizeof...(Arguments)> all{argument_of(arguments)...};
  start(device, kernel, timer, stage, global_items, local, all);
}

}  // namespace oclide::opencl
