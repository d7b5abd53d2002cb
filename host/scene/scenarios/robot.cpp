// Wheeled robots that tow trailers from grass up a hill of sand, as in figure 10 of Strashnov and Torgashev 2020.
//
//            cargo    box
//           +-----+  +---------+
//      -----+-----+--| chassis |     along +x, one lane (along y) a robot
//         (2)  drawbar (4)   (4)     wheels are cylinders with the axis across
//
// Every wheel stands on the ground under it, sunk by up to 2 cm; the chassis takes its height and tilt from its four
// wheels, the trailer from its two and the drawbar. All parts of a robot have one group, so that they never meet.
// A number of bodies that is no multiple of a robot's leaves stones for the sand.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "geometry.hpp"
#include "ground.hpp"
#include "scenario.hpp"

namespace oclide {
namespace {

using scenario::Random;

constexpr double kLane = 4.0;         // [m]
constexpr double kLaneLength = 30.0;  // [m]
constexpr double kCell = 0.25;        // [m]
constexpr double kHill = 3.0;         // height of the sand hill [m]
constexpr double kHillStart = 0.0;    // x where grass ends and sand begins [m]
constexpr double kHillLength = 8.0;   // from its foot to its top [m]
constexpr double kSunk = 0.02;        // most depth of a wheel in the ground [m]
constexpr std::uint8_t kGrass = 1;
constexpr std::uint8_t kSand = 2;

// Parts of one robot, in metres. Wheels: radius, half width; boxes: half extents.
constexpr std::array<double, 3> kChassis{0.75, 0.35, 0.15};
constexpr std::array<double, 3> kWheel{0.25, 0.10, 0.0};
constexpr std::array<double, 3> kDrawbar{0.04, 0.30, 0.0};
constexpr std::array<double, 3> kTrailer{0.50, 0.30, 0.08};
constexpr std::array<double, 3> kTrailerWheel{0.20, 0.08, 0.0};
constexpr std::array<double, 3> kCargo{0.35, 0.25, 0.15};
constexpr double kAxle = 0.55;           // of the chassis: from the middle forward and back
constexpr double kTrack = 0.50;          // from the middle to a wheel
constexpr double kChassisHeight = 0.20;  // of its middle over the axles
constexpr double kTrailerTrack = 0.42;
constexpr double kTrailerHeight = 0.15;
constexpr double kTrailerBack = 1.70;  // trailer's axle behind the chassis' middle
constexpr std::size_t kParts = 10;     // chassis, 4 wheels, drawbar, trailer, 2 wheels, cargo

class Robots final : public Scenario {
 public:
  explicit Robots(const ScenarioRequest& request) : Scenario(request) {
    robots_ = bodies_ / kParts;
    lanes_ = std::max<std::size_t>(1, (robots_ + environments_ - 1) / environments_);
    const double width = kLane * static_cast<double>(lanes_ + 1);
    if (request.terrain) {
      set_terrain(*request.terrain, kLaneLength * width);
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
    for (std::size_t k = 0; k < robots_; ++k) pose_robot(k, start_ + (end_ - start_) * way, frame);
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
    add_body(Shape::box, kChassis, environment);
    for (int w = 0; w < 4; ++w) add_body(Shape::cylinder, kWheel, environment);
    add_body(Shape::capsule, kDrawbar, environment);
    add_body(Shape::box, kTrailer, environment);
    for (int w = 0; w < 2; ++w) add_body(Shape::cylinder, kTrailerWheel, environment);
    add_body(Shape::box, kCargo, environment);
    scene_.bodies.group.resize(scene_.bodies.count(), static_cast<std::int32_t>(k + 1));
    Random random(seed_, k + 1);
    std::array<double, 6> sunk{};
    for (double& s : sunk) s = random.uniform(0.0, kSunk);
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

  // Height of the middle of a wheel at (x, y) that rests on the ground.
  [[nodiscard]] double axle_height(const glm::dvec3& place, double radius) const {
    double z = ground().height(place.x, place.y) + radius;
    for (int k = -8; k <= 8; ++k) {
      const double t = k / 8.0;
      z = std::max(z, ground().height(place.x + t * radius, place.y) + radius * std::sqrt(1.0 - t * t));
    }
    return z;
  }

  void pose_robot(std::size_t k, double x, Frame& frame) const {
    const double low = ground().low()[1];
    const double lane = (ground().high()[1] - low) / static_cast<double>(lanes_);
    const double y = low + lane * (static_cast<double>(k / environments_) + 0.5);
    const std::array<double, 6>& sunk = sunk_[k];
    std::size_t body = kParts * k;

    // Wheels of the chassis: front left, front right, rear left, rear right.
    std::array<glm::dvec3, 4> wheel{};
    for (int w = 0; w < 4; ++w) {
      wheel[w] = {x + (w < 2 ? kAxle : -kAxle), y + (w % 2 == 0 ? kTrack : -kTrack), 0.0};
      wheel[w].z = axle_height(wheel[w], kWheel[0]) - sunk[w];
    }
    const glm::dvec3 forward = glm::normalize(wheel[0] + wheel[1] - wheel[2] - wheel[3]);
    const glm::dvec3 across = wheel[0] + wheel[2] - wheel[1] - wheel[3];
    const glm::dvec3 up = glm::normalize(glm::cross(forward, across));
    const glm::dvec3 left = glm::cross(up, forward);
    const glm::dvec3 axles = 0.25 * (wheel[0] + wheel[1] + wheel[2] + wheel[3]);
    const glm::dvec3 chassis = axles + kChassisHeight * up;
    scenario::put_pose(frame, body++, chassis, scenario::rotation_of(forward, left, up));
    for (int w = 0; w < 4; ++w) put_wheel(frame, body++, wheel[w], forward, left, x / kWheel[0]);

    // Trailer: hangs on the drawbar behind the chassis.
    std::array<glm::dvec3, 2> pair{};
    for (int w = 0; w < 2; ++w) {
      pair[w] = {x - kTrailerBack, y + (w == 0 ? kTrailerTrack : -kTrailerTrack), 0.0};
      pair[w].z = axle_height(pair[w], kTrailerWheel[0]) - sunk[4 + w];
    }
    const glm::dvec3 hitch = axles - kChassis[0] * forward;
    const glm::dvec3 axle = 0.5 * (pair[0] + pair[1]);
    const glm::dvec3 pull = glm::normalize(hitch - axle);
    const glm::dvec3 trailer_up = glm::normalize(glm::cross(pull, pair[0] - pair[1]));
    const glm::dvec3 trailer_left = glm::cross(trailer_up, pull);
    const glm::dquat trailer = scenario::rotation_of(pull, trailer_left, trailer_up);
    scenario::put_pose(frame, body++, hitch - kDrawbar[1] * pull,
                       scenario::rotation_of(trailer_up, trailer_left, -pull));
    const glm::dvec3 bed = axle + kTrailerHeight * trailer_up;
    scenario::put_pose(frame, body++, bed, trailer);
    for (int w = 0; w < 2; ++w) put_wheel(frame, body++, pair[w], pull, trailer_left, x / kTrailerWheel[0]);
    scenario::put_pose(frame, body++, bed + (kTrailer[2] + kCargo[2]) * trailer_up, trailer);
  }

  // The cylinder's axis (local z) points to the left; `angle` is how far the wheel has rolled.
  static void put_wheel(Frame& frame, std::size_t body, const glm::dvec3& centre, const glm::dvec3& forward,
                        const glm::dvec3& left, double angle) {
    const glm::dquat axis = scenario::rotation_of(forward, glm::cross(left, forward), left);
    scenario::put_pose(frame, body, centre, axis * scenario::rotation_about(glm::dvec3(0.0, 0.0, 1.0), angle));
  }

  std::size_t robots_ = 0;
  std::size_t lanes_ = 1;
  double start_ = -4.0;  // x of the chassis in the first frame [m]
  double end_ = 6.0;     // in the last
  std::vector<std::array<double, 6>> sunk_;
  std::vector<glm::dvec3> stones_;
};

}  // namespace

std::unique_ptr<Scenario> make_robot(const ScenarioRequest& request) {
  return std::make_unique<Robots>(request);
}

}  // namespace oclide
