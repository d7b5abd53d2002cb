// Meshes of other programs: tiny files of each format become the same tetrahedron.
#include "files/mesh_import.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include "files/run_apart.hpp"
#include "meshes/triangle_mesh.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

class MeshImport : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      (void)import_mesh(write("probe.obj", kObj));
    } catch (const Error& error) {
      if (std::string(error.what()).find("without assimp") != std::string::npos) GTEST_SKIP() << error.what();
    }
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name), std::ios::binary) << text;
    return folder.file(name);
  }

  std::string refusal(const std::string& file) const {
    try {
      (void)import_mesh(file);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with(file + ": ")) << what;
      return what.substr(file.size() + 2);
    }
    return "taken";
  }

  // Corners at the origin and at 1, 2 and 3 m along x, y and z, as a solid.
  static void expect_tetrahedron(const std::string& file, const MeshImportOptions& options = {}) {
    SCOPED_TRACE(file);
    ImportedMesh imported = import_mesh(file, options);
    EXPECT_EQ(imported.mesh.vertices.size(), 4U);
    imported.mesh.solid = true;
    const TriangleMesh built = build_triangle_mesh(imported.mesh, file);
    EXPECT_EQ(built.triangles.size(), 4U);
    EXPECT_EQ(built.lower, glm::dvec3(0.0));
    EXPECT_EQ(built.upper, glm::dvec3(1.0, 2.0, 3.0));
  }

  static constexpr const char* kObj = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

  test::TemporaryFolder folder;
};

// A glTF file of the tetrahedron with y up, whose node is mirrored and twice as large.
std::string gltf() {
  const float points[] = {0, 0, 0, -0.5F, 0, 0, 0, 0, -1, 0, 1.5F, 0};
  const std::uint16_t corners[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
  std::string bytes(sizeof points + sizeof corners, '\0'), text;
  std::memcpy(bytes.data(), points, sizeof points);
  std::memcpy(bytes.data() + sizeof points, corners, sizeof corners);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | static_cast<unsigned char>(bytes[i + k]);
    for (int shift = 18; shift >= 0; shift -= 6)
      text += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[three >> shift & 63U];
  }
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0, "scale": [-2, 2, 2]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,)" +
         text + R"("}],
    "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                   "min": [-0.5, 0, -1], "max": [0, 1.5, 0]},
                  {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]})";
}

TEST_F(MeshImport, ReadsEachFormat) {
  expect_tetrahedron(write("a.obj", kObj));
  expect_tetrahedron(write("a.OBJ", kObj));
  expect_tetrahedron(
      write("a.ply",
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
            "z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 2 "
            "0\n0 0 3\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"));
  std::string stl = "solid t\n";
  for (const char* corners : {"0 0 0|0 2 0|1 0 0|", "0 0 0|1 0 0|0 0 3|", "1 0 0|0 2 0|0 0 3|", "0 2 0|0 0 0|0 0 3|"}) {
    stl += "facet normal 0 0 0\nouter loop\n";
    std::string corner;
    for (const char* c = corners; *c != '\0'; ++c) {
      if (*c != '|') {
        corner += *c;
        continue;
      }
      stl += "vertex " + corner + "\n";
      corner.clear();
    }
    stl += "endloop\nendfacet\n";
  }
  expect_tetrahedron(write("a.stl", stl + "endsolid t\n"));
  expect_tetrahedron(write("a.gltf", gltf()));
}

