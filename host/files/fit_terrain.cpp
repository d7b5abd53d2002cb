#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "files/terrain_import.hpp"

namespace oclide {

void check_raster_file(const RasterFile& raster, const std::string& command) {
  if (!raster.file.empty()) return;
  const auto refuse = [&](const std::string& option) {
    throw Error(ErrorKind::invalid_input, command + ": " + option + " is for the raster given with --terrain");
  };
  if (raster.spacing) refuse("--spacing");
  if (!raster.no_data.empty()) refuse("--nodata");
}

Terrain import_terrain(const RasterFile& raster) {
  RasterOptions options;
  options.spacing = raster.spacing;
  for (const std::string& text : raster.no_data) {
    if (text == "none") {
      options.any_value = true;
      continue;
    }
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, options.no_data.emplace_back());
    if (error != std::errc{} || rest != end)
      throw Error(ErrorKind::invalid_input,
                  "--nodata " + text + ": is no number; it is a value of the raster, or none");
  }
  return import_terrain(raster.file, options);
}

void centre_terrain(Terrain& terrain) {
  terrain.origin = {-0.5 * terrain.spacing[0] * static_cast<double>(terrain.cols - 1),
                    -0.5 * terrain.spacing[1] * static_cast<double>(terrain.rows - 1)};
}

void fit_terrain(Terrain& terrain, double area) {
  const double width = terrain.spacing[0] * static_cast<double>(terrain.cols - 1);
  const double depth = terrain.spacing[1] * static_cast<double>(terrain.rows - 1);
  const double scale = std::sqrt(area / (width * depth));
  double lowest = std::numeric_limits<double>::infinity();
  for (double height : terrain.heights) lowest = std::min(lowest, std::isnan(height) ? lowest : height);
  for (double& height : terrain.heights) height = static_cast<double>(static_cast<float>((height - lowest) * scale));
  terrain.spacing = {terrain.spacing[0] * scale, terrain.spacing[1] * scale};
  terrain.origin = {-0.5 * width * scale, -0.5 * depth * scale};
}

}  // namespace oclide
