#include "reference/narrow_phase/hull_penetration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {
namespace {

// Unit edges whose cross product is shorter are parallel: 2^-20.
constexpr double kParallelHullEdges = 1.0 / (1 << 20);

// A vertex is beside an edge where it is farther than this part of the solids' size; a normal has that error where
// edges are as near to parallel as above.
constexpr double kBesideEdge = 1e-8;

// Of directions whose overlaps differ by less than this part of the size, that of a flat face is taken. More is
// allowed, but there the deepest point may lie beside the face already.
constexpr double kEqualOverlaps = 1e-9;

// Between points nearer than this the direction is rounding [m].
constexpr double kTouchingHulls = 1e-5;

dvec3 nearest_on_edge(dvec3 p, const std::array<dvec3, 2>& edge) {
  const dvec3 along = edge[1] - edge[0];
  return edge[0] + std::clamp(glm::dot(p - edge[0], along) / glm::dot(along, along), 0.0, 1.0) * along;
}

// The foot of the perpendicular on a face, and whether it is in the face.
struct FaceFoot {
  dvec3 point;
  bool inside;
};
FaceFoot foot_on_face(dvec3 p, const TurnedHull::Face& face) {
  double height = std::numeric_limits<double>::infinity();
  for (const dvec3& corner : face.corners) height = std::min(height, glm::dot(face.normal, p - corner));
  const dvec3 foot = p - height * face.normal;
  bool inside = true;
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    const dvec3 from = face.corners[k], side = face.corners[(k + 1) % face.corners.size()] - from;
    inside = inside && glm::dot(glm::cross(side, foot - from), face.normal) >= 0.0;
  }
  return {foot, inside};
}

// Ends of one on the other, or the points where both are nearest to each other's lines.
void offer_edges(const std::array<dvec3, 2>& a, const std::array<dvec3, 2>& b, NearestPoints& nearest) {
  for (const dvec3& end : a) nearest.offer(end, nearest_on_edge(end, b));
  for (const dvec3& end : b) nearest.offer(nearest_on_edge(end, a), end);
  const dvec3 u = a[1] - a[0], w = b[1] - b[0], across = glm::cross(u, w), between = b[0] - a[0];
  const double size2 = glm::dot(across, across);
  if (!(size2 > kParallelHullEdges * kParallelHullEdges * glm::dot(u, u) * glm::dot(w, w))) return;
  const double s = glm::dot(glm::cross(between, w), across) / size2;
  const double t = glm::dot(glm::cross(between, u), across) / size2;
  if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) nearest.offer(a[0] + s * u, b[0] + t * w);
}

TurnedHull moved_hull(TurnedHull hull, dvec3 by) {
  for (dvec3& v : hull.vertices) v += by;
  for (TurnedHull::Face& face : hull.faces)
    for (dvec3& corner : face.corners) corner += by;
  for (auto& edge : hull.edges) edge[0] += by, edge[1] += by;
  return hull;
}

// Farther from each other than what is found already, whatever their points.
bool are_farther(const std::array<dvec3, 2>& a, const std::array<dvec3, 2>& b, double found) {
  const double reach = found + 0.5 * (glm::distance(a[0], a[1]) + glm::distance(b[0], b[1]));
  return glm::distance(0.5 * (a[0] + a[1]), 0.5 * (b[0] + b[1])) > reach;
}

// An edge with what the test for its directions needs.
struct HullEdgeOfSum {
  dvec3 point, along;           // [m], unit
  std::array<dvec3, 4> beside;  // from `point` [m]

  // No point beside the edge is farther along n than the edge itself.
  [[nodiscard]] bool is_farthest(dvec3 n, double slack) const {
    return std::all_of(beside.begin(), beside.end(), [&](dvec3 p) { return glm::dot(n, p) <= slack; });
  }
};
std::vector<HullEdgeOfSum> edges_of_sum(const TurnedHull& hull) {
  std::vector<HullEdgeOfSum> edges;
  for (std::size_t e = 0; e < hull.edges.size(); ++e) {
    const dvec3 from = hull.edges[e][0];
    edges.push_back({from, glm::normalize(hull.edges[e][1] - from), {}});
    for (std::size_t k = 0; k < 4; ++k) edges.back().beside[k] = hull.beside[e][k] - from;
  }
  return edges;
}

