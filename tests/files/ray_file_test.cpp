// Rays and points are read with or without a frames axis; hits and paths are written as docs/rays.md and docs/trace.md
// say.
#include "files/ray_file.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "files/hdf5_file.hpp"
#include "files/hdf5_scene.hpp"
#include "files/hit_file.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

using test::Hdf5Scene;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RayFile : public ::testing::Test {
 protected:
  // Into the scene file itself.
  void write(const std::function<void(Hdf5Scene&)>& change) const {
    Hdf5Scene scene(name);
    change(scene);
  }

  test::TemporaryFolder folder;
  std::string name = folder.file("scene.h5"), other = folder.file("rays.h5"), output = folder.file("output.h5");
};

TEST_F(RayFile, GivesAllThatIsInTheSceneFile) {
  write([](Hdf5Scene& s) {
    s.put<float>("/rays/origin", {2, 3}, {0, 1, 2, 3, 4, 5});
    s.put<double>("/rays/direction", {2, 3}, {0, 0, -1, 0, 0, 1e-300});
    s.put<double>("/rays/length", {2}, {kInfinity, 0.0});
    s.put<std::uint64_t>("/rays/environment", {2}, {2, 0});
    s.put<std::int64_t>("/rays/mask", {2}, {0xFFFFFFFF, 0});
  });
  SceneReader scene(name);
  RayReader reader(scene, "");
  EXPECT_EQ(reader.rays(), 2U);
  EXPECT_EQ(reader.frames(), 3U);  // those of the poses
  RayFrame frame;
  for (std::size_t f = 0; f < 3; ++f) {
    reader.read_frame(f, frame);
    EXPECT_EQ(frame.origin, (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(frame.direction[5], 1e-300);
    EXPECT_EQ(frame.length, (std::vector<double>{kInfinity, 0.0}));
    EXPECT_EQ(frame.environment, (std::vector<std::uint32_t>{2, 0}));
    EXPECT_EQ(frame.mask, (std::vector<std::uint32_t>{0xFFFFFFFFU, 0}));
    EXPECT_EQ(frame.rays().count(), 2U);
  }
}

TEST_F(RayFile, OneOfOriginAndDirectionMayHaveFramesAndTheirFileBeAnother) {
  write([](Hdf5Scene&) {});
  {
    Hdf5Scene rays(other);
    rays.remove("/bodies");  // only /rays counts
    rays.remove_attribute("/", "format");
    rays.put<double>("/rays/origin", {1, 3}, {1, 2, 3});
    rays.put<double>("/rays/direction", {3, 1, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, true);
  }
  SceneReader scene(name);
  RayReader reader(scene, other);
  RayFrame frame;
  reader.read_frame(1, frame);
  EXPECT_EQ(frame.direction, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(frame.origin, (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(frame.length.empty() && frame.environment.empty() && frame.mask.empty());
}

TEST_F(RayFile, FramesOfRaysHoldForPosesWithoutFrames) {
  write([](Hdf5Scene& s) {
    s.put<float>("/bodies/position", {4, 3}, std::vector<float>(12, 1.0F));
    s.put<double>("/rays/origin", {5, 2, 3}, std::vector<double>(30, 0.5));
    s.put<double>("/rays/direction", {2, 3}, std::vector<double>(6, 0.5));
  });
  SceneReader scene(name);
  EXPECT_FALSE(scene.has_frames());
  RayReader reader(scene, "");
  EXPECT_EQ(reader.frames(), 5U);
  Frame poses;
  scene.read_frame(4, poses);
  EXPECT_EQ(poses.position, std::vector<double>(12, 1.0));
}

TEST_F(RayFile, FaultInAFrameIsNamedWhenItIsRead) {
  write([](Hdf5Scene& s) {
    s.put<double>("/rays/origin", {3, 2, 3}, std::vector<double>(18, 0.5));
    s.put<double>("/rays/direction", {3, 2, 3}, std::vector<double>(18, 0.5));
    s.set("/rays/origin", {1, 1, 2}, -kInfinity);
    for (hsize_t a = 0; a < 3; ++a) s.set("/rays/direction", {2, 0, a}, 0.0);
  });
  SceneReader scene(name);
  RayReader reader(scene, "");
  RayFrame frame;
  reader.read_frame(0, frame);
  const auto fault = [&](std::size_t index) {
    try {
      reader.read_frame(index, frame);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault(1), name + ": /rays/origin[1][1][2] must be finite, got -inf");
  EXPECT_EQ(fault(2), name + ": /rays/direction[2][0] is zero");
}

TEST_F(RayFile, PointsAreReadFromEitherFile) {
  write([](Hdf5Scene& s) {
    s.put<float>("/points/position", {2, 3}, {0, 1, 2, 3, 4, 5});
    s.put<double>("/points/displacement", {2, 3}, std::vector<double>(6, 0.0));
    s.put<std::uint32_t>("/points/environment", {2}, {2, 0});
  });
  {
    Hdf5Scene points(other);
    points.put<double>("/points/position", {1, 3}, {7, 8, 9});
    points.put<double>("/points/displacement", {1, 3}, {1, 2, 3});
  }
  SceneReader scene(name);
  const PointList own = read_points(scene, ""), apart = read_points(scene, other);
  EXPECT_EQ(own.position, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(own.environment, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(apart.displacement, (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(apart.environment.empty());
}

TEST_F(RayFile, HitsAreWrittenFrameByFrame) {
  {
    HitWriter writer(output, "a device", "scene.h5", 2, 2, true);
    Hit hit{{1.0, 2.0, 3.0}, 0.5, {0.0F, 0.6F, 0.8F}, kTerrain, 11, 3, 9};
    writer.append(std::vector{hit, Hit{.distance = kInfinity}});
    EXPECT_EQ(folder.count(), 1U);
    EXPECT_THROW(writer.append(std::vector{hit}), Error);
    hit.body = 4;
    writer.append(std::vector{Hit{.distance = kInfinity}, hit});
    EXPECT_THROW(writer.append(std::vector{hit, hit}), Error);
    writer.finish();
  }
  const hdf5::InputFile file(output);
  EXPECT_EQ(file.text_attribute("/", "format"), "oclide-hits");
  EXPECT_EQ(file.integer_attribute("/", "version"), 1);
  EXPECT_EQ(file.text_attribute("/", "device"), "a device");
  const auto reals = [&](const char* path, const std::vector<hsize_t>& extent) {
    const hdf5::Dataset data = file.open_real(path);
    EXPECT_EQ(data.extent, extent) << path;
    std::vector<double> values(data.count());
    file.read(data, values);
    return values;
  };
  EXPECT_EQ(reals("/hits/distance", {2, 2}), (std::vector{0.5, kInfinity, kInfinity, 0.5}));
  EXPECT_EQ(reals("/hits/point", {2, 2, 3})[10], 2.0);
  EXPECT_EQ(reals("/hits/normal", {2, 2, 3})[1], static_cast<double>(0.6F));
  EXPECT_EQ(reals("/hits/body", {2, 2}), (std::vector<double>{kTerrain, kNothing, kNothing, 4}));
  EXPECT_EQ(reals("/hits/element", {2, 2}), (std::vector<double>{11, kNone, kNone, 11}));
  EXPECT_EQ(reals("/hits/material", {2, 2}), (std::vector<double>{9, 0, 0, 9}));
  EXPECT_EQ(reals("/hits/shape", {2, 2}), (std::vector<double>{3, 0, 0, 3}));
}

TEST_F(RayFile, HitsThatAreNotAllThereLeaveNothing) {
  {
    HitWriter writer(output, "a device", "scene.h5", 2, 1, false);
    writer.append(std::vector<Hit>(1));
    EXPECT_THROW(writer.finish(), Error);
  }
  EXPECT_EQ(folder.count(), 0U);
  HitWriter none(output, "", "", 3, 0, false);
  for (int f = 0; f < 3; ++f) none.append({});
  none.finish();
  EXPECT_EQ(hdf5::InputFile(output).open_real("/hits/point").extent, (std::vector<hsize_t>{3, 0, 3}));
  EXPECT_FALSE(hdf5::InputFile(output).exists("/hits/shape"));
}

TEST_F(RayFile, PathsAreWrittenWhole) {
  Paths paths;
  paths.offset = {0, 2, 5};
  paths.points.resize(5);
  paths.points[3] = {{1.0, 2.0, 3.0}, {0.0F, 0.0F, 1.0F}, 7};
  paths.displacement = {{}, {0.1, 0.2, 0.3}};
  paths.outgoing = {{1.0, 0.0, 0.0}, {0.0, 0.0, 2.0}};
  paths.end = {PathEnd::arrived, PathEnd::stopped};
  { PathWriter unfinished(output, "d", "s"); }
  EXPECT_EQ(folder.count(), 0U);
  PathWriter(output, "d", "s").write(paths);
  const hdf5::InputFile file(output);
  EXPECT_EQ(file.text_attribute("/", "format"), "oclide-paths");
  const std::vector<hsize_t> three{3};
  EXPECT_EQ(file.read_integers<std::uint64_t>("/paths/offset", three, ""), (std::vector<std::uint64_t>{0, 2, 5}));
  EXPECT_EQ(file.open_real("/paths/point").extent, (std::vector<hsize_t>{5, 3}));
  EXPECT_EQ(file.read_integer_list<std::uint8_t>("/paths/end"), (std::vector<std::uint8_t>{0, 1}));
  std::vector<double> left(6);
  file.read(file.open_real("/paths/displacement"), left);
  EXPECT_EQ(left, (std::vector{0.0, 0.0, 0.0, 0.1, 0.2, 0.3}));
  const std::vector<hsize_t> five{5};
  EXPECT_EQ(file.read_integers<std::uint32_t>("/paths/body", five, ""),
            (std::vector<std::uint32_t>{kNothing, kNothing, kNothing, 7, kNothing}));
}

}  // namespace
}  // namespace oclide
