// oclide cast and oclide trace: what they print and write, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "files/hdf5_file.hpp"
#include "files/hdf5_scene.hpp"
#include "files/ray_file.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Queries : public ::testing::Test {
 protected:
  // Hdf5Scene's scene with rays and points in it, or in another file.
  void write(const std::string& to, const std::function<void(Hdf5Scene&)>& change = {}) const {
    Hdf5Scene s(to);
    s.put<double>("/rays/origin", {3, 3}, {0.0, 0.0, 5.0, 1.0, 0.5, 9.0, 3.0, 1.0, 1.0});
    s.put<float>("/rays/direction", {3, 3}, {0, 0, -2, 0, 0, -1, 0, 0, 1});
    s.put<double>("/points/position", {2, 3}, {0.0, 0.0, 5.0, 3.0, 1.0, 1.0});
    s.put<float>("/points/displacement", {2, 3}, {0, 0, -6, 0, 0, 1});
    if (change) change(s);
  }

  std::vector<double> column(const std::string& path) const {
    const hdf5::InputFile file(output);
    const hdf5::Dataset data = file.open_real(path);
    std::vector<double> values(data.count());
    file.read(data, values);
    return values;
  }

  // Status 2, one line with the file's name and what is at fault, and nothing left.
  void expect_refused(const std::vector<std::string>& arguments, std::size_t files, const std::string& at_fault) const {
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(folder.count(), files) << at_fault;
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5"), other = folder.file("other.h5"), output = folder.file("output.h5");
};

TEST_F(Queries, CastPrintsAndWritesWhatIsPromised) {
  write(scene);
  const Json all = printed_json(run_oclide({"cast", scene, "-o", output, "--device", "reference", "--json"}));
  EXPECT_EQ(all.at("rays"), 3);
  EXPECT_EQ(all.at("frames"), 3);
  EXPECT_EQ(all.at("hits"), 6);
  for (const char* stage : {"upload", "tree", "cast", "download", "total"})
    EXPECT_TRUE(all.at("milliseconds").at(stage).is_number()) << stage;
  EXPECT_EQ(all.at("hit_hash").get<std::string>().size(), 16U);
  EXPECT_EQ(all.at("output"), output);
  // The sphere of radius 0.5 sinks from z = 0.4 by 0.1 a frame; the third body, a cylinder of half length 0.6, too.
  const std::vector<double> distance = column("/hits/distance");
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_NEAR(distance[3 * f], 5.0 - 0.9 + 0.1 * static_cast<double>(f), 1e-6);
    EXPECT_NEAR(distance[3 * f + 1], 9.0 - 1.0 + 0.1 * static_cast<double>(f), 1e-6);
    EXPECT_EQ(distance[3 * f + 2], kInfinity);
  }
  EXPECT_EQ(column("/hits/body"), (std::vector<double>{0, 2, 0xFFFFFFFE, 0, 2, 0xFFFFFFFE, 0, 2, 0xFFFFFFFE}));

  // The hash is one chain over the frames, that of the library; a part of them is that part.
  SceneReader reader(scene);
  RayReader rays(reader, "");
  Settings settings;
  settings.device = "reference";
  Collider collider(settings);
  collider.set_scene(reader.scene());
  Frame frame;
  RayFrame of_frame;
  std::uint64_t hash = 0;
  for (std::size_t f = 0; f < 3; ++f) {
    reader.read_frame(f, frame);
    rays.read_frame(f, of_frame);
    hash = hit_hash(collider.cast(frame.poses(), of_frame.rays()).hits, hash);
  }
  EXPECT_EQ(std::stoull(all.at("hit_hash").get<std::string>(), nullptr, 16), hash);
  const Json part =
      printed_json(run_oclide({"cast", scene, "-o", output, "--device", "reference", "--json", "--frames", "1:2"}));
  EXPECT_EQ(part.at("frames"), 1);
  EXPECT_EQ(part.at("hits"), 2);
  EXPECT_NE(part.at("hit_hash"), all.at("hit_hash"));
  EXPECT_NEAR(column("/hits/distance")[0], 4.2, 1e-6);
  const ProcessResult text = run_oclide({"cast", scene, "--device", "reference"});
  EXPECT_NE(text.out.find("6 in all frames: 0 of terrain, 6 of bodies"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(all.at("hit_hash").get<std::string>()), std::string::npos) << text.out;
}

TEST_F(Queries, CastIsValidated) {
  write(scene);
  const Json found = printed_json(run_oclide({"cast", scene, "--device", "auto", "--validate", "--json"}));
  const Json& validation = found.at("validation");
  EXPECT_EQ(validation.at("holds"), true);
  EXPECT_EQ(validation.at("rays"), 9);
  EXPECT_EQ(validation.at("hits_device"), 6);
  EXPECT_EQ(validation.at("hits_reference"), 6);
  const ProcessResult text = run_oclide({"cast", scene, "--device", "reference", "--validate"});
  EXPECT_NE(text.out.find("holds: device and reference agree"), std::string::npos) << text.out;
}

