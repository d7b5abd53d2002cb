// The edges of triangles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "meshes/triangle_soup.hpp"

namespace oclide {

/// An edge as one triangle has it.
struct HalfEdge {
  std::array<std::uint32_t, 2> vertices;  ///< the lower number first
  std::uint32_t side;                     ///< 3 * triangle + k for its edge k, from its vertex k to the next one

  [[nodiscard]] std::uint32_t triangle() const { return side / 3; }
};

/// By their vertices, of equal ones by their side.
[[nodiscard]] std::vector<HalfEdge> half_edges_of(const TriangleSoup& soup);

/// edge(half edges) for every edge, with those of all triangles that have it.
template <class Edge>
void for_each_edge(std::span<const HalfEdge> half_edges, Edge&& edge) {
  for (std::size_t begin = 0, end = 0; begin < half_edges.size(); begin = end) {
    while (end < half_edges.size() && half_edges[end].vertices == half_edges[begin].vertices) ++end;
    edge(half_edges.subspan(begin, end - begin));
  }
}

}  // namespace oclide
