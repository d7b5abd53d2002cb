// A volley of spheres and rods, faster than a plate is thick in any frame, against plates that stand in ranks before a
// bank of earth. From frame to frame shots jump over plates, so that contacts miss most of what impacts find.
//
//    o o o     ->      |  |   |           __
//    /  o -            |   |  |        __/        along +x; rods tumble, every third plate turns
//  ___________________ |  |   | ______/
//
// Each shot falls as it flies and sticks where its middle comes to the ground. Nothing else stops it: a scenario knows
// of no impacts. Of each environment a quarter of the bodies are plates.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace volley {

using scenario::Random;

constexpr double kFrame = 1.0 / 60.0;  // [s]
constexpr double kGravity = 9.81;      // [m/s^2]
constexpr double kSlowest = 40.0;      // [m/s]
constexpr double kFastest = 120.0;     // [m/s]
constexpr double kMostSpin = 220.0;    // of rods [rad/s]: more than half a turn a frame
constexpr double kMostTurn = 12.0;     // of plates [rad/s]

constexpr double kLane = 1.2;        // across the range, a plate of each rank [m]
constexpr double kRank = 3.0;        // along the range [m]
constexpr double kApart = 0.7;       // of the shots of a lane, along the range [m]
constexpr double kBefore = 8.0;      // from the first shots to the first rank [m]
constexpr double kBehind = 4.0;      // from the last rank to the bank [m]
constexpr double kBankLength = 6.0;  // [m]
constexpr double kBankHeight = 4.0;  // [m]
constexpr double kTop = 3.0;         // of the bank, along the range [m]
constexpr double kCell = 0.5;        // of the ground [m]
constexpr double kSunk = 0.03;       // of plates in the ground [m]
constexpr std::size_t kFewRanks = 3;

constexpr double kLongestFlight = 20.0;  // [s]
constexpr double kLook = kFrame / 4.0;   // how often a shot looks for the ground [s]

