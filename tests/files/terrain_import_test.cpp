// Rasters become terrain with y to the north, in metres, with no-data as NaN.
#include "files/terrain_import.hpp"

#include <gdal_priv.h>
#include <gtest/gtest.h>
#include <ogr_spatialref.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <vector>

#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

class TerrainImport : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name), std::ios::binary) << text;
    return folder.file(name);
  }

  // Three columns, two rows; the row written first is the northern one.
  static constexpr const char* kGrid =
      "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\n1 2 3\n4 -9999 6\n";

  // A 16-bit grey image with a header that GDAL reads without a library for compression: 2 x 2 pixels, PGM.
  static std::string image() {
    std::string text = "P5\n2 2\n65535\n";
    for (unsigned value : {100U, 200U, 300U, 40000U}) {
      text += static_cast<char>(value >> 8);
      text += static_cast<char>(value & 255U);
    }
    return text;
  }

  // A GeoTIFF of 5 x 7 pixels of 10 m whose band 1 has the heights 100, 101, ... in the order of the file.
  using Change = std::function<void(GDALDataset&)>;
  std::string write_tiff(const std::string& name, GDALDataType type, const Change& change, int bands = 1,
                         const CPLStringList& options = {}) const {
    GDALAllRegister();
    GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
    const std::string file = folder.file(name);
    GDALDataset* data = driver->Create(file.c_str(), kCols, kRows, bands, type, options.List());
    std::array<double, 6> transform{kWest, 10.0, 0.0, kNorth, 0.0, -10.0};
    EXPECT_EQ(data->SetGeoTransform(transform.data()), CE_None);
    std::vector<double> heights(kRows * kCols);
    for (std::size_t k = 0; k < heights.size(); ++k) heights[k] = 100.0 + static_cast<double>(k);
    put(*data->GetRasterBand(1), 0, 0, kCols, kRows, heights);
    change(*data);
    GDALClose(data);
    return file;
  }
  static void put(GDALRasterBand& band, int row, int col, int cols, int rows, std::vector<double> values) {
    EXPECT_EQ(band.RasterIO(GF_Write, col, row, cols, rows, values.data(), cols, rows, GDT_Float64, 0, 0, nullptr),
              CE_None);
  }
  static void put(GDALDataset& data, int row, int col, double value) {
    put(*data.GetRasterBand(1), row, col, 1, 1, {value});
  }
  // Row and column as in the file, from the north.
  static double height(const Terrain& t, int row, int col) {
    return t.heights[static_cast<std::size_t>((kRows - 1 - row) * kCols + col)];
  }
  static std::size_t holes(const Terrain& t) {
    return static_cast<std::size_t>(
        std::count_if(t.heights.begin(), t.heights.end(), [](double h) { return std::isnan(h); }));
  }
  // The message of the error, which is one line that begins with the file's name.
  static std::string refusal(const std::string& file, const RasterOptions& options = {}) {
    try {
      (void)import_terrain(file, options);
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_TRUE(what.starts_with(file + ": ")) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      return what;
    }
    return {};
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  static constexpr int kRows = 5, kCols = 7;
  static constexpr double kWest = 1000.0, kNorth = 2000.0;

  test::TemporaryFolder folder;
};

TEST_F(TerrainImport, RowsGoNorthAndVerticesAreAtPixelCentres) {
  const Terrain t = import_terrain(write("grid.asc", kGrid));
  EXPECT_EQ(t.rows, 2U);
  EXPECT_EQ(t.cols, 3U);
  EXPECT_EQ(t.origin, (std::array{105.0, 205.0}));
  EXPECT_EQ(t.spacing, (std::array{10.0, 10.0}));
  EXPECT_EQ(t.heights[0], 4.0);
  EXPECT_TRUE(std::isnan(t.heights[1]));
  EXPECT_EQ(t.heights[2], 6.0);
  EXPECT_EQ(t.heights[3], 1.0);
  EXPECT_EQ(t.heights[5], 3.0);
}

TEST_F(TerrainImport, SpacingReplacesThePixelSize) {
  const Terrain t = import_terrain(write("grid.asc", kGrid), {2.5, {}, false});
  EXPECT_EQ(t.spacing, (std::array{2.5, 2.5}));
}

