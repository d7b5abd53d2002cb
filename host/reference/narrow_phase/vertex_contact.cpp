#include "reference/narrow_phase/vertex_contact.hpp"

namespace oclide::reference {

void add_shortest_way_out(ContactSearch& search, const Vertex& vertex, const std::vector<WayOut>& ways) {
  // In the body means in it for every way; a vertex outside, nearer than the margin, is so by one side alone.
  auto allowed = [&](const WayOut& way) {
    Conditions cone;
    cone.direction(vertex.largest_sine - kFlatSine);
    cone.direction(way.m.z);
    for (const dvec3& e : vertex.leaving) cone.direction(-glm::dot(way.m, e));
    return cone;
  };
  for (std::size_t i = 0; i < ways.size(); ++i) {
    Conditions conditions = allowed(ways[i]);
    conditions.also(ways[i].conditions);
    if (!conditions.possible()) continue;
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (k == i || !(ways[k].depth < ways[i].depth + kLengthSlack)) continue;
      const Conditions other = allowed(ways[k]);
      if (other.held()) conditions.length(ways[k].depth - ways[i].depth);
      if (!other.certain() && other.possible()) conditions.length(0.0);
    }
    const WayOut& way = ways[i];
    search.add({.point = vertex.position - way.depth * way.m, .normal = way.m, .depth = way.depth,
                .kind = ContactKind::vertex, .index = static_cast<std::uint32_t>(i), .feature = vertex.id,
                .material = vertex.material, .normal_uncertainty = way.uncertainty},
               conditions);
  }
}

}  // namespace oclide::reference