double size_of(const TurnedHull& hull) {
  double size = 0.0;
  for (const dvec3& v : hull.vertices) size = std::max(size, glm::length(v));
  return size;
}

// Both senses of the normal of every two edges. Left out is what cannot be the normal of a piece of the solids' sum: a
// vertex beside one of the edges is farther along it.
HullCandidate least_of_edges(const TurnedHull& a, const TurnedHull& b, dvec3 c) {
  const std::vector<HullEdgeOfSum> edges_a = edges_of_sum(a), edges_b = edges_of_sum(b);
  const double slack = kBesideEdge * (size_of(a) + size_of(b));
  HullCandidate least;
  for (const HullEdgeOfSum& p : edges_a)
    for (const HullEdgeOfSum& q : edges_b) {
      const dvec3 across = glm::cross(p.along, q.along);
      const double length = glm::length(across);
      if (!(length > kParallelHullEdges)) continue;
      for (const dvec3 n : {across / length, -across / length})
        if (p.is_farthest(-n, slack) && q.is_farthest(n, slack)) least.offer(hull_overlap_along(a, b, c, n), n);
    }
  return least;
}

}  // namespace

NearestPoints nearest_points(const TurnedHull& a, const TurnedHull& about_c, dvec3 c) {
  const TurnedHull b = moved_hull(about_c, c);
  NearestPoints nearest;
  for (const dvec3& v : a.vertices)
    for (const TurnedHull::Face& face : b.faces)
      if (const FaceFoot foot = foot_on_face(v, face); foot.inside) nearest.offer(v, foot.point);
  for (const dvec3& v : b.vertices)
    for (const TurnedHull::Face& face : a.faces)
      if (const FaceFoot foot = foot_on_face(v, face); foot.inside) nearest.offer(foot.point, v);
  for (const auto& edge_a : a.edges)
    for (const auto& edge_b : b.edges)
      if (!are_farther(edge_a, edge_b, nearest.distance)) offer_edges(edge_a, edge_b, nearest);
  return nearest;
}

double TurnedHull::reach(dvec3 n) const {
  double farthest = -std::numeric_limits<double>::infinity();
  for (const dvec3& v : vertices) farthest = std::max(farthest, glm::dot(n, v));
  return farthest;
}

TurnedHull turned_hull(const ConvexHull& hull, const dmat3& axes) {
  TurnedHull turned;
  for (const glm::vec3& v : hull.vertices) turned.vertices.push_back(axes * dvec3(v));
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    turned.faces.push_back({axes * hull.faces[f].normal, {}});
    for (const std::uint32_t v : hull.loop(f)) turned.faces.back().corners.push_back(turned.vertices[v]);
  }
  for (const HullEdge& edge : hull.edges) {
    turned.edges.push_back({turned.vertices[edge.vertices[0]], turned.vertices[edge.vertices[1]]});
    std::array<dvec3, 4> beside;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto loop = hull.loop(edge.faces[k]);
      const auto at = static_cast<std::size_t>(std::find(loop.begin(), loop.end(), edge.vertices[k]) - loop.begin());
      beside[2 * k] = turned.vertices[loop[(at + loop.size() - 1) % loop.size()]];
      beside[2 * k + 1] = turned.vertices[loop[(at + 2) % loop.size()]];
    }
    turned.beside.push_back(beside);
  }
  return turned;
}

