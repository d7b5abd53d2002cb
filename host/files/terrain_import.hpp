// Terrain from any raster that GDAL reads: GeoTIFF, ESRI ASCII grid, HGT, 16-bit PNG, ...
#pragma once

#include <optional>
#include <string>

#include "oclide/oclide.hpp"

namespace oclide {

/// Band 1 of a raster: one vertex at the centre of each pixel, y to the north. No-data and non-finite pixels are NaN.
/// Projected rasters keep their coordinates, in metres. Geographic rasters (degrees) become metres by the length of a
/// degree at their middle latitude. `spacing` [m], positive, replaces the raster's own pixel size, and is needed where
/// it has none. Throws Error(invalid_input) of one line that names the file.
[[nodiscard]] Terrain import_terrain(const std::string& file, std::optional<double> spacing);

/// Moves the middle of the terrain to x = y = 0 and its lowest vertex to z = 0, and scales all three axes by the one
/// factor that gives it this area [m^2]; slopes stay as they are. Heights are rounded to float.
void fit_terrain(Terrain& terrain, double area);

}  // namespace oclide
