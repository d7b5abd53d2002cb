#include "opencl/launch.hpp"

#include <cstdint>
#include <vector>

#include "opencl_fixture.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using opencl::launch;
using opencl::Stage;
using opencl::StageTimer;

const char* const kCountUp = R"(
__kernel void count_up(__global uint* out, uint n, ulong add, __local uint* scratch) {
  const size_t i = get_global_id(0);
  scratch[get_local_id(0)] = (uint)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) out[i] = scratch[get_local_id(0)] + (uint)add;
}
)";

class LaunchTest : public OpenCl {
 protected:
  void SetUp() override {
    OpenCl::SetUp();
    if (IsSkipped()) return;
    kernel_ = cl::Kernel(device_->build("test/count_up", kCountUp), "count_up");
  }

  cl::Kernel kernel_;
};

TEST_F(LaunchTest, RoundsTheItemsUpToWholeGroups) {
  const std::size_t group = device_->work_group_size(kernel_, 64);
  Buffer<std::uint32_t> out(*device_, "out", 1000);
  out.fill(0);
  StageTimer timer;
  launch(*device_, kernel_, &timer, Stage::narrow_phase, 997, group, out, std::uint32_t{997}, std::uint64_t{10},
         cl::Local(group * 4));
  const StageTimes times = timer.collect();
  EXPECT_GT(times.narrow_phase, 0.0);
  EXPECT_EQ(times.upload, 0.0);
  EXPECT_EQ(out.read_one(0), 10U);
  EXPECT_EQ(out.read_one(996), 1006U);
  EXPECT_EQ(out.read_one(997), 0U);
}

TEST_F(LaunchTest, ZeroItemsDoNothing) {
  Buffer<std::uint32_t> out(*device_, "out", 1);
  out.fill(3);
  StageTimer timer;
  launch(*device_, kernel_, &timer, Stage::narrow_phase, 0, 1, out, std::uint32_t{1}, std::uint64_t{10}, cl::Local(4));
  EXPECT_EQ(timer.collect().narrow_phase, 0.0);
  EXPECT_EQ(out.read_one(0), 3U);
}

TEST_F(LaunchTest, ArgumentOfTheWrongSizeIsNamed) {
  Buffer<std::uint32_t> out(*device_, "out", 1);
  const Error error = error_of([&] {
    launch(*device_, kernel_, nullptr, Stage::narrow_phase, 1, 1, out, std::uint64_t{1}, std::uint64_t{10},
           cl::Local(4));
  });
  EXPECT_EQ(error.kind(), ErrorKind::device);
  EXPECT_TRUE(contains(error.what(), "count_up: argument 1: CL_INVALID_ARG_SIZE")) << error.what();
}

TEST_F(LaunchTest, ErrorOfTheDriverNamesKernelCodeAndDevice) {
  Buffer<std::uint32_t> out(*device_, "out", 1);
  const std::size_t too_large = device_->max_work_group_size() * 2;
  const Error error = error_of([&] {
    launch(*device_, kernel_, nullptr, Stage::narrow_phase, 1, too_large, out, std::uint32_t{1}, std::uint64_t{10},
           cl::Local(4));
  });
  EXPECT_TRUE(contains(error.what(), "count_up: CL_INVALID_WORK_")) << error.what();  // GROUP_SIZE or ITEM_SIZE
  EXPECT_TRUE(contains(error.what(), " on " + info_.name)) << error.what();
}

TEST_F(LaunchTest, GroupSizeFitsTheKernel) {
  EXPECT_EQ(device_->work_group_size(kernel_, 1), 1U);
  const std::size_t size = device_->work_group_size(kernel_, 100);
  EXPECT_EQ(size & (size - 1), 0U);
  EXPECT_LE(size, 64U);
  EXPECT_GE(device_->work_group_size(kernel_, 1U << 30), 1U);
  EXPECT_LE(device_->work_group_size(kernel_, 1U << 30), device_->max_work_group_size());
}

}  // namespace
}  // namespace oclide::test
