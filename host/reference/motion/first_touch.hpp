// When two moving solids come to touch, by conservative advancement: at each time the two are proven to be apart along
// some direction, and so they stay for as long as their speeds along it allow.
#pragma once

#include <optional>

#include "reference/motion/moving_solid.hpp"

namespace oclide::reference {

/// What is a touch. No time at which two are nearer than `touching` is passed over, and none at which they are farther
/// apart than `near_enough` is reported.
struct TouchLimits {
  double touching = 1e-5;       // docs/motion.md [m]
  double near_enough = 1.2e-5;  // [m]
};

struct Touch {
  double time;
  dvec3 normal;      // unit, from B toward A; zero where A and B have more than their roundings in common
  dvec3 on_a, on_b;  // the nearest points; of two that overlap by their roundings alone, the deepest [m]
};

/// More steps would be needed than anybody waits for.
struct TooManySteps {};

/// From `from` on and before `to`; empty where they do not touch. Neither is a half space.
[[nodiscard]] std::optional<Touch> first_touch(const MovingSolid& a, const MovingSolid& b, double from, double to,
                                               const TouchLimits& limits = {});
/// A time before which they do not touch, whatever angle they have turned by; empty where they never do.
[[nodiscard]] std::optional<double> first_time_of_spun(const MovingSolid& a, const MovingSolid& b, double from,
                                                       double to, const TouchLimits& limits = {});
/// B is the solid below a plane through its pivot.
[[nodiscard]] std::optional<Touch> first_touch_of_plane(const MovingSolid& a, dvec3 up, const SolidMotion& b,
                                                        const TouchLimits& limits = {});

/// How far two are apart along a unit vector from B toward A; negative: how deep they overlap [m].
[[nodiscard]] double gap_along(const PlacedSolid& a, const PlacedSolid& b, dvec3 n);

/// The touch of two that are near, at a time; `distance`: how far apart they are [m], 0 where they overlap.
[[nodiscard]] Touch touch_at(const MovingSolid& a, const MovingSolid& b, double t, double& distance);

}  // namespace oclide::reference
