#include "reference/narrow_phase/mesh_contact.hpp"

namespace oclide::reference {

void box_triangle_mesh(MeshSearch& /*search*/) {}

}  // namespace oclide::reference
