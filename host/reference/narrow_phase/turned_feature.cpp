#include "reference/narrow_phase/turned_feature.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/narrow_phase/hull_penetration.hpp"
#include "reference/narrow_phase/pair_manifold.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// Vertices of a hull within this of the farthest one are as far [m].
constexpr double kSupportSlack = 1e-5;

constexpr std::uint32_t kFirstLine = 16, kFirstFace = 32;  // not of hulls, whose numbers have no gaps

// The number is that of the sides of the axes in `told` (bits) that the point is on.
Turned point_of(const Body& body, dvec3 centre, dvec3 d, std::uint32_t told) {
  const dvec3 p = body.support(d), sides = p * body.axes;
  std::uint32_t number = 0;
  for (int k = 0; k < 3; ++k) number |= sides[k] > 0.0 ? 1u << k : 0u;
  return {.kind = TurnedKind::point, .corners = {centre + p}, .number = number & told};
}
constexpr std::uint32_t kEveryAxis = 7u, kLongAxis = 4u, kNoAxis = 0u;

// A line of the body along its axis k, farthest along d.
Turned line_of(const Body& body, dvec3 centre, dvec3 d, int k, double half_length) {
  const dvec3 axis = body.axes[k];
  dvec3 middle = body.support(d - glm::dot(d, axis) * axis);
  middle -= glm::dot(middle, axis) * axis;
  const dvec3 half = half_length * axis;
  return {.kind = TurnedKind::line, .corners = {centre + middle - half, centre + middle + half}, .number = kFirstLine};
}
Turned box_edge(const Body& body, dvec3 centre, dvec3 d, int k) {
  Turned edge = line_of(body, centre, d, k, body.size[k]);
  const dvec3 sides = (0.5 * (edge.corners[0] + edge.corners[1]) - centre) * body.axes;
  edge.number +=
      static_cast<std::uint32_t>(4 * k + (sides[(k + 1) % 3] > 0.0 ? 1 : 0) + (sides[(k + 2) % 3] > 0.0 ? 2 : 0));
  return edge;
}
Turned line_of_side(const Body& body, dvec3 centre, dvec3 d) {
  return line_of(body, centre, d, 2, body.half_length());
}

Turned axis_of(const Body& body, dvec3 centre) {
  const dvec3 half = body.half_length() * body.axis();
  return {.kind = TurnedKind::line, .corners = {centre - half, centre + half}, .rounded = true, .number = kFirstLine};
}

Turned box_face(const Body& body, dvec3 centre, dvec3 d) {
  const dvec3 local = d * body.axes;
  int k = 0;
  for (int other = 1; other < 3; ++other)
    if (std::abs(local[other]) > std::abs(local[k])) k = other;
  const double side = std::copysign(1.0, local[k]);
  const dvec3 middle = centre + side * body.size[k] * body.axes[k];
  const dvec3 x = body.size[(k + 1) % 3] * body.axes[(k + 1) % 3], y = body.size[(k + 2) % 3] * body.axes[(k + 2) % 3];
  return {.kind = TurnedKind::face,
          .corners = {middle - x - y, middle + x - y, middle + x + y, middle - x + y},
          .normal = side * body.axes[k],
          .number = kFirstFace + static_cast<std::uint32_t>(2 * k + (side > 0.0 ? 1 : 0))};
}

Turned cylinder_base(const Body& body, dvec3 centre, dvec3 d) {
  constexpr double kFullTurn = 6.28318530717958647692;
  const double side = std::copysign(1.0, glm::dot(d, body.axis()));
  Turned face;
  face.kind = TurnedKind::face;
  face.normal = side * body.axis();
  face.disc_radius = body.radius();
  face.number = kFirstFace + (side > 0.0 ? 1u : 0u);
  // The first corner is the farthest along d where the base is tilted.
  dvec3 x = d - glm::dot(d, body.axis()) * body.axis();
  x = glm::length(x) > 1e-9 ? glm::normalize(x) : body.axes[0];
  const dvec3 y = glm::cross(body.axis(), x);
  for (int k = 0; k < kDiscSides; ++k) {
    const double angle = kFullTurn * k / kDiscSides;
    face.corners.push_back(centre + side * body.half_length() * body.axis() +
                           body.radius() * (std::cos(angle) * x + std::sin(angle) * y));
  }
  return face;
}

Turned plane_of(const Body& body, dvec3 centre) {
  return {.kind = TurnedKind::face, .corners = {centre}, .normal = body.axis(), .endless = true, .number = kFirstFace};
}

// A hull's vertices that are as good as farthest along d, and that body's d.
struct SupportSet {
  dvec3 d;                     // in the body's axes
  std::uint32_t farthest = 0;  // the lowest of equal ones
  std::vector<bool> holds;     // of each vertex

  SupportSet(const Body& body, dvec3 world_d) : d(world_d * body.axes) {
    const std::vector<glm::vec3>& vertices = body.hull->vertices;
    const auto along = [&](std::uint32_t v) { return glm::dot(dvec3(vertices[v]), d); };
    for (std::uint32_t v = 1; v < vertices.size(); ++v)
      if (along(v) > along(farthest)) farthest = v;
    for (std::uint32_t v = 0; v < vertices.size(); ++v) holds.push_back(along(v) >= along(farthest) - kSupportSlack);
  }
};

