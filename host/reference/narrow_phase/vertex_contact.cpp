#include "reference/narrow_phase/vertex_contact.hpp"

namespace oclide::reference {

void add_shortest_way_out(ContactSearch& search, const Vertex& vertex, const std::vector<WayOut>& ways) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const WayOut& way = ways[i];
    Conditions conditions = way.conditions;
    for (const WayOut& other : ways)
      if (&other != &way) conditions.length(other.depth - way.depth);
    // m in the vertex's normal cone, and the vertex not plain.
    conditions.direction(way.m.z);
    for (const dvec3& e : vertex.leaving) conditions.direction(kInNormalCone - glm::dot(way.m, e));
    conditions.direction(vertex.largest_sine - kFlatSine);
    search.add({.point = vertex.position - way.depth * way.m,
                .normal = way.m,
                .depth = way.depth,
                .kind = ContactKind::vertex,
                .index = way.side,
                .ground = vertex.id,
                .material = vertex.material,
                .normal_uncertainty = way.uncertainty},
               conditions);
  }
}

}  // namespace oclide::reference
