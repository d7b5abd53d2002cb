// Where the geoms of many copies of an articulated model are, by the coordinates of their joints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oclide::python {

/// A tree of bodies with joints as MuJoCo has them: https://mujoco.readthedocs.io, "Computation", kinematics. Arrays
/// have MuJoCo's names and layouts; bodies come after their parents, body 0 is the world.
struct KinematicModel {
  std::vector<std::int32_t> body_parentid, body_mocapid, body_jntadr, body_jntnum;  // one a body
  std::vector<double> body_pos, body_quat;                                          // 3, 4 a body
  std::vector<std::int32_t> jnt_type, jnt_qposadr, jnt_dofadr;                      // one a joint
  std::vector<double> jnt_pos, jnt_axis;                                            // 3 a joint
  std::vector<double> qpos0;
  std::size_t nv = 0;
  std::vector<std::int32_t> geom_bodyid;  // one a geom that is asked for
  std::vector<double> geom_pos, geom_quat;

  [[nodiscard]] std::size_t bodies() const { return body_parentid.size(); }
  [[nodiscard]] std::size_t geoms() const { return geom_bodyid.size(); }
  [[nodiscard]] std::size_t mocaps() const;
  /// Throws Error(invalid_input) where lengths or indices do not go together.
  void check() const;
};

/// Of each copy a row of qpos0.size() numbers, and of nv; 3 and 4 a mocap body, none: they are where the model has
/// them.
struct KinematicState {
  std::span<const double> qpos, qvel, mocap_pos, mocap_quat;
};

/// Displacements (3 a geom) [m] and rotations (3 a geom) [rad, in axes of the world] of all geoms of all copies over
/// `seconds` at the velocities that they have now, on all cores. Mocap bodies rest.
void move_geoms(const KinematicModel& model, std::size_t copies, const KinematicState& state, double seconds,
                std::span<double> displacement, std::span<double> rotation);

/// Positions (3 a geom) and orientations (4 a geom) of all geoms of all copies, on all cores; qvel does not count.
void place_geoms(const KinematicModel& model, std::size_t copies, const KinematicState& state,
                 std::span<double> position, std::span<double> orientation);

}  // namespace oclide::python
