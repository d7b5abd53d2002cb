#include "world.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <ctime>
#include <glm/geometric.hpp>
#include <tuple>

#include "scenarios/geometry.hpp"

namespace oclide::simulation {
namespace {

constexpr double kGravity = 9.81;  // [m/s^2]

// A contact is a spring and a damper on the reduced mass of its two bodies. Stiffer than a step can follow, a spring
// pushes bodies apart; softer, a pile sinks: 15 bodies on one by 15 g / (2 pi hertz)^2.
constexpr double kHertz = 60.0;
constexpr double kDampingRatio = 5.0;
constexpr double kPushOut = 0.5;         // most speed that depth alone gives [m/s]; larger: deep bodies jump
constexpr double kSurfaceLayer = 0.001;  // depth that is left alone [m]; none: contacts come and go at rest

constexpr double kStillDistance = 0.005;  // [m]
constexpr double kStillSeconds = 0.5;
constexpr double kWakingSpeed = 0.1;  // from which a body wakes what it touches at once [m/s]

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

dMass mass_of(Shape shape, const std::array<double, 3>& size, double density) {
  constexpr int kAlongZ = 3;
  dMass mass;
  switch (shape) {
    case Shape::sphere:
      dMassSetSphere(&mass, density, size[0]);
      break;
    case Shape::box:
      dMassSetBox(&mass, density, 2.0 * size[0], 2.0 * size[1], 2.0 * size[2]);
      break;
    case Shape::cylinder:
      dMassSetCylinder(&mass, density, kAlongZ, size[0], 2.0 * size[1]);
      break;
    case Shape::capsule:
      dMassSetCapsule(&mass, density, kAlongZ, size[0], 2.0 * size[1]);
      break;
    case Shape::convex_hull:
    case Shape::half_space:
    case Shape::compound:
    case Shape::triangle_mesh:
      throw Error(ErrorKind::invalid_input, std::string(to_string(shape)) + ": no body that moves");
  }
  return mass;
}

// What a body rolls on, 0 for a box.
double rolling_radius(Shape shape, const std::array<double, 3>& size) {
  return shape == Shape::box ? 0.0 : size[0];
}

}  // namespace

World::World(const WorldOptions& options) : options_(options), stillness_(kStillDistance, kStillSeconds) {
  dInitODE2(0);
  dRandSetSeed(static_cast<unsigned long>(options.seed));
  world_ = dWorldCreate();
  joints_ = dJointGroupCreate(0);
  dWorldSetGravity(world_, 0.0, 0.0, -kGravity);
  dWorldSetQuickStepNumIterations(world_, options.iterations);
  dWorldSetContactMaxCorrectingVel(world_, kPushOut);
  dWorldSetContactSurfaceLayer(world_, kSurfaceLayer);
  Settings settings;
  settings.device = options.device;
  collider_ = std::make_unique<Collider>(settings);
}

World::~World() {
  dJointGroupDestroy(joints_);
  dWorldDestroy(world_);
  dCloseODE();
}

std::uint32_t World::add(Shape shape, const std::array<double, 3>& size, const Matter& matter, double reach,
                         double radius, const dMass* mass, const Start& start) {
  const auto index = static_cast<std::uint32_t>(bodies_.size());
  scene_.bodies.shape.push_back(shape);
  scene_.bodies.size.push_back(size);
  scene_.bodies.group.push_back(0);
  position_.insert(position_.end(), {start.position.x, start.position.y, start.position.z});
  const glm::dquat& q = start.orientation;
  orientation_.insert(orientation_.end(), {q.w, q.x, q.y, q.z});
  stillness_.add(reach);
  Body body;
  body.matter = matter;
  body.radius = radius;
  if (mass != nullptr) {
    body.ode = dBodyCreate(world_);
    body.mass = mass->mass;
    dBodySetMass(body.ode, mass);
    dBodySetPosition(body.ode, start.position.x, start.position.y, start.position.z);
    const dQuaternion orientation{q.w, q.x, q.y, q.z};
    dBodySetQuaternion(body.ode, orientation);
    dBodySetLinearVel(body.ode, start.velocity.x, start.velocity.y, start.velocity.z);
    dBodySetAngularVel(body.ode, start.spin.x, start.spin.y, start.spin.z);
    ++movable_;
  }
  bodies_.push_back(body);
  return index;
}

std::uint32_t World::add_body(Shape shape, const std::array<double, 3>& size, const Matter& matter,
                              const Start& start) {
  const dMass mass = mass_of(shape, size, matter.density);
  return add(shape, size, matter, scenario::bounding_radius(shape, size), rolling_radius(shape, size), &mass, start);
}

std::uint32_t World::add_compound(std::vector<CompoundPart> parts, const Matter& matter, const Start& start) {
  dMass whole;
  dMassSetZero(&whole);
  for (const CompoundPart& part : parts) {
    dMass mass = mass_of(part.shape, part.size, matter.density);
    const dQuaternion orientation{part.orientation[0], part.orientation[1], part.orientation[2], part.orientation[3]};
    dMatrix3 rotation;
    dRfromQ(rotation, orientation);
    dMassRotate(&mass, rotation);
    dMassTranslate(&mass, part.position[0], part.position[1], part.position[2]);
    dMassAdd(&whole, &mass);
  }
  // ODE's bodies have their centre of mass in the origin.
  const glm::dvec3 centre(whole.c[0], whole.c[1], whole.c[2]);
  dMassTranslate(&whole, -centre.x, -centre.y, -centre.z);
  whole.c[0] = whole.c[1] = whole.c[2] = 0.0;
  double reach = 0.0;
  for (CompoundPart& part : parts) {
    for (int a = 0; a < 3; ++a) part.position[a] -= centre[a];
    const glm::dvec3 place(part.position[0], part.position[1], part.position[2]);
    reach = std::max(reach, glm::length(place) + scenario::bounding_radius(part.shape, part.size));
  }
  Start moved = start;
  moved.position += start.orientation * centre;
  const auto index = static_cast<double>(scene_.compounds.size());
  scene_.compounds.push_back(std::move(parts));
  return add(Shape::compound, {index, 0.0, 0.0}, matter, reach, 0.0, &whole, moved);
}

std::uint32_t World::add_ground(const glm::dvec3& point, const Matter& matter) {
  Start start;
  start.position = point;
  return add(Shape::half_space, {}, matter, 0.0, 0.0, nullptr, start);
}

dJointID World::add_hinge(std::uint32_t a, std::uint32_t b, const glm::dvec3& anchor, const glm::dvec3& axis) {
  dJointID joint = dJointCreateHinge(world_, nullptr);
  dJointAttach(joint, bodies_[a].ode, bodies_[b].ode);
  dJointSetHingeAnchor(joint, anchor.x, anchor.y, anchor.z);
  dJointSetHingeAxis(joint, axis.x, axis.y, axis.z);
  hinged_.push_back({a, b});
  return joint;
}

dJointID World::add_ball(std::uint32_t a, std::uint32_t b, const glm::dvec3& anchor) {
  dJointID joint = dJointCreateBall(world_, nullptr);
  dJointAttach(joint, bodies_[a].ode, bodies_[b].ode);
  dJointSetBallAnchor(joint, anchor.x, anchor.y, anchor.z);
  hinged_.push_back({a, b});
  return joint;
}

void World::start() {
  collider_->set_scene(scene_);
}

bool World::awake(std::uint32_t body) const {
  return bodies_[body].ode != nullptr && dBodyIsEnabled(bodies_[body].ode) != 0;
}

glm::dvec3 World::position(std::uint32_t body) const {
  return {position_[3 * body], position_[3 * body + 1], position_[3 * body + 2]};
}

glm::dquat World::orientation(std::uint32_t body) const {
  const double* q = &orientation_[4 * body];
  return {q[0], q[1], q[2], q[3]};
}

glm::dvec3 World::velocity(std::uint32_t body) const {
  if (bodies_[body].ode == nullptr) return {};
  const dReal* v = dBodyGetLinearVel(bodies_[body].ode);
  return {v[0], v[1], v[2]};
}

void World::stop(std::uint32_t body) {
  Body& b = bodies_[body];
  if (b.ode == nullptr || b.stopped) return;
  b.stopped = true;
  ++stopped_;
  dBodySetLinearVel(b.ode, 0.0, 0.0, 0.0);
  dBodySetAngularVel(b.ode, 0.0, 0.0, 0.0);
  dBodyDisable(b.ode);
}

void World::read_pose(std::uint32_t body) {
  const dReal* p = dBodyGetPosition(bodies_[body].ode);
  const dReal* q = dBodyGetQuaternion(bodies_[body].ode);
  std::copy(p, p + 3, &position_[3 * body]);
  std::copy(q, q + 4, &orientation_[4 * body]);
}

Step World::step() {
  Step step;
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    if (!awake(i)) continue;
    read_pose(i);
    ++step.moved;
    stillness_.observe(i, position(i), orientation(i), options_.dt);
  }
  const std::clock_t cpu = std::clock();
  auto before = std::chrono::steady_clock::now();
  const FrameContacts& frame = collider_->update({position_, orientation_});
  step.collision_ms = milliseconds_since(before);
  step.collision_cpu_ms = 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  step.stages = frame.milliseconds;
  contacts_ = frame.contacts;
  step.contacts = contacts_.size();
  step.pairs = frame.pairs;
  for (const Contact& contact : contacts_) step.deepest = std::max(step.deepest, static_cast<double>(contact.depth));
  count_pairs(step);

