// Every bad input: exit status 2, one line on standard error that names what is at fault, no output file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <vector>

#include "files/hdf5_scene.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  const char* name;
  const char* at_fault;  // part of the message
  std::function<void(Hdf5Scene&)> spoil;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) {
  return stream << c.name;
}

// Two compounds: a sphere, and a box with a cylinder; the second body is the first of them, the third the second.
void put_compounds(Hdf5Scene& s) {
  s.put<std::uint8_t>("/compounds/0/shape", {1}, {0});
  s.put<float>("/compounds/0/size", {1, 3}, {0.25F, 0, 0});
  s.put<float>("/compounds/0/position", {1, 3}, {1, 2, 3});
  s.put<float>("/compounds/0/orientation", {1, 4}, {1, 0, 0, 0});
  s.put<std::uint8_t>("/compounds/1/shape", {2}, {1, 2});
  s.put<double>("/compounds/1/size", {2, 3}, {0.5, 0.4, 0.3, 0.2, 0.1, 0});
  s.put<double>("/compounds/1/position", {2, 3}, {0, 0, 0, 0, -1, 0.5});
  s.put<double>("/compounds/1/orientation", {2, 4}, {1, 0, 0, 0, 0, 0, 3, 4});
  s.put<std::uint8_t>("/bodies/shape", {4}, {0, 6, 6, 3});
  s.put<float>("/bodies/size", {4, 3}, {0.5F, 0, 0, 0, 0, 0, 1, 0, 0, 0.2F, 0.5F, 0});
}

