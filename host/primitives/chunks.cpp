#include "primitives/chunks.hpp"

#include <algorithm>
#include <bit>

#include "shared/limits.h"

namespace oclide::primitives {
namespace {

constexpr std::size_t kGpuGroupSize = 256;     // enough to hide latency, small enough for any GPU
constexpr std::size_t kCpuGroupsAUnit = 4;     // evens out threads that were held up
constexpr std::size_t kShortestSerial = 2048;  // elements worth a work-group on a CPU
constexpr std::size_t kMostChunks = 4096;

}  // namespace

Chunks::Chunks(const opencl::Device& device, std::size_t group_size, std::size_t groups_a_unit)
    : Chunks(device.info(), device.max_work_group_size(), group_size, groups_a_unit) {}

Chunks::Chunks(const DeviceInfo& device, std::size_t most_group_size, std::size_t group_size,
               std::size_t groups_a_unit) {
  if (group_size == 0) group_size = device.is_gpu ? kGpuGroupSize : 1;
  group_size_ = std::bit_floor(std::min(group_size, most_group_size));
  const std::size_t units = std::max<std::size_t>(device.compute_units, 1);
  most_chunks_ = std::min(kMostChunks, units * (group_size_ > 1 ? groups_a_unit : kCpuGroupsAUnit));
}

void Chunks::limit_group_size(std::size_t most) {
  group_size_ = std::bit_floor(std::min(group_size_, most));
}

std::size_t Chunks::length(std::size_t n) const {
  const std::size_t tile = group_size_ > 1 ? group_size_ * TILE_ITEMS : kShortestSerial;
  const std::size_t tiles = n / tile + (n % tile != 0 ? 1 : 0);
  return std::max<std::size_t>(tiles / most_chunks_ + (tiles % most_chunks_ != 0 ? 1 : 0), 1) * tile;
}

std::size_t Chunks::count(std::size_t n) const {
  const std::size_t each = length(n);
  return n / each + (n % each != 0 ? 1 : 0);
}

}  // namespace oclide::primitives
