#include "opencl/launch.hpp"

namespace oclide::opencl {
namespace {

// For an error.
std::string kernel_name(const cl::Kernel& kernel) {
  try {
    std::string name = kernel.getInfo<CL_KERNEL_FUNCTION_NAME>();
    while (!name.empty() && name.back() == '\0') name.pop_back();
    return name;
  } catch (const cl::Error&) {
    return "kernel";
  }
}

}  // namespace

void start(Device& device, cl::Kernel& kernel, StageTimer* timer, Stage stage, std::size_t global_items,
           std::size_t local, std::span<const Argument> arguments) {
  cl_uint index = 0;
  try {
    for (; index < arguments.size(); ++index) kernel.setArg(index, arguments[index].bytes, arguments[index].value);
  } catch (const cl::Error& e) {
    throw device_error(kernel_name(kernel) + ": argument " + std::to_string(index), e.err(), device.info().name);
  }
  const std::size_t group = local == 0 ? 1 : local;
  const std::size_t rounded = (global_items + group - 1) / group * group;
  if (timer != nullptr && !timer->on()) timer = nullptr;
  try {
    cl::Event event;
    device.queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(rounded),
                                        local == 0 ? cl::NullRange : cl::NDRange(local), nullptr,
                                        timer != nullptr ? &event : nullptr);
    if (timer != nullptr) timer->record(stage, std::move(event));
  } catch (const cl::Error& e) {
    throw device_error(kernel_name(kernel), e.err(), device.info().name);
  }
}

}  // namespace oclide::opencl
