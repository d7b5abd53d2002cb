#include "device_scene/leaf_positions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

constexpr std::size_t kLeafSamples = 1024;  // bodies that decide how the curve is laid
constexpr float kStrayCells = 1.0F;         // cells of the curve that a body may move before the tree suffers

std::array<float, 3> float_position(const Poses& poses, std::size_t body) {
  const double* p = &poses.position[3 * body];
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

}  // namespace

std::size_t LeafPositions::sample_step(std::size_t bodies) {
  return std::max<std::size_t>(1, bodies / kLeafSamples);
}

void HostLeafPositions::grow(std::size_t bodies) {
  if (then_.empty() || bodies <= then_.size()) return;
  const float infinite = std::numeric_limits<float>::infinity();
  then_.resize(bodies, {infinite, infinite, infinite});
  strayed_.resize(bodies, false);
}

bool HostLeafPositions::is_far(std::size_t body, float cell) const {
  const std::array now = float_position(now_, body), then = then_[body];
  const float way = std::max({std::abs(now[0] - then[0]), std::abs(now[1] - then[1]), std::abs(now[2] - then[2])});
  return way > kStrayCells * cell;
}

// By a sample.
bool HostLeafPositions::is_stale(std::size_t /*leaves*/, float cell) const {
  const std::size_t n = now_.count(), step = sample_step(n);
  if (then_.size() != n) return true;
  std::size_t looked_at = 0, strayed = 0;
  for (std::size_t i = 0; i < n; i += step) {
    ++looked_at;
    strayed += is_far(i, cell) ? 1 : 0;
  }
  return strayed * kStrayPart > looked_at;
}

bool HostLeafPositions::is_stale_after(std::span<const std::uint32_t> moved, std::size_t leaves, float cell) {
  for (const std::uint32_t body : moved) {
    if (strayed_[body] || !is_far(body, cell)) continue;
    strayed_[body] = true;
    ++strayed_count_;
  }
  return strayed_count_ > leaves / kStrayPart;
}

std::array<std::vector<double>, 3> HostLeafPositions::sample() {
  const std::size_t n = now_.count(), step = sample_step(n);
  std::array<std::vector<double>, 3> sample;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < n; i += step) sample[a].push_back(now_.position[3 * i + a]);
  return sample;
}

void HostLeafPositions::remember() {
  const std::size_t n = now_.count();
  then_.resize(n);
  parallel_for(n, 4096, [&](std::size_t i) { then_[i] = float_position(now_, i); });
  strayed_.assign(n, false);
  strayed_count_ = 0;
}

}  // namespace oclide
