#include "device_scene/leaf_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "device_scene/quantile.hpp"
#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr unsigned kMostBits = 20;  // of a coordinate on the curve
constexpr std::uint32_t kLeavesSortedByHost = 2048;

}  // namespace

LeafOrder::LeafOrder(opencl::Device& device, const TreeBodies& bodies, const WorkMemory& work)
    : device_(device),
      bodies_(bodies),
      sort_(device, work.first, work.second),
      keys_kernel_(device.kernel("broad_phase/body_tree", "broad_phase_leaf_keys")),
      keys_(device, "keys of the tree"),
      records_(device, "order of the tree") {}

void LeafOrder::sort(LeafPositions& positions, const DevicePoses& poses, opencl::StageTimer& timer) {
  forget();
  // The curve covers what most bodies are in; what is farther out counts as being on its border.
  const auto cell = static_cast<double>(bodies_.cell);
  std::array<std::vector<double>, 3> sample = positions.sample();
  std::array<double, 3> low{}, high{};
  double widest = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double q05 = quantile(sample[a], 0.05), q95 = quantile(sample[a], 0.95);
    const double around = 0.5 * (q95 - q05) + 8.0 * cell;
    low[a] = q05 - around;
    high[a] = q95 + around;
    widest = std::max(widest, high[a] - low[a]);
  }
  const unsigned most_bits = std::min(kMostBits, (64 - bodies_.high_bits) / 3);
  const double cells = std::ceil(std::log2(std::max(widest / cell, 2.0)));
  const auto bits = static_cast<cl_uint>(std::clamp(cells, 1.0, static_cast<double>(most_bits)));
  const double per_metre = std::min(1.0 / cell, std::exp2(bits) / widest);
  const cl_float4 origin{{static_cast<float>(low[0]), static_cast<float>(low[1]), static_cast<float>(low[2]),
                          static_cast<float>(per_metre)}};

  keys_.resize(bodies_.leaves);
  records_.resize(bodies_.count());
  opencl::launch(device_, keys_kernel_, &timer, Stage::broad_phase, bodies_.count(), kGroup, bodies_.leaves,
                 bodies_.count(), bodies_.records, poses.records, origin, bits, keys_, records_);
  if (positions.host_may_sort() && bodies_.leaves <= kLeavesSortedByHost)
    sort_on_host(timer);
  else
    sort_.run_u64(keys_, records_, bodies_.leaves, bodies_.high_bits + 3 * bits, Stage::broad_phase, &timer);
}

// As the sort on the device does: the few leaves of a small scene are not worth its commands.
void LeafOrder::sort_on_host(opencl::StageTimer& timer) {
  std::vector<std::uint64_t> keys(bodies_.leaves);
  std::vector<std::uint32_t> order(bodies_.leaves);
  keys_.download(keys, 0, &timer, Stage::broad_phase);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  records_.upload(order, 0, &timer, Stage::broad_phase);
}

void LeafOrder::free() {
  forget();
  sort_.free();
  keys_.free();
  records_.free();
}

}  // namespace oclide
