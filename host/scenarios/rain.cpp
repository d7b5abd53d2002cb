// Bodies of all four shapes fall onto terrain and each other. All are let go at once, each from such a height that it
// comes down to its place in a heap at a time T of its own, after all that are under it:
//
//      z |  o   [] o       height above its place: g/2 (T^2 - t^2)
//        |      o
//        | [] (_)  o       what is in the air turns; what has landed lies still
//        +--o[]o-----------
//
// In the first frame nothing touches, in the last all bodies lie, nearly all of them in touch with others or the
// ground.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/heap.hpp"
#include "scenarios/scenario.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace rain {

using scenario::PlacedBody;
using scenario::Random;

constexpr double kGravity = 9.81;     // [m/s^2]
constexpr double kDuration = 3.0;     // from the first frame to the last [s]
constexpr double kFirst = 0.8;        // the first bodies land [s]
constexpr double kLast = 2.8;         // all have landed [s]
constexpr double kSpread = 1.0;       // of the landings of bodies that have none under them [s]
constexpr double kApart = 0.15;       // from a body's landing to that of one above it [s]
constexpr double kTurn = 3.0;         // most rotation in the air [rad/s]
constexpr double kBorder = 2.0;       // of the terrain, where no body falls [m]
constexpr double kWavelength = 10.0;  // from heap to heap [m]
constexpr double kColumn = 2.0;       // two bodies over each other are in one or in neighbouring columns [m]
constexpr double kCell = 0.5;         // [m]

class Rain final : public Scenario {
 public:
  explicit Rain(const ScenarioRequest& request) : Scenario(request) {
    const double area = scenario::scattered_area(share(0));
    if (request.terrain) {
      set_terrain(request, area);
    } else {
      const double depth = std::sqrt(0.75 * area);
      const std::uint64_t seed = seed_;
      set_terrain(scenario::make_terrain(area / depth, depth, {kCell, kCell}, [seed](double x, double y) {
        return scenario::fractal_noise(x, y, 32.0, 2.0, 0.06, seed);
      }));
    }
    const scenario::GroundPlanes plane = [this](double x, double y) {
      return scenario::GroundPlane{ground().point(x, y), ground().normal(x, y)};
    };
    std::vector<std::vector<PlacedBody>> heaps(environments_);
    parallel_for(environments_, [&](std::size_t e) {
      std::array<double, 2> low = ground().low();
      std::array<double, 2> high = ground().high();
      for (int a = 0; a < 2; ++a) {
        const double border = std::min(kBorder, 0.1 * (high[a] - low[a]));
        low[a] += border;
        high[a] -= border;
      }
      const auto outline = scenario::scattered_heaps(low, high, kWavelength, seed_ + e);
      heaps[e] = scenario::make_heap(share(e), outline, plane, seed_, e);
    });
    for (std::size_t e = 0; e < environments_; ++e) add_environment(heaps[e], e);
  }

  void pose(std::size_t index, Frame& frame) const override {
    const double time = kDuration * progress(index);
    parallel_for(bodies_, [&](std::size_t i) {
      const PlacedBody& body = places_[i];
      const Flight& flight = flights_[i];
      const double left = std::max(0.0, flight.landing - time);
      const double above = 0.5 * kGravity * left * (flight.landing + std::min(time, flight.landing));
      scenario::put_pose(frame, i, body.position + glm::dvec3(0.0, 0.0, above),
                         scenario::rotation_about(flight.axis, flight.turn * left) * body.orientation);
    });
  }

 private:
  struct Flight {
    double landing;  // [s]
    glm::dvec3 axis;
    double turn;  // [rad/s]
  };

  void add_environment(const std::vector<PlacedBody>& heap, std::size_t environment) {
    // From the lowest body up: each lands after those under it, some earlier and some later.
    std::vector<std::size_t> order(heap.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(heap[a].position.z, a) < std::pair(heap[b].position.z, b);
    });
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> columns;
    std::vector<double> landing(heap.size());
    double latest = kLast;
    for (std::size_t i : order) {
      const PlacedBody& body = heap[i];
      const double radius = scenario::bounding_radius(body.shape, body.size);
      landing[i] = kFirst + kSpread * Random(seed_ + 1, places_.size() + i).uniform();
      const auto column = [](double x) { return static_cast<std::int64_t>(std::floor(x / kColumn)); };
      const std::pair here(column(body.position.x), column(body.position.y));
      for (std::int64_t x = -1; x <= 1; ++x)
        for (std::int64_t y = -1; y <= 1; ++y) {
          const auto found = columns.find({here.first + x, here.second + y});
          if (found == columns.end()) continue;
          for (std::size_t under : found->second) {
            const glm::dvec3 between = heap[under].position - body.position;
            const double reach = radius + scenario::bounding_radius(heap[under].shape, heap[under].size);
            if (between.x * between.x + between.y * between.y < reach * reach)
              landing[i] = std::max(landing[i], landing[under] + kApart);
          }
        }
      columns[here].push_back(i);
      latest = std::max(latest, landing[i]);
    }
    for (std::size_t i = 0; i < heap.size(); ++i) {
      Random random(seed_ + 2, places_.size());
      Flight flight{};
      flight.landing = landing[i] * (kLast / latest);
      flight.axis = random.direction();
      flight.turn = random.uniform(0.0, kTurn);
      add_body(heap[i].shape, heap[i].size, environment);
      places_.push_back(heap[i]);
      flights_.push_back(flight);
    }
  }

  std::vector<PlacedBody> places_;
  std::vector<Flight> flights_;
};

}  // namespace rain

std::unique_ptr<Scenario> make_rain(const ScenarioRequest& request) {
  return std::make_unique<rain::Rain>(request);
}

}  // namespace oclide
