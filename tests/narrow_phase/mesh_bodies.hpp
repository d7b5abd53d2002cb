// Bodies on triangle meshes, each kernel by itself.
#pragma once

#include <string>
#include <vector>

#include "narrow_phase/hull_pairs.hpp"
#include "narrow_phase/pair_geometry.hpp"
#include "support/mesh_runner.hpp"
#include "support/mesh_shapes.hpp"

namespace oclide::test {

/// One sphere, box, cylinder, capsule and hull (of a box) about 0.5 m in size, whose lowest point is 0.5 m below.
inline std::vector<BodySpec> one_of_each(dvec3 position, dquat orientation = kUpright) {
  return {sphere(0.5, position), box({0.4, 0.3, 0.5}, position, orientation), cylinder(0.4, 0.5, position, orientation),
          capsule(0.25, 0.25, position, orientation), convex_hull(box_hull({0.4, 0.3, 0.5}), position, orientation)};
}

inline std::vector<MeshContactFound> on_mesh(const TriangleMesh& mesh, const BodySpec& body, double margin = 0.0) {
  return run_mesh(0, mesh, std::vector<BodySpec>{body}, margin).front();
}
/// Kinds 1 to 3, or the rests.
inline std::vector<Contact> that_are(const std::vector<MeshContactFound>& found, bool rests) {
  std::vector<Contact> some;
  for (const MeshContactFound& c : found)
    if (c.is_rest == rests) some.push_back(c);
  return some;
}

/// Triangles by their corners.
inline Mesh mesh_of(const std::vector<std::array<dvec3, 3>>& triangles, bool solid = false) {
  Mesh mesh;
  mesh.solid = solid;
  for (const auto& triangle : triangles) {
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) corners[k] = add_vertex(mesh, {triangle[k].x, triangle[k].y, triangle[k].z});
    mesh.triangles.push_back(corners);
  }
  return mesh;
}
inline TriangleMesh built(const Mesh& mesh) {
  return build_triangle_mesh(mesh, "mesh");
}

/// Moved and made larger.
inline Mesh placed(Mesh mesh, dvec3 shift, double scale = 1.0) {
  for (MeshPoint& p : mesh.vertices)
    for (int a = 0; a < 3; ++a) p[static_cast<std::size_t>(a)] = p[static_cast<std::size_t>(a)] * scale + shift[a];
  return mesh;
}

}  // namespace oclide::test