TurnedHull box_as_hull(const Body& box) {
  TurnedHull hull;
  for (const RoundedPoint& corner : box.rounded_points()) hull.vertices.push_back(corner.centre);
  // Corner k is on the upper side of axis a where its bit a is set.
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t x = std::size_t{1} << a, y = std::size_t{1} << (a + 1) % 3, z = std::size_t{1} << (a + 2) % 3;
    const auto face = [&](double side, std::array<std::size_t, 4> corners) {
      hull.faces.push_back({side * box.axes[static_cast<int>(a)], {}});
      for (const std::size_t k : corners) hull.faces.back().corners.push_back(hull.vertices[k]);
    };
    face(-1.0, {0, z, y + z, y});
    face(1.0, {x, x + y, x + y + z, x + z});
    for (const std::size_t k : {std::size_t{0}, y, z, y + z}) {
      const std::size_t l = k + x;
      hull.edges.push_back({hull.vertices[k], hull.vertices[l]});
      hull.beside.push_back({hull.vertices[k ^ y], hull.vertices[l ^ y], hull.vertices[k ^ z], hull.vertices[l ^ z]});
    }
  }
  return hull;
}

TurnedHull segment_as_hull(dvec3 half) {
  return {{-half, half}, {}, {{-half, half}}, {{-half, half, -half, half}}};
}

double hull_overlap_along(const TurnedHull& a, const TurnedHull& b, dvec3 c, dvec3 n) {
  return a.reach(-n) + b.reach(n) + glm::dot(n, c);
}

dvec3 chosen_normal(const HullCandidate& least, const HullCandidate& face_a, const HullCandidate& face_b, double size) {
  const double slack = kEqualOverlaps * size;
  const auto counts = [&](const HullCandidate& face) { return face.overlap <= least.overlap + slack; };
  const bool prefers_b = !counts(face_a) || face_b.overlap < face_a.overlap - slack;
  const HullCandidate& face = counts(face_b) && prefers_b ? face_b : face_a;
  return counts(face) ? face.normal : least.normal;
}

std::optional<LeastPenetration> hull_hull(const TurnedHull& a, const TurnedHull& b, dvec3 c, double apart) {
  HullCandidate face_a, face_b;
  for (const TurnedHull::Face& face : a.faces) face_a.offer(hull_overlap_along(a, b, c, -face.normal), -face.normal);
  for (const TurnedHull::Face& face : b.faces) face_b.offer(hull_overlap_along(a, b, c, face.normal), face.normal);
  HullCandidate least = face_a;
  least.offer(face_b.overlap, face_b.normal);
  if (least.overlap <= -apart) return std::nullopt;
  const HullCandidate edges = least_of_edges(a, b, c);
  least.offer(edges.overlap, edges.normal);
  if (least.overlap < 0.0) {
    const NearestPoints nearest = nearest_points(a, b, c);
    if (nearest.distance > kTouchingHulls)
      least = {-nearest.distance, (nearest.of_a - nearest.of_b) / nearest.distance};
  }
  return unless_apart(least.overlap, chosen_normal(least, face_a, face_b, size_of(a) + size_of(b)), apart);
}

LeastPenetration sphere_hull(double radius, const TurnedHull& b, dvec3 c) {
  HullCandidate face;
  for (const TurnedHull::Face& f : b.faces) face.offer(b.reach(f.normal) + glm::dot(f.normal, c), f.normal);
  if (face.overlap < 0.0) {
    NearestPoints nearest;
    const TurnedHull hull = moved_hull(b, c);
    for (const TurnedHull::Face& f : hull.faces)
      if (const FaceFoot foot = foot_on_face(dvec3(0.0), f); foot.inside) nearest.offer(dvec3(0.0), foot.point);
    for (const auto& edge : hull.edges) nearest.offer(dvec3(0.0), nearest_on_edge(dvec3(0.0), edge));
    if (nearest.distance > kTouchingHulls) return {radius - nearest.distance, -nearest.of_b / nearest.distance};
  }
  return {radius + face.overlap, face.normal};
}

LeastPenetration hull_half_space(const TurnedHull& a, dvec3 up, dvec3 c) {
  return {a.reach(-up) + glm::dot(up, c), up};
}

}  // namespace oclide::reference
