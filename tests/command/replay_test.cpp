// oclide run --record, oclide replay, oclide plan, and --memory-limit everywhere.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "files/hdf5_scene.hpp"
#include "oclide/oclide.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

class Replay : public ::testing::Test {
 protected:
  static Json json(std::vector<std::string> arguments, int status = 0) {
    arguments.emplace_back("--json");
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    return printed_json(result);
  }

  static void expect_refused(const std::vector<std::string>& arguments, const std::string& at_fault, int status = 2) {
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }

  static bool has_opencl() {
    for (const DeviceInfo& d : devices())
      if (!d.is_reference && d.usable) return true;
    return false;
  }

  // Four frames of spheres that sink into flat ground, every one of which has contacts.
  void make_scene() const {
    const std::size_t n = 24;
    Hdf5Scene file(scene);
    file.remove("/terrains/1");
    file.remove("/environments");
    file.remove("/bodies/environment");
    file.put<std::uint8_t>("/bodies/shape", {n}, std::vector<std::uint8_t>(n, 0));
    std::vector<double> size, position, orientation;
    for (std::size_t k = 0; k < n; ++k) size.insert(size.end(), {0.2, 0.0, 0.0});
    for (std::size_t k = 0; k < n; ++k) orientation.insert(orientation.end(), {1.0, 0.0, 0.0, 0.0});
    for (int f = 0; f < 4; ++f)
      for (std::size_t k = 0; k < n; ++k)
        position.insert(position.end(),
                        {0.3 * static_cast<double>(k % 6), 0.35 * static_cast<double>(k / 6) - 0.5, 0.15 - 0.01 * f});
    file.put<double>("/bodies/size", {n, 3}, size);
    file.put<double>("/bodies/position", {4, n, 3}, position);
    file.put<double>("/bodies/orientation", {n, 4}, orientation);
  }

  void run_and_record(const std::vector<std::string>& more = {}) const {
    make_scene();
    std::vector<std::string> arguments{"run", scene, "--record", recording};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = run_oclide(arguments);
    ASSERT_EQ(result.status, 0) << result.err;
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5");
  std::string recording = folder.file("recording.h5");
};

TEST_F(Replay, FindsTheSameBitsAgain) {
  run_and_record();
  const Json run = json({"run", scene});
  const Json replay = json({"replay", recording});
  EXPECT_EQ(replay.at("same"), true);
  EXPECT_EQ(replay.at("frames"), 4);
  EXPECT_EQ(replay.at("frames_differing"), 0);
  EXPECT_EQ(replay.at("contact_hash"), run.at("contact_hash"));
  EXPECT_FALSE(replay.contains("first_difference"));
  const ProcessResult text = run_oclide({"replay", recording});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("the same bits"), std::string::npos) << text.out;
  // A recording is a scene like any other.
  EXPECT_EQ(json({"run", recording}).at("contact_hash"), run.at("contact_hash"));
}

TEST_F(Replay, TakesSomeFramesOfARecordingOfSomeFrames) {
  run_and_record({"--frames", "1:4"});
  EXPECT_EQ(json({"replay", recording}).at("frames"), 3);
  EXPECT_EQ(json({"replay", recording, "--frames", "1:2"}).at("same"), true);
  expect_refused({"replay", recording, "--frames", "2:4"}, "--frames 2:4");
}

TEST_F(Replay, TellsTheFrameOfAChangedBit) {
  run_and_record();
  {
    Hdf5Scene file(recording, Hdf5Scene::Existing{});
    file.set("/bodies/position", {2, 5, 2}, std::nextafter(0.15 - 0.01 * 2, 1.0));
  }
  const Json replay = json({"replay", recording}, 1);
  EXPECT_EQ(replay.at("same"), false);
  EXPECT_EQ(replay.at("frames_differing"), 1);
  EXPECT_EQ(replay.at("first_difference").at("frame"), 2);
  const ProcessResult text = run_oclide({"replay", recording});
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("frame 2 (frame 2 of the scene)"), std::string::npos) << text.out;
  EXPECT_EQ(json({"replay", recording, "--frames", ":2"}).at("same"), true);
  EXPECT_EQ(json({"replay", recording, "--frames", "3:"}).at("same"), true);
}

TEST_F(Replay, TellsAChangedHash) {
  run_and_record();
  expect_refused({"replay", recording, "--device", ""}, "device");
  {
    Hdf5Scene file(recording, Hdf5Scene::Existing{});
    file.put<std::uint64_t>("/recording/hash", {4}, {1, 2, 3, 4});
  }
  EXPECT_EQ(json({"replay", recording}, 1).at("frames_differing"), 4);
}

TEST_F(Replay, OfTheReferenceIsForTheReference) {
  run_and_record({"--device", "reference"});
  EXPECT_EQ(json({"replay", recording}).at("device_id"), "reference");
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  expect_refused({"replay", recording, "--device", "opencl:0"}, "/recording");
  run_and_record({"--device", "opencl:0"});
  expect_refused({"replay", recording, "--device", "reference"}, "/recording");
}

TEST_F(Replay, TakesMarginAndLimitFromTheRecording) {
  run_and_record({"--margin", "0.25", "--memory-limit", "64MiB"});
  const Json replay = json({"replay", recording});
  EXPECT_EQ(replay.at("same"), true);
  EXPECT_EQ(replay.at("margin"), 0.25);
  EXPECT_EQ(json({"replay", recording, "--memory-limit", "1GB"}).at("same"), true);
}

