// Triangle meshes that the tests make; metres.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::test {

using MeshPoint = std::array<double, 3>;

/// Adds the vertex, also where there is one at the same place.
inline std::uint32_t add_vertex(Mesh& mesh, MeshPoint p) {
  mesh.vertices.push_back(p);
  return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
}

/// A sheet of cells x cells squares of two triangles in the plane z = 0, fronts up, its corner at the origin.
inline Mesh flat_sheet(std::uint32_t cells, double spacing) {
  Mesh mesh;
  for (std::uint32_t i = 0; i <= cells; ++i)
    for (std::uint32_t j = 0; j <= cells; ++j) mesh.vertices.push_back({spacing * j, spacing * i, 0.0});
  for (std::uint32_t i = 0; i < cells; ++i)
    for (std::uint32_t j = 0; j < cells; ++j) {
      const std::uint32_t a = i * (cells + 1) + j, b = a + 1, c = a + cells + 1, d = c + 1;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({d, c, b});
    }
  return mesh;
}

/// The surface of a box as a solid, each side cells x cells squares of two triangles; sides have their own vertices.
inline Mesh box_mesh(std::array<double, 3> half, std::uint32_t cells = 1) {
  Mesh mesh;
  mesh.solid = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const auto at = [&](std::uint32_t i, std::uint32_t j) {
        MeshPoint p{};
        p[axis] = side * half[axis];
        p[(axis + 1) % 3] = half[(axis + 1) % 3] * (2.0 * i / cells - 1.0);
        p[(axis + 2) % 3] = half[(axis + 2) % 3] * (2.0 * j / cells - 1.0);
        return p;
      };
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
      for (std::uint32_t i = 0; i <= cells; ++i)
        for (std::uint32_t j = 0; j <= cells; ++j) mesh.vertices.push_back(at(i, j));
      for (std::uint32_t i = 0; i < cells; ++i)
        for (std::uint32_t j = 0; j < cells; ++j) {
          const std::uint32_t a = first + i * (cells + 1) + j, b = a + cells + 1, c = a + 1, d = b + 1;
          if (side > 0.0) {
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({d, c, b});
          } else {
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({d, b, c});
          }
        }
    }
  return mesh;
}

/// A ball as a solid: the box's points moved out to the sphere.
inline Mesh ball_mesh(double radius, std::uint32_t cells) {
  Mesh mesh = box_mesh({1.0, 1.0, 1.0}, cells);
  for (MeshPoint& p : mesh.vertices) {
    const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (double& x : p) x *= radius / length;
  }
  return mesh;
}

/// Vertices at one place are one: those of box_mesh() become the 6 cells^2 + 2 of its surface.
inline Mesh welded(const Mesh& mesh) {
  Mesh out = mesh;
  out.vertices.clear();
  std::map<MeshPoint, std::uint32_t> number;
  for (auto& triangle : out.triangles)
    for (std::uint32_t& v : triangle) {
      const auto [at, is_new] = number.try_emplace(mesh.vertices[v], static_cast<std::uint32_t>(out.vertices.size()));
      if (is_new) out.vertices.push_back(mesh.vertices[v]);
      v = at->second;
    }
  return out;
}

}  // namespace oclide::test
