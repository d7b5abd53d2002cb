// What each subcommand does when all is well.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "files/hdf5_scene.hpp"
#include "oclide/oclide.hpp"
#include "opencl/first_device.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

class Command : public ::testing::Test {
 protected:
  // Runs it and gives the JSON object that it prints.
  static Json json(const std::vector<std::string>& arguments, int status = 0) {
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    return printed_json(result);
  }

  static bool has_opencl() {
    for (const DeviceInfo& d : devices())
      if (!d.is_reference && d.usable) return true;
    return false;
  }

  void make_scene(const char* scenario = "mixed", const char* bodies = "300") const {
    ASSERT_EQ(run_oclide({"generate", scenario, "-o", scene, "--bodies", bodies, "--frames", "4"}).status, 0);
  }

  // All of a column of the contact file.
  template <class Value>
  std::vector<Value> column(const char* path) const {
    const hid_t file = H5Fopen(contacts.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(data);
    std::vector<Value> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(data, hdf5_type<Value>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
    return values;
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5");
  std::string contacts = folder.file("contacts.h5");
};

TEST_F(Command, HelpAndVersionArePrinted) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                                         {"devices", "--help"},
                                                                                         {"generate", "--help"},
                                                                                         {"run", "--help"},
                                                                                         {"batch", "--help"},
                                                                                         {"validate", "--help"},
                                                                                         {"cast", "--help"},
                                                                                         {"trace", "--help"},
                                                                                         {"import", "--help"},
                                                                                         {"plan", "--help"},
                                                                                         {"replay", "--help"}}) {
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("Usage"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("Exit status"), std::string::npos) << result.out;
  }
  EXPECT_EQ(run_oclide({"--version"}).out, std::string(version()) + "\n");
}

TEST_F(Command, DevicesNamesEachAndTheReferenceLast) {
  const ProcessResult text = run_oclide({"devices"});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("reference"), std::string::npos);
  for (const DeviceInfo& d : devices()) EXPECT_NE(text.out.find(d.name), std::string::npos) << d.name;
  const auto members = json({"devices", "--json"});
  EXPECT_EQ(members.at("devices").back().at("id"), "reference");
}

// For compilers of devices that are not there: no device is asked.
TEST_F(Command, DevicesWritesTheTextOfEveryProgram) {
  for (const std::string kind : {"gpu", "cpu"}) {
    const std::filesystem::path to = folder.file(kind);
    const auto said = json({"devices", "--kernels", to.string(), "--kind", kind, "--json"});
    const Json list = Json::parse(std::ifstream(to / "programs.json"));
    EXPECT_EQ(list, said.at("programs"));
    std::size_t programs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(to)) {
      if (entry.path().filename() == "programs.json") continue;
      ASSERT_EQ(entry.path().extension(), ".cl");
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const Json& p) { return p.at("file") == name; })) << name;
      std::ifstream file(entry.path());
      const std::string source{std::istreambuf_iterator<char>(file), {}};
      EXPECT_NE(source.find("__kernel"), std::string::npos) << entry.path();
      ++programs;
    }
    EXPECT_GT(programs, 30U);
    EXPECT_EQ(list.dump().find("_serial") == std::string::npos, kind == "gpu");
  }
  EXPECT_EQ(run_oclide({"devices", "--kernels", "/dev/null/here"}).status, 2);
  EXPECT_EQ(run_oclide({"devices", "--kernels", folder.file("k"), "--kind", "fpga"}).status, 2);
}

TEST_F(Command, GenerateListsItsScenarios) {
  const ProcessResult text = run_oclide({"generate", "--list"});
  EXPECT_EQ(text.status, 0);
  for (const char* name : {"barrels", "robot", "boulders", "mixed", "pile", "crowd", "rain"})
    EXPECT_NE(text.out.find(name), std::string::npos) << name;
  EXPECT_TRUE(json({"generate", "--list", "--json"}).contains("scenarios"));
}

