// Stones, convex hulls of 4 to 48 points, in heaps on rough ground: round ones, broken blocks, prisms and shards of 0.2
// to 0.5 m. Many bodies share a hull. Most stones lie in heaps as those of a pile do; from frame to frame every fifth
// trembles.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/heap.hpp"
#include "scenarios/scenario.hpp"

namespace oclide {
namespace rubble {

using scenario::PlacedBody;
using scenario::Random;

constexpr std::size_t kStones = 96;  // hulls, at most
constexpr double kSmallest = 0.2;    // half of a stone's width along any axis [m]
constexpr double kLargest = 0.5;     // [m]
constexpr double kCell = 0.5;        // of the ground [m]
constexpr double kBorder = 2.0;      // of the scenario's own ground around the heaps [m]
constexpr double kWavelength = 8.0;  // of the heaps [m]

using Points = std::vector<std::array<double, 3>>;

// Points of a ball, drawn out along the axes.
Points round_stone(Random& random) {
  Points points(8 + random.below(41));
  for (auto& point : points) {
    const glm::dvec3 p = random.direction();
    point = {p.x, p.y, p.z};
  }
  return points;
}

// A block some of whose corners are broken off.
Points block(Random& random) {
  Points points;
  for (int corner = 0; corner < 8; ++corner) {
    const std::array<double, 3> at{corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0};
    if (random.chance(0.5)) {
      points.push_back(at);
      continue;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      points.push_back(at);
      points.back()[axis] *= random.uniform(0.2, 0.8);
    }
  }
  return points;
}

Points prism(Random& random) {
  const std::size_t sides = 3 + random.below(10);
  Points points;
  for (std::size_t k = 0; k < 2 * sides; ++k) {
    const auto [sine, cosine] =
        scenario::sine_cosine(6.28318530717958648 * static_cast<double>(k / 2) / static_cast<double>(sides));
    points.push_back({cosine, sine, k % 2 == 0 ? 1.0 : -1.0});
  }
  return points;
}

Points shard(Random& random) {
  // Of a tetrahedron, so that the points are never in a plane, and some more.
  Points points{{1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
  for (std::size_t more = random.below(5); more > 0; --more)
    points.push_back({random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)});
  return points;
}

Points stone(std::size_t k, std::uint64_t seed) {
  Random random(seed, scenario::mix(k));
  constexpr std::array kKinds{round_stone, block, prism, shard};
  Points points = kKinds[k % kKinds.size()](random);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double half = random.uniform(kSmallest, kLargest);
    for (auto& point : points) point[axis] *= half;
  }
  return points;
}

class Rubble final : public Scenario {
 public:
  explicit Rubble(const ScenarioRequest& request) : Scenario(request) {
    const std::uint64_t seed = seed_;
    const double area = scenario::scattered_area(share(0));
    if (request.terrain) {
      set_terrain(request, area);
    } else {
      const double width = std::sqrt(area) + 2.0 * kBorder;
      set_terrain(scenario::make_terrain(width, width, {kCell, kCell}, [seed](double x, double y) {
        return scenario::fractal_noise(x, y, 16.0, 1.0, 0.05, seed);
      }));
    }
    for (std::size_t k = 0; k < std::min(kStones, bodies_); ++k) scene_.hulls.push_back(stone(k, seed_));
    const scenario::GroundPlanes planes = [this](double x, double y) {
      return scenario::GroundPlane{ground().point(x, y), ground().normal(x, y)};
    };
    std::vector<std::vector<PlacedBody>> heaps(environments_);
    tbb::parallel_for(std::size_t{0}, environments_, [&](std::size_t e) {
      std::array<double, 2> low = ground().low(), high = ground().high();
      for (std::size_t a = 0; a < 2 && !request.terrain; ++a) low[a] += kBorder, high[a] -= kBorder;
      const scenario::HeapOutline outline = scenario::scattered_heaps(low, high, kWavelength, scenario::mix(seed_ + e));
      heaps[e] = scenario::make_heap(share(e), outline, planes, seed_, e, scene_.hulls);
    });
    for (std::size_t e = 0; e < environments_; ++e)
      for (const PlacedBody& body : heaps[e]) {
        add_body(body.shape, body.size, e);
        places_.push_back(body);
      }
  }

  void pose(std::size_t index, Frame& frame) const override {
    tbb::parallel_for(std::size_t{0}, bodies_,
                      [&](std::size_t i) { scenario::put_trembling(frame, i, places_[i], index, seed_ + 1); });
  }

 private:
  std::vector<PlacedBody> places_;
};

}  // namespace rubble

std::unique_ptr<Scenario> make_rubble(const ScenarioRequest& request) {
  return std::make_unique<rubble::Rubble>(request);
}

}  // namespace oclide
