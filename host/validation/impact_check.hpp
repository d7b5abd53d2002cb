// The impacts of a sweep against docs/motion.md: each by itself, and against the reference.
#pragma once

#include <span>

#include "oclide/validation.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide {

class CompoundBodies;

namespace validation {

/// Checks the impacts of one sweep, as Collider::sweep() gives them. The bodies of the scene, their poses and motion
/// are those of parts where there are `compounds`, and the impacts name bodies and parts of these. `pivots`: 3 * n
/// points that the parts turn about [m], their own where there are none. Motion has both arrays; all has been checked.
void check_sweep(const Scene& scene, const Geometry& geometry, const CompoundBodies* compounds, const Poses& poses,
                 const Motion& motion, std::span<const double> pivots, std::span<const Impact> impacts,
                 SweepReport& report);

}  // namespace validation
}  // namespace oclide
