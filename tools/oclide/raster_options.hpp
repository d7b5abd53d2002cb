// The options for a raster, of every command that takes one.
#pragma once

#include <CLI/CLI.hpp>

#include "files/terrain_import.hpp"

namespace oclide::command {

/// Adds --spacing and --nodata, which belong to the command's --terrain.
inline void add_raster_options(CLI::App& command, RasterFile& raster) {
  command.add_option("--spacing", raster.spacing, "Pixel size of the raster, where it has none in metres")
      ->type_name("METRES");
  command
      .add_option("--nodata", raster.no_data,
                  "Value of pixels without a height, besides what the raster declares; none: all are heights")
      ->type_name("V")
      ->allow_extra_args(false);
}

}  // namespace oclide::command
