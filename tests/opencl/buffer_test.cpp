#include "opencl/buffer.hpp"

#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "opencl_fixture.hpp"
#include "support/driver_calls.hpp"

namespace {

std::atomic<bool> release_is_refused = false;

}  // namespace

// Takes the place of the loader's in this program: a driver may say that it cannot, as of a lost device.
extern "C" CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem memory) {
  static const auto loaders = oclide::test::of_loader(&clReleaseMemObject, "clReleaseMemObject");
  const cl_int code = loaders(memory);
  return release_is_refused ? CL_OUT_OF_RESOURCES : code;
}

namespace oclide::test {
namespace {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

class BufferTest : public OpenCl {};

TEST_F(BufferTest, CarriesDataThereAndBack) {
  std::vector<std::uint32_t> data(1000);
  std::iota(data.begin(), data.end(), 5U);
  Buffer<std::uint32_t> buffer(*device_, "numbers");
  buffer.assign(data);
  std::vector<std::uint32_t> back(1000);
  buffer.download(back);
  EXPECT_EQ(back, data);

  buffer.upload(std::vector<std::uint32_t>{1, 2}, 998);
  EXPECT_EQ(buffer.read_one(997), 1002U);
  EXPECT_EQ(buffer.read_one(998), 1U);
  EXPECT_EQ(buffer.read_one(999), 2U);
  buffer.fill(7, 10, 20);
  EXPECT_EQ(buffer.read_one(9), 14U);
  EXPECT_EQ(buffer.read_one(10), 7U);
  EXPECT_EQ(buffer.read_one(29), 7U);
  EXPECT_EQ(buffer.read_one(30), 35U);
}

TEST_F(BufferTest, EmptyOneHasMemoryForAKernel) {
  Buffer<std::uint64_t> buffer(*device_, "nothing");
  buffer.resize(0);
  EXPECT_NE(buffer.get()(), nullptr);
  EXPECT_GE(buffer.capacity_bytes(), 16U);
  buffer.upload({});
  buffer.fill(1);
  std::vector<std::uint64_t> none;
  buffer.download(none);
  const Buffer<float> fresh(*device_, "fresh");
  EXPECT_NE(fresh.get()(), nullptr);
}

TEST_F(BufferTest, IsGivenBackWhateverTheDriverSays) {
  const std::uint64_t before = device_->memory_used();
  release_is_refused = true;
  {
    Buffer<std::uint32_t> buffer(*device_, "numbers", 1000);
    EXPECT_NO_THROW(buffer.free());
    EXPECT_EQ(device_->memory_used(), before);
    EXPECT_NO_THROW(buffer.resize(10));
    EXPECT_NO_THROW(buffer.resize(10000));
  }
  release_is_refused = false;
  EXPECT_EQ(device_->memory_used(), before);
}

TEST_F(BufferTest, LittleOneGrowsByHalfAndGivesItsMemoryBack) {
  const std::uint64_t before = device_->memory_used();
  {
    Buffer<std::uint32_t> buffer(*device_, "growing", 1000);
    EXPECT_EQ(device_->memory_used(), before + 4000);
    buffer.resize(10);
    EXPECT_EQ(buffer.capacity_bytes(), 4000U);
    buffer.resize(1001);
    EXPECT_EQ(buffer.capacity_bytes(), 6000U);
    EXPECT_EQ(device_->memory_used(), before + 6000);
    Buffer<std::uint32_t> moved = std::move(buffer);
    EXPECT_EQ(moved.size(), 1001U);
    EXPECT_EQ(device_->memory_used(), before + 6000);
  }
  EXPECT_EQ(device_->memory_used(), before);
}

TEST_F(BufferTest, LargeOnesGrowByMoreWhereTheyGrowAgainSoon) {
  constexpr std::size_t kFirst = std::size_t{1} << 20;
  Buffer<std::uint32_t> buffer(*device_, "growing", kFirst);
  std::size_t capacity = kFirst;
  for (const std::size_t part : {32, 16, 8, 4, 2, 2}) {
    buffer.resize(capacity + 1);
    EXPECT_EQ(buffer.capacity(), capacity + capacity / part);
    capacity = buffer.capacity();
  }
  // What it needs is not so little more.
  buffer.resize(2 * capacity);
  EXPECT_EQ(buffer.capacity(), 2 * capacity);
  capacity = buffer.capacity();
  buffer.resize(capacity + 1);
  EXPECT_EQ(buffer.capacity(), capacity + capacity / 32);
  capacity = buffer.capacity();
  // Enough for long.
  for (int k = 0; k < 100; ++k) buffer.resize(static_cast<std::size_t>(k));
  buffer.resize(capacity + 1);
  EXPECT_EQ(buffer.capacity(), capacity + capacity / 32);
}

TEST_F(BufferTest, OnesThatShareMemoryTakeWhatTheLargestNeeds) {
  const std::uint64_t before = device_->memory_used();
  {
    const auto memory = std::make_shared<opencl::Memory>(*device_, "shared");
    Buffer<std::uint32_t> numbers(memory, "numbers");
    Buffer<std::uint64_t> larger(memory, "larger");
    numbers.assign(std::vector<std::uint32_t>{1, 2, 3, 4});
    larger.resize(2);
    EXPECT_EQ(device_->memory_used(), before + 16);
    EXPECT_EQ(larger.read_one(1), (std::uint64_t{4} << 32) + 3);
    larger.resize(1000);
    EXPECT_EQ(device_->memory_used(), before + 8000);
    EXPECT_EQ(numbers.capacity(), 2000U);
    EXPECT_EQ(numbers.get()(), larger.get()());
    numbers.resize(2000);
    EXPECT_EQ(device_->memory_used(), before + 8000);
    // What one gives back the other has lost.
    larger.free();
    EXPECT_EQ(device_->memory_used(), before);
    EXPECT_EQ(numbers.size(), 0U);
    EXPECT_THROW((void)numbers.read_one(0), Error);
    numbers.assign(std::vector<std::uint32_t>{7});
    EXPECT_EQ(numbers.read_one(0), 7U);
  }
  EXPECT_EQ(device_->memory_used(), before);
}

TEST_F(BufferTest, BeyondTheLimitNamesTheBytes) {
  settings_.memory_limit = 1'000'000;
  const auto device = open();
  Buffer<std::uint32_t> first(*device, "first", 200'000);
  Buffer<std::uint32_t> second(*device, "terrain heights");
  const Error error = error_of([&] { second.resize(100'000); });
  EXPECT_EQ(error.kind(), ErrorKind::device);
  EXPECT_TRUE(contains(error.what(), "terrain heights: needs 400000 bytes")) << error.what();
  EXPECT_TRUE(contains(error.what(), "can give 200000")) << error.what();
  EXPECT_EQ(second.size(), 0U);

  // Growing by more than is needed is given up where only the asked size fits.
  second.resize(40'000);
  second.resize(50'000);
  EXPECT_EQ(second.capacity_bytes(), 200'000U);
  EXPECT_EQ(device->memory_used(), 1'000'000U);
}

TEST_F(BufferTest, BeyondTheLargestAllocationNamesTheBytes) {
  Buffer<std::uint8_t> buffer(*device_, "too large");
  const std::uint64_t bytes = device_->max_allocation() + 1;
  const Error error = error_of([&] { buffer.resize(bytes); });
  EXPECT_TRUE(contains(error.what(), "needs " + std::to_string(bytes) + " bytes")) << error.what();
  Buffer<std::uint64_t> huge(*device_, "huge");
  EXPECT_EQ(error_of([&] { huge.resize(std::numeric_limits<std::size_t>::max()); }).kind(), ErrorKind::device);
}

TEST_F(BufferTest, RangesOutsideAreErrors) {
  Buffer<std::uint32_t> buffer(*device_, "short", 10);
  const std::vector<std::uint32_t> data(3);
  EXPECT_THROW(buffer.upload(data, 8), Error);
  EXPECT_THROW(buffer.upload(data, std::numeric_limits<std::size_t>::max()), Error);
  EXPECT_THROW((void)buffer.read_one(10), Error);
  EXPECT_THROW(buffer.fill(0, 5, 6), Error);
}

TEST_F(BufferTest, TransfersAreTimedByStage) {
  StageTimer timer;
  Buffer<std::uint32_t> buffer(*device_, "timed");
  buffer.assign(std::vector<std::uint32_t>(1'000'000), &timer);
  const StageTimes times = timer.collect();
  EXPECT_GT(times.upload, 0.0);
  EXPECT_EQ(times.download, 0.0);
  EXPECT_EQ(timer.collect().upload, 0.0);  // collected once
}

}  // namespace
}  // namespace oclide::test
