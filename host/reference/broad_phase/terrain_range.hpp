// Which cells of a terrain can take part in a body's contacts.
#pragma once

#include "reference/terrain_surface.hpp"

namespace oclide::reference {

/// Empty when the body hovers over everything under it by more than the margin.
[[nodiscard]] CellRange terrain_range(const TerrainView& view, const Body& body, double margin);

}  // namespace oclide::reference
