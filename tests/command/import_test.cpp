// oclide import: scenes of other programs' meshes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "files/scene_file.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

// With a program in place of Python.
ProcessOptions with_python(const std::string& program) {
  ProcessOptions options;
  options.environment["OCLIDE_PYTHON"] = program;
  return options;
}

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

// A program in place of Python: it keeps its arguments, and prints what it is told.
class HandedToPython : public ::testing::Test {
 protected:
  std::string python(const std::string& program) const {
    std::ofstream(folder.file("python")) << "#!/bin/sh\nshift 2\nprintf '%s\\n' \"$@\" > '" + folder.file("arguments") +
                                                "'\n" + program + "\n";
    std::filesystem::permissions(folder.file("python"), std::filesystem::perms::owner_all);
    return folder.file("python");
  }

  ProcessResult run(const std::string& program, const std::vector<std::string>& arguments) const {
    return run_oclide(arguments, with_python(python(program)));
  }

  std::vector<std::string> arguments() const {
    std::ifstream file(folder.file("arguments"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5");
};

TEST_F(HandedToPython, RobotsGoWithTheirOption) {
  const std::string answer =
      R"(echo '{"bodies": 3, "hulls": 2, "meshes": 0, "left_out": ["egg: a flex"], "notes": ["as \u001b it is"]}')";
  const ProcessResult text = run(answer, {"import", "arm.urdf", "-o", scene, "--meshes", "mesh"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.out, scene + ": 3 bodies, 2 hulls, 0 meshes\nleft out: egg: a flex\nnote: as \\u001b it is\n");
  EXPECT_EQ(arguments(), (std::vector<std::string>{"import", "arm.urdf", "-o", scene, "--meshes", "mesh", "--json"}));
  for (const char* file : {"ARM.URDF", "a.xml", "a.mjcf"})
    EXPECT_EQ(printed_json(run(answer, {"import", file, "-o", scene, "--json"})).at("bodies"), 3);
}

TEST_F(HandedToPython, TheWorkshopGoesWithItsNumbers) {
  const ProcessResult result = run(
      R"(echo '{"bodies": 70, "frames": 2, "environments": 3, "robots": ["hand"]}')",
      {"generate", "workshop", "-o", scene, "--bodies", "70", "--frames", "2", "--environments", "3", "--seed", "9"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, scene + ": 70 bodies, 2 frames, 3 environments; robots: hand\n");
  EXPECT_EQ(arguments(), (std::vector<std::string>{"generate", "workshop", "-o", scene, "--seed", "9", "--bodies", "70",
                                                   "--frames", "2", "--environments", "3", "--json"}));
  EXPECT_NE(run_oclide({"generate", "--list"}).out.find("workshop"), std::string::npos);
}

TEST_F(HandedToPython, WhatGoesWrongIsOneLineWithItsStatus) {
  const auto expect = [&](const ProcessResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.err, "oclide: " + message + "\n");
    EXPECT_EQ(result.out, "");
  };
  const std::vector<std::string> import{"import", "arm.urdf", "-o", scene};
  expect(run("echo 'a warning' >&2; echo 'oclide: arm.urdf: no such mesh' >&2; exit 2", import), 2,
         "arm.urdf: no such mesh");
  expect(run("echo Traceback >&2; echo 'KeyError: 1' >&2; exit 1", import), 3, "KeyError: 1");
  expect(run("echo nothing of use", import), 3, folder.file("python") + " printed no JSON object");
  expect(run("kill -9 $$", import), 3, folder.file("python") + " ended with signal 9 (Killed)");
  const std::string lacks = " needs the Python package oclide (pip install .), which ";
  expect(run("echo \"No module named 'oclide'\" >&2; exit 4", import), 2,
         "import: a robot" + lacks + folder.file("python") +
             " lacks: No module named 'oclide'; OCLIDE_PYTHON names another Python");
  expect(
      run_oclide({"generate", "workshop", "-o", scene}, with_python("/no/python")), 2,
      "generate: workshop" + lacks + "/no/python lacks: No such file or directory; OCLIDE_PYTHON names another Python");
  expect(run("", {"import", "arm.urdf", "leg.urdf", "-o", scene}), 2,
         "import: arm.urdf: MJCF and URDF are imported one at a time");
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
           {"--hull"}, {"--solid"}, {"--scale", "2"}, {"--weld", "1"}, {"--decompose"}}) {
    std::vector<std::string> all = import;
    all.insert(all.end(), option.begin(), option.end());
    expect(run("", all), 2, "import: arm.urdf: of the options for meshes MJCF and URDF take none but --meshes");
  }
  expect(run("", {"import", "a.obj", "-o", scene, "--meshes", "hull"}), 2, "import: --meshes is for MJCF and URDF");
  expect(run("", {"generate", "pile", "-o", scene, "--meshes", "hull"}), 2, "generate: --meshes is for workshop");
  EXPECT_EQ(run("", {"import", "a.obj", "-o", scene, "--max-hulls", "2"}).status, 2);
}

TEST_F(ImportCommand, HasMeshesDecomposed) {
  const std::string python = folder.file("python");
  std::ofstream(python) << "#!/bin/sh\nshift 2\ncp \"$2\" \"$4\"; echo \"$*\" >&2; echo '{\"hulls\": [2, 5]}'\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const ProcessResult result = run_oclide(
      {"import", tetrahedron, sheet, "-o", scene, "--decompose", "--threshold", "0.1", "--max-hulls", "7", "--json"},
      with_python(python));
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = printed_json(result);
  EXPECT_EQ(json.at("shape"), "compound body");
  EXPECT_EQ(json.at("files").at(0).at("hulls"), 2);
  EXPECT_EQ(json.at("files").at(1).at("hulls"), 5);
  EXPECT_EQ(SceneReader(scene).scene().meshes.size(), 2U) << "what Python was handed";
  EXPECT_EQ(run_oclide({"import", tetrahedron, "-o", scene, "--decompose", "--hull"}).status, 2);
  EXPECT_EQ(run_oclide({"import", tetrahedron, "-o", scene, "--decompose", "--spheres", "4"}).status, 2);
}

}  // namespace
}  // namespace oclide::test
