// Cylinders, spheres, boxes and capsules of 0.2 to 0.5 m over hills. About half of them are sunk by up to 10 cm into
// the plane of the ground at their foot, the others hover 1.5 to 6 cm above all that is under them. From frame to frame
// they drift and turn, and where two meet they go through each other: pairs of any depth, about one for two bodies.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace mixed {

using scenario::Ground;
using scenario::Random;

constexpr double kAreaPerBody = 4.0;  // [m^2]; smaller: bodies overlap each other more often
constexpr double kSmallestArea = 100.0;
constexpr double kCell = 0.5;     // [m]
constexpr double kBorder = 0.05;  // part of the terrain's width along each side that no body goes to
constexpr double kDrift = 0.1;    // most movement from frame to frame [m]
constexpr double kTurn = 0.05;    // most rotation from frame to frame [rad]

class Mixed final : public Scenario {
 public:
  explicit Mixed(const ScenarioRequest& request) : Scenario(request) {
    const double bodies_each = static_cast<double>((bodies_ + environments_ - 1) / environments_);
    const double area = std::max(kSmallestArea, bodies_each * kAreaPerBody);
    if (request.terrain) {
      set_terrain(request, area);
    } else {
      const double depth = std::sqrt(0.75 * area);
      const std::uint64_t seed = seed_;
      set_terrain(scenario::make_terrain(area / depth, depth, {kCell, kCell}, [seed](double x, double y) {
        return scenario::fractal_noise(x, y, 64.0, 2.0, 0.05, seed);
      }));
    }
    for (std::size_t i = 0; i < bodies_; ++i) add(i);
  }

  void pose(std::size_t index, Frame& frame) const override {
    const Ground& ground = this->ground();
    const double time = static_cast<double>(index);
    parallel_for(bodies_, [&](std::size_t i) {
      const Motion& m = motion_[i];
      std::array<double, 2> place{};
      for (int a = 0; a < 2; ++a) {
        const double border = kBorder * (ground.high()[a] - ground.low()[a]);
        place[a] = reflect(m.place[a] + time * m.drift[a], ground.low()[a] + border, ground.high()[a] - border);
      }
      const glm::dquat orientation = scenario::rotation_about(m.axis, time * m.turn) * m.orientation;
      const Bodies& b = scene_.bodies;
      scenario::put_pose(frame, i,
                         ground.rest(b.shape[i], b.size[i], orientation, place[0], place[1], m.gap, m.gap > 0.0),
                         orientation);
    });
  }

 private:
  struct Motion {
    std::array<double, 2> place;  // at frame 0
    std::array<double, 2> drift;  // a frame
    glm::dquat orientation;
    glm::dvec3 axis;
    double turn;
    double gap;  // negative: sunk
  };

  // Back and forth between low and high.
  static double reflect(double x, double low, double high) {
    const double width = high - low;
    const double t = (x - low) / (2.0 * width);
    const double phase = 2.0 * width * (t - std::floor(t));
    return low + std::min(phase, 2.0 * width - phase);
  }

  void add(std::size_t i) {
    Random random(seed_, i + 1);
    constexpr std::array kShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};
    const Shape shape = kShapes[random.below(kShapes.size())];
    std::array<double, 3> size{};
    for (double& s : size) s = random.uniform(0.2, 0.5);
    if (shape == Shape::sphere) size[1] = size[2] = 0.0;
    if (shape == Shape::cylinder || shape == Shape::capsule) size[2] = 0.0;
    add_body(shape, size, i % environments_);

    Motion m{};
    for (int a = 0; a < 2; ++a) {
      m.place[a] = random.uniform(ground().low()[a], ground().high()[a]);
      m.drift[a] = random.uniform(-kDrift, kDrift);
    }
    m.orientation = random.rotation();
    m.axis = random.direction();
    m.turn = random.uniform(-kTurn, kTurn);
    m.gap = random.chance(0.5) ? -random.uniform(0.0, 0.1) : random.uniform(0.015, 0.06);
    motion_.push_back(m);
  }

  std::vector<Motion> motion_;
};

}  // namespace mixed

std::unique_ptr<Scenario> make_mixed(const ScenarioRequest& request) {
  return std::make_unique<mixed::Mixed>(request);
}

}  // namespace oclide
