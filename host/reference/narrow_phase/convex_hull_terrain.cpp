// Convex hull against terrain: its vertices as rounded points of radius 0, faces and edges on the ground's convex
// edges, vertices of the ground inside.
#include <algorithm>
#include <cmath>

#include "reference/narrow_phase/edge_contact.hpp"
#include "reference/narrow_phase/vertex_contact.hpp"

namespace oclide::reference {
namespace {

// A root is found to about 1e-9 rad.
constexpr double kAsLow = 1e-7;
// Sine up to which an edge of a hull supports as a whole.
constexpr double kLevelEdge = 4e-6;

struct WorldFace {
  dvec3 normal;                // unit, outward
  double offset;               // [m]
  std::vector<dvec3> corners;  // counter-clockwise from outside [m]

  // How far the foot of a point is within the side from corner k to the next [m].
  [[nodiscard]] double within(std::size_t k, dvec3 p) const { return -glm::dot(p - corners[k], outward(k)); }
  [[nodiscard]] dvec3 outward(std::size_t k) const {
    return glm::normalize(glm::cross(corners[(k + 1) % corners.size()] - corners[k], normal));
  }
};
std::vector<WorldFace> world_faces(const Body& body) {
  std::vector<WorldFace> faces;
  for (std::size_t f = 0; f < body.hull->faces.size(); ++f) {
    faces.push_back({body.axes * body.hull->faces[f].normal, body.hull->faces[f].offset, {}});
    for (const std::uint32_t v : body.hull->loop(f))
      faces.back().corners.push_back(body.axes * dvec3(body.hull->vertices[v]));
  }
  return faces;
}

// What is lowest along m: a vertex where the conditions say so, in any case within rounding.
struct LowestVertices {
  dvec3 m, lowest;
  double size;

  LowestVertices(const Body& body, dvec3 m_) : m(m_), lowest(body.support(-m_)), size(body.bounding_radius()) {}
  [[nodiscard]] bool holds(dvec3 v) const { return glm::dot(v - lowest, m) <= kAsLow * size; }
  /// The way to the lowest one is level, as far as a body at rest trembles.
  [[nodiscard]] bool is_level(dvec3 v) const {
    return holds(v) || glm::dot(v - lowest, m) <= kLevelEdge * glm::distance(v, lowest);
  }
  [[nodiscard]] bool may_hold(dvec3 v) const {
    return glm::dot(v - lowest, m) <= kLengthSlack + kDirectionSlack * glm::length(v - lowest);
  }
};

// A face that the body may turn to the ground along m.
struct LowFace {
  std::uint32_t number;
  double cosine;   // of its normal and -m
  double leaning;  // what is compared of that
  bool certain;    // it is at a lowest vertex
};

std::vector<LowFace> low_faces(const Body& hull, const std::vector<WorldFace>& faces, const LowestVertices& low) {
  std::vector<LowFace> found;
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    const double cosine = -glm::dot(faces[f].normal, low.m);
    const std::vector<dvec3>& corners = faces[f].corners;
    if (cosine < kLooksAtEdge - kDirectionSlack) continue;
    if (!std::any_of(corners.begin(), corners.end(), [&](dvec3 v) { return low.may_hold(v); })) continue;
    const bool certain = std::any_of(corners.begin(), corners.end(), [&](dvec3 v) { return low.holds(v); });
    found.push_back({f, cosine, leaning_depth(hull, cosine, -faces[f].normal), certain});
  }
  return found;
}

// The condition that a face is the one whose normal is nearest to -m, within 44 degrees.
Conditions is_nearest(const LowFace& face, const std::vector<LowFace>& all) {
  Conditions conditions;
  conditions.direction(face.cosine - kLooksAtEdge);
  if (!face.certain) conditions.may_hold();
  for (const LowFace& other : all) {
    if (other.number == face.number) continue;
    if (other.certain && other.cosine >= kLooksAtEdge) conditions.direction(face.leaning - other.leaning);
    if (other.leaning > face.leaning - kDirectionSlack) conditions.may_fail();
  }
  return conditions;
}

// The hull's edge that supports at m*, or the face's width: from the lowest vertex on one side of the ground's edge to
// that on the other. Where it is one vertex, that stands over the edge.
void add_crossing(const Body& hull, const Edge& edge, const EdgeNormal& root, const LowestVertices& low,
                  const Conditions& no_face, std::uint32_t first_number, const OnEdge& add) {
  const dvec3 side = glm::cross(edge.direction, root.m);
  const std::vector<glm::vec3>& vertices = hull.hull->vertices;
  const auto at = [&](std::uint32_t v) { return hull.axes * dvec3(vertices[v]); };
  std::optional<std::uint32_t> from, to;
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    if (!low.is_level(at(v))) continue;
    if (!from || glm::dot(at(v) - at(*from), side) < 0.0) from = v;
    if (!to || glm::dot(at(v) - at(*to), side) > 0.0) to = v;
  }
  const std::uint32_t number = first_number + std::min(*from, *to);
  const double length = glm::distance(at(*from), at(*to));
  const dvec3 direction = *from == *to ? dvec3(0.0) : (at(*to) - at(*from)) / length;
  const auto crossing = *from == *to ? std::nullopt : crossing_along(edge, root.m, at(*from), direction);
  if (!crossing) {
    EdgeContact contact = support_on_edge(hull, edge, root.m, no_face);
    contact.conditions.length(kLengthSlack - std::abs(glm::dot(contact.on_edge - edge.a, glm::normalize(side))));
    if (*from != *to) contact.conditions.may_hold();  // along its whole length: its ends may be taken
    add(root, contact, number);
    return;
  }
  EdgeContact contact{edge.a + crossing->t * edge.direction, 0.0, no_face};
  contact.depth = glm::dot(contact.on_edge - (at(*from) + crossing->u * direction), root.m);
  require_up_to_end(contact.conditions, crossing->u);
  require_up_to_end(contact.conditions, length - crossing->u);
  require_on_edge(contact.conditions, edge, crossing->t);
  add(root, contact, number);
}

}  // namespace

