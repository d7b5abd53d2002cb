#include "kinematics.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "arrays.hpp"
#include "objects.hpp"
#include "oclide/oclide.hpp"
#include "threads/parallel_for.hpp"

namespace oclide::python {
namespace {

using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // w, x, y, z

enum JointType : std::int32_t { kFree = 0, kBall = 1, kSlide = 2, kHinge = 3 };

// What MuJoCo takes for the quaternion of no rotation.
constexpr double kShortestQuaternion = 1e-15;

Vector vector_at(std::span<const double> values, std::size_t index) {
  return {values[3 * index], values[3 * index + 1], values[3 * index + 2]};
}

Quaternion normalized(Quaternion q) {
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (length < kShortestQuaternion) return {1.0, 0.0, 0.0, 0.0};
  for (double& part : q) part /= length;
  return q;
}

Quaternion quaternion_at(std::span<const double> values, std::size_t index) {
  return {values[4 * index], values[4 * index + 1], values[4 * index + 2], values[4 * index + 3]};
}

Quaternion product(const Quaternion& p, const Quaternion& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}

Vector rotated(const Quaternion& q, const Vector& v) {
  const Vector t{2.0 * (q[2] * v[2] - q[3] * v[1]), 2.0 * (q[3] * v[0] - q[1] * v[2]),
                 2.0 * (q[1] * v[1] - q[2] * v[0])};
  return {v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1], v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
          v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
}

Vector sum(const Vector& a, const Vector& b, double factor = 1.0) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

Quaternion turn(const Vector& axis, double angle) {
  const double s = std::sin(0.5 * angle);
  return {std::cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]};
}

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct MovingPose {
  Vector position{};
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};
  Vector velocity{}, spin{};  // in axes of the world [m/s, rad/s]

  // Moves to where is `way` from here in axes of the world.
  void go(const Vector& way) {
    velocity = sum(velocity, cross(spin, way));
    position = sum(position, way);
  }
};

// The body after one of its joints. qvel may be empty: all rests. It has linear velocities of free joints in axes of
// the world, angular ones of free and ball joints in those of the body.
void move_by_joint(const KinematicModel& model, std::size_t joint, std::span<const double> qpos,
                   std::span<const double> qvel, MovingPose& pose) {
  const auto at = static_cast<std::size_t>(model.jnt_qposadr[joint]);
  const std::int32_t type = model.jnt_type[joint];
  const auto speed = [&](std::size_t k) {
    return qvel.empty() ? 0.0 : qvel[static_cast<std::size_t>(model.jnt_dofadr[joint]) + k];
  };
  if (type == kFree) {
    pose.position = {qpos[at], qpos[at + 1], qpos[at + 2]};
    pose.orientation = normalized({qpos[at + 3], qpos[at + 4], qpos[at + 5], qpos[at + 6]});
    pose.velocity = {speed(0), speed(1), speed(2)};
    pose.spin = rotated(pose.orientation, {speed(3), speed(4), speed(5)});
    return;
  }
  const Vector axis = vector_at(model.jnt_axis, joint), axis_now = rotated(pose.orientation, axis);
  if (type == kSlide) {
    pose.go(sum({}, axis_now, qpos[at] - model.qpos0[at]));
    pose.velocity = sum(pose.velocity, axis_now, speed(0));
    return;
  }
  const Vector arm = vector_at(model.jnt_pos, joint);
  pose.go(rotated(pose.orientation, arm));
  pose.orientation =
      product(pose.orientation, type == kBall ? normalized({qpos[at], qpos[at + 1], qpos[at + 2], qpos[at + 3]})
                                              : turn(axis, qpos[at] - model.qpos0[at]));
  pose.spin = type == kBall ? sum(pose.spin, rotated(pose.orientation, {speed(0), speed(1), speed(2)}))
                            : sum(pose.spin, axis_now, speed(0));
  pose.go(sum({}, rotated(pose.orientation, arm), -1.0));
}

