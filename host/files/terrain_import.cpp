#include "files/terrain_import.hpp"

#include <cpl_error.h>
#include <gdal_priv.h>
#include <ogr_spatialref.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/hdf5_file.hpp"

namespace oclide {
namespace {

// Length of a degree of latitude on the mean sphere (radius 6371.0088 km).
constexpr double kMetresPerDegree = 111195.08;

// No height of any planet is beyond this [m].
constexpr double kMostHeight = 1e6;

// A skew term (the way across the axis from pixel to pixel) below this part of a pixel is rounding, and no rotation.
// Over 10,000 pixels it comes to a hundredth of one, which is less than rasters of that size are placed to.
constexpr double kMostSkew = 1e-6;

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
constexpr double kMostCoordinate = 1e15;

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
  // What is made of it stays finite: a pixel's number times a size, in metres.
  if (!std::all_of(g.begin(), g.end(), [](double x) { return std::abs(x) <= kMostCoordinate; }))
    fail(file, "has a georeference that is not finite, or beyond 1e15");
  if (std::abs(g[2]) > kMostSkew * std::abs(g[1]) || std::abs(g[4]) > kMostSkew * std::abs(g[5]))
    fail(file, "is rotated against north; warp it to a north-up raster first");
  if (g[1] == 0.0 || g[5] == 0.0) fail(file, "has a pixel size of zero");
  // What little skew there is leaves the middle where it is.
  Georeference result{
      {g[0] + 0.5 * (g[1] + g[2] * dataset.GetRasterYSize()), g[3] + 0.5 * (g[5] + g[4] * dataset.GetRasterXSize())},
      {g[1], g[5]}};
  const OGRSpatialReference* system = dataset.GetSpatialRef();
  std::array<double, 2> metres{1.0, 1.0};
  if (system != nullptr && system->IsGeographic() != 0) {
    const double middle = result.origin[1] + 0.5 * result.step[1] * (dataset.GetRasterYSize() - 1);
    if (std::abs(middle) >= 90.0) fail(file, "has a middle latitude outside -90 .. 90 degrees");
    metres = {kMetresPerDegree * cosine_of_degrees(middle), kMetresPerDegree};
  } else if (system != nullptr) {
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

struct LinearUnit {
  std::string_view name;
  double metres;
};
constexpr double kFoot = 0.3048, kSurveyFoot = 1200.0 / 3937.0, kClarkeFoot = 0.3047972654;
constexpr double kSearsInch = 1.0 / 39.370147, kBenoitInch = 1.0 / 39.370113, kIndianInch = 1.0 / 39.370142;
constexpr double kSearsYard = 0.914398, kBenoitYard = 0.9143992;  // cut short by surveys
constexpr double kIndianFoot1937 = 0.30479841;
// As plain_name() gives names: all linear units of EPSG and PROJ, those of GDAL, and what else is in use.
constexpr auto kLinearUnits = std::to_array<LinearUnit>({
    {"m", 1.0},
    {"metre", 1.0},
    {"meter", 1.0},
    {"km", 1e3},
    {"kilometre", 1e3},
    {"kilometer", 1e3},
    {"dm", 0.1},
    {"decimetre", 0.1},
    {"decimeter", 0.1},
    {"cm", 0.01},
    {"centimetre", 0.01},
    {"centimeter", 0.01},
    {"mm", 1e-3},
    {"millimetre", 1e-3},
    {"millimeter", 1e-3},
    {"german legal metre", 1.0000135965},
    // International.
    {"in", kFoot / 12.0},
    {"inch", kFoot / 12.0},
    {"international inch", kFoot / 12.0},
    {"ft", kFoot},
    {"foot", kFoot},
    {"international foot", kFoot},
    {"foot international", kFoot},
    {"intl foot", kFoot},
    {"foot intl", kFoot},
    {"yd", 3.0 * kFoot},
    {"yard", 3.0 * kFoot},
    {"international yard", 3.0 * kFoot},
    {"fath", 6.0 * kFoot},
    {"fathom", 6.0 * kFoot},
    {"international fathom", 6.0 * kFoot},
    {"ch", 66.0 * kFoot},
    {"chain", 66.0 * kFoot},
    {"link", 0.66 * kFoot},
    {"mi", 5280.0 * kFoot},
    {"mile", 5280.0 * kFoot},
    {"statute mile", 5280.0 * kFoot},
    {"international mile", 5280.0 * kFoot},
    {"kmi", 1852.0},
    {"nautical mile", 1852.0},
    {"international nautical mile", 1852.0},
    // US survey.
    {"us in", kSurveyFoot / 12.0},
    {"us survey inch", kSurveyFoot / 12.0},
    {"us survey foot", kSurveyFoot},
    {"survey foot", kSurveyFoot},
    {"foot us survey", kSurveyFoot},
    {"us foot", kSurveyFoot},
    {"foot us", kSurveyFoot},
    {"us ft", kSurveyFoot},
    {"ft us", kSurveyFoot},
    {"ftus", kSurveyFoot},
    {"us yd", 3.0 * kSurveyFoot},
    {"us survey yard", 3.0 * kSurveyFoot},
    {"us ch", 66.0 * kSurveyFoot},
    {"us survey chain", 66.0 * kSurveyFoot},
    {"us survey link", 0.66 * kSurveyFoot},
    {"us mi", 5280.0 * kSurveyFoot},
    {"us survey mile", 5280.0 * kSurveyFoot},
    // Clarke 1865.
    {"clarkes foot", kClarkeFoot},
    {"foot clarke", kClarkeFoot},
    {"clarkes yard", 3.0 * kClarkeFoot},
    {"yard clarke", 3.0 * kClarkeFoot},
    {"clarkes chain", 66.0 * kClarkeFoot},
    {"clarkes link", 0.66 * kClarkeFoot},
    {"link clarke", 0.66 * kClarkeFoot},
    // British.
    {"british foot sears 1922", 12.0 * kSearsInch},
    {"foot sears", 12.0 * kSearsInch},
    {"british yard sears 1922", 36.0 * kSearsInch},
    {"yard sears", 36.0 * kSearsInch},
    {"british chain sears 1922", 792.0 * kSearsInch},
    {"chain sears", 792.0 * kSearsInch},
    {"british link sears 1922", 7.92 * kSearsInch},
    {"link sears", 7.92 * kSearsInch},
    {"british foot sears 1922 truncated", kSearsYard / 3.0},
    {"british yard sears 1922 truncated", kSearsYard},
    {"british chain sears 1922 truncated", 22.0 * kSearsYard},
    {"british link sears 1922 truncated", 0.22 * kSearsYard},
    {"british foot benoit 1895 a", kBenoitYard / 3.0},
    {"british yard benoit 1895 a", kBenoitYard},
    {"british chain benoit 1895 a", 22.0 * kBenoitYard},
    {"british link benoit 1895 a", 0.22 * kBenoitYard},
    {"british foot benoit 1895 b", 12.0 * kBenoitInch},
    {"british yard benoit 1895 b", 36.0 * kBenoitInch},
    {"british chain benoit 1895 b", 792.0 * kBenoitInch},
    {"chain benoit", 792.0 * kBenoitInch},
    {"british link benoit 1895 b", 7.92 * kBenoitInch},
    {"link benoit", 7.92 * kBenoitInch},
    {"british foot 1865", 0.9144025 / 3.0},
    {"british foot 1936", 0.3048007491},
    {"gold coast foot", 6378300.0 / 20926201.0},
    {"foot gold coast", 6378300.0 / 20926201.0},
    // Indian.
    {"indian foot", 12.0 * kIndianInch},
    {"foot indian", 12.0 * kIndianInch},
    {"indian yard", 36.0 * kIndianInch},
    {"yard indian", 36.0 * kIndianInch},
    {"ind ft", kIndianFoot1937},
    {"indian foot 1937", kIndianFoot1937},
    {"ind yd", 3.0 * kIndianFoot1937},
    {"indian yard 1937", 3.0 * kIndianFoot1937},
    {"ind ch", 66.0 * kIndianFoot1937},
    {"indian chain", 66.0 * kIndianFoot1937},
    {"indian foot 1962", 0.3047996},
    {"indian yard 1962", 0.9143988},
    {"indian foot 1975", 0.3047995},
    {"indian yard 1975", 0.9143985},
});

// "US_survey_feet", "Foot (US Survey)", "[m]": in lower case, words with one space between them, feet as foot, and
// other plurals without their s.
std::string plain_name(std::string_view name) {
  std::string words;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '.' || c == '\'') continue;  // U.S., Clarke's
    if (byte >= 0x80 || std::isalnum(byte) != 0)
      words += static_cast<char>(std::tolower(byte));
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  if (words.ends_with(' ')) words.pop_back();
  if (const std::size_t at = words.find("feet"); at != std::string::npos) words.replace(at, 4, "foot");
  if (words.ends_with("inches")) words.resize(words.size() - 2);
  if (words.size() > 4 && words.ends_with('s') && !words.ends_with("us")) words.pop_back();
  return words;
}

// Metres per unit of a band's heights.
double height_unit(GDALDataset& dataset, GDALRasterBand& band, const std::string& file) {
  const std::string name = band.GetUnitType();
  if (name.empty()) {
    const OGRSpatialReference* system = dataset.GetSpatialRef();
    return system != nullptr && system->IsVertical() != 0 ? system->GetTargetLinearUnits("VERT_CS", nullptr) : 1.0;
  }
  const std::string plain = plain_name(name);
  const auto* const found =
      std::find_if(kLinearUnits.begin(), kLinearUnits.end(), [&](const LinearUnit& u) { return u.name == plain; });
  if (found == kLinearUnits.end())
    fail(file, "has heights in '" + name + "', which is no unit of length known here (m, ft, US survey foot, cm, ...)");
  return found->metres;
}

// A colour, or its number in a palette, is no height.
void check_is_no_image(GDALRasterBand& band, const std::string& file) {
  const GDALColorInterp colour = band.GetColorInterpretation();
  if (band.GetColorTable() != nullptr || colour == GCI_PaletteIndex)
    fail(file, "is an image with a palette, whose pixels are numbers of colours and no heights");
  if (colour != GCI_Undefined && colour != GCI_GrayIndex)
    fail(file, "is a colour image: its band 1 is '" + std::string(GDALGetColorInterpretationName(colour)) +
                   "' and no heights");
}

// Shortest digits that give the same value again.
std::string number_text(double value, bool is_float) {
  std::array<char, 32> digits{};
  char* const end = digits.data() + digits.size();
  const auto result = is_float ? std::to_chars(digits.data(), end, static_cast<float>(value))
                               : std::to_chars(digits.data(), end, value);
  return {digits.data(), result.ptr};
}

// Heights from the values of a band, and what values there are that can be none.
class HeightReader {
 public:
  HeightReader(GDALDataset& dataset, const std::string& file, const RasterOptions& options)
      : file_(file), options_(options), band_(*dataset.GetRasterBand(1)), type_(band_.GetRasterDataType()) {
    const double unit = height_unit(dataset, band_, file);
    scale_ = band_.GetScale() * unit;
    offset_ = band_.GetOffset() * unit;
    no_data_ = options.no_data;
    int has_no_data = 0;
    // A .msk file takes the place of the value in GDAL's mask; both count here. 64-bit integers: the mask has it.
    const double declared = type_ == GDT_Int64 || type_ == GDT_UInt64 ? 0.0 : band_.GetNoDataValue(&has_no_data);
    if (has_no_data != 0) no_data_.push_back(declared);
    if (band_.GetMaskFlags() != GMF_ALL_VALID) mask_ = band_.GetMaskBand();
  }