  before = std::chrono::steady_clock::now();
  if (options_.sleeping) decide_rest();
  add_joints(step);
  dWorldQuickStep(world_, options_.dt);
  dJointGroupEmpty(joints_);
  step.solver_ms = milliseconds_since(before);
  time_ += options_.dt;
  measure(step);
  return step;
}

// Contacts come in the order of bodies, so both lists are sorted and have no pair twice.
void World::count_pairs(Step& step) {
  pairs_before_.swap(pairs_);
  pairs_.clear();
  for (const Contact& contact : contacts_) {
    const PairOfBodies pair{contact.body_a, contact.body_b};
    if (pairs_.empty() || pairs_.back() != pair) pairs_.push_back(pair);
  }
  const auto less = [](const PairOfBodies& x, const PairOfBodies& y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  };
  auto now = pairs_.begin();
  auto then = pairs_before_.begin();
  while (now != pairs_.end() || then != pairs_before_.end()) {
    const bool begun = then == pairs_before_.end() || (now != pairs_.end() && less(*now, *then));
    const bool ended = !begun && (now == pairs_.end() || less(*then, *now));
    if (begun) ++step.pairs_begun;
    if (ended) ++step.pairs_ended;
    if (!ended) ++now;
    if (!begun) ++then;
  }
}

