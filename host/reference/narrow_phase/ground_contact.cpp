#include "reference/narrow_phase/ground_contact.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/broad_phase/terrain_range.hpp"
#include "reference/ground_faces.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

constexpr std::size_t kMostAsNear = 8;  // nearest points of one point that are looked at

// The ground's feature by its name, where names are at hand, else by its place on the grid.
std::uint32_t ground_name(const GroundContact& c, const GroundFaces* faces) {
  if (c.kind == ContactKind::lift) return 0;  // a body has one
  if (!faces) return c.ground;
  return c.kind == ContactKind::wall ? faces->wall_name(c.ground) : faces->name(c.ground);
}

std::uint32_t feature_id(const GroundContact& c, Shape shape, const GroundFaces* faces) {
  return joined_feature(ground_name(c, faces), body_part(c, shape));
}

}  // namespace

static_assert(ROUNDED_SHAPES == (1u << SHAPE_SPHERE | 1u << SHAPE_CAPSULE),
              "body_part() and require_on_capsule() have a case for each");
std::uint32_t body_part(const GroundContact& c, Shape shape) {
  const bool is_inside = c.kind == ContactKind::edge || c.kind == ContactKind::vertex;
  // A ball is one feature. A capsule's side touches by the same end as that one's ball.
  if (shape == Shape::sphere && is_inside) return static_cast<std::uint32_t>(ContactKind::rounded_point);
  if (shape == Shape::capsule && is_inside && c.index > 0)
    return static_cast<std::uint32_t>(ContactKind::rounded_point) + c.index - 1;
  const bool is_end = shape == Shape::capsule && c.kind == ContactKind::rim;
  const auto kind = static_cast<std::uint32_t>(is_end ? ContactKind::rounded_point : c.kind);
  // A hull has any number of vertices.
  return shape == Shape::convex_hull ? kind + (c.index << 8) : kind + c.index;
}

