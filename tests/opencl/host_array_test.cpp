#include "opencl/host_array.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "opencl/buffer.hpp"
#include "opencl_fixture.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using opencl::HostArray;
using opencl::Transfers;

class HostArrayTest : public OpenCl {};

TEST_F(HostArrayTest, IsPageLockedOnAGpuAlone) {
  HostArray<std::uint32_t> array(*device_), ordinary;
  array.resize(1000);
  ordinary.resize(1000);
  EXPECT_EQ(array.is_pinned(), device_->info().is_gpu);
  EXPECT_EQ(array.may_be_pinned(), device_->info().is_gpu);
  EXPECT_FALSE(ordinary.is_pinned());
  EXPECT_EQ(device_->memory_used(), 0U);
}

TEST_F(HostArrayTest, CarriesDataThereAndBack) {
  HostArray<std::uint32_t> there(*device_), back(*device_);
  there.resize(100000);
  back.resize(100000);
  std::iota(there.begin(), there.end(), 7U);
  Buffer<std::uint32_t> buffer(*device_, "numbers", 100000);
  Transfers transfers;
  buffer.upload_later(there, transfers);
  buffer.download_later(back, transfers);
  transfers.wait();
  EXPECT_TRUE(std::equal(there.begin(), there.end(), back.begin(), back.end()));
}

TEST_F(HostArrayTest, GrowsWithSomeMoreAndKeepsWhatItHasWhereItNeedNotGrow) {
  HostArray<std::uint32_t> array(*device_);
  EXPECT_TRUE(array.empty());
  array.resize(800);
  EXPECT_EQ(array.capacity(), 900U);
  std::iota(array.begin(), array.end(), 0U);
  const std::uint32_t* const data = array.data();
  array.resize(10);
  array.resize(900);
  EXPECT_EQ(array.data(), data);
  EXPECT_EQ(array[799], 799U);
  array.resize(901);
  EXPECT_GE(array.capacity(), 901U);
  EXPECT_EQ(array.size(), 901U);
  array.free();
  EXPECT_EQ(array.capacity(), 0U);
  EXPECT_TRUE(array.empty());
}

TEST_F(HostArrayTest, MovesWithItsMemory) {
  HostArray<std::uint32_t> array(*device_);
  array.resize(3);
  array[2] = 5;
  HostArray<std::uint32_t> other = std::move(array);
  EXPECT_EQ(other.size(), 3U);
  EXPECT_EQ(other.back(), 5U);
  EXPECT_EQ(other.is_pinned(), device_->info().is_gpu);
}

TEST_F(HostArrayTest, TooManyElementsAreAnError) {
  HostArray<std::uint64_t> array(*device_);
  array.resize(4);
  EXPECT_THROW(array.resize(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

}  // namespace
}  // namespace oclide::test
