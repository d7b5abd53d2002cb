// Terrain from any raster that GDAL reads: GeoTIFF, ESRI ASCII grid, HGT, 16-bit PNG, ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

struct RasterOptions {
  std::optional<double> spacing;  ///< [m], positive: replaces the raster's own pixel size; needed where it has none
  std::vector<double> no_data;    ///< values of pixels that stand for no data, besides what the raster itself declares
  bool any_value = false;         ///< values that mostly stand for no data, such as -9999, are heights here
};

/// Band 1 of a raster: one vertex at the centre of each pixel, y to the north. Projected rasters keep their
/// coordinates, in metres. Geographic rasters (degrees) become metres by the length of a degree at their middle
/// latitude.
///
/// NaN are pixels that the band's mask leaves out, pixels of `no_data`, and those that are not finite. The mask is what
/// GDAL takes for it: a no-data value, a mask within the file, a .msk file beside it, an alpha band. Heights are in
/// metres, by the band's scale and offset and the unit of the band, or where it has none, of the raster's vertical
/// reference.
///
/// Throws Error(invalid_input) of one line that names the file, for colour images and palettes, unknown units, heights
/// beyond 1e6 m, and values that mostly stand for no data but are not declared as that.
[[nodiscard]] Terrain import_terrain(const std::string& file, const RasterOptions& options = {});

/// A raster as the options of a command name it.
struct RasterFile {
  std::string file;                  ///< of --terrain; empty: none
  std::optional<double> spacing;     ///< of --spacing, as in RasterOptions
  std::vector<std::string> no_data;  ///< of --nodata: numbers, or `none`: values are heights whatever they are
};
/// Throws Error(invalid_input) where another option is given and no file. `command`: its name.
void check_raster_file(const RasterFile& raster, const std::string& command);
/// Throws also where a value of `no_data` is no number.
[[nodiscard]] Terrain import_terrain(const RasterFile& raster);

/// Moves the middle of the terrain to x = y = 0; heights stay.
void centre_terrain(Terrain& terrain);
/// Moves the middle of the terrain to x = y = 0 and its lowest vertex to z = 0, and scales all three axes by the one
/// factor that gives it this area [m^2]; slopes stay as they are. Heights are rounded to float.
void fit_terrain(Terrain& terrain, double area);

}  // namespace oclide