void convex_hull_on_edge(const Body& hull, const Edge& edge, const OnEdge& add) {
  const std::vector<EdgeNormal> roots = edge_normals(hull, edge);
  if (roots.empty()) return;
  const std::vector<WorldFace> faces = world_faces(hull);
  for (const EdgeNormal& root : roots) {
    const LowestVertices low(hull, root.m);
    const std::vector<LowFace> low_ones = low_faces(hull, faces, low);
    Conditions no_line;  // that none of its edges lies along the ground's
    add_line_on_edge(hull, edge, root, no_line, add);
    if (!no_line.possible()) continue;
    Conditions no_face = no_line;  // nor that a face looks along -m and holds a part of the edge
    for (const LowFace& one : low_ones) {
      Conditions looks = is_nearest(one, low_ones);
      looks.also(no_line);
      if (!looks.possible()) continue;
      const WorldFace& face = faces[one.number];
      auto part_in_face = [&](dvec3 p, dvec3 d) {
        Interval part{-1e30, 1e30};
        for (std::size_t k = 0; k < face.corners.size(); ++k) {
          const double within = face.within(k, p), slope = -glm::dot(d, face.outward(k));
          if (std::abs(slope) < kLevel)
            part.room = std::min(part.room, within);
          else if (slope > 0.0)
            part.lo = std::max(part.lo, -within / slope);
          else
            part.hi = std::min(part.hi, -within / slope);
        }
        return part;
      };
      const FaceContacts of_face = face_contacts(edge, root.m, face.normal, face.offset, looks, part_in_face);
      for (const EdgeContact& contact : of_face.contacts) add(root, contact, 2 * (one.number + 1) + contact.end);
      require_no_part(no_face, of_face);
    }
    if (no_face.possible())
      add_crossing(hull, edge, root, low, no_face, 2 * static_cast<std::uint32_t>(faces.size() + 1), add);
  }
}

std::vector<WayOut> convex_hull_ways_out(const Body& hull, dvec3 at, double apart) {
  const auto depth_by = [&](std::uint32_t f) {
    return hull.hull->faces[f].offset - glm::dot(hull.axes * hull.hull->faces[f].normal, at);
  };
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t f = 0; f < hull.hull->faces.size(); ++f) least = std::min(least, depth_by(f));
  if (least < -apart - kLengthSlack) return {};
  const std::vector<WorldFace> faces = world_faces(hull);
  std::vector<WayOut> ways;
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    const double depth = depth_by(f);
    if (depth > least + kMostLeaning + kLengthSlack) continue;
    WayOut way{.m = -faces[f].normal, .depth = depth, .conditions = {}, .uncertainty = 0.0, .side = f};
    for (std::size_t k = 0; k < faces[f].corners.size(); ++k) way.conditions.length(faces[f].within(k, at) + kOffSide);
    ways.push_back(way);
  }
  return ways;
}

void convex_hull_terrain(ContactSearch& search) {
  add_rounded_points(search);
  for (const Edge& edge : search.ground.edges) {
    if (edge.kind == EdgeKind::concave || out_of_reach(search.body, edge, search.margin)) continue;
    convex_hull_on_edge(search.body, edge, [&](const EdgeNormal& root, const EdgeContact& at, std::uint32_t index) {
      add_edge_contact(search, edge, root, at, index);
    });
  }
  for (const Vertex& v : search.ground.vertices)
    add_shortest_way_out(search, v, convex_hull_ways_out(search.body, v.position, search.margin));
}

}  // namespace oclide::reference
