// The triangles of a mesh that some box may hold, found by its tree of boxes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <glm/glm.hpp>

#include "meshes/triangle_mesh.hpp"

namespace oclide::reference {

namespace detail {

// `entered(box)` and `look_at(triangle)` for all below group `group` of `level`.
template <typename Entered, typename LookAt>
void visit_group(const TriangleMesh& mesh, std::size_t level, std::size_t group, const Entered& entered,
                 const LookAt& look_at) {
  const MeshGroup& boxes = mesh.levels[level][group];
  for (std::size_t k = 0; k < 8; ++k) {
    const glm::dvec3 lower(boxes.lower[0][k], boxes.lower[1][k], boxes.lower[2][k]);
    const glm::dvec3 upper(boxes.upper[0][k], boxes.upper[1][k], boxes.upper[2][k]);
    const std::size_t below = 8 * group + k;
    if (lower.x > upper.x || !entered(lower, upper)) continue;
    if (level > 0)
      visit_group(mesh, level - 1, below, entered, look_at);
    else if (below < mesh.triangles.size())
      look_at(below);
  }
}

}  // namespace detail

/// Calls look_at(index) for the triangles of all boxes for which entered(lower, upper) holds, in order; corners are in
/// the axes of the mesh. What entered() asks may become less while triangles are looked at.
template <typename Entered, typename LookAt>
void visit_triangles(const TriangleMesh& mesh, const Entered& entered, const LookAt& look_at) {
  if (!mesh.levels.empty()) detail::visit_group(mesh, mesh.levels.size() - 1, 0, entered, look_at);
}

/// Where a mesh is nearest to a point.
struct NearestOfMesh {
  std::size_t triangle;
  glm::dvec3 position;  // [m]
  double distance;      // [m]
};

/// All triangles that are no farther from a point than the nearest and `slack` more, in the axes of the mesh; none
/// where the nearest is not within `most`.
[[nodiscard]] std::vector<NearestOfMesh> nearest_triangles(const TriangleMesh& mesh, glm::dvec3 p, double slack,
                                                           double most);

/// The winding number of a point, in the axes of the mesh: of triangles over it, those seen from behind less those seen
/// from the front.
[[nodiscard]] int winding_number(const TriangleMesh& mesh, glm::dvec3 p);

}  // namespace oclide::reference
