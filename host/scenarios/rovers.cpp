// Six-wheeled rovers that cross hills in convoys, wheel to wheel, among stones. A rover is one body of nine shapes:
//
//                 +-+  head (box)
//                  |   mast (capsule)
//      +-----------+--+
//      |     hull     |   box     along +x
//      +(o)---(o)---(o)+          three wheels to each side, cylinders with the axis across
//
// Every fourth body is a stone. A rover takes its height and tilt from the ground under its wheels, some of which sink
// in a little or hang in the air: it has no springs.
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"

namespace oclide {
namespace rovers {

using scenario::Random;

constexpr std::array<double, 3> kHull{0.9, 0.35, 0.15};  // half extents [m]
constexpr double kHullHeight = 0.25;                     // of its middle over the axles [m]
constexpr double kWheelRadius = 0.25;                    // [m]
constexpr double kWheelHalfWidth = 0.1;                  // [m]
constexpr double kAxle = 0.7;                            // of the first and last wheels from the middle one [m]
constexpr double kTrack = 0.5;                           // from the middle to a wheel [m]
constexpr double kMost = 0.03;                           // that a rover sinks in [m]

constexpr std::size_t kConvoy = 5;    // rovers in one
constexpr double kApart = 1.89;       // from one to the next: their wheels touch on even ground [m]
constexpr double kLane = 3.0;         // [m]
constexpr double kLaneLength = 40.0;  // [m]
constexpr double kCell = 0.2;         // [m]
constexpr std::size_t kStoneOf = 4;   // every so many bodies one is a stone

std::vector<CompoundPart> rover() {
  const double s = std::sqrt(0.5);
  std::vector<CompoundPart> parts{{Shape::box, kHull, {0.0, 0.0, kHullHeight}}};
  for (const double x : {kAxle, 0.0, -kAxle})
    for (const double y : {kTrack, -kTrack})
      parts.push_back({Shape::cylinder, {kWheelRadius, kWheelHalfWidth, 0.0}, {x, y, 0.0}, {s, s, 0.0, 0.0}});
  parts.push_back({Shape::capsule, {0.05, 0.25, 0.0}, {0.6, 0.0, 0.65}});
  parts.push_back({Shape::box, {0.08, 0.15, 0.08}, {0.6, 0.0, 1.0}});
  return parts;
}

class Rovers final : public Scenario {
 public:
  explicit Rovers(const ScenarioRequest& request) : Scenario(request) {
    scene_.compounds.push_back(rover());
    const std::size_t rovers = bodies_ - bodies_ / kStoneOf;
    const std::size_t of_lane = kConvoy * environments_;
    lanes_ = std::max<std::size_t>(1, (rovers + of_lane - 1) / of_lane);
    const double width = kLane * static_cast<double>(lanes_ + 1);
    if (request.terrain)
      set_terrain(request, kLaneLength * width);
    else
      set_terrain(make_hills(width));
    for (std::size_t i = 0; i < bodies_; ++i) {
      if (i % kStoneOf == kStoneOf - 1)
        add_stone(i);
      else
        add_rover(i);
    }
  }

  void pose(std::size_t index, Frame& frame) const override {
    const double low = ground().low()[0], length = ground().high()[0] - low;
    const double first = low + 0.3 * length, way = 0.55 * length * (frames_ > 1 ? progress(index) : 0.3);
    for (const Driver& d : drivers_)
      put_rover(frame, d.body, first + way - kApart * static_cast<double>(d.place), lane_middle(d.lane), d.sunk);
    for (const Stone& s : stones_) scenario::put_pose(frame, s.body, s.centre, glm::dquat(1.0, 0.0, 0.0, 0.0));
  }

 private:
  struct Driver {
    std::size_t body, lane, place;  // place: in the convoy
    double sunk;
  };
  struct Stone {
    std::size_t body;
    glm::dvec3 centre;
  };

  Terrain make_hills(double width) const {
    const std::uint64_t seed = seed_;
    return scenario::make_terrain(kLaneLength, width, {kCell, kCell}, [seed](double x, double y) {
      return scenario::fractal_noise(x, y, 14.0, 1.0, 0.05, seed);
    });
  }

  [[nodiscard]] double lane_middle(std::size_t lane) const {
    const double low = ground().low()[1];
    return low + (ground().high()[1] - low) / static_cast<double>(lanes_) * (static_cast<double>(lane) + 0.5);
  }

  void add_rover(std::size_t i) {
    const std::size_t k = drivers_.size(), in_environment = k / environments_;
    Random random(seed_, i + 1);
    const std::size_t body = add_body(Shape::compound, {0.0, 0.0, 0.0}, k % environments_);
    drivers_.push_back({body, in_environment / kConvoy, in_environment % kConvoy, random.uniform(0.0, kMost)});
  }

  void add_stone(std::size_t i) {
    Random random(seed_, i + 1);
    const double radius = random.uniform(0.1, 0.35);
    const std::size_t body = add_body(Shape::sphere, {radius, 0.0, 0.0}, stones_.size() % environments_);
    const double x = random.uniform(ground().low()[0] + radius, ground().high()[0] - radius);
    const double y = random.uniform(ground().low()[1] + radius, ground().high()[1] - radius);
    stones_.push_back({body, {x, y, ground().sphere_height(x, y, radius) - random.uniform(0.0, 0.1 * radius)}});
  }

  void put_rover(Frame& frame, std::size_t body, double x, double y, double sunk) const {
    // The wheels' middles where each would stand by itself: a plane through them is the rover's.
    glm::dvec3 middle(0.0), forward(0.0), across(0.0);
    for (const double dx : {kAxle, 0.0, -kAxle})
      for (const double dy : {kTrack, -kTrack}) {
        const glm::dvec3 wheel(x + dx, y + dy, ground().sphere_height(x + dx, y + dy, kWheelRadius));
        middle += wheel / 6.0;
        forward += dx * wheel;
        across += dy * wheel;
      }
    forward = glm::normalize(forward);
    const glm::dvec3 up = glm::normalize(glm::cross(forward, across));
    scenario::put_pose(frame, body, middle - sunk * up, scenario::rotation_of(forward, glm::cross(up, forward), up));
  }

  std::size_t lanes_ = 1;
  std::vector<Driver> drivers_;
  std::vector<Stone> stones_;
};

}  // namespace rovers

std::unique_ptr<Scenario> make_rovers(const ScenarioRequest& request) {
  return std::make_unique<rovers::Rovers>(request);
}

}  // namespace oclide
