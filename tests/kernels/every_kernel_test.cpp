// Every kernel that is embedded compiles on the device.
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "opencl/arithmetic_check.hpp"
#include "opencl/embedded_kernels.hpp"
#include "opencl/kernel_programs.hpp"
#include "opencl/opencl_fixture.hpp"
#include "primitives/chunks.hpp"

namespace oclide::test {
namespace {

class EveryKernel : public OpenCl {};

// What other compilers are given is what a device compiles: the same kernels, under the same options.
TEST_F(EveryKernel, IsNamedOfEachProgram) {
  const bool is_gpu = primitives::Chunks(*device_, 0).group_size() > 1;
  std::size_t kernels = 0;
  std::set<std::string, std::less<>> stems;
  for (const opencl::KernelProgram& program : opencl::kernel_programs(is_gpu)) {
    const std::string common = opencl::build_options(true);
    ASSERT_TRUE(program.options.starts_with(common)) << program.options;
    const std::string names =
        device_->program(program.stem, program.options.substr(common.size())).getInfo<CL_PROGRAM_KERNEL_NAMES>();
    std::set<std::string> compiled;
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ';');) compiled.insert(name);
    EXPECT_EQ(compiled, std::set<std::string>(program.kernels.begin(), program.kernels.end())) << program.stem;
    kernels += program.kernels.size();
    stems.insert(program.stem);
  }
  EXPECT_GT(kernels, kernel_stems().size());
  // And what no device of this kind has.
  for (const std::string_view stem : kernel_stems()) {
    if (stems.contains(stem)) continue;
    EXPECT_NO_THROW(device_->program(stem)) << stem;
  }
}

}  // namespace
}  // namespace oclide::test
