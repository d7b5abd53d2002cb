// The wheeled robot with its trailer (figure 10 of Strashnov and Torgashev 2020) drives from grass up a hill of sand,
// down again, and over a piece of real terrain, by its four wheels' motors alone.
//
//            cargo    box
//           +-----+  +---------+
//      -----+-----+--| chassis |    +x     hinges: wheels, with the axis across; the drawbar hangs on a ball joint
//         (2)  drawbar (4)   (4)
//
//      grass | sand up, sand down | the raster of --terrain, its slopes kept; without one the way ends before it
#include <algorithm>
#include <cmath>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenes.hpp"

namespace oclide::simulation {
namespace {

// Boxes: half extents; wheels and drawbar: radius, half length [m].
constexpr std::array<double, 3> kChassis{0.75, 0.35, 0.15};
constexpr std::array<double, 3> kWheel{0.25, 0.10, 0.0};
constexpr std::array<double, 3> kBed{0.50, 0.30, 0.08};
constexpr std::array<double, 3> kCargo{0.35, 0.25, 0.15};
constexpr std::array<double, 3> kDrawbar{0.04, 0.25, 0.0};
constexpr std::array<double, 3> kTrailerWheel{0.20, 0.08, 0.0};
constexpr double kAxle = 0.55;           // of the chassis: from the middle forward and back
constexpr double kTrack = 0.50;          // from the middle to a wheel
constexpr double kChassisHeight = 0.15;  // of its middle over the axles
constexpr double kTrailerTrack = 0.42;
constexpr double kTrailerHeight = 0.10;  // of the bed over the axle
constexpr double kHitch = 0.85;          // behind the chassis' middle, at the axles' height
constexpr double kTrailerBack = 1.75;    // trailer's axle behind the chassis' middle
constexpr std::size_t kParts = 8;        // bodies of a robot

constexpr double kSpeed = 1.8;        // [m/s]
constexpr double kTorque = 150.0;     // at most, of a wheel [N m]
constexpr double kHeadingGain = 2.0;  // of speed between left and right by an angle [m/s/rad]
constexpr double kOffsetGain = 0.4;   // of heading by the way from the lane [rad/m]
constexpr double kBrake = 20.0;       // torque of a trailer wheel's hinge at the goal [N m]

constexpr double kLane = 4.0;    // [m]
constexpr double kStart = -6.0;  // x of the chassis in the beginning [m]
constexpr double kGrassLength = 12.0;
constexpr double kHill = 2.0;              // height [m]
constexpr double kHillLength = 7.0;        // from its foot to its top, and from there down [m]
constexpr double kRealStart = 17.0;        // where the real terrain begins [m]
constexpr double kRealLength = 30.0;       // of it that is driven over [m]
constexpr double kBlend = 4.0;             // over which it begins [m]
constexpr double kRealArea = 90.0 * 90.0;  // that the raster is scaled to [m^2]
constexpr double kCell = 0.2;              // [m]
constexpr std::uint8_t kGrass = 1;
constexpr std::uint8_t kSand = 2;
constexpr std::uint8_t kEarth = 3;

constexpr Matter kBody{250.0, 0.5, 0.0};
constexpr Matter kTyre{250.0, 1.0, 0.02};

double smooth(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

class Robot final : public SimulatedScene {
 public:
  Robot(const SceneRequest& request, World& world) {
    const std::size_t bodies = request.bodies.value_or(scene_info("robot").bodies);
    if (bodies == 0 || bodies % kParts != 0)
      throw Error(ErrorKind::invalid_input,
                  "--bodies " + std::to_string(bodies) + ": a robot has " + std::to_string(kParts) + " bodies");
    add_terrain(request, bodies / kParts, world);
    const scenario::Ground ground(world.scene().terrains[0]);
    for (std::size_t k = 0; k < bodies / kParts; ++k) {
      const double lane = kLane * (static_cast<double>(k) - 0.5 * static_cast<double>(bodies / kParts - 1));
      robots_.push_back(add_robot(lane, ground, static_cast<std::int32_t>(k + 1), world));
    }
  }

  void control(World& world) override {
    for (Driven& robot : robots_) drive(robot, world);
  }

  [[nodiscard]] std::vector<Check> checks(const World& world, const Measures& /*measures*/) const override {
    std::vector<Check> checks;
    double behind = 0.0;
    double upright = 1.0;
    double aside = 0.0;
    for (const Driven& robot : robots_) {
      behind = std::max(behind, goal_ - world.position(robot.chassis).x);
      upright = std::min(upright, robot.least_upright);
      aside = std::max(aside, robot.farthest_aside);
    }
    checks.push_back(below("way left to the goal", behind, 0.1, "m"));
    checks.push_back(above("upright all the way: least cosine of the tilt", upright, 0.7, ""));
    checks.push_back(below("farthest from the lane", aside, 0.5 * kLane - 0.6, "m"));
    return checks;
  }

 private:
  struct Driven {
    double lane = 0.0;
    std::uint32_t chassis = 0, trailer = 0;
    std::array<dJointID, 4> wheels{};  // front left, front right, rear left, rear right
    std::array<dJointID, 2> trailer_wheels{};
    double least_upright = 1.0;
    double farthest_aside = 0.0;
  };

  void add_terrain(const SceneRequest& request, std::size_t robots, World& world) {
    Terrain real;
    if (!request.terrain.file.empty()) {
      real = import_terrain(request.terrain);
      fit_terrain(real, kRealArea);
    }
    const bool has_real = !request.terrain.file.empty();
    const double end = has_real ? kRealStart + kRealLength : kRealStart + 6.0;
    goal_ = end - 3.0;
    const double middle = 0.5 * (end - kGrassLength);
    const double width = kLane * static_cast<double>(robots + 1);
    std::optional<scenario::Ground> ground;
    if (has_real) ground.emplace(real);
    const auto real_height = [&](double x, double y) { return ground->height(x - kRealStart - 0.5 * kRealLength, y); };
    const double level = has_real ? real_height(kRealStart, 0.0) : 0.0;
    const std::uint64_t seed = request.seed;
    // make_terrain() has its middle where x and y are 0.
    const auto height = [&](double from_middle, double y) {
      const double x = from_middle + middle;
      const double hill = kHill * smooth(x / kHillLength) * smooth((2.0 * kHillLength - x) / kHillLength);
      const double uneven = scenario::fractal_noise(x, y, 8.0, 1.0, 0.012, seed);
      const double part = smooth((x - kRealStart) / kBlend);
      return hill + (1.0 - part) * uneven + (has_real ? part * (real_height(x, y) - level) : 0.0);
    };
    Terrain terrain = scenario::make_terrain(end + kGrassLength, width, {kCell, kCell}, height);
    terrain.origin[0] += middle;
    scenario::set_material(terrain, [&](double x, double) {
      return x < 0.0 ? kGrass : x < 2.0 * kHillLength ? kSand : x < kRealStart || !has_real ? kGrass : kEarth;
    });
    world.scene().terrains.push_back(std::move(terrain));
    world.set_material(kGrass, {0.0, 0.6, 0.03});
    world.set_material(kSand, {0.0, 0.7, 0.08});
    world.set_material(kEarth, {0.0, 0.8, 0.02});
  }

  static Driven add_robot(double lane, const scenario::Ground& ground, std::int32_t group, World& world) {
    const auto first = static_cast<std::uint32_t>(world.count());
    Driven robot;
    robot.lane = lane;
    double axles = 0.0;
    for (double x = kStart - kTrailerBack - 0.5; x < kStart + 1.0; x += 0.1)
      for (const double y : {-kTrack, 0.0, kTrack}) axles = std::max(axles, ground.height(x, lane + y));
    axles += kWheel[0] + 0.02;
    const glm::dvec3 across(0.0, 1.0, 0.0);
    const auto at = [&](double x, double y, double z) {
      Start start;
      start.position = {kStart + x, lane + y, axles + z};
      return start;
    };
    const auto add_wheel = [&](std::uint32_t carrier, const std::array<double, 3>& size, double x, double y) {
      Start start = at(x, y, size[0] - kWheel[0]);
      start.orientation = scenario::turn_z_to(across);
      const std::uint32_t wheel = world.add_body(Shape::cylinder, size, kTyre, start);
      return world.add_hinge(wheel, carrier, start.position, across);
    };

    robot.chassis = world.add_body(Shape::box, kChassis, kBody, at(0.0, 0.0, kChassisHeight));
    for (int w = 0; w < 4; ++w) {
      robot.wheels[w] = add_wheel(robot.chassis, kWheel, w < 2 ? kAxle : -kAxle, w % 2 == 0 ? kTrack : -kTrack);
      dJointSetHingeParam(robot.wheels[w], dParamFMax, kTorque);
    }
    // The trailer's axes begin in the middle of its bed.
    const double bed = kTrailerWheel[0] - kWheel[0] + kTrailerHeight;
    const double drawbar = kTrailerBack - kHitch - kDrawbar[1];
    const double s = std::sqrt(0.5);
    robot.trailer = world.add_compound({{Shape::box, kBed, {}, {1.0, 0.0, 0.0, 0.0}},
                                        {Shape::box, kCargo, {0.0, 0.0, kBed[2] + kCargo[2]}, {1.0, 0.0, 0.0, 0.0}},
                                        {Shape::capsule, kDrawbar, {drawbar, 0.0, 0.0}, {s, 0.0, s, 0.0}}},
                                       kBody, at(-kTrailerBack, 0.0, bed));
    for (int w = 0; w < 2; ++w) {
      robot.trailer_wheels[w] =
          add_wheel(robot.trailer, kTrailerWheel, -kTrailerBack, w == 0 ? kTrailerTrack : -kTrailerTrack);
      dJointSetHingeParam(robot.trailer_wheels[w], dParamFMax, 0.0);
    }
    world.add_ball(robot.chassis, robot.trailer, at(-kHitch, 0.0, bed).position);
    for (std::uint32_t i = first; i < world.count(); ++i) {
      world.set_group(i, group);
      world.keep_awake(i);
    }
    return robot;
  }

  // Steers back to the lane by different speeds of left and right, stops at the goal.
  void drive(Driven& robot, const World& world) const {
    const glm::dvec3 place = world.position(robot.chassis);
    const glm::dvec3 forward = world.orientation(robot.chassis) * glm::dvec3(1.0, 0.0, 0.0);
    for (const std::uint32_t body : {robot.chassis, robot.trailer})
      robot.least_upright = std::min(robot.least_upright, (world.orientation(body) * glm::dvec3(0.0, 0.0, 1.0)).z);
    robot.farthest_aside = std::max(robot.farthest_aside, std::abs(place.y - robot.lane));

    const bool there = place.x >= goal_;
    const double heading = std::atan2(forward.y, forward.x);
    const double wanted = std::clamp(kOffsetGain * (robot.lane - place.y), -0.5, 0.5);
    const double turn = kHeadingGain * (wanted - heading);
    for (int w = 0; w < 4; ++w) {
      const double speed = there ? 0.0 : kSpeed + (w % 2 == 0 ? -turn : turn);
      dJointSetHingeParam(robot.wheels[w], dParamVel, speed / kWheel[0]);
    }
    for (const dJointID wheel : robot.trailer_wheels) dJointSetHingeParam(wheel, dParamFMax, there ? kBrake : 0.0);
  }

  std::vector<Driven> robots_;
  double goal_ = 0.0;
};

}  // namespace

std::unique_ptr<SimulatedScene> make_robot(const SceneRequest& request, World& world) {
  return std::make_unique<Robot>(request, world);
}

}  // namespace oclide::simulation
