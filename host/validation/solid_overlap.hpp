// Whether a body and the ground have points in common: independent of the definition of a contact.
#pragma once

#include "reference/terrain_surface.hpp"

namespace oclide::validation {

/// The greatest height of the surface over the body's lowest point on the same vertical, over all elements in the
/// body's outline [m]; minus infinity where no element is. Positive exactly where the solids overlap.
[[nodiscard]] double overlap_depth_vertical(const reference::Body& body, const reference::TerrainSurface& ground);

}  // namespace oclide::validation
