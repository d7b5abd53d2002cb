// Displacements and rotations of scene files, the motion between poses, impacts of contact files and of recordings.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <limits>
#include <random>

#include "files/contact_file.hpp"
#include "files/hdf5_file.hpp"
#include "files/hdf5_scene.hpp"
#include "files/recording.hpp"
#include "files/scene_file.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

using test::Hdf5Scene;

class MotionFile : public ::testing::Test {
 protected:
  // The scene of Hdf5Scene: four bodies, three frames of positions.
  void write(const std::function<void(Hdf5Scene&)>& change) const {
    Hdf5Scene scene(name);
    change(scene);
  }
  // What is wrong with the file, or with its frame `index`.
  std::string fault(std::size_t index) const {
    try {
      SceneReader reader(name);
      FrameMotion motion;
      reader.read_motion(index, motion);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      return error.what();
    }
    return "nothing";
  }

  test::TemporaryFolder folder;
  std::string name = folder.file("scene.h5"), output = folder.file("output.h5");
};

std::vector<double> ascending(std::size_t count) {
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k) values.push_back(static_cast<double>(k) + 0.25);
  return values;
}

TEST_F(MotionFile, HasNoneWhereTheFileHasNone) {
  write([](Hdf5Scene&) {});
  SceneReader reader(name);
  EXPECT_FALSE(reader.has_displacement() || reader.has_rotation());
  FrameMotion motion{{1.0}, {2.0}};
  reader.read_motion(1, motion);
  EXPECT_TRUE(motion.displacement.empty() && motion.rotation.empty());
}

TEST_F(MotionFile, IsReadWithAndWithoutFrames) {
  write([](Hdf5Scene& s) {
    s.put<double>("/bodies/displacement", {3, 4, 3}, ascending(36));
    s.put<float>("/bodies/rotation", {4, 3}, std::vector<float>(12, 9.5F));
  });
  SceneReader reader(name);
  EXPECT_TRUE(reader.has_displacement() && reader.has_rotation());
  FrameMotion motion;
  for (const std::size_t f : {2U, 0U}) {
    reader.read_motion(f, motion);
    ASSERT_EQ(motion.displacement.size(), 12U);
    EXPECT_EQ(motion.displacement[11], 12.0 * static_cast<double>(f) + 11.25);
    EXPECT_EQ(motion.rotation, std::vector<double>(12, 9.5));
    EXPECT_EQ(motion.motion().displacement.size(), 12U);
  }
}

TEST_F(MotionFile, FramesOfMotionHoldForPosesWithoutFrames) {
  write([](Hdf5Scene& s) {
    s.put<float>("/bodies/position", {4, 3}, std::vector<float>(12, 1.0F));
    s.put<double>("/bodies/rotation", {5, 4, 3}, ascending(60));
  });
  SceneReader reader(name);
  EXPECT_TRUE(reader.has_frames() && reader.has_rotation() && !reader.has_displacement());
  ASSERT_EQ(reader.frames(), 5U);
  Frame frame;
  FrameMotion motion;
  reader.read_frame(4, frame);
  reader.read_motion(4, motion);
  EXPECT_EQ(frame.position, std::vector<double>(12, 1.0));
  EXPECT_EQ(motion.rotation[0], 48.25);
  EXPECT_TRUE(motion.displacement.empty());
}

