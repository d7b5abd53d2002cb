// oclide run --continuous: what it prints, writes and records, and what it refuses.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "files/contact_file.hpp"
#include "files/hdf5_scene.hpp"
#include "files/scene_file.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

// A ball of 5 cm, which goes through a plate of 1 cm in the first frame, rests in the second, and falls on flat ground
// in the third. Before and behind the plate nothing touches.
class Continuous : public ::testing::Test {
 protected:
  void write(const std::function<void(Hdf5Scene&)>& change = {}) const {
    Hdf5Scene s(scene);
    s.remove("/terrains/1");
    s.remove("/environments");
    s.remove("/bodies/environment");
    s.put<std::uint8_t>("/bodies/shape", {2}, {0, 1});
    s.put<double>("/bodies/size", {2, 3}, {0.025, 0, 0, 0.005, 0.5, 0.5});
    s.put<double>("/bodies/position", {3, 2, 3},
                  {-1.5, 0.2, 1, 0, 0, 1.5, 3.5, 0.2, 1, 0, 0, 1.5, 3.5, 0.2, 1, 0, 0, 1.5});
    s.put<float>("/bodies/orientation", {2, 4}, {1, 0, 0, 0, 1, 0, 0, 0});
    s.put<double>("/bodies/displacement", {3, 2, 3}, {5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, 0, 0});
    if (change) change(s);
  }
  Json json(std::vector<std::string> more, int status = 0) const {
    std::vector<std::string> arguments{"run", scene, "--device", "reference", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    return printed_json(result);
  }
  void expect_refused(std::vector<std::string> more, const std::string& at_fault) const {
    std::vector<std::string> arguments{"run", scene, "--device", "reference", "-o", output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
    EXPECT_EQ(folder.count(), 1U) << at_fault;
  }
  std::vector<std::vector<Impact>> written() const {
    const ContactReader reader(output);
    EXPECT_TRUE(reader.has_impacts());
    std::vector<std::vector<Impact>> frames(reader.frames());
    for (std::size_t f = 0; f < frames.size(); ++f) reader.read_impacts(f, frames[f]);
    return frames;
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5"), output = folder.file("output.h5");
};

TEST_F(Continuous, PrintsAndWritesWhatIsPromised) {
  write();
  const Json found = json({"--continuous", "-o", output});
  EXPECT_EQ(found.at("contacts"), 0);
  EXPECT_EQ(found.at("impacts"), 2);
  EXPECT_EQ(found.at("impact_hash").get<std::string>().size(), 16U);
  EXPECT_EQ(found.at("sweep").at("impacts_on_terrain"), 1);
  EXPECT_EQ(found.at("sweep").at("impacts_at_start"), 0);
  for (const char* stage : {"upload", "broad_phase", "narrow_phase", "download", "total"})
    EXPECT_TRUE(found.at("sweep").at("milliseconds").at(stage).is_number()) << stage;
  const auto frames = written();
  ASSERT_EQ(frames.size(), 3U);
  ASSERT_EQ(frames[0].size(), 1U);
  EXPECT_TRUE(frames[1].empty());
  ASSERT_EQ(frames[2].size(), 1U);
  const Impact &plate = frames[0][0], &ground = frames[2][0];
  EXPECT_TRUE(plate.body_a == 0 && plate.body_b == 1 && plate.element == kNone);
  EXPECT_NEAR(plate.time, (1.5 - 0.03) / 5.0, 1e-4 / 5.0);
  EXPECT_NEAR(plate.point[0], -0.005, 2e-4);
  EXPECT_NEAR(static_cast<double>(plate.normal[0]), -1.0, 1e-4);
  EXPECT_TRUE(ground.body_a == 0 && ground.body_b == kTerrain);
  EXPECT_NEAR(ground.time, (1.0 - 0.025) / 2.0, 1e-4 / 2.0);
  EXPECT_EQ(ground.material, 3);  // of the cell at (3.5, 0.2)

  // The hash is one chain over the frames.
  std::uint64_t hash = 0;
  for (const auto& frame : frames) hash = impact_hash(frame, hash);
  EXPECT_EQ(std::stoull(found.at("impact_hash").get<std::string>(), nullptr, 16), hash);
  EXPECT_EQ(json({"--continuous", "--frames", "1:3"}).at("impacts"), 1);
  EXPECT_EQ(json({"--continuous"}).at("contact_hash"), json({}).at("contact_hash"));

  const ProcessResult text = run_oclide({"run", scene, "--device", "reference", "--continuous"});
  EXPECT_NE(text.out.find("2 in all frames: 1 of a body and terrain, 1 of two bodies, 0 of them at the start"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find(found.at("impact_hash").get<std::string>()), std::string::npos) << text.out;
}

TEST_F(Continuous, IsValidated) {
  write();
  const Json found =
      printed_json(run_oclide({"run", scene, "--device", "auto", "--continuous", "--validate", "--json"}));
  const Json& impacts = found.at("validation").at("impacts");
  EXPECT_EQ(found.at("validation").at("holds"), true);
  EXPECT_EQ(impacts.at("holds"), true);
  EXPECT_EQ(impacts.at("sweeps"), 3);
  EXPECT_EQ(impacts.at("impacts_device"), 2);
  EXPECT_EQ(impacts.at("impacts_reference"), 2);
  EXPECT_LT(impacts.at("largest_time_error").get<double>(), 1.1e-4);
  const ProcessResult text = run_oclide({"validate", scene, "--device", "reference", "--continuous"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("hold: device and reference agree"), std::string::npos) << text.out;
  EXPECT_FALSE(json({"--validate"}).at("validation").contains("impacts"));
}

TEST_F(Continuous, WithoutItThereAreNoImpacts) {
  write();
  const Json found = json({"-o", output});
  EXPECT_FALSE(found.contains("impacts") || found.contains("impact_hash") || found.contains("sweep"));
  EXPECT_FALSE(ContactReader(output).has_impacts());
}

TEST_F(Continuous, NothingMovesWhereTheFileSaysNoMotion) {
  write([](Hdf5Scene& s) { s.remove("/bodies/displacement"); });
  EXPECT_EQ(json({"--continuous"}).at("impacts"), 0);
  // What touches at the start has its impact there.
  write([](Hdf5Scene& s) {
    s.remove("/bodies/displacement");
    s.set("/bodies/position", {1, 0, 2}, 0.02);
  });
  const Json found = json({"--continuous"});
  EXPECT_EQ(found.at("impacts"), 1);
  EXPECT_EQ(found.at("sweep").at("impacts_at_start"), 1);
}

TEST_F(Continuous, MotionComesFromTheNextFrameWhereThatIsAskedFor) {
  // Displacements are not looked at: only the way from the first frame to the second, 5 m along x.
  write([](Hdf5Scene& s) { s.put<double>("/bodies/displacement", {2, 3}, {0, 0, -9, 0, 0, 0}); });
  const Json found = json({"--continuous", "--motion", "frames", "-o", output});
  EXPECT_EQ(found.at("impacts"), 1);
  EXPECT_EQ(found.at("sweep").at("motion"), "frames");
  EXPECT_NEAR(written()[0].at(0).time, (1.5 - 0.03) / 5.0, 1e-4 / 5.0);
  // The frame behind the range counts, and the file's last frame stands still.
  EXPECT_EQ(json({"--continuous", "--motion", "frames", "--frames", "0:1"}).at("impacts"), 1);
  EXPECT_EQ(json({"--continuous", "--motion", "frames", "--frames", "1:3"}).at("impacts"), 0);
  EXPECT_EQ(json({"--continuous", "--motion", "file"}).at("impacts"), 3);
}

TEST_F(Continuous, RotationsAreOfAnyLength) {
  // The plate turns about its middle once around and hits the ball on its way, a quarter of a turn off its face.
  write([](Hdf5Scene& s) {
    s.put<double>("/bodies/position", {2, 3}, {0.3, 0, 1.5, 0, 0, 1.5});
    s.put<double>("/bodies/displacement", {2, 3}, std::vector<double>(6, 0.0));
    s.put<double>("/bodies/rotation", {2, 3}, {0, 0, 0, 0, 0, 4.0 * std::acos(0.0)});
  });
  EXPECT_EQ(json({"--continuous", "-o", output}).at("impacts"), 1);
  const double time = written()[0].at(0).time;
  // 0.3 m from the axis a plate of half a centimetre reaches the ball asin(0.03 / 0.3) before its middle.
  EXPECT_NEAR(time, 0.25 - std::asin(0.1) / (4.0 * std::acos(0.0)), 1e-4);
}

TEST_F(Continuous, IsRecordedAndReplayed) {
  write();
  const std::string recording = folder.file("recording.h5");
  const Json run = json({"--continuous", "--record", recording});
  const auto replay = [&](int status) {
    const ProcessResult result = run_oclide({"replay", recording, "--json"});
    EXPECT_EQ(result.status, status) << result.err;
    return printed_json(result);
  };
  const Json same = replay(0);
  EXPECT_EQ(same.at("same"), true);
  EXPECT_EQ(same.at("impact_hash"), run.at("impact_hash"));
  EXPECT_EQ(same.at("recorded").at("impact_hash"), run.at("impact_hash"));
  // The motion between frames is recorded as it was.
  (void)json({"--continuous", "--motion", "frames", "--record", recording});
  EXPECT_EQ(replay(0).at("same"), true);
  {
    Hdf5Scene file(recording, Hdf5Scene::Existing{});
    file.set("/bodies/displacement", {0, 0, 0}, 5.01);
  }
  const Json other = replay(1);
  EXPECT_EQ(other.at("first_difference").at("frame"), 0);
  EXPECT_EQ(other.at("first_difference").at("found").at("impacts"), 1);
  EXPECT_EQ(other.at("contact_hash"), other.at("recorded").at("contact_hash"));
  // Without impacts none are looked for.
  (void)json({"--record", recording});
  EXPECT_FALSE(replay(0).contains("impact_hash"));
}

TEST_F(Continuous, MotionThatCannotBeUsedIsRefused) {
  write([](Hdf5Scene& s) { s.set("/bodies/displacement", {2, 1, 0}, std::nan("")); });
  expect_refused({"--continuous"}, scene + ": /bodies/displacement[2][1][0] must be finite, got nan");
  write([](Hdf5Scene& s) { s.put<double>("/bodies/rotation", {2, 3}, {0, 0, 0, 0, 1e300, 0}); });
  expect_refused({"--continuous"}, scene + ": /bodies/rotation[1] is beyond 1e7 rad");
  write([](Hdf5Scene& s) { s.put<double>("/bodies/rotation", {2, 2, 3}, std::vector<double>(12)); });
  expect_refused({"--continuous"}, scene + ": /bodies/rotation has 2 frames, but /bodies/position has 3");
  write();
  expect_refused({"--motion", "frames"}, "--motion requires --continuous");
  expect_refused({"--continuous", "--motion", "sideways"}, "--motion");
}

TEST_F(Continuous, FullDiskLeavesNoImpacts) {
  write();
  ProcessOptions options;
  options.largest_file = 2000;
  options.standard_output = "/dev/null";
  const ProcessResult result =
      run_oclide({"run", scene, "--device", "reference", "--continuous", "-o", output}, options);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_NE(result.err.find(output + ": cannot be written: File too large"), std::string::npos) << result.err;
  EXPECT_EQ(folder.count(), 1U);
}

TEST_F(Continuous, ScenariosThatMoveSayHow) {
  for (const char* name : {"volley", "ship"}) {
    ASSERT_EQ(run_oclide({"generate", name, "--bodies", "24", "--frames", "3", "-o", scene}).status, 0);
    SceneReader reader(scene);
    ASSERT_TRUE(reader.has_displacement() && reader.has_rotation()) << name;
    Frame from, to;
    FrameMotion motion;
    for (std::size_t f = 0; f + 1 < 3; ++f) {
      reader.read_frame(f, from);
      reader.read_frame(f + 1, to);
      reader.read_motion(f, motion);
      bool any = false;
      for (std::size_t k = 0; k < motion.displacement.size(); ++k) {
        EXPECT_NEAR(from.position[k] + motion.displacement[k], to.position[k], 1e-12) << name << f << " " << k;
        any = any || std::abs(motion.displacement[k]) > 0.1;
      }
      EXPECT_TRUE(any) << name;
    }
  }
}

}  // namespace
}  // namespace oclide::test
