// Cylinder against terrain: rim points, base and side on the ground's edges, vertices of the ground inside.
//
//            ________            v   axis          For a plane with normal n: A1 and A2 are the lowest points of the
//           /   C2   \  A2       |                 rims, B1 is across from A1 on the lower base, the two D1 lie
//          |    |     |          n (plane)         between them. B1 and D1 matter where the base looks at the plane.
//           B1__C1___/ A1
#include <cmath>

#include "reference/narrow_phase/edge_contact.hpp"
#include "reference/narrow_phase/vertex_contact.hpp"

namespace oclide::reference {
namespace {

const double kHalfRightAngle = std::sqrt(0.5);  // cosine of 45 degrees

void add_rims(ContactSearch& search) {
  for (const Element& e : search.ground.elements) {
    const std::array<RimPoint, 5> points = rim_points(search.body, e.normal, glm::normalize(e.v[1] - e.v[0]));
    for (std::uint32_t k = 0; k < points.size(); ++k) {
      const dvec3 p = points[k].point;
      const double s = e.depth_of(p);
      if (s <= -search.margin - kLengthSlack) continue;
      Conditions conditions = points[k].conditions;
      conditions.length(e.inside(p + s * e.normal, std::abs(s) * kFlatSine));
      if (s > 0.0 && conditions.possible()) search.require_below(conditions, p, s);
      search.add({.point = p,
                  .normal = e.normal,
                  .depth = s,
                  .kind = ContactKind::rim,
                  .index = k,
                  .feature = e.id,
                  .material = e.material},
                 conditions);
    }
  }
}

// Part of the line p + t d, in a base's plane, that lies in the disc of radius r around the axis v.
Interval part_in_disc(dvec3 p, dvec3 d, dvec3 v, double r) {
  p -= glm::dot(p, v) * v, d -= glm::dot(d, v) * v;
  const double a = glm::dot(d, d), b = glm::dot(p, d), c = glm::dot(p, p) - r * r;
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0 || a < 1e-24) return {1e30, -1e30};
  const double root = std::sqrt(discriminant);
  return {(-b - root) / a, (-b + root) / a};
}

void add_side(ContactSearch& search, const Edge& edge, const EdgeNormal& root, Conditions looks) {
  const Body& cylinder = search.body;
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
    for (const double t : {lo, hi}) {
      const dvec3 q = edge.a + t * edge.direction;
      add_edge_contact(search, edge, root, {q, glm::dot(q - point, m), parallel}, t == lo ? 2 : 3);
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
    const dvec3 p = cylinder.support(-m);
    contact.depth = glm::dot(edge.a - p, m);
    contact.on_edge = p + contact.depth * m;
    require_on_edge(contact.conditions, edge, glm::dot(contact.on_edge - edge.a, edge.direction));
  }
  add_edge_contact(search, edge, root, contact, 4);
}

void add_edges(ContactSearch& search) {
  const Body& cylinder = search.body;
  const dvec3 v = cylinder.axis();
  for (const Edge& edge : search.ground.edges)
    for (const EdgeNormal& root : edge_normals(cylinder, edge)) {
      const double along = glm::dot(v, root.m);
      Conditions base, side;
      base.direction(std::abs(along) - kHalfRightAngle);
      side.direction(kHalfRightAngle - std::abs(along));
      if (base.possible()) {
        std::uint32_t index = 0;
        auto in_disc = [&](dvec3 p, dvec3 d) { return part_in_disc(p, d, v, cylinder.radius()); };
        for (EdgeContact contact : face_contacts(edge, root.m, along > 0.0 ? -v : v, cylinder.half_length(), in_disc)) {
          contact.conditions.also(base);
          add_edge_contact(search, edge, root, contact, index++);
        }
      }
      if (side.possible()) add_side(search, edge, root, side);
    }
}

void add_vertices(ContactSearch& search) {
  const Body& cylinder = search.body;
  const dvec3 v = cylinder.axis();
  const double r = cylinder.radius(), h = cylinder.half_length();
  for (const Vertex& vertex : search.ground.vertices) {
    const double along = glm::dot(vertex.position, v);
    const dvec3 offset = along * v - vertex.position;
    const double distance = glm::length(offset);
    std::vector<WayOut> ways;
    for (const double side : {-1.0, 1.0}) {
      WayOut way{.m = -side * v, .depth = h - side * along, .conditions = {}, .uncertainty = 0.0};
      way.conditions.length(r - distance);
      way.conditions.length(h + side * along);
      ways.push_back(way);
    }
    if (distance > 0.0) {
      WayOut way{
          .m = offset / distance, .depth = r - distance, .conditions = {}, .uncertainty = kLengthSlack / distance};
      way.conditions.length(h - std::abs(along));
      ways.push_back(way);
    }
    add_shortest_way_out(search, vertex, ways);
  }
}

}  // namespace

std::array<RimPoint, 5> rim_points(const Body& cylinder, dvec3 n, dvec3 along) {
  const dvec3 v = cylinder.axis();
  const double r = cylinder.radius(), h = cylinder.half_length(), cosine = glm::dot(v, n);
  const dvec3 down = cosine * v - n;
  const dvec3 w =
      glm::length(glm::cross(v, n)) < 1e-6 ? glm::normalize(along - glm::dot(along, v) * v) : glm::normalize(down);
  const dvec3 c1 = cosine >= 0.0 ? -h * v : h * v, c2 = -c1, across = glm::cross(v, w);
  Conditions base;
  base.direction(std::abs(cosine) - kHalfRightAngle);
  return {{{c1 + r * w, {}}, {c2 + r * w, {}}, {c1 - r * w, base}, {c1 + r * across, base}, {c1 - r * across, base}}};
}

void cylinder_terrain(ContactSearch& search) {
  add_rims(search);
  add_edges(search);
  add_vertices(search);
}

}  // namespace oclide::reference
