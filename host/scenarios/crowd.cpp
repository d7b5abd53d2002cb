// Many environments, in each a few robots and loose bodies. Seen from above, one block of twenty bodies:
//
//      y |   [chassis]> o             +-+       robots drive along +x side by side, their wheels rub;
//        | [trailer]-[chassis]> []    |S|       each pushes a body before it; S is a stack of loose bodies
//        +----------------------------------- x
//
// Ten bodies are a robot with a trailer, five one without, the rest is loose; each robot's parts have one group.
// Environments with even numbers stand somewhere on the terrain that all share. Those with odd numbers have no terrain
// but a half space, which is their first body; with terrain from a file all stand on it.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/heap.hpp"
#include "scenarios/robot_model.hpp"
#include "scenarios/scenario.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace crowd {

using scenario::PlacedBody;
using scenario::Random;

constexpr std::size_t kBodies = 20;    // of an environment, where the request names no number
constexpr std::size_t kStackHigh = 3;  // bodies
constexpr double kBlock = 5.0;         // along y [m]
constexpr double kBehind = 3.0;        // room for the trailer, along x [m]
constexpr double kAhead = 11.0;        // room for the stacks, along x [m]
constexpr double kStacks = 8.0;        // x of the stacks
constexpr double kWay = 4.0;           // of a robot, from the first frame to the last [m]
constexpr double kGap = 2.0;           // from a robot to the body before it, in the first frame [m]
constexpr double kRest = 0.01;         // depth of bodies in the ground and in each other [m]
constexpr double kCell = 0.5;          // [m]
constexpr double kSide = 60.0;         // of the terrain, at least [m]

class Crowd final : public Scenario {
 public:
  explicit Crowd(const ScenarioRequest& request) : Scenario(request) {
    if (!request.bodies) bodies_ = kBodies * environments_;
    if (bodies_ > kMostScenarioBodies)
      throw Error(ErrorKind::invalid_input, "--environments " + std::to_string(environments_) + ": with " +
                                                std::to_string(kBodies) + " bodies each more than " +
                                                std::to_string(kMostScenarioBodies) + " bodies");
    const double blocks = std::ceil(static_cast<double>(share(0)) / static_cast<double>(kBodies));
    const double depth = std::max(kSide, kBlock * (blocks + 2.0));
    if (request.terrain) {
      set_terrain(request, kSide * depth);
    } else {
      const std::uint64_t seed = seed_;
      set_terrain(scenario::make_terrain(kSide, depth, {kCell, kCell}, [seed](double x, double y) {
        return scenario::fractal_noise(x, y, 32.0, 2.0, 0.03, seed);
      }));
    }
    for (std::size_t e = 0; e < environments_; ++e) add_environment(e, !request.terrain && e % 2 == 1 && share(e) > 1);
    scene_.bodies.group.resize(bodies_, 0);
  }

  void pose(std::size_t index, Frame& frame) const override {
    // Alone, a frame shows the robots at work.
    const double way = kWay * progress(index);
    for (std::size_t i = 0; i < bodies_; ++i) scenario::put_pose(frame, i, places_[i].position, places_[i].orientation);
    parallel_for(robots_.size(), [&](std::size_t k) {
      const Robot& robot = robots_[k];
      const scenario::Heights height = [&](double x, double y) { return plane(robot.on_terrain, x, y).point.z; };
      const double x = robot.x + way;
      scenario::pose_robot(height, x, robot.y, robot.has_trailer, robot.sunk, robot.first, frame);
      if (robot.pushed) push(robot, *robot.pushed, frame);
    });
  }

 private:
  struct Robot {
    std::size_t first = 0;    // body
    double x = 0.0, y = 0.0;  // of the chassis in the first frame
    bool has_trailer = false;
    bool on_terrain = false;
    std::array<double, 6> sunk{};
    std::optional<std::size_t> pushed;  // body
  };

  [[nodiscard]] scenario::GroundPlane plane(bool on_terrain, double x, double y) const {
    if (!on_terrain) return {{x, y, 0.0}};
    return {ground().point(x, y), ground().normal(x, y)};
  }

  void add_environment(std::size_t e, bool has_half_space) {
    Random random(seed_, e + 1);
    const std::size_t end = bodies_of_environments_ += share(e);
    if (has_half_space) {
      scene_.environment_terrain[e] = -1;
      add({Shape::half_space}, e);
    }
    // A block after the other along y, from a place where all of them have room.
    const std::size_t blocks = (share(e) + kBodies - 1) / kBodies;
    const auto place = [&](int axis, double before, double after) {
      const double low = ground().low()[axis] + before;
      return low + random.uniform() * std::max(0.0, ground().high()[axis] - after - low);
    };
    const double x = place(0, kBehind, kAhead);
    const double y = place(1, 1.0, kBlock * static_cast<double>(blocks));
    for (std::size_t b = 0; scene_.bodies.count() < end; ++b)
      add_block(std::min(kBodies, end - scene_.bodies.count()), e, !has_half_space, x,
                y + kBlock * static_cast<double>(b), random);
  }

