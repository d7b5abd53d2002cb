// A convex body and a triangle mesh: contacts as docs/mesh_contacts.md defines them.
#pragma once

#include <vector>

#include "reference/body.hpp"

namespace oclide::reference {

/// A contact in the world's axes, relative to the body's centre.
struct MeshContact {
  dvec3 point{0.0};    // P, on the body [m]
  dvec3 normal{0.0};   // unit, from the mesh toward the body
  double depth = 0.0;  // [m]
  std::uint32_t feature = 0;
  std::uint32_t element = 0;
  std::uint8_t material = 0;
};

/// Collects the contacts of one body with one mesh.
struct MeshSearch {
  const Body& body;
  const Body& mesh;
  dvec3 centre;   // of the mesh as seen from the body's [m]
  double margin;  // contacts deeper than -margin count [m]
  std::vector<MeshContact> contacts;
};

void sphere_triangle_mesh(MeshSearch& search);
void box_triangle_mesh(MeshSearch& search);
void cylinder_triangle_mesh(MeshSearch& search);
void capsule_triangle_mesh(MeshSearch& search);
void convex_hull_triangle_mesh(MeshSearch& search);

}  // namespace oclide::reference
