#include "reference/narrow_phase/hull_penetration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oclide::reference {
namespace {

// Unit edges whose cross product is shorter are parallel: 2^-20.
constexpr double kParallelHullEdges = 1.0 / (1 << 20);

// How much worse a face may be than an edge, and one of A than one of B [m].
constexpr double kFaceSlack = 2e-5, kFirstFaceSlack = 1e-5;

// Between points nearer than this the direction is rounding [m].
constexpr double kTouchingHulls = 1e-5;

struct HullCandidate {
  double overlap = std::numeric_limits<double>::infinity();
  dvec3 normal{0.0};

  // The first of equal ones stays.
  void offer(double f, dvec3 n) {
    if (f < overlap) overlap = f, normal = n;
  }
};

// Two points, one of each solid, and how far they are from each other.
struct NearestPoints {
  double distance = std::numeric_limits<double>::infinity();
  dvec3 of_a{0.0}, of_b{0.0};

  void offer(dvec3 a, dvec3 b) {
    if (const double d = glm::distance(a, b); d < distance) distance = d, of_a = a, of_b = b;
  }
};

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

// Of two solids that are apart; b stands where it is.
NearestPoints nearest_points(const TurnedHull& a, const TurnedHull& b) {
  NearestPoints nearest;
  for (const dvec3& v : a.vertices)
    for (const TurnedHull::Face& face : b.faces)
      if (const FaceFoot foot = foot_on_face(v, face); foot.inside) nearest.offer(v, foot.point);
  for (const dvec3& v : b.vertices)
    for (const TurnedHull::Face& face : a.faces)
      if (const FaceFoot foot = foot_on_face(v, face); foot.inside) nearest.offer(foot.point, v);
  for (const auto& edge_a : a.edges)
    for (const auto& edge_b : b.edges) offer_edges(edge_a, edge_b, nearest);
  return nearest;
}

// Both senses of the normal of every two edges: what has no area in the sum of the solids only has a larger overlap.
HullCandidate least_of_edges(const TurnedHull& a, const TurnedHull& b, dvec3 c) {
  HullCandidate least;
  for (const auto& edge_a : a.edges)
    for (const auto& edge_b : b.edges) {
      const dvec3 u = glm::normalize(edge_a[1] - edge_a[0]), w = glm::normalize(edge_b[1] - edge_b[0]);
      const dvec3 across = glm::cross(u, w);
      if (!(glm::length(across) > kParallelHullEdges)) continue;
      for (const double sense : {1.0, -1.0}) {
        const dvec3 n = sense * glm::normalize(across);
        least.offer(hull_overlap_along(a, b, c, n), n);
      }
    }
  return least;
}

}  // namespace

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
  for (const HullEdge& edge : hull.edges)
    turned.edges.push_back({turned.vertices[edge.vertices[0]], turned.vertices[edge.vertices[1]]});
  return turned;
}

double hull_overlap_along(const TurnedHull& a, const TurnedHull& b, dvec3 c, dvec3 n) {
  return a.reach(-n) + b.reach(n) + glm::dot(n, c);
}

LeastPenetration hull_hull(const TurnedHull& a, const TurnedHull& b, dvec3 c) {
  HullCandidate face_a, face_b;
  for (const TurnedHull::Face& face : a.faces) face_a.offer(hull_overlap_along(a, b, c, -face.normal), -face.normal);
  for (const TurnedHull::Face& face : b.faces) face_b.offer(hull_overlap_along(a, b, c, face.normal), face.normal);
  const HullCandidate edges = least_of_edges(a, b, c);

  HullCandidate least = face_a;
  least.offer(face_b.overlap, face_b.normal);
  least.offer(edges.overlap, edges.normal);
  if (least.overlap < 0.0) {
    const NearestPoints nearest = nearest_points(a, moved_hull(b, c));
    if (nearest.distance > kTouchingHulls)
      least = {-nearest.distance, (nearest.of_a - nearest.of_b) / nearest.distance};
  }
  const auto counts = [&](const HullCandidate& face) { return face.overlap <= least.overlap + kFaceSlack; };
  const bool prefers_b = !counts(face_a) || face_b.overlap < face_a.overlap - kFirstFaceSlack;
  const HullCandidate& face = counts(face_b) && prefers_b ? face_b : face_a;
  return {least.overlap, counts(face) ? face.normal : least.normal};
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
