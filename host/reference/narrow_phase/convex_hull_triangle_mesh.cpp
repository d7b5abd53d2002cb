#include "reference/narrow_phase/mesh_contact.hpp"

namespace oclide::reference {

void convex_hull_triangle_mesh(MeshSearch& search) {
  add_points(search);
  add_sharp_edges(search);
  add_vertices(search);
}

}  // namespace oclide::reference
