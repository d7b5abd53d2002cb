// The shapes' support, distance, bounds and rounded points. Chords, gaps and eroded bodies: body_chord.cpp,
// body_gap.cpp, body_eroded.cpp.
#include "reference/body.hpp"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <limits>

#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// What the functions of Body ask of one shape, <shape>_<what>; points and directions in the body's frame.

dvec3 sphere_support(const Body& body, dvec3 d) {
  return d * (body.radius() / glm::length(d));
}
dvec3 box_support(const Body& body, dvec3 d) {
  return {std::copysign(body.size.x, d.x), std::copysign(body.size.y, d.y), std::copysign(body.size.z, d.z)};
}
dvec3 cylinder_support(const Body& body, dvec3 d) {
  dvec3 p(0.0);
  const double across = std::hypot(d.x, d.y);
  if (across > 0.0) p = dvec3(d.x, d.y, 0.0) * (body.radius() / across);
  p.z = std::copysign(body.half_length(), d.z);
  return p;
}
dvec3 capsule_support(const Body& body, dvec3 d) {
  dvec3 p = d * (body.radius() / glm::length(d));
  p.z += std::copysign(body.half_length(), d.z);
  return p;
}

dvec3 convex_hull_support(const Body& body, dvec3 d) {
  glm::vec3 best = body.hull->vertices[0];
  for (const glm::vec3& v : body.hull->vertices)
    if (glm::dot(dvec3(v), d) > glm::dot(dvec3(best), d)) best = v;
  return best;
}

dvec3 triangle_mesh_support(const Body& body, dvec3 d) {
  glm::vec3 best = body.mesh->vertices[0];
  for (const glm::vec3& v : body.mesh->vertices)
    if (glm::dot(dvec3(v), d) > glm::dot(dvec3(best), d)) best = v;
  return best;
}

double sphere_signed_distance(const Body& body, dvec3 p) {
  return glm::length(p) - body.radius();
}
double box_signed_distance(const Body& body, dvec3 p) {
  const dvec3 outside = glm::abs(p) - body.size;
  return glm::length(glm::max(outside, 0.0)) + std::min(0.0, std::max({outside.x, outside.y, outside.z}));
}
double cylinder_signed_distance(const Body& body, dvec3 p) {
  const dvec2 outside(std::hypot(p.x, p.y) - body.radius(), std::abs(p.z) - body.half_length());
  return glm::length(glm::max(outside, 0.0)) + std::min(0.0, std::max(outside.x, outside.y));
}
double capsule_signed_distance(const Body& body, dvec3 p) {
  return glm::length(p - dvec3(0.0, 0.0, std::clamp(p.z, -body.half_length(), body.half_length()))) - body.radius();
}

// The part of a segment's length at which it is nearest to a point.
double nearest_part(dvec3 p, dvec3 from, dvec3 along) {
  return std::clamp(glm::dot(p - from, along) / glm::dot(along, along), 0.0, 1.0);
}
// The part of the hull's surface nearest to a point outside. Faces count that the point is beneath, too: as little
// above one face, it may be as little beneath another one that lies all but in the same plane.
dvec3 convex_hull_nearest(const Body& body, dvec3 p) {
  const ConvexHull& hull = *body.hull;
  dvec3 nearest = hull.vertices[0];
  const auto look_at = [&](dvec3 q) {
    if (glm::distance(p, q) < glm::distance(p, nearest)) nearest = q;
  };
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const dvec3 normal = hull.faces[f].normal;
    const auto loop = hull.loop(f);
    const double height = glm::dot(normal, p) - hull.faces[f].offset;
    bool inside = true;
    for (std::size_t k = 0; k < loop.size() && inside; ++k) {
      const dvec3 from = hull.vertices[loop[k]], to = hull.vertices[loop[(k + 1) % loop.size()]];
      inside = glm::dot(glm::cross(to - from, p - from), normal) >= 0.0;
    }
    if (inside) look_at(p - height * normal);
  }
  for (const HullEdge& edge : hull.edges) {
    const dvec3 from = hull.vertices[edge.vertices[0]], along = dvec3(hull.vertices[edge.vertices[1]]) - from;
    look_at(from + nearest_part(p, from, along) * along);
  }
  return nearest;
}
// Outside the nearest of faces, from either side, and edges counts, inside the nearest plane.
double convex_hull_signed_distance(const Body& body, dvec3 p) {
  const ConvexHull& hull = *body.hull;
  double above = -std::numeric_limits<double>::infinity(), distance = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const dvec3 normal = hull.faces[f].normal;
    const auto loop = hull.loop(f);
    const double height = glm::dot(normal, p) - hull.faces[f].offset;
    above = std::max(above, height);
    bool inside = true;
    for (std::size_t k = 0; k < loop.size() && inside; ++k) {
      const dvec3 from = hull.vertices[loop[k]], to = hull.vertices[loop[(k + 1) % loop.size()]];
      inside = glm::dot(glm::cross(to - from, p - from), normal) >= 0.0;
    }
    if (inside) distance = std::min(distance, std::abs(height));
  }
  if (above <= 0.0) return above;
  for (const HullEdge& edge : hull.edges) {
    const dvec3 from = hull.vertices[edge.vertices[0]], along = dvec3(hull.vertices[edge.vertices[1]]) - from;
    distance = std::min(distance, glm::distance(p, from + nearest_part(p, from, along) * along));
  }
  return distance;
}

