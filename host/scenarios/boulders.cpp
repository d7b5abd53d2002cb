// Boulders, spheres of 0.2 to 5 m radius with a uniform logarithm, that roll down a rough slope along +x. All go the
// same way from frame to frame and none begins above another, so that they do not meet.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace boulders {

using scenario::Random;

constexpr double kAreaPerBody = 100.0;  // [m^2]
constexpr double kSmallestArea = 1600.0;
constexpr double kCell = 0.5;      // [m]
constexpr double kSlope = 0.3;     // fall per metre along +x
constexpr double kSmallest = 0.2;  // radius [m]
constexpr double kLargest = 5.0;   // radius [m]
constexpr double kStep = 0.25;     // movement from frame to frame [m]
constexpr int kTries = 64;         // of a place; the last one is taken in any case
constexpr double kSunk = 0.02;     // most depth in the ground, as a part of the radius

class Boulders final : public Scenario {
 public:
  explicit Boulders(const ScenarioRequest& request) : Scenario(request) {
    const double bodies_each = static_cast<double>((bodies_ + environments_ - 1) / environments_);
    const double area = std::max(kSmallestArea, bodies_each * kAreaPerBody);
    if (request.terrain) {
      set_terrain(request, area);
    } else {
      const double depth = std::sqrt(0.6 * area);
      const std::uint64_t seed = seed_;
      set_terrain(scenario::make_terrain(area / depth, depth, {kCell, kCell}, [seed](double x, double y) {
        return -kSlope * x + scenario::fractal_noise(x, y, 32.0, 1.0, 0.04, seed);
      }));
    }
    for (std::size_t i = 0; i < bodies_; ++i) {
      Random random(seed_, i + 1);
      const double radius = random.log_uniform(kSmallest, kLargest);
      add_body(Shape::sphere, {radius, 0.0, 0.0}, i % environments_);
      Motion m{};
      m.place = free_place(i % environments_, radius, random);
      m.sunk = random.uniform(0.0, kSunk) * radius;
      m.orientation = random.rotation();
      motion_.push_back(m);
    }
    discs_.clear();
  }

  void pose(std::size_t index, Frame& frame) const override {
    parallel_for(bodies_, [&](std::size_t i) {
      const Motion& m = motion_[i];
      const double radius = scene_.bodies.size[i][0];
      const double way = kStep * static_cast<double>(index);
      // Who has rolled over the lower border comes in again at the upper one.
      const double low = ground().low()[0];
      const double width = ground().high()[0] - low;
      const double along = (m.place[0] - low + way) / width;
      const double x = low + width * (along - std::floor(along));
      const double y = m.place[1];
      const glm::dvec3 centre(x, y, ground().sphere_height(x, y, radius) - m.sunk);
      scenario::put_pose(frame, i, centre,
                         scenario::rotation_about(glm::dvec3(0.0, 1.0, 0.0), way / radius) * m.orientation);
    });
  }

 private:
  struct Motion {
    std::array<double, 2> place;  // at frame 0
    double sunk;
    glm::dquat orientation;
  };

  // A place over which no other boulder of the environment stands; what leaves at one end along x comes in at the
  // other.
  std::array<double, 2> free_place(std::size_t environment, double radius, Random& random) {
    const double width = ground().high()[0] - ground().low()[0];
    const auto columns = std::max<std::int64_t>(1, static_cast<std::int64_t>(width / (2.0 * kLargest)));
    std::array<double, 2> place{};
    std::array<std::int64_t, 2> cell{};
    for (int k = 0; k < kTries; ++k) {
      for (int a = 0; a < 2; ++a) place[a] = random.uniform(ground().low()[a], ground().high()[a]);
      cell = {std::min(columns - 1, static_cast<std::int64_t>((place[0] - ground().low()[0]) / width *
                                                              static_cast<double>(columns))),
              static_cast<std::int64_t>((place[1] - ground().low()[1]) / (2.0 * kLargest))};
      bool is_free = true;
      for (std::int64_t i = -1; i <= 1 && is_free; ++i)
        for (std::int64_t j = -1; j <= 1 && is_free; ++j)
          for (const Disc& other : discs_[{environment, (cell[0] + i + columns) % columns, cell[1] + j}]) {
            double dx = std::abs(other.place[0] - place[0]);
            dx = std::min(dx, width - dx);
            const double dy = other.place[1] - place[1];
            const double reach = other.radius + radius;
            is_free = is_free && dx * dx + dy * dy > reach * reach;
          }
      if (is_free) break;
    }
    discs_[{environment, cell[0], cell[1]}].push_back({place, radius});
    return place;
  }

  struct Disc {
    std::array<double, 2> place;
    double radius;
  };
  // By environment and cell; no cell is narrower than the largest boulder.
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::vector<Disc>> discs_;
  std::vector<Motion> motion_;
};

}  // namespace boulders

std::unique_ptr<Scenario> make_boulders(const ScenarioRequest& request) {
  return std::make_unique<boulders::Boulders>(request);
}

}  // namespace oclide
