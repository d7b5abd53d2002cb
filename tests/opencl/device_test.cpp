#include "opencl/device.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "opencl/arithmetic_check.hpp"
#include "opencl/embedded_kernels.hpp"
#include "opencl_fixture.hpp"

namespace oclide::test {
namespace {

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

TEST_F(DeviceTest, ComputesAsItsStandardSays) {
  const opencl::ArithmeticFault fault = opencl::find_arithmetic_fault(*device_);
  EXPECT_EQ(fault.what, "");
  EXPECT_FALSE(fault.is_division);
}

// What the check says of its own kernel with `from` written as `to`: as a driver might read it.
class ArithmeticCheck : public OpenCl {
 protected:
  opencl::ArithmeticFault fault_of(const std::string& from, const std::string& to, const std::string& options = {}) {
    std::string text{kernel_source("primitives/arithmetic_check")};
    std::size_t found = 0;
    for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size(), ++found)
      text.replace(at, from.size(), to);
    EXPECT_EQ(found > 0, !from.empty());
    return opencl::find_arithmetic_fault(*device_, device_->build("test/arithmetic", text, options));
  }
};

TEST_F(ArithmeticCheck, FindsFusedProducts) {
  // Each formula by itself, as a driver may fuse some of them alone.
  EXPECT_TRUE(fault_of("a * b + c)", "fma(a, b, c))").what.starts_with("a * b + c is "));
  EXPECT_TRUE(fault_of("a * b - c)", "fma(a, b, -c))").what.starts_with("a * b - c is "));
  EXPECT_TRUE(fault_of("c - a * b)", "fma(-a, b, c))").what.starts_with("c - a * b is "));
  EXPECT_TRUE(fault_of("a * b + c * a)", "fma(a, b, c * a))").what.starts_with("a * b + c * a is "));
  EXPECT_TRUE(fault_of("a * c + b * c)", "fma(a, c, b * c))").what.starts_with("a * c + b * c is "));
  EXPECT_FALSE(fault_of("a * b + c)", "fma(a, b, c))").is_division);
}

TEST_F(ArithmeticCheck, FindsAnotherOrder) {
  EXPECT_TRUE(
      fault_of("(a + b) - a)", "b)").what.starts_with("(a + b) - a is 1 and not 0 for a, b, c = 16777216, 1, 1"));
  EXPECT_TRUE(fault_of("(a + b) + c)", "a + (b + c))").what.starts_with("(a + b) + c is "));
  EXPECT_TRUE(fault_of("a * c + b * c)", "(a + b) * c)").what.starts_with("a * c + b * c is "));
  EXPECT_TRUE(fault_of("(a * b) * c)", "a * (b * c))").what.starts_with("(a * b) * c is "));
}

TEST_F(ArithmeticCheck, FindsNanTakenForANumberAndIntegersCutShort) {
  EXPECT_TRUE(fault_of("a >= b)", "!(a < b))").what.starts_with("comparing a, b is "));
  EXPECT_TRUE(fault_of("convert_##T(", "convert_##T##_rtz(").what.starts_with("(float)as_int(a) is "));
}

TEST_F(ArithmeticCheck, TellsDivisionFromAllElse) {
  const opencl::ArithmeticFault quotient = fault_of("return a / b;", "return a * (1.0f / b);");
  const bool software = device_->build_options().find("SOFTWARE") != std::string::npos;
  EXPECT_EQ(quotient.what.starts_with("a / b is "), !software) << quotient.what;
  EXPECT_EQ(quotient.is_division, !software);
  const opencl::ArithmeticFault root = fault_of("sqrt_rn(c)", "as_float(as_int(sqrt_rn(c)) + 1)");
  EXPECT_TRUE(root.what.starts_with("sqrt(c) is ")) << root.what;
  EXPECT_TRUE(root.is_division);
  // Both: not the fault that software mends.
  const opencl::ArithmeticFault both =
      fault_of("// clang-format on", "#define sqrt_rn(x) (0.0f)\n#define convert_float(x) (0.0f)");
  EXPECT_TRUE(both.what.starts_with("(float)as_int(a) is ")) << both.what;
  EXPECT_FALSE(both.is_division);
}

TEST_F(ArithmeticCheck, FindsWhatAFastCompilerMakesOfIt) {
  if (is_simulator(info_)) GTEST_SKIP() << "Oclgrind computes as it is told by the text alone";
  EXPECT_NE(fault_of("", "", "-cl-fast-relaxed-math").what, "");
}

TEST_F(DeviceTest, DivisionThatIsNotWhatTheDriverSaysIsDoneInSoftware) {
  info_.rounds_division = true;
  const auto opened = open();
  EXPECT_EQ(opencl::find_arithmetic_fault(*opened).what, "");
}

// With options of a user's own, which PoCL adds to all programs: in a process of its own, with caches of its own.
TEST_F(DeviceTest, DriverThatTurnsSumsRoundIsRefusedDeathTest) {
  if (info_.platform != "Portable Computing Language") GTEST_SKIP() << "PoCL alone takes options";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        {
          const TemporaryFolder empty;
          setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-unsafe-math-optimizations", 1);
          setenv("POCL_CACHE_DIR", empty.path().c_str(), 1);
          Settings settings;
          settings.use_cache = false;
          try {
            const opencl::Device device(settings, info_);
          } catch (const Error& e) {
            std::fprintf(stderr, "error: %s\n", e.what());
          }
        }
        std::exit(3);
      },
      testing::ExitedWithCode(3),
      "error: .* cannot be used, its contacts would have other bits than those of other devices: \\(a \\+ b\\) - a is "
      "1 "
      "and not 0 for a, b, c = 16777216, 1, 1");
}

}  // namespace
}  // namespace oclide::test
