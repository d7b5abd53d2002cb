// Cylinder against terrain: rim points (kind 2), base and side on the ground's edges, vertices of the ground inside.
#include <cmath>

#include "reference/narrow_phase/edge_contact.hpp"
#include "reference/narrow_phase/vertex_contact.hpp"

namespace oclide::reference {
namespace {

// Where the edge lies across the axis the line touches the disc in one point alone, but for rounding [m].
constexpr double kTouching = 1e-9;

// Part of the line p + t d, in a base's plane, that lies in the disc of radius r around the axis v.
Interval part_in_disc(dvec3 p, dvec3 d, dvec3 v, double r) {
  p -= glm::dot(p, v) * v, d -= glm::dot(d, v) * v;
  const double a = glm::dot(d, d), b = glm::dot(p, d), c = glm::dot(p, p) - r * r;
  if (a < 1e-24) return {1e30, -1e30};
  const double root = std::sqrt(std::max(b * b - a * c, 0.0));
  return {(-b - root) / a, (-b + root) / a, r + kTouching - glm::length(p - (b / a) * d)};
}

void add_side(const Body& cylinder, const Edge& edge, const EdgeNormal& root, const Conditions& looks,
              const OnEdge& add) {
  const dvec3 v = cylinder.axis(), m = root.m;
  const double h = cylinder.half_length();
  // The generator line nearest the ground: point + u v, |u| <= h.
  const dvec3 point = -cylinder.radius() * glm::normalize(m - glm::dot(m, v) * v);
  const double sine = glm::length(glm::cross(v, edge.direction));

  Conditions parallel = looks, crosses = looks;
  parallel.direction(1e-4 - sine);
  crosses.direction(sine - 1e-4);
  if (parallel.possible()) {
    const double t0 = glm::dot(point - edge.a, edge.direction);
    const double lo = std::max(0.0, t0 - h), hi = std::min(edge.length, t0 + h);
    parallel.length(hi - lo);
    // To the side, not to a base that may be as near.
    Body longer = cylinder;
    longer.size.y *= 2.0;
    for (const bool last : {false, true}) {
      const dvec3 q = edge.a + (last ? hi : lo) * edge.direction;
      if (last && hi - lo < kSamePoint) continue;
      if (const auto way = longer.interval_on_line(q, m))
        add(root, {q, -way->lo, parallel}, 2 + end_of_body(edge, lo, hi, last));
    }
  }
  if (!crosses.possible()) return;
  const auto crossing = crossing_along(edge, m, point, v);
  EdgeContact contact{dvec3(0.0), 0.0, crosses};
  if (crossing && std::abs(crossing->u) <= h + 1e-6) {
    contact.on_edge = edge.a + crossing->t * edge.direction;
    contact.depth = glm::dot(contact.on_edge - (point + std::clamp(crossing->u, -h, h) * v), m);
    require_on_edge(contact.conditions, edge, crossing->t);
  } else {
    contact = support_on_edge(cylinder, edge, m, crosses);
  }
  add(root, contact, 4);
}

// Flat edges that the rim's lowest point is over where neither element has one of its own.
void add_rim_on_flat_edges(ContactSearch& search) {
  const Body& cylinder = search.body;
  const dvec3 v = cylinder.axis();
  for (const Edge& edge : search.ground.edges) {
    if (edge.border || edge.sine > kFlatSine + kDirectionSlack) continue;
    Conditions conditions;
    conditions.direction(kFlatSine - edge.sine);
    for (const bool first : {true, false}) {
      const dvec3 n = first ? edge.n1 : edge.n2, into = first ? edge.into1 : edge.into2;
      conditions.direction(std::abs(glm::dot(v, n)) - kFlatSine);
      conditions.direction(glm::length(glm::cross(v, n)) - kFlatSine);
      // Past the edge by more than a foot on its own element may be.
      const RimPoint lowest = rim_points(cylinder, n, edge.direction).front();
      const dvec3 from = edge.a - lowest.point;
      conditions.within(glm::dot(from, into) - kFlatSine * std::abs(glm::dot(from, n)),
                        kLengthSlack + lowest.uncertainty);
    }
    if (!conditions.possible()) continue;
    // From n1, along which it is past the edge on the way out of element 1, to n2, along which it is before it.
    dvec3 lo = edge.n1, hi = edge.n2;
    for (int k = 0; k < 60; ++k) {
      const dvec3 middle = glm::normalize(lo + hi), across = glm::cross(middle, edge.direction);
      const double past = glm::dot(edge.a - cylinder.support(-middle), across) * glm::dot(across, edge.into1);
      (past > 0.0 ? lo : hi) = middle;
    }
    const dvec3 m = glm::normalize(lo + hi);
    const EdgeContact at = support_on_edge(cylinder, edge, m, conditions);
    GroundContact contact = contact_on_edge(edge, m, edge.sine, at, 0);
    contact.kind = ContactKind::rim, contact.index = rim_points(cylinder, m, edge.direction).front().index;
    conditions = at.conditions;
    if (at.depth > 0.0) search.require_below(conditions, contact.point, at.depth);
    search.add(contact, conditions);
  }
}

}  // namespace

void cylinder_on_edge(const Body& cylinder, const Edge& edge, const OnEdge& add) {
  const dvec3 v = cylinder.axis();
  for (const EdgeNormal& root : edge_normals(cylinder, edge)) {
    const double along = glm::dot(v, root.m);
    Conditions base, side;
    base.direction(std::abs(along) - kLooksAtEdge);
    side.direction(kLooksAtEdge - std::abs(along));
    if (base.possible()) {
      auto in_disc = [&](dvec3 p, dvec3 d) { return part_in_disc(p, d, v, cylinder.radius()); };
      const dvec3 f = along > 0.0 ? -v : v;
      const FaceContacts face = face_contacts(edge, root.m, f, cylinder.half_length(), base, in_disc);
      for (const EdgeContact& contact : face.contacts) add(root, contact, contact.end);
      Conditions no_part = base;
      require_no_part(no_part, face);
      if (no_part.possible()) add(root, support_on_edge(cylinder, edge, root.m, no_part), 4);
    }
    if (side.possible()) add_side(cylinder, edge, root, side, add);
  }
}

std::vector<WayOut> cylinder_ways_out(const Body& cylinder, dvec3 at) {
  const dvec3 v = cylinder.axis();
  const double r = cylinder.radius(), h = cylinder.half_length();
  const double along = glm::dot(at, v);
  const dvec3 offset = along * v - at;
  const double distance = glm::length(offset);
  std::vector<WayOut> ways;
  for (const double side : {-1.0, 1.0}) {
    WayOut way{.m = -side * v, .depth = h - side * along, .conditions = {}, .uncertainty = 0.0};
    way.side = side < 0.0 ? 0 : 1;
    way.conditions.length(r + kOffSide - distance);
    way.conditions.length(h + side * along);
    ways.push_back(way);
  }
  if (distance > 0.0) {
    WayOut way{.m = offset / distance, .depth = r - distance, .conditions = {}, .uncertainty = kLengthSlack / distance};
    way.conditions.length(h + kOffSide - std::abs(along));
    way.side = 2;
    ways.push_back(way);
  }
  return ways;
}

void cylinder_terrain(ContactSearch& search) {
  add_rims(search);
  for (const Edge& edge : search.ground.edges) {
    if (out_of_reach(search.body, edge, search.margin)) continue;
    cylinder_on_edge(search.body, edge, [&](const EdgeNormal& root, const EdgeContact& at, std::uint32_t index) {
      add_edge_contact(search, edge, root, at, index);
    });
  }
  add_rim_on_flat_edges(search);
  for (const Vertex& v : search.ground.vertices)
    add_shortest_way_out(search, v, cylinder_ways_out(search.body, v.position));
}

}  // namespace oclide::reference
