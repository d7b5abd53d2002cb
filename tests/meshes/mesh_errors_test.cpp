// What is said of meshes that are refused.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "meshes/triangle_mesh.hpp"
#include "support/mesh_shapes.hpp"

namespace oclide::test {
namespace {

std::string refusal(const Mesh& mesh) {
  try {
    (void)build_triangle_mesh(mesh, "meshes/3");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  return "taken";
}

TEST(MeshErrors, NoTriangleAndNoneWithAnAreaAreRefused) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
  EXPECT_EQ(refusal(mesh), "meshes/3/triangles: a mesh needs at least one triangle");
  mesh.triangles = {{0, 1, 2}, {0, 1, 1}};
  EXPECT_EQ(refusal(mesh), "meshes/3/triangles: none of the 2 has an area");
}

TEST(MeshErrors, IndicesAndNumbersNameTheirPlace) {
  Mesh mesh = flat_sheet(2, 1.0);
  mesh.triangles[5][2] = 9;
  EXPECT_EQ(refusal(mesh), "meshes/3/triangles[5][2] must be below the 9 vertices that there are, got 9");
  mesh.vertices[4][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(mesh), "meshes/3/vertices[4][1] must be finite and at most 1e9 m from the origin, got nan");
  mesh.vertices[4][1] = -2e9;
  EXPECT_EQ(refusal(mesh), "meshes/3/vertices[4][1] must be finite and at most 1e9 m from the origin, got -2e+09");
}

TEST(MeshErrors, MaterialsOfAnotherLengthAreRefused) {
  Mesh mesh = flat_sheet(2, 1.0);
  mesh.material.assign(7, 1);
  EXPECT_EQ(refusal(mesh), "meshes/3/material has 7 entries for 8 triangles");
}

TEST(MeshErrors, TrianglesThatAreThereTwice) {
  for (const bool solid : {false, true}) {
    Mesh mesh = box_mesh({1, 1, 1});
    mesh.solid = solid;
    const auto [a, b, c] = mesh.triangles[4];
    mesh.triangles.push_back({b, a, c});
    EXPECT_EQ(refusal(mesh), "meshes/3/triangles[12] has the same three vertices as triangle 4");
  }
}

TEST(MeshErrors, SolidsThatAreOpenNameAnEdge) {
  Mesh mesh = welded(box_mesh({1, 1, 1}));
  const auto gone = mesh.triangles[7];
  mesh.triangles.erase(mesh.triangles.begin() + 7);
  const std::string said = refusal(mesh);
  EXPECT_TRUE(said.starts_with("meshes/3/triangles: a solid must be closed, but edge ")) << said;
  EXPECT_TRUE(said.ends_with(")") && said.find(" has one triangle (") != std::string::npos) << said;
  bool is_edge = false;
  for (std::size_t k = 0; k < 3; ++k)
    is_edge = is_edge || said.find("edge " + std::to_string(gone[(k + 1) % 3]) + "-" + std::to_string(gone[k]) + " ") !=
                             std::string::npos;
  EXPECT_TRUE(is_edge) << said;
}

TEST(MeshErrors, SolidsWithAFinNameItsEdge) {
  Mesh mesh = welded(box_mesh({1, 1, 1}));
  const std::uint32_t out = add_vertex(mesh, {3, 3, 3});
  mesh.triangles.push_back({mesh.triangles[0][0], mesh.triangles[0][1], out});
  const std::string edge = std::to_string(mesh.triangles[0][0]) + "-" + std::to_string(mesh.triangles[0][1]);
  const std::string said = refusal(mesh);
  EXPECT_TRUE(
      said.starts_with("meshes/3/triangles: a solid must be closed, but edge " + edge + " has 3 triangles (0, "))
      << said;
  EXPECT_TRUE(said.ends_with(", 12)")) << said;
}

TEST(MeshErrors, SolidsWithATriangleTurnedNameAnEdge) {
  Mesh mesh = welded(box_mesh({1, 1, 1}));
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  const std::string edge = std::to_string(mesh.triangles[0][0]) + "-" + std::to_string(mesh.triangles[0][1]);
  const std::string said = refusal(mesh);
  EXPECT_TRUE(said.starts_with("meshes/3/triangles: a solid must be consistently oriented, but edge " + edge +
                               " has the same direction in both triangles (0, "))
      << said;
}

TEST(MeshErrors, SolidsInsideOutAreRefused) {
  Mesh mesh = welded(box_mesh({1, 1, 1}));
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(refusal(mesh),
            "meshes/3/triangles: a solid must have a positive volume, its triangles counter-clockwise seen from "
            "outside, but this one has -8 m^3, with edge 0-2 in triangle 0");
}

}  // namespace
}  // namespace oclide::test
