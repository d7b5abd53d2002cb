// The pipeline on an application's own context.
#pragma once

#include <memory>

#include "backend.hpp"
#include "opencl/cl.hpp"

namespace oclide {

/// On the device of this queue, which has been checked to be one of this context.
std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const cl::Context& context,
                                                       const cl::CommandQueue& queue);

}  // namespace oclide