void place_bodies(const KinematicModel& model, const KinematicState& state, std::span<MovingPose> poses) {
  const auto& [qpos, qvel, mocap_pos, mocap_quat] = state;
  for (std::size_t b = 1; b < poses.size(); ++b) {
    const std::int32_t mocap = mocap_pos.empty() ? -1 : model.body_mocapid[b];
    const MovingPose& parent = poses[static_cast<std::size_t>(model.body_parentid[b])];
    const Vector offset =
        mocap < 0 ? vector_at(model.body_pos, b) : vector_at(mocap_pos, static_cast<std::size_t>(mocap));
    const Quaternion turned = mocap < 0 ? quaternion_at(model.body_quat, b)
                                        : normalized(quaternion_at(mocap_quat, static_cast<std::size_t>(mocap)));
    MovingPose pose = parent;
    pose.go(rotated(parent.orientation, offset));
    pose.orientation = product(parent.orientation, turned);
    for (std::int32_t k = 0; k < model.body_jntnum[b]; ++k)
      move_by_joint(model, static_cast<std::size_t>(model.body_jntadr[b] + k), qpos, qvel, pose);
    pose.orientation = normalized(pose.orientation);
    poses[b] = pose;
  }
}

// Of arrays of a model.
template <class Value>
std::vector<Value> copied(const nb::object& model, const char* name, std::ptrdiff_t width = 0) {
  const nb::object array = nb::getattr(model, name);
  const Array<Value> values =
      width == 0 ? to_array<Value>(array, name, {kAny}) : to_array<Value>(array, name, {kAny, width});
  return {values.data(), values.data() + values.size()};
}

// A model's, of these of its geoms.
KinematicModel read_model(const nb::object& from, const ArrayLike& geoms) {
  KinematicModel model;
  model.body_parentid = copied<std::int32_t>(from, "body_parentid");
  model.body_mocapid = copied<std::int32_t>(from, "body_mocapid");
  model.body_jntadr = copied<std::int32_t>(from, "body_jntadr");
  model.body_jntnum = copied<std::int32_t>(from, "body_jntnum");
  model.body_pos = copied<double>(from, "body_pos", 3);
  model.body_quat = copied<double>(from, "body_quat", 4);
  model.jnt_type = copied<std::int32_t>(from, "jnt_type");
  model.jnt_qposadr = copied<std::int32_t>(from, "jnt_qposadr");
  model.jnt_dofadr = copied<std::int32_t>(from, "jnt_dofadr");
  model.nv = nb::cast<std::size_t>(nb::getattr(from, "nv"));
  model.jnt_pos = copied<double>(from, "jnt_pos", 3);
  model.jnt_axis = copied<double>(from, "jnt_axis", 3);
  model.qpos0 = copied<double>(from, "qpos0");
  const std::vector<std::int32_t> body = copied<std::int32_t>(from, "geom_bodyid");
  const std::vector<double> position = copied<double>(from, "geom_pos", 3),
                            turned = copied<double>(from, "geom_quat", 4);
  for (const std::int32_t geom : values_of(to_array<std::int32_t>(geoms.object, "geoms", {kAny}))) {
    const auto g = static_cast<std::size_t>(geom);
    if (g >= body.size()) throw Error(ErrorKind::invalid_input, "geoms has " + std::to_string(geom));
    model.geom_bodyid.push_back(body[g]);
    for (const double part : vector_at(position, g)) model.geom_pos.push_back(part);
    for (const double part : quaternion_at(turned, g)) model.geom_quat.push_back(part);
  }
  model.check();
  return model;
}

// States of many copies that arrays of Python have, as long as this lives.
struct GivenStates {
  Array<double> qpos, qvel, mocap_pos, mocap_quat;

  GivenStates(const KinematicModel& model, const ArrayLike& coordinates, const OptionalArrayLike& position,
              const OptionalArrayLike& orientation)
      : qpos(to_array<double>(coordinates.object, "qpos", {kAny, static_cast<std::ptrdiff_t>(model.qpos0.size())})) {
    if (position.object.is_none() != orientation.object.is_none())
      throw Error(ErrorKind::invalid_input, "mocap_pos and mocap_quat must both be given, or neither");
    if (position.object.is_none()) return;
    const auto mocaps = static_cast<std::ptrdiff_t>(model.mocaps());
    mocap_pos = to_array<double>(position.object, "mocap_pos", {rows(), mocaps, 3});
    mocap_quat = to_array<double>(orientation.object, "mocap_quat", {rows(), mocaps, 4});
  }
  [[nodiscard]] std::ptrdiff_t rows() const { return static_cast<std::ptrdiff_t>(copies()); }
  [[nodiscard]] std::size_t copies() const { return qpos.shape(0); }
  [[nodiscard]] KinematicState state() const {
    return {values_of(qpos), optional_values(qvel), optional_values(mocap_pos), optional_values(mocap_quat)};
  }
};