// Two multiplications of a 32-bit mix.
std::uint32_t joined_feature(std::uint32_t ground, std::uint32_t part) {
  std::uint32_t h = ground * 0x9E3779B1u + part * 0x85EBCA77u;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

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

Conditions ContactSearch::add(GroundContact contact, Conditions conditions, WayOutRule rule) {
  conditions.length(contact.depth + margin);
  if (contact.depth > 0.0 && rule == WayOutRule::in_ground && conditions.possible())
    require_way_in_ground(conditions, contact);
  if (!conditions.possible()) return conditions;
  contact.held = conditions.held() && contact.depth > -margin;
  contact.optional = !conditions.certain();
  contact.feature = feature_id(contact, body.shape, ground.view.faces());
  contacts.push_back(contact);
  return conditions;
}

void ContactSearch::add_foot(const GroundContact& contact, const Conditions& foot, const Conditions& surface,
                             const Conditions& others) {
  Conditions all = foot;
  all.also(others);
  const Conditions result = add(contact, all);
  if (contact.depth <= 0.0 || result.certain()) return;
  Conditions lost = foot;
  lost.also(surface);
  if (!lost.possible()) return;
  if (result.possible()) result.held() ? lost.may_hold() : lost.may_fail();
  lost_feet.push_back({contact.point + contact.depth * contact.normal, contact.ground, contact.material, lost});
}

void ContactSearch::add_nearest_beyond(const GroundContact& contact, dvec3 x, double radius, Conditions conditions) {
  const std::optional<double> height = ground.view.height(dvec2(x));
  if (!height || x.z >= *height || !conditions.possible()) return;
  conditions.length(ground.view.inside_solid(dvec2(x)));
  const std::optional<SurfacePoint> first = ground.view.nearest(x, 1.001 * (*height - x.z) + kLengthSlack);
  if (!first) return;
  // Of several as near, in places apart, rounding takes any.
  std::vector<SurfacePoint> as_near{*first};
  auto is_apart = [&](std::int64_t row, std::int64_t col) {
    const dvec2 from(ground.view.vertex(row, col)), to(ground.view.vertex(row + 1, col + 1));
    return std::all_of(as_near.begin(), as_near.end(), [&](const SurfacePoint& q) {
      return glm::distance(dvec2(q.position), glm::clamp(dvec2(q.position), from, to)) > kLengthSlack;
    });
  };
  while (as_near.size() < kMostAsNear) {
    const std::optional<SurfacePoint> next = ground.view.nearest(x, first->distance + kLengthSlack, is_apart);
    if (!next) break;
    as_near.push_back(*next);
  }
  if (as_near.size() > 1) conditions.may_fail();
  for (const SurfacePoint& nearest : as_near) {
    add_beyond(contact, nearest, x, radius, conditions);
    conditions.may_hold();
  }
}

void ContactSearch::add_beyond(GroundContact contact, const SurfacePoint& nearest, dvec3 x, double radius,
                               Conditions conditions) {
  // Nearest points often are on the side of two cells: on the rim of the range they count as beyond it.
  const CellRange& range = ground.range;
  auto in_range = [&](std::int64_t grown) {
    return nearest.row >= range.row0 - grown && nearest.row < range.row1 + grown && nearest.col >= range.col0 - grown &&
           nearest.col < range.col1 + grown;
  };
  if (in_range(-1) || nearest.distance == 0.0) return;
  if (in_range(0) && !ground.on_rim(nearest.position, kLengthSlack)) conditions.may_hold();
  // On the border of the solid the wall is nearer.
  const double room = ground.view.inside_solid(dvec2(nearest.position));
  if (room < 1e-9) return;
  // A point of it that is as near is what rounding may take.
  if (room < 2.0 * kLengthSlack || room * room < 2.0 * nearest.distance * kLengthSlack) conditions.may_fail();
  const Element e = ground.view.element(nearest.row, nearest.col, nearest.k);
  contact.normal = (nearest.position - x) / nearest.distance;
  contact.depth = radius + nearest.distance;
  contact.point = x - radius * contact.normal;
  contact.ground = e.id, contact.material = e.material;
  contact.normal_uncertainty = kLengthSlack / nearest.distance;
  if (contact.kind == ContactKind::rounded_point) require_on_capsule(conditions, body, {x, radius}, contact.normal);
  require_free_past(conditions, nearest.position, contact.normal);
  add(contact, conditions);
}

Conditions ContactSearch::under_body(dvec3 a, dvec3 b) const {
  const Bounds box = body.bounds();
  Conditions conditions;
  for (int k = 0; k < 2; ++k) {
    conditions.length(std::max(a[k], b[k]) - (box.lower[k] - kRangeSlack));
    conditions.length(box.upper[k] + kRangeSlack - std::min(a[k], b[k]));
  }
  return conditions;
}

void ContactSearch::prefer_under_body(Conditions& conditions, dvec3 a, dvec3 b) const {
  const Conditions under = under_body(a, b);
  if (!under.held()) conditions.may_hold();
  if (!under.certain()) conditions.may_fail();
}

void ContactSearch::require_way_in_ground(Conditions& conditions, const GroundContact& contact) const {
  constexpr double kFar = 1e-2;  // more than any slack [m]
  if (const double outside = ground.outside(contact.point, kFar); outside > 0.0) conditions.length(kInGround - outside);
  if (contact.depth <= kShortWay - kLengthSlack) return;
  for (const double part : {0.25, 0.5, 0.75, 0.9}) {
    if (!conditions.possible()) return;
    const double outside = ground.outside(contact.point + part * contact.depth * contact.normal, kFar);
    if (outside == 0.0) continue;
    Conditions stays, is_short;
    stays.within(kInGround - outside, outside > kInGround ? kGrazing : kLengthSlack);
    is_short.length(kShortWay - contact.depth);
    conditions.also_either(stays, is_short);
  }
}

void ContactSearch::require_free_past(Conditions& conditions, dvec3 q, dvec3 m) const {
  const std::array<double, 2>& spacing = ground.view.terrain().spacing;
  const dvec3 past = q + 0.01 * std::min(spacing[0], spacing[1]) * m;
  if (const std::optional<double> height = ground.view.height(dvec2(past))) conditions.length(past.z - *height);
}

void ContactSearch::require_below(Conditions& conditions, dvec3 x, double distance) const {
  conditions.length(kInGround + ground.view.inside_solid(dvec2(x)));
  if (!conditions.possible()) return;
  if (const std::optional<SurfacePoint> nearer = ground.view.nearest(x, distance))
    conditions.length(nearer->distance - (distance * (1.0 - 1e-3) - 1e-5));
}

void ContactSearch::require_near_surface(Conditions& conditions, const Element& e, dvec3 q) const {
  constexpr double kMost = 5e-5;  // [m]
  if (!conditions.possible() || e.inside(q) >= 0.0) return;
  const std::optional<SurfacePoint> nearest = ground.view.nearest(q, 2.0 * kMost);
  conditions.length(kMost - (nearest ? nearest->distance : 2.0 * kMost));
}

double foot_slack(const Element& e) {
  constexpr double kMost = 1e-4;  // [m]
  return std::clamp(kPlanSlack / e.normal.z, kLengthSlack, kMost);
}

void require_on_capsule(Conditions& conditions, const Body& body, const RoundedPoint& x, dvec3 m) {
  // Only the outer half of an end is on the surface. Lying on a plane has both ends on that limit, and is to have both:
  // with this slack P is inside by at most radius * kInward^2 / 2.
  constexpr double kInward = 1e-3;
  if (body.shape == Shape::capsule) conditions.direction(kInward - glm::dot(m, glm::normalize(x.centre)));
}

std::vector<GroundContact> ground_contacts(const Body& body, const TerrainSurface& ground, double margin) {
  ContactSearch search{body, ground, margin, {}, {}};
  if (ground.elements.empty()) return {};
  if (!meets_terrain(body.shape)) return {};
#define OCLIDE_GROUND_CASE(NAME, name) \
  if (body.shape == Shape::name) name##_terrain(search);
  OCLIDE_CONVEX_SHAPES(OCLIDE_GROUND_CASE)
#undef OCLIDE_GROUND_CASE
  add_walls(search);
  add_lift(search);
  return std::move(search.contacts);
}

}  // namespace oclide::reference