  void add_block(std::size_t count, std::size_t e, bool on_terrain, double x, double y, Random& random) {
    const std::size_t end = scene_.bodies.count() + count;
    const std::size_t first_robot = robots_.size();
    for (bool has_trailer : {true, false})
      if (end - scene_.bodies.count() >= scenario::robot_parts(has_trailer).size()) {
        // So near that the wheels of neighbours rub.
        const double aside = has_trailer ? 0.0 : 2.0 * scenario::kRobotHalfWidth - kRest;
        add_robot(has_trailer, e, on_terrain, x, y + aside, random);
      }
    for (std::size_t k = first_robot; k < robots_.size() && scene_.bodies.count() < end; ++k) {
      // Narrower than the robot between its wheels, taller than its chassis is above the ground.
      const PlacedBody body{Shape::box,
                            {random.uniform(0.2, 0.4), random.uniform(0.2, 0.38), random.uniform(0.3, 0.4)}};
      robots_[k].pushed = scene_.bodies.count();
      add(put_on_ground(body, on_terrain, robots_[k].x + scenario::kRobotHalfLength + kGap, robots_[k].y), e);
    }
    for (std::size_t k = 0; scene_.bodies.count() < end; ++k) {
      if (k % kStackHigh == 0) {
        stack_ = plane(on_terrain, x + kStacks + 1.5 * static_cast<double>(k / kStackHigh), y + 0.5);
        stack_.point -= kRest * stack_.normal;
      }
      add_to_stack(k % kStackHigh, e, random);
    }
  }

  void add_robot(bool has_trailer, std::size_t e, bool on_terrain, double x, double y, Random& random) {
    Robot robot{scene_.bodies.count(), x, y, has_trailer, on_terrain, {}, {}};
    for (double& s : robot.sunk) s = random.uniform(0.0, scenario::kRobotSunk);
    robots_.push_back(robot);
    const auto group = static_cast<std::int32_t>(robots_.size());
    scene_.bodies.group.resize(scene_.bodies.count(), 0);
    for (const scenario::RobotPart& part : scenario::robot_parts(has_trailer)) add({part.shape, part.size}, e);
    scene_.bodies.group.resize(scene_.bodies.count(), group);
  }

  // A box, a barrel upon it, and a ball or a lying capsule on top.
  void add_to_stack(std::size_t level, std::size_t e, Random& random) {
    PlacedBody body{Shape::box, {random.uniform(0.3, 0.5), random.uniform(0.3, 0.5), random.uniform(0.2, 0.4)}};
    body.orientation = scenario::turn_z_to(stack_.normal);
    if (level == 1)
      body = {Shape::cylinder, {random.uniform(0.2, 0.3), random.uniform(0.2, 0.4), 0.0}, {}, body.orientation};
    if (level == 2 && random.chance(0.5)) body = {Shape::sphere, {random.uniform(0.15, 0.3), 0.0, 0.0}};
    if (level == 2 && body.shape == Shape::box) {
      const glm::dquat lying = scenario::turn_z_to(glm::dvec3(1.0, 0.0, 0.0));
      body = {Shape::capsule, {random.uniform(0.1, 0.2), random.uniform(0.2, 0.4), 0.0}, {}, body.orientation * lying};
    }
    const double reach = scenario::reach(body.shape, body.size, body.orientation, stack_.normal);
    body.position = stack_.point + reach * stack_.normal;
    stack_.point += (2.0 * reach - kRest) * stack_.normal;
    add(body, e);
  }

  // Stands on the plane of the ground under its middle.
  [[nodiscard]] PlacedBody put_on_ground(PlacedBody body, bool on_terrain, double x, double y) const {
    const scenario::GroundPlane foot = plane(on_terrain, x, y);
    body.orientation = scenario::turn_z_to(foot.normal);
    body.position =
        foot.point + (scenario::reach(body.shape, body.size, body.orientation, foot.normal) - kRest) * foot.normal;
    return body;
  }

  // Moves the body before a robot out of its way, but for the depth of a touch.
  void push(const Robot& robot, std::size_t pushed, Frame& frame) const {
    const Bodies& b = scene_.bodies;
    const double* p = &frame.position[3 * robot.first];
    const double* q = &frame.orientation[4 * robot.first];
    const PlacedBody chassis{b.shape[robot.first], b.size[robot.first], {p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
    PlacedBody body = places_[pushed];
    // From a first guess before the chassis' front, until the depth is right.
    const double start = body.position.x;
    double x = std::max(start, chassis.position.x + chassis.size[0] + body.size[0]);
    for (int k = 0; k < 8 && x > start; ++k) {
      body = put_on_ground(body, robot.on_terrain, x, robot.y);
      x = std::max(start, x + std::clamp(scenario::overlap_bound(chassis, body) - kRest, -0.1, 0.1));
    }
    body = put_on_ground(body, robot.on_terrain, x, robot.y);
    scenario::put_pose(frame, pushed, body.position, body.orientation);
  }

  void add(const PlacedBody& body, std::size_t environment) {
    add_body(body.shape, body.size, environment);
    places_.push_back(body);
  }

  std::vector<PlacedBody> places_;
  std::vector<Robot> robots_;
  scenario::GroundPlane stack_;  // top of the stack that grows
  std::size_t bodies_of_environments_ = 0;
};

}  // namespace crowd

std::unique_ptr<Scenario> make_crowd(const ScenarioRequest& request) {
  return std::make_unique<crowd::Crowd>(request);
}

}  // namespace oclide
