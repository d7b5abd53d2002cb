// Scene files are read whatever their number types and storage, and written so that they read back as they were.
#include "files/scene_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "files/hdf5_scene.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

using test::Hdf5Scene;

class SceneFile : public ::testing::Test {
 protected:
  void write(const std::function<void(Hdf5Scene&)>& change = {}) const {
    Hdf5Scene scene(name);
    if (change) change(scene);
  }

  test::TemporaryFolder folder;
  std::string name = folder.file("scene.h5");
};

TEST_F(SceneFile, GivesAllThatIsInTheFile) {
  write();
  SceneReader reader(name);
  const Scene& scene = reader.scene();
  ASSERT_EQ(scene.terrains.size(), 2U);
  EXPECT_EQ(scene.terrains[0].rows, 3U);
  EXPECT_EQ(scene.terrains[0].cols, 4U);
  EXPECT_EQ(scene.terrains[0].origin, (std::array{-2.0, -1.0}));
  EXPECT_EQ(scene.terrains[0].spacing, (std::array{2.0, 1.5}));
  EXPECT_EQ(scene.terrains[0].material, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(scene.terrains[0].holes.empty());
  EXPECT_EQ(scene.terrains[1].heights, (std::vector{0.0, 1.0, 2.0, 3.0}));
  EXPECT_EQ(scene.environment_terrain, (std::vector<std::int32_t>{0, 1, -1}));
  ASSERT_EQ(scene.bodies.count(), 4U);
  EXPECT_EQ(scene.bodies.shape[2], Shape::cylinder);
  EXPECT_EQ(scene.bodies.size[1], (std::array{0.5, 0.4, 0.3}));
  EXPECT_EQ(scene.bodies.environment, (std::vector<std::uint32_t>{0, 0, 0, 1}));
  EXPECT_TRUE(scene.bodies.group.empty());
  ASSERT_EQ(reader.frames(), 3U);
  Frame frame;
  reader.read_frame(2, frame);
  ASSERT_EQ(frame.position.size(), 12U);
  EXPECT_EQ(frame.position[9], 1.5);
  EXPECT_DOUBLE_EQ(frame.position[11], 0.2);
  ASSERT_EQ(frame.orientation.size(), 16U);
  EXPECT_EQ(frame.orientation[12], 1.0);
}

TEST_F(SceneFile, HasFlagsMarginsExcludedPairsAndFiltersOfTerrain) {
  write([](Hdf5Scene& s) {
    s.put<std::int64_t>("/bodies/flags", {4}, {0, 7, 2, 1});
    s.put<float>("/bodies/margin", {4}, {0.0F, 0.25F, 0.0F, 1.5F});
    s.put<std::uint16_t>("/bodies/excluded", {2, 2}, {3, 0, 1, 2});
    s.attribute("/bodies", "either_mask", std::int32_t{1});
    s.attribute("/terrains/1", "group", std::int64_t{-3});
    s.attribute("/terrains/1", "category", std::uint8_t{5});
    s.attribute("/terrains/1", "mask", std::uint32_t{0xF0000000U});
  });
  const std::string copy = folder.file("copy.h5");
  for (const std::string& file : {name, copy}) {
    SceneReader reader(file);
    const Scene& scene = reader.scene();
    EXPECT_EQ(scene.bodies.flags, (std::vector<std::uint32_t>{0, 7, 2, 1}));
    EXPECT_EQ(scene.bodies.margin, (std::vector<double>{0.0, 0.25, 0.0, 1.5}));
    EXPECT_EQ(scene.bodies.excluded, (std::vector<std::array<std::uint32_t, 2>>{{3, 0}, {1, 2}}));
    EXPECT_TRUE(scene.bodies.either_mask);
    EXPECT_EQ(scene.terrains[0].group, 0);
    EXPECT_EQ(scene.terrains[0].category, 0xFFFFFFFFU);
    EXPECT_EQ(scene.terrains[0].mask, 0xFFFFFFFFU);
    EXPECT_EQ(scene.terrains[1].group, -3);
    EXPECT_EQ(scene.terrains[1].category, 5U);
    EXPECT_EQ(scene.terrains[1].mask, 0xF0000000U);
    if (file == copy) break;
    Frame frame;
    reader.read_frame(0, frame);
    SceneWriter writer(copy, scene, 1);
    writer.append({frame.position, frame.orientation});
    writer.finish();
  }
  const auto fault = [&](const std::function<void(Hdf5Scene&)>& change) {
    write(change);
    try {
      (void)SceneReader(name);
    } catch (const Error& e) {
      return std::string(e.what()).substr(std::string(e.what()).find(": ") + 2);
    }
    return std::string();
  };
  EXPECT_EQ(fault([](Hdf5Scene& s) {
              s.put<std::uint32_t>("/bodies/flags", {4}, {0, 1, 8, 0});
            }),
            "/bodies/flags[2] is 8, but bits from 8 on have no meaning");
  EXPECT_EQ(fault([](Hdf5Scene& s) {
              s.put<double>("/bodies/margin", {4}, {0, 0, 0, -1});
            }),
            "/bodies/margin[3] must be finite, not negative and at most 1e9 m, got -1");
  EXPECT_EQ(fault([](Hdf5Scene& s) {
              s.put<double>("/bodies/margin", {3}, {0, 0, 0});
            }),
            "/bodies/margin has extent (3), but must have (4), one entry for each of /bodies/shape");
  EXPECT_EQ(fault([](Hdf5Scene& s) {
              s.put<std::uint32_t>("/bodies/excluded", {1, 2}, {1, 4});
            }),
            "/bodies/excluded[0] names body 4 of 4");
  EXPECT_NE(fault([](Hdf5Scene& s) {
              s.put<std::uint32_t>("/bodies/excluded", {4}, {1, 0, 2, 3});
            }).find("(pairs, 2)"),
            std::string::npos);
  EXPECT_EQ(fault([](Hdf5Scene& s) { s.attribute("/bodies", "either_mask", std::int32_t{2}); }),
            "/bodies: attribute 'either_mask' is 2, but must be 0 or 1");
  EXPECT_EQ(fault([](Hdf5Scene& s) { s.attribute("/terrains/0", "mask", std::int64_t{-1}); }),
            "/terrains/0: attribute 'mask' is -1, which has more than 32 bits");
}

TEST_F(SceneFile, WithoutFramesAxisIsOneFrame) {
  write([](Hdf5Scene& s) { s.put<float>("/bodies/position", {4, 3}, std::vector<float>(12, 1.0F)); });
  EXPECT_EQ(SceneReader(name).frames(), 1U);
}

TEST_F(SceneFile, OrientationAloneMayHaveFrames) {
  write([](Hdf5Scene& s) {
    s.put<float>("/bodies/position", {4, 3}, std::vector<float>(12, 1.0F));
    std::vector<double> turning(32, 0.5);
    turning[16] = 7.0;
    s.put<double>("/bodies/orientation", {2, 4, 4}, turning);
  });
  SceneReader reader(name);
  ASSERT_EQ(reader.frames(), 2U);
  Frame frame;
  reader.read_frame(1, frame);
  EXPECT_EQ(frame.orientation[0], 7.0);
  EXPECT_EQ(frame.position[0], 1.0);
}

TEST_F(SceneFile, TakesStringsAndNumbersAsOtherProgramsWriteThem) {
  write([](Hdf5Scene& s) { s.variable_attribute("/", "format", "oclide-scene"); });
  EXPECT_NO_THROW(SceneReader{name});
  write([](Hdf5Scene& s) { s.attribute("/", "format", std::string("oclide-scene"), 20); });
  EXPECT_NO_THROW(SceneReader{name});
  write([](Hdf5Scene& s) { s.attribute("/", "version", std::uint8_t{1}); });
  EXPECT_NO_THROW(SceneReader{name});
  write([](Hdf5Scene& s) { s.attribute("/", "version", std::vector<std::int32_t>{1}); });
  EXPECT_NO_THROW(SceneReader{name});
  write([](Hdf5Scene& s) { s.attribute("/terrains/0/heights", "spacing", std::vector<std::int64_t>{3, 4}); });
  EXPECT_EQ(SceneReader(name).scene().terrains[0].spacing, (std::array{3.0, 4.0}));
}

TEST_F(SceneFile, TakesOtherWidthsAndCompressedChunks) {
  write([](Hdf5Scene& s) {
    s.put<std::int64_t>("/bodies/shape", {4}, {0, 1, 3, 2}, true);
    s.put<std::uint64_t>("/bodies/environment", {4}, {0, 1, 2, 0});
    s.put<std::int16_t>("/bodies/group", {4}, {-5, 0, 0, 9});
    s.put<std::int64_t>("/bodies/mask", {4}, {0xFFFFFFFF, 1, 0, 7});
    s.put<float>("/bodies/position", {3, 4, 3}, std::vector<float>(36, 0.25F), true);
    s.put<double>("/terrains/0/heights", {3, 4}, std::vector<double>(12, 4.0), true);
    s.attribute("/terrains/0/heights", "origin", std::vector<double>{0.0, 0.0});
    s.attribute("/terrains/0/heights", "spacing", std::vector<double>{1.0, 1.0});
  });
  SceneReader reader(name);
  EXPECT_EQ(reader.scene().bodies.shape[2], Shape::capsule);
  EXPECT_EQ(reader.scene().bodies.environment[2], 2U);
  EXPECT_EQ(reader.scene().bodies.group[0], -5);
  EXPECT_EQ(reader.scene().bodies.mask[0], 0xFFFFFFFFU);
  EXPECT_EQ(reader.scene().terrains[0].heights[11], 4.0);
  Frame frame;
  reader.read_frame(1, frame);
  EXPECT_EQ(frame.position[5], 0.25);
}

TEST_F(SceneFile, IgnoresWhatItDoesNotKnow) {
  write([](Hdf5Scene& s) {
    s.put<float>("/truth/touches", {1}, {1.0F});
    s.put<float>("/terrains/notes/heights", {1}, {1.0F});
    s.attribute("/", "author", std::string("someone"));
  });
  EXPECT_EQ(SceneReader(name).scene().terrains.size(), 2U);
}

TEST_F(SceneFile, MayHaveNoBodiesAndNoTerrain) {
  write([](Hdf5Scene& s) {
    s.remove("/terrains");
    s.remove("/environments");
    s.remove("/bodies/environment");
    s.put<std::uint8_t>("/bodies/shape", {0}, {});
    s.put<float>("/bodies/size", {0, 3}, {});
    s.put<float>("/bodies/position", {5, 0, 3}, {});
    s.put<float>("/bodies/orientation", {0, 4}, {});
  });
  SceneReader reader(name);
  EXPECT_EQ(reader.scene().bodies.count(), 0U);
  EXPECT_EQ(reader.frames(), 5U);
  Frame frame;
  reader.read_frame(4, frame);
  EXPECT_TRUE(frame.position.empty());
}

TEST_F(SceneFile, TakesHalfSpacesWithoutTerrainWhateverTheirSize) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  write([](Hdf5Scene& s) {
    s.remove("/terrains");
    s.put<std::int32_t>("/environments/terrain", {2}, {-1, -1});
    s.put<std::uint8_t>("/bodies/shape", {4}, {5, 0, 1, 5});
    s.put<float>("/bodies/size", {4, 3}, {kNan, kNan, kNan, 0.5F, 0, 0, 0.5F, 0.4F, 0.3F, -1, 0, kNan});
  });
  SceneReader reader(name);
  EXPECT_TRUE(reader.scene().terrains.empty());
  EXPECT_EQ(reader.scene().environment_terrain, (std::vector<std::int32_t>{-1, -1}));
  EXPECT_EQ(reader.scene().bodies.shape,
            (std::vector{Shape::half_space, Shape::sphere, Shape::box, Shape::half_space}));
  EXPECT_EQ(reader.scene().bodies.size[1][0], 0.5);
}

