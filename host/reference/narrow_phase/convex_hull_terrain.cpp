#include "reference/narrow_phase/ground_contact.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {

void convex_hull_terrain(ContactSearch& search) {
  no_geometry("terrain", search.body.shape);
}

}  // namespace oclide::reference
