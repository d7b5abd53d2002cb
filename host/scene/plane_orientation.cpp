#include "scene/plane_orientation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "shared/poses.h"

namespace oclide {
namespace {

// The z axis of a quaternion of any length.
std::array<double, 3> z_axis(const std::array<double, 4>& q) {
  const auto [w, x, y, z] = q;
  const double length = w * w + x * x + y * y + z * z;
  return {2.0 * (x * z + w * y) / length, 2.0 * (y * z - w * x) / length, (w * w + z * z - x * x - y * y) / length};
}

// As plane_orientation() in kernels/upload/unit_orientation.clh does it.
std::array<float, 4> scaled_floats(const std::array<double, 4>& q) {
  double largest = 0.0;
  for (const double c : q) largest = std::max(largest, std::abs(c));
  std::array<float, 4> scaled{};
  for (std::size_t a = 0; a < 4; ++a) {
    const double part = std::ldexp(q[a], -std::ilogb(largest));
    scaled[a] = std::abs(part) < LEAST_PLANE_PART ? 0.0F : static_cast<float>(part);
  }
  return scaled;
}

}  // namespace

// Where the numbers are floats already they are taken as they are but for a power of two: the largest is in [1, 2)
// then. Else: a turn about the half space's normal changes all four numbers, not the plane; of some hundred turns one
// rounds well.
std::array<float, 4> plane_orientation(const std::array<double, 4>& given) {
  if (std::all_of(given.begin(), given.end(), [](double c) { return static_cast<double>(static_cast<float>(c)) == c; }))
    return scaled_floats(given);
  const double given_length =
      std::sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2] + given[3] * given[3]);
  std::array<double, 4> q = given;
  for (double& c : q) c /= given_length;
  constexpr auto kLeastPart = std::bit_cast<double>(std::uint64_t{LEAST_PART_BITS});
  constexpr double kGoodEnough = 4e-9;  // [rad]
  constexpr int kTurns = 4000;          // enough for all but one in a million
  const std::array<double, 3> wanted = z_axis(q);
  std::array<float, 4> best{};
  double least = 1e30;
  for (int k = 0; k < kTurns && least > kGoodEnough * kGoodEnough; ++k) {
    const double t = k * (1.0 / kTurns);  // tangent of half the turn
    const double c = (1.0 - t * t) / (1.0 + t * t), s = 2.0 * t / (1.0 + t * t);
    const std::array turned{q[0] * c - q[3] * s, q[1] * c + q[2] * s, q[2] * c - q[1] * s, q[3] * c + q[0] * s};
    std::array<float, 4> rounded{};
    std::array<double, 4> back{};
    for (std::size_t a = 0; a < 4; ++a) {
      rounded[a] = std::abs(turned[a]) < kLeastPart ? 0.0F : static_cast<float>(turned[a]);
      back[a] = static_cast<double>(rounded[a]);
    }
    const std::array<double, 3> axis = z_axis(back);
    double error = 0.0;
    for (std::size_t a = 0; a < 3; ++a) error += (axis[a] - wanted[a]) * (axis[a] - wanted[a]);
    if (error >= least) continue;
    least = error;
    best = rounded;
  }
  return best;
}

}  // namespace oclide
