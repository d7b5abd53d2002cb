#include "terrain/ground_order.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

constexpr std::size_t kSamples = 1024;      // bodies that tell whether the order is stale
constexpr std::size_t kStrayPart = 4;       // it is when one in so many of them is far from where it was sorted
constexpr double kFarPart = 1.0 / 32.0;     // far, as a part of the area's longer side
constexpr double kFarthestPlace = 16384.0;  // |x| or |y| beyond counts as this [m]
constexpr double kCurveCells = 65536.0;     // of the curve along a side of the area

double along(const Poses& poses, std::uint32_t body, std::size_t axis) {
  return std::clamp(poses.position[3 * std::size_t{body} + axis], -kFarthestPlace, kFarthestPlace);
}

// The bits of a 16-bit number, with a zero before each.
std::uint32_t spread(std::uint32_t x) {
  x = (x | x << 8) & 0x00FF00FFU;
  x = (x | x << 4) & 0x0F0F0F0FU;
  x = (x | x << 2) & 0x33333333U;
  return (x | x << 1) & 0x55555555U;
}

}  // namespace

bool GroundOrder::is_stale(const Poses& poses) const {
  const auto strayed = static_cast<std::size_t>(std::count_if(sample_.begin(), sample_.end(), [&](const Place& then) {
    return std::abs(along(poses, then.body, 0) - then.x) > far_ || std::abs(along(poses, then.body, 1) - then.y) > far_;
  }));
  return sample_.empty() || strayed * kStrayPart > sample_.size();
}

void GroundOrder::sort(std::span<BodyRecord> bodies, std::span<const std::uint32_t> shape_begin, const Poses& poses) {
  sample_.clear();
  if (bodies.empty()) return;
  std::array<double, 2> low{};
  double side = 0.0;
  for (std::size_t a = 0; a < 2; ++a) {
    low[a] = kFarthestPlace;
    double high = -kFarthestPlace;
    for (const BodyRecord& body : bodies) {
      low[a] = std::min(low[a], along(poses, body.body, a));
      high = std::max(high, along(poses, body.body, a));
    }
    side = std::max(side, high - low[a]);
  }
  const double cells = side > 0.0 ? (kCurveCells - 1.0) / side : 0.0;  // per metre

  struct Keyed {
    std::uint64_t key;
    BodyRecord body;
  };
  std::vector<Keyed> keyed(bodies.size());
  parallel_for(bodies.size(), 4096, [&](std::size_t k) {
    const BodyRecord& body = bodies[k];
    const auto cell = [&](std::size_t a) {
      return spread(static_cast<std::uint32_t>((along(poses, body.body, a) - low[a]) * cells));
    };
    keyed[k] = {std::uint64_t{body.terrain} << 32 | (cell(1) << 1 | cell(0)), body};
  });
  for (std::size_t s = 0; s + 1 < shape_begin.size(); ++s)
    tbb::parallel_sort(
        keyed.begin() + shape_begin[s], keyed.begin() + shape_begin[s + 1],
        [](const Keyed& a, const Keyed& b) { return std::tie(a.key, a.body.body) < std::tie(b.key, b.body.body); });
  const std::size_t step = std::max<std::size_t>(1, bodies.size() / kSamples);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    bodies[k] = keyed[k].body;
    if (k % step == 0)
      sample_.push_back({bodies[k].body, along(poses, bodies[k].body, 0), along(poses, bodies[k].body, 1)});
  }
  far_ = side * kFarPart;
}

}  // namespace oclide