// Of the faces around the support set the one whose normal is nearest to d.
std::size_t face_toward(const ConvexHull& hull, const SupportSet& support) {
  std::optional<std::size_t> best;
  const auto along = [&](std::size_t f) { return glm::dot(hull.faces[f].normal, support.d); };
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const auto loop = hull.loop(f);
    const bool around = std::any_of(loop.begin(), loop.end(), [&](std::uint32_t v) { return support.holds[v]; });
    if (around && (!best || along(f) > along(*best))) best = f;
  }
  return best.value();
}

// Of the edges at the support set the one most nearly across d, if it is within an angle of that.
std::optional<std::size_t> edge_across(const ConvexHull& hull, const SupportSet& support, double flat_angle) {
  std::optional<std::size_t> best;
  double least = flat_angle;
  for (std::size_t e = 0; e < hull.edges.size(); ++e) {
    const auto [from, to] = hull.edges[e].vertices;
    if (!support.holds[from] && !support.holds[to]) continue;
    const double along =
        std::abs(glm::dot(glm::normalize(dvec3(hull.vertices[to]) - dvec3(hull.vertices[from])), support.d));
    if (along < least || (along == least && !best)) best = e, least = along;
  }
  return best;
}

Turned sphere_turned_to_face(const Body& body, dvec3 centre, dvec3 d) {
  return point_of(body, centre, d, kNoAxis);
}
Turned box_turned_to_face(const Body& body, dvec3 centre, dvec3 d) {
  return box_face(body, centre, d);
}
Turned cylinder_turned_to_face(const Body& body, dvec3 centre, dvec3 d) {
  return std::abs(glm::dot(body.axis(), d)) >= std::sqrt(0.5) ? cylinder_base(body, centre, d)
                                                              : line_of_side(body, centre, d);
}
Turned capsule_turned_to_face(const Body& body, dvec3 centre, dvec3 /*d*/) {
  return axis_of(body, centre);
}

Turned convex_hull_turned_to_face(const Body& body, dvec3 centre, dvec3 d) {
  const ConvexHull& hull = *body.hull;
  const std::size_t f = face_toward(hull, SupportSet(body, d));
  Turned face{.kind = TurnedKind::face,
              .normal = body.axes * hull.faces[f].normal,
              .number = static_cast<std::uint32_t>(hull.vertices.size() + hull.edges.size() + f)};
  for (const std::uint32_t v : hull.loop(f)) face.corners.push_back(centre + body.axes * dvec3(hull.vertices[v]));
  return face;
}

Turned sphere_turned_to_edge(const Body& body, dvec3 centre, dvec3 d, double /*flat_angle*/) {
  return point_of(body, centre, d, kNoAxis);
}
Turned box_turned_to_edge(const Body& body, dvec3 centre, dvec3 d, double flat_angle) {
  const dvec3 local = glm::abs(d * body.axes);
  for (int k = 0; k < 3; ++k)
    if (local[k] <= flat_angle) return box_edge(body, centre, d, k);
  return point_of(body, centre, d, kEveryAxis);
}
Turned cylinder_turned_to_edge(const Body& body, dvec3 centre, dvec3 d, double flat_angle) {
  return std::abs(glm::dot(d, body.axis())) <= flat_angle ? line_of_side(body, centre, d)
                                                          : point_of(body, centre, d, kLongAxis);
}
Turned capsule_turned_to_edge(const Body& body, dvec3 centre, dvec3 d, double flat_angle) {
  return cylinder_turned_to_edge(body, centre, d, flat_angle);
}

Turned convex_hull_turned_to_edge(const Body& body, dvec3 centre, dvec3 d, double flat_angle) {
  const ConvexHull& hull = *body.hull;
  const SupportSet support(body, d);
  const auto at = [&](std::uint32_t v) { return centre + body.axes * dvec3(hull.vertices[v]); };
  if (const auto e = edge_across(hull, support, flat_angle)) {
    const auto [from, to] = hull.edges[*e].vertices;
    return {.kind = TurnedKind::line,
            .corners = {at(from), at(to)},
            .number = static_cast<std::uint32_t>(hull.vertices.size() + *e)};
  }
  return {.kind = TurnedKind::point, .corners = {at(support.farthest)}, .number = support.farthest};
}

}  // namespace

bool turns_flat_face(const Body& body, dvec3 d, double flat_angle) {
  if (body.shape == Shape::half_space) return true;
  if (body.shape == Shape::convex_hull) {
    const SupportSet support(body, d);
    const dvec3 normal = body.hull->faces[face_toward(*body.hull, support)].normal;
    return glm::dot(normal, support.d) > 0.0 && glm::length(glm::cross(normal, support.d)) <= flat_angle;
  }
  for (const dvec3& normal : face_normals(body))
    if (glm::dot(normal, d) > 0.0 && glm::length(glm::cross(normal, d)) <= flat_angle) return true;
  return false;
}

Turned turned_to_face(const Body& body, dvec3 centre, dvec3 d) {
  if (body.shape == Shape::half_space) return plane_of(body, centre);
#define OCLIDE_TURNED(NAME, name) \
  if (body.shape == Shape::name) return name##_turned_to_face(body, centre, d);
  OCLIDE_CONVEX_SHAPES(OCLIDE_TURNED)
#undef OCLIDE_TURNED
  no_geometry("feature turned to a face", body.shape);
}

Turned turned_to_edge(const Body& body, dvec3 centre, dvec3 d, double flat_angle) {
#define OCLIDE_TURNED(NAME, name) \
  if (body.shape == Shape::name) return name##_turned_to_edge(body, centre, d, flat_angle);
  OCLIDE_CONVEX_SHAPES(OCLIDE_TURNED)
#undef OCLIDE_TURNED
  no_geometry("feature turned to an edge", body.shape);
}

}  // namespace oclide::reference
