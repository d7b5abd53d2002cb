#include "reference/narrow_phase/mesh_contact.hpp"

namespace oclide::reference {

void cylinder_triangle_mesh(MeshSearch& /*search*/) {}

}  // namespace oclide::reference