TEST_F(MotionFile, FaultsNameDatasetAndIndex) {
  const auto expect = [&](const std::string& what, const std::function<void(Hdf5Scene&)>& spoil, std::size_t f = 0) {
    write(spoil);
    EXPECT_EQ(fault(f).rfind(name + ": " + what, 0), 0U) << fault(f);
  };
  expect("/bodies/displacement has extent (12), but must have (4, 3) or (frames, 4, 3), one entry for each of",
         [](Hdf5Scene& s) { s.put<double>("/bodies/displacement", {12}, ascending(12)); });
  expect("/bodies/rotation has extent (4, 4)", [](Hdf5Scene& s) {
    s.put<double>("/bodies/rotation", {4, 4}, ascending(16));
  });
  expect("/bodies/displacement has extent (2, 3)", [](Hdf5Scene& s) {
    s.put<double>("/bodies/displacement", {2, 3}, ascending(6));
  });
  expect("/bodies/rotation has 2 frames, but /bodies/position has 3", [](Hdf5Scene& s) {
    s.put<double>("/bodies/rotation", {2, 4, 3}, ascending(24));
  });
  expect("/bodies/displacement[3][1] must be finite, got nan", [](Hdf5Scene& s) {
    s.put<double>("/bodies/displacement", {4, 3}, ascending(12));
    s.set("/bodies/displacement", {3, 1}, std::nan(""));
  });
  const auto beyond = [](Hdf5Scene& s) {
    s.put<double>("/bodies/rotation", {3, 4, 3}, ascending(36));
    s.set("/bodies/rotation", {1, 2, 0}, -1.000001e9);
    s.set("/bodies/rotation", {2, 0, 2}, std::numeric_limits<double>::infinity());
  };
  expect("/bodies/rotation[1][2] is beyond 1e7 rad", beyond, 1);
  expect("/bodies/rotation[2][0][2] must be finite, got inf", beyond, 2);
  EXPECT_EQ(fault(0), "nothing");
}

TEST_F(MotionFile, ReadsBackWhatWasWritten) {
  write([](Hdf5Scene&) {});
  SceneReader reader(name);
  Frame frame;
  reader.read_frame(0, frame);
  const std::vector<double> displacement{1.0 / 3.0, -1e7, 0, 1e-300, 5, 6, 7, 8, 9, 10, 11, 12},
      rotation = ascending(12);
  for (const bool both : {true, false}) {
    {
      SceneWriter writer(output, reader.scene(), 2);
      writer.with_motion(true, both);
      writer.append(frame.poses(), {displacement, rotation});
      // Not what was announced: refused, and no frame.
      EXPECT_THROW(writer.append(frame.poses()), Error);
      EXPECT_THROW(writer.append(frame.poses(), {std::span(displacement).first(9), rotation}), Error);
      writer.append(frame.poses(), {rotation, displacement});
      writer.finish();
    }
    SceneReader again(output);
    EXPECT_TRUE(again.has_displacement());
    EXPECT_EQ(again.has_rotation(), both);
    FrameMotion motion;
    again.read_motion(0, motion);
    EXPECT_EQ(motion.displacement, displacement);
    EXPECT_EQ(motion.rotation, both ? rotation : std::vector<double>());
    again.read_motion(1, motion);
    EXPECT_EQ(motion.displacement, rotation);
  }
}

TEST_F(MotionFile, OfBodiesThatThereAreNoneIsEmpty) {
  SceneWriter writer(output, Scene{}, 2);
  writer.with_motion();
  for (int f = 0; f < 2; ++f) writer.append({});
  writer.finish();
  SceneReader reader(output);
  FrameMotion motion;
  reader.read_motion(1, motion);
  EXPECT_TRUE(motion.displacement.empty());
  EXPECT_EQ(reader.frames(), 2U);
}

glm::dquat turned(const glm::dvec3& r) {
  const double angle = glm::length(r);
  return angle == 0.0 ? glm::dquat(1.0, 0.0, 0.0, 0.0) : glm::angleAxis(angle, r / angle);
}

glm::dvec3 rotation_between(const std::array<double, 4>& from, const std::array<double, 4>& to) {
  const std::array position{1.0, 2.0, 3.0};
  FrameMotion motion;
  motion_between({position, from}, {position, to}, motion);
  EXPECT_EQ(motion.displacement, std::vector<double>(3, 0.0));
  return {motion.rotation[0], motion.rotation[1], motion.rotation[2]};
}

TEST(MotionBetween, IsZeroWhereNothingMoves) {
  EXPECT_EQ(rotation_between({0.1, -0.7, 0.3, 0.2}, {0.1, -0.7, 0.3, 0.2}), glm::dvec3(0.0));
  EXPECT_EQ(rotation_between({0.0, 0.0, 0.0, -2.0}, {0.0, 0.0, 0.0, 2.0}), glm::dvec3(0.0));
}