TEST_F(SceneFile, GivesWhichBodiesMeet) {
  write([](Hdf5Scene& s) {
    s.put<std::int32_t>("/bodies/group", {4}, {-2147483647 - 1, 0, 7, 2147483647});
    s.put<std::uint32_t>("/bodies/category", {4}, {1, 2, 0x80000000U, 0});
    s.put<std::uint32_t>("/bodies/mask", {4}, {0xFFFFFFFFU, 0, 3, 4});
    s.put<std::uint8_t>("/bodies/environment", {4}, {2, 1, 0, 2});
  });
  const Bodies bodies = SceneReader(name).scene().bodies;
  EXPECT_EQ(bodies.group, (std::vector<std::int32_t>{-2147483647 - 1, 0, 7, 2147483647}));
  EXPECT_EQ(bodies.category, (std::vector<std::uint32_t>{1, 2, 0x80000000U, 0}));
  EXPECT_EQ(bodies.mask, (std::vector<std::uint32_t>{0xFFFFFFFFU, 0, 3, 4}));
  EXPECT_EQ(bodies.environment, (std::vector<std::uint32_t>{2, 1, 0, 2}));
}

TEST_F(SceneFile, NamesFrameAndBodyOfABadPose) {
  write([](Hdf5Scene& s) { s.set("/bodies/position", {2, 3, 1}, std::numeric_limits<double>::quiet_NaN()); });
  SceneReader reader(name);
  Frame frame;
  EXPECT_NO_THROW(reader.read_frame(1, frame));
  try {
    reader.read_frame(2, frame);
    FAIL() << "a position that is not a number was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.what(), name + ": /bodies/position[2][3][1] must be finite, got nan");
  }
}

