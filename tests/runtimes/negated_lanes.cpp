// Prints what a device makes of tests/runtimes/negated_lanes.cl: sixteen numbers.
//   negated_lanes KERNEL_FILE
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "oclide/opencl.hpp"
#include "opencl/cl.hpp"
#include "opencl/first_device.hpp"

int main(int argc, char** argv) {
  const std::optional<oclide::DeviceInfo> info = oclide::test::first_device();
  if (argc != 2 || !info) return 77;
  try {
    const cl::Device device(oclide::opencl_handle(*info), true);
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device);
    std::ifstream file(argv[1]);
    const cl::Program program(context, std::string(std::istreambuf_iterator<char>(file), {}));
    program.build({device}, "-cl-std=CL1.2");
    std::array<float, 8> a{1, 0, 1, 0, 1, 0, 1, 0}, b{1, 1, 0, 0, 1, 1, 0, 0};
    std::array<int, 16> lanes{};
    const cl::Buffer from_a(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(a), a.data());
    const cl::Buffer from_b(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(b), b.data());
    const cl::Buffer to(context, CL_MEM_WRITE_ONLY, sizeof(lanes));
    cl::Kernel kernel(program, "negated_lanes");
    kernel.setArg(0, from_a);
    kernel.setArg(1, from_b);
    kernel.setArg(2, to);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
    queue.enqueueReadBuffer(to, CL_TRUE, 0, sizeof(lanes), lanes.data());
    for (const int lane : lanes) std::printf("%d ", lane);
    std::printf("\n");
  } catch (const cl::Error& e) {
    std::fprintf(stderr, "%s: %d\n", e.what(), e.err());
    return 1;
  }
}
