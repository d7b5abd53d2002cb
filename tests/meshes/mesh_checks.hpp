// What holds of every mesh that is built.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "meshes/triangle_mesh.hpp"
#include "support/mesh_shapes.hpp"

namespace oclide::test {

struct MeshCounts {
  std::size_t vertices = 0, edges = 0, triangles = 0, faces = 0;
  std::map<MeshEdge, std::size_t> of_class;  // edges; a border counts once for each triangle that has it
};

/// Every promise of TriangleMesh that needs no other mesh; returns what it has counted.
inline MeshCounts expect_sound(const TriangleMesh& mesh, const Mesh& given) {
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  MeshCounts counts{mesh.vertices.size(), 0, mesh.triangles.size(), 0, {}};
  std::map<Edge, std::vector<std::uint32_t>> triangles_of;  // both directions
  std::vector<std::set<std::uint32_t>> beside(counts.vertices);
  std::vector<std::uint32_t> first_of(counts.vertices, kNone);
  std::vector<bool> sharp(counts.vertices, false);
  std::map<std::uint32_t, std::uint32_t> first_element;  // of each face
  for (std::uint32_t t = 0; t < counts.triangles; ++t) {
    const MeshTriangle& triangle = mesh.triangles[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangle.vertices[k], b = triangle.vertices[(k + 1) % 3];
      triangles_of[std::minmax(a, b)].push_back(t);
      beside[a].insert(b), beside[b].insert(a);
      if (first_of[a] == kNone) first_of[a] = t;
      if (triangle.edges[k] != MeshEdge::flat) sharp[a] = sharp[b] = true;
    }
    const auto [at, is_new] = first_element.try_emplace(triangle.face, triangle.element);
    at->second = std::min(at->second, triangle.element);
  }
  counts.edges = triangles_of.size();
  counts.faces = first_element.size();
  EXPECT_EQ(first_element.rbegin()->first + 1, counts.faces) << "faces have numbers without gaps";
  for (auto at = first_element.begin(); std::next(at) != first_element.end(); ++at) {
    EXPECT_LE(at->second, std::next(at)->second) << "faces by their first triangle";
  }

  for (std::uint32_t t = 0; t < counts.triangles; ++t) {
    const MeshTriangle& triangle = mesh.triangles[t];
    const auto vertex = [&](std::size_t k) { return glm::dvec3(mesh.vertices[triangle.vertices[k % 3]]); };
    EXPECT_NEAR(glm::length(triangle.normal), 1.0, 1e-15);
    EXPECT_GT(glm::dot(triangle.normal, glm::cross(vertex(1) - vertex(0), vertex(2) - vertex(0))), 0.0);
    EXPECT_EQ(triangle.material, given.material.empty() ? 0 : given.material.at(triangle.element));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangle.vertices[k], b = triangle.vertices[(k + 1) % 3], other = triangle.neighbours[k];
      EXPECT_EQ(triangle.owns_vertex[k], first_of[a] == t);
      EXPECT_EQ(triangle.sharp_vertex[k], sharp[a]);
      EXPECT_EQ(other == kNone, triangle.edges[k] == MeshEdge::border);
      if (triangle.owns_edge[k]) ++counts.of_class[triangle.edges[k]];
      if (other == kNone) {
        EXPECT_TRUE(triangle.owns_edge[k]);
        EXPECT_FALSE(mesh.solid);
        continue;
      }
      EXPECT_EQ(triangle.owns_edge[k], t < other);
      EXPECT_EQ(triangles_of.at(std::minmax(a, b)).size(), 2u);
      const MeshTriangle& neighbour = mesh.triangles.at(other);
      std::size_t j = 0;
      while (j < 3 && neighbour.vertices[j] != b) ++j;
      EXPECT_LT(j, 3u);
      if (j == 3) continue;
      EXPECT_EQ(neighbour.vertices[(j + 1) % 3], a) << "the other direction";
      EXPECT_EQ(neighbour.neighbours[j], t);
      EXPECT_EQ(neighbour.edges[j], triangle.edges[k]);
      if (triangle.edges[k] == MeshEdge::flat) {
        EXPECT_EQ(neighbour.face, triangle.face);
      }
    }
  }

