#include "reference/narrow_phase/ground_contact.hpp"

#include <cmath>

namespace oclide::reference {
namespace {

// Two multiplications of a 32-bit mix; equal features give equal ids from frame to frame.
std::uint32_t feature_id(ContactKind kind, std::uint32_t index, std::uint32_t ground) {
  std::uint32_t h = ground * 0x9E3779B1u + (static_cast<std::uint32_t>(kind) + index) * 0x85EBCA77u;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

}  // namespace

const char* to_string(ContactKind kind) {
  switch (kind) {
    case ContactKind::rounded_point:
      return "rounded point";
    case ContactKind::rim:
      return "rim";
    case ContactKind::edge:
      return "edge";
    case ContactKind::vertex:
      return "vertex";
    case ContactKind::wall:
      return "wall";
    case ContactKind::lift:
      return "lift";
  }
  return "unknown";
}

void ContactSearch::add(GroundContact contact, Conditions conditions) {
  conditions.length(contact.depth + margin);
  if (contact.depth > 0.0 && contact.kind != ContactKind::lift && conditions.possible())
    require_in_ground(conditions, contact.point);
  if (!conditions.possible()) return;
  contact.held = conditions.held() && contact.depth > -margin;
  contact.optional = !conditions.certain();
  contact.feature = feature_id(contact.kind, contact.index, contact.feature);
  contacts.push_back(contact);
}

void ContactSearch::require_in_ground(Conditions& conditions, dvec3 p) const {
  const std::optional<double> height = ground.view.height(dvec2(p));
  if (height && p.z <= *height) return;
  conditions.length(kInGround - std::min(ground.distance(p), ground.wall_distance(p)));
}

void ContactSearch::require_below(Conditions& conditions, dvec3 x, double distance) const {
  conditions.length(ground.view.inside_solid(dvec2(x)));
  if (conditions.possible()) conditions.length(ground.distance(x) - (distance * (1.0 - 1e-3) - 1e-5));
}

void require_on_capsule(Conditions& conditions, const Body& body, const RoundedPoint& x, dvec3 m) {
  // Only the outer half of an end is on the surface. Lying on a plane has both ends on that limit, and is to have both:
  // with this slack P is inside by at most radius * kInward^2 / 2.
  constexpr double kInward = 1e-3;
  if (body.shape == Shape::capsule) conditions.direction(kInward - glm::dot(m, glm::normalize(x.centre)));
}

std::vector<GroundContact> ground_contacts(const Body& body, const TerrainSurface& ground, double margin) {
  ContactSearch search{body, ground, margin, {}};
  if (ground.elements.empty()) return {};
  switch (body.shape) {
    case Shape::sphere:
      sphere_terrain(search);
      break;
    case Shape::box:
      box_terrain(search);
      break;
    case Shape::cylinder:
      cylinder_terrain(search);
      break;
    case Shape::capsule:
      capsule_terrain(search);
      break;
    case Shape::convex_hull:
    case Shape::half_space:
      return {};
  }
  add_walls(search);
  add_lift(search);
  return std::move(search.contacts);
}

}  // namespace oclide::reference
