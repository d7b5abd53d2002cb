// The OpenCL C++ bindings as this library uses them: OpenCL 1.2, errors as exceptions. The macros are set in CMake.
#pragma once

#include <CL/opencl.hpp>

#if !defined(CL_HPP_ENABLE_EXCEPTIONS) || CL_HPP_TARGET_OPENCL_VERSION != 120
#error "compile with CL_HPP_ENABLE_EXCEPTIONS and CL_HPP_TARGET_OPENCL_VERSION=120"
#endif