TEST_F(SceneFile, ReadsBackWhatWasWritten) {
  Scene scene;
  scene.terrains.resize(2);
  for (Terrain& t : scene.terrains) {
    t.rows = 2;
    t.cols = 3;
    t.origin = {1.0 / 3.0, -7.0};
    t.spacing = {0.1, 0.2};
    t.heights = {0.0, 1.5, -2.25, 3.0, std::numeric_limits<double>::quiet_NaN(), 5.0};
  }
  scene.terrains[1].holes = {0, 1};
  scene.terrains[1].material = {9, 8};
  scene.terrains[1].tile_of = 1;
  scene.terrains[1].diagonal = Diagonal::alternating_falling;
  scene.environment_terrain = {1, -1};
  scene.bodies.shape = {Shape::box, Shape::half_space};
  scene.bodies.size = {{0.1, 0.2, 0.3}, {0.0, 0.0, 0.0}};
  scene.bodies.environment = {1, 0};
  scene.bodies.group = {-1, 4};
  scene.bodies.category = {1, 0x80000000U};
  scene.bodies.mask = {3, 0};
  const std::vector<double> position{1.0, 2.0, 3.0, 1.0 / 3.0, 5.0, 6.0};
  const std::vector<double> orientation{1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5};
  SceneWriter writer(name, scene, 2);
  writer.append({position, orientation});
  EXPECT_FALSE(std::filesystem::exists(name)) << "an unfinished file has the name of a finished one";
  writer.append({position, orientation});
  writer.finish();

  SceneReader reader(name);
  ASSERT_EQ(reader.scene().terrains.size(), 2U);
  EXPECT_EQ(reader.scene().terrains[0].origin, scene.terrains[0].origin);
  EXPECT_EQ(reader.scene().terrains[1].heights[2], -2.25);
  EXPECT_TRUE(std::isnan(reader.scene().terrains[1].heights[4]));
  EXPECT_EQ(reader.scene().terrains[1].holes, scene.terrains[1].holes);
  EXPECT_EQ(reader.scene().terrains[0].tile_of, -1);
  EXPECT_EQ(reader.scene().terrains[1].tile_of, 1);
  EXPECT_EQ(reader.scene().terrains[0].diagonal, Diagonal::falling);
  EXPECT_EQ(reader.scene().terrains[1].diagonal, Diagonal::alternating_falling);
  EXPECT_EQ(reader.scene().terrains[1].material, scene.terrains[1].material);
  EXPECT_EQ(reader.scene().environment_terrain, scene.environment_terrain);
  EXPECT_EQ(reader.scene().bodies.shape, scene.bodies.shape);
  EXPECT_EQ(reader.scene().bodies.size, scene.bodies.size);
  EXPECT_EQ(reader.scene().bodies.environment, scene.bodies.environment);
  EXPECT_EQ(reader.scene().bodies.group, scene.bodies.group);
  EXPECT_EQ(reader.scene().bodies.category, scene.bodies.category);
  EXPECT_EQ(reader.scene().bodies.mask, scene.bodies.mask);
  ASSERT_EQ(reader.frames(), 2U);
  Frame frame;
  reader.read_frame(1, frame);
  EXPECT_EQ(frame.position, position);
  EXPECT_EQ(frame.orientation, orientation);
}

