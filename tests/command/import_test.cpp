// oclide import: scenes of other programs' meshes.
#include <gtest/gtest.h>

#include <fstream>

#include "files/scene_file.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

class ImportCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProcessResult result = run_oclide({"import", tetrahedron, "-o", scene});
    if (result.err.find("without assimp") != std::string::npos) GTEST_SKIP() << result.err;
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5");
  std::string tetrahedron =
      write("tetrahedron.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  std::string shard = write("flat.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  std::string sheet = write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\nf 1 1 2\n");
};

TEST_F(ImportCommand, MakesAMeshOfEachFile) {
  const ProcessResult result = run_oclide({"import", tetrahedron, sheet, "-o", scene, "--scale", "2", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const Json json = printed_json(result);
  EXPECT_EQ(json.at("bodies"), 2);
  EXPECT_EQ(json.at("files").at(0).at("triangles"), 4);
  EXPECT_EQ(json.at("files").at(1).at("vertices"), 4);
  EXPECT_EQ(json.at("files").at(1).at("without_area"), 1);
  const Scene read = SceneReader(scene).scene();
  ASSERT_EQ(read.meshes.size(), 2U);
  EXPECT_EQ(read.meshes[0].vertices.size(), 4U);
  EXPECT_FALSE(read.meshes[0].solid);
  EXPECT_EQ(read.bodies.shape, (std::vector<Shape>(2, Shape::triangle_mesh)));
  EXPECT_EQ(read.bodies.size[1][0], 1.0);
}

TEST_F(ImportCommand, MakesSolidsAndHulls) {
  EXPECT_EQ(run_oclide({"import", tetrahedron, "-o", scene, "--solid"}).status, 0);
  EXPECT_TRUE(SceneReader(scene).scene().meshes.at(0).solid);
  EXPECT_EQ(run_oclide({"import", tetrahedron, "-o", scene, "--hull"}).status, 0);
  const Scene read = SceneReader(scene).scene();
  EXPECT_TRUE(read.meshes.empty());
  EXPECT_EQ(read.hulls.at(0).size(), 4U);
  EXPECT_EQ(read.bodies.shape, (std::vector<Shape>{Shape::convex_hull}));
}

TEST_F(ImportCommand, PutsSpheresInPlaceOfMeshesAndHulls) {
  for (const char* kind : {"--solid", "--hull"}) {
    const ProcessResult result =
        run_oclide({"import", tetrahedron, shard, "-o", scene, kind, "--spheres", "20", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const Json json = printed_json(result);
    EXPECT_EQ(json.at("shape"), "compound body");
    const Scene read = SceneReader(scene).scene();
    EXPECT_TRUE(read.meshes.empty() && read.hulls.empty());
    EXPECT_EQ(read.bodies.shape, (std::vector<Shape>(2, Shape::compound)));
    EXPECT_EQ(read.bodies.size[1][0], 1.0);
    ASSERT_EQ(read.compounds.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(json.at("files").at(k).at("spheres"), read.compounds[k].size());
      EXPECT_GT(json.at("files").at(k).at("error"), 0.01);
      EXPECT_LT(json.at("files").at(k).at("error"), 0.6);
      EXPECT_GT(read.compounds[k].size(), 10U);
      for (const CompoundPart& part : read.compounds[k]) EXPECT_EQ(part.shape, Shape::sphere);
    }
  }
  EXPECT_EQ(run_oclide({"run", scene, "--device", "reference"}).status, 0);
}

TEST_F(ImportCommand, SaysWhatWeldingJoined) {
  const std::string cracked = write(
      "cracked.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nv 0 0 3.0001\nf 1 3 2\nf 1 2 4\nf 2 3 5\nf 3 1 4\nf 1 4 5\n");
  EXPECT_EQ(run_oclide({"import", cracked, "-o", scene, "--solid"}).status, 2);
  const ProcessResult result = run_oclide({"import", cracked, "-o", scene, "--solid", "--weld", "0.001", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json file = printed_json(result).at("files").at(0);
  EXPECT_EQ(file.at("joined"), 1);
  EXPECT_EQ(file.at("collapsed"), 1);
  EXPECT_EQ(SceneReader(scene).scene().meshes.at(0).vertices.size(), 4U);
}

TEST_F(ImportCommand, RefusesInOneLineAndLeavesNothing) {
  const auto expect_refusal = [&](std::vector<std::string> arguments, const std::string& message) {
    const std::string out = folder.file("refused.h5");
    arguments.insert(arguments.begin(), "import");
    arguments.insert(arguments.end(), {"-o", out});
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  expect_refusal({sheet, "--solid"}, sheet + ": mesh/triangles: a solid must be closed, but edge ");
  expect_refusal({sheet, "--hull"}, sheet + ": vertices: all 4 points are in a plane");
  expect_refusal({tetrahedron, folder.file("none.stl")}, "none.stl: No such file or directory");
  expect_refusal(
      {
          write("bad.ply", "ply\n"),
      },
      "bad.ply: cannot be read");
  expect_refusal({tetrahedron, "--scale", "0"}, "--scale must be positive");
  expect_refusal({tetrahedron, "--hull", "--solid"}, "--hull excludes --solid");
  expect_refusal({tetrahedron, "--up", "x"}, "--up");
  for (const char* weld : {"0", "-1e-6", "nan", "inf"})
    expect_refusal({tetrahedron, "--weld", weld}, "--weld must be positive and finite");
  expect_refusal({tetrahedron, "--weld", "50"}, "tetrahedron.obj: has no triangles that welding leaves");
  for (const char* spheres : {"0", "65537"})
    expect_refusal({tetrahedron, "--spheres", spheres}, "--spheres " + std::string(spheres) + ": from 1 to 65536");
  expect_refusal({tetrahedron, "--spheres", "2.5"}, "'2.5' is no whole number");
}

}  // namespace
}  // namespace oclide::test
