// Kind 2: balls, capsules' sides and sharp bodies on edges.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/narrow_phase/edge_contact.hpp"
#include "reference/narrow_phase/mesh_contact.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

constexpr double kLeastWay = 2e-5;       // out of a concave edge [m]
constexpr double kOffEnd = 2e-5;         // of a part of an edge [m]
constexpr double kEndRounding = 5e-6;    // of Q [m]
constexpr double kGrazingPart = 0.01;    // the way from there is longer by this part,
constexpr double kGrazingLength = 5e-5;  // and this much [m]
constexpr double kInArc = 1e-6;          // slack of a normal

// m, which is across the edge, is between the normals: `turned` is how far rounding may turn it.
void require_in_arc(Conditions& conditions, const Edge& edge, dvec3 m, double turned) {
  conditions.within(kInArc - glm::dot(m, edge.into1), kDirectionSlack + turned);
  conditions.within(kInArc - glm::dot(m, edge.into2), kDirectionSlack + turned);
}

// No point of the edge is near the body.
bool is_far(const Body& body, const Edge& edge, double margin) {
  const double along = std::clamp(-glm::dot(edge.a, edge.direction), 0.0, edge.length);
  return glm::length(edge.a + along * edge.direction) > body.bounding_radius() + margin + 2.0 * kLengthSlack;
}

// The way off a border, out of its triangle; of other edges there is none.
double way_off_border(const Body& body, const SeenEdge& seen) {
  if (!seen.border) return std::numeric_limits<double>::infinity();
  return glm::dot(seen.edge.a - body.support(seen.edge.into1), -seen.edge.into1);
}

// What a body has on an edge that is not concave by the roots of the terrain's kind 3.
void on_edge(const Body& body, const Edge& edge, const OnEdge& add) {
  if (body.shape == Shape::box) box_on_edge(body, edge, add);
  if (body.shape == Shape::cylinder) cylinder_on_edge(body, edge, add);
  if (body.shape == Shape::convex_hull) convex_hull_on_edge(body, edge, add);
}
static_assert(SHARP_SHAPES == (1u << SHAPE_BOX | 1u << SHAPE_CYLINDER | 1u << SHAPE_CONVEX_HULL),
              "on_edge() knows boxes, cylinders and hulls");

void add_sharp_convex(MeshSearch& search, const SeenEdge& seen) {
  const Edge& edge = seen.edge;
  const Conditions in_body = is_in_body(search.body, edge);
  on_edge(search.body, edge, [&](const EdgeNormal& root, const EdgeContact& at, std::uint32_t index) {
    Conditions conditions = seen.takes_part(), shallow;
    shallow.length(kTouch - at.depth);
    conditions.also_either(shallow, in_body);
    conditions.also(root.conditions);
    conditions.also(at.conditions);
    require_short_way(conditions, search.body, edge, at.depth, way_off_border(search.body, seen));
    const double outside = search.body.signed_distance(at.on_edge);
    if (at.depth >= 0.0)
      conditions.length(kInBody - outside);
    else
      conditions.length(search.margin + kInBody - outside);
    search.add(contact_on_edge(edge, root.m, root.uncertainty, at, index), seen.triangles[0], conditions);
  });
}

