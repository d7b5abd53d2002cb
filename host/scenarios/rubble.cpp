// Stones, convex hulls of 4 to 48 points, in heaps on rough ground: round ones, broken blocks, prisms and shards of 0.2
// to 0.5 m. Many bodies share a hull. Most stones lie in heaps as those of a pile do; from frame to frame every fifth
// trembles.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/heap.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/stones.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace rubble {

using scenario::PlacedBody;

constexpr std::size_t kStones = 96;  // hulls, at most
constexpr double kCell = 0.5;        // of the ground [m]
constexpr double kBorder = 2.0;      // of the scenario's own ground around the heaps [m]
constexpr double kWavelength = 8.0;  // of the heaps [m]

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
    for (std::size_t k = 0; k < std::min(kStones, bodies_); ++k) scene_.hulls.push_back(scenario::stone(k, seed_));
    const scenario::GroundPlanes planes = [this](double x, double y) {
      return scenario::GroundPlane{ground().point(x, y), ground().normal(x, y)};
    };
    std::vector<std::vector<PlacedBody>> heaps(environments_);
    parallel_for(environments_, [&](std::size_t e) {
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
    parallel_for(bodies_, [&](std::size_t i) { scenario::put_trembling(frame, i, places_[i], index, seed_ + 1); });
  }

 private:
  std::vector<PlacedBody> places_;
};

}  // namespace rubble

std::unique_ptr<Scenario> make_rubble(const ScenarioRequest& request) {
  return std::make_unique<rubble::Rubble>(request);
}

}  // namespace oclide
