// Rasters become terrain with y to the north, in metres, with no-data as NaN.
#include "files/terrain_import.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
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

  test::TemporaryFolder folder;
};

TEST_F(TerrainImport, RowsGoNorthAndVerticesAreAtPixelCentres) {
  const Terrain t = import_terrain(write("grid.asc", kGrid), {});
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
  const Terrain t = import_terrain(write("grid.asc", kGrid), 2.5);
  EXPECT_EQ(t.spacing, (std::array{2.5, 2.5}));
}

TEST_F(TerrainImport, DegreesBecomeMetres) {
  write("grid.prj",
        "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],"
        "UNIT[\"degree\",0.0174532925199433]]");
  const Terrain t = import_terrain(write("grid.asc",
                                         "ncols 3\nnrows 3\nxllcorner 10\nyllcorner 58.5\ncellsize 1\n"
                                         "1 2 3\n4 5 6\n7 8 9\n"),
                                   {});
  // The middle row is at 60 degrees north, where a degree of longitude is half as long.
  EXPECT_NEAR(t.spacing[1], 111195.0, 1.0);
  EXPECT_NEAR(t.spacing[0], 0.5 * t.spacing[1], 1e-6 * t.spacing[1]);
}

TEST_F(TerrainImport, AnImageNeedsItsSpacing) {
  const std::string file = write("image.pgm", image());
  try {
    (void)import_terrain(file, {});
    FAIL() << "an image without georeference was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--spacing"), std::string::npos) << error.what();
  }
  const Terrain t = import_terrain(file, 3.0);
  EXPECT_EQ(t.spacing, (std::array{3.0, 3.0}));
  EXPECT_EQ(t.heights, (std::vector{300.0, 40000.0, 100.0, 200.0}));
}

TEST_F(TerrainImport, RefusesWhatIsNoTerrain) {
  const auto expect_error = [](const std::string& file, std::optional<double> spacing) {
    try {
      (void)import_terrain(file, spacing);
      ADD_FAILURE() << file << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_TRUE(std::string(error.what()).starts_with(file)) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
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

TEST_F(TerrainImport, FittingKeepsSlopes) {
  Terrain t = import_terrain(write("grid.asc", kGrid), {});
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
