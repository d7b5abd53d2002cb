// The part of a triangle mesh around one body, as it is seen from the body's eye (docs/mesh_contacts.md): triangles,
// edges and vertices, with the condition that they take part. Coordinates are relative to the body's centre.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {

/// A mesh that stands somewhere.
struct MeshView {
  const TriangleMesh& mesh;
  dmat3 axes;    // columns: those of the mesh
  dvec3 centre;  // of the mesh [m]

  [[nodiscard]] dvec3 vertex(std::uint32_t index) const { return axes * dvec3(mesh.vertices[index]) + centre; }
  [[nodiscard]] dvec3 normal(std::size_t triangle) const { return axes * mesh.triangles[triangle].normal; }
  /// In the axes of the mesh, from its own centre.
  [[nodiscard]] dvec3 in_mesh(dvec3 point) const { return (point - centre) * axes; }
};

/// Where a body is seen from.
struct Eye {
  dvec3 position;            // [m]
  bool in_solid;             // the body's middle is in the mesh
  dvec3 out;                 // then: unit, from the middle to the eye
  std::size_t triangle = 0;  // then: the one that the eye is on
};
/// The eye of a body, and behind it those that single precision may take for it.
[[nodiscard]] std::vector<Eye> eyes_of(const Body& body, const MeshView& view);

/// A triangle from the side on which the eye is.
struct SeenTriangle {
  Element plane;  // its id is that of the face
  std::array<bool, 3> flat;
  std::size_t triangle;
  Conditions takes_part;
};

/// An edge that is not flat. As an Edge it has no border; of a border n2 points out of the triangle across the edge.
struct SeenEdge {
  Edge edge;
  std::array<std::size_t, 2> triangles;  // that have it, the owner first; of a border the same one twice
  std::array<Conditions, 2> sides;       // that either takes part; of a border the first alone
  bool border = false;
  [[nodiscard]] Conditions takes_part() const {
    Conditions either = sides[0];
    either.or_else(sides[1]);
    return either;
  }
};

/// A vertex that is not plain.
struct SeenVertex {
  Vertex vertex;
  std::size_t triangle;  // its owner
  Conditions takes_part;
};

struct MeshSurface {
  /// What has a point in common with the body's box along the axes of the mesh, wider by margin.
  MeshSurface(const Body& body, const MeshView& view, const Eye& eye, double margin);

  MeshView view;
  std::vector<SeenTriangle> triangles;
  std::vector<SeenTriangle> hidden;  // behind an edge; takes_part: the eye is before it
  std::vector<SeenEdge> edges;
  std::vector<SeenVertex> vertices;
};

}  // namespace oclide::reference
