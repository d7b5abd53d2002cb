// The wheeled robot with its trailer that scenarios drive over the ground.
//
//            cargo    box
//           +-----+  +---------+
//      -----+-----+--| chassis |     along +x; wheels are cylinders with the axis across
//         (2)  drawbar (4)   (4)
//
// Every wheel stands on the ground under it, sunk a little; the chassis takes its height and tilt from its four wheels,
// the trailer from its two and the drawbar.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"

namespace oclide::scenario {

struct RobotPart {
  Shape shape;
  std::array<double, 3> size;
};

/// Chassis, 4 wheels; and, with a trailer, drawbar, trailer, 2 wheels, cargo.
[[nodiscard]] std::span<const RobotPart> robot_parts(bool has_trailer);

constexpr double kRobotHalfWidth = 0.6;   ///< from the middle to a wheel's outer face [m]
constexpr double kRobotHalfLength = 0.8;  ///< from the chassis' middle to the front of its front wheels [m]
constexpr double kRobotSunk = 0.02;       ///< most depth of a wheel in the ground [m]

/// Height of the ground.
using Heights = std::function<double(double x, double y)>;

/// Poses all parts, from body `first` on, of a robot whose chassis is at (x, y); `sunk` is the depth of each wheel.
void pose_robot(const Heights& height, double x, double y, bool has_trailer, const std::array<double, 6>& sunk,
                std::size_t first, Frame& frame);

}  // namespace oclide::scenario
