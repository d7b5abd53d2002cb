// oclide's contacts and ODE's solver: a world of bodies that move. One step is
//
//   poses --> Collider::update() --> contacts --> contact joints of ODE --> dWorldQuickStep --> poses
//                                       |
//                                       +--> which bodies rest, which wake
//
// ODE finds no contact itself: it has no geoms and no spaces here. A contact's normal points from B toward A, which is
// ODE's convention for bodies 1 and 2; a contact joint stands halfway between the two surfaces. Bodies that rest are
// disabled in ODE, so that their poses stay equal to the bit and cost the Collider nothing.
#pragma once

#include <ode/ode.h>

#include <array>
#include <cstdint>
#include <functional>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "rest.hpp"

namespace oclide::simulation {

struct WorldOptions {
  std::string device = "auto";
  double dt = 0.01;        ///< of a step [s]
  int iterations = 40;     ///< of ODE's solver in a step; fewer: piles sink and spread
  std::uint64_t seed = 1;  ///< of the order in which the solver takes the contacts
  bool sleeping = true;    ///< bodies that rest are disabled
};

/// What a body is made of, or a material of terrain.
struct Matter {
  double density = 1000.0;  ///< [kg/m^3]; unused for terrain
  double friction = 0.6;    ///< of a pair: the root of the product
  double rolling = 0.01;    ///< resistance of a round body: torque by load and radius; of a pair: the larger
};

/// Where a body begins.
struct Start {
  glm::dvec3 position{};
  glm::dquat orientation{1.0, 0.0, 0.0, 0.0};
  glm::dvec3 velocity{};
  glm::dvec3 spin{};  ///< [rad/s], world
};

/// What one step took and found.
struct Step {
  double collision_ms = 0.0;      ///< Collider::update()
  double collision_cpu_ms = 0.0;  ///< the same as time of all cores together, which other processes do not lengthen
  double solver_ms = 0.0;         ///< joints, dWorldQuickStep and who rests
  StageTimes stages;
  std::size_t contacts = 0, joints = 0;
  std::uint64_t pairs = 0;
  std::size_t pairs_begun = 0, pairs_ended = 0;  ///< touching now and not in the step before, and the reverse
  std::size_t moved = 0;                         ///< bodies that were awake when the contacts were found
  double deepest = 0.0;                          ///< [m]
  // After the step:
  std::size_t awake = 0;
  double energy = 0.0;      ///< kinetic and potential, from z = 0 [J]
  double mean_speed = 0.0;  ///< of the bodies' centres, over all that can move [m/s]
  double top_speed = 0.0;
};

class World {
 public:
  explicit World(const WorldOptions& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// The scene, for terrain and filters; bodies are added by the functions below.
  [[nodiscard]] Scene& scene() { return scene_; }
  [[nodiscard]] const Scene& scene() const { return scene_; }
  /// A material of terrain; 0 is that of ground without one.
  void set_material(std::uint8_t material, const Matter& matter) { materials_[material] = matter; }

  std::uint32_t add_body(Shape shape, const std::array<double, 3>& size, const Matter& matter, const Start& start);
  /// A body of several shapes. `start` is where its axes begin, its centre of mass becomes their origin.
  std::uint32_t add_compound(std::vector<CompoundPart> parts, const Matter& matter, const Start& start);
  /// The half space under the horizontal plane through this point, which never moves.
  std::uint32_t add_ground(const glm::dvec3& point, const Matter& matter);
  /// Bodies of one group never meet.
  void set_group(std::uint32_t body, std::int32_t group) { scene_.bodies.group[body] = group; }
  /// Bodies that a motor drives never rest.
  void keep_awake(std::uint32_t body) { bodies_[body].may_rest = false; }

  /// A hinge between two bodies, through a point in the world, about a unit axis.
  dJointID add_hinge(std::uint32_t a, std::uint32_t b, const glm::dvec3& anchor, const glm::dvec3& axis);
  /// A ball joint.
  dJointID add_ball(std::uint32_t a, std::uint32_t b, const glm::dvec3& anchor);

  /// Opens the device and hands it the scene, after the last body.
  void start();
  Step step();

  [[nodiscard]] std::size_t count() const { return bodies_.size(); }
  [[nodiscard]] std::size_t movable() const { return movable_; }
  [[nodiscard]] double dt() const { return options_.dt; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const DeviceInfo& device() const { return collider_->device(); }
  /// The poses at which the contacts of the last step were found.
  [[nodiscard]] Poses poses() const { return {position_, orientation_}; }
  [[nodiscard]] std::span<const Contact> contacts() const { return contacts_; }
  [[nodiscard]] bool awake(std::uint32_t body) const;
  [[nodiscard]] glm::dvec3 position(std::uint32_t body) const;
  [[nodiscard]] glm::dquat orientation(std::uint32_t body) const;
  [[nodiscard]] glm::dvec3 velocity(std::uint32_t body) const;
  /// Takes a body out of the motion, where it is: one that has left the terrain.
  void stop(std::uint32_t body);
  [[nodiscard]] std::size_t stopped() const { return stopped_; }
  /// Over the bits of all poses and contacts: equal runs have equal hashes.
  [[nodiscard]] std::uint64_t state_hash() const;

 private:
  struct Body {
    dBodyID ode = nullptr;  // nothing: it never moves
    Matter matter;
    double mass = 0.0;
    double radius = 0.0;  // of what rolls, 0: nothing does [m]
    bool may_rest = true;
    bool stopped = false;
  };
  struct PairOfBodies {
    std::uint32_t a, b;
    bool operator==(const PairOfBodies&) const = default;
  };

  std::uint32_t add(Shape shape, const std::array<double, 3>& size, const Matter& matter, double reach, double radius,
                    const dMass* mass, const Start& start);
  // The body that a joint moves; a body that rests is part of the ground.
  [[nodiscard]] dBodyID moved_by_joint(std::uint32_t body) const { return awake(body) ? bodies_[body].ode : nullptr; }
  void read_pose(std::uint32_t body);
  void count_pairs(Step& step);
  void decide_rest();
  void add_joints(Step& step);
  void add_joint(const Contact& contact);
  void measure(Step& step) const;

  WorldOptions options_;
  Scene scene_;
  std::array<Matter, 256> materials_;
  std::vector<Body> bodies_;
  std::vector<PairOfBodies> hinged_;  // by joints that stay
  std::size_t movable_ = 0;
  std::size_t stopped_ = 0;
  double time_ = 0.0;

  dWorldID world_ = nullptr;
  dJointGroupID joints_ = nullptr;
  std::unique_ptr<Collider> collider_;
  std::vector<double> position_, orientation_;
  std::span<const Contact> contacts_;
  std::vector<PairOfBodies> pairs_, pairs_before_;

  Stillness stillness_;
  std::vector<std::uint8_t> moving_, disturbed_;  // a body; by a neighbour that moves
};

}  // namespace oclide::simulation
