// Wheeled robots that tow trailers from grass up a hill of sand, as in figure 10 of Strashnov and Torgashev 2020.
// Each robot (see robot_model.hpp) has a lane of its own along x. All parts of one have one group, so that they never
// meet. A number of bodies that is no multiple of a robot's leaves stones for the sand.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/robot_model.hpp"
#include "scenarios/scenario.hpp"

namespace oclide {
namespace robot {

using scenario::Random;

constexpr double kLane = 4.0;         // [m]
constexpr double kLaneLength = 30.0;  // [m]
constexpr double kCell = 0.25;        // [m]
constexpr double kHill = 3.0;         // height of the sand hill [m]
constexpr double kHillStart = 0.0;    // x where grass ends and sand begins [m]
constexpr double kHillLength = 8.0;   // from its foot to its top [m]
constexpr std::uint8_t kGrass = 1;
constexpr std::uint8_t kSand = 2;

constexpr std::size_t kParts = 10;  // of a robot

class Robots final : public Scenario {
 public:
  explicit Robots(const ScenarioRequest& request) : Scenario(request) {
    robots_ = bodies_ / kParts;
    lanes_ = std::max<std::size_t>(1, (robots_ + environments_ - 1) / environments_);
    const double width = kLane * static_cast<double>(lanes_ + 1);
    if (request.terrain) {
      set_terrain(request, kLaneLength * width);
      const double length = ground().high()[0] - ground().low()[0];
      start_ = ground().low()[0] + 0.2 * length;
      end_ = ground().high()[0] - 0.2 * length;
    } else {
      set_terrain(make_hill(width));
    }
    for (std::size_t k = 0; k < robots_; ++k) add_robot(k);
    for (std::size_t i = kParts * robots_; i < bodies_; ++i) add_stone(i);
  }

  void pose(std::size_t index, Frame& frame) const override {
    // Alone, a frame shows the robot with its front on the hill and the trailer on the grass.
    const double way = frames_ > 1 ? progress(index) : 0.6;
    const scenario::Heights height = [this](double x, double y) { return ground().height(x, y); };
    const double low = ground().low()[1];
    const double lane = (ground().high()[1] - low) / static_cast<double>(lanes_);
    for (std::size_t k = 0; k < robots_; ++k) {
      const double y = low + lane * (static_cast<double>(k / environments_) + 0.5);
      scenario::pose_robot(height, start_ + (end_ - start_) * way, y, true, sunk_[k], kParts * k, frame);
    }
    for (std::size_t s = 0; s < stones_.size(); ++s)
      scenario::put_pose(frame, kParts * robots_ + s, stones_[s], glm::dquat(1.0, 0.0, 0.0, 0.0));
  }

 private:
  Terrain make_hill(double width) const {
    const std::uint64_t seed = seed_;
    Terrain terrain = scenario::make_terrain(kLaneLength, width, {kCell, kCell}, [seed](double x, double y) {
      // Grass is uneven; sand rises smoothly to its top.
      const double t = std::clamp((x - kHillStart) / kHillLength, 0.0, 1.0);
      return kHill * t * t * (3.0 - 2.0 * t) + scenario::fractal_noise(x, y, 8.0, 1.0, 0.015, seed);
    });
    scenario::set_material(terrain, [](double x, double) { return x < kHillStart ? kGrass : kSand; });
    return terrain;
  }

  void add_robot(std::size_t k) {
    const std::size_t environment = k % environments_;
    for (const scenario::RobotPart& part : scenario::robot_parts(true)) add_body(part.shape, part.size, environment);
    scene_.bodies.group.resize(scene_.bodies.count(), static_cast<std::int32_t>(k + 1));
    Random random(seed_, k + 1);
    std::array<double, 6> sunk{};
    for (double& s : sunk) s = random.uniform(0.0, scenario::kRobotSunk);
    sunk_.push_back(sunk);
  }

  void add_stone(std::size_t i) {
    Random random(seed_, i + 1);
    const double radius = random.uniform(0.05, 0.2);
    add_body(Shape::sphere, {radius, 0.0, 0.0}, i % environments_);
    scene_.bodies.group.push_back(0);
    const double x = random.uniform(std::max(kHillStart, ground().low()[0]), ground().high()[0]);
    const double y = random.uniform(ground().low()[1], ground().high()[1]);
    stones_.emplace_back(x, y, ground().sphere_height(x, y, radius) - random.uniform(0.0, 0.1 * radius));
  }

  std::size_t robots_ = 0;
  std::size_t lanes_ = 1;
  double start_ = -4.0;  // x of the chassis in the first frame [m]
  double end_ = 6.0;     // in the last
  std::vector<std::array<double, 6>> sunk_;
  std::vector<glm::dvec3> stones_;
};

}  // namespace robot

std::unique_ptr<Scenario> make_robot(const ScenarioRequest& request) {
  return std::make_unique<robot::Robots>(request);
}

}  // namespace oclide
