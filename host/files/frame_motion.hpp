// How bodies move over a frame, as scene files have it or as the poses of two frames say it.
#pragma once

#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// The motion of all bodies over one frame (docs/motion.md), owned.
struct FrameMotion {
  std::vector<double> displacement;  ///< 3 * n [m], or empty: none moves on
  std::vector<double> rotation;      ///< 3 * n rotation vectors in world axes [rad], or empty: none turns

  [[nodiscard]] Motion motion() const { return {displacement, rotation}; }
};

/// The motion of n bodies from each pose to that of the next frame: the difference of positions, and the shortest
/// rotation, of half a turn at most. Only + - * / sqrt, so that every machine gets the same bits.
void motion_between(const Poses& from, const Poses& to, FrameMotion& motion);

}  // namespace oclide
