// A convex body and a triangle mesh: contacts as docs/mesh_contacts.md defines them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "reference/mesh_surface.hpp"

namespace oclide::reference {

/// A place of the mesh that is this little outside of the body is in it [m].
inline constexpr double kInBody = 4e-5;

/// A contact before reduction; `ground` is the id of the mesh's face, edge or vertex.
struct MeshContact : GroundContact {
  std::uint32_t element = 0;
  std::uint32_t face = 0;          // of its triangle
  std::optional<double> to_eye{};  // of the rest of a body whose middle is in the solid: how far the eye is [m]
  std::optional<std::array<dvec3, 3>> corners{};  // of its triangle, where the middle is in no solid
};

/// Collects the contacts of one body with one mesh.
struct MeshSearch {
  const Body& body;
  const MeshSurface& surface;
  const Eye& eye;
  double margin;                      // contacts deeper than -margin count [m]
  std::vector<MeshContact> contacts;  // of kinds 1 to 3
  std::vector<MeshContact> rests, hidden_rests;

  /// Adds a contact with a triangle, or with an edge or vertex of it, whose conditions are met or nearly met.
  void add(const GroundContact& contact, std::size_t triangle, Conditions conditions);
  /// The same of a rest.
  void add_rest(const GroundContact& contact, std::size_t triangle, const Conditions& conditions,
                std::optional<double> to_eye = {});

 private:
  [[nodiscard]] MeshContact named(GroundContact contact, std::size_t triangle, const Conditions& conditions) const;
};

/// A contact that is deeper counts only where its triangle or edge has a point in the body [m].
inline constexpr double kTouch = 1e-4;
/// The condition that a triangle has a point in the body.
[[nodiscard]] Conditions is_in_body(const MeshSearch& search, const SeenTriangle& triangle);
/// The same of the part of an edge that is in it, by its middle.
[[nodiscard]] Conditions is_in_body(const Body& body, const Edge& edge);

// Kinds.
void add_points(MeshSearch& search);
void add_ball_edges(MeshSearch& search);
void add_capsule_sides(MeshSearch& search);
void add_sharp_edges(MeshSearch& search);
void add_vertices(MeshSearch& search);
void add_rests(MeshSearch& search);

// Shapes.
void sphere_triangle_mesh(MeshSearch& search);
void box_triangle_mesh(MeshSearch& search);
void cylinder_triangle_mesh(MeshSearch& search);
void capsule_triangle_mesh(MeshSearch& search);
void convex_hull_triangle_mesh(MeshSearch& search);

/// All contacts of one body, held or nearly held, relative to its centre; `centre` is that of the mesh from there.
struct MeshContacts {
  std::vector<MeshContact> contacts, rests;
  std::vector<MeshContact> hidden_rests;  // of triangles that take no part
};
[[nodiscard]] MeshContacts mesh_contacts(const Body& body, const Body& mesh, dvec3 centre, double margin);

}  // namespace oclide::reference
