// Whatever names and texts go in, what comes out is valid UTF-8 without control characters, and JSON is JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "files/hdf5_scene.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

// Red and a bell, a C1 control, DEL, and a byte that is no text.
const std::string kFoul =
    "\x1B[31m\x07 \xC2\x9B"
    "2J \x7F \xFF Gr\xC3\xBCn";
const std::string kClean = "\\u001b[31m\\u0007 \\u009b2J \\u007f \xEF\xBF\xBD Gr\xC3\xBCn";

void expect_clean(const std::string& text) {
  EXPECT_NO_THROW((void)nlohmann::json(text).dump()) << "no UTF-8: " << text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    EXPECT_TRUE(byte == '\n' || (byte >= 0x20 && byte != 0x7F)) << text;
    EXPECT_FALSE(byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) << text;
  }
}

class Text : public ::testing::Test {
 protected:
  static ProcessResult run(const std::vector<std::string>& arguments, int status) {
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    expect_clean(result.out);
    expect_clean(result.err);
    return result;
  }
  // One line on standard error that has all of the foul text, made clean.
  static void refused(const std::vector<std::string>& arguments) {
    const ProcessResult result = run(arguments, 2);
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(kClean), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5");
};

TEST_F(Text, OfArgumentsIsClean) {
  Hdf5Scene{scene};
  refused({kFoul});
  refused({"generate", kFoul, "-o", scene});
  refused({"generate", "mixed", "-o", scene, "--bodies", kFoul});
  refused({"run", scene, "--" + kFoul});
  refused({"run", scene, "--device", kFoul});
  refused({"run", scene, "--frames", kFoul});
  refused({"run", scene, "--memory-limit", kFoul});
  refused({"bench", "--scenario", kFoul});
}

TEST_F(Text, OfFileNamesIsClean) {
  refused({"run", folder.file(kFoul)});
  refused({"replay", folder.file(kFoul)});
  refused({"generate", "rain", "-o", scene, "--terrain", folder.file(kFoul)});
  refused({"generate", "rain", "-o", folder.file("none/" + kFoul)});

  const std::string name = folder.file(kFoul + "\n.h5");
  EXPECT_NE(run({"generate", "barrels", "-o", name}, 0).out.find(kClean + "\\u000a.h5: 12 bodies"), std::string::npos);
  EXPECT_NE(run({"run", name, "--device", "reference"}, 0).out.find(kClean), std::string::npos);
  // JSON reads back as the name, but for the byte that it cannot have.
  const auto json = nlohmann::json::parse(run({"run", name, "--device", "reference", "--json"}, 0).out);
  std::string read = name;
  read.replace(read.find('\xFF'), 1, "\xEF\xBF\xBD");
  EXPECT_EQ(json.at("scene").get<std::string>(), read);

  EXPECT_EQ(nlohmann::json::parse(run({"devices", "--kernels", folder.file(kFoul), "--json"}, 0).out).at("kind"),
            "gpu");

  // A recording keeps the scene's name.
  const std::string recording = folder.file("recording.h5");
  run({"run", name, "--device", "reference", "--record", recording}, 0);
  EXPECT_NE(run({"replay", recording}, 0).out.find(kClean), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(run({"replay", recording, "--json"}, 0).out).at("scene").get<std::string>(),
            read.substr(read.rfind('/') + 1));
}

TEST_F(Text, OfWhatFilesHoldIsClean) {
  {
    Hdf5Scene s(scene);
    s.attribute("/", "format", kFoul);
  }
  refused({"run", scene});
  // GDAL repeats what it reads.
  const std::string other = folder.file("other.h5");
  std::ofstream(folder.file("grid.vrt"))
      << "<VRTDataset rasterXSize=\"2\" rasterYSize=\"2\"><GeoTransform>0, 1, 0, 0, 0, -1</GeoTransform>"
         "<VRTRasterBand dataType=\"Byte\" band=\"1\"><SimpleSource><SourceFilename>"
      << kFoul << "</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>";
  refused({"generate", "rain", "-o", other, "--terrain", folder.file("grid.vrt")});
  std::ofstream(folder.file("unit.asc")) << "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n";
  std::ofstream(folder.file("unit.asc.aux.xml"))
      << "<PAMDataset><PAMRasterBand band=\"1\"><UnitType>" << kFoul << "</UnitType></PAMRasterBand></PAMDataset>";
  refused({"generate", "rain", "-o", other, "--terrain", folder.file("unit.asc")});

  std::ofstream(folder.file("rows.json")) << "{\"" << kFoul << "\": 1}";
  EXPECT_EQ(run({"bench", "--rows-only", "--rows", folder.file("rows.json")}, 2).error_lines(), 1U);
}

}  // namespace
}  // namespace oclide::test
