#include "primitives/exclusive_scan.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace oclide::primitives {

using opencl::Buffer;
using opencl::launch;
using opencl::Stage;
using opencl::StageTimer;

ExclusiveScan::ExclusiveScan(opencl::Device& device, std::size_t group_size, std::string options)
    : device_(&device),
      chunks_(device, group_size, kGroupsAUnit),
      options_(std::move(options)),
      sums_(device, "scan sums"),
      words_(device, "scan sums") {
  if (chunks_.group_size() > 1) {
    // The most work-items that both widths can have.
    for (const char* sum_type : {"uint", "ulong"})
      chunks_.limit_group_size(device.work_group_size(load(sum_type).chunks, chunks_.group_size()));
  }
  u32_ = load("uint");
  u64_ = load("ulong");
}

ExclusiveScan::Kernels ExclusiveScan::load(const char* sum_type) {
  const std::string stem = "primitives/exclusive_scan";
  const std::string options = std::string("-DSCAN=") + sum_type + chunks_.kernel_option() + options_;
  if (chunks_.group_size() > 1) return {cl::Kernel(), device_->kernel(stem, "scan_group", options)};
  return {device_->kernel(stem, "scan_sums_serial", options), device_->kernel(stem, "scan_chunks_serial", options)};
}

// The number of a run that `words_` can tell from those before it.
std::uint32_t ExclusiveScan::next_run(std::size_t arrays, Stage stage, StageTimer* timer) {
  if (const std::size_t needed = arrays * words(chunks_); words_.size() < needed) {
    words_.resize(needed);
    run_ = SCAN_RUNS - 1;
  }
  if (run_ + 1 == SCAN_RUNS) {
    words_.fill(0, 0, words_.size(), timer, stage);
    run_ = 0;
  }
  return ++run_;
}

template <class Sum>
void ExclusiveScan::run(Kernels& kernels, std::span<const Array<Sum>> arrays, std::size_t n,
                        Buffer<std::uint64_t>& total, Stage stage, StageTimer* timer) {
  for (const Array<Sum>& array : arrays) {
    if (n > array.in.size())
      throw Error(ErrorKind::device, "exclusive scan of " + std::to_string(n) + " elements of a buffer of " +
                                         std::to_string(array.in.size()));
    array.out.resize(n + 1);
  }
  const std::uint64_t length = chunks_.length(n);
  const std::size_t count = std::max<std::size_t>(chunks_.count(n), 1), all = arrays.size() * count;
  const std::size_t group = chunks_.group_size();
  const Array<Sum>&first = arrays.front(), &last = arrays.back();
  total.resize(arrays.size());

  const auto n64 = static_cast<std::uint64_t>(n);
  const auto chunks = static_cast<cl_uint>(count);
  if (group > 1) {
    launch(*device_, kernels.chunks, timer, stage, all * group, group, first.in, last.in, n64, length, chunks,
           next_run(arrays.size(), stage, timer), words_, first.out, last.out, total,
           cl::Local((group + group / SCAN_ROW + 1) * sizeof(std::uint64_t)), cl::Local(group * sizeof(std::uint32_t)));
  } else {
    sums_.resize(all);
    if (count > 1) launch(*device_, kernels.sums, timer, stage, all, 1, first.in, last.in, n64, length, chunks, sums_);
    launch(*device_, kernels.chunks, timer, stage, all, 1, first.in, last.in, n64, length, chunks, sums_, first.out,
           last.out, total);
  }
}

void ExclusiveScan::run_u32(const Buffer<std::uint32_t>& in, Buffer<std::uint32_t>& out, std::size_t n,
                            Buffer<std::uint64_t>& total, Stage stage, StageTimer* timer) {
  const Array<std::uint32_t> array{in, out};
  run(u32_, std::span(&array, 1), n, total, stage, timer);
}

void ExclusiveScan::run_u32(const std::array<Array<std::uint32_t>, 2>& arrays, std::size_t n,
                            Buffer<std::uint64_t>& totals, Stage stage, StageTimer* timer) {
  run(u32_, std::span<const Array<std::uint32_t>>(arrays), n, totals, stage, timer);
}

void ExclusiveScan::run_u64(const Buffer<std::uint32_t>& in, Buffer<std::uint64_t>& out, std::size_t n,
                            Buffer<std::uint64_t>& total, Stage stage, StageTimer* timer) {
  const Array<std::uint64_t> array{in, out};
  run(u64_, std::span(&array, 1), n, total, stage, timer);
}

}  // namespace oclide::primitives