  // Row `i` of the raster, to the end of heights.
  void read_row(int i, double* heights) {
    const int cols = band_.GetXSize();
    const auto read = [&](GDALRasterBand& from, void* to, GDALDataType type) {
      if (from.RasterIO(GF_Read, 0, i, cols, 1, to, cols, 1, type, 0, 0, nullptr) != CE_None)
        fail_gdal(file_, "row " + std::to_string(i) + " cannot be read");
    };
    read(band_, heights, GDT_Float64);
    valid_.assign(static_cast<std::size_t>(cols), 255);
    if (mask_ != nullptr) read(*mask_, valid_.data(), GDT_Byte);
    for (int j = 0; j < cols; ++j) {
      double& height = heights[j];
      const double value = height;
      height = std::numeric_limits<double>::quiet_NaN();
      if (valid_[static_cast<std::size_t>(j)] == 0 || !std::isfinite(value) || is_no_data(value)) continue;
      height = value * scale_ + offset_;
      if (!options_.any_value && is_customary_no_data(value)) undeclared_.add(value, i, j);
      if (!(std::abs(height) <= kMostHeight)) beyond_.add(value, i, j);
    }
  }

  // After all rows.
  void check() const {
    if (beyond_.count > 0)
      fail(file_, beyond_.text(type_) + ", a height beyond 1e6 m; where that stands for no data, give --nodata " +
                      number_text(beyond_.value, type_ == GDT_Float32));
    if (undeclared_.count > 0)
      fail(file_, undeclared_.text(type_) +
                      ", which mostly stands for no data, but is not declared as that; give --nodata " +
                      number_text(undeclared_.value, type_ == GDT_Float32) + ", or --nodata none where it is a height");
  }

