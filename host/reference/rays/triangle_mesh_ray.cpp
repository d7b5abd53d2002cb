// Triangle meshes: the first triangle on the ray, found by the mesh's tree of boxes.
#include <algorithm>
#include <array>
#include <cmath>

#include "reference/mesh_tree.hpp"
#include "reference/rays/ray.hpp"

namespace oclide::reference {
namespace {

// By how much boxes are grown, as a part of the numbers at hand: far more than rounding.
constexpr double kBoxGrow = 1e-12;

// The ray in the axes of the mesh, and in axes of its own, of which the third is its direction.
struct MeshRay {
  dvec3 point, direction;
  dmat3 own;  // columns

  MeshRay(const Body& body, const NearRay& ray) : point(ray.point * body.axes), direction(ray.direction * body.axes) {
    const dvec3 parts = glm::abs(direction);
    dvec3 least(0.0);
    least[parts.x <= parts.y && parts.x <= parts.z ? 0 : parts.y <= parts.z ? 1 : 2] = 1.0;
    const dvec3 x = glm::normalize(glm::cross(least, direction));
    own = dmat3(x, glm::cross(direction, x), direction);
  }

  // The first two are 0 where the ray is, the third is the distance along it. The same vertex has the same numbers for
  // every triangle.
  [[nodiscard]] dvec3 seen(dvec3 vertex) const { return (vertex - point) * own; }

  [[nodiscard]] bool may_enter(dvec3 lower, dvec3 upper, double limit) const {
    const dvec3 grown = kBoxGrow * (glm::abs(point) + glm::max(glm::abs(lower), glm::abs(upper)));
    double enters = 0.0, leaves = limit;
    for (int a = 0; a < 3; ++a) {
      const double to_lower = lower[a] - grown[a] - point[a], to_upper = upper[a] + grown[a] - point[a];
      if (direction[a] == 0.0) {
        if (to_lower > 0.0 || to_upper < 0.0) return false;
        continue;
      }
      const double t0 = to_lower / direction[a], t1 = to_upper / direction[a];
      enters = std::max(enters, std::min(t0, t1)), leaves = std::min(leaves, std::max(t0, t1));
    }
    return enters <= leaves + kBoxGrow * enters;
  }
};

// 1, 0 or -1 as a.x b.y - a.y b.x is positive, zero or negative: exactly, so that both triangles of an edge agree on
// which side of it the ray is.
int side_of_edge(dvec3 a, dvec3 b) {
  const auto sign = [](double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; };
  const double p = a.x * b.y, q = a.y * b.x;
  if (p != q) return sign(p - q);
  return sign(std::fma(a.x, b.y, -p) - std::fma(a.y, b.x, -q));
}

// Where the ray goes through a triangle, border included. A ray on an edge is in both of its triangles, so none passes
// between them; one along the triangle's plane passes it by.
std::optional<double> distance_to_triangle(const MeshRay& ray, const TriangleMesh& mesh, const MeshTriangle& triangle) {
  std::array<dvec3, 3> v;
  for (std::size_t k = 0; k < 3; ++k) v[k] = ray.seen(mesh.vertices[triangle.vertices[k]]);
  const std::array<int, 3> sides = {side_of_edge(v[0], v[1]), side_of_edge(v[1], v[2]), side_of_edge(v[2], v[0])};
  const auto [least, greatest] = std::minmax({sides[0], sides[1], sides[2]});
  if (least < 0 ? greatest > 0 : greatest == 0) return std::nullopt;
  const double toward = glm::dot(triangle.normal, ray.direction);
  const double away = glm::dot(triangle.normal, dvec3(mesh.vertices[triangle.vertices[0]]) - ray.point);
  // Nearly along the plane the quotient says little.
  return std::clamp(toward == 0.0 ? v[0].z : away / toward, std::min({v[0].z, v[1].z, v[2].z}),
                    std::max({v[0].z, v[1].z, v[2].z}));
}

}  // namespace

std::optional<RayHit> triangle_mesh_ray(const Body& body, const NearRay& from) {
  const TriangleMesh& mesh = *body.mesh;
  const MeshRay ray(body, from);
  const auto begins_inside = [&] {
    return winding_number(mesh, ray.point) > 0 || !nearest_triangles(mesh, ray.point, 0.0, 0.0).empty();
  };
  if (mesh.solid && from.before == 0.0 && begins_inside()) return RayHit{0.0, -from.direction};

  const MeshTriangle* first = nullptr;
  double distance = from.length;
  visit_triangles(
      mesh, [&](dvec3 lower, dvec3 upper) { return ray.may_enter(lower, upper, distance); },
      [&](std::size_t t) {
        const MeshTriangle& triangle = mesh.triangles[t];
        const auto at = distance_to_triangle(ray, mesh, triangle);
        if (!at || !(*at >= 0.0 && *at <= distance)) return;
        if (first != nullptr && *at == distance && triangle.element > first->element) return;
        first = &triangle, distance = *at;
      });
  if (first == nullptr) return std::nullopt;
  const dvec3 normal = body.axes * first->normal;
  return RayHit{distance, glm::dot(normal, from.direction) > 0.0 ? -normal : normal, first->element, first->material};
}

}  // namespace oclide::reference