// Before the joints, so that what is hit moves in the same step.
void World::decide_rest() {
  const std::size_t count = bodies_.size();
  moving_.assign(count, 0);
  disturbed_.assign(count, 0);
  for (std::uint32_t i = 0; i < count; ++i)
    moving_[i] = awake(i) && (!bodies_[i].may_rest || !stillness_.still(i) || glm::length(velocity(i)) > kWakingSpeed);
  const auto disturb = [&](const PairOfBodies& pair) {
    if (pair.b == kTerrain) return;
    if (moving_[pair.a] != 0) disturbed_[pair.b] = 1;
    if (moving_[pair.b] != 0) disturbed_[pair.a] = 1;
  };
  for (const PairOfBodies& pair : pairs_) disturb(pair);
  for (const PairOfBodies& pair : hinged_) disturb(pair);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Body& body = bodies_[i];
    const bool rests = moving_[i] == 0 && disturbed_[i] == 0;
    if (body.ode == nullptr || body.stopped || rests == !awake(i)) continue;
    if (rests) {
      dBodySetLinearVel(body.ode, 0.0, 0.0, 0.0);
      dBodySetAngularVel(body.ode, 0.0, 0.0, 0.0);
      dBodyDisable(body.ode);
    } else {
      dBodyEnable(body.ode);
    }
  }
}

