#include "primitives/compaction.hpp"

#include <limits>

namespace oclide::primitives {
namespace {

constexpr std::size_t kScatterGroupSize = 128;  // each work-item is on its own, on any kind of device

}  // namespace

Compaction::Compaction(opencl::Device& device, std::size_t group_size)
    : device_(&device),
      scan_(device, group_size),
      scatter_(device.kernel("primitives/compaction", "compaction_scatter")),
      group_size_(device.work_group_size(scatter_, group_size > 0 ? group_size : kScatterGroupSize)),
      offsets_(device, "compaction offsets") {}

void Compaction::run(const opencl::Buffer<std::uint32_t>& flags, opencl::Buffer<std::uint32_t>& indices, std::size_t n,
                     opencl::Buffer<std::uint64_t>& count, opencl::Stage stage, opencl::StageTimer* timer) {
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::device,
                "compaction of " + std::to_string(n) + " flags, more than 32-bit indices tell apart");
  scan_.run_u32(flags, offsets_, n, count, stage, timer);
  indices.resize(n);
  opencl::launch(*device_, scatter_, timer, stage, n, group_size_, flags, offsets_, static_cast<std::uint32_t>(n),
                 indices);
}

}  // namespace oclide::primitives