nb::tuple poses_of(const KinematicModel& model, const ArrayLike& coordinates, const OptionalArrayLike& mocap_pos,
                   const OptionalArrayLike& mocap_quat) {
  const GivenStates given(model, coordinates, mocap_pos, mocap_quat);
  const std::size_t n = given.copies() * model.geoms();
  std::vector<double> position(3 * n), orientation(4 * n);
  {
    const nb::gil_scoped_release release;
    place_geoms(model, given.copies(), given.state(), position, orientation);
  }
  return nb::make_tuple(take_vector<double>(std::move(position), {n, 3}),
                        take_vector<double>(std::move(orientation), {n, 4}));
}

nb::tuple motion_of(const KinematicModel& model, const ArrayLike& coordinates, const ArrayLike& velocities,
                    double seconds, const OptionalArrayLike& mocap_pos, const OptionalArrayLike& mocap_quat) {
  GivenStates given(model, coordinates, mocap_pos, mocap_quat);
  given.qvel = to_array<double>(velocities.object, "qvel", {given.rows(), static_cast<std::ptrdiff_t>(model.nv)});
  const std::size_t n = given.copies() * model.geoms();
  std::vector<double> displacement(3 * n), rotation(3 * n);
  {
    const nb::gil_scoped_release release;
    move_geoms(model, given.copies(), given.state(), seconds, displacement, rotation);
  }
  return nb::make_tuple(take_vector<double>(std::move(displacement), {n, 3}),
                        take_vector<double>(std::move(rotation), {n, 3}));
}

// Calls each(body's index, geom, index of the geom among all) for all geoms of all copies, on all cores.
template <class Each>
void for_each_geom(const KinematicModel& model, std::size_t copies, const KinematicState& all, const Each& each) {
  const std::size_t width = model.qpos0.size(), geoms = model.geoms(), speeds = all.qvel.empty() ? 0 : model.nv;
  const std::size_t mocaps = all.mocap_pos.empty() ? 0 : model.mocaps();
  parallel_for_ranges(copies, 64, [&](IndexRange range) {
    std::vector<MovingPose> poses(model.bodies());
    for (std::size_t c = range.begin(); c < range.end(); ++c) {
      place_bodies(
          model,
          {all.qpos.subspan(c * width, width), all.qvel.subspan(c * speeds, speeds),
           all.mocap_pos.subspan(3 * c * mocaps, 3 * mocaps), all.mocap_quat.subspan(4 * c * mocaps, 4 * mocaps)},
          poses);
      for (std::size_t g = 0; g < geoms; ++g)
        each(poses[static_cast<std::size_t>(model.geom_bodyid[g])], g, c * geoms + g);
    }
  });
}

}  // namespace

std::size_t KinematicModel::mocaps() const {
  return static_cast<std::size_t>(
      body_mocapid.empty() ? 0 : 1 + *std::max_element(body_mocapid.begin(), body_mocapid.end()));
}

