// What is left of a body when all its sides move in: Body::eroded().
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/body.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// Of Body::eroded(): some numbers of the size become less.
std::optional<Body> with_less(Body body, int numbers, double distance) {
  for (int a = 0; a < numbers; ++a) {
    body.size[a] -= distance;
    if (body.size[a] <= 0.0) return std::nullopt;
  }
  return body;
}
std::optional<Body> sphere_eroded(const Body& body, double distance) {
  return with_less(body, 1, distance);
}
std::optional<Body> box_eroded(const Body& body, double distance) {
  return with_less(body, 3, distance);
}
std::optional<Body> cylinder_eroded(const Body& body, double distance) {
  return with_less(body, 2, distance);
}
std::optional<Body> capsule_eroded(const Body& body, double distance) {
  return with_less(body, 1, distance);
}

// Planes that are moved in by the distance; a point is left where it is below all of them.
struct MovedPlanes {
  MovedPlanes(const ConvexHull& of, double distance) : hull(of), by(distance) {
    for (std::size_t f = 0; f < hull.faces.size(); ++f) offsets.push_back(offset_of(f));
  }

  const ConvexHull& hull;
  double by;  // [m]
  std::vector<double> offsets;

  // Of the lowest vertex of the face.
  [[nodiscard]] double offset_of(std::size_t face) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t v : hull.loop(face))
      least = std::min(least, glm::dot(hull.faces[face].normal, dvec3(hull.vertices[v])));
    return least - by;
  }
  [[nodiscard]] double above(dvec3 p) const {
    double greatest = -std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < hull.faces.size(); ++f)
      greatest = std::max(greatest, glm::dot(hull.faces[f].normal, p) - offsets[f]);
    return greatest;
  }
};

// Where three planes n_k.p = d_k meet; empty where they are nearly parallel to one line.
std::optional<dvec3> meeting_of(const std::array<dvec3, 3>& n, const std::array<double, 3>& d) {
  const double volume = glm::dot(n[0], glm::cross(n[1], n[2]));
  if (!(std::abs(volume) > 1e-6)) return std::nullopt;
  return (d[0] * glm::cross(n[1], n[2]) + d[1] * glm::cross(n[2], n[0]) + d[2] * glm::cross(n[0], n[1])) / volume;
}

// The hull of points that are surely left: each vertex toward the middle of the volume, as far as needed, and where the
// moved planes of three of its faces meet. Planes go in by more than the distance: what joined faces and floats are
// off.
std::optional<Body> convex_hull_eroded(const Body& body, double distance) {
  constexpr std::size_t kFewFaces = 8;
  const ConvexHull& hull = *body.hull;
  const MovedPlanes planes(hull, distance + 4.0 * hull.flat_slack + 1e-6 * hull.bounding_radius);
  const double room = -planes.above(hull.centroid);
  if (!(room > 0.0)) return std::nullopt;
  const double kept = room / (room + planes.by);

  std::vector<std::vector<std::size_t>> faces_at(hull.vertices.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f)
    for (const std::uint32_t v : hull.loop(f)) faces_at[v].push_back(f);
  std::vector<std::array<double, 3>> points;
  const auto add = [&](dvec3 p) { points.push_back({p.x, p.y, p.z}); };
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
    add(hull.centroid + kept * (dvec3(hull.vertices[v]) - hull.centroid));
    const std::vector<std::size_t>& faces = faces_at[v];
    if (faces.size() > kFewFaces) continue;
    for (std::size_t i = 0; i < faces.size(); ++i)
      for (std::size_t j = i + 1; j < faces.size(); ++j)
        for (std::size_t k = j + 1; k < faces.size(); ++k) {
          const auto p =
              meeting_of({hull.faces[faces[i]].normal, hull.faces[faces[j]].normal, hull.faces[faces[k]].normal},
                         {planes.offsets[faces[i]], planes.offsets[faces[j]], planes.offsets[faces[k]]});
          if (p && planes.above(*p) <= 1e-7 * hull.bounding_radius) add(*p);
        }
  }
  Body inner = body;
  try {
    inner.own_hull = std::make_shared<ConvexHull>(build_convex_hull(points, "eroded hull"));
  } catch (const Error&) {  // too thin
    return std::nullopt;
  }
  inner.hull = inner.own_hull.get();
  return inner;
}

}  // namespace

std::optional<Body> Body::eroded(double distance) const {
#define OCLIDE_ERODED(NAME, name) \
  if (shape == Shape::name) return name##_eroded(*this, distance);
  OCLIDE_CONVEX_SHAPES(OCLIDE_ERODED)
#undef OCLIDE_ERODED
  no_geometry("core", shape);
}

}  // namespace oclide::reference
