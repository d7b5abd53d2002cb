// Poses of the parts of compound bodies, from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upload/compound_bodies.hpp"
#include "upload/pose_history.hpp"

namespace oclide {

/// Where a body did not move its parts' poses stay as they are.
class PartPoses {
 public:
  /// Poses of the parts of a frame. Errors as PoseHistory::advance().
  [[nodiscard]] FramePoses advance(const CompoundBodies& compounds, const Poses& poses);
  /// The same with poses of parts that were placed before, those of bodies that have been checked.
  [[nodiscard]] FramePoses take(const CompoundBodies& compounds, const Poses& poses, std::vector<double>&& position,
                                std::vector<double>&& orientation);
  /// There are so many bodies now, and those of `rows` count as moved in the next frame. All others have the parts that
  /// they had.
  void touch(std::span<const std::uint32_t> rows, std::size_t bodies) { history_.touch(rows, bodies); }
  /// Bodies that moved since the frame before, where contacts of so many parts were computed again.
  [[nodiscard]] std::uint64_t moved_bodies(const CompoundBodies& compounds, std::uint64_t moved_parts) const;

 private:
  [[nodiscard]] FramePoses of_parts(const CompoundBodies& compounds, const FramePoses& of_bodies);

  PoseHistory history_;
  std::vector<double> position_, orientation_;
  std::vector<std::uint32_t> moved_parts_;
  std::optional<std::size_t> moved_;
};

}  // namespace oclide