 private:
  // The first of some pixels, and how many there are.
  struct Finding {
    double value = 0.0;
    int row = 0, col = 0;
    std::size_t count = 0;

    void add(double v, int i, int j) {
      if (count++ == 0) value = v, row = i, col = j;
    }
    [[nodiscard]] std::string text(GDALDataType type) const {
      return "row " + std::to_string(row) + ", column " + std::to_string(col) +
             (count > 1 ? " (and " + std::to_string(count - 1) + " more): " : ": ") +
             number_text(value, type == GDT_Float32);
    }
  };

  // As GDAL compares: declared values are often rounded to fewer digits.
  [[nodiscard]] bool is_no_data(double value) const {
    return std::any_of(no_data_.begin(), no_data_.end(), [&](double v) {
      return type_ == GDT_Float32 ? ARE_REAL_EQUAL(static_cast<float>(value), static_cast<float>(v)) : value == v;
    });
  }

  // What programs write where there is no height, whatever unit and type. Their like of the other sign, 9999 and
  // 99999, can be heights in feet or millimetres; 32767 is none where it is the largest number that there is.
  [[nodiscard]] bool is_customary_no_data(double value) const {
    constexpr std::array kCustomary{-9999.0, -99999.0, -999999.0, -32767.0, -32768.0};
    return std::find(kCustomary.begin(), kCustomary.end(), value) != kCustomary.end() ||
           (type_ == GDT_Int16 && value == 32767.0);
  }

