// Loops on all cores: each index once, in ranges that are as long as they may be, and what a body throws.
#include "threads/parallel_for.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace oclide {
namespace {

TEST(ParallelFor, VisitsEachIndexOnce) {
  for (const std::size_t count : {0, 1, 2, 7, 1000, 100003}) {
    std::vector<std::atomic<int>> visits(count);
    parallel_for(count, [&](std::size_t i) { ++visits[i]; });
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; })) << count;
  }
}

TEST(ParallelFor, RangesMakeUpTheWholeAndAreNotEmpty) {
  for (const std::size_t count : {0, 1, 15, 16, 17, 100003}) {
    std::vector<std::atomic<int>> visits(count);
    std::atomic<std::size_t> shortest = 100003, sum = 0;
    parallel_for_ranges(count, 16, [&](IndexRange range) {
      sum += range.size();
      for (std::size_t least = shortest;
           range.size() < least && !shortest.compare_exchange_weak(least, range.size());) {
      }
      for (std::size_t i = range.begin(); i < range.end(); ++i) ++visits[i];
    });
    EXPECT_EQ(sum, count);
    EXPECT_GE(shortest, std::min<std::size_t>(count, 8)) << "only ranges of more than 16 are split, in two";
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; })) << count;
  }
}

TEST(ParallelFor, RethrowsWhatABodyThrows) {
  EXPECT_THROW(parallel_for(1000,
                            [](std::size_t i) {
                              if (i == 777) throw std::runtime_error("777");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace oclide