std::vector<Case> cases() {
  using S = Hdf5Scene;
  const auto floats = [](std::size_t n) { return std::vector<float>(n, 1.0F); };
  return {
      {"FormatMissing", "'format' is missing", [](S& s) { s.remove_attribute("/", "format"); }},
      {"FormatWrong", "'oclide-contacts'", [](S& s) { s.attribute("/", "format", std::string("oclide-contacts")); }},
      {"FormatNoText", "'format' must be one string", [](S& s) { s.attribute("/", "format", 1.0); }},
      {"VersionMissing", "'version' is missing", [](S& s) { s.remove_attribute("/", "version"); }},
      {"VersionWrong", "'version' is 2", [](S& s) { s.attribute("/", "version", std::int64_t{2}); }},
      {"VersionNoNumber", "'version' must be one whole number",
       [](S& s) { s.attribute("/", "version", std::string("1")); }},
      {"ShapeMissing", "/bodies/shape: dataset is missing", [](S& s) { s.remove("/bodies/shape"); }},
      {"SizeMissing", "/bodies/size: dataset is missing", [](S& s) { s.remove("/bodies/size"); }},
      {"PositionMissing", "/bodies/position: dataset is missing", [](S& s) { s.remove("/bodies/position"); }},
      {"OrientationMissing", "/bodies/orientation: dataset is missing", [](S& s) { s.remove("/bodies/orientation"); }},
      {"BodiesMissing", "/bodies/shape: dataset is missing", [](S& s) { s.remove("/bodies"); }},
      {"HeightsMissing", "/terrains/1/heights: dataset is missing", [](S& s) { s.remove("/terrains/1/heights"); }},
      {"OriginMissing", "'origin' is missing", [](S& s) { s.remove_attribute("/terrains/0/heights", "origin"); }},
      {"SpacingMissing", "'spacing' is missing", [](S& s) { s.remove_attribute("/terrains/0/heights", "spacing"); }},
      {"SpacingOfThree", "'spacing' must be two numbers",
       [](S& s) {
         s.attribute("/terrains/0/heights", "spacing", std::vector<double>{1, 1, 1});
       }},
      {"SizeTooShort", "/bodies/size has extent (3, 3)",
       [=](S& s) {
         s.put("/bodies/size", {3, 3}, floats(9));
       }},
      {"PositionTooLong", "/bodies/position has extent (3, 5, 3)",
       [=](S& s) {
         s.put("/bodies/position", {3, 5, 3}, floats(45));
       }},
      {"OrientationOfThree", "/bodies/orientation has extent (4, 3)",
       [=](S& s) {
         s.put("/bodies/orientation", {4, 3}, floats(12));
       }},
      {"FramesDiffer", "/bodies/orientation has 2 frames, but /bodies/position has 3",
       [=](S& s) {
         s.put("/bodies/orientation", {2, 4, 4}, floats(32));
       }},
      {"EnvironmentTooShort", "/bodies/environment has extent (3)",
       [](S& s) {
         s.put<std::uint32_t>("/bodies/environment", {3}, {0, 0, 0});
       }},
      {"GroupTooLong", "/bodies/group has extent (5)",
       [](S& s) {
         s.put<std::int32_t>("/bodies/group", {5}, {0, 0, 0, 0, 0});
       }},
      {"GroupBeyond32Bits", "/bodies/group[2] is 2147483648",
       [](S& s) {
         s.put<std::int64_t>("/bodies/group", {4}, {0, -2147483648LL, 2147483648LL, 0});
       }},
      {"GroupNoWholeNumber", "/bodies/group must hold whole numbers",
       [=](S& s) { s.put("/bodies/group", {4}, floats(4)); }},
      {"EnvironmentNegative", "/bodies/environment[3] is -1",
       [](S& s) {
         s.put<std::int32_t>("/bodies/environment", {4}, {0, 0, 0, -1});
       }},
      {"EnvironmentNoWholeNumber", "/bodies/environment must hold whole numbers",
       [=](S& s) { s.put("/bodies/environment", {4}, floats(4)); }},
      {"CategoryTooShort", "/bodies/category has extent (3)",
       [](S& s) {
         s.put<std::uint32_t>("/bodies/category", {3}, {1, 1, 1});
       }},
      {"CategoryOfTwoAxes", "/bodies/category has extent (4, 1)",
       [](S& s) {
         s.put<std::uint32_t>("/bodies/category", {4, 1}, {1, 1, 1, 1});
       }},
      {"CategoryNegative", "/bodies/category[1] is -2",
       [](S& s) {
         s.put<std::int32_t>("/bodies/category", {4}, {1, -2, 1, 1});
       }},
      {"MaskBeyond32Bits", "/bodies/mask[3] is 4294967296",
       [](S& s) {
         s.put<std::int64_t>("/bodies/mask", {4}, {0xFFFFFFFF, 1, 1, 0x100000000});
       }},
      {"MaskNoWholeNumber", "/bodies/mask must hold whole numbers",
       [=](S& s) { s.put("/bodies/mask", {4}, floats(4)); }},
      {"CompoundsMissing", "/bodies/size[1]: index of a compound must be a whole number below the 0 that there are",
       [](S& s) { put_compounds(s), s.remove("/compounds"); }},
      {"CompoundsWithGap", "/compounds/1 is missing",
       [](S& s) {
         put_compounds(s);
         s.remove("/compounds/1");
         s.put<std::uint8_t>("/compounds/2/shape", {1}, {0});
       }},
      {"CompoundIndexTooLarge", "/bodies/size[2]: index of a compound must be a whole number below the 2",
       [](S& s) {
         put_compounds(s), s.set("/bodies/size", {2, 0}, 2.0);
       }},
      {"CompoundIndexNegative", "/bodies/size[2]: index of a compound",
       [](S& s) {
         put_compounds(s), s.set("/bodies/size", {2, 0}, -1.0);
       }},
      {"CompoundIndexNan", "/bodies/size[1]: index of a compound",
       [](S& s) {
         put_compounds(s), s.set("/bodies/size", {1, 0}, kNan);
       }},
      {"CompoundIndexNotWhole", "/bodies/size[1]: index of a compound",
       [](S& s) {
         put_compounds(s), s.set("/bodies/size", {1, 0}, 0.5);
       }},
      {"CompoundShapeMissing", "/compounds/1/shape: dataset is missing",
       [](S& s) { put_compounds(s), s.remove("/compounds/1/shape"); }},
      {"CompoundSizeMissing", "/compounds/1/size: dataset is missing",
       [](S& s) { put_compounds(s), s.remove("/compounds/1/size"); }},
      {"CompoundPositionTooLong", "/compounds/1/position has extent (3, 3)",
       [=](S& s) {
         put_compounds(s), s.put("/compounds/1/position", {3, 3}, floats(9));
       }},
      {"CompoundOrientationOfThree", "/compounds/0/orientation has extent (1, 3)",
       [=](S& s) {
         put_compounds(s), s.put("/compounds/0/orientation", {1, 3}, floats(3));
       }},
      {"CompoundShapeNoList", "/compounds/0/shape has extent (1, 1)",
       [](S& s) {
         put_compounds(s), s.put<std::uint8_t>("/compounds/0/shape", {1, 1}, {0});
       }},
      {"CompoundWithoutParts", "/compounds/0/shape: a compound has 1 to 65536 parts, this one has 0",
       [](S& s) {
         put_compounds(s);
         s.put<std::uint8_t>("/compounds/0/shape", {0}, {});
         s.put<float>("/compounds/0/size", {0, 3}, {});
         s.put<float>("/compounds/0/position", {0, 3}, {});
         s.put<float>("/compounds/0/orientation", {0, 4}, {});
       }},
      {"CompoundOfTooManyParts", "/compounds/0/shape: a compound has 1 to 65536 parts, this one has 65537",
       [=](S& s) {
         put_compounds(s);
         s.put<std::uint8_t>("/compounds/0/shape", {65537}, std::vector<std::uint8_t>(65537, 0));
         s.put("/compounds/0/size", {65537, 3}, floats(3 * 65537));
         s.put("/compounds/0/position", {65537, 3}, floats(3 * 65537));
         s.put("/compounds/0/orientation", {65537, 4}, floats(4 * 65537));
       }},
      {"CompoundOfCompounds", "/compounds/1/shape[1]: a compound body cannot be part of a compound",
       [](S& s) { put_compounds(s), s.set("/compounds/1/shape", {1}, 6); }},
      {"CompoundWithHalfSpace", "/compounds/1/shape[0]: a half space cannot be part of a compound",
       [](S& s) { put_compounds(s), s.set("/compounds/1/shape", {0}, 5); }},
      {"CompoundWithHullOfNone", "/compounds/1/size[0]: index of a hull must be a whole number below the",
       [](S& s) { put_compounds(s), s.set("/compounds/1/shape", {0}, 4); }},
      {"CompoundWithMesh", "/compounds/1/shape[0]: a triangle mesh cannot be part of a compound",
       [](S& s) { put_compounds(s), s.set("/compounds/1/shape", {0}, 7); }},
      {"CompoundShapeUnknown", "/compounds/1/shape[0] is 8, which is no shape",
       [](S& s) { put_compounds(s), s.set("/compounds/1/shape", {0}, 8); }},
      {"CompoundRadiusNegative", "/compounds/1/size[1]: radius must be positive",
       [](S& s) {
         put_compounds(s), s.set("/compounds/1/size", {1, 0}, -0.1);
       }},
      {"CompoundHalfExtentNan", "/compounds/1/size[0]: half extent y must be positive",
       [](S& s) {
         put_compounds(s), s.set("/compounds/1/size", {0, 1}, kNan);
       }},
      {"CompoundPositionInfinite", "/compounds/1/position[1][2] must be finite",
       [](S& s) {
         put_compounds(s), s.set("/compounds/1/position", {1, 2}, kInfinity);
       }},
      {"CompoundPositionFar", "/compounds/1/position[0][1] must be finite and at most 1e9 m",
       [](S& s) {
         put_compounds(s), s.set("/compounds/1/position", {0, 1}, -2e9);
       }},
      {"CompoundOrientationZero", "/compounds/1/orientation[0] is a quaternion of zero length",
       [](S& s) {
         put_compounds(s), s.set("/compounds/1/orientation", {0, 0}, 0.0);
       }},
      {"CompoundOrientationNan", "/compounds/1/orientation[1][3] must be finite",
       [](S& s) {
         put_compounds(s), s.set("/compounds/1/orientation", {1, 3}, kNan);
       }},
      {"CompoundOrientationInfinite", "/compounds/1/orientation[1] is a quaternion of infinite length",
       [](S& s) {
         put_compounds(s), s.set("/compounds/1/orientation", {1, 3}, 1e200);
       }},
      {"HalfSpaceWithoutOrientation", "/bodies/orientation[1] is a quaternion of zero length",
       [](S& s) {
         s.set("/bodies/shape", {1}, 5);
         s.set("/bodies/orientation", {1, 0}, 0.0);
       }},
      {"HalfSpaceNowhere", "/bodies/position[0][1][2] must be finite",
       [](S& s) {
         s.set("/bodies/shape", {1}, 5);
         s.set("/bodies/position", {0, 1, 2}, kInfinity);
       }},
      {"MaskTooShort", "/bodies/mask has extent (1)", [](S& s) { s.put<std::uint32_t>("/bodies/mask", {1}, {1}); }},
      {"MaterialTooSmall", "/terrains/0/material has extent (2, 2)",
       [](S& s) {
         s.put<std::uint8_t>("/terrains/0/material", {2, 2}, {0, 0, 0, 0});
       }},
      {"HolesTooLarge", "/terrains/0/holes has extent (3, 4)",
       [](S& s) {
         s.put("/terrains/0/holes", {3, 4}, std::vector<std::uint8_t>(12));
       }},
      {"ShapeOfTwoAxes", "/bodies/shape has extent (4, 1)",
       [](S& s) {
         s.put<std::uint8_t>("/bodies/shape", {4, 1}, {0, 1, 2, 3});
       }},
      {"ShapeScalar", "/bodies/shape has extent ()", [](S& s) { s.put<std::uint8_t>("/bodies/shape", {}, {0}); }},
      {"ShapeNoWholeNumber", "/bodies/shape must hold whole numbers",
       [=](S& s) { s.put("/bodies/shape", {4}, floats(4)); }},
      {"SizeOfOneAxis", "/bodies/size has extent (12)", [=](S& s) { s.put("/bodies/size", {12}, floats(12)); }},
      {"HeightsOfOneAxis", "/terrains/1/heights has extent (4)",
       [=](S& s) { s.put("/terrains/1/heights", {4}, floats(4)); }},
      {"PositionOfFourAxes", "/bodies/position has extent (1, 3, 4, 3)",
       [=](S& s) {
         s.put("/bodies/position", {1, 3, 4, 3}, floats(36));
       }},
      {"ShapeUnknown", "/bodies/shape[2] is 8", [](S& s) { s.set("/bodies/shape", {2}, 8); }},
      {"ShapeBeyondAByte", "/bodies/shape[1] is 256",
       [](S& s) {
         s.put<std::int32_t>("/bodies/shape", {4}, {0, 256, 2, 3});
       }},
      {"ShapeNegative", "/bodies/shape[3] is -1",
       [](S& s) {
         s.put<std::int64_t>("/bodies/shape", {4}, {0, 1, 2, -1});
       }},
      {"MaskNegative", "/bodies/mask[0] is -1",
       [](S& s) {
         s.put<std::int32_t>("/bodies/mask", {4}, {-1, 0, 0, 0});
       }},
      {"SizeZero", "/bodies/size[1]",
       [](S& s) {
         s.set("/bodies/size", {1, 2}, 0.0);
       }},
      {"SizeNegative", "/bodies/size[0]",
       [](S& s) {
         s.set("/bodies/size", {0, 0}, -1.0);
       }},
      {"SizeNan", "/bodies/size[2]",
       [](S& s) {
         s.set("/bodies/size", {2, 1}, kNan);
       }},
      {"SizeInfinite", "/bodies/size[3]",
       [](S& s) {
         s.set("/bodies/size", {3, 0}, kInfinity);
       }},
      {"PositionNan", "/bodies/position[1][3][2]",
       [](S& s) {
         s.set("/bodies/position", {1, 3, 2}, kNan);
       }},
      {"PositionInfinite", "/bodies/position[2][0][0]",
       [](S& s) {
         s.set("/bodies/position", {2, 0, 0}, -kInfinity);
       }},
      {"OrientationNan", "/bodies/orientation[2][1]",
       [](S& s) {
         s.set("/bodies/orientation", {2, 1}, kNan);
       }},
      {"OrientationInfinite", "/bodies/orientation[0][3]",
       [](S& s) {
         s.set("/bodies/orientation", {0, 3}, kInfinity);
       }},
      {"OrientationZero", "/bodies/orientation[3] is a quaternion of zero length",
       [](S& s) {
         s.set("/bodies/orientation", {3, 0}, 0.0);
       }},
      {"SpacingZero", "spacing[0]",
       [](S& s) {
         s.attribute("/terrains/0/heights", "spacing", std::vector<double>{0.0, 1.0});
       }},
      {"SpacingNegative", "spacing[1]",
       [](S& s) {
         s.attribute("/terrains/0/heights", "spacing", std::vector<double>{1.0, -1.0});
       }},
      {"SpacingNan", "spacing[1]",
       [](S& s) {
         s.attribute("/terrains/0/heights", "spacing", std::vector<double>{1.0, kNan});
       }},
      {"SpacingInfinite", "spacing[0]",
       [](S& s) {
         s.attribute("/terrains/0/heights", "spacing", std::vector<double>{kInfinity, 1.0});
       }},
      {"SpacingFar", "spacing[1] must be positive and at most 1e9 m",
       [](S& s) {
         s.attribute("/terrains/0/heights", "spacing", std::vector<double>{1.0, 1e300});
       }},
      {"OriginNan", "origin[0]",
       [](S& s) {
         s.attribute("/terrains/1/heights", "origin", std::vector<double>{kNan, 0.0});
       }},
      {"HeightInfinite", "/terrains/0/heights[2][1] is infinite",
       [](S& s) {
         s.set("/terrains/0/heights", {2, 1}, kInfinity);
       }},
      {"HeightFar", "/terrains/0/heights[1][2] is beyond 1e9 m",
       [](S& s) {
         s.set("/terrains/0/heights", {1, 2}, -1e10);
       }},
      {"GridOfOneRow", "/terrains/1/heights has extent (1, 4)",
       [=](S& s) {
         s.put("/terrains/1/heights", {1, 4}, floats(4));
       }},
      {"GridOfOneColumn", "/terrains/1/heights has extent (4, 1)",
       [=](S& s) {
         s.put("/terrains/1/heights", {4, 1}, floats(4));
       }},
      {"GridEmpty", "/terrains/1/heights has extent (0, 0)",
       [](S& s) {
         s.put<float>("/terrains/1/heights", {0, 0}, {});
       }},
      {"TerrainNumbersWithGap", "/terrains/0 is missing", [](S& s) { s.remove("/terrains/0"); }},
      {"EnvironmentWithoutTerrain", "/environments/terrain[1] is 2",
       [](S& s) {
         s.put<std::int32_t>("/environments/terrain", {3}, {0, 2, -1});
       }},
      {"EnvironmentBelowMinusOne", "/environments/terrain[0] is -2",
       [](S& s) {
         s.put<std::int32_t>("/environments/terrain", {3}, {-2, 0, 0});
       }},
      {"BodyWithoutEnvironment", "/bodies/environment[2] is 3",
       [](S& s) {
         s.put<std::uint32_t>("/bodies/environment", {4}, {0, 0, 3, 0});
       }},
  };
}

