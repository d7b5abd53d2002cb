// Sphere against terrain: one rounded point.
#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {

void sphere_terrain(ContactSearch& search) {
  add_rounded_points(search);
}

}  // namespace oclide::reference
