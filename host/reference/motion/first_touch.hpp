// When two moving solids come to touch, by conservative advancement: at each time the two are proven to be apart along
// some direction, and so they stay for as long as their speeds along it allow.
#pragma once

#include <optional>

#include "reference/motion/moving_solid.hpp"

namespace oclide::reference {

/// Nearer than this they touch (docs/motion.md) [m].
inline constexpr double kTouching = 1e-5;
/// No time at which they are nearer than kTouching is passed over, and none at which they are farther apart than this
/// is reported [m].
inline constexpr double kNearEnough = 1.2e-5;

struct Touch {
  double time;
  dvec3 normal;      // unit, from B toward A; zero where A and B have more than their roundings in common
  dvec3 on_a, on_b;  // the nearest points; of two that overlap by their roundings alone, the deepest [m]
};

/// From `from` on and before `to`; empty where they do not touch. Neither is a half space.
[[nodiscard]] std::optional<Touch> first_touch(const MovingSolid& a, const MovingSolid& b, double from, double to);
/// B is the solid below a plane through its pivot.
[[nodiscard]] std::optional<Touch> first_touch_of_plane(const MovingSolid& a, dvec3 up, const SolidMotion& b);

/// The touch of two that are near, at a time; `distance`: how far apart they are [m], 0 where they overlap.
[[nodiscard]] Touch touch_at(const MovingSolid& a, const MovingSolid& b, double t, double& distance);

}  // namespace oclide::reference
