#include "reference/narrow_phase/mesh_contact.hpp"

namespace oclide::reference {

void capsule_triangle_mesh(MeshSearch& search) {
  add_points(search);
  add_ball_edges(search);
  add_capsule_sides(search);
  add_vertices(search);
}

}  // namespace oclide::reference
