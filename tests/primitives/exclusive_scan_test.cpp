#include "primitives/exclusive_scan.hpp"

#include <numeric>

#include "primitive_fixture.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using primitives::ExclusiveScan;

class ExclusiveScanTest : public Primitive {
 protected:
  // Runs both widths and compares with std::exclusive_scan.
  void expect_scanned(ExclusiveScan& scan, const std::vector<std::uint32_t>& values) {
    const std::size_t n = values.size();
    std::vector<std::uint64_t> expected(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) expected[i + 1] = expected[i] + values[i];
    const std::vector<std::uint32_t> expected_low(expected.begin(), expected.end());

    Buffer<std::uint32_t> in(*device_, "in"), out_u32(*device_, "out");
    Buffer<std::uint64_t> out_u64(*device_, "out"), total(*device_, "total");
    in.assign(values);
    scan.run_u32(in, out_u32, n, total, kStage);
    ASSERT_EQ(out_u32.size(), n + 1);
    EXPECT_TRUE(read(out_u32, n + 1) == expected_low) << n << " elements";
    EXPECT_EQ(total.read_one(0), expected.back()) << n << " elements";

    total.fill(0);
    scan.run_u64(in, out_u64, n, total, kStage);
    ASSERT_EQ(out_u64.size(), n + 1);
    EXPECT_TRUE(read(out_u64, n + 1) == expected) << n << " elements";
    EXPECT_EQ(total.read_one(0), expected.back()) << n << " elements";
  }

  std::vector<std::uint32_t> random_values(std::size_t n, std::uint32_t most) {
    std::uniform_int_distribution<std::uint32_t> value(0, most);
    std::vector<std::uint32_t> values(n);
    for (std::uint32_t& v : values) v = value(random_);
    return values;
  }
};

TEST_P(ExclusiveScanTest, EqualsTheSequentialSumAtAnyLength) {
  ExclusiveScan scan(*device_, GetParam());
  for (const std::size_t n : lengths()) expect_scanned(scan, random_values(n, 9));
}

TEST_P(ExclusiveScanTest, TotalBeyond32BitsIsExact) {
  ExclusiveScan scan(*device_, GetParam());
  expect_scanned(scan, std::vector<std::uint32_t>(5000, 0xFFFFFFFFU));
  expect_scanned(scan, random_values(3001, 0xFFFFFFFFU));
}

TEST_P(ExclusiveScanTest, ReadsOnlyTheFirstElements) {
  ExclusiveScan scan(*device_, GetParam());
  Buffer<std::uint32_t> in(*device_, "in"), out(*device_, "out");
  Buffer<std::uint64_t> total(*device_, "total");
  in.assign(std::vector<std::uint32_t>(3000, 1));
  scan.run_u32(in, out, 2049, total, kStage);
  EXPECT_EQ(total.read_one(0), 2049U);
  EXPECT_EQ(out.read_one(2049), 2049U);
  EXPECT_THROW(scan.run_u32(in, out, 3001, total, kStage), Error);
}

// As where no group has said its sum when others ask for it.
TEST_P(ExclusiveScanTest, WaitsForNoGroup) {
  ExclusiveScan scan(*device_, GetParam(), " -DOCLIDE_SCAN_SAYS_NOTHING");
  expect_scanned(scan, random_values(2049, 0xFFFFFFFFU));
  expect_scanned(scan, random_values(simulator_ ? 4000 : 30011, 0xFFFFFFFFU));
}

// What groups of earlier runs said, of other lengths, is not taken for what those of this one say.
TEST_P(ExclusiveScanTest, RunsDoNotMix) {
  ExclusiveScan scan(*device_, GetParam());
  Buffer<std::uint32_t> in(*device_, "in"), out(*device_, "out");
  Buffer<std::uint64_t> total(*device_, "total");
  const std::size_t most = 9000;
  const std::vector<std::uint32_t> values = random_values(most, 0xFFFFFFFFU);
  in.assign(values);
  for (std::uint32_t run = 0; run < (simulator_ ? 20 : 2 * SCAN_RUNS + 20); ++run) {
    const std::size_t n = run % 3 == 0 ? most : random_() % most;
    scan.run_u32(in, out, n, total, kStage);
    if (run % 64 < 60 && run % SCAN_RUNS > 4) continue;
    const std::uint64_t sum =
        std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), std::uint64_t{0});
    ASSERT_EQ(total.read_one(0), sum) << run;
    ASSERT_EQ(out.read_one(n), static_cast<std::uint32_t>(sum)) << run;
  }
}

TEST_P(ExclusiveScanTest, ScansMoreThan24BitsOfElements) {
  if (simulator_ || !tests_long_inputs()) GTEST_SKIP() << "too long";
  ExclusiveScan scan(*device_, GetParam());
  expect_scanned(scan, random_values(kBeyond24Bits, 1000));
}

INSTANTIATE_TEST_SUITE_P(Groups, ExclusiveScanTest, group_sizes(), group_name);

}  // namespace
}  // namespace oclide::test
