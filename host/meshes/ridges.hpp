// Which edges of a mesh are one ridge: docs/mesh_contacts.md, "What a contact is called".
#pragma once

#include "meshes/triangle_mesh.hpp"

namespace oclide {

/// Sets `ridges` of all triangles and `vertex_ridge`; faces and edges are known.
void set_ridges(TriangleMesh& mesh);

}  // namespace oclide
