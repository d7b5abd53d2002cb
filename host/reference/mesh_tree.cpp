#include "reference/mesh_tree.hpp"

#include "reference/terrain_surface.hpp"

namespace oclide::reference {

namespace {

// On which side of the line from a to b a point is, seen from above; never 0 but where a and b are one: a point on the
// line is taken for one that is a little farther along x, and much less along y. From the nearer end, so that rounding
// does not put a point beside a vertex on sides of its edges that do not agree.
double side_of(dvec3 a, dvec3 b, dvec3 p) {
  const dvec2 to_a(a - p), to_b(b - p), from = glm::dot(to_a, to_a) <= glm::dot(to_b, to_b) ? to_a : to_b;
  const double side = (b.y - a.y) * from.x - (b.x - a.x) * from.y;
  if (side != 0.0) return side;
  return a.y != b.y ? a.y - b.y : b.x - a.x;
}

}  // namespace

std::vector<NearestOfMesh> nearest_triangles(const TriangleMesh& mesh, dvec3 p, double slack, double most) {
  std::vector<NearestOfMesh> found;
  double within = most;
  visit_triangles(
      mesh, [&](dvec3 lower, dvec3 upper) { return glm::distance(p, glm::clamp(p, lower, upper)) <= within + slack; },
      [&](std::size_t t) {
        const auto& v = mesh.triangles[t].vertices;
        const dvec3 q = nearest_on_triangle(p, mesh.vertices[v[0]], mesh.vertices[v[1]], mesh.vertices[v[2]]);
        const double distance = glm::distance(p, q);
        if (distance > within + slack) return;
        within = std::min(within, distance);
        found.push_back({t, q, distance});
      });
  std::erase_if(found, [&](const NearestOfMesh& n) { return n.distance > within + slack; });
  if (std::none_of(found.begin(), found.end(), [&](const NearestOfMesh& n) { return n.distance <= most; }))
    found.clear();
  return found;
}

int winding_number(const TriangleMesh& mesh, dvec3 p) {
  int winding = 0;
  visit_triangles(
      mesh,
      [&](dvec3 lower, dvec3 upper) {
        return lower.x <= p.x && p.x <= upper.x && lower.y <= p.y && p.y <= upper.y && upper.z >= p.z;
      },
      [&](std::size_t t) {
        // Both triangles of an edge are to see a point on the same side of it: from its lower vertex to the other.
        const auto& v = mesh.triangles[t].vertices;
        int left = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::uint32_t from = std::min(v[k], v[(k + 1) % 3]), to = std::max(v[k], v[(k + 1) % 3]);
          const bool turned = from != v[k];
          left += (side_of(mesh.vertices[from], mesh.vertices[to], p) > 0.0) != turned ? 1 : 0;
        }
        if (left != 0 && left != 3) return;
        const dvec3 a = mesh.vertices[v[0]];
        const dvec3 n = glm::cross(dvec3(mesh.vertices[v[1]]) - a, dvec3(mesh.vertices[v[2]]) - a);
        const double before = glm::dot(p - a, n);
        if (left == 3 && before < 0.0) ++winding;
        if (left == 0 && before > 0.0) --winding;
      });
  return winding;
}

}  // namespace oclide::reference
