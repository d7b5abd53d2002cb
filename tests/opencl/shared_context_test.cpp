// What Devices that are opened one after the other, or at once, have in common.
#include "opencl/shared_context.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "environment_variable.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "opencl_fixture.hpp"
#include "support/driver_calls.hpp"

namespace {

std::atomic<cl_context> lost_context = nullptr;
std::atomic<bool> all_are_lost = false;

}  // namespace

// Takes the place of the loader's in this program: a context may be lost.
extern "C" CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                                          cl_command_queue_properties properties,
                                                                          cl_int* error) {
  if (all_are_lost || context == lost_context) {
    if (error != nullptr) *error = CL_OUT_OF_RESOURCES;
    return nullptr;
  }
  static const auto loaders = oclide::test::of_loader(&clCreateCommandQueue, "clCreateCommandQueue");
  return loaders(context, device, properties, error);
}

namespace oclide::test {
namespace {

using opencl::Buffer;
using opencl::Device;
using opencl::Stage;

constexpr const char* kStem = "upload/move_poses";

class SharedContext : public OpenCl {
 protected:
  void SetUp() override {
    OpenCl::SetUp();
    if (!IsSkipped() && is_simulator(info_)) GTEST_SKIP() << "Oclgrind's contexts are not shared";
  }
  ~SharedContext() override {
    lost_context = nullptr;
    all_are_lost = false;
  }
};

TEST_F(SharedContext, HasTheProgramsOfAllDevicesOfAFolder) {
  const cl_program program = device_->program(kStem)();
  const auto second = open();
  EXPECT_EQ(second->context()(), device_->context()());
  EXPECT_EQ(second->program(kStem)(), program);
  EXPECT_NE(second->queue()(), device_->queue()());
  EXPECT_NE(second->program(kStem, "-DOTHER")(), program);
  // It outlives them.
  second->finish();
  const cl_context context = device_->context()();
  device_ = nullptr;
  EXPECT_EQ(open()->context()(), context);
  EXPECT_EQ(open()->program(kStem)(), program);

  const TemporaryFolder other_folder;
  settings_.cache_directory = other_folder.path().string();
  EXPECT_NE(open()->context()(), context);
  EXPECT_NE(open()->program(kStem)(), program);
}

TEST_F(SharedContext, TellsOfProgramsOnlyTheDeviceThatCompilesThem) {
  std::vector<std::string> told;
  settings_.on_compile = [&](const std::string&, const std::string& kernels) { told.push_back("first " + kernels); };
  const auto first = open();
  settings_.on_compile = [&](const std::string&, const std::string& kernels) { told.push_back("second " + kernels); };
  const auto second = open();
  EXPECT_TRUE(told.empty()) << told[0];  // the check of arithmetic was compiled by device_
  second->program(kStem);
  first->program(kStem);
  second->program(kStem);
  first->program("primitives/arithmetic_check");
  EXPECT_EQ(told, std::vector<std::string>{std::string("second ") + kStem});
}

TEST_F(SharedContext, HasProgramsOfEachSetOfOptionsThatTheEnvironmentMakes) {
  const cl_program program = device_->program(kStem)();
  {
    const EnvironmentVariable variable("OCLIDE_SOFTWARE_DIVIDE_SQRT");
    variable.set(device_->build_options().find("SOFTWARE") == std::string::npos ? "1" : "0");
    if (info_.rounds_division) {
      EXPECT_NE(open()->program(kStem)(), program);
    }
  }
  const bool is_gpu = info_.is_gpu;
  info_.is_gpu = !is_gpu;
  EXPECT_NE(open()->program(kStem)(), program);
  info_.is_gpu = is_gpu;
  EXPECT_EQ(open()->program(kStem)(), program);
}

TEST_F(SharedContext, LeavesMemoryAndArgumentsToEachDevice) {
  settings_.memory_limit = 1 << 20;
  const auto second = open();
  EXPECT_EQ(second->memory_limit(), 1U << 20);
  EXPECT_GT(device_->memory_limit(), 1U << 20);
  const Buffer<std::uint32_t> of_first(*device_, "of the first", 1 << 19);
  EXPECT_EQ(device_->memory_used(), 4U << 19);
  EXPECT_EQ(second->memory_used(), 0U);
  EXPECT_TRUE(second->memory_by_name().empty());
  EXPECT_TRUE(contains(error_of([&] { Buffer<std::uint32_t>(*second, "of the second", 1 << 19); }).what(),
                       "of the second: needs 2097152 bytes"));
  EXPECT_NE(device_->kernel(kStem, "upload_move_poses")(), second->kernel(kStem, "upload_move_poses")());
}

TEST_F(SharedContext, CompilesDifferentProgramsAtOnceAndEachOnce) {
  const auto other = open();
  if (&other->driver() == &device_->driver()) GTEST_SKIP() << "threads call this driver in turn";
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> told;
  bool were_at_once = false;
  settings_.on_compile = [&](const std::string&, const std::string& kernels) {
    std::unique_lock lock(mutex);
    told.push_back(kernels);
    changed.notify_all();
    if (changed.wait_for(lock, std::chrono::seconds(60), [&] { return told.size() >= 2; })) were_at_once = true;
  };
  constexpr std::array kStems{kStem, "primitives/exclusive_scan"};
  std::array<cl_program, 6> programs{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < programs.size(); ++t)
    threads.emplace_back([&, t] {
      const auto own = open();
      programs[t] = own->program(kStems[t % 2], t % 2 == 0 ? "" : "-DSCAN=uint -DSERIAL=1")();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(were_at_once);
  EXPECT_EQ(told.size(), 2U);
  for (std::size_t t = 0; t < programs.size(); ++t) EXPECT_EQ(programs[t], programs[t % 2]) << t;
  EXPECT_NE(programs[0], programs[1]);
}

TEST_F(SharedContext, RunsKernelsOfManyDevicesAtOnce) {
  constexpr std::size_t kCount = 10'000;
  const char* const source = R"(
__kernel void count_up(__global uint* values, uint n, uint step) {
  const size_t i = get_global_id(0);
  if (i < n) values[i] += step;
}
)";
  std::array<std::vector<std::uint32_t>, 4> results;
  const cl::Program program = device_->build("test/count_up", source);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] {
      for (int again = 0; again < 5; ++again) {
        const auto own = open();
        const opencl::DriverTurn turn(own->driver());
        cl::Kernel kernel(program, "count_up");
        std::vector<std::uint32_t> values(kCount);
        std::iota(values.begin(), values.end(), 0U);
        Buffer<std::uint32_t> on_device(*own, "values");
        on_device.assign(values);
        for (int k = 0; k < 20; ++k)
          opencl::launch(*own, kernel, nullptr, Stage::narrow_phase, kCount, 1, on_device,
                         static_cast<std::uint32_t>(kCount), static_cast<std::uint32_t>(t + 1));
        on_device.download(values);
        results[t] = values;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t)
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(results[t][i], i + 20 * (t + 1)) << t;
}

TEST_F(SharedContext, TriesAgainWhatOneDeviceCouldNotCompile) {
  settings_.on_compile = [](const std::string&, const std::string&) { throw std::runtime_error("no"); };
  const auto refusing = open();
  EXPECT_THROW(refusing->program(kStem), std::runtime_error);
  EXPECT_NE(device_->program(kStem)(), nullptr);
  EXPECT_EQ(refusing->program(kStem)(), device_->program(kStem)());  // is there by now
}

TEST_F(SharedContext, MayBeUsedByWhoIsToldOfACompilation) {
  cl_program inner = nullptr;
  settings_.on_compile = [&](const std::string&, const std::string&) { inner = device_->program(kStem)(); };
  const auto outer = open();
  const cl_program program = outer->program(kStem)();
  EXPECT_NE(inner, nullptr);
  EXPECT_EQ(device_->program(kStem)(), program);
}

TEST_F(SharedContext, HoldsUpNobodyWhileSomebodyIsToldOfACompilation) {
  std::unique_ptr<Device> outer;
  std::thread waiting;
  cl_program found = nullptr;
  settings_.on_compile = [&](const std::string&, const std::string&) {
    std::thread([&] { const Buffer<float> memory(*outer, "memory", 16); }).join();  // its turn is free
    waiting = std::thread([&] { found = device_->program(kStem)(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const Buffer<float> memory(*device_, "memory", 16);  // its turn is not with who waits for the program
  };
  outer = open();
  const cl_program program = outer->program(kStem)();
  waiting.join();
  EXPECT_EQ(found, program);
}

TEST_F(SharedContext, IsReplacedByAnotherWhereItIsLost) {
  const cl_context context = device_->context()();
  lost_context = context;
  const auto second = open();
  EXPECT_NE(second->context()(), context);
  EXPECT_NE(second->program(kStem)(), nullptr);
  EXPECT_EQ(open()->context()(), second->context()());
  EXPECT_EQ(device_->context()(), context);  // who has it, keeps it

  // Where no other helps, that is an error, and is tried again the next time.
  all_are_lost = true;
  EXPECT_TRUE(contains(error_of([&] { static_cast<void>(open()); }).what(), "CL_OUT_OF_RESOURCES on " + info_.name));
  all_are_lost = false;
  EXPECT_NE(open()->context()(), second->context()());
}

TEST_F(SharedContext, OfAnApplicationLivesAsLongAsItsDevices) {
  const cl::Context context(device_->device()), other(device_->device());
  const cl::CommandQueue queue(context, device_->device()), other_queue(other, device_->device());
  const auto references = [&] { return context.getInfo<CL_CONTEXT_REFERENCE_COUNT>(); };
  const cl_uint before = references();
  {
    Device first(settings_, context, queue);
    EXPECT_EQ(first.context()(), context());
    EXPECT_EQ(Device(settings_, context, queue).program(kStem)(), first.program(kStem)());
    EXPECT_NE(Device(settings_, other, other_queue).program(kStem)(), first.program(kStem)());
    EXPECT_NE(first.program(kStem)(), device_->program(kStem)());
    EXPECT_GT(references(), before);
  }
  EXPECT_EQ(references(), before);
  EXPECT_EQ(Device(settings_, context, queue).context()(), context());
  EXPECT_EQ(open()->context()(), device_->context()());
}

}  // namespace
}  // namespace oclide::test