TEST_F(Command, GenerateWritesTheSameFileForTheSameSeed) {
  const auto content = [](const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  const auto members = json({"generate", "mixed", "-o", scene, "--bodies", "50", "--frames", "2", "--seed", "7",
                             "--environments", "3", "--json"});
  EXPECT_EQ(members.at("bodies"), 50);
  EXPECT_EQ(members.at("frames"), 2);
  EXPECT_EQ(members.at("environments"), 3);
  ASSERT_EQ(run_oclide({"generate", "mixed", "-o", contacts, "--bodies", "50", "--frames", "2", "--seed", "7",
                        "--environments", "3"})
                .status,
            0);
  EXPECT_EQ(content(scene), content(contacts));
}

TEST_F(Command, GenerateCountsEveryShape) {
  const auto members = json({"generate", "rovers", "-o", scene, "--json"});
  EXPECT_EQ(members.at("shapes"), (Json{{"sphere", 5}, {"compound body", 15}}));
  const ProcessResult one = run_oclide({"generate", "rovers", "-o", contacts, "--bodies", "1", "--frames", "1"});
  EXPECT_TRUE(one.out.starts_with(contacts + ": 1 body (compound body 1), 1 frame, terrain of ")) << one.out;
}

TEST_F(Command, GenerateTakesARaster) {
  std::ofstream(folder.file("grid.asc"))
      << "ncols 3\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 5 6\n4 5 6\n7 8 9\n";
  const auto members =
      json({"generate", "mixed", "-o", scene, "--bodies", "40", "--terrain", folder.file("grid.asc"), "--json"});
  EXPECT_EQ(members.at("terrain"), (Json{{"rows", 4},
                                         {"cols", 3},
                                         {"spacing_x", 10},
                                         {"spacing_y", 10},
                                         {"lowest", 1},
                                         {"highest", 9},
                                         {"no_data", 0}}));

  const auto fitted = json({"generate", "mixed", "-o", scene, "--bodies", "40", "--terrain", folder.file("grid.asc"),
                            "--terrain-fit", "--nodata", "-9999", "--nodata", "5", "--json"});
  const Json& grid = fitted.at("terrain");
  EXPECT_EQ(grid.at("lowest"), 0);
  EXPECT_EQ(grid.at("no_data"), 2);
  // Two cells of 10 m by three became 160 m^2.
  EXPECT_NEAR(grid.at("spacing_x").get<double>(), 5.163977794943, 1e-12);
}

TEST_F(Command, RunPrintsAllThatIsPromised) {
  make_scene();
  const auto members = json({"run", scene, "-o", contacts, "--device", "reference", "--json"});
  for (const char* key :
       {"device", "bodies", "frames", "pairs", "body_pairs", "contacts", "max_depth", "milliseconds", "contact_hash"})
    EXPECT_TRUE(members.contains(key)) << key;
  for (const char* stage : {"upload", "broad_phase", "narrow_phase", "contact_reduction", "download", "total"})
    EXPECT_TRUE(members.at("milliseconds").at(stage).is_number()) << stage;
  EXPECT_EQ(members.at("bodies"), 300);
  EXPECT_EQ(members.at("frames"), 4);
  const auto hash = members.at("contact_hash").get<std::string>();
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_GT(members.at("contacts"), 400);
  EXPECT_GT(members.at("max_depth"), 0.01);
  EXPECT_TRUE(std::filesystem::exists(contacts));
  EXPECT_EQ(folder.count(), 2U);

  const ProcessResult text = run_oclide({"run", scene, "--device", "reference"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "") << "a progress bar is for a terminal alone";
  EXPECT_NE(text.out.find(hash), std::string::npos) << text.out;
}

TEST_F(Command, RunFollowsManifoldsFromFrameToFrame) {
  make_scene();
  const auto without = json({"run", scene, "--device", "reference", "--json"});
  EXPECT_FALSE(without.contains("tracking"));
  const auto found = json({"run", scene, "--device", "reference", "--track", "--json", "-o", contacts});
  EXPECT_EQ(found.at("contact_hash"), without.at("contact_hash"));
  const Json& tracking = found.at("tracking");
  EXPECT_TRUE(found.at("milliseconds").contains("tracking"));

  const auto change = column<std::uint8_t>("/events/change");
  const auto count = [&](Change c) { return std::count(change.begin(), change.end(), static_cast<std::uint8_t>(c)); };
  EXPECT_EQ(tracking.at("begun"), count(Change::begin));
  EXPECT_EQ(tracking.at("persisted"), count(Change::persist));
  EXPECT_EQ(tracking.at("ended"), count(Change::end));
  EXPECT_GT(tracking.at("begun"), 0);
  EXPECT_GT(tracking.at("persisted"), 0);
  const auto previous = column<std::uint32_t>("/contacts/previous");
  EXPECT_EQ(found.at("contacts"), previous.size());
  EXPECT_EQ(tracking.at("contacts_matched"),
            previous.size() - static_cast<std::size_t>(std::count(previous.begin(), previous.end(), kNone)));

  const ProcessResult text = run_oclide({"run", scene, "--device", "reference", "--track"});
  EXPECT_NE(text.out.find("persisted"), std::string::npos) << text.out;
}

TEST_F(Command, FrameRangesAddUpToTheWhole) {
  make_scene();
  std::size_t sum = 0;
  for (const char* range : {":1", "1:3", "3:"}) {
    const auto members = json({"run", scene, "--device", "reference", "--frames", range, "--json"});
    sum += members.at("contacts").get<std::size_t>();
  }
  EXPECT_EQ(json({"run", scene, "--device", "reference", "--json"}).at("contacts"), sum);
}

TEST_F(Command, MarginFindsTheBodiesThatHover) {
  make_scene();
  const auto without = json({"run", scene, "--device", "reference", "--frames", ":1", "--json"});
  const auto with = json({"run", scene, "--device", "reference", "--frames", ":1", "--margin", "0.1", "--json"});
  EXPECT_GT(with.at("pairs").get<std::size_t>(), without.at("pairs").get<std::size_t>() + 50);
}

TEST_F(Command, CountsPairsOfBothKindsAndOrdersThem) {
  // Robots and stacks on terrain and on half spaces.
  ASSERT_EQ(run_oclide({"generate", "crowd", "-o", scene, "--environments", "4", "--frames", "2"}).status, 0);
  const auto members = json({"run", scene, "-o", contacts, "--device", "reference", "--json"});
  const auto offset = column<std::uint64_t>("/frame_offset");
  const auto a = column<std::uint32_t>("/contacts/body_a");
  const auto b = column<std::uint32_t>("/contacts/body_b");
  const auto manifold = column<std::uint32_t>("/contacts/manifold");
  const auto depth = column<float>("/contacts/depth");
  ASSERT_EQ(offset.size(), 3U);
  ASSERT_EQ(members.at("contacts"), offset[2]);
  std::uint64_t pairs = 0;
  std::uint64_t body_pairs = 0;
  for (std::size_t frame = 0; frame < 2; ++frame) {
    ASSERT_GT(offset[frame + 1], offset[frame]);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (std::size_t i = offset[frame]; i < offset[frame + 1]; ++i) {
      found.insert({a[i], b[i]});
      EXPECT_LT(a[i], b[i]);
      if (i == offset[frame]) continue;
      EXPECT_LE(std::tuple(a[i - 1], b[i - 1], manifold[i - 1]), std::tuple(a[i], b[i], manifold[i])) << i;
    }
    pairs += found.size();
    for (const auto& [one, other] : found) body_pairs += other != kTerrain ? 1 : 0;
  }
  EXPECT_EQ(members.at("pairs"), pairs);
  EXPECT_EQ(members.at("body_pairs"), body_pairs);
  EXPECT_GT(body_pairs, 20U);
  EXPECT_GT(pairs, body_pairs + 20U);

  // The summary counts both kinds, and names both bodies of the deepest contact.
  const std::size_t deepest = static_cast<std::size_t>(std::max_element(depth.begin(), depth.end()) - depth.begin());
  const std::string other = b[deepest] == kTerrain ? "terrain" : "body " + std::to_string(b[deepest]);
  const ProcessResult text = run_oclide({"run", scene, "--device", "reference"});
  EXPECT_NE(text.out.find(std::to_string(pairs - body_pairs) + " of a body and terrain, " + std::to_string(body_pairs) +
                          " of two bodies"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("body " + std::to_string(a[deepest]) + " in " + other), std::string::npos) << text.out;
}

TEST_F(Command, MarginFindsBodiesThatAreApart) {
  // Two spheres with a gap of 5 cm over a half space 2 cm below them, without terrain.
  {
    Hdf5Scene s(scene);
    s.remove("/terrains");
    s.remove("/environments");
    s.remove("/bodies/environment");
    s.put<std::uint8_t>("/bodies/shape", {3}, {0, 0, 5});
    s.put<double>("/bodies/size", {3, 3}, {0.5, 0, 0, 0.5, 0, 0, 0, 0, 0});
    s.put<double>("/bodies/position", {3, 3}, {0, 0, 0.52, 1.05, 0, 0.52, 7, 8, 0});
    s.put<float>("/bodies/orientation", {3, 4}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  }
  const auto pairs = [&](const char* margin) {
    return json({"run", scene, "--device", "reference", "--margin", margin, "--json"}).at("body_pairs");
  };
  EXPECT_EQ(pairs("0"), 0);
  EXPECT_EQ(pairs("0.01"), 0);
  EXPECT_EQ(pairs("0.03"), 2);
  EXPECT_EQ(pairs("0.06"), 3);
}

TEST_F(Command, TheReferenceValidatesAgainstItself) {
  make_scene("barrels", "12");
  const auto run = json({"run", scene, "--device", "reference", "--validate", "--json"});
  EXPECT_EQ(run.at("validation").at("holds"), true) << run.at("validation");
  const auto validate = json({"validate", scene, "--device", "reference", "--json"});
  EXPECT_EQ(validate.at("validation").at("holds"), true);
  const ProcessResult text = run_oclide({"validate", scene, "--device", "reference"});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("holds"), std::string::npos);
}

TEST_F(Command, AnOpenClDeviceValidates) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  make_scene("barrels", "12");
  const ProcessResult result = run_oclide({"run", scene, "-o", contacts, "--device", "opencl:0", "--validate"});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(std::filesystem::exists(contacts));
}

TEST_F(Command, WithoutOpenClTheReferenceWorksAndOneLineSaysSo) {
  make_scene("barrels", "12");
  ProcessOptions options;
  options.environment["OCL_ICD_VENDORS"] = folder.file("no_vendors");
  std::filesystem::create_directory(folder.file("no_vendors"));
  const ProcessResult result = run_oclide({"run", scene, "-o", contacts, "--json"}, options);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.error_lines(), 1U) << result.err;
  EXPECT_NE(result.err.find("reference"), std::string::npos) << result.err;
  EXPECT_EQ(printed_json(result).at("device_id"), "reference");
  EXPECT_EQ(run_oclide({"devices"}, options).status, 0);
  EXPECT_EQ(run_oclide({"run", scene, "--device", "opencl:0"}, options).status, 2);
}

TEST_F(Command, ADeviceWhoseDriverIsToldToTurnSumsRoundIsRefused) {
  const auto device = first_device();
  if (!device || !is_pocl(*device)) GTEST_SKIP() << "PoCL alone takes options of a user's own";
  make_scene("mixed", "5");
  ProcessOptions plain, relaxed;
  plain.environment["OCLIDE_CACHE_DIR"] = relaxed.environment["OCLIDE_CACHE_DIR"] = folder.file("cache");
  relaxed.environment["POCL_EXTRA_BUILD_FLAGS"] = "-cl-unsafe-math-optimizations";
  // LeakSanitizer itself crashes where so many kernels have been loaded and the process ends by an error.
  relaxed.environment["ASAN_OPTIONS"] = "detect_leaks=0";
  const std::vector<std::string> run = {"run", scene, "-o", contacts, "--device", device->id};
  // Whatever is in the caches, of either kind.
  for (int round = 0; round < 2; ++round) {
    const ProcessResult refused = run_oclide(run, relaxed);
    EXPECT_EQ(refused.status, 3);
    EXPECT_EQ(refused.error_lines(), 1U) << refused.err;
    EXPECT_NE(
        refused.err.find("cannot be used, its contacts would have other bits than those of other devices: (a + b) "
                         "- a is 1 and not 0 for a, b, c = 16777216, 1, 1"),
        std::string::npos)
        << refused.err;
    EXPECT_FALSE(std::filesystem::exists(contacts));
    const ProcessResult taken = run_oclide(run, plain);
    EXPECT_EQ(taken.status, 0) << taken.err;
    std::filesystem::remove(contacts);
  }
}

TEST_F(Command, SceneWithoutBodiesHasNoContacts) {
  make_scene("mixed", "0");
  const auto members = json({"run", scene, "-o", contacts, "--device", "reference", "--json"});
  EXPECT_EQ(members.at("contacts"), 0);
  EXPECT_EQ(members.at("max_depth"), 0);
  EXPECT_TRUE(std::filesystem::exists(contacts));
}

TEST_F(Command, OddNamesAreWrittenAsText) {
  const std::string odd = folder.file("a \"b\" \\ c\nd\xFF.h5");
  EXPECT_EQ(json({"generate", "barrels", "-o", odd, "--json"}).at("scene"),
            folder.file("a \"b\" \\ c\nd\xEF\xBF\xBD.h5"));
  EXPECT_EQ(run_oclide({"run", odd, "--device", "reference"}).status, 0);
}

}  // namespace
}  // namespace oclide::test
