// Kind 1: every local minimum of the distance from a rounded point's centre X to the surface.
#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {
namespace {

// One local minimum Q; `above` is X's side of it. `contact` has the normal and what belongs to the ground.
void add_minimum(ContactSearch& search, const RoundedPoint& x, std::uint32_t index, dvec3 q, bool above,
                 Conditions conditions, GroundContact contact) {
  const double distance = glm::distance(x.centre, q);
  if (above) {
    contact.depth = x.radius - distance;
  } else {
    contact.depth = x.radius + distance;
    search.require_below(conditions, x.centre, distance);
  }
  contact.point = x.centre - x.radius * contact.normal;
  require_on_capsule(conditions, search.body, x, contact.normal);
  contact.kind = ContactKind::rounded_point;
  contact.index = index;
  search.add(contact, conditions);
}

void add_faces(ContactSearch& search, const RoundedPoint& x, std::uint32_t index) {
  for (const Element& e : search.ground.elements) {
    const double s = e.depth_of(x.centre);
    if (s <= 0.0 && x.radius + s <= -search.margin - kLengthSlack) continue;
    const dvec3 q = x.centre + s * e.normal;
    Conditions conditions;
    // Beyond a flat edge the two normals leave a gap that a foot may fall into; either side reaches over it.
    conditions.length(e.inside(q, std::abs(s) * kFlatSine));
    if (!conditions.possible()) continue;
    GroundContact contact;
    contact.normal = e.normal, contact.feature = e.id, contact.material = e.material;
    add_minimum(search, x, index, q, s <= 0.0, conditions, contact);
  }
}

void add_edges(ContactSearch& search, const RoundedPoint& x, std::uint32_t index) {
  for (const Edge& e : search.ground.edges) {
    const double along = glm::dot(x.centre - e.a, e.direction);
    const dvec3 q = e.a + along * e.direction;
    const dvec3 offset = x.centre - q;
    const double distance = glm::length(offset);
    if (distance == 0.0) continue;
    Conditions conditions;
    conditions.direction(e.sine - kFlatSine);
    conditions.length(along);
    conditions.length(e.length - along);
    conditions.length(-glm::dot(offset, e.into1));
    conditions.length(-glm::dot(offset, e.into2));
    const bool above = offset.z > 0.0;
    conditions.flag(above || !e.border);
    if (!conditions.possible()) continue;
    GroundContact contact;
    contact.normal = (above ? offset : -offset) / distance, contact.feature = e.id, contact.material = e.material;
    contact.normal_uncertainty = kLengthSlack / distance;
    add_minimum(search, x, index, q, above, conditions, contact);
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
    GroundContact contact;
    contact.normal = (above ? offset : -offset) / distance, contact.feature = v.id, contact.material = v.material;
    contact.normal_uncertainty = kLengthSlack / distance;
    add_minimum(search, x, index, v.position, above, conditions, contact);
  }
}

}  // namespace

void add_rounded_points(ContactSearch& search) {
  std::uint32_t index = 0;
  for (const RoundedPoint& x : search.body.rounded_points()) {
    add_faces(search, x, index);
    add_edges(search, x, index);
    add_vertices(search, x, index);
    ++index;
  }
}

}  // namespace oclide::reference
