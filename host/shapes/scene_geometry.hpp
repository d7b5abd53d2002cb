// The convex hulls and triangle meshes of a scene by their index, built once for all that need them.
#pragma once

#include <memory>
#include <vector>

#include "hulls/convex_hull.hpp"
#include "meshes/triangle_mesh.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

struct Geometry {
  std::vector<ConvexHull> hulls;
  std::vector<TriangleMesh> meshes;
};
/// Never null.
using SharedGeometry = std::shared_ptr<const Geometry>;

/// Throws Error(invalid_input) that begins with "hulls/<k>/vertices" or "meshes/<k>/..." for the first hull that
/// build_convex_hull() refuses, else the first mesh that build_triangle_mesh() does, and where there are more of them
/// than a body's size can tell apart on a device.
[[nodiscard]] SharedGeometry build_geometry(const Scene& scene);

}  // namespace oclide
