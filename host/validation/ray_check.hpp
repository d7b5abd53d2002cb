// The hits of rays against docs/rays.md: each by itself, and against the reference.
#pragma once

#include <span>

#include "oclide/validation.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide {

class CompoundBodies;

namespace validation {

/// Checks the hits of one cast, one a ray. The bodies of the scene and their poses are parts where there are
/// `compounds`, and the hits name bodies and parts of these. Poses and rays have been checked.
void check_cast(const Scene& scene, const Geometry& geometry, const CompoundBodies* compounds, const Poses& poses,
                const Rays& rays, std::span<const Hit> hits, RayReport& report);

}  // namespace validation
}  // namespace oclide
