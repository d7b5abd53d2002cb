// Bodies of all four shapes fall onto terrain and each other. All are let go at once, each from such a height that it
// comes down to its place in a heap at a time of its own, the lower ones first:
//
//      z |  o   [] o       height above its place: g/2 (T^2 - t^2), T between kFirst and kLast
//        |      o
//        | [] (_)  o       what is in the air turns; what has landed lies still
//        +--o[]o-----------
//
// In the first frame nothing touches, in the last all bodies lie, nearly all of them in touch with others or the
// ground.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry.hpp"
#include "ground.hpp"
#include "heap.hpp"
#include "scenario.hpp"

namespace oclide {
namespace {

using scenario::PlacedBody;
using scenario::Random;

constexpr double kGravity = 9.81;     // [m/s^2]
constexpr double kDuration = 2.0;     // from the first frame to the last [s]
constexpr double kFirst = 0.8;        // the lowest body lands [s]
constexpr double kLast = 1.8;         // the highest one does [s]
constexpr double kScatter = 0.05;     // earlier or later than in order [s]
constexpr double kTurn = 3.0;         // most rotation in the air [rad/s]
constexpr double kWavelength = 10.0;  // from heap to heap [m]
constexpr double kCell = 0.5;         // [m]

class Rain final : public Scenario {
 public:
  explicit Rain(const ScenarioRequest& request) : Scenario(request) {
    const double area = scenario::scattered_area(share(0));
    if (request.terrain) {
      set_terrain(*request.terrain, area);
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
    tbb::parallel_for(std::size_t{0}, environments_, [&](std::size_t e) {
      const auto outline = scenario::scattered_heaps(ground().low(), ground().high(), kWavelength, seed_ + e);
      heaps[e] = scenario::make_heap(share(e), outline, plane, seed_, e);
    });
    for (std::size_t e = 0; e < environments_; ++e) add_environment(heaps[e], e);
  }

  void pose(std::size_t index, Frame& frame) const override {
    const double time = kDuration * progress(index);
    tbb::parallel_for(std::size_t{0}, bodies_, [&](std::size_t i) {
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
    double highest = 1e-9;
    for (const PlacedBody& body : heap) highest = std::max(highest, above_ground(body));
    for (const PlacedBody& body : heap) {
      Random random(seed_ + 1, places_.size());
      Flight flight{};
      flight.landing = kFirst + (kLast - kFirst) * above_ground(body) / highest + random.uniform(-kScatter, kScatter);
      flight.axis = random.direction();
      flight.turn = random.uniform(0.0, kTurn);
      add_body(body.shape, body.size, environment);
      places_.push_back(body);
      flights_.push_back(flight);
    }
  }

  [[nodiscard]] double above_ground(const PlacedBody& body) const {
    return std::max(0.0, body.position.z - ground().height(body.position.x, body.position.y));
  }

  std::vector<PlacedBody> places_;
  std::vector<Flight> flights_;
};

}  // namespace

std::unique_ptr<Scenario> make_rain(const ScenarioRequest& request) {
  return std::make_unique<Rain>(request);
}

}  // namespace oclide