  const std::string& file_;
  const RasterOptions& options_;
  GDALRasterBand& band_;
  GDALDataType type_;
  GDALRasterBand* mask_ = nullptr;  // null: all pixels are valid
  std::vector<double> no_data_;
  double scale_ = 1.0, offset_ = 0.0;  // to metres
  std::vector<std::uint8_t> valid_;    // of a row
  Finding beyond_, undeclared_;
};

}  // namespace

Terrain import_terrain(const std::string& file, const RasterOptions& options) {
  // GDAL may use HDF5 itself; our settings of that library come first.
  const hdf5::Session session;
  hdf5::check_file_name(file);
  if (options.spacing && (!std::isfinite(*options.spacing) || *options.spacing <= 0.0))
    fail(file, "--spacing must be positive and finite");
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
  check_is_no_image(band, file);

  const int cols = dataset->GetRasterXSize();
  const int rows = dataset->GetRasterYSize();
  if (rows < 2 || cols < 2)
    fail(file, "has " + std::to_string(rows) + " x " + std::to_string(cols) + " pixels; at least 2 x 2 are needed");
  if (static_cast<std::int64_t>(rows) * cols > std::int64_t{1} << 30) fail(file, "has more than 2^30 pixels");

  const Georeference geo = georeference(*dataset, file, options.spacing);
  Terrain terrain;
  terrain.rows = static_cast<std::size_t>(rows);
  terrain.cols = static_cast<std::size_t>(cols);
  const std::array<bool, 2> reversed{geo.step[0] < 0.0, geo.step[1] < 0.0};
  const std::array<int, 2> last{cols - 1, rows - 1};
  for (int a = 0; a < 2; ++a) {
    terrain.spacing[a] = std::abs(geo.step[a]);
    terrain.origin[a] = geo.origin[a] + (reversed[a] ? geo.step[a] * last[a] : 0.0);
    if (!(terrain.spacing[a] > 0.0 && std::isfinite(terrain.spacing[a]) && std::isfinite(terrain.origin[a])))
      fail(file, "has pixels of a size, or at a place, that no number holds in metres");
    if (terrain.spacing[a] > 1e9) fail(file, "has pixels of more than 1e9 m");
  }

  // Rows as they stand, into their place from the south on.
  terrain.heights.resize(terrain.rows * terrain.cols);
  HeightReader reader(*dataset, file, options);
  for (int i = 0; i < rows; ++i) {
    double* row = &terrain.heights[static_cast<std::size_t>(reversed[1] ? rows - 1 - i : i) * terrain.cols];
    reader.read_row(i, row);
    if (reversed[0]) std::reverse(row, row + cols);
  }
  reader.check();
  if (std::all_of(terrain.heights.begin(), terrain.heights.end(), [](double h) { return std::isnan(h); }))
    fail(file, "holds nothing but no-data");
  return terrain;
}

}  // namespace oclide
