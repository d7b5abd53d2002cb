#include "opencl/device.hpp"

#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "environment_variable.hpp"
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
  const Error error = error_of([&] { device_->kernel("upload/move_poses", "no_such_kernel"); });
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
  for (cl_program& program : programs) threads.emplace_back([&] { program = device_->program("upload/move_poses")(); });
  for (std::thread& thread : threads) thread.join();
  for (const cl_program program : programs) EXPECT_EQ(program, programs[0]);
  EXPECT_NE(device_->program("upload/move_poses", "-DOTHER")(), programs[0]);
}

// What the check says of its own kernel with `from` written as `to`: as a driver might read it.
class ArithmeticCheck : public OpenCl {
 protected:
  void SetUp() override {
    settings_.use_cache = false;  // PoCL would compile each text twice
    OpenCl::SetUp();
  }
  opencl::ArithmeticFault fault_of(const std::string& from, const std::string& to, const std::string& options = {}) {
    std::string text{kernel_source("primitives/arithmetic_check")};
    std::size_t found = 0;
    for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size(), ++found)
      text.replace(at, from.size(), to);
    EXPECT_EQ(found > 0, !from.empty());
    return opencl::find_arithmetic_fault(*device_, device_->build("test/arithmetic", text, options));
  }
  // That it says `what` first.
  void expect_fault(const std::string& from, const std::string& to, const std::string& what) {
    const std::string found = fault_of(from, to).what;
    EXPECT_TRUE(found.starts_with(what)) << found;
  }
};

TEST_F(ArithmeticCheck, FindsNothingWrong) {
  EXPECT_EQ(fault_of("", "").what, "");
}

TEST_F(ArithmeticCheck, FindsFusedProducts) {
  // Each formula by itself, as a driver may fuse some of them alone.
  expect_fault("a * b + c)", "fma(a, b, c))", "a * b + c is ");
  expect_fault("a * b - c)", "fma(a, b, -c))", "a * b - c is ");
  expect_fault("c - a * b)", "fma(-a, b, c))", "c - a * b is ");
  expect_fault("a * b + c * a)", "fma(a, b, c * a))", "a * b + c * a is ");
  expect_fault("a * c + b * c)", "fma(a, c, b * c))", "a * c + b * c is ");
  EXPECT_FALSE(fault_of("a * b + c)", "fma(a, b, c))").is_division);
}

TEST_F(ArithmeticCheck, FindsAnotherOrder) {
  expect_fault("(a + b) - a)", "b)", "(a + b) - a is 1 and not 0 for a, b, c = 16777216, 1, 1");
  expect_fault("(a + b) + c)", "a + (b + c))", "(a + b) + c is ");
  expect_fault("a * c + b * c)", "(a + b) * c)", "a * c + b * c is ");
  expect_fault("(a * b) * c)", "a * (b * c))", "(a * b) * c is ");
}

TEST_F(ArithmeticCheck, FindsWhatIsTakenForGranted) {
  expect_fault(", a - a)", ", (T)(0.0f))", "a - a is 0 and not ");
  expect_fault("a >= b)", "!(a < b))", "comparing a, b is ");
}

// Mesa's rusticl takes a + 0 for a, 0 - a for -a and a * 0 for 0.
TEST_F(ArithmeticCheck, AsksForNoSignOfAZero) {
  EXPECT_EQ(fault_of(", a - a)", ", -(a - a))").what, "");
}

TEST_F(ArithmeticCheck, FindsOtherConversions) {
  expect_fault("convert_##T(as_##I(", "convert_##T##_rtz(as_##I(", "(float)as_int(a) is ");
  expect_fault("(convert_##I(", "(convert_##I##_rte(", "(float)(int)a is ");
}

