// Tables as text.
#include "text/csv.hpp"

#include <gtest/gtest.h>

namespace oclide {
namespace {

TEST(Csv, WhatIsWrittenIsRead) {
  const std::vector<std::vector<std::string>> records{
      {"plain", "a,b", "say \"so\"", "\"", ""}, {"two\nlines", "cr\rhere", "\r\n", ",", "\",\""}, {""}, {"", ""}};
  std::string text;
  for (const auto& record : records) text += csv_line(record);
  EXPECT_EQ(read_csv(text), records);
}

TEST(Csv, QuotesStandWhereTheyAreNeeded) {
  EXPECT_EQ(csv_line({"a b", "", "a,b", "\"", "\n"}), "a b,,\"a,b\",\"\"\"\",\"\n\"\r\n");
}

// A program that was killed may have written any part of its last record.
TEST(Csv, RecordThatIsNotWholeIsLeftOut) {
  const std::string first = csv_line({"a", "b"});
  const std::string second = csv_line({"c,d", "\"\n"});
  for (std::size_t length = 0; length < second.size(); ++length)
    EXPECT_EQ(read_csv(first + second.substr(0, length)).size(), 1U) << length;
  EXPECT_EQ(read_csv(first + second).size(), 2U);
  EXPECT_EQ(read_csv("a,b\nc,d\n").size(), 2U) << "ends of lines of Unix";
}

}  // namespace
}  // namespace oclide