void add_sharp_concave(MeshSearch& search, const SeenEdge& seen) {
  const Edge& edge = seen.edge;
  Conditions steep;
  steep.direction(kHalfRightAngle - glm::dot(edge.n1, edge.n2));
  if (!steep.possible()) return;
  const auto line = search.body.interval_on_line(edge.a, edge.direction);
  if (!line) return;
  const double lo = std::max(line->lo, 0.0), hi = std::min(line->hi, edge.length);
  if (hi < lo) return;
  const Conditions part = is_in_body(search.body, edge);
  std::vector<double> ends{lo};
  if (hi - lo >= kSamePoint) ends.push_back(hi);
  for (std::size_t k = 0; k < 2; ++k) {
    const dvec3 n = k == 0 ? edge.n1 : edge.n2;
    for (std::size_t end = 0; end < ends.size(); ++end) {
      dvec3 q = edge.a + ends[end] * edge.direction;
      const auto way_from = [&](dvec3 from) {
        const auto below = search.body.interval_on_line(from, n);
        return below ? std::max(-below->lo, 0.0) : 0.0;
      };
      // A line that lies in a side of the body leaves it anywhere, by rounding. From farther in it leaves the body by
      // another side, no matter how far in that is.
      const dvec3 inward = (end == 0 ? kOffEnd : -kOffEnd) * edge.direction;
      const double at_end = way_from(q), there = way_from(q + inward), farther_in = way_from(q + 2.0 * inward);
      Conditions off_end;
      off_end.flag(hi - lo > 2.0 * kOffEnd);
      off_end.within(1.5 - farther_in / std::max(there, kLeastWay), 0.4);
      const bool is_longer = there > at_end * (1.0 + kGrazingPart) + kGrazingLength;
      const bool moves = is_longer && off_end.held();
      const double way = moves ? there : at_end;
      double shortest = way, longest = std::max({way, there, off_end.possible() ? farther_in : 0.0});
      // At an end on the body's surface the line may leave the body at once, or, where it all but grazes it, farther
      // off than rounding moves the end.
      if (!off_end.certain())
        for (const double aside : {-kLengthSlack, 0.0, kLengthSlack}) {
          const double beside = way_from(q + aside * edge.direction);
          shortest = std::min(shortest, beside), longest = std::max(longest, beside);
        }
      if (moves) q += inward;
      // Beside a side of the body that is all but along n, or goes round, rounding of Q tells in the length.
      const dvec3 other_n = k == 0 ? edge.n2 : edge.n1;
      for (const dvec3 aside : {edge.direction, -edge.direction, other_n, -other_n}) {
        const double beside = way_from(q + kEndRounding * aside);
        shortest = std::min(shortest, beside), longest = std::max(longest, beside);
      }
      Conditions conditions = seen.sides[k];
      conditions.also(part);
      conditions.also(steep);
      conditions.within(way - kLeastWay, kLengthSlack + longest - way);
      if (moves && !off_end.certain()) conditions.may_fail();
      if (const auto below = search.body.interval_on_line(q, n); !below || below->hi - below->lo < kLengthSlack)
        conditions.may_fail();
      GroundContact contact = contact_on_edge(edge, n, 0.0, {q, way, {}}, 0);
      contact.depth_uncertainty = longest - shortest;
      const bool is_left = (k == 0) != edge.turned;
      contact.index = 8 + (is_left ? 0 : 2) + end_of_body(edge, lo, hi, end == 1);
      search.add(contact, seen.triangles[k], conditions);
    }
  }
}

}  // namespace

void add_ball_edges(MeshSearch& search) {
  for (const SeenEdge& seen : search.surface.edges) {
    const Edge& edge = seen.edge;
    if (edge.kind == EdgeKind::concave || is_far(search.body, edge, search.margin)) continue;
    std::uint32_t index = 0;
    for (const RoundedPoint& x : search.body.rounded_points()) {
      const double along = glm::dot(x.centre - edge.a, edge.direction);
      const dvec3 q = edge.a + along * edge.direction;
      const double distance = glm::distance(x.centre, q);
      GroundContact contact;
      contact.kind = ContactKind::rounded_point, contact.index = index++, contact.ground = edge.id;
      if (distance == 0.0) continue;
      contact.normal = (x.centre - q) / distance;
      contact.depth = x.radius - distance, contact.point = x.centre - x.radius * contact.normal;
      contact.normal_uncertainty = kLengthSlack / distance;
      Conditions conditions = seen.takes_part();
      require_on_edge(conditions, edge, along);
      require_in_arc(conditions, edge, contact.normal, contact.normal_uncertainty);
      require_on_capsule(conditions, search.body, x, contact.normal);
      search.add(contact, seen.triangles[0], conditions);
    }
  }
}

void add_capsule_sides(MeshSearch& search) {
  for (const SeenEdge& seen : search.surface.edges) {
    const Edge& edge = seen.edge;
    if (edge.kind == EdgeKind::concave || is_far(search.body, edge, search.margin)) continue;
    capsule_on_edge(search.body, edge, [&](const EdgeNormal& root, const EdgeContact& at, std::uint32_t index) {
      Conditions conditions = seen.takes_part();
      conditions.also(root.conditions);
      conditions.also(at.conditions);
      require_short_way(conditions, search.body, edge, at.depth, way_off_border(search.body, seen));
      search.add(contact_on_edge(edge, root.m, root.uncertainty, at, index), seen.triangles[0], conditions);
    });
  }
}

void add_sharp_edges(MeshSearch& search) {
  for (const SeenEdge& seen : search.surface.edges) {
    if (is_far(search.body, seen.edge, search.margin)) continue;
    if (seen.edge.kind == EdgeKind::concave)
      add_sharp_concave(search, seen);
    else
      add_sharp_convex(search, seen);
  }
}

}  // namespace oclide::reference
