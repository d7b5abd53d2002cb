#include "contacts/kept_records.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>

namespace oclide::test {
namespace {

using Records = KeptRecords<std::uint32_t>;

void fill(Records::Array& array, std::uint32_t first) {
  std::iota(array.begin(), array.end(), first);
}

TEST(KeptRecords, EarlierArraysStayWhereTheyAre) {
  Records records;
  Records::Array& first = records.add(100);
  fill(first, 1);
  const std::uint32_t* const data = first.data();
  fill(records.add(1000), 500);
  EXPECT_EQ(records.arrays(), 2U);
  EXPECT_EQ(records.count(), 1100U);
  EXPECT_EQ(data[99], 100U);
  EXPECT_EQ(records.last()[999], 1499U);
}

TEST(KeptRecords, WhatIsCutKeepsItsFirstRecords) {
  for (const std::size_t kept : {0U, 3U, 900U}) {
    Records records;
    fill(records.add(1000), 7);
    records.cut(kept);
    EXPECT_EQ(records.count(), kept);
    ASSERT_EQ(records.last().size(), kept);
    for (std::uint32_t k = 0; k < kept; ++k) EXPECT_EQ(records.last()[k], 7 + k);
  }
}

TEST(KeptRecords, MemoryIsUsedAgain) {
  Records records;
  const std::uint32_t* const data = records.add(1000).data();
  records.clear();
  EXPECT_EQ(records.count(), 0U);
  EXPECT_EQ(records.add(900).data(), data);
  // Made for many, used for few: those few move out.
  records.cut(10);
  EXPECT_NE(records.last().data(), data);
  EXPECT_EQ(records.add(1000).data(), data);
}

TEST(KeptRecords, OthersTakeTheirPlace) {
  Records records;
  const std::uint32_t* const data = records.add(1000).data();
  records.end_frame();
  EXPECT_FALSE(records.has_superseded(0));
  records.add(1001);
  EXPECT_TRUE(records.has_superseded(0));
  Records gathered;
  fill(gathered.add(20), 3);
  records.replace_by(std::move(gathered));
  EXPECT_EQ(records.arrays(), 1U);
  EXPECT_EQ(records.count(), 20U);
  EXPECT_EQ(records.last().back(), 22U);
  EXPECT_FALSE(records.has_superseded(0));
  EXPECT_NE(records.last().data(), data);
  EXPECT_GE(records.add(5).capacity(), 1001U);
  records.free();
  EXPECT_EQ(records.arrays(), 0U);
  EXPECT_EQ(records.count(), 0U);
}

}  // namespace
}  // namespace oclide::test
