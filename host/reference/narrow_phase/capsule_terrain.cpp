// Capsule against terrain: two rounded points; between them the side on elements, the axis against convex edges and
// vertices.
#include <algorithm>
#include <cmath>

#include "reference/narrow_phase/edge_contact.hpp"
#include "reference/narrow_phase/vertex_contact.hpp"

namespace oclide::reference {
namespace {

void add_capsule_vertices(ContactSearch& search) {
  const Body& capsule = search.body;
  for (const Vertex& v : search.ground.vertices) {
    const double along = glm::dot(v.position, capsule.axis());
    const dvec3 offset = along * capsule.axis() - v.position;
    const double distance = glm::length(offset);
    if (distance == 0.0) continue;
    WayOut way{.m = offset / distance,
               .depth = capsule.radius() - distance,
               .conditions = {},
               .uncertainty = kLengthSlack / distance,
               .side = capsule_side(capsule, along)};
    way.conditions.length(capsule.half_length() - std::abs(along));
    add_shortest_way_out(search, v, {way});
  }
}

}  // namespace

std::uint32_t capsule_side(const Body& capsule, double z) {
  if (std::abs(z) < capsule.half_length() - kSamePoint) return 0;
  return z < 0.0 ? 1 : 2;
}

void capsule_on_edge(const Body& capsule, const Edge& edge, const OnEdge& add) {
  const dvec3 v = capsule.axis();
  const double r = capsule.radius(), h = capsule.half_length();
  const dvec3 across = glm::cross(v, edge.direction);
  const double sine = glm::length(across);
  if (sine < 1e-9) return;
  for (const double side : {-1.0, 1.0}) {
    EdgeNormal root{side * across / sine, {}, 1e-6 / sine};
    root.conditions.direction(std::max(edge.past, kInNormalCone) - glm::dot(root.m, edge.into1));
    root.conditions.direction(std::max(edge.past, kInNormalCone) - glm::dot(root.m, edge.into2));
    const auto crossing = crossing_along(edge, root.m, dvec3(0.0), v);
    if (!root.conditions.possible() || !crossing) continue;
    EdgeContact contact{edge.a + crossing->t * edge.direction, 0.0, {}};
    contact.depth = r - glm::dot(crossing->u * v - contact.on_edge, root.m);
    contact.conditions.length(h - std::abs(crossing->u));
    contact.conditions.length(2.0 * r - contact.depth);
    require_on_edge(contact.conditions, edge, crossing->t);
    add(root, contact, capsule_side(capsule, crossing->u));
  }
}

void capsule_terrain(ContactSearch& search) {
  add_rounded_points(search);
  add_rims(search);
  for (const Edge& edge : search.ground.edges) {
    if (edge.kind == EdgeKind::concave || out_of_reach(search.body, edge, search.margin)) continue;
    capsule_on_edge(search.body, edge, [&](EdgeNormal root, const EdgeContact& at, std::uint32_t index) {
      root.conditions.direction(root.m.z);
      add_edge_contact(search, edge, root, at, index);
    });
  }
  add_capsule_vertices(search);
}

}  // namespace oclide::reference