void World::add_joints(Step& step) {
  for (const Contact& contact : contacts_) {
    const bool terrain = contact.body_b == kTerrain;
    if (!awake(contact.body_a) && (terrain || !awake(contact.body_b))) continue;
    add_joint(contact);
    ++step.joints;
  }
}

void World::add_joint(const Contact& contact) {
  const Body& a = bodies_[contact.body_a];
  const Body* b = contact.body_b == kTerrain ? nullptr : &bodies_[contact.body_b];
  const Matter& other = b == nullptr ? materials_[contact.material] : b->matter;
  const dBodyID first = moved_by_joint(contact.body_a);
  const dBodyID second = b == nullptr ? nullptr : moved_by_joint(contact.body_b);
  const double mass = 1.0 / ((first != nullptr ? 1.0 / a.mass : 0.0) + (second != nullptr ? 1.0 / b->mass : 0.0));

  dContact joint{};
  joint.surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
  joint.surface.mu = std::sqrt(a.matter.friction * other.friction);

  // Spring and damper as ODE's share of depth to undo in a step, and speed that a force gives.
  const double omega = 2.0 * 3.14159265358979323846 * kHertz;
  const double stiffness = omega * options_.dt;
  joint.surface.soft_erp = stiffness / (stiffness + 2.0 * kDampingRatio);
  joint.surface.soft_cfm = 1.0 / (mass * omega * (stiffness + 2.0 * kDampingRatio));

  // The lever of rolling resistance: by the radius of what rolls, of two round bodies that of their relative curvature.
  const double curvature =
      (a.radius > 0.0 ? 1.0 / a.radius : 0.0) + (b != nullptr && b->radius > 0.0 ? 1.0 / b->radius : 0.0);
  if (curvature > 0.0) {
    joint.surface.mode |= dContactRolling;
    joint.surface.rho = std::max(a.matter.rolling, other.rolling) / curvature;
    joint.surface.rho2 = joint.surface.rho;
    joint.surface.rhoN = joint.surface.rho;
  }

  for (int k = 0; k < 3; ++k) {
    const double normal = static_cast<double>(contact.normal[k]);
    joint.geom.pos[k] = contact.point[k] + 0.5 * static_cast<double>(contact.depth) * normal;
    joint.geom.normal[k] = normal;
  }
  joint.geom.depth = static_cast<double>(contact.depth);
  dJointAttach(dJointCreateContact(world_, joints_, &joint), first, second);
}

void World::measure(Step& step) const {
  double speeds = 0.0;
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    if (body.ode == nullptr || body.stopped) continue;
    step.energy += body.mass * kGravity * dBodyGetPosition(body.ode)[2];
    if (!awake(i)) continue;
    ++step.awake;
    const dReal* v = dBodyGetLinearVel(body.ode);
    const double speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double speed = std::sqrt(speed2);
    speeds += speed;
    step.top_speed = std::max(step.top_speed, speed);
    const dReal* w = dBodyGetAngularVel(body.ode);
    dVector3 spin;
    dBodyVectorFromWorld(body.ode, w[0], w[1], w[2], spin);
    dMass mass;
    dBodyGetMass(body.ode, &mass);
    double turning = 0.0;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) turning += spin[r] * mass.I[4 * r + c] * spin[c];
    step.energy += 0.5 * (body.mass * speed2 + turning);
  }
  step.mean_speed = movable_ == 0 ? 0.0 : speeds / static_cast<double>(movable_);
}

std::uint64_t World::state_hash() const {
  std::uint64_t hash = contact_hash(contacts_);
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].ode == nullptr) continue;
    const dReal* p = dBodyGetPosition(bodies_[i].ode);
    const dReal* q = dBodyGetQuaternion(bodies_[i].ode);
    for (int k = 0; k < 3; ++k) hash = scenario::mix(hash ^ std::bit_cast<std::uint64_t>(p[k]));
    for (int k = 0; k < 4; ++k) hash = scenario::mix(hash ^ std::bit_cast<std::uint64_t>(q[k]));
  }
  return hash;
}

}  // namespace oclide::simulation