TEST_F(ArithmeticCheck, LooksAtVectorsByThemselves) {
  expect_fault("STORE_FORMULAS(float8, int8, STORE_EIGHT)",
               "STORE_FORMULAS(float8, int8, STORE_EIGHT) STORE_EIGHT(FORMULA_PRODUCT_OF_THREE, a)", "(a * b) * c is ");
  if (device_->build_options().find("SOFTWARE") != std::string::npos) return;
  expect_fault("sqrt(positive_c))", "sqrt(positive_c) * 2.0f)", "sqrt(|c|) is ");
  expect_fault("STORE_EIGHT(FORMULA_QUOTIENT, a / b)", "STORE_EIGHT(FORMULA_QUOTIENT, a * (1.0f / b))", "a / b is ");
}

TEST_F(ArithmeticCheck, TellsDivisionFromAllElse) {
  const opencl::ArithmeticFault quotient =
      fault_of("STORE_ONE(FORMULA_QUOTIENT, div_rn(a, b))", "STORE_ONE(FORMULA_QUOTIENT, a * div_rn(1.0f, b))");
  EXPECT_TRUE(quotient.what.starts_with("a / b is ")) << quotient.what;
  EXPECT_TRUE(quotient.is_division);
  const opencl::ArithmeticFault root = fault_of("STORE_ONE(FORMULA_ROOT, sqrt_rn(positive_c))",
                                                "STORE_ONE(FORMULA_ROOT, as_float(as_int(sqrt_rn(positive_c)) + 1))");
  EXPECT_TRUE(root.what.starts_with("sqrt(|c|) is ")) << root.what;
  EXPECT_TRUE(root.is_division);
  // Of both the one that software does not mend.
  const opencl::ArithmeticFault both =
      fault_of("STORE_ONE(FORMULA_QUOTIENT, div_rn(a, b))",
               "STORE_ONE(FORMULA_QUOTIENT, 0.0f) if (at + 1u == cases) STORE_ONE(FORMULA_BITS_AS_NUMBER, 0.0f)");
  EXPECT_TRUE(both.what.starts_with("(float)as_int(a) is 0 and not ")) << both.what;
  EXPECT_FALSE(both.is_division);
}

TEST_F(ArithmeticCheck, FindsWhatAFastCompilerMakesOfIt) {
  if (!is_pocl(info_)) GTEST_SKIP() << "others need not take what they are allowed";
  EXPECT_NE(fault_of("", "", "-cl-fast-relaxed-math").what, "");
  EXPECT_NE(fault_of("", "", "-cl-finite-math-only").what, "");
  EXPECT_EQ(fault_of("", "", "-cl-no-signed-zeros").what, "");
}

// What choose_build_options() takes where the device's own quotients, and those in software, have these faults; empty
// where it throws.
class BuildOptions : public testing::Test {
 protected:
  static constexpr const char* kOwn = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
  static constexpr const char* kSoftware = "-cl-std=CL1.2 -DOCLIDE_SOFTWARE_DIVIDE_SQRT";

  std::string choose(bool rounds_division, const opencl::ArithmeticFault& of_own,
                     const opencl::ArithmeticFault& in_software) {
    tried_ = 0;
    try {
      return opencl::choose_build_options(rounds_division, "", "a device", [&](const std::string& options) {
        ++tried_;
        const bool own = options == kOwn;
        EXPECT_TRUE(own || options == kSoftware) << options;
        const opencl::ArithmeticFault& fault = own ? of_own : in_software;
        if (fault.what == "throws") throw Error(ErrorKind::device, own ? "own" : "software");
        return fault;
      });
    } catch (const Error& e) {
      error_ = e.what();
      return {};
    }
  }

  int tried_ = 0;
  std::string error_;
  const opencl::ArithmeticFault none_{}, quotient_{"a / b is 1", true}, sum_{"a + b is 1", false}, throws_{"throws"};
};

TEST_F(BuildOptions, HaveDivisionOfTheDeviceWhereItIsRight) {
  EXPECT_EQ(choose(true, none_, sum_), kOwn);
  EXPECT_EQ(tried_, 1);
}

TEST_F(BuildOptions, HaveDivisionInSoftwareWhereTheDevicesIsWrongOrNotToBeHad) {
  EXPECT_EQ(choose(false, sum_, none_), kSoftware);
  EXPECT_EQ(tried_, 1);
  EXPECT_EQ(choose(true, quotient_, none_), kSoftware);
  EXPECT_EQ(tried_, 2);
  EXPECT_EQ(choose(true, throws_, none_), kSoftware);
}

