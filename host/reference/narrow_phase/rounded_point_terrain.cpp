// Kind 1: every local minimum of the distance from a rounded point's centre X to the surface.
#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {
namespace {

// What the contact of X with a local minimum Q has besides what belongs to the ground; `above` is X's side of Q.
GroundContact contact_at(const RoundedPoint& x, std::uint32_t index, double distance, bool above, dvec3 m,
                         std::uint32_t feature, std::uint8_t material) {
  return {.point = x.centre - x.radius * m,
          .normal = m,
          .depth = above ? x.radius - distance : x.radius + distance,
          .kind = ContactKind::rounded_point,
          .index = index,
          .ground = feature,
          .material = material};
}

void add_faces(ContactSearch& search, const RoundedPoint& x, std::uint32_t index) {
  for (const Element& e : search.ground.elements) {
    const double s = e.depth_of(x.centre);
    if (s <= 0.0 && x.radius + s <= -search.margin - kLengthSlack) continue;
    const dvec3 q = x.centre + s * e.normal;
    Conditions foot, surface, others;
    // Beyond a flat edge the two normals leave a gap that a foot may fall into; either side reaches over it.
    foot.within(e.inside(q, std::abs(s) * kFlatSine), foot_slack(e));
    search.require_near_surface(foot, e, q);
    surface.within(e.inside(q), foot_slack(e));
    require_on_capsule(foot, search.body, x, e.normal);
    if (!foot.possible()) continue;
    if (s > 0.0) search.require_below(others, x.centre, s);
    search.add_foot(contact_at(x, index, std::abs(s), s <= 0.0, e.normal, e.id, e.material), foot, surface, others);
  }
}

void add_edges(ContactSearch& search, const RoundedPoint& x, std::uint32_t index) {
  for (const Edge& e : search.ground.edges) {
    if (e.sine <= kFlatSine - kDirectionSlack) continue;
    const double along = glm::dot(x.centre - e.a, e.direction);
    const dvec3 q = e.a + along * e.direction;
    const dvec3 offset = x.centre - q;
    const double distance = glm::length(offset);
    if (distance == 0.0 || (offset.z > 0.0 && x.radius - distance <= -search.margin - kLengthSlack)) continue;
    Conditions conditions;
    conditions.direction(e.sine - kFlatSine);
    conditions.length(along);
    conditions.length(e.length - along);
    conditions.length(-glm::dot(offset, e.into1));
    conditions.length(-glm::dot(offset, e.into2));
    const bool above = offset.z > 0.0;
    conditions.flag(above || !e.border);
    // Below, the way out must lead past the edge into the open: X is under both planes.
    if (!above && !e.border) {
      conditions.length(-glm::dot(offset, e.n1));
      conditions.length(-glm::dot(offset, e.n2));
    }
    if (!conditions.possible()) continue;
    const dvec3 m = (above ? offset : -offset) / distance;
    require_on_capsule(conditions, search.body, x, m);
    if (!above) {
      search.prefer_under_body(conditions, e.a, e.b);
      search.require_below(conditions, x.centre, distance);
    }
    GroundContact contact = contact_at(x, index, distance, above, m, e.id, e.material);
    contact.normal_uncertainty = kLengthSlack / distance;
    search.add(contact, conditions);
  }
}

void add_vertices(ContactSearch& search, const RoundedPoint& x, std::uint32_t index) {
  for (const Vertex& v : search.ground.vertices) {
    const dvec3 offset = x.centre - v.position;
    const double distance = glm::length(offset);
    if (distance == 0.0) continue;
    Conditions conditions;
    conditions.direction(v.largest_sine - kFlatSine);
    for (const dvec3& e : v.leaving) conditions.length(-glm::dot(offset, e));
    const bool above = offset.z > 0.0;
    conditions.flag(above || !v.border);
    if (!conditions.possible()) continue;
    const dvec3 m = (above ? offset : -offset) / distance;
    require_on_capsule(conditions, search.body, x, m);
    if (!above) {
      search.prefer_under_body(conditions, v.position, v.position);
      search.require_free_past(conditions, v.position, m);
      search.require_below(conditions, x.centre, distance);
    }
    GroundContact contact = contact_at(x, index, distance, above, m, v.id, v.material);
    contact.normal_uncertainty = kLengthSlack / distance;
    search.add(contact, conditions);
  }
}

}  // namespace

void add_rounded_points(ContactSearch& search) {
  std::uint32_t index = 0;
  for (const RoundedPoint& x : search.body.rounded_points()) {
    add_faces(search, x, index);
    add_edges(search, x, index);
    add_vertices(search, x, index);
    GroundContact beyond;
    beyond.kind = ContactKind::rounded_point, beyond.index = index;
    search.add_nearest_beyond(beyond, x.centre, x.radius, {});
    ++index;
  }
}

}  // namespace oclide::reference
