#include "primitives/radix_sort.hpp"

#include <algorithm>
#include <numeric>

#include "primitive_fixture.hpp"

namespace oclide::test {
namespace {

using opencl::Buffer;
using primitives::RadixSort;

class RadixSortTest : public Primitive {
 protected:
  void run(RadixSort& sort, Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values, unsigned bits) {
    sort.run_u32(keys, values, keys.size(), bits, kStage);
  }
  void run(RadixSort& sort, Buffer<std::uint64_t>& keys, Buffer<std::uint32_t>& values, unsigned bits) {
    sort.run_u64(keys, values, keys.size(), bits, kStage);
  }

  // Values are the keys' places before, so that they show the order of equal keys.
  template <class Key>
  void expect_sorted(RadixSort& sort, const std::vector<Key>& keys, unsigned bits) {
    const Key mask = bits >= 8 * sizeof(Key) ? ~Key{0} : static_cast<Key>((Key{1} << bits) - 1);
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0U);
    std::vector<std::uint32_t> expected_values = values;
    if (bits <= 20) {  // counted: so many keys take seconds to compare
      std::vector<std::size_t> begin((std::size_t{1} << bits) + 1);
      for (const Key key : keys) ++begin[(key & mask) + 1];
      std::partial_sum(begin.begin(), begin.end(), begin.begin());
      for (std::uint32_t i = 0; i < keys.size(); ++i) expected_values[begin[keys[i] & mask]++] = i;
    } else {
      std::stable_sort(expected_values.begin(), expected_values.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
    }
    std::vector<Key> expected_keys(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) expected_keys[i] = keys[expected_values[i]];

    Buffer<Key> key_buffer(*device_, "keys");
    Buffer<std::uint32_t> value_buffer(*device_, "values");
    key_buffer.assign(keys);
    value_buffer.assign(values);
    run(sort, key_buffer, value_buffer, bits);
    EXPECT_TRUE(read(key_buffer, keys.size()) == expected_keys) << keys.size() << " keys, " << bits << " bits";
    EXPECT_TRUE(read(value_buffer, keys.size()) == expected_values) << keys.size() << " keys, " << bits << " bits";
  }

  template <class Key>
  std::vector<Key> random_keys(std::size_t n) {
    std::vector<Key> keys(n);
    for (Key& k : keys) k = static_cast<Key>(random_());
    return keys;
  }
};

TEST_P(RadixSortTest, EqualsStableSortAtAnyLength) {
  RadixSort sort(*device_, GetParam());
  for (const std::size_t n : lengths()) {
    expect_sorted(sort, random_keys<std::uint32_t>(n), 32);
    if (n < kLong) expect_sorted(sort, random_keys<std::uint64_t>(n), 64);
  }
}

TEST_P(RadixSortTest, LooksAtTheAskedBitsOnlyAndKeepsTheOrderOfEqualKeys) {
  RadixSort sort(*device_, GetParam());
  for (const unsigned bits : {0U, 1U, 4U, 7U, 9U, 20U, 31U, 32U})
    expect_sorted(sort, random_keys<std::uint32_t>(3001), bits);
  for (const unsigned bits : {3U, 33U, 40U, 63U}) expect_sorted(sort, random_keys<std::uint64_t>(3001), bits);
}

TEST_P(RadixSortTest, EqualSortedAndReversedKeys) {
  RadixSort sort(*device_, GetParam());
  std::vector<std::uint32_t> keys(5001, 0xFFFFFFFFU);
  expect_sorted(sort, keys, 32);
  std::iota(keys.begin(), keys.end(), 0xFFFFFF00U);  // wraps on the way
  expect_sorted(sort, keys, 32);
  std::sort(keys.begin(), keys.end());
  expect_sorted(sort, keys, 32);
  std::reverse(keys.begin(), keys.end());
  expect_sorted(sort, keys, 32);
}

TEST_P(RadixSortTest, LeavesWhatIsBehindTheFirstKeysAlone) {
  RadixSort sort(*device_, GetParam());
  Buffer<std::uint32_t> keys(*device_, "keys"), values(*device_, "values");
  keys.assign(std::vector<std::uint32_t>{5, 4, 3, 2, 1, 0});
  values.assign(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
  sort.run_u32(keys, values, 4, 4, kStage);  // an odd number of passes
  EXPECT_EQ(read(keys, 6), (std::vector<std::uint32_t>{2, 3, 4, 5, 1, 0}));
  EXPECT_EQ(read(values, 6), (std::vector<std::uint32_t>{3, 2, 1, 0, 4, 5}));
  EXPECT_THROW(sort.run_u32(keys, values, 7, 4, kStage), Error);
}

TEST_P(RadixSortTest, SortsMoreThan24BitsOfKeys) {
  if (simulator_ || !tests_long_inputs()) GTEST_SKIP() << "too long";
  RadixSort sort(*device_, GetParam());
  expect_sorted(sort, random_keys<std::uint32_t>(kBeyond24Bits), 18);
}

INSTANTIATE_TEST_SUITE_P(Groups, RadixSortTest, group_sizes(), group_name);

}  // namespace
}  // namespace oclide::test
