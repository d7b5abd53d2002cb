// The shape of a triangle mesh: docs/mesh_contacts.md. Built once on the host, for the device and for the reference.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// Up to this sine between the normals of its triangles an edge is flat, and between its edges a ridge is straight.
inline constexpr double kFlatEdgeSine = 1.0 / (1 << 12);

enum class MeshEdge : std::uint8_t { flat = 0, convex = 1, concave = 2, border = 3 };

/// All edges along one line that have the same two faces beside them, or are the border of the same one.
struct MeshRidge {
  std::uint32_t first;  ///< of its edges: edge k of triangle t is 3 t + k
  bool turned;          ///< an edge's own: it goes the other way than the first
};

/// A triangle with vertices a, b, c; edge 0 goes from a to b, edge 1 from b to c, edge 2 from c to a.
struct MeshTriangle {
  std::array<std::uint32_t, 3> vertices;
  std::array<std::uint32_t, 3> neighbours;  ///< the triangle at the other side of each edge; kNone at a border
  std::array<MeshEdge, 3> edges;            ///< as seen from the front
  std::array<bool, 3> owns_edge;            ///< it is the first of those that the edge joins; each at a border
  std::array<bool, 3> owns_vertex;          ///< it is the first of the triangles that have the vertex
  std::array<bool, 3> sharp_vertex;         ///< the vertex is not plain
  std::array<MeshRidge, 3> ridges;          ///< of the edges that it owns and that are not flat
  std::uint32_t element;                    ///< its number in Mesh::triangles
  std::uint32_t face;                       ///< number of the face it is in: faces by their first triangle in the file
  std::uint8_t material;
  glm::dvec3 normal;  ///< unit, to the front
};

/// Eight boxes side by side, coordinate by coordinate. What is missing is empty: lower above upper.
struct MeshGroup {
  std::array<std::array<float, 8>, 3> lower, upper;  ///< [axis][box] [m], rounded outward
};

/// Axes are the body's.
struct TriangleMesh {
  std::vector<glm::vec3> vertices;             ///< [m], no two equal, each of some triangle
  std::vector<MeshTriangle> triangles;         ///< in the order of the tree
  std::vector<std::uint32_t> first_neighbour;  ///< of each vertex, its index in `neighbours`; one more for the end
  std::vector<std::uint32_t> neighbours;       ///< the vertices at the other ends of a vertex's edges, ascending
  std::vector<std::uint32_t> vertex_ridge;  ///< MeshRidge::first where one leads straight through a vertex, else kNone
  std::vector<std::vector<MeshGroup>> levels;  ///< of the tree: group k of level 0 has triangles 8 k to 8 k + 7,
                                               ///< box k of level l + 1 all of group k of level l; the last: one group
  glm::dvec3 lower, upper;                     ///< of the box around it [m]
  double bounding_radius = 0.0;                ///< of the sphere about the body's position that holds it [m]
  bool solid = false;
  std::size_t dropped = 0;  ///< triangles without area

  [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::size_t vertex) const {
    return std::span(neighbours)
        .subspan(first_neighbour[vertex], first_neighbour[vertex + 1] - first_neighbour[vertex]);
  }
};

/// The same to the last bit on every machine. Throws Error(invalid_input) that begins with `name`/vertices[i],
/// `name`/triangles[i], `name`/material or `name`, for what docs/mesh_contacts.md refuses. That is a vertex that is not
/// finite or beyond 1e9 m, an index out of range, no triangle with an area, or a triangle that is there twice. It is
/// also a solid that is not closed, not consistently oriented, or without a positive volume, naming an edge. Any number
/// of threads may call it.
[[nodiscard]] TriangleMesh build_triangle_mesh(const Mesh& mesh, const std::string& name);

}  // namespace oclide
