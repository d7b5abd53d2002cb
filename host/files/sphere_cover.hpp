// Spheres that cover a shape: docs/import.md.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <vector>

#include "hulls/convex_hull.hpp"
#include "meshes/triangle_mesh.hpp"

namespace oclide {

struct CoverSphere {
  glm::dvec3 centre;  ///< in the axes of the shape [m]
  double radius;      ///< [m], above 0
};

struct SphereCover {
  std::vector<CoverSphere> spheres;
  /// No point of a sphere is farther than this outside of the shape [m]. Of a hull some point is as far; of a mesh it
  /// is a bound.
  double error = 0.0;
};

/// At least one sphere and at most `most`, which is above 0. Every point of the hull, of the solid, or of the sheet's
/// triangles is in one of them. The same to the last bit on every machine.
[[nodiscard]] SphereCover cover_with_spheres(const ConvexHull& hull, std::size_t most);
[[nodiscard]] SphereCover cover_with_spheres(const TriangleMesh& mesh, std::size_t most);

}  // namespace oclide
