#include "meshes/ridges.hpp"

#include <algorithm>
#include <utility>

namespace oclide {
namespace {

using glm::dvec3;

// An edge that is not flat, as the first of its triangles has it.
struct Sharp {
  std::uint32_t side;  // 3 t + k
  std::uint32_t from, to;
  std::uint32_t lower_face, upper_face;  // kNone: the open
  MeshEdge kind;
};

std::vector<Sharp> sharp_edges(const TriangleMesh& mesh) {
  std::vector<Sharp> edges;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const MeshTriangle& triangle = mesh.triangles[t];
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (triangle.edges[k] == MeshEdge::flat || !triangle.owns_edge[k]) continue;
      const std::uint32_t other = triangle.neighbours[k];
      const auto faces = std::minmax(triangle.face, other == kNone ? kNone : mesh.triangles[other].face);
      edges.push_back({3 * t + k, triangle.vertices[k], triangle.vertices[(k + 1) % 3], faces.first, faces.second,
                       triangle.edges[k]});
    }
  }
  return edges;
}

// Does one lead straight on in the other, through a vertex that both have?
bool lead_on(const TriangleMesh& mesh, const Sharp& a, const Sharp& b, std::uint32_t vertex) {
  if (a.kind != b.kind || a.lower_face != b.lower_face || a.upper_face != b.upper_face) return false;
  const auto away = [&](const Sharp& edge) {
    const dvec3 other = mesh.vertices[edge.from == vertex ? edge.to : edge.from];
    return glm::normalize(other - dvec3(mesh.vertices[vertex]));
  };
  const dvec3 from_a = away(a), from_b = away(b);
  return glm::length(glm::cross(from_a, from_b)) <= kFlatEdgeSine && glm::dot(from_a, from_b) < 0.0;
}

}  // namespace

void set_ridges(TriangleMesh& mesh) {
  const std::vector<Sharp> edges = sharp_edges(mesh);
  // The two edges at each vertex; of one that has another number of them, nothing leads on.
  struct AtVertex {
    std::size_t count = 0;
    std::array<std::uint32_t, 2> edges{};
  };
  std::vector<AtVertex> at(mesh.vertices.size());
  for (std::uint32_t e = 0; e < edges.size(); ++e)
    for (const std::uint32_t v : {edges[e].from, edges[e].to}) {
      if (at[v].count < 2) at[v].edges[at[v].count] = e;
      ++at[v].count;
    }
  const auto leads_through = [&](std::uint32_t v) {
    return at[v].count == 2 && lead_on(mesh, edges[at[v].edges[0]], edges[at[v].edges[1]], v);
  };
  mesh.vertex_ridge.assign(mesh.vertices.size(), kNone);
  std::vector<bool> is_named(edges.size(), false);
  const auto name = [&](std::uint32_t e, std::uint32_t first, bool turned) {
    is_named[e] = true;
    mesh.triangles[edges[e].side / 3].ridges[edges[e].side % 3] = {edges[first].side, turned};
  };
  // From the first edge of each ridge on, both ways.
  for (std::uint32_t first = 0; first < edges.size(); ++first) {
    if (is_named[first]) continue;
    name(first, first, false);
    for (const bool forward : {true, false}) {
      std::uint32_t e = first, v = forward ? edges[first].to : edges[first].from;
      while (leads_through(v)) {
        mesh.vertex_ridge[v] = edges[first].side;
        e = at[v].edges[0] == e ? at[v].edges[1] : at[v].edges[0];
        if (is_named[e]) break;  // all around
        const bool begins_here = edges[e].from == v;
        name(e, first, begins_here != forward);
        v = begins_here ? edges[e].to : edges[e].from;
      }
    }
  }
}

}  // namespace oclide
