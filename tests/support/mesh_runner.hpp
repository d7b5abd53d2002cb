// Runs the narrow phase of bodies against a triangle mesh by itself: every triangle is a candidate of every body, and
// nothing is reduced.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "meshes/triangle_mesh.hpp"
#include "support/scene.hpp"

namespace oclide::test {

/// Is the middle of a body in the mesh, a solid?
[[nodiscard]] bool is_in_solid(const TriangleMesh& mesh, const BodySpec& body);

struct MeshContactFound : Contact {
  bool is_rest = false;
};

/// Contacts of each body with the mesh, which stands at the origin and is not turned, on the OpenCL device with this
/// index; in the order of candidates. All bodies have one shape. body_a = 0, body_b = 1; normals point to the body.
[[nodiscard]] std::vector<std::vector<MeshContactFound>> run_mesh(std::size_t device, const TriangleMesh& mesh,
                                                                  std::span<const BodySpec> bodies,
                                                                  double margin = 0.0);

}  // namespace oclide::test
