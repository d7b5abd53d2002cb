// A packed tree of eight over boxes, with no pointers: TriangleMesh::levels.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include "meshes/triangle_mesh.hpp"

namespace oclide {

struct MeshBox {
  glm::vec3 lower, upper;  ///< [m]
};

/// Entries that are near to each other stand together: split at the median along the longest axis from the top down, so
/// that all but the last group of a level is full. Boxes of groups do not depend on the order of the entries, if no two
/// have the same centre.
struct BoxTree {
  std::vector<std::uint32_t> order;  ///< the entry of each rank
  std::vector<std::vector<MeshGroup>> levels;
};

/// `boxes`: of one entry or more.
[[nodiscard]] BoxTree build_box_tree(const std::vector<MeshBox>& boxes);

}  // namespace oclide
