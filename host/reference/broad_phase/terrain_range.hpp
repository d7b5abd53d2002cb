// Which cells of a terrain can take part in a body's contacts.
#pragma once

#include "reference/terrain_surface.hpp"

namespace oclide::reference {

/// By how much a body's bounding rectangle is widened, beyond the margin [m].
inline constexpr double kRangeSlack = 1e-5;

/// Cells under the body's bounding rectangle; empty when it hovers over all of them by more than the margin.
[[nodiscard]] CellRange terrain_range(const TerrainView& view, const Body& body, double margin);
/// Those that single precision may take: its rounding is that of how far the body reaches from its position.
[[nodiscard]] CellRange widest_terrain_range(const TerrainView& view, const Body& body, double margin);

}  // namespace oclide::reference
