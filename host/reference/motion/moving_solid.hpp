// A convex solid that moves as docs/motion.md says, and as it is at one time. Points are from a common origin near it.
#pragma once

#include <optional>
#include <vector>

#include "reference/body.hpp"

namespace oclide::reference {

/// How something moves over the frame.
struct SolidMotion {
  dvec3 pivot{0.0};     // what it turns about, at time 0 [m]
  dvec3 velocity{0.0};  // displacement over the frame [m]
  dvec3 spin{0.0};      // rotation vector over the frame [rad]

  [[nodiscard]] dvec3 pivot_at(double t) const { return pivot + t * velocity; }
  [[nodiscard]] dmat3 turn_at(double t) const;
};

/// A solid without its rounding: spheres are points, capsules segments.
struct MovingSolid {
  SolidMotion motion;
  std::vector<dvec3> corners;    // from the pivot at time 0; their hull is the solid, or holds the cylinder [m]
  double rounding = 0.0;         // radius of a ball that goes along the solid [m]
  std::optional<Body> cylinder;  // then the solid is this,
  dvec3 cylinder_centre{0.0};    // here from the pivot at time 0 [m]
  double reach = 0.0;            // of the corners' distances from the axis of spin the greatest [m]
  double radius = 0.0;           // of their distances from the pivot [m]
  std::optional<dvec3> spun{};   // the solid is all places that it turns through about this axis

  /// The farthest point of the solid along a direction of any length, at time 0 from the pivot.
  [[nodiscard]] dvec3 support(dvec3 direction) const;
};

/// The centre of the body is so far from the pivot of the motion.
[[nodiscard]] MovingSolid moving_body(const Body& body, dvec3 from_pivot, const SolidMotion& motion);
/// A hull of points from the pivot.
[[nodiscard]] MovingSolid moving_hull(std::vector<dvec3> corners, const SolidMotion& motion);
/// All places that the solid turns through, which do not turn themselves.
[[nodiscard]] MovingSolid spun(const MovingSolid& solid);

/// A solid at one time.
struct PlacedSolid {
  PlacedSolid(const MovingSolid& moving, double t)
      : solid(&moving), turn(moving.motion.turn_at(t)), pivot(moving.motion.pivot_at(t)) {}

  const MovingSolid* solid;
  dmat3 turn;
  dvec3 pivot;  // [m]

  /// From the pivot, without rounding.
  [[nodiscard]] dvec3 arm(dvec3 direction) const { return turn * solid->support(direction * turn); }
  [[nodiscard]] dvec3 support(dvec3 direction) const { return pivot + arm(direction); }
};

/// Axes that move: a place is `axes` times its coordinates at time 0, from the pivot.
struct MovingAxes {
  SolidMotion motion;
  dmat3 axes{1.0};
};
/// In these axes a box that holds the solid at all times from `from` to `to`, its rounding included.
[[nodiscard]] Bounds swept_box(const MovingSolid& solid, const MovingAxes& axes, double from, double to);

}  // namespace oclide::reference
