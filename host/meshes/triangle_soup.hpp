// A mesh as it is given, made ready: vertices rounded and welded, triangles without area dropped.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

struct SoupTriangle {
  std::array<std::uint32_t, 3> vertices;  ///< three that differ
  std::uint32_t element;                  ///< its number in Mesh::triangles
};

struct TriangleSoup {
  std::vector<glm::vec3> vertices;      ///< no two equal, by x, y and z
  std::vector<std::uint32_t> number;    ///< of each the lowest in Mesh::vertices
  std::vector<SoupTriangle> triangles;  ///< in the order of their elements
  std::size_t dropped = 0;

  [[nodiscard]] glm::dvec3 at(std::uint32_t vertex) const { return glm::dvec3(vertices[vertex]); }
  /// Twice its area, along its normal.
  [[nodiscard]] glm::dvec3 area(const std::array<std::uint32_t, 3>& triangle) const;
  [[nodiscard]] bool has_area(const std::array<std::uint32_t, 3>& triangle) const;
};

/// Throws Error(invalid_input) as build_triangle_mesh() does, for all that is wrong with an array or a triangle.
[[nodiscard]] TriangleSoup read_triangle_soup(const Mesh& mesh, const std::string& name);

}  // namespace oclide