TEST_F(SceneFile, GivesTheCompoundsThatAreInIt) {
  write([](Hdf5Scene& s) {
    s.put<std::uint8_t>("/compounds/0/shape", {1}, {0});
    s.put<float>("/compounds/0/size", {1, 3}, {0.25F, 0, 0});
    s.put<float>("/compounds/0/position", {1, 3}, {1, 2, 3});
    s.put<float>("/compounds/0/orientation", {1, 4}, {2, 0, 0, 0});
    s.put<std::int64_t>("/compounds/1/shape", {2}, {1, 2});
    s.put<double>("/compounds/1/size", {2, 3}, {0.5, 0.4, 0.3, 0.2, 0.1, 0});
    s.put<double>("/compounds/1/position", {2, 3}, {0, 0, 0, 0, -1, 0.5});
    s.put<double>("/compounds/1/orientation", {2, 4}, {1, 0, 0, 0, 0, 0, 3, 4});
    s.put<std::uint8_t>("/bodies/shape", {4}, {0, 6, 2, 6});
    s.put<float>("/bodies/size", {4, 3}, {0.5F, 0, 0, 1, -7, 0, 0.3F, 0.6F, 0, 0, 0, 0});
  });
  const Scene scene = SceneReader(name).scene();
  ASSERT_EQ(scene.compounds.size(), 2U);
  ASSERT_EQ(scene.compounds[0].size(), 1U);
  ASSERT_EQ(scene.compounds[1].size(), 2U);
  EXPECT_EQ(scene.compounds[0][0].size[0], 0.25);
  EXPECT_EQ(scene.compounds[0][0].position, (std::array{1.0, 2.0, 3.0}));
  EXPECT_EQ(scene.compounds[1][1].shape, Shape::cylinder);
  EXPECT_EQ(scene.compounds[1][1].position, (std::array{0.0, -1.0, 0.5}));
  EXPECT_EQ(scene.compounds[1][1].orientation, (std::array{0.0, 0.0, 3.0, 4.0}));
  EXPECT_EQ(scene.bodies.shape[3], Shape::compound);
  EXPECT_EQ(scene.bodies.size[1][0], 1.0);
}

