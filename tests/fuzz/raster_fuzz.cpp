// Rasters: ESRI ASCII grids of any text, and GeoTIFF files of any type, bands, masks, units and georeference.
#include <gdal_priv.h>

#include <fstream>

#include "files/terrain_import.hpp"
#include "fuzz/hdf5_changes.hpp"
#include "fuzz/refused_or_taken.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

void write_grid(const std::string& file, FuzzedDataProvider& data) {
  static constexpr std::array kWords{"ncols",    "nrows", "xllcorner", "yllcorner",    "xllcenter",
                                     "cellsize", "dx",    "dy",        "NODATA_value", "nan",
                                     "inf",      "-9999", "1e300",     "-3.4e38"};
  std::ofstream text(file, std::ios::binary | std::ios::trunc);
  if (data.ConsumeBool())
    text << "ncols " << data.ConsumeIntegralInRange(-1, 6) << "\nnrows " << data.ConsumeIntegralInRange(-1, 6)
         << "\nxllcorner " << test::any_number(data) << "\nyllcorner " << test::any_number(data) << "\ncellsize "
         << test::any_number(data) << '\n';
  for (int n = data.ConsumeIntegralInRange(0, 60); n > 0; --n) {
    if (data.ConsumeIntegralInRange(0, 3) == 0)
      text << data.PickValueInArray(kWords);
    else
      text << test::any_number(data);
    text << (data.ConsumeBool() ? ' ' : '\n');
  }
  text << data.ConsumeRandomLengthString(20);
}

void write_tiff(const std::string& file, FuzzedDataProvider& data) {
  static constexpr std::array kTypes{GDT_Byte,   GDT_UInt16, GDT_Int16,   GDT_UInt32,  GDT_Int32,
                                     GDT_UInt64, GDT_Int64,  GDT_Float32, GDT_Float64, GDT_CFloat32};
  static constexpr std::array kUnits{"", "m", "metre", "feet", "US survey foot", "parsec", "\x01\xFF"};
  static constexpr std::array kSystems{"EPSG:32633", "EPSG:4326", "EPSG:2263", "EPSG:5773", "EPSG:3857"};
  GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  const int cols = data.ConsumeIntegralInRange(1, 6), rows = data.ConsumeIntegralInRange(1, 6);
  const int bands = data.ConsumeIntegralInRange(1, 4);
  GDALDataset* const raster = driver->Create(file.c_str(), cols, rows, bands, data.PickValueInArray(kTypes), nullptr);
  if (raster == nullptr) return;
  if (data.ConsumeBool()) {
    std::array<double, 6> transform{0.0, 1.0, 0.0, 0.0, 0.0, -1.0};
    for (int n = data.ConsumeIntegralInRange(0, 3); n > 0; --n)
      transform[data.ConsumeIntegralInRange<std::size_t>(0, 5)] = test::any_number(data);
    raster->SetGeoTransform(transform.data());
  }
  if (data.ConsumeBool()) {
    OGRSpatialReference system;
    system.SetFromUserInput(data.PickValueInArray(kSystems));
    raster->SetSpatialRef(&system);
  }
  GDALRasterBand& band = *raster->GetRasterBand(1);
  if (data.ConsumeBool()) band.SetUnitType(data.PickValueInArray(kUnits));
  if (data.ConsumeBool()) band.SetScale(test::any_number(data));
  if (data.ConsumeBool()) band.SetOffset(test::any_number(data));
  if (data.ConsumeBool()) band.SetNoDataValue(test::any_number(data));
  if (data.ConsumeBool())
    band.SetColorInterpretation(static_cast<GDALColorInterp>(data.ConsumeIntegralInRange(0, int{GCI_Max})));
  if (bands > 1 && data.ConsumeBool()) raster->GetRasterBand(bands)->SetColorInterpretation(GCI_AlphaBand);
  if (data.ConsumeBool()) raster->CreateMaskBand(GMF_PER_DATASET);
  std::vector<double> values(static_cast<std::size_t>(cols) * static_cast<std::size_t>(rows));
  for (double& value : values) value = test::any_number(data);
  (void)!band.RasterIO(GF_Write, 0, 0, cols, rows, values.data(), cols, rows, GDT_Float64, 0, 0, nullptr);
  GDALClose(raster);
}

}  // namespace
}  // namespace oclide

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace oclide;
  FuzzedDataProvider data(bytes, count);
  const test::TemporaryFolder folder;
  const bool is_grid = data.ConsumeBool();
  const std::string file = folder.file(is_grid ? "grid.asc" : "raster.tif");
  GDALAllRegister();
  CPLPushErrorHandler(CPLQuietErrorHandler);
  (is_grid ? write_grid : write_tiff)(file, data);
  CPLPopErrorHandler();
  RasterOptions options;
  if (data.ConsumeBool()) options.spacing = test::any_number(data);
  if (data.ConsumeBool()) options.no_data = {test::any_number(data)};
  options.any_value = data.ConsumeBool();
  test::refused_or_taken(file, [&] {
    const Terrain terrain = import_terrain(file, options);
    Scene scene;
    scene.terrains = {terrain};
    try {
      check(scene);
    } catch (const Error& error) {
      test::require(false, std::string("a terrain that a scene takes: ") + error.what());
    }
  });
  return 0;
}
