#include "primitives/radix_sort.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "shared/limits.h"

namespace oclide::primitives {
namespace {

using opencl::Buffer;
using opencl::launch;
using opencl::Stage;
using opencl::StageTimer;

constexpr std::size_t kGroupDigits = 1U << GROUP_DIGIT_BITS;
constexpr std::size_t kMostGroupSize = 128;  // work-items whose digit counts fit in 8 KiB of local memory

}  // namespace

RadixSort::RadixSort(opencl::Device& device, std::size_t group_size)
    : RadixSort(device, std::make_shared<opencl::Memory>(device, "radix sort keys"),
                std::make_shared<opencl::Memory>(device, "radix sort values"), group_size) {}

RadixSort::RadixSort(opencl::Device& device, const std::shared_ptr<opencl::Memory>& keys,
                     const std::shared_ptr<opencl::Memory>& values, std::size_t group_size)
    : device_(&device),
      scan_(device, group_size),
      chunks_(device, group_size),
      other_keys_u32_(keys, "radix sort keys"),
      other_keys_u64_(keys, "radix sort keys"),
      other_values_(values, "radix sort values"),
      counts_(device, "radix sort counts"),
      offsets_(device, "radix sort offsets"),
      total_(device, "radix sort total") {
  chunks_.limit_group_size(kMostGroupSize);
  if (chunks_.group_size() > 1) {
    // The most work-items that all kernels can have.
    for (const char* key_type : {"uint", "ulong"}) {
      const Kernels kernels = load(key_type);
      for (const cl::Kernel* kernel : {&kernels.count, &kernels.scatter})
        chunks_.limit_group_size(device.work_group_size(*kernel, chunks_.group_size()));
    }
  }
  u32_ = load("uint");
  u64_ = load("ulong");
}

RadixSort::Kernels RadixSort::load(const char* key_type) {
  const std::string stem = "primitives/radix_sort";
  const std::string options = std::string("-DKEY=") + key_type + chunks_.kernel_option();
  const std::string variant = chunks_.kernel_suffix();
  return {device_->kernel(stem, "radix_count" + variant, options),
          device_->kernel(stem, "radix_scatter" + variant, options)};
}

template <class Key>
void RadixSort::run(Kernels& kernels, Buffer<Key>& keys, Buffer<std::uint32_t>& values, Buffer<Key>& other_keys,
                    std::size_t n, unsigned key_bits, Stage stage, StageTimer* timer) {
  if (n > keys.size() || n > values.size())
    throw Error(ErrorKind::device, "radix sort of " + std::to_string(n) + " elements of buffers of " +
                                       std::to_string(keys.size()) + " and " + std::to_string(values.size()));
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::device, "radix sort of " + std::to_string(n) + " keys, more than 32-bit counts hold");
  key_bits = std::min<unsigned>(key_bits, 8 * sizeof(Key));
  if (n < 2 || key_bits == 0) return;

  // The digits are as equal as can be: 20 bits are 7 + 7 + 6, and a pass costs less with fewer digits.
  const std::size_t group = chunks_.group_size();
  const bool serial = group == 1;
  const unsigned digit_bits = serial ? SERIAL_DIGIT_BITS : GROUP_DIGIT_BITS;
  const unsigned passes = (key_bits + digit_bits - 1) / digit_bits;
  const auto length =
      static_cast<std::uint32_t>(std::min<std::size_t>(chunks_.length(n), std::numeric_limits<std::uint32_t>::max()));
  const auto n32 = static_cast<std::uint32_t>(n);
  const auto count = static_cast<std::uint32_t>(chunks_.count(n));
  other_keys.resize(n);
  other_values_.resize(n);

  Buffer<Key>* from_keys = &keys;
  Buffer<Key>* to_keys = &other_keys;
  Buffer<std::uint32_t>* from_values = &values;
  Buffer<std::uint32_t>* to_values = &other_values_;
  unsigned shift = 0;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const unsigned bits = (key_bits - shift + (passes - pass) - 1) / (passes - pass);
    const std::uint32_t mask = (1U << bits) - 1;
    const std::size_t rows = serial ? mask + std::size_t{1} : kGroupDigits;
    counts_.resize(rows * count);

    if (serial) {
      launch(*device_, kernels.count, timer, stage, count, 1, *from_keys, n32, length, count, shift, mask, counts_);
    } else {
      launch(*device_, kernels.count, timer, stage, count * group, group, *from_keys, n32, length, count, shift, mask,
             counts_, cl::Local(kGroupDigits * group * sizeof(std::uint32_t)));
    }
    scan_.run_u32(counts_, offsets_, rows * count, total_, stage, timer);
    if (serial) {
      launch(*device_, kernels.scatter, timer, stage, count, 1, *from_keys, *from_values, n32, length, count, shift,
             mask, offsets_, *to_keys, *to_values);
    } else {
      launch(*device_, kernels.scatter, timer, stage, count * group, group, *from_keys, *from_values, n32, length,
             count, shift, mask, offsets_, *to_keys, *to_values,
             cl::Local(kGroupDigits * group * sizeof(std::uint32_t)), cl::Local(group * sizeof(std::uint32_t)),
             cl::Local(kGroupDigits * sizeof(std::uint32_t)));
    }
    shift += bits;
    std::swap(from_keys, to_keys);
    std::swap(from_values, to_values);
  }

  if (from_keys != &keys) {
    keys.copy_from(*from_keys, n, 0, timer, stage);
    values.copy_from(*from_values, n, 0, timer, stage);
  }
}

void RadixSort::free() {
  scan_.free();
  other_keys_u32_.free();
  other_keys_u64_.free();
  for (auto* buffer : {&other_values_, &counts_, &offsets_}) buffer->free();
  total_.free();
}

void RadixSort::run_u32(Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values, std::size_t n, unsigned key_bits,
                        Stage stage, StageTimer* timer) {
  run(u32_, keys, values, other_keys_u32_, n, key_bits, stage, timer);
}

void RadixSort::run_u64(Buffer<std::uint64_t>& keys, Buffer<std::uint32_t>& values, std::size_t n, unsigned key_bits,
                        Stage stage, StageTimer* timer) {
  run(u64_, keys, values, other_keys_u64_, n, key_bits, stage, timer);
}

}  // namespace oclide::primitives