TEST_F(MeshImport, ScalesAndTurnsWhatItIsTold) {
  expect_tetrahedron(
      write("a.obj", "v 0 0 0\nv 1000 0 0\nv 0 0 -2000\nv 0 3000 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
      {1e-3, MeshImportOptions::Up::y});
}

TEST_F(MeshImport, CutsPolygonsAndLeavesOutWhatIsThereTwice) {
  const ImportedMesh imported =
      import_mesh(write("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\nf 1 2 3\nf 5 2 1\nl 1 2\n"));
  EXPECT_EQ(imported.mesh.vertices.size(), 4U);
  EXPECT_EQ(imported.mesh.triangles.size() + imported.twice, 4U);
  EXPECT_GE(imported.twice, 1U);
  EXPECT_NO_THROW((void)build_triangle_mesh(imported.mesh, "mesh"));
}

TEST_F(MeshImport, WeldsCracksAndNotWhatIsFarther) {
  // The tetrahedron, each triangle with corners of its own that are off by up to 1e-6 m, and a sliver.
  const std::string file = write("a.obj",
                                 "v 0 0 0\nv 0 2 1e-6\nv 1 0 0\n"
                                 "v 0 0 -1e-6\nv 1 1e-6 0\nv 0 0 3\n"
                                 "v 1 0 0\nv 0 2 0\nv 0 1e-6 3\n"
                                 "v 0 1.999999 0\nv 1e-6 0 0\nv 0 0 3\n"
                                 "v 0.001 0 0\n"
                                 "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\nf 1 2 10\n");
  MeshImportOptions options;
  options.weld = 1e-5;
  ImportedMesh imported = import_mesh(file, options);
  EXPECT_EQ(imported.mesh.vertices.size(), 4U);  // the loose vertex is no triangle's
  EXPECT_EQ(imported.joined, 6U);
  EXPECT_EQ(imported.collapsed, 1U);
  EXPECT_EQ(imported.mesh.triangles.size(), 4U);
  imported.mesh.solid = true;
  EXPECT_NO_THROW((void)build_triangle_mesh(imported.mesh, "mesh"));

  options.weld = 1e-8;
  imported = import_mesh(file, options);
  EXPECT_EQ(imported.joined, 0U);
  imported.mesh.solid = true;
  EXPECT_THROW((void)build_triangle_mesh(imported.mesh, "mesh"), Error);
  // Places, not chains of them: of a row of points each 0.6 from the next every other one stays.
  std::string row;
  for (int k = 0; k < 9; ++k) row += "v " + std::to_string(0.6 * k) + " 0 0\nv " + std::to_string(0.6 * k) + " 9 0\n";
  for (int k = 1; k < 17; k += 2)
    row += "f " + std::to_string(k) + " " + std::to_string(k + 2) + " " + std::to_string(k + 3) + "\n";
  options.weld = 1.0;
  imported = import_mesh(write("row.obj", row), options);
  EXPECT_EQ(imported.mesh.vertices.size(), 9U);  // 17, of which
  EXPECT_EQ(imported.joined, 8U);
  options.weld = 100.0;
  try {
    (void)import_mesh(file, options);
    ADD_FAILURE() << "a mesh without triangles";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), file + ": has no triangles that welding leaves");
  }
}

TEST_F(MeshImport, SaysWhatCannotBeRead) {
  EXPECT_EQ(refusal(write("a.txt", kObj)),
            "is none of the formats that can be read: .obj, .stl, .ply, .gltf, .glb and .dae");
  EXPECT_EQ(refusal(folder.file("none.obj")), "No such file or directory");
  std::filesystem::create_directory(folder.file("folder.obj"));
  EXPECT_EQ(refusal(folder.file("folder.obj")), "is not a regular file");
  for (const char* name : {"a.obj", "a.stl", "a.ply", "a.gltf", "a.glb", "a.dae"}) {
    EXPECT_NE(refusal(write(name, "")), "taken") << name;
    EXPECT_NE(refusal(write(name, "this is no mesh\n")), "taken") << name;
  }
  EXPECT_NE(refusal(write("a.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n")), "taken");
}

// What assimp does not survive is refused like anything else that cannot be read.
TEST_F(MeshImport, FilesThatBreakTheReaderAreRefused) {
  const std::string scene =
      R"(<COLLADA version="1.4.1"><library_visual_scenes><visual_scene id="s"><node id="n"><instance_node url="#n"/></node>)"
      R"(</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
  EXPECT_EQ(refusal(write("itself.dae", scene)), "cannot be read: its reader fails on it");
  EXPECT_EQ(refusal(write("deep.gltf", std::string(200000, '['))), "cannot be read: its reader fails on it");
}

TEST(RunApart, WhatIsThrownAndWhatIsEndedComeBack) {
  const ApartLimits limits{std::size_t{1} << 30, 10};
  const std::string bytes(1000000, 'x');
  EXPECT_EQ(run_apart(limits, [&] { return bytes; }).text, bytes);
  EXPECT_THROW((void)run_apart(limits, []() -> std::string { throw Error(ErrorKind::invalid_input, "no"); }), Error);
  const ApartResult ended = run_apart(limits, []() -> std::string { std::abort(); });
  EXPECT_FALSE(ended.done);
  EXPECT_EQ(ended.text, "its reader fails on it");
  const ApartResult large = run_apart(limits, []() -> std::string { throw std::bad_alloc(); });
  EXPECT_EQ(large.text, "it takes more than 1024 MiB of memory");
  // Without a status of the child too.
  auto* const before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run_apart(limits, [&] { return bytes; }).text, bytes);
  EXPECT_FALSE(run_apart(limits, []() -> std::string { std::abort(); }).done);
  (void)std::signal(SIGCHLD, before);
}

}  // namespace
}  // namespace oclide