TEST_F(Queries, RaysOfAnotherFileGoBeforeThoseOfTheScene) {
  write(scene);
  write(other, [](Hdf5Scene& s) {
    s.put<double>("/rays/origin", {3, 1, 3}, {0, 0, 5, 0, 0, 6, 0, 0, 7});
    s.put<double>("/rays/direction", {1, 3}, {0, 0, -1});
  });
  const Json found =
      printed_json(run_oclide({"cast", scene, "--rays", other, "-o", output, "--device", "reference", "--json"}));
  EXPECT_EQ(found.at("rays"), 1);
  const std::vector<double> distance = column("/hits/distance");
  ASSERT_EQ(distance.size(), 3U);
  EXPECT_NEAR(distance[2], 7.0 - 0.7, 1e-6);
}

TEST_F(Queries, RaysThatCannotBeUsedAreRefused) {
  struct Case {
    const char* at_fault;
    std::function<void(Hdf5Scene&)> spoil;
  };
  using S = Hdf5Scene;
  const std::vector<Case> cases{
      {"/rays/origin: dataset is missing", [](S& s) { s.remove("/rays"); }},
      {"/rays/direction: dataset is missing", [](S& s) { s.remove("/rays/direction"); }},
      {"/rays/origin has extent (9), but must have (n, 3) or (frames, n, 3)",
       [](S& s) { s.put<double>("/rays/origin", {9}, std::vector<double>(9)); }},
      {"/rays/direction has extent (2, 3), but must have (3, 3) or (frames, 3, 3), one entry for each of /rays/origin",
       [](S& s) {
         s.put<double>("/rays/direction", {2, 3}, std::vector<double>(6, 1.0));
       }},
      {"/rays/origin has extent (134217728, 3), of which most was never written",
       [](S& s) {
         s.put<double>("/rays/origin", {hsize_t{1} << 27U, 3}, {}, true);
       }},
      {"/rays/environment must hold whole numbers",
       [](S& s) {
         s.put<float>("/rays/environment", {3}, {0, 0, 0});
       }},
      {"/rays/origin[2][1] must be finite, got nan",
       [](S& s) {
         s.set("/rays/origin", {2, 1}, std::nan(""));
       }},
      {"/rays/direction[1] is zero",
       [](S& s) {
         s.set("/rays/direction", {1, 2}, 0.0);
       }},
      {"/rays/length[1] must be at least 0, got -1",
       [](S& s) {
         s.put<double>("/rays/length", {3}, {1, -1, 1});
       }},
      {"/rays/length[0] must be at least 0, got nan",
       [](S& s) {
         s.put<double>("/rays/length", {3}, {std::nan(""), 1, 1});
       }},
      {"/rays/length has extent (2), but must have (3)",
       [](S& s) {
         s.put<double>("/rays/length", {2}, {1, 1});
       }},
      {"/rays/environment[2] is 3, and /environments/terrain has 3 entries",
       [](S& s) {
         s.put<std::uint32_t>("/rays/environment", {3}, {0, 2, 3});
       }},
      {"/rays/environment[0] is -1, which is outside the range",
       [](S& s) {
         s.put<std::int32_t>("/rays/environment", {3}, {-1, 0, 0});
       }},
      {"/rays/mask has extent (4)",
       [](S& s) {
         s.put<std::uint32_t>("/rays/mask", {4}, {1, 1, 1, 1});
       }},
      {"/rays/direction has 2 frames, but the scene has 3 frames",
       [](S& s) {
         s.put<double>("/rays/direction", {2, 3, 3}, std::vector<double>(18, 1.0));
       }},
      {"/rays/direction has 3 frames, but /rays/origin has 1 frame",
       [](S& s) {
         s.put<double>("/rays/origin", {1, 3, 3}, std::vector<double>(9, 1.0));
         s.put<double>("/rays/direction", {3, 3, 3}, std::vector<double>(27, 1.0));
       }},
      {"/rays/origin[2][0][0] must be finite",
       [](S& s) {
         s.put<double>("/rays/origin", {3, 3, 3}, std::vector<double>(27, 1.0));
         s.set("/rays/origin", {2, 0, 0}, kInfinity);
       }},
  };
  for (const Case& c : cases) {
    write(scene, c.spoil);
    expect_refused({"cast", scene, "-o", output, "--device", "reference"}, 1, scene + ": " + c.at_fault);
  }
  // The fault is in the file that has it.
  write(scene);
  write(other, [](S& s) { s.set("/rays/direction", {1, 2}, 0.0); });
  expect_refused({"cast", scene, "--rays", other, "-o", output, "--device", "reference"}, 2,
                 other + ": /rays/direction[1] is zero");
  expect_refused({"cast", scene, "--rays", folder.file("none.h5"), "-o", output}, 2, "none.h5: No such file");
  expect_refused({"cast", scene, "-o", scene}, 2, scene + ": is the scene file itself");
  expect_refused({"cast", scene, "--rays", other, "-o", other}, 2, other + ": is the file with the rays itself");
  expect_refused({"cast", scene, "-o", output, "--frames", "2:5"}, 2, scene + ": --frames 2:5 reaches outside");
  expect_refused({"cast", scene, "-o", folder.file("none/h.h5"), "--device", "reference"}, 2, "none/h.h5");
}