TEST(MotionBetween, IsTheShortestRotationInWorldAxes) {
  const double h = std::sqrt(0.5);
  const auto expect_near = [](const glm::dvec3& found, const glm::dvec3& expected) {
    EXPECT_LT(glm::distance(found, expected), 1e-15) << found.x << " " << found.y << " " << found.z;
  };
  const double quarter = std::acos(0.0);
  expect_near(rotation_between({1, 0, 0, 0}, {h, 0, 0, h}), {0, 0, quarter});
  expect_near(rotation_between({1, 0, 0, 0}, {-h, 0, 0, -h}), {0, 0, quarter});
  expect_near(rotation_between({h, 0, 0, h}, {1, 0, 0, 0}), {0, 0, -quarter});
  // First about z, then about the world's x: not about the body's.
  expect_near(rotation_between({h, 0, 0, h}, {0.5, 0.5, -0.5, 0.5}), {quarter, 0, 0});
  const glm::dvec3 half = rotation_between({1, 0, 0, 0}, {0, 0, 1, 0});
  EXPECT_NEAR(glm::length(half), 2.0 * quarter, 1e-15);
  EXPECT_NEAR(std::abs(half.y), 2.0 * quarter, 1e-15);
}

TEST(MotionBetween, TakesOneOrientationToTheOther) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-14.0, 0.4);
  for (int k = 0; k < 2000; ++k) {
    const glm::dvec3 axis = glm::normalize(glm::dvec3(normal(random), normal(random), normal(random)));
    const double angle = std::pow(10.0, exponent(random));  // up to 2.5
    const glm::dquat a = glm::normalize(glm::dquat(normal(random), normal(random), normal(random), normal(random)));
    const glm::dquat b = turned(angle * axis) * a;
    // Of any length, and either sign.
    const double la = k % 3 == 0 ? 1e-150 : 3.0, lb = k % 2 == 0 ? -1e140 : 0.5;
    const glm::dvec3 r =
        rotation_between({la * a.w, la * a.x, la * a.y, la * a.z}, {lb * b.w, lb * b.x, lb * b.y, lb * b.z});
    EXPECT_LT(glm::distance(r, angle * axis), 2e-15) << angle;
  }
}

