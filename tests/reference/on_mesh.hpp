// One body on one triangle mesh, as the reference sees it.
#pragma once

#include "reference/contact_reduction/mesh_reduction.hpp"
#include "reference/two_bodies.hpp"
#include "support/mesh_shapes.hpp"

namespace oclide::test {

using reference::MeshContact;
using MeshManifolds = std::vector<std::vector<MeshContact>>;

struct OnMesh {
  TriangleMesh mesh;
  dvec3 position{0.0};
  Quaternion orientation = kUpright;

  explicit OnMesh(const Mesh& given) : mesh(build_triangle_mesh(given, "mesh")) {}

  [[nodiscard]] Body body() const {
    return reference::make_body(Shape::triangle_mesh, {0.0, 0.0, 0.0}, orientation, nullptr, &mesh);
  }
  /// All contacts, held or nearly held, relative to the body's centre.
  [[nodiscard]] reference::MeshContacts all(const OneBody& of, double margin = 0.0) const {
    return reference::mesh_contacts(of.body(), body(), position - of.position, margin);
  }
  /// With points in the world.
  [[nodiscard]] MeshManifolds manifolds(const OneBody& of, double margin = 0.0) const {
    MeshManifolds found = reference::mesh_manifolds(of.body(), body().axes, all(of, margin));
    for (auto& manifold : found)
      for (MeshContact& c : manifold) c.point += of.position;
    return found;
  }
};

/// A mesh of triangles that have their own vertices.
inline Mesh loose(const std::vector<std::array<MeshPoint, 3>>& triangles, bool solid = false) {
  Mesh mesh;
  mesh.solid = solid;
  for (const auto& t : triangles)
    mesh.triangles.push_back({add_vertex(mesh, t[0]), add_vertex(mesh, t[1]), add_vertex(mesh, t[2])});
  return mesh;
}

/// A square of two triangles around a middle, its sides 2 u and 2 w, its front along u x w.
inline void add_square(std::vector<std::array<MeshPoint, 3>>& to, dvec3 middle, dvec3 u, dvec3 w) {
  const auto at = [&](double s, double t) {
    const dvec3 p = middle + s * u + t * w;
    return MeshPoint{p.x, p.y, p.z};
  };
  to.push_back({at(-1, -1), at(1, -1), at(1, 1)});
  to.push_back({at(-1, -1), at(1, 1), at(-1, 1)});
}

/// All shapes, half a metre from their centre to their lowest point; all but the sphere lie on a flat side or line.
inline std::vector<OneBody> resting_bodies(dvec3 position) {
  const std::vector<std::array<double, 3>> corners = {
      {-0.6, -0.4, -0.5}, {0.6, -0.4, -0.5}, {0.0, 0.7, -0.5}, {-0.3, 0.0, 0.5}, {0.3, 0.1, 0.5}};
  return {ball(0.5, position),
          block({0.7, 0.6, 0.5}, position),
          drum(0.4, 0.5, position),
          pill(0.5, 0.3, position, kAlongX),
          drum(0.5, 0.6, position, kAlongX),
          hulled(corners, position)};
}

}  // namespace oclide::test