// Status 2, one line, nothing on standard output, and of the output no trace.
void expect_refused(const ProcessResult& result, const TemporaryFolder& folder, std::size_t files_before,
                    const std::string& at_fault) {
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.error_lines(), 1U) << result.err;
  EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
  EXPECT_TRUE(result.err.starts_with("oclide: ")) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(folder.count(), files_before) << "an output file was left";
}

class BadScene : public ::testing::TestWithParam<Case> {};

TEST_P(BadScene, IsRefused) {
  const TemporaryFolder folder;
  const std::string scene = folder.file("scene.h5");
  {
    Hdf5Scene file(scene);
    GetParam().spoil(file);
  }
  for (const char* json : {"--json", ""}) {
    std::vector<std::string> arguments{"run", scene, "-o", folder.file("contacts.h5"), "--device", "reference"};
    if (*json != '\0') arguments.emplace_back(json);
    const ProcessResult result = run_oclide(arguments);
    expect_refused(result, folder, 1, GetParam().at_fault);
    EXPECT_NE(result.err.find(scene), std::string::npos) << result.err;
  }
}

INSTANTIATE_TEST_SUITE_P(, BadScene, ::testing::ValuesIn(cases()),
                         [](const auto& scene) { return std::string(scene.param.name); });

class BadInput : public ::testing::Test {
 protected:
  BadInput() { Hdf5Scene{scene}; }