TEST(MotionBetween, IsTheDifferenceOfPositions) {
  const std::vector<double> from{1.0, 2.0, 3.0, -1.0, 0.0, 1e5}, to{1.5, 2.0, -3.0, 1.0, 1e-9, 1e5 + 1.0},
      orientation{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  FrameMotion motion{std::vector<double>(99), {}};
  motion_between({from, orientation}, {to, orientation}, motion);
  EXPECT_EQ(motion.displacement, (std::vector{0.5, 0.0, -6.0, 2.0, 1e-9, 1.0}));
  EXPECT_EQ(motion.rotation, std::vector<double>(6, 0.0));
}

Impact impact(std::uint32_t k) {
  Impact i;
  i.point = {k + 1.0 / 3.0, -0.5 * k, 1e6 + k};
  i.time = 1.0 / (k + 1.0);
  i.normal = {0.0F, 0.6F, -0.8F};
  i.body_a = k;
  i.body_b = k % 3 == 0 ? kTerrain : k + 7;
  i.feature = k % 2;
  i.element = k % 5 == 0 ? kNone : 11 * k;
  i.shape_a = static_cast<std::uint16_t>(k);
  i.shape_b = static_cast<std::uint16_t>(65535 - k);
  i.material = static_cast<std::uint8_t>(k);
  return i;
}

// None, a few, and more than one block of the file.
std::vector<std::vector<Impact>> frames_of_impacts() {
  std::vector<std::vector<Impact>> frames(3);
  for (std::uint32_t k = 0; k < 3; ++k) frames[1].push_back(impact(k));
  for (std::uint32_t k = 0; k < 5000; ++k) frames[2].push_back(impact(k));
  return frames;
}

void write_impacts(const std::string& file, bool with_shapes) {
  ContactWriter writer(file, "a device", "a scene.h5");
  if (with_shapes) writer.with_shapes();
  writer.with_impacts();
  for (const std::vector<Impact>& frame : frames_of_impacts()) {
    writer.append(std::vector<Contact>(frame.size() / 2));
    writer.append_impacts(frame);
  }
  writer.finish();
}

TEST_F(MotionFile, ImpactsStandInTheContactFileAsTheContractSays) {
  write_impacts(output, false);
  const hdf5::InputFile file(output);
  const auto whole = [&]<class Value>(const char* path, hsize_t count) {
    return file.read_integers<Value>(path, std::array{count}, "");
  };
  EXPECT_EQ(whole.operator()<std::uint64_t>("/impacts/frame_offset", 4), (std::vector<std::uint64_t>{0, 0, 3, 5003}));
  const auto real = [&](const char* path, const std::vector<hsize_t>& extent) {
    const hdf5::Dataset data = file.open_real(path);
    EXPECT_EQ(data.extent, extent) << path;
    std::vector<double> values(data.count());
    file.read(data, values);
    return values;
  };
  const auto body_a = whole.operator()<std::uint32_t>("/impacts/body_a", 5003);
  const auto body_b = whole.operator()<std::uint32_t>("/impacts/body_b", 5003);
  const auto feature = whole.operator()<std::uint32_t>("/impacts/feature", 5003);
  const auto element = whole.operator()<std::uint32_t>("/impacts/element", 5003);
  const auto material = whole.operator()<std::uint8_t>("/impacts/material", 5003);
  const std::vector<double> time = real("/impacts/time", {5003}), point = real("/impacts/point", {5003, 3}),
                            normal = real("/impacts/normal", {5003, 3});
  EXPECT_FALSE(file.exists("/impacts/shape_a"));
  ASSERT_EQ(body_a.size(), 5003U);
  for (std::uint32_t row = 0; row < 5003; ++row) {
    const Impact i = impact(row < 3 ? row : row - 3);
    ASSERT_TRUE(body_a[row] == i.body_a && body_b[row] == i.body_b && feature[row] == i.feature &&
                element[row] == i.element && material[row] == i.material && time[row] == i.time)
        << row;
    for (std::size_t a = 0; a < 3; ++a) {
      ASSERT_EQ(point[3 * row + a], i.point[a]);
      ASSERT_EQ(normal[3 * row + a], static_cast<double>(i.normal[a]));
    }
  }
}

TEST_F(MotionFile, ImpactsAreReadBitForBit) {
  const auto frames = frames_of_impacts();
  for (const bool with_shapes : {true, false}) {
    write_impacts(output, with_shapes);
    const ContactReader reader(output);
    EXPECT_TRUE(reader.has_impacts());
    EXPECT_EQ(reader.impacts(), 5003U);
    EXPECT_EQ(reader.contacts(), 2501U);
    std::vector<Impact> found;
    for (const std::size_t f : {2U, 0U, 1U}) {
      reader.read_impacts(f, found);
      ASSERT_EQ(found.size(), frames[f].size());
      EXPECT_EQ(impact_hash(found) == impact_hash(frames[f]), with_shapes || f == 0) << f;
      for (Impact& i : found) i.shape_a = i.shape_b = 0;
      std::vector<Impact> plain = frames[f];
      for (Impact& i : plain) i.shape_a = i.shape_b = 0;
      EXPECT_EQ(impact_hash(found), impact_hash(plain)) << f;
    }
  }
  ContactWriter none(output, "a device", "a scene.h5");
  none.append({});
  none.finish();
  const ContactReader reader(output);
  std::vector<Impact> found(2);
  reader.read_impacts(0, found);
  EXPECT_TRUE(found.empty() && !reader.has_impacts() && reader.impacts() == 0);
}

TEST_F(MotionFile, DamagedImpactsAreAnErrorThatNamesDatasetAndIndex) {
  const auto expect = [&](const std::string& what, const std::function<void(Hdf5Scene&)>& damage) {
    write_impacts(output, true);
    {
      Hdf5Scene file(output, Hdf5Scene::Existing{});
      damage(file);
    }
    std::string found = "nothing";
    try {
      const ContactReader reader(output);
      std::vector<Impact> impacts;
      for (std::size_t f = 0; f < reader.frames(); ++f) reader.read_impacts(f, impacts);
    } catch (const Error& error) {
      found = error.what();
    }
    EXPECT_EQ(found.rfind(output + ": " + what, 0), 0U) << found;
  };
  expect("/impacts/time: dataset is missing", [](Hdf5Scene& f) { f.remove("/impacts/time"); });
  expect("/impacts/shape_b: dataset is missing", [](Hdf5Scene& f) { f.remove("/impacts/shape_b"); });
  expect("/impacts/frame_offset: dataset is missing", [](Hdf5Scene& f) { f.remove("/impacts/frame_offset"); });
  expect("/impacts/frame_offset[0] must be 0, got 1", [](Hdf5Scene& f) {
    f.put<std::uint64_t>("/impacts/frame_offset", {4}, {1, 1, 3, 5003});
  });
  expect("/impacts/frame_offset[2] is less than the entry before", [](Hdf5Scene& f) {
    f.put<std::uint64_t>("/impacts/frame_offset", {4}, {0, 4, 3, 5003});
  });
  expect("/impacts/frame_offset has 3 entries, but /frame_offset has 4", [](Hdf5Scene& f) {
    f.put<std::uint64_t>("/impacts/frame_offset", {3}, {0, 3, 5003});
  });
  expect("/impacts/body_a has extent (5003), but must have 5004, one entry for each impact of /impacts/frame_offset",
         [](Hdf5Scene& f) {
           f.put<std::uint64_t>("/impacts/frame_offset", {4}, {0, 0, 3, 5004});
         });
  expect("/impacts/normal has extent (5003)",
         [](Hdf5Scene& f) { f.put<double>("/impacts/normal", {5003}, std::vector<double>(5003)); });
  expect("/impacts/body_b[1] is -1", [](Hdf5Scene& f) {
    std::vector<std::int64_t> bodies(5003, 0);
    bodies[1] = -1;
    f.put<std::int64_t>("/impacts/body_b", {5003}, bodies);
  });
}

TEST_F(MotionFile, RecordingsKeepMotionAndImpacts) {
  Scene scene;
  scene.bodies.shape = {Shape::sphere};
  scene.bodies.size = {{0.5, 0.0, 0.0}};
  const std::vector<double> position{1.0, 2.0, 3.0}, orientation{1.0, 0.0, 0.0, 0.0}, way{0.1, 0.2, 1.0 / 3.0};
  const auto impacts = frames_of_impacts();
  {
    RecordingWriter writer(output, scene, 3, {}, true);
    for (const auto& found : impacts) writer.append({position, orientation}, std::vector<Contact>(2), {way, {}}, found);
    writer.finish();
  }
  {
    RecordingReader reader(output);
    EXPECT_TRUE(reader.has_impacts());
    FrameMotion motion;
    reader.scene().read_motion(2, motion);
    EXPECT_EQ(motion.displacement, way);
    EXPECT_EQ(motion.rotation, std::vector<double>(3, 0.0));
    ASSERT_EQ(reader.frames().size(), 3U);
    EXPECT_EQ(reader.frames()[1].impacts, 3U);
    EXPECT_EQ(reader.frames()[1].impact_hash, impact_hash(impacts[1]));
    std::uint64_t hash = 0;
    for (const auto& found : impacts) hash = impact_hash(found, hash);
    EXPECT_EQ(reader.impact_hash(), hash);

    RecordingCheck same(reader), other(reader);
    for (std::size_t f = 0; f < 3; ++f) {
      same.add(f, std::vector<Contact>(2), impacts[f]);
      std::vector<Impact> changed = impacts[f];
      if (f == 2) changed[17].time = std::nextafter(changed[17].time, 1.0);
      other.add(f, std::vector<Contact>(2), changed);
    }
    EXPECT_FALSE(same.first());
    EXPECT_EQ(same.impact_hash(), hash);
    ASSERT_TRUE(other.first());
    EXPECT_EQ(other.first()->frame, 2U);
    EXPECT_EQ(other.hash(), reader.hash());
    EXPECT_NE(other.impact_hash(), hash);
  }
  {
    Hdf5Scene file(output, Hdf5Scene::Existing{});
    file.put<std::uint64_t>("/recording/impacts/count", {2}, {1, 2});
  }
  EXPECT_THROW(RecordingReader{output}, Error);
}

}  // namespace
}  // namespace oclide