void KinematicModel::check() const {
  const std::size_t n = bodies(), joints = jnt_type.size();
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::invalid_input, std::string("model: ") + what);
  };
  need(n > 0 && body_mocapid.size() == n && body_jntadr.size() == n && body_jntnum.size() == n &&
           body_pos.size() == 3 * n && body_quat.size() == 4 * n,
       "arrays of bodies differ in length");
  need(jnt_qposadr.size() == joints && jnt_dofadr.size() == joints && jnt_pos.size() == 3 * joints &&
           jnt_axis.size() == 3 * joints,
       "arrays of joints differ in length");
  for (std::size_t b = 1; b < n; ++b) {
    need(body_parentid[b] >= 0 && static_cast<std::size_t>(body_parentid[b]) < b, "a body comes before its parent");
    need(body_jntnum[b] == 0 || (body_jntnum[b] > 0 && body_jntadr[b] >= 0 &&
                                 static_cast<std::size_t>(body_jntadr[b] + body_jntnum[b]) <= joints),
         "a body has joints that are none");
  }
  for (std::size_t j = 0; j < joints; ++j) {
    need(jnt_type[j] >= kFree && jnt_type[j] <= kHinge, "a joint of no known type");
    const std::size_t width = jnt_type[j] == kFree ? 7 : jnt_type[j] == kBall ? 4 : 1;
    need(jnt_qposadr[j] >= 0 && static_cast<std::size_t>(jnt_qposadr[j]) + width <= qpos0.size(),
         "a joint reaches outside qpos");
    const std::size_t freedom = jnt_type[j] == kFree ? 6 : jnt_type[j] == kBall ? 3 : 1;
    need(jnt_dofadr[j] >= 0 && static_cast<std::size_t>(jnt_dofadr[j]) + freedom <= nv, "a joint reaches outside qvel");
  }
  for (const std::int32_t body : geom_bodyid)
    need(body >= 0 && static_cast<std::size_t>(body) < n, "a geom has no body");
}

void place_geoms(const KinematicModel& model, std::size_t copies, const KinematicState& state,
                 std::span<double> position, std::span<double> orientation) {
  for_each_geom(model, copies, state, [&](const MovingPose& body, std::size_t g, std::size_t to) {
    const Vector p = sum(body.position, rotated(body.orientation, vector_at(model.geom_pos, g)));
    const Quaternion q = product(body.orientation, quaternion_at(model.geom_quat, g));
    std::copy(p.begin(), p.end(), &position[3 * to]);
    std::copy(q.begin(), q.end(), &orientation[4 * to]);
  });
}

void move_geoms(const KinematicModel& model, std::size_t copies, const KinematicState& state, double seconds,
                std::span<double> displacement, std::span<double> rotation) {
  for_each_geom(model, copies, state, [&](MovingPose body, std::size_t g, std::size_t to) {
    body.go(rotated(body.orientation, vector_at(model.geom_pos, g)));
    for (std::size_t a = 0; a < 3; ++a) {
      displacement[3 * to + a] = seconds * body.velocity[a];
      rotation[3 * to + a] = seconds * body.spin[a];
    }
  });
}

void add_kinematics(nb::module_& module) {
  nb::class_<KinematicModel>(module, "Kinematics", "Where geoms of many copies of an mjModel are.")
      .def(
          "__init__",
          [](KinematicModel* self, const IndexLike& model, const ArrayLike& geoms) {
            new (self) KinematicModel(read_model(model.object, geoms));
          },
          nb::arg("model"), nb::arg("geoms"), "geoms: (n,) int32, those whose poses are asked for.")
      .def("poses", poses_of, nb::arg("qpos"), nb::arg("mocap_pos") = nb::none(), nb::arg("mocap_quat") = nb::none(),
           nb::sig("def poses(self, qpos: numpy.typing.ArrayLike, mocap_pos: "
                   "typing.Optional[numpy.typing.ArrayLike] = None, mocap_quat: "
                   "typing.Optional[numpy.typing.ArrayLike] = None) -> tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "qpos: (N, nq). Position (N * n, 3) and orientation (N * n, 4), copy by copy. mocap_pos, mocap_quat: (N, "
           "nmocap, 3), (N, nmocap, 4).")
      .def("motion", motion_of, nb::arg("qpos"), nb::arg("qvel"), nb::arg("dt"), nb::arg("mocap_pos") = nb::none(),
           nb::arg("mocap_quat") = nb::none(),
           nb::sig("def motion(self, qpos: numpy.typing.ArrayLike, qvel: numpy.typing.ArrayLike, dt: float, mocap_pos: "
                   "typing.Optional[numpy.typing.ArrayLike] = None, mocap_quat: "
                   "typing.Optional[numpy.typing.ArrayLike] = None) -> tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "qpos: (N, nq), qvel: (N, nv), dt in seconds. Displacement (N * n, 3) and rotation (N * n, 3), copy by "
           "copy.");
}

}  // namespace oclide::python