  [[nodiscard]] ProcessResult run(std::vector<std::string> more, const ProcessOptions& options = {}) const {
    std::vector<std::string> arguments{"run", scene, "-o", contacts, "--device", "reference"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_oclide(arguments, options);
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5");
  std::string contacts = folder.file("contacts.h5");
};

TEST_F(BadInput, GoodSceneIsTaken) {
  const ProcessResult result = run({});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(folder.count(), 2U);
}

TEST_F(BadInput, MissingFileIsRefused) {
  const ProcessResult result = run_oclide({"run", folder.file("none.h5"), "-o", contacts});
  expect_refused(result, folder, 1, folder.file("none.h5") + ": No such file");
}

TEST_F(BadInput, FolderIsRefused) {
  expect_refused(run_oclide({"run", folder.file(""), "-o", contacts}), folder, 1, "Is a directory");
}

TEST_F(BadInput, TruncatedFileIsRefused) {
  for (double part : {0.95, 0.5, 0.1}) {
    Hdf5Scene{scene};
    std::filesystem::resize_file(
        scene, static_cast<std::uintmax_t>(part * static_cast<double>(std::filesystem::file_size(scene))));
    expect_refused(run({}), folder, 1, scene + ": ");
  }
}

TEST_F(BadInput, EmptyFileIsRefused) {
  std::ofstream(scene, std::ios::trunc).close();
  expect_refused(run({}), folder, 1, "is not an HDF5 file");
}

TEST_F(BadInput, TextFileIsRefused) {
  std::ofstream(scene, std::ios::trunc) << "no scene at all\n";
  expect_refused(run({}), folder, 1, "is not an HDF5 file");
}

TEST_F(BadInput, FrameRangeOutsideTheFileIsRefused) {
  for (const char* range : {"0:4", "3:4", "3:", ":4", "7:9", "0:99999999999999999999"})
    expect_refused(run({"--frames", range}), folder, 1, std::string("--frames ") + range);
}

TEST_F(BadInput, FrameRangeThatIsNoneIsRefused) {
  for (const char* range : {"1", "a:b", ":", "1:2:3", "2:1", "1:1", "-1:2", "1.5:2", " 1:2"})
    expect_refused(run({std::string("--frames=") + range}), folder, 1, "--frames");
}

TEST_F(BadInput, UnknownDeviceIsRefused) {
  expect_refused(run_oclide({"run", scene, "-o", contacts, "--device", "no such device"}), folder, 1,
                 "unknown device 'no such device'");
  expect_refused(run_oclide({"run", scene, "-o", contacts, "--device", "opencl:99"}), folder, 1, "opencl:99");
  expect_refused(run_oclide({"validate", scene, "--device", ""}), folder, 1, "device");
}

TEST_F(BadInput, MarginThatIsNoneIsRefused) {
  for (const char* margin : {"-1", "nan", "inf", "wide"})
    expect_refused(run({std::string("--margin=") + margin}), folder, 1, "margin");
}

TEST_F(BadInput, ArgumentsAreRefused) {
  const auto refused = [&](std::vector<std::string> arguments, const char* at_fault) {
    expect_refused(run_oclide(arguments), folder, 1, at_fault);
  };
  refused({}, "ubcommand");
  refused({"fly"}, "fly");
  refused({"run"}, "scene");
  refused({"validate"}, "scene");
  refused({"run", scene, "--no-such-option"}, "--no-such-option");
  refused({"run", scene, scene}, scene.c_str());
  refused({"run", scene, "-o"}, "-o");
  refused({"devices", "more"}, "more");
  refused({"generate"}, "SCENARIO");
  refused({"generate", "mixed"}, "-o");
  refused({"generate", "nothing", "-o", contacts}, "unknown scenario 'nothing'");
  refused({"generate", "mixed", "-o", contacts, "--bodies", "-1"}, "bodies");
  refused({"generate", "mixed", "-o", contacts, "--bodies", "many"}, "'many' is no whole number");
  refused({"generate", "mixed", "-o", contacts, "--seed", "18446744073709551616"}, "18446744073709551615");
  refused({"generate", "mixed", "-o", ""}, "the name of a file is empty");
  refused({"run", scene, "-o", ""}, "the name of a file is empty");
  refused({"run", scene, "-o", contacts, "--record", folder.file("./contacts.h5")}, "is the contact file itself");
  refused({"plan", scene, "--frames", "1:2"}, "not expected: --frames 1:2");
  refused({"generate", "mixed", "-o", contacts, "--bodies", "99999999999"}, "--bodies");
  refused({"generate", "mixed", "-o", contacts, "--frames", "0"}, "--frames");
  refused({"generate", "mixed", "-o", contacts, "--environments", "0"}, "--environments");
  refused({"generate", "crowd", "-o", contacts, "--environments", "10000000"}, "--environments");
  refused({"generate", "rain", "-o", contacts, "--bodies", "20000001"}, "--bodies");
  refused({"generate", "pile", "-o", contacts, "--terrain", folder.file("none.tif")}, "none.tif");
  for (const char* option : {"--spacing=1", "--nodata=-9999", "--terrain-fit"})
    refused({"generate", "mixed", "-o", contacts, option}, "is for the raster given with --terrain");
  for (const char* value : {"-9999m", "", "null", "1 2"})
    refused({"generate", "mixed", "-o", contacts, "--terrain", scene, "--nodata", value}, "--nodata");
  refused({"generate", "mixed", "-o", contacts, "--terrain", folder.file("none.tif")}, "none.tif");
  refused({"generate", "mixed", "-o", contacts, "--terrain", folder.file("")}, "GDAL");
}

}  // namespace
}  // namespace oclide::test
