#include "upload/part_poses.hpp"

#include <algorithm>
#include <utility>

#include "threads/parallel_for.hpp"

namespace oclide {

// What is handed on of parts that are in place.
FramePoses PartPoses::of_parts(const CompoundBodies& compounds, const FramePoses& of_bodies) {
  moved_ = of_bodies.is_next ? std::optional(of_bodies.moved.size()) : std::nullopt;
  FramePoses given{{position_, orientation_}, of_bodies.number};
  given.keep = of_bodies.keep;
  std::size_t parts = 0;
  for (const std::uint32_t body : of_bodies.moved) parts += compounds.parts_of(body);
  if (!of_bodies.is_next || parts > compounds.parts() / kMovedPart) return given;
  moved_parts_.clear();
  moved_parts_.reserve(parts);
  for (const std::uint32_t body : of_bodies.moved)
    for (std::size_t k = 0; k < compounds.parts_of(body); ++k)
      moved_parts_.push_back(static_cast<std::uint32_t>(compounds.first_part_of(body) + k));
  given.is_next = true;
  given.moved = moved_parts_;
  return given;
}

FramePoses PartPoses::advance(const CompoundBodies& compounds, const Poses& poses) {
  position_.resize(3 * compounds.parts());
  orientation_.resize(4 * compounds.parts());
  const FramePoses given = history_.advance(poses, compounds.parts() / kMovedPart);
  try {
    if (given.is_next) {
      parallel_for(given.moved.size(), 256, [&](std::size_t k) {
        compounds.place(poses, given.moved[k], position_.data(), orientation_.data());
      });
    } else {
      compounds.place(poses, position_, orientation_);
    }
    return of_parts(compounds, given);
  } catch (...) {
    // From the history on, parts of bodies that did not move are taken to be in place.
    history_.forget();
    throw;
  }
}

FramePoses PartPoses::take(const CompoundBodies& compounds, const Poses& poses, std::vector<double>&& position,
                           std::vector<double>&& orientation) {
  const FramePoses given = history_.advance(poses, compounds.parts() / kMovedPart, true);
  position_ = std::move(position);
  orientation_ = std::move(orientation);
  return of_parts(compounds, given);
}

std::uint64_t PartPoses::moved_bodies(const CompoundBodies& compounds, std::uint64_t moved_parts) const {
  if (moved_parts == compounds.parts()) return compounds.bodies();
  return std::min<std::uint64_t>(moved_.value_or(compounds.bodies()), moved_parts);
}

}  // namespace oclide