TEST_F(TerrainImport, PixelsThatNoNumberHoldsInMetresAreRefused) {
  const auto grid = [&](const char* size) {
    return write("grid.asc",
                 std::string("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize ") + size + "\n1 2\n3 4\n");
  };
  const auto refusal = [&](const char* size, std::optional<double> spacing) {
    try {
      (void)import_terrain(grid(size), {spacing, {}, false});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("taken");
  };
  // A size so small that the factor to the one asked for is infinite.
  EXPECT_NE(refusal("1e-200", 1e200).find("no number holds in metres"), std::string::npos);
  EXPECT_NE(refusal("1", 2e9).find("has pixels of more than 1e9 m"), std::string::npos);
  EXPECT_NE(refusal("1e10", {}).find("has pixels of more than 1e9 m"), std::string::npos);
  EXPECT_EQ(refusal("1", 1e9), "taken");
}

TEST_F(TerrainImport, DegreesBecomeMetres) {
  write("grid.prj",
        "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],"
        "UNIT[\"degree\",0.0174532925199433]]");
  const Terrain t = import_terrain(write("grid.asc",
                                         "ncols 3\nnrows 3\nxllcorner 10\nyllcorner 58.5\ncellsize 1\n"
                                         "1 2 3\n4 5 6\n7 8 9\n"));
  // The middle row is at 60 degrees north, where a degree of longitude is half as long.
  EXPECT_NEAR(t.spacing[1], 111195.0, 1.0);
  EXPECT_NEAR(t.spacing[0], 0.5 * t.spacing[1], 1e-6 * t.spacing[1]);
}

TEST_F(TerrainImport, AnImageNeedsItsSpacing) {
  const std::string file = write("image.pgm", image());
  EXPECT_TRUE(has(refusal(file), "--spacing"));
  const Terrain t = import_terrain(file, {3.0, {}, false});
  EXPECT_EQ(t.spacing, (std::array{3.0, 3.0}));
  EXPECT_EQ(t.heights, (std::vector{300.0, 40000.0, 100.0, 200.0}));
}

TEST_F(TerrainImport, RefusesWhatIsNoTerrain) {
  const auto expect_error = [](const std::string& file, std::optional<double> spacing) {
    EXPECT_NE(refusal(file, {spacing, {}, false}), "") << file;
  };
  expect_error(folder.file("missing.asc"), {});
  expect_error(write("text.asc", "no raster at all\n"), {});
  expect_error(write("row.asc", "ncols 3\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n"), {});
  expect_error(write("empty.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value 0\n0 0\n0 0\n"),
               {});
  expect_error(write("image.pgm", image()), 0.0);
  expect_error(write("image.pgm", image()), -1.0);
  expect_error(write("image.pgm", image()), std::nan(""));
  expect_error(write("cut.pgm", image().substr(0, 16)), 1.0);
}

// ------------------------------------------------------------------------------------------------ pixels without data

TEST_F(TerrainImport, PixelsThatAMaskLeavesOutAreHoles) {
  const auto leave_out = [](GDALRasterBand& mask) {
    put(mask, 0, 0, kCols, kRows, std::vector<double>(kRows * kCols, 255.0));
    put(mask, 1, 2, 1, 1, {0.0});
    put(mask, 3, 6, 1, 1, {0.0});
  };
  const auto mask_of_dataset = [&](GDALDataset& data) {
    ASSERT_EQ(data.CreateMaskBand(GMF_PER_DATASET), CE_None);
    leave_out(*data.GetRasterBand(1)->GetMaskBand());
  };
  const auto with_mask_inside = [&](const char* inside, const Change& change) {
    CPLSetConfigOption("GDAL_TIFF_INTERNAL_MASK", inside);
    const std::string file = write_tiff(std::string("mask_") + inside + ".tif", GDT_Float32, change);
    CPLSetConfigOption("GDAL_TIFF_INTERNAL_MASK", nullptr);
    return file;
  };
  const std::string beside = with_mask_inside("NO", mask_of_dataset);
  ASSERT_TRUE(std::filesystem::exists(beside + ".msk"));
  const std::string inside = with_mask_inside("YES", mask_of_dataset);
  ASSERT_FALSE(std::filesystem::exists(inside + ".msk"));
  // A .msk file hides the no-data value from GDAL's own mask.
  CPLSetConfigOption("GDAL_TIFF_INTERNAL_MASK", "NO");
  const std::string of_band = write_tiff("band.tif", GDT_Int16, [&](GDALDataset& data) {
    GDALRasterBand& band = *data.GetRasterBand(1);
    ASSERT_EQ(band.SetNoDataValue(-5.0), CE_None);
    put(data, 4, 4, -5.0);
    ASSERT_EQ(band.CreateMaskBand(0), CE_None);
    leave_out(*band.GetMaskBand());
  });
  CPLSetConfigOption("GDAL_TIFF_INTERNAL_MASK", nullptr);
  const std::string alpha = write_tiff(
      "alpha.tif", GDT_UInt16,
      [&](GDALDataset& data) {
        leave_out(*data.GetRasterBand(2));
        put(*data.GetRasterBand(2), 0, 0, 1, 1, {1.0});  // hardly seen, but data
      },
      2, CPLStringList().SetNameValue("ALPHA", "YES"));
  for (const std::string& file : {beside, inside, of_band, alpha}) {
    const Terrain t = import_terrain(file);
    EXPECT_TRUE(std::isnan(height(t, 1, 2))) << file;
    EXPECT_TRUE(std::isnan(height(t, 3, 6))) << file;
    EXPECT_EQ(height(t, 1, 3), 110.0) << file;
    EXPECT_EQ(height(t, 0, 0), 100.0) << file;
    EXPECT_EQ(holes(t), file == of_band ? 3U : 2U) << file;
  }
  EXPECT_TRUE(std::isnan(height(import_terrain(of_band), 4, 4)));
}

TEST_F(TerrainImport, DeclaredNoDataIsAHoleInEveryType) {
  const auto declared = [&](const std::string& name, GDALDataType type, double no_data, double value) {
    return write_tiff(name, type, [=](GDALDataset& data) {
      GDALRasterBand& band = *data.GetRasterBand(1);
      if (type == GDT_Int64)
        ASSERT_EQ(band.SetNoDataValueAsInt64(static_cast<std::int64_t>(no_data)), CE_None);
      else
        ASSERT_EQ(band.SetNoDataValue(no_data), CE_None);
      put(data, 2, 1, value);
    });
  };
  const double largest = std::numeric_limits<float>::max();
  for (const std::string& file :
       {declared("int16.tif", GDT_Int16, -32768.0, -32768.0), declared("int64.tif", GDT_Int64, -9999.0, -9999.0),
        declared("float.tif", GDT_Float32, -largest, -largest),
        declared("rounded.tif", GDT_Float32, -3.4028235e38, -largest),
        declared("double.tif", GDT_Float64, -1e300, -1e300)}) {
    const Terrain t = import_terrain(file);
    EXPECT_TRUE(std::isnan(height(t, 2, 1))) << file;
    EXPECT_EQ(holes(t), 1U) << file;
  }
}

TEST_F(TerrainImport, ValuesThatStandForNoDataMustBeDeclared) {
  const auto with = [&](const std::string& name, GDALDataType type, double value, const std::string& unit = "") {
    return write_tiff(name, type, [&](GDALDataset& data) {
      put(data, 3, 4, value);
      put(data, 4, 0, value);
      ASSERT_EQ(data.GetRasterBand(1)->SetUnitType(unit.c_str()), CE_None);
    });
  };
  struct Case {
    GDALDataType type;
    double value;
    const char* text;
  };
  const double largest = std::numeric_limits<float>::max();
  for (const Case& c :
       {Case{GDT_Int16, -9999.0, "-9999"}, Case{GDT_Float32, -9999.0, "-9999"}, Case{GDT_Int16, -32768.0, "-32768"},
        Case{GDT_Int16, -32767.0, "-32767"}, Case{GDT_Int16, 32767.0, "32767"}, Case{GDT_Float64, -99999.0, "-99999"},
        Case{GDT_Float32, -largest, "-3.4028235e+38"}, Case{GDT_Float32, largest, "3.4028235e+38"},
        Case{GDT_Float64, 1000000.5, "1000000.5"}, Case{GDT_Int32, -2147483648.0, "-2147483648"}}) {
    const std::string file = with("undeclared.tif", c.type, c.value);
    const std::string what = refusal(file);
    EXPECT_TRUE(has(what, "row 3, column 4 (and 1 more): " + std::string(c.text) + ",")) << what;
    EXPECT_TRUE(has(what, "--nodata " + std::string(c.text))) << what;
    // As the message says.
    const Terrain t = import_terrain(file, {{}, {c.value}, false});
    EXPECT_TRUE(std::isnan(height(t, 3, 4)) && std::isnan(height(t, 4, 0))) << c.text;
    EXPECT_EQ(holes(t), 2U) << c.text;
  }
  // The unit does not matter: 99.99 m down in centimetres.
  EXPECT_TRUE(has(refusal(with("cm.tif", GDT_Float32, -9999.0, "cm")), "-9999"));
  // A depth of the sea, where it is said to be one; but nothing that no height can be.
  EXPECT_EQ(height(import_terrain(with("sea.tif", GDT_Float32, -9999.0), {{}, {}, true}), 3, 4), -9999.0);
  EXPECT_NE(refusal(with("far.tif", GDT_Float32, -largest), {{}, {}, true}), "");
  EXPECT_NE(refusal(with("km.tif", GDT_Float32, 1001.0, "km")), "");
  // Heights, not more.
  for (const double value : {-9998.0, -10911.0, 9999.0, 8848.86, 21229.0, 1e6})
    EXPECT_EQ(height(import_terrain(with("height.tif", GDT_Float64, value)), 3, 4), value);
  EXPECT_EQ(height(import_terrain(with("grey.tif", GDT_UInt16, 32767.0)), 3, 4), 32767.0);
}

// ---------------------------------------------------------------------------------------------------- images and units

TEST_F(TerrainImport, ImagesInColourAreRefused) {
  const std::string palette = write_tiff("palette.tif", GDT_Byte, [](GDALDataset& data) {
    GDALColorTable table;
    for (int k = 0; k < 256; ++k) {
      const auto grey = static_cast<short>(255 - k);
      const GDALColorEntry entry{grey, grey, grey, 255};
      table.SetColorEntry(k, &entry);
    }
    ASSERT_EQ(data.GetRasterBand(1)->SetColorTable(&table), CE_None);
  });
  EXPECT_TRUE(has(refusal(palette), "palette"));
  const auto nothing = [](GDALDataset&) {};
  const std::string colours =
      write_tiff("colours.tif", GDT_Byte, nothing, 3, CPLStringList().SetNameValue("PHOTOMETRIC", "RGB"));
  EXPECT_TRUE(has(refusal(colours), "'Red'"));
  // Several bands without colours: the first one has the heights.
  const Terrain t = import_terrain(write_tiff("bands.tif", GDT_Float32, nothing, 3));
  EXPECT_EQ(height(t, 0, 1), 101.0);
}

TEST_F(TerrainImport, UnitsAreKnownByAllTheirNames) {
  const auto unit = [&](const std::string& name) {
    return write_tiff("unit.tif", GDT_Float32, [&](GDALDataset& data) {
      GDALRasterBand& band = *data.GetRasterBand(1);
      ASSERT_EQ(band.SetUnitType(name.c_str()), CE_None);
      ASSERT_EQ(band.SetScale(2.0), CE_None);
      ASSERT_EQ(band.SetOffset(-50.0), CE_None);
    });
  };
  struct Unit {
    double metres;
    std::vector<const char*> names;
  };
  const double us = 1200.0 / 3937.0;
  for (const Unit& u :
       {Unit{1.0, {"", "m", "M", "metre", "Metres", "METER", "meters", "[m]"}},
        Unit{0.3048,
             {"ft", "FT", "foot", "Feet", "international foot", "International_Feet", "Foot (International)",
              "Foot_International", "Intl Foot"}},
        Unit{us,
             {"US survey foot", "US_survey_foot", "us survey feet", "U.S. Survey Foot", "Foot_US", "Foot (US survey)",
              "ftUS", "us-ft", "US-ft", "US_FOOT", "survey foot"}},
        Unit{0.01, {"cm", "centimetre", "Centimeters"}}, Unit{0.001, {"mm", "millimetre", "millimeters"}},
        Unit{0.1, {"dm", "decimetre"}}, Unit{1000.0, {"km", "kilometre", "Kilometer", "kilometres"}},
        Unit{0.9144, {"yd", "yard", "Yards"}}, Unit{1.8288, {"fathom", "fathoms"}},
        Unit{0.0254, {"in", "inch", "inches"}}})
    for (const char* name : u.names)
      EXPECT_NEAR(height(import_terrain(unit(name)), 0, 1), (2.0 * 101.0 - 50.0) * u.metres, 1e-9 * u.metres) << name;
  // The factors of EPSG's and PROJ's database, in digits.
  for (const Unit& u : {Unit{0.001, {"millimetre", "mm"}},
                        Unit{0.01, {"centimetre", "cm"}},
                        Unit{1.0, {"metre", "m"}},
                        Unit{0.3048, {"foot", "ft"}},
                        Unit{0.30480060960121924, {"US survey foot", "us-ft"}},
                        Unit{0.3047972654, {"Clarke's foot"}},
                        Unit{1.8288, {"fathom", "fath"}},
                        Unit{1852.0, {"nautical mile", "kmi"}},
                        Unit{1.0000135965, {"German legal metre"}},
                        Unit{20.11684023368047, {"US survey chain", "us-ch"}},
                        Unit{0.2011684023368047, {"US survey link"}},
                        Unit{1609.3472186944375, {"US survey mile", "us-mi"}},
                        Unit{1000.0, {"kilometre", "km"}},
                        Unit{0.9143917962, {"Clarke's yard"}},
                        Unit{20.1166195164, {"Clarke's chain"}},
                        Unit{0.201166195164, {"Clarke's link"}},
                        Unit{0.9143984146160287, {"British yard (Sears 1922)"}},
                        Unit{0.3047994715386762, {"British foot (Sears 1922)"}},
                        Unit{20.116765121552632, {"British chain (Sears 1922)"}},
                        Unit{0.2011676512155263, {"British link (Sears 1922)"}},
                        Unit{0.9143992, {"British yard (Benoit 1895 A)"}},
                        Unit{0.3047997333333333, {"British foot (Benoit 1895 A)"}},
                        Unit{20.1167824, {"British chain (Benoit 1895 A)"}},
                        Unit{0.201167824, {"British link (Benoit 1895 A)"}},
                        Unit{0.9143992042898124, {"British yard (Benoit 1895 B)"}},
                        Unit{0.30479973476327077, {"British foot (Benoit 1895 B)"}},
                        Unit{20.116782494375872, {"British chain (Benoit 1895 B)"}},
                        Unit{0.2011678249437587, {"British link (Benoit 1895 B)"}},
                        Unit{0.30480083333333335, {"British foot (1865)"}},
                        Unit{0.30479951024814694, {"Indian foot"}},
                        Unit{0.30479841, {"Indian foot (1937)", "ind-ft"}},
                        Unit{0.3047996, {"Indian foot (1962)"}},
                        Unit{0.3047995, {"Indian foot (1975)"}},
                        Unit{0.9143985307444408, {"Indian yard"}},
                        Unit{0.91439523, {"Indian yard (1937)", "ind-yd"}},
                        Unit{0.9143988, {"Indian yard (1962)"}},
                        Unit{0.9143985, {"Indian yard (1975)"}},
                        Unit{1609.344, {"Statute mile", "mi"}},
                        Unit{0.3047997101815088, {"Gold Coast foot"}},
                        Unit{0.3048007491, {"British foot (1936)"}},
                        Unit{0.9144, {"yard", "yd"}},
                        Unit{20.1168, {"chain", "ch"}},
                        Unit{0.201168, {"link", "link"}},
                        Unit{0.914398, {"British yard (Sears 1922 truncated)"}},
                        Unit{0.30479933333333337, {"British foot (Sears 1922 truncated)"}},
                        Unit{20.116756, {"British chain (Sears 1922 truncated)"}},
                        Unit{0.20116756, {"British link (Sears 1922 truncated)"}},
                        Unit{20.11669506, {"ind-ch", "Indian chain"}},
                        Unit{0.025400050800101603, {"us-in", "US survey inch"}},
                        Unit{0.9144018288036576, {"us-yd", "US survey yard"}},
                        Unit{1852.0, {"Nautical Miles"}},
                        Unit{1609.344, {"miles"}},
                        Unit{0.3047972654, {"Foot_Clarke"}},
                        Unit{0.30479971018150881, {"Foot_Gold_Coast"}}})
    for (const char* name : u.names) {
      const double right = (2.0 * 101.0 - 50.0) * u.metres;
      EXPECT_NEAR(height(import_terrain(unit(name)), 0, 1), right, 4e-15 * right) << name;
    }
  for (const char* name : {"furlong", "DN", "dBZ", "degC", "s", "kg/m", "meter per second"})
    EXPECT_TRUE(has(refusal(unit(name)), "'" + std::string(name) + "'")) << name;
}

TEST_F(TerrainImport, ABandWithoutUnitHasThatOfItsVerticalReference) {
  const auto reference = [](const char* unit) {
    return std::string(
               "COMPD_CS[\"both\",PROJCS[\"plane\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\","
               "6378137,298.257223563]],PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]],"
               "PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"latitude_of_origin\",0],"
               "PARAMETER[\"central_meridian\",9],PARAMETER[\"scale_factor\",1],PARAMETER[\"false_easting\",0],"
               "PARAMETER[\"false_northing\",0],UNIT[\"foot\",0.3048]],VERT_CS[\"height\","
               "VERT_DATUM[\"sea\",2005],") +
           unit + ",AXIS[\"Up\",UP]]]";
  };
  // ASCII grids have no units of their own.
  for (const auto& [unit, metres] : {std::pair{"UNIT[\"metre\",1]", 1.0},
                                     {"UNIT[\"foot\",0.3048]", 0.3048},
                                     {"UNIT[\"US survey foot\",0.304800609601219]", 0.304800609601219}}) {
    write("grid.prj", reference(unit));
    const Terrain t = import_terrain(write("grid.asc", kGrid));
    EXPECT_NEAR(t.heights[0], 4.0 * metres, 1e-12) << unit;
    EXPECT_NEAR(t.spacing[0], 3.048, 1e-12) << unit;
    EXPECT_TRUE(std::isnan(t.heights[1])) << unit;
  }
  // The band's own unit comes first.
  const std::string both = write_tiff("both.tif", GDT_Float32, [&](GDALDataset& data) {
    OGRSpatialReference system;
    ASSERT_EQ(system.importFromWkt(reference("UNIT[\"foot\",0.3048]").c_str()), OGRERR_NONE);
    ASSERT_EQ(data.SetSpatialRef(&system), CE_None);
    ASSERT_EQ(data.GetRasterBand(1)->SetUnitType("cm"), CE_None);
  });
  EXPECT_NEAR(height(import_terrain(both), 0, 1), 1.01, 1e-12);
}

// ------------------------------------------------------------------------------------------------------------ rotation

TEST_F(TerrainImport, ARotationThatIsRoundingIsNone) {
  const auto skewed = [&](double x, double y) {
    return write_tiff("skew.tif", GDT_Float32, [=](GDALDataset& data) {
      std::array<double, 6> transform{kWest, 10.0, x, kNorth, y, -10.0};
      ASSERT_EQ(data.SetGeoTransform(transform.data()), CE_None);
    });
  };
  for (const double skew : {1e-17, -1e-12, 9e-6}) {
    const Terrain t = import_terrain(skewed(skew, -skew));
    EXPECT_EQ(t.spacing, (std::array{10.0, 10.0})) << skew;
    EXPECT_NEAR(t.origin[0], kWest + 5.0, 1e-4) << skew;
    EXPECT_NEAR(t.origin[1], kNorth - 45.0, 1e-4) << skew;
  }
  for (const double skew : {1.1e-5, 1.0, -5.0}) {
    EXPECT_TRUE(has(refusal(skewed(skew, 0.0)), "rotated")) << skew;
    EXPECT_TRUE(has(refusal(skewed(0.0, skew)), "rotated")) << skew;
  }
}

// ------------------------------------------------------------------------------------------------- places of scenarios

TEST_F(TerrainImport, CentringKeepsHeights) {
  Terrain t = import_terrain(write("grid.asc", kGrid));
  const std::vector<double> heights = t.heights;
  centre_terrain(t);
  EXPECT_EQ(t.origin, (std::array{-10.0, -5.0}));
  EXPECT_EQ(t.spacing, (std::array{10.0, 10.0}));
  EXPECT_EQ(t.heights[0], heights[0]);
  EXPECT_EQ(t.heights[5], heights[5]);
}

TEST_F(TerrainImport, FittingKeepsSlopes) {
  Terrain t = import_terrain(write("grid.asc", kGrid));
  const double slope = (t.heights[3] - t.heights[0]) / t.spacing[1];
  fit_terrain(t, 50.0);
  EXPECT_NEAR(2.0 * t.spacing[0] * t.spacing[1], 50.0, 1e-9);
  EXPECT_NEAR((t.heights[3] - t.heights[0]) / t.spacing[1], slope, 1e-6);
  EXPECT_EQ(t.heights[3], 0.0);
  EXPECT_TRUE(std::isnan(t.heights[1]));
  EXPECT_NEAR(t.origin[0] + t.spacing[0], 0.0, 1e-12);
  EXPECT_NEAR(t.origin[1] + 0.5 * t.spacing[1], 0.0, 1e-12);
}

}  // namespace
}  // namespace oclide
