#include "primitives/compaction.hpp"

#include "primitive_fixture.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using primitives::Compaction;

class CompactionTest : public Primitive {
 protected:
  void expect_compacted(Compaction& compaction, const std::vector<std::uint32_t>& flags) {
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < flags.size(); ++i)
      if (flags[i] != 0) expected.push_back(static_cast<std::uint32_t>(i));

    Buffer<std::uint32_t> in(*device_, "flags"), indices(*device_, "indices");
    Buffer<std::uint64_t> count(*device_, "count");
    in.assign(flags);
    compaction.run(in, indices, flags.size(), count, kStage);
    ASSERT_EQ(count.read_one(0), expected.size()) << flags.size() << " flags";
    EXPECT_TRUE(read(indices, expected.size()) == expected) << flags.size() << " flags";
  }

  std::vector<std::uint32_t> random_flags(std::size_t n, double share) {
    std::bernoulli_distribution set(share);
    std::vector<std::uint32_t> flags(n);
    for (std::uint32_t& f : flags) f = set(random_) ? 1 : 0;
    return flags;
  }
};

TEST_P(CompactionTest, KeepsTheIndicesOfSetFlagsInOrder) {
  Compaction compaction(*device_, GetParam());
  for (const std::size_t n : lengths())
    for (const double share : {0.01, 0.5}) expect_compacted(compaction, random_flags(n, share));
}

TEST_P(CompactionTest, AllAndNoneSet) {
  Compaction compaction(*device_, GetParam());
  expect_compacted(compaction, std::vector<std::uint32_t>(4097, 1));
  expect_compacted(compaction, std::vector<std::uint32_t>(4097, 0));
}

TEST_P(CompactionTest, MoreThan24BitsOfFlags) {
  if (simulator_ || !tests_long_inputs()) GTEST_SKIP() << "too long";
  Compaction compaction(*device_, GetParam());
  expect_compacted(compaction, random_flags(kBeyond24Bits, 0.3));
}

INSTANTIATE_TEST_SUITE_P(Groups, CompactionTest, group_sizes(), group_name);

}  // namespace
}  // namespace oclide::test