TEST_F(Queries, FullDiskLeavesNoHits) {
  write(scene, [](Hdf5Scene& s) {
    s.put<double>("/rays/origin", {4000, 3}, std::vector<double>(12000, 100.0));
    s.put<double>("/rays/direction", {4000, 3}, std::vector<double>(12000, 1.0));
  });
  for (const std::uint64_t limit : {1000U, 100'000U, 500'000U}) {
    ProcessOptions options;
    options.largest_file = limit;
    options.standard_output = "/dev/null";
    const ProcessResult result = run_oclide({"cast", scene, "-o", output, "--device", "reference"}, options);
    EXPECT_EQ(result.status, 2) << limit << " " << result.err;
    EXPECT_NE(result.err.find(output + ": cannot be written: File too large"), std::string::npos) << result.err;
    EXPECT_EQ(folder.count(), 1U) << limit;
  }
}

TEST_F(Queries, TracePrintsAndWritesWhatIsPromised) {
  write(scene);
  const std::vector<std::string> call{"trace", scene, "-o", output, "--device", "reference", "--json"};
  const Json found = printed_json(run_oclide(call));
  EXPECT_EQ(found.at("points"), 2);
  EXPECT_EQ(found.at("reflections"), 1);
  EXPECT_EQ(found.at("arrived"), 2);
  EXPECT_EQ(found.at("casts"), 3);
  EXPECT_EQ(column("/paths/offset"), (std::vector<double>{0, 3, 5}));
  EXPECT_EQ(column("/paths/body"), (std::vector<double>{0xFFFFFFFE, 0, 0xFFFFFFFE, 0xFFFFFFFE, 0xFFFFFFFE}));
  // On the top of the sphere at z = 0.9, and up again by what is left of 6 m.
  EXPECT_NEAR(column("/paths/point")[5], 0.9, 1e-6);
  EXPECT_NEAR(column("/paths/point")[8], 0.9 + 1.9, 2e-4);
  // Half as fast, among the poses of the last frame.
  std::vector<std::string> slower = call;
  slower.insert(slower.end(), {"--restitution", "0.5", "--frame", "2"});
  EXPECT_EQ(printed_json(run_oclide(slower)).at("reflections"), 1);
  EXPECT_NEAR(column("/paths/point")[8], 0.7 + 0.85, 2e-4);
  // No reflection: it stops there.
  std::vector<std::string> none = call;
  none.insert(none.end(), {"--bounces", "0"});
  EXPECT_EQ(printed_json(run_oclide(none)).at("stopped"), 1);
  EXPECT_NEAR(column("/paths/displacement")[2], -1.9, 1e-5);
  const ProcessResult text = run_oclide({"trace", scene, "--device", "reference"});
  EXPECT_NE(text.out.find("reflections         1, in 3 casts"), std::string::npos) << text.out;
}

TEST_F(Queries, PointsThatCannotBeUsedAreRefused) {
  const auto refused = [&](const std::function<void(Hdf5Scene&)>& spoil, const std::string& at_fault) {
    write(scene, spoil);
    expect_refused({"trace", scene, "-o", output, "--device", "reference"}, 1, scene + ": " + at_fault);
  };
  refused([](Hdf5Scene& s) { s.remove("/points"); }, "/points/position: dataset is missing");
  refused(
      [](Hdf5Scene& s) {
        s.set("/points/displacement", {1, 0}, kInfinity);
      },
      "/points/displacement[1][0] must be finite, got inf");
  refused(
      [](Hdf5Scene& s) {
        s.put<float>("/points/position", {1, 2, 3}, std::vector<float>(6));
      },
      "/points/position has a frames axis");
  refused(
      [](Hdf5Scene& s) {
        s.put<float>("/points/displacement", {3, 3}, std::vector<float>(9));
      },
      "/points/displacement has extent (3, 3)");
  refused(
      [](Hdf5Scene& s) {
        s.put<std::uint32_t>("/points/environment", {2}, {0, 9});
      },
      "/points/environment[1] is 9, and /environments/terrain has 3 entries");
  write(scene);
  expect_refused({"trace", scene, "--friction", "2", "-o", output, "--device", "reference"}, 1,
                 "friction must be from 0 to 1, got 2");
  expect_refused({"trace", scene, "--bounces", "-1", "-o", output}, 1, "'-1' is no whole number");
  expect_refused({"trace", scene, "--frame", "3", "-o", output}, 1, scene + ": --frame 3 is not in the file");
  expect_refused({"trace", scene, "-o", scene}, 1, scene + ": is the scene file itself");
}

}  // namespace
}  // namespace oclide::test
