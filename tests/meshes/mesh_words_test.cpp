// Meshes as kernels have them: shared/meshes.h.
#include <gtest/gtest.h>

#include <bit>

#include "device_scene/hull_buffers.hpp"
#include "shapes/device_size.hpp"
#include "shared/meshes.h"
#include "support/mesh_shapes.hpp"

namespace oclide::test {
namespace {

float number(std::uint32_t word) {
  return std::bit_cast<float>(word);
}

TEST(MeshWords, ComeBackAsTheyWereBuilt) {
  Scene scene;
  scene.hulls = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  scene.meshes = {flat_sheet(1, 1.0), ball_mesh(0.7, 5)};
  scene.meshes[1].material.assign(scene.meshes[1].triangles.size(), 17);
  scene.meshes[1].material[3] = 255;
  const SharedGeometry geometry = build_geometry(scene);
  const std::vector<std::uint32_t> words = hull_words(*geometry);
  for (std::size_t m = 0; m < 2; ++m) {
    float size[3];
    write_device_size(Shape::triangle_mesh, {double(m), 0.0, 0.0}, geometry->hulls.size(), size);
    const std::uint32_t* mesh = words.data() + 4 * std::size_t{words.at(static_cast<std::size_t>(size[0]))};
    const TriangleMesh& built = geometry->meshes[m];
    ASSERT_EQ(mesh[MESH_TRIANGLES], built.triangles.size());
    ASSERT_EQ(mesh[MESH_VERTICES], built.vertices.size());
    ASSERT_EQ(mesh[MESH_LEVELS], built.levels.size());
    EXPECT_EQ(mesh[MESH_IS_SOLID], m);
    EXPECT_GE(number(mesh[MESH_RADIUS]), built.bounding_radius);
    for (int a = 0; a < 3; ++a) {
      EXPECT_EQ(number(mesh[4 * mesh[MESH_FIRST_CORNER] + a]), built.lower[a]);
      EXPECT_EQ(number(mesh[4 * (mesh[MESH_FIRST_CORNER] + 7) + a]), built.upper[a]);
    }
    const std::uint32_t* vertex = mesh + 4 * std::size_t{mesh[MESH_FIRST_VERTEX]};
    for (std::size_t v = 0; v < built.vertices.size(); ++v, vertex += 4) {
      EXPECT_EQ(glm::vec3(number(vertex[0]), number(vertex[1]), number(vertex[2])), built.vertices[v]);
      const auto neighbours = built.neighbours_of(v);
      ASSERT_EQ(vertex[7] - vertex[3], neighbours.size());
      for (std::size_t k = 0; k < neighbours.size(); ++k)
        EXPECT_EQ(mesh[mesh[MESH_FIRST_NEIGHBOUR] + vertex[3] + k], neighbours[k]);
      EXPECT_EQ(mesh[mesh[MESH_FIRST_RIDGE] + v], built.vertex_ridge[v]);
    }
    const std::uint32_t* row = mesh + 4 * std::size_t{mesh[MESH_FIRST_TRIANGLE]};
    const std::uint32_t* ridge = mesh + mesh[MESH_FIRST_RIDGE] + built.vertices.size();
    for (const MeshTriangle& t : built.triangles) {
      for (const MeshRidge& own : t.ridges) EXPECT_EQ(*ridge++, own.first | (own.turned ? MESH_RIDGE_TURNED : 0U));
      const std::uint32_t flags = row[4 * MESH_ROW_PLANE + 3];
      for (std::uint32_t k = 0; k < 3; ++k) {
        EXPECT_EQ(row[4 * MESH_ROW_VERTICES + k], t.vertices[k]);
        EXPECT_EQ(row[4 * MESH_ROW_NEIGHBOURS + k], t.neighbours[k]);
        EXPECT_EQ(number(row[4 * MESH_ROW_PLANE + k]), static_cast<float>(t.normal[static_cast<int>(k)]));
        EXPECT_EQ(flags >> MESH_FLAG_EDGE(k) & 3u, static_cast<std::uint32_t>(t.edges[k]));
        EXPECT_EQ((flags & MESH_FLAG_OWNS_EDGE << k) != 0, t.owns_edge[k]);
        EXPECT_EQ((flags & MESH_FLAG_OWNS_VERTEX << k) != 0, t.owns_vertex[k]);
        EXPECT_EQ((flags & MESH_FLAG_SHARP_VERTEX << k) != 0, t.sharp_vertex[k]);
      }
      EXPECT_EQ(row[4 * MESH_ROW_VERTICES + 3], t.element);
      EXPECT_EQ(row[4 * MESH_ROW_NEIGHBOURS + 3], t.face);
      EXPECT_EQ(flags >> MESH_FLAG_MATERIAL, t.material);
      row += std::size_t{4} * MESH_ROWS_OF_TRIANGLE;
    }
    for (std::size_t level = 0; level < built.levels.size(); ++level)
      for (std::size_t g = 0; g < built.levels[level].size(); ++g) {
        const std::uint32_t* group = mesh + 4 * (std::size_t{mesh[MESH_LEVEL + level]} + MESH_ROWS_OF_GROUP * g);
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t k = 0; k < 8; ++k) {
            EXPECT_EQ(number(group[8 * a + k]), built.levels[level][g].lower[a][k]);
            EXPECT_EQ(number(group[24 + 8 * a + k]), built.levels[level][g].upper[a][k]);
          }
      }
  }
}

}  // namespace
}  // namespace oclide::test