class Volley final : public Scenario {
 public:
  explicit Volley(const ScenarioRequest& request) : Scenario(request) {
    // The first environment has the most.
    const double plates = static_cast<double>(plates_of(0));
    ranks_ = std::max(kFewRanks, static_cast<std::size_t>(std::ceil(0.4 * std::sqrt(plates))));
    lanes_ = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(plates / static_cast<double>(ranks_))));
    const double shots = std::ceil(static_cast<double>(share(0) - plates_of(0)) / static_cast<double>(lanes_));
    line_ = kApart * shots;
    const double ranks = kRank * static_cast<double>(ranks_);
    const double length = line_ + kBefore + ranks + kBehind + kBankLength + kTop;
    const double width = kLane * static_cast<double>(lanes_ + 2);
    const double bank = 0.5 * length - kTop - kBankLength;
    if (request.terrain) {
      set_terrain(request, length * width);
    } else {
      const std::uint64_t seed = seed_;
      set_terrain(scenario::make_terrain(length, width, {kCell, kCell}, [seed, bank](double x, double y) {
        const double s = std::clamp((x - bank) / kBankLength, 0.0, 1.0);
        return kBankHeight * s * s * (3.0 - 2.0 * s) + scenario::fractal_noise(x, y, 16.0, 2.0, 0.02, seed);
      }));
    }
    for (std::size_t a = 0; a < 2; ++a) middle_[a] = 0.5 * (ground().low()[a] + ground().high()[a]);
    start_ = -0.5 * length + line_;
    places_.resize(bodies_);
    for (std::size_t e = 0; e < environments_; ++e)
      for (std::size_t k = 0; k < share(e); ++k) {
        Random random(seed_, scenario::mix(e) + k);
        if (k < plates_of(e))
          add_plate(k, e, random);
        else
          add_shot(k - plates_of(e), e, random);
      }
  }

  [[nodiscard]] bool moves() const override { return true; }

  void pose(std::size_t index, Frame& frame) const override {
    parallel_for(bodies_, [&](std::size_t i) {
      const Place& place = places_[i];
      const double t = time_of(place, index);
      scenario::put_pose(frame, i, position_at(place, t),
                         scenario::rotation_about(place.axis, place.spin * t) * place.orientation);
    });
  }

  // A rod may turn by more than half a turn in a frame, which its poses do not say.
  void motion(std::size_t index, FrameMotion& motion) const override {
    motion.displacement.resize(3 * bodies_);
    motion.rotation.resize(3 * bodies_);
    for (std::size_t i = 0; i < bodies_; ++i) {
      const Place& place = places_[i];
      const double from = time_of(place, index), to = time_of(place, index + 1);
      const glm::dvec3 way = position_at(place, to) - position_at(place, from);
      const glm::dvec3 turn = place.spin * (to - from) * place.axis;
      for (int a = 0; a < 3; ++a) {
        motion.displacement[3 * i + a] = way[a];
        motion.rotation[3 * i + a] = turn[a];
      }
    }
  }

 private:
  struct Place {
    glm::dvec3 position;  // at time 0
    glm::dquat orientation;
    glm::dvec3 velocity{0.0};  // at time 0; zero of what stands
    glm::dvec3 axis{0.0, 0.0, 1.0};
    double spin = 0.0;            // about it [rad/s]
    double end = kLongestFlight;  // when a shot sticks [s]
  };

  [[nodiscard]] std::size_t plates_of(std::size_t environment) const { return share(environment) / 4; }
  [[nodiscard]] static bool flies(const Place& place) { return place.velocity.x > 0.0; }

  [[nodiscard]] static double time_of(const Place& place, std::size_t frame) {
    const double t = kFrame * static_cast<double>(frame);
    return flies(place) ? std::min(t, place.end) : t;
  }
  [[nodiscard]] static glm::dvec3 position_at(const Place& place, double t) {
    if (!flies(place)) return place.position;
    return place.position + t * place.velocity - glm::dvec3(0.0, 0.0, 0.5 * kGravity * t * t);
  }

  // Of a lane, across the range [m].
  [[nodiscard]] double across(std::size_t lane) const {
    return middle_[1] + kLane * (static_cast<double>(lane) + 0.5 - 0.5 * static_cast<double>(lanes_));
  }

  void add_plate(std::size_t k, std::size_t e, Random& random) {
    const std::array<double, 3> size{random.uniform(0.004, 0.01), random.uniform(0.3, 0.5), random.uniform(0.6, 1.0)};
    Place place;
    const double x =
        middle_[0] + start_ + kBefore + kRank * static_cast<double>(k / lanes_) + random.uniform(-1.0, 1.0);
    place.orientation = scenario::rotation_about(place.axis, random.uniform(-0.5, 0.5));
    place.position = ground().rest(Shape::box, size, place.orientation, x, across(k % lanes_), -kSunk, false);
    if (k % 3 == 0) place.spin = random.uniform(-kMostTurn, kMostTurn);
    places_[add_body(Shape::box, size, e)] = place;
  }

  void add_shot(std::size_t k, std::size_t e, Random& random) {
    constexpr std::array<Shape, 3> kShapes{Shape::sphere, Shape::capsule, Shape::cylinder};
    const Shape shape = kShapes[k % 2 == 0 ? 0 : 1 + random.below(2)];
    const std::array<double, 3> size = shape == Shape::sphere ? std::array{random.uniform(0.05, 0.12), 0.0, 0.0}
                                                              : std::array{0.03, random.uniform(0.15, 0.35), 0.0};
    Place place;
    const double x = middle_[0] + start_ - kApart * static_cast<double>(k / lanes_);
    const double y = across(k % lanes_) + random.uniform(-0.4, 0.4);
    place.position = ground().point(x, y) + glm::dvec3(0.0, 0.0, random.uniform(0.5, 1.8));
    place.orientation = random.rotation();
    const double speed = random.uniform(kSlowest, kFastest);
    place.velocity = {speed, random.uniform(-0.02, 0.02) * speed, random.uniform(0.0, 0.03) * speed};
    place.axis = random.direction();
    place.spin = shape == Shape::sphere ? random.uniform(0.0, 20.0) : random.uniform(0.0, kMostSpin);
    place.end = end_of(place);
    places_[add_body(shape, size, e)] = place;
  }

  // When the middle of a shot comes to the ground.
  [[nodiscard]] double end_of(const Place& place) const {
    const auto is_over = [&](double t) {
      const glm::dvec3 p = position_at(place, t);
      return p.z > ground().height(p.x, p.y);
    };
    double over = 0.0;
    while (over < kLongestFlight && is_over(over + kLook)) over += kLook;
    double under = over + kLook;
    for (int k = 0; k < 20; ++k) {
      const double t = 0.5 * (over + under);
      (is_over(t) ? over : under) = t;
    }
    return over;
  }

  std::size_t ranks_ = kFewRanks, lanes_ = 1;
  double line_ = 0.0;   // length of that which the shots start from [m]
  double start_ = 0.0;  // where it ends, from the middle of the range
  std::array<double, 2> middle_{};
  std::vector<Place> places_;
};

}  // namespace volley

std::unique_ptr<Scenario> make_volley(const ScenarioRequest& request) {
  return std::make_unique<volley::Volley>(request);
}

}  // namespace oclide