dvec3 sphere_nearest(const Body& body, dvec3 p) {
  return sphere_support(body, p);
}
dvec3 box_nearest(const Body& body, dvec3 p) {
  return glm::clamp(p, -body.size, body.size);
}
dvec3 cylinder_nearest(const Body& body, dvec3 p) {
  const dvec2 across = dvec2(p) * std::min(1.0, body.radius() / std::max(glm::length(dvec2(p)), 1e-300));
  return {across, std::clamp(p.z, -body.half_length(), body.half_length())};
}
dvec3 capsule_nearest(const Body& body, dvec3 p) {
  const dvec3 axis(0.0, 0.0, std::clamp(p.z, -body.half_length(), body.half_length()));
  return axis + sphere_support(body, p - axis);
}

double convex_hull_bounding_radius(const Body& body) {
  return body.hull->bounding_radius;
}
double triangle_mesh_bounding_radius(const Body& body) {
  return body.mesh->bounding_radius;
}
double sphere_bounding_radius(const Body& body) {
  return body.radius();
}
double box_bounding_radius(const Body& body) {
  return glm::length(body.size);
}
double cylinder_bounding_radius(const Body& body) {
  return std::hypot(body.radius(), body.half_length());
}
double capsule_bounding_radius(const Body& body) {
  return body.radius() + body.half_length();
}

std::vector<RoundedPoint> convex_hull_rounded_points(const Body& body) {
  std::vector<RoundedPoint> points;
  for (const glm::vec3& v : body.hull->vertices) points.push_back({body.axes * dvec3(v), 0.0});
  return points;
}
std::vector<RoundedPoint> sphere_rounded_points(const Body& body) {
  return {{dvec3(0.0), body.radius()}};
}
std::vector<RoundedPoint> box_rounded_points(const Body& body) {
  const dvec3 s = body.size;
  std::vector<RoundedPoint> corners;
  corners.reserve(8);
  for (int k = 0; k < 8; ++k)
    corners.push_back({body.axes * dvec3(k & 1 ? s.x : -s.x, k & 2 ? s.y : -s.y, k & 4 ? s.z : -s.z), 0.0});
  return corners;
}
std::vector<RoundedPoint> cylinder_rounded_points(const Body& /*body*/) {
  return {};
}
std::vector<RoundedPoint> capsule_rounded_points(const Body& body) {
  return {{-body.half_length() * body.axis(), body.radius()}, {body.half_length() * body.axis(), body.radius()}};
}

}  // namespace

dvec3 Body::support(dvec3 direction) const {
  const dvec3 d = direction * axes;  // in the body's frame
#define OCLIDE_SUPPORT(NAME, name) \
  if (shape == Shape::name) return axes * name##_support(*this, d);
  OCLIDE_BOUNDED_SHAPES(OCLIDE_SUPPORT)
#undef OCLIDE_SUPPORT
  no_geometry("farthest point", shape);
}

double Body::signed_distance(dvec3 point) const {
  const dvec3 p = point * axes;
  if (shape == Shape::half_space) return p.z;
#define OCLIDE_DISTANCE(NAME, name) \
  if (shape == Shape::name) return name##_signed_distance(*this, p);
  OCLIDE_CONVEX_SHAPES(OCLIDE_DISTANCE)
#undef OCLIDE_DISTANCE
  no_geometry("distance", shape);
}

dvec3 Body::nearest(dvec3 point) const {
  const dvec3 p = point * axes;
#define OCLIDE_NEAREST(NAME, name) \
  if (shape == Shape::name) return axes * name##_nearest(*this, p);
  OCLIDE_CONVEX_SHAPES(OCLIDE_NEAREST)
#undef OCLIDE_NEAREST
  no_geometry("nearest point", shape);
}

double Body::bounding_radius() const {
  if (shape == Shape::half_space) return std::numeric_limits<double>::infinity();
#define OCLIDE_RADIUS(NAME, name) \
  if (shape == Shape::name) return name##_bounding_radius(*this);
  OCLIDE_BOUNDED_SHAPES(OCLIDE_RADIUS)
#undef OCLIDE_RADIUS
  no_geometry("bounding radius", shape);
}

Bounds Body::bounds() const {
  Bounds bounds{};
  for (int a = 0; a < 3; ++a) {
    dvec3 direction(0.0);
    direction[a] = 1.0;
    bounds.lower[a] = support(-direction)[a], bounds.upper[a] = support(direction)[a];
  }
  return bounds;
}

std::vector<RoundedPoint> Body::rounded_points() const {
#define OCLIDE_POINTS(NAME, name) \
  if (shape == Shape::name) return name##_rounded_points(*this);
  OCLIDE_CONVEX_SHAPES(OCLIDE_POINTS)
#undef OCLIDE_POINTS
  no_geometry("rounded point", shape);
}

Body make_body(Shape shape, std::array<double, 3> size, std::array<double, 4> orientation, const ConvexHull* hull,
               const TriangleMesh* mesh) {
  const glm::dquat q(orientation[0], orientation[1], orientation[2], orientation[3]);
  return {shape, dvec3(size[0], size[1], size[2]), glm::mat3_cast(glm::normalize(q)), hull, {}, mesh};
}

}  // namespace oclide::reference