TEST_F(BuildOptions, AreNoneWhereNothingHelps) {
  EXPECT_EQ(choose(true, sum_, none_), "");
  EXPECT_EQ(tried_, 1);
  EXPECT_EQ(error_,
            "a device cannot be used, its contacts would have other bits than those of other devices: a + b is 1");
  EXPECT_EQ(choose(true, quotient_, quotient_), "");
  EXPECT_EQ(choose(false, none_, sum_), "");
  EXPECT_EQ(choose(true, throws_, throws_), "");
  EXPECT_EQ(error_, "software");
}

TEST_F(DeviceTest, DividesItselfWhereItPromisesToRoundOrIsToldTo) {
  const EnvironmentVariable variable("OCLIDE_SOFTWARE_DIVIDE_SQRT");
  const auto is_software = [&](const std::optional<std::string>& asked, bool promises) {
    variable.set(asked);
    DeviceInfo info = device_->info();
    info.rounds_division = promises;
    return opencl::Device(settings_, info).build_options().find("-DOCLIDE_SOFTWARE_DIVIDE_SQRT") != std::string::npos;
  };
  EXPECT_TRUE(is_software(std::nullopt, false));
  EXPECT_TRUE(is_software("1", false));
  EXPECT_TRUE(is_software("1", true));
  if (device_->info().rounds_division) {  // others' own quotients may be wrong, and are then not taken
    EXPECT_FALSE(is_software(std::nullopt, true));
    EXPECT_FALSE(is_software("0", true));
    EXPECT_FALSE(is_software("0", false));
  }
}

TEST_F(DeviceTest, IsOfTheKindThatTheEnvironmentSays) {
  const EnvironmentVariable variable("OCLIDE_DEVICE_KIND");
  variable.set("gpu");
  EXPECT_TRUE(first_device()->is_gpu);
  variable.set("cpu");
  EXPECT_FALSE(first_device()->is_gpu);
  variable.set(std::nullopt);
  const bool own = first_device()->is_gpu;
  variable.set("");
  EXPECT_EQ(first_device()->is_gpu, own);
  variable.set("GPU ");
  try {
    static_cast<void>(opencl_devices());
    FAIL() << "taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
    EXPECT_STREQ(e.what(), "OCLIDE_DEVICE_KIND is 'GPU ', and neither gpu nor cpu");
  }
}

TEST_F(DeviceTest, OptimizesKernelsUnlessTheEnvironmentSaysNot) {
  const EnvironmentVariable variable("OCLIDE_OPTIMIZE_KERNELS");
  const auto is_optimised = [&](std::optional<std::string> value) {
    variable.set(std::move(value));
    return !contains(opencl::Device(settings_, info_).build_options(), "-cl-opt-disable");
  };
  EXPECT_TRUE(is_optimised(std::nullopt));
  EXPECT_TRUE(is_optimised(""));
  EXPECT_TRUE(is_optimised("1"));
  EXPECT_FALSE(is_optimised("0"));
  const Error error = error_of([&] { is_optimised("yes"); });
  EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
  EXPECT_STREQ(error.what(), "OCLIDE_OPTIMIZE_KERNELS is 'yes', and neither 0 nor 1");
}

TEST_F(DeviceTest, IsOpenedWithoutWaitingForAnApplicationsQueue) {
  const cl::CommandQueue queue(device_->context(), device_->device());
  const cl::UserEvent later(device_->context());
  const std::vector<cl::Event> wait{later};
  queue.enqueueBarrierWithWaitList(&wait);
  const opencl::Device opened(settings_, device_->context(), queue);  // does not come back where it waits
  EXPECT_EQ(opened.queue()(), queue());
  cl::UserEvent(later).setStatus(CL_COMPLETE);
  queue.finish();
}

}  // namespace
}  // namespace oclide::test
