#include "files/terrain_import.hpp"

#include <cpl_error.h>
#include <gdal_priv.h>
#include <ogr_spatialref.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <vector>

#include "files/hdf5_file.hpp"

namespace oclide {
namespace {

// Length of a degree of latitude on the mean sphere (radius 6371.0088 km).
constexpr double kMetresPerDegree = 111195.08;

// Turns GDAL's own printing off while it lives; the last error can still be asked for.
class QuietGdal {
 public:
  QuietGdal() { CPLPushErrorHandler(CPLQuietErrorHandler); }
  ~QuietGdal() { CPLPopErrorHandler(); }
  QuietGdal(const QuietGdal&) = delete;
  QuietGdal& operator=(const QuietGdal&) = delete;
};

struct CloseDataset {
  void operator()(GDALDataset* dataset) const { GDALClose(dataset); }
};

[[noreturn]] void fail(const std::string& file, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  throw Error(ErrorKind::invalid_input, file + ": " + what);
}

[[noreturn]] void fail_gdal(const std::string& file, const std::string& what) {
  const std::string reason = CPLGetLastErrorMsg();
  fail(file, reason.empty() ? what : what + ": " + reason);
}

// Cosine of an angle in degrees, |degrees| <= 90, by its series: the same bits on every machine.
double cosine_of_degrees(double degrees) {
  const double x2 = degrees * degrees * (3.14159265358979323846 / 180.0) * (3.14159265358979323846 / 180.0);
  double sum = 1.0;
  double term = 1.0;
  for (int k = 1; k <= 12; ++k) {
    term *= -x2 / ((2.0 * k - 1.0) * (2.0 * k));
    sum += term;
  }
  return sum;
}

// Origin, spacing and direction of both axes. Positive spacing of y means that rows go north already.
struct Georeference {
  std::array<double, 2> origin{0.0, 0.0};  // centre of the first pixel
  std::array<double, 2> step{1.0, -1.0};   // from pixel to pixel and from row to row
};

Georeference georeference(GDALDataset& dataset, const std::string& file, std::optional<double> spacing) {
  std::array<double, 6> g{0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const bool has_georeference = dataset.GetGeoTransform(g.data()) == CE_None;
  if (!has_georeference) {
    if (!spacing) fail(file, "has no georeference; give its pixel size in metres with --spacing");
    return {{0.0, 0.0}, {*spacing, -*spacing}};
  }
  if (g[2] != 0.0 || g[4] != 0.0) fail(file, "is rotated against north; warp it to a north-up raster first");
  if (!std::isfinite(g[1]) || !std::isfinite(g[5]) || g[1] == 0.0 || g[5] == 0.0)
    fail(file, "has a pixel size that is zero or not finite");
  Georeference result{{g[0] + 0.5 * g[1], g[3] + 0.5 * g[5]}, {g[1], g[5]}};
  const OGRSpatialReference* system = dataset.GetSpatialRef();
  std::array<double, 2> metres{1.0, 1.0};
  if (system != nullptr && system->IsGeographic() != 0) {
    const double middle = result.origin[1] + 0.5 * result.step[1] * (dataset.GetRasterYSize() - 1);
    if (std::abs(middle) >= 90.0) fail(file, "has a middle latitude outside -90 .. 90 degrees");
    metres = {kMetresPerDegree * cosine_of_degrees(middle), kMetresPerDegree};
  } else if (system != nullptr && system->IsProjected() != 0) {
    const double unit = system->GetLinearUnits(nullptr);
    metres = {unit, unit};
  }
  for (int a = 0; a < 2; ++a) {
    const double scale = spacing ? *spacing / std::abs(result.step[a]) : metres[a];
    result.origin[a] *= scale;
    result.step[a] *= scale;
  }
  return result;
}

// Metres per unit of a band's values.
double height_unit(const std::string& name) {
  if (name == "ft" || name == "foot" || name == "feet") return 0.3048;
  if (name == "US survey foot" || name == "us-ft" || name == "ftUS") return 1200.0 / 3937.0;
  return 1.0;
}

}  // namespace

Terrain import_terrain(const std::string& file, std::optional<double> spacing) {
  // GDAL may use HDF5 itself; our settings of that library come first.
  const hdf5::Session session;
  hdf5::check_file_name(file);
  if (spacing && (!std::isfinite(*spacing) || *spacing <= 0.0)) fail(file, "--spacing must be positive and finite");
  std::error_code error;
  if (!std::filesystem::exists(file, error)) fail(file, "No such file or directory");
  const QuietGdal quiet;
  GDALAllRegister();
  CPLErrorReset();
  const std::unique_ptr<GDALDataset, CloseDataset> dataset{
      GDALDataset::Open(file.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY)};
  if (!dataset) fail_gdal(file, "is not a raster that GDAL can read");
  if (dataset->GetRasterCount() < 1) fail(file, "has no raster band");
  GDALRasterBand& band = *dataset->GetRasterBand(1);
  if (GDALDataTypeIsComplex(band.GetRasterDataType()) != 0) fail(file, "holds complex numbers");

  const int cols = dataset->GetRasterXSize();
  const int rows = dataset->GetRasterYSize();
  if (rows < 2 || cols < 2)
    fail(file, "has " + std::to_string(rows) + " x " + std::to_string(cols) + " pixels; at least 2 x 2 are needed");
  if (static_cast<std::int64_t>(rows) * cols > std::int64_t{1} << 30) fail(file, "has more than 2^30 pixels");

  const Georeference geo = georeference(*dataset, file, spacing);
  Terrain terrain;
  terrain.rows = static_cast<std::size_t>(rows);
  terrain.cols = static_cast<std::size_t>(cols);
  const std::array<bool, 2> reversed{geo.step[0] < 0.0, geo.step[1] < 0.0};
  const std::array<int, 2> last{cols - 1, rows - 1};
  for (int a = 0; a < 2; ++a) {
    terrain.spacing[a] = std::abs(geo.step[a]);
    terrain.origin[a] = geo.origin[a] + (reversed[a] ? geo.step[a] * last[a] : 0.0);
  }

  // Rows as they stand, into their place from the south on.
  terrain.heights.resize(terrain.rows * terrain.cols);
  for (int i = 0; i < rows; ++i) {
    double* row = &terrain.heights[static_cast<std::size_t>(reversed[1] ? rows - 1 - i : i) * terrain.cols];
    if (band.RasterIO(GF_Read, 0, i, cols, 1, row, cols, 1, GDT_Float64, 0, 0, nullptr) != CE_None)
      fail_gdal(file, "row " + std::to_string(i) + " cannot be read");
    if (reversed[0]) std::reverse(row, row + cols);
  }

  int has_no_data = 0;
  double no_data = band.GetNoDataValue(&has_no_data);
  if (band.GetRasterDataType() == GDT_Float32) no_data = static_cast<double>(static_cast<float>(no_data));
  const double unit = height_unit(band.GetUnitType());
  const double scale = band.GetScale() * unit;
  const double offset = band.GetOffset() * unit;
  for (double& height : terrain.heights) {
    if ((has_no_data != 0 && height == no_data) || !std::isfinite(height))
      height = std::numeric_limits<double>::quiet_NaN();
    else
      height = height * scale + offset;
  }
  if (std::all_of(terrain.heights.begin(), terrain.heights.end(), [](double h) { return std::isnan(h); }))
    fail(file, "holds nothing but no-data");
  return terrain;
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