TEST_F(Replay, RefusesWhatIsNoRecording) {
  make_scene();
  expect_refused({"replay", scene}, "/recording: group is missing");
  expect_refused({"replay", folder.file("none.h5")}, "none.h5");
  expect_refused({"run", scene, "--record", scene}, "is the scene file itself");
  expect_refused({"run", scene, "--record", recording, "-o", recording}, "is the contact file itself");
  expect_refused({"run", scene, "--record", folder.file("no/such/folder.h5")}, "cannot be written");
  EXPECT_EQ(folder.count(), 1U) << "nothing but the scene is left";
}

// ----------------------------------------------------------------------------------------------------- memory limit

TEST_F(Replay, MemoryLimitChangesNoBit) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  ASSERT_EQ(run_oclide({"generate", "pile", "-o", scene, "--bodies", "6000", "--frames", "2"}).status, 0);
  const Json whole = json({"run", scene, "--device", "opencl:0"});
  // A little more than the smallest slices need.
  const Json unlimited = json({"plan", scene, "--device", "opencl:0"});
  const std::uint64_t least = unlimited.at("least_device_bytes").get<std::uint64_t>();
  const std::uint64_t limit = least + least / 4;
  ASSERT_LT(limit, unlimited.at("device_bytes").get<std::uint64_t>());
  const Json plan = json({"plan", scene, "--device", "opencl:0", "--memory-limit", std::to_string(limit)});
  EXPECT_EQ(plan.at("fits"), true);
  EXPECT_EQ(plan.at("memory_limit"), limit);
  EXPECT_GT(plan.at("terrain_slices").get<int>() + plan.at("body_slices").get<int>(), 2);
  const Json limited = json({"run", scene, "--device", "opencl:0", "--memory-limit", std::to_string(limit)});
  EXPECT_EQ(limited.at("contact_hash"), whole.at("contact_hash"));
  EXPECT_EQ(limited.at("contacts"), whole.at("contacts"));
  // Too little for the scene alone: the plan knows, and so does the run.
  const Json none = json({"plan", scene, "--device", "opencl:0", "--memory-limit", "100kB"}, 1);
  EXPECT_EQ(none.at("fits"), false);
  expect_refused({"run", scene, "--device", "opencl:0", "--memory-limit", "100kB"}, "bytes of device memory", 3);
}

TEST_F(Replay, PlanTellsEachBuffer) {
  make_scene();
  const Json plan = json({"plan", scene});
  for (const char* key :
       {"scene", "device", "device_id", "device_bytes", "host_bytes", "least_device_bytes", "buffers"})
    EXPECT_TRUE(plan.contains(key)) << key;
  const ProcessResult text = run_oclide({"plan", scene});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("contacts of the frame"), std::string::npos) << text.out;
  expect_refused({"plan", scene, "--margin", "-1"}, "margin");
  expect_refused({"plan", scene, "--device", "none such"}, "unknown device");
}

TEST(Devices, CalibrateTellsTheCostOnEachThatIsUsable) {
  const ProcessResult result = run_oclide({"devices", "--calibrate", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json members = printed_json(result);
  const std::string list = members.at("devices").dump();
  bool has_opencl = false;
  for (const DeviceInfo& d : devices()) has_opencl = has_opencl || (!d.is_reference && d.usable);
  EXPECT_EQ(list.find("milliseconds_per_body") != std::string::npos, has_opencl) << result.out;
  EXPECT_NE(list.find("no_calibration"), std::string::npos) << "the reference has none";
  EXPECT_EQ(members.at("fastest").empty(), !has_opencl) << result.out;
  const ProcessResult text = run_oclide({"devices", "--calibrate"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.out.find("fastest from 0 bodies on") != std::string::npos, has_opencl) << text.out;
}

TEST_F(Replay, MemoryLimitIsReadAsPeopleWriteIt) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  make_scene();
  const std::vector<std::pair<const char*, std::uint64_t>> texts{{"100000000", 100000000},
                                                                 {"512MiB", 512U << 20},
                                                                 {"2GB", 2000000000},
                                                                 {"200000kb", 200000000},
                                                                 {"300000000 B", 300000000}};
  for (const auto& [text, bytes] : texts)
    EXPECT_EQ(json({"plan", scene, "--device", "opencl:0", "--memory-limit", text}).at("memory_limit"), bytes) << text;
}

TEST_F(Replay, MemoryLimitThatIsNoNumberOfBytesIsRefused) {
  make_scene();
  for (const char* text : {"", "many", "MiB", "-5", "0", "0.5", "1.5GB", "5XB", "1e9", "10 MiB or so", "99999999TiB",
                           "nan", "0x10", "010"})
    expect_refused({"plan", scene, "--memory-limit", text}, "--memory-limit");
  expect_refused({"run", scene, "--memory-limit", "12XB"}, "'12XB' is no number of bytes: write a whole one");
  expect_refused({"plan", scene, "--memory-limit", "12XB"}, "'12XB' is no number of bytes: write a whole one");
  expect_refused({"validate", scene, "--memory-limit", "12XB"}, "'12XB' is no number of bytes: write a whole one");
  expect_refused({"run", scene, "--memory-limit", ""}, "--memory-limit");
}

}  // namespace
}  // namespace oclide::test
