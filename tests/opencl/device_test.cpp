#include "opencl/device.hpp"

#include <cstdlib>
#include <thread>
#include <vector>

#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "opencl_fixture.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using opencl::Stage;

// In a process of its own: the loader looks for platforms once.
TEST(DevicesDeathTest, WithoutAnyPlatformTheListIsEmpty) {
  const char* preloaded = std::getenv("LD_PRELOAD");
  if (preloaded != nullptr && std::string(preloaded).find("oclgrind") != std::string::npos)
    GTEST_SKIP() << "Oclgrind stands in for the loader";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        int status = 2;
        {
          const TemporaryFolder empty;
          setenv("OCL_ICD_VENDORS", empty.path().c_str(), 1);
          unsetenv("OCL_ICD_FILENAMES");
          try {
            status = opencl_devices().empty() ? 0 : 1;
          } catch (const Error&) {
          }
        }
        std::exit(status);
      },
      testing::ExitedWithCode(0), "");
}

class DeviceTest : public OpenCl {};

TEST_F(DeviceTest, IsListedWithWhatItHas) {
  EXPECT_TRUE(info_.id.starts_with("opencl:"));
  EXPECT_FALSE(info_.name.empty());
  EXPECT_FALSE(info_.platform.empty());
  EXPECT_TRUE(info_.version.starts_with("OpenCL "));
  EXPECT_TRUE(info_.missing.empty());
  EXPECT_GT(info_.memory_bytes, 0U);
  EXPECT_GT(info_.largest_allocation_bytes, 0U);
  EXPECT_GT(info_.compute_units, 0U);
}

TEST_F(DeviceTest, OneThatIsGoneOrLacksSomethingIsAnError) {
  DeviceInfo gone = info_;
  gone.id = "opencl:999";
  EXPECT_EQ(error_of([&] { opencl::Device(settings_, gone); }).kind(), ErrorKind::device);
  DeviceInfo lacking = info_;
  lacking.usable = false;
  lacking.missing = "a compiler";
  EXPECT_TRUE(contains(error_of([&] { opencl::Device(settings_, lacking); }).what(), "lacks a compiler"));
}

TEST_F(DeviceTest, UnknownKernelIsNamed) {
  EXPECT_TRUE(contains(error_of([&] { device_->kernel("no/such_file", "x"); }).what(), "no/such_file"));
  const Error error = error_of([&] { device_->kernel("primitives/compaction", "no_such_kernel"); });
  EXPECT_EQ(error.kind(), ErrorKind::device);
  EXPECT_TRUE(contains(error.what(), "no_such_kernel")) << error.what();
  EXPECT_TRUE(contains(error.what(), info_.name)) << error.what();
  EXPECT_TRUE(contains(error.what(), "CL_INVALID_KERNEL_NAME")) << error.what();
}

TEST_F(DeviceTest, BuildFailureCarriesTheLogWithFileAndLine) {
  const Error error = error_of([&] {
    device_->build("test/broken", "#line 1 \"kernels/test/broken.cl\"\n\n\n__kernel void f() { this_is_wrong(; }\n");
  });
  EXPECT_EQ(error.kind(), ErrorKind::device);
  EXPECT_TRUE(contains(error.what(), "kernels/test/broken.cl does not compile")) << error.what();
  EXPECT_FALSE(contains(error.what(), "\n"));
  EXPECT_TRUE(contains(error.detail(), "this_is_wrong")) << error.detail();
  // Oclgrind's log counts the lines of the whole text and knows no #line.
  if (!is_simulator(info_)) {
    EXPECT_TRUE(contains(error.detail(), "broken.cl:3")) << error.detail();
  }
}

TEST_F(DeviceTest, IsBuiltForOnceByAnyNumberOfThreads) {
  std::vector<cl_program> programs(4);
  std::vector<std::thread> threads;
  for (cl_program& program : programs)
    threads.emplace_back([&] { program = device_->program("primitives/compaction")(); });
  for (std::thread& thread : threads) thread.join();
  for (const cl_program program : programs) EXPECT_EQ(program, programs[0]);
  EXPECT_NE(device_->program("primitives/compaction", "-DOTHER")(), programs[0]);
}

TEST_F(DeviceTest, DoesNotContractProductsAndSums) {
  // a * b + c with a * b one bit too long for a float: fused it is -2^-46, rounded after the product it is 0.
  const char* const source =
      "#pragma OPENCL FP_CONTRACT OFF\n"
      "__kernel void product_sum(__global const float* in, __global float* out) {\n"
      "  out[0] = in[0] * in[1] + in[2];\n"
      "  out[1] = in[2] + in[0] * in[1];\n"
      "  out[2] = in[0] * in[1] - in[3];\n"
      "}\n";
  cl::Kernel kernel(device_->build("test/contraction", source), "product_sum");
  Buffer<float> in(*device_, "in"), out(*device_, "out", 3);
  in.assign(std::vector<float>{1.0F + 0x1p-23F, 1.0F - 0x1p-23F, -1.0F, 1.0F});
  opencl::launch(*device_, kernel, nullptr, Stage::narrow_phase, 1, 1, in, out);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out.read_one(i), 0.0F) << i;
}

}  // namespace
}  // namespace oclide::test