  for (std::uint32_t v = 0; v < counts.vertices; ++v) {
    const auto neighbours = mesh.neighbours_of(v);
    EXPECT_EQ(std::vector<std::uint32_t>(neighbours.begin(), neighbours.end()),
              std::vector<std::uint32_t>(beside[v].begin(), beside[v].end()));
    for (int a = 0; a < 3; ++a) {
      EXPECT_LE(mesh.lower[a], mesh.vertices[v][a]);
      EXPECT_GE(mesh.upper[a], mesh.vertices[v][a]);
    }
    EXPECT_LE(glm::length(glm::dvec3(mesh.vertices[v])), mesh.bounding_radius);
  }

  // The tree: places are full but at the end of a level, and a box is the smallest around what is below it.
  std::size_t below = counts.triangles;
  for (std::size_t level = 0; level < mesh.levels.size(); ++level) {
    const std::vector<MeshGroup>& groups = mesh.levels[level];
    EXPECT_EQ(groups.size(), (below + 7) / 8);
    for (std::size_t box = 0; box < 8 * groups.size(); ++box)
      for (std::size_t a = 0; a < 3; ++a) {
        float low = 3.4e38F, high = -3.4e38F;
        if (level > 0 && box < below) {
          const MeshGroup& group = mesh.levels[level - 1][box];
          low = *std::min_element(group.lower[a].begin(), group.lower[a].end());
          high = *std::max_element(group.upper[a].begin(), group.upper[a].end());
        } else if (box < below) {
          for (const std::uint32_t v : mesh.triangles[box].vertices) {
            low = std::min(low, mesh.vertices[v][static_cast<int>(a)]);
            high = std::max(high, mesh.vertices[v][static_cast<int>(a)]);
          }
        }
        if (box < below) {
          EXPECT_EQ(groups[box / 8].lower[a][box % 8], low);
          EXPECT_EQ(groups[box / 8].upper[a][box % 8], high);
        } else {
          EXPECT_GT(groups[box / 8].lower[a][box % 8], groups[box / 8].upper[a][box % 8]);
        }
      }
    below = groups.size();
  }
  EXPECT_EQ(below, 1u);
  return counts;
}

/// The same to the last bit.
inline void expect_same_bits(const TriangleMesh& a, const TriangleMesh& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.first_neighbour, b.first_neighbour);
  EXPECT_EQ(a.neighbours, b.neighbours);
  EXPECT_EQ(a.bounding_radius, b.bounding_radius);
  ASSERT_EQ(a.triangles.size(), b.triangles.size());
  for (std::size_t t = 0; t < a.triangles.size(); ++t) {
    EXPECT_EQ(a.triangles[t].vertices, b.triangles[t].vertices);
    EXPECT_EQ(a.triangles[t].neighbours, b.triangles[t].neighbours);
    EXPECT_EQ(a.triangles[t].edges, b.triangles[t].edges);
    EXPECT_EQ(a.triangles[t].normal, b.triangles[t].normal);
    EXPECT_EQ(a.triangles[t].element, b.triangles[t].element);
    EXPECT_EQ(a.triangles[t].face, b.triangles[t].face);
  }
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (std::size_t level = 0; level < a.levels.size(); ++level) {
    ASSERT_EQ(a.levels[level].size(), b.levels[level].size());
    for (std::size_t g = 0; g < a.levels[level].size(); ++g) {
      EXPECT_EQ(a.levels[level][g].lower, b.levels[level][g].lower);
      EXPECT_EQ(a.levels[level][g].upper, b.levels[level][g].upper);
    }
  }
}

}  // namespace oclide::test
