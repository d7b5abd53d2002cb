#include "meshes/joined_edges.hpp"

#include <utility>

#include "meshes/half_edges.hpp"

namespace oclide {
namespace {

using Neighbours = std::vector<std::array<std::uint32_t, 3>>;

// The side at the other side of each one; kNone where not exactly two triangles have the edge.
std::vector<std::uint32_t> opposite_sides(const TriangleSoup& soup, std::span<const HalfEdge> half_edges) {
  std::vector<std::uint32_t> opposite(3 * soup.triangles.size(), kNone);
  for_each_edge(half_edges, [&](std::span<const HalfEdge> edge) {
    if (edge.size() == 2) opposite[edge[0].side] = edge[1].side, opposite[edge[1].side] = edge[0].side;
  });
  return opposite;
}

std::uint32_t begin_of(const TriangleSoup& soup, std::uint32_t side) {
  return soup.triangles[side / 3].vertices[side % 3];
}
std::uint32_t end_of(const TriangleSoup& soup, std::uint32_t side) {
  return soup.triangles[side / 3].vertices[(side + 1) % 3];
}

// Which triangles of a sheet are to be turned, so that each agrees with the one that it was first reached from.
std::vector<bool> triangles_to_turn(const TriangleSoup& soup, const std::vector<std::uint32_t>& opposite) {
  const auto count = static_cast<std::uint32_t>(soup.triangles.size());
  std::vector<bool> reached(count, false), turn(count, false);
  std::vector<std::uint32_t> queue;
  queue.reserve(count);
  for (std::uint32_t first = 0; first < count; ++first) {
    if (reached[first]) continue;
    reached[first] = true;
    queue.assign(1, first);
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (std::uint32_t side = 3 * queue[next]; side < 3 * queue[next] + 3; ++side) {
        const std::uint32_t other = opposite[side];
        if (other == kNone || reached[other / 3]) continue;
        reached[other / 3] = true;
        turn[other / 3] = turn[queue[next]] != (begin_of(soup, side) == begin_of(soup, other));
        queue.push_back(other / 3);
      }
  }
  return turn;
}

// The edge that comes first in the file is named, as the file has its vertices.
void check_solid(const TriangleSoup& soup, std::span<const HalfEdge> half_edges, const std::string& name) {
  std::span<const HalfEdge> bad;
  for_each_edge(half_edges, [&](std::span<const HalfEdge> edge) {
    const bool is_good = edge.size() == 2 && begin_of(soup, edge[0].side) == end_of(soup, edge[1].side);
    if (!is_good && (bad.empty() || edge[0].side < bad[0].side)) bad = edge;
  });
  if (bad.empty()) return;
  const std::string edge = "edge " + std::to_string(soup.number[begin_of(soup, bad[0].side)]) + "-" +
                           std::to_string(soup.number[end_of(soup, bad[0].side)]);
  std::string triangles = std::to_string(soup.triangles[bad[0].triangle()].element);
  for (const HalfEdge& other : bad.subspan(1))
    triangles += ", " + std::to_string(soup.triangles[other.triangle()].element);
  std::string message = name + "/triangles: a solid must be ";
  if (bad.size() == 1)
    message += "closed, but " + edge + " has one triangle (" + triangles + ")";
  else if (bad.size() == 2)
    message += "consistently oriented, but " + edge + " has the same direction in both triangles (" + triangles + ")";
  else
    message += "closed, but " + edge + " has " + std::to_string(bad.size()) + " triangles (" + triangles + ")";
  throw Error(ErrorKind::invalid_input, message);
}

}  // namespace

Neighbours join_edges(TriangleSoup& soup, bool solid, const std::string& name) {
  const std::vector<HalfEdge> half_edges = half_edges_of(soup);
  if (solid) check_solid(soup, half_edges, name);
  const std::vector<std::uint32_t> opposite = opposite_sides(soup, half_edges);
  const std::vector<bool> turn =
      solid ? std::vector<bool>(soup.triangles.size(), false) : triangles_to_turn(soup, opposite);
  Neighbours neighbours(soup.triangles.size(), {kNone, kNone, kNone});
  for (std::uint32_t side = 0; side < opposite.size(); ++side) {
    const std::uint32_t other = opposite[side];
    if (other == kNone) continue;
    const bool same_direction = begin_of(soup, side) == begin_of(soup, other);
    if (same_direction == (turn[side / 3] != turn[other / 3])) neighbours[side / 3][side % 3] = other / 3;
  }
  for (std::size_t t = 0; t < turn.size(); ++t)
    if (turn[t]) {  // its edges are c - a, b - c and a - b now
      std::swap(soup.triangles[t].vertices[1], soup.triangles[t].vertices[2]);
      std::swap(neighbours[t][0], neighbours[t][2]);
    }
  return neighbours;
}

}  // namespace oclide
