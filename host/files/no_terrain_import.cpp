// In a build without GDAL (OCLIDE_BUILD_RASTERS=OFF).
#include "files/terrain_import.hpp"

namespace oclide {

Terrain import_terrain(const std::string& file, const RasterOptions& /*options*/) {
  throw Error(ErrorKind::invalid_input, file + ": this oclide reads no rasters, it was built without GDAL");
}

}  // namespace oclide
