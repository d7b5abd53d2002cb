#include "reference/narrow_phase/vertex_contact.hpp"

#include <algorithm>

namespace oclide::reference {

void require_shortest(Conditions& conditions, const Body& body, const WayOut& way, const WayOut& other) {
  const double longer = other.depth - way.depth;
  const double leaning = leaning_depth(body, other.depth, other.m) - leaning_depth(body, way.depth, way.m);
  const double least = std::min(way.depth, other.depth);
  if (least < -kLengthSlack) return conditions.length(longer);
  if (least > kLengthSlack) return conditions.length(leaning);
  // Rounding decides whether the vertex is in the body.
  conditions.length(std::max(longer, leaning));
  if (std::min(longer, leaning) < 0.0) conditions.may_fail();
}

void add_shortest_way_out(ContactSearch& search, const Vertex& vertex, const std::vector<WayOut>& ways) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const WayOut& way = ways[i];
    Conditions conditions = way.conditions;
    for (const WayOut& other : ways)
      if (&other != &way) require_shortest(conditions, search.body, way, other);
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