TEST_F(SceneFile, ReadsBackTheCompoundsThatWereWritten) {
  Scene scene;
  scene.compounds = {
      {{Shape::box, {0.1, 0.2, 1.0 / 3.0}, {0.5, -1.0, 2.0}, {0.5, 0.5, -0.5, 0.5}}, {Shape::capsule, {0.3, 0.4, 0.0}}},
      {{Shape::sphere, {0.7, 0.0, 0.0}, {0.0, 0.0, 1e9}, {0.0, 0.0, 0.0, -3.0}}}};
  scene.bodies.shape = {Shape::compound, Shape::sphere, Shape::compound};
  scene.bodies.size = {{1.0, 0.0, 0.0}, {0.5, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  SceneWriter writer(name, scene, 1);
  const std::vector<double> position(9, 0.0), orientation{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  writer.append({position, orientation});
  writer.finish();

  const Scene read = SceneReader(name).scene();
  EXPECT_EQ(read.bodies.shape, scene.bodies.shape);
  EXPECT_EQ(read.bodies.size, scene.bodies.size);
  ASSERT_EQ(read.compounds.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(read.compounds[k].size(), scene.compounds[k].size());
    for (std::size_t i = 0; i < read.compounds[k].size(); ++i) {
      EXPECT_EQ(read.compounds[k][i].shape, scene.compounds[k][i].shape);
      EXPECT_EQ(read.compounds[k][i].size, scene.compounds[k][i].size);
      EXPECT_EQ(read.compounds[k][i].position, scene.compounds[k][i].position);
      EXPECT_EQ(read.compounds[k][i].orientation, scene.compounds[k][i].orientation);
    }
  }
}

// A tetrahedron, as other programs may write it, and the same as a sheet.
void put_meshes(Hdf5Scene& s) {
  s.put<float>("/meshes/0/vertices", {4, 3}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  s.put<std::int64_t>("/meshes/0/triangles", {4, 3}, {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3}, true);
  s.put<std::uint16_t>("/meshes/0/material", {4}, {7, 8, 9, 255});
  s.attribute("/meshes/0", "solid", std::uint8_t{1});
  s.put<double>("/meshes/1/vertices", {4, 3}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 3.0}, true);
  s.put<std::uint32_t>("/meshes/1/triangles", {2, 3}, {0, 1, 2, 2, 1, 3});
  s.put<std::uint8_t>("/bodies/shape", {4}, {0, 7, 2, 7});
  s.put<float>("/bodies/size", {4, 3}, {0.5F, 0, 0, 1, -7, 0, 0.3F, 0.6F, 0, 0, 0, 0});
}

TEST_F(SceneFile, GivesTheMeshesThatAreInIt) {
  write(put_meshes);
  const Scene scene = SceneReader(name).scene();
  ASSERT_EQ(scene.meshes.size(), 2U);
  EXPECT_EQ(scene.meshes[0].vertices[3], (std::array{0.0, 0.0, 1.0}));
  EXPECT_EQ(scene.meshes[0].triangles[3], (std::array{2U, 0U, 3U}));
  EXPECT_EQ(scene.meshes[0].material, (std::vector<std::uint8_t>{7, 8, 9, 255}));
  EXPECT_TRUE(scene.meshes[0].solid);
  EXPECT_EQ(scene.meshes[1].vertices[3][2], 1.0 / 3.0);
  EXPECT_TRUE(scene.meshes[1].material.empty());
  EXPECT_FALSE(scene.meshes[1].solid);
}

TEST_F(SceneFile, ReadsBackTheMeshesThatWereWritten) {
  write(put_meshes);
  Scene scene = SceneReader(name).scene();
  scene.meshes[1].vertices[0] = {1.0 / 3.0, -1e8, 2.0};
  SceneWriter writer(name, scene, 1);
  const std::vector<double> position(12, 0.0), orientation{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  writer.append({position, orientation});
  writer.finish();
  const Scene read = SceneReader(name).scene();
  ASSERT_EQ(read.meshes.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(read.meshes[k].vertices, scene.meshes[k].vertices);
    EXPECT_EQ(read.meshes[k].triangles, scene.meshes[k].triangles);
    EXPECT_EQ(read.meshes[k].material, scene.meshes[k].material);
    EXPECT_EQ(read.meshes[k].solid, scene.meshes[k].solid);
  }
  EXPECT_EQ(read.bodies.shape, scene.bodies.shape);
}

TEST_F(SceneFile, NamesWhatIsWrongWithAMesh) {
  using Triangles = std::vector<std::uint32_t>;
  const auto expect_refusal = [&](const std::string& message, const std::function<void(Hdf5Scene&)>& change) {
    write([&](Hdf5Scene& s) { put_meshes(s), change(s); });
    try {
      const SceneReader reader(name);
      ADD_FAILURE() << "taken, not: " << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), name + ": " + message);
    }
  };
  expect_refusal("/meshes/1/triangles[1][2] must be below the 4 vertices that there are, got 4", [](Hdf5Scene& s) {
    s.put("/meshes/1/triangles", {2, 3}, Triangles{0, 1, 2, 2, 1, 4});
  });
  expect_refusal("/meshes/1/triangles[0][1] is -1, which is outside the range 0 .. 4294967295", [](Hdf5Scene& s) {
    s.put<std::int32_t>("/meshes/1/triangles", {1, 3}, {0, -1, 2});
  });
  expect_refusal("/meshes/1/triangles must hold whole numbers", [](Hdf5Scene& s) {
    s.put<float>("/meshes/1/triangles", {1, 3}, {0, 1, 2});
  });
  expect_refusal("/meshes/1/triangles has extent (3), but must have extent (triangles, 3)", [](Hdf5Scene& s) {
    s.put("/meshes/1/triangles", {3}, Triangles{0, 1, 2});
  });
  expect_refusal("/meshes/1/triangles: a mesh needs at least one triangle", [](Hdf5Scene& s) {
    s.put("/meshes/1/triangles", {0, 3}, Triangles{});
  });
  expect_refusal("/meshes/1/triangles: dataset is missing", [](Hdf5Scene& s) { s.remove("/meshes/1/triangles"); });
  expect_refusal("/meshes/1/vertices has extent (3, 2), but must have extent (points, 3)", [](Hdf5Scene& s) {
    s.put<float>("/meshes/1/vertices", {3, 2}, std::vector<float>(6));
  });
  expect_refusal("/meshes/1/vertices[2][0] must be finite and at most 1e9 m from the origin, got nan",
                 [](Hdf5Scene& s) {
                   s.set("/meshes/1/vertices", {2, 0}, std::numeric_limits<double>::quiet_NaN());
                 });
  expect_refusal(
      "/meshes/0/material has extent (2), but must have (4), one entry for each triangle of "
      "/meshes/0/triangles",
      [](Hdf5Scene& s) {
        s.put<std::uint8_t>("/meshes/0/material", {2}, {1, 2});
      });
  expect_refusal("/meshes/1: attribute 'solid' is 2, but must be 0 or 1",
                 [](Hdf5Scene& s) { s.attribute("/meshes/1", "solid", 2); });
  expect_refusal("/meshes/1/triangles: a solid must be closed, but edge 0-1 has one triangle (0)",
                 [](Hdf5Scene& s) { s.attribute("/meshes/1", "solid", 1); });
  expect_refusal("/meshes/0 is missing: there are 1 meshes, which must be numbered 0, 1, ... without gaps",
                 [](Hdf5Scene& s) { s.remove("/meshes/0"); });
  expect_refusal("/bodies/size[1]: index of a mesh must be a whole number below the 2 that there are, got 2",
                 [](Hdf5Scene& s) {
                   s.set("/bodies/size", {1, 0}, 2.0);
                 });
  // Rows that are declared, and not there.
  constexpr hsize_t kMany = 100'000'000;
  expect_refusal("/meshes/1/triangles has extent (100000000, 3), of which most was never written", [](Hdf5Scene& s) {
    s.put("/meshes/1/triangles", {kMany, 3}, Triangles{}, true);
  });
  expect_refusal("/meshes/1/vertices has extent (100000000, 3), of which most was never written", [](Hdf5Scene& s) {
    s.put<float>("/meshes/1/vertices", {kMany, 3}, {});
  });
  expect_refusal("/meshes/1/triangles has extent (1100000000, 3), but must have at most 1073741824 triangles",
                 [](Hdf5Scene& s) {
                   s.put<std::uint8_t>("/meshes/1/triangles", {11 * kMany, 3}, {}, true);
                 });
}

TEST_F(SceneFile, UnfinishedLeavesNothing) {
  Scene scene;
  { const SceneWriter writer(name, scene, 1); }
  EXPECT_EQ(folder.count(), 0U);
}

TEST_F(SceneFile, UnfinishedKeepsTheFileBefore) {
  write();
  { const SceneWriter writer(name, Scene{}, 1); }
  EXPECT_EQ(SceneReader(name).scene().bodies.count(), 4U);
  EXPECT_EQ(folder.count(), 1U);
}

}  // namespace
}  // namespace oclide
