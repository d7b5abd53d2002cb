#include "meshes/half_edges.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <tuple>

namespace oclide {

std::vector<HalfEdge> half_edges_of(const TriangleSoup& soup) {
  std::vector<HalfEdge> all;
  all.reserve(3 * soup.triangles.size());
  for (const SoupTriangle& t : soup.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(t.vertices[k], t.vertices[(k + 1) % 3]);
      all.push_back({{low, high}, static_cast<std::uint32_t>(all.size())});
    }
  tbb::parallel_sort(all.begin(), all.end(), [](const HalfEdge& e, const HalfEdge& f) {
    return std::tie(e.vertices, e.side) < std::tie(f.vertices, f.side);
  });
  return all;
}

}  // namespace oclide
