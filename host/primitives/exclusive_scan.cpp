#include "primitives/exclusive_scan.hpp"

#include <algorithm>
#include <string>

namespace oclide::primitives {

using opencl::Buffer;
using opencl::launch;
using opencl::Stage;
using opencl::StageTimer;

ExclusiveScan::ExclusiveScan(opencl::Device& device, std::size_t group_size)
    : device_(&device), chunks_(device, group_size), sums_(device, "scan sums") {
  if (chunks_.group_size() > 1) {
    // The most work-items that all kernels can have.
    for (const char* sum_type : {"uint", "ulong"}) {
      const Kernels kernels = load(sum_type);
      for (const cl::Kernel* kernel : {&kernels.sums, &kernels.chunks})
        chunks_.limit_group_size(device.work_group_size(*kernel, chunks_.group_size()));
    }
  }
  u32_ = load("uint");
  u64_ = load("ulong");
}

ExclusiveScan::Kernels ExclusiveScan::load(const char* sum_type) {
  const std::string stem = "primitives/exclusive_scan";
  const std::string options = std::string("-DSCAN=") + sum_type + chunks_.kernel_option();
  const std::string variant = chunks_.kernel_suffix();
  return {device_->kernel(stem, "scan_sums" + variant, options),
          device_->kernel(stem, "scan_chunks" + variant, options)};
}

template <class Sum>
void ExclusiveScan::run(Kernels& kernels, const Buffer<std::uint32_t>& in, Buffer<Sum>& out, std::size_t n,
                        Buffer<std::uint64_t>& total, Stage stage, StageTimer* timer) {
  if (n > in.size())
    throw Error(ErrorKind::device,
                "exclusive scan of " + std::to_string(n) + " elements of a buffer of " + std::to_string(in.size()));
  const std::uint64_t length = chunks_.length(n);
  const std::size_t count = std::max<std::size_t>(chunks_.count(n), 1);
  const std::size_t group = chunks_.group_size();
  out.resize(n + 1);
  total.resize(1);
  sums_.resize(count);

  const auto n64 = static_cast<std::uint64_t>(n);
  if (group > 1) {
    const auto local = cl::Local(group * sizeof(std::uint64_t));
    if (count > 1) launch(*device_, kernels.sums, timer, stage, count * group, group, in, n64, length, sums_, local);
    launch(*device_, kernels.chunks, timer, stage, count * group, group, in, n64, length, sums_, out, total, local);
  } else {
    if (count > 1) launch(*device_, kernels.sums, timer, stage, count, 1, in, n64, length, sums_);
    launch(*device_, kernels.chunks, timer, stage, count, 1, in, n64, length, sums_, out, total);
  }
}

void ExclusiveScan::run_u32(const Buffer<std::uint32_t>& in, Buffer<std::uint32_t>& out, std::size_t n,
                            Buffer<std::uint64_t>& total, Stage stage, StageTimer* timer) {
  run(u32_, in, out, n, total, stage, timer);
}

void ExclusiveScan::run_u64(const Buffer<std::uint32_t>& in, Buffer<std::uint64_t>& out, std::size_t n,
                            Buffer<std::uint64_t>& total, Stage stage, StageTimer* timer) {
  run(u64_, in, out, n, total, stage, timer);
}

}  // namespace oclide::primitives
