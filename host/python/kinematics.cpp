#include "kinematics.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <string>

#include "arrays.hpp"
#include "objects.hpp"
#include "oclide/oclide.hpp"
#include "threads/parallel_for.hpp"

namespace oclide::python {
namespace {

enum JointType : std::int32_t { kFree = 0, kBall = 1, kSlide = 2, kHinge = 3 };

// What MuJoCo takes for the quaternion of no rotation.
constexpr double kShortestQuaternion = 1e-15;

glm::dvec3 vector_at(std::span<const double> values, std::size_t at) {
  return {values[at], values[at + 1], values[at + 2]};
}

glm::dquat quaternion_at(std::span<const double> values, std::size_t at) {
  return {values[at], values[at + 1], values[at + 2], values[at + 3]};  // w, x, y, z
}

glm::dquat normalized(const glm::dquat& q) {
  const double length = glm::length(q);
  return length < kShortestQuaternion ? glm::dquat(1.0, 0.0, 0.0, 0.0) : q / length;
}

// Where a body is and, with `moves`, how it moves.
template <bool moves>
struct BodyState {
  glm::dvec3 position{0.0};
  glm::dquat orientation{1.0, 0.0, 0.0, 0.0};
  glm::dvec3 velocity{0.0}, spin{0.0};  // in axes of the world [m/s, rad/s]

  // Moves to where is `way` from here in axes of the world.
  void go(const glm::dvec3& way) {
    if constexpr (moves) velocity += glm::cross(spin, way);
    position += way;
  }
};

// The body after one of its joints. qvel has linear velocities of free joints in axes of the world, angular ones of
// free and ball joints in those of the body.
template <bool moves>
void move_by_joint(const KinematicModel& model, std::size_t joint, std::span<const double> qpos,
                   std::span<const double> qvel, BodyState<moves>& body) {
  const auto at = static_cast<std::size_t>(model.jnt_qposadr[joint]);
  const auto speeds = static_cast<std::size_t>(model.jnt_dofadr[joint]);
  const std::int32_t type = model.jnt_type[joint];
  if (type == kFree) {
    body.position = vector_at(qpos, at);
    body.orientation = normalized(quaternion_at(qpos, at + 3));
    if constexpr (moves) {
      body.velocity = vector_at(qvel, speeds);
      body.spin = body.orientation * vector_at(qvel, speeds + 3);
    }
    return;
  }
  const glm::dvec3 axis = vector_at(model.jnt_axis, 3 * joint), axis_now = body.orientation * axis;
  if (type == kSlide) {
    body.go(axis_now * (qpos[at] - model.qpos0[at]));
    if constexpr (moves) body.velocity += axis_now * qvel[speeds];
    return;
  }
  const glm::dvec3 arm = vector_at(model.jnt_pos, 3 * joint);
  body.go(body.orientation * arm);
  if (type == kBall) {
    body.orientation = body.orientation * normalized(quaternion_at(qpos, at));
    if constexpr (moves) body.spin += body.orientation * vector_at(qvel, speeds);
  } else {
    const double half = 0.5 * (qpos[at] - model.qpos0[at]);
    body.orientation = body.orientation * glm::dquat(std::cos(half), std::sin(half) * axis);
    if constexpr (moves) body.spin += axis_now * qvel[speeds];
  }
  body.go(body.orientation * -arm);
}

template <bool moves>
void place_bodies(const KinematicModel& model, const KinematicState& state, std::span<BodyState<moves>> bodies) {
  const auto& [qpos, qvel, mocap_pos, mocap_quat] = state;
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const std::int32_t mocap = mocap_pos.empty() ? -1 : model.body_mocapid[b];
    BodyState<moves> body = bodies[static_cast<std::size_t>(model.body_parentid[b])];
    const auto m = static_cast<std::size_t>(std::max(mocap, 0));
    body.go(body.orientation * (mocap < 0 ? vector_at(model.body_pos, 3 * b) : vector_at(mocap_pos, 3 * m)));
    body.orientation = body.orientation * (mocap < 0 ? quaternion_at(model.body_quat, 4 * b)
                                                     : normalized(quaternion_at(mocap_quat, 4 * m)));
    for (std::int32_t k = 0; k < model.body_jntnum[b]; ++k)
      move_by_joint(model, static_cast<std::size_t>(model.body_jntadr[b] + k), qpos, qvel, body);
    body.orientation = normalized(body.orientation);
    bodies[b] = body;
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
    model.geom_pos.insert(model.geom_pos.end(), &position[3 * g], &position[3 * g] + 3);
    model.geom_quat.insert(model.geom_quat.end(), &turned[4 * g], &turned[4 * g] + 4);
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

// Calls each(body's state, geom, index of the geom among all) for all geoms of all copies, on all cores.
template <bool moves, class Each>
void for_each_geom(const KinematicModel& model, std::size_t copies, const KinematicState& all, const Each& each) {
  const std::size_t width = model.qpos0.size(), geoms = model.geoms(), speeds = all.qvel.empty() ? 0 : model.nv;
  const std::size_t mocaps = all.mocap_pos.empty() ? 0 : model.mocaps();
  parallel_for_ranges(copies, 64, [&](IndexRange range) {
    std::vector<BodyState<moves>> bodies(model.bodies());
    for (std::size_t c = range.begin(); c < range.end(); ++c) {
      place_bodies<moves>(
          model,
          {all.qpos.subspan(c * width, width), all.qvel.subspan(c * speeds, speeds),
           all.mocap_pos.subspan(3 * c * mocaps, 3 * mocaps), all.mocap_quat.subspan(4 * c * mocaps, 4 * mocaps)},
          bodies);
      for (std::size_t g = 0; g < geoms; ++g)
        each(bodies[static_cast<std::size_t>(model.geom_bodyid[g])], g, c * geoms + g);
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
  for_each_geom<false>(model, copies, state, [&](const BodyState<false>& body, std::size_t g, std::size_t to) {
    const glm::dvec3 p = body.position + body.orientation * vector_at(model.geom_pos, 3 * g);
    const glm::dquat q = body.orientation * quaternion_at(model.geom_quat, 4 * g);
    for (int a = 0; a < 3; ++a) position[3 * to + static_cast<std::size_t>(a)] = p[a];
    double* to_orientation = &orientation[4 * to];
    to_orientation[0] = q.w;
    to_orientation[1] = q.x;
    to_orientation[2] = q.y;
    to_orientation[3] = q.z;
  });
}

void move_geoms(const KinematicModel& model, std::size_t copies, const KinematicState& state, double seconds,
                std::span<double> displacement, std::span<double> rotation) {
  for_each_geom<true>(model, copies, state, [&](BodyState<true> body, std::size_t g, std::size_t to) {
    body.go(body.orientation * vector_at(model.geom_pos, 3 * g));
    for (int a = 0; a < 3; ++a) {
      displacement[3 * to + static_cast<std::size_t>(a)] = seconds * body.velocity[a];
      rotation[3 * to + static_cast<std::size_t>(a)] = seconds * body.spin[a];
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
