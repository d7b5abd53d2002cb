// Kind 3. First: in which directions m between the two normals of an edge does the body's lowest point pass the
// edge from one side to the other?
//
//          n1   m   n2            The lowest point along n1 lies past the edge on the side of element 2 (g > 0), the
//            \  |  /              lowest along n2 past it on the side of element 1 (g < 0): between them is a root.
//     _ 1 ___/\___ 2 _
#include "reference/narrow_phase/edge_contact.hpp"

#include <algorithm>
#include <cmath>

namespace oclide::reference {

std::vector<EdgeNormal> edge_normals(const Body& body, const Edge& edge) {
  // m turns from n1 by the angle theta toward q; c(m) is m turned by 90 degrees, out of element 1 at n1.
  const double cosine = glm::dot(edge.n1, edge.n2);
  const double angle = std::atan2(glm::length(glm::cross(edge.n1, edge.n2)), cosine);
  const dvec3 q = glm::normalize(edge.n2 - cosine * edge.n1);
  const double sign = edge.kind == EdgeKind::concave ? -1.0 : 1.0;
  auto m_at = [&](double theta) { return std::cos(theta) * edge.n1 + std::sin(theta) * q; };
  auto g = [&](double theta) {
    const dvec3 c = sign * (std::cos(theta) * q - std::sin(theta) * edge.n1);
    return glm::dot(body.support(-m_at(theta)) - edge.a, c);
  };

  Conditions ends;
  ends.length(g(0.0));
  ends.length(-g(angle));
  if (!ends.possible()) return {};

  // Every change from + to - among many directions, narrowed down to rounding.
  constexpr int kSteps = 128;
  std::vector<EdgeNormal> roots;
  for (int i = 0; i < kSteps; ++i) {
    double lo = angle * i / kSteps, hi = angle * (i + 1) / kSteps;
    const bool starts = i == 0 || g(lo) > 0.0, stops = i == kSteps - 1 || g(hi) <= 0.0;
    if (!starts || !stops) continue;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (lo + hi);
      (g(middle) > 0.0 ? lo : hi) = middle;
    }
    const double root = 0.5 * (lo + hi);
    // How far the root moves when lengths are off by the slack.
    double spread = 1e-9;
    while (spread < angle && root - spread > 0.0 && root + spread < angle &&
           (g(root - spread) < kLengthSlack || g(root + spread) > -kLengthSlack))
      spread *= 2.0;
    roots.push_back({m_at(root), ends, spread});
  }
  // Of several roots the one by which the body gets off the edge on the shortest way.
  auto depth = [&](const EdgeNormal& r) { return glm::dot(edge.a - body.support(-r.m), r.m); };
  for (EdgeNormal& r : roots)
    for (const EdgeNormal& other : roots)
      if (&other != &r) r.conditions.length(depth(other) - depth(r));
  return roots;
}

// Depth that a face gains per length of an edge that it is all but parallel to.
constexpr double kParallel = 0.05;

std::vector<EdgeContact> face_contacts(const Edge& edge, dvec3 m, dvec3 f, double half,
                                       const std::function<Interval(dvec3, dvec3)>& part_in_face) {
  // The point Q = a + t direction has its image at Q - depth(Q) m on the plane f.x = half; both are linear in t.
  const double slant = -glm::dot(f, m);
  auto depth = [&](double t) { return (half - glm::dot(f, edge.a + t * edge.direction)) / slant; };
  auto image = [&](double t) { return edge.a + t * edge.direction - depth(t) * m; };
  Interval part = part_in_face(image(0.0), image(1.0) - image(0.0));
  part.lo = std::max(part.lo, 0.0), part.hi = std::min(part.hi, edge.length);
  std::vector<EdgeContact> contacts;
  if (!(part.hi > part.lo - kLengthSlack)) return contacts;
  Conditions conditions;
  conditions.length(part.hi - part.lo);
  // A face that is not parallel to the edge presses on it with the deeper end of the part. Where that is an end of the
  // edge, the vertex there has the contact; a device may have it here too, as it is true by itself.
  const double rise = (depth(1.0) - depth(0.0));
  const double deeper_end = rise > 0.0 ? edge.length - part.hi : part.lo;
  if (std::abs(rise) > kParallel - kDirectionSlack && deeper_end < kLengthSlack)
    conditions.direction(std::max(kParallel - std::abs(rise), -0.5 * kDirectionSlack));
  contacts.push_back({edge.a + part.lo * edge.direction, depth(part.lo), conditions});
  if (part.hi - part.lo >= 1e-6) contacts.push_back({edge.a + part.hi * edge.direction, depth(part.hi), conditions});
  return contacts;
}

std::optional<Crossing> crossing_along(const Edge& edge, dvec3 m, dvec3 point, dvec3 direction) {
  // a + t e - (point + u direction) is parallel to m: multiply by the normals of the planes (direction, m) and (e, m).
  const dvec3 across_line = glm::cross(direction, m), across_edge = glm::cross(edge.direction, m);
  const double t_slope = glm::dot(edge.direction, across_line), u_slope = glm::dot(direction, across_edge);
  if (std::abs(t_slope) < 1e-9 || std::abs(u_slope) < 1e-9) return std::nullopt;
  return Crossing{glm::dot(point - edge.a, across_line) / t_slope, glm::dot(edge.a - point, across_edge) / u_slope};
}

void add_edge_contact(ContactSearch& search, const Edge& edge, const EdgeNormal& root, EdgeContact at,
                      std::uint32_t index) {
  GroundContact contact{.point = at.on_edge - at.depth * root.m,
                        .normal = root.m,
                        .depth = at.depth,
                        .kind = ContactKind::edge,
                        .index = index,
                        .feature = edge.id,
                        .material = edge.material,
                        .normal_uncertainty = root.uncertainty};
  Conditions conditions = root.conditions;
  conditions.also(at.conditions);
  conditions.direction(edge.sine - kFlatSine);
  if (edge.kind == EdgeKind::concave) {
    conditions.length(at.depth);
    if (conditions.possible()) search.require_below(conditions, contact.point, at.depth);
  } else if (at.depth >= 0.0) {
    // Ends of a part stand exactly over the body's sides, so that "in the body" needs a slack of its own.
    conditions.length(2.0 * kLengthSlack - search.body.signed_distance(at.on_edge));
  }
  search.add(contact, conditions);
}

void require_on_edge(Conditions& conditions, const Edge& edge, double t) {
  conditions.length(t);
  conditions.length(edge.length - t);
}

}  // namespace oclide::reference
