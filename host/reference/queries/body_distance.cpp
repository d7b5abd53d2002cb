// Bodies: how far a point is from each shape, inside and outside.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/mesh_tree.hpp"
#include "reference/queries/distance_scene.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// Nearer to a surface than this a normal is that of the surface [m].
constexpr double kOnSurface = 1e-5;

// A solid that is given by how far the point is beyond each of some sides: beyond several at once it is as far as their
// legs say, else as the greatest. `out`: unit normals of the sides, at right angles to each other.
template <std::size_t kSides>
SignedDistance beyond_sides(const std::array<double, kSides>& beyond, const std::array<dvec3, kSides>& out) {
  const auto most = static_cast<std::size_t>(std::max_element(beyond.begin(), beyond.end()) - beyond.begin());
  if (beyond[most] <= 0.0) return {beyond[most], out[most]};
  dvec3 way(0.0);
  for (std::size_t k = 0; k < kSides; ++k)
    if (beyond[k] > 0.0) way += beyond[k] * out[k];
  return {glm::length(way), glm::normalize(way)};
}

dvec3 unit_or(dvec3 v, dvec3 otherwise) {
  return v == dvec3(0.0) ? otherwise : glm::normalize(v);
}

SignedDistance mesh_distance(const Body& body, dvec3 point) {
  const TriangleMesh& mesh = *body.mesh;
  const dvec3 p = point * body.axes;
  const std::vector<NearestOfMesh> all = nearest_triangles(mesh, p, 0.0, std::numeric_limits<double>::infinity());
  // So far away that a number cannot say how far.
  if (all.empty()) return {std::numeric_limits<double>::infinity(), dvec3(0.0)};
  const NearestOfMesh& nearest =
      *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
  const MeshTriangle& triangle = mesh.triangles[nearest.triangle];
  const double sign = mesh.solid && winding_number(mesh, p) > 0 ? -1.0 : 1.0;
  const dvec3 normal =
      nearest.distance > kOnSurface ? sign * glm::normalize(p - nearest.position) : dvec3(triangle.normal);
  return {sign * nearest.distance, body.axes * normal, triangle.element, triangle.material};
}

SignedDistance hull_distance(const Body& body, dvec3 point) {
  const double distance = body.signed_distance(point);
  if (distance > kOnSurface) return {distance, glm::normalize(point - body.nearest(point))};
  // The face that it is farthest out of, or least deep under.
  const dvec3 p = point * body.axes;
  double most = -std::numeric_limits<double>::infinity();
  dvec3 normal(0.0);
  for (const HullFace& face : body.hull->faces) {
    const double above = glm::dot(dvec3(face.normal), p) - face.offset;
    if (above > most) most = above, normal = dvec3(face.normal);
  }
  return {distance, body.axes * normal};
}

}  // namespace

SignedDistance body_distance(const Body& body, dvec3 point) {
  const dvec3 p = point * body.axes;  // in its axes
  const dvec3 axial(0.0, 0.0, p.z < 0.0 ? -1.0 : 1.0);
  SignedDistance found{};
  switch (body.shape) {
    case Shape::sphere:
      found = {glm::length(p) - body.radius(), unit_or(p, axial)};
      break;
    case Shape::box: {
      std::array<double, 3> beyond{};
      std::array<dvec3, 3> out{};
      for (int a = 0; a < 3; ++a) {
        const auto k = static_cast<std::size_t>(a);
        beyond[k] = std::abs(p[a]) - body.size[a];
        out[k][a] = p[a] < 0.0 ? -1.0 : 1.0;
      }
      found = beyond_sides(beyond, out);
      break;
    }
    case Shape::cylinder: {
      const dvec3 level(p.x, p.y, 0.0);
      found = beyond_sides<2>({glm::length(level) - body.radius(), std::abs(p.z) - body.half_length()},
                              {unit_or(level, dvec3(1.0, 0.0, 0.0)), axial});
      break;
    }
    case Shape::capsule: {
      const dvec3 from = p - dvec3(0.0, 0.0, std::clamp(p.z, -body.half_length(), body.half_length()));
      found = {glm::length(from) - body.radius(), unit_or(from, dvec3(1.0, 0.0, 0.0))};
      break;
    }
    case Shape::half_space:
      return {glm::dot(point, body.axis()), body.axis()};
    case Shape::convex_hull:
      return hull_distance(body, point);
    case Shape::triangle_mesh:
      return mesh_distance(body, point);
    case Shape::compound:
      no_geometry("distance", body.shape);
  }
  found.normal = body.axes * found.normal;
  return found;
}

}  // namespace oclide::reference
