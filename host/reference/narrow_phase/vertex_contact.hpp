// Kind 4: a vertex of the ground inside the body.
#pragma once

#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {

/// One way in which the body can move off a vertex: by `depth` along m.
struct WayOut {
  dvec3 m;
  double depth;
  Conditions conditions;   // that the vertex is in the body but for this side
  double uncertainty;      // of m [rad]
  std::uint32_t side = 0;  // of the body, that the vertex leaves by
};

/// Adds the shortest of the ways, if its m is in the vertex's normal cone.
void add_shortest_way_out(ContactSearch& search, const Vertex& vertex, const std::vector<WayOut>& ways);

}  // namespace oclide::reference
