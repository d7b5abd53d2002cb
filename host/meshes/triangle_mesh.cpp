#include "meshes/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "meshes/box_tree.hpp"
#include "meshes/joined_edges.hpp"
#include "meshes/ridges.hpp"
#include "meshes/t_joints.hpp"
#include "meshes/triangle_soup.hpp"

namespace oclide {
namespace {

using glm::dvec3;
using glm::vec3;

// As seen from a vertex: doubles lose nothing far from the origin.
void check_volume(const TriangleSoup& soup, const std::string& name) {
  const SoupTriangle& first = soup.triangles.front();
  const dvec3 from = soup.at(first.vertices[0]);
  double volume = 0.0;
  for (const SoupTriangle& t : soup.triangles)
    volume += glm::dot(soup.at(t.vertices[0]) - from, soup.area(t.vertices)) / 6.0;
  if (volume > 0.0) return;
  std::ostringstream message;
  message << name
          << "/triangles: a solid must have a positive volume, its triangles counter-clockwise seen from outside, "
          << "but this one has " << volume << " m^3, with edge " << soup.number[first.vertices[0]] << "-"
          << soup.number[first.vertices[1]] << " in triangle " << first.element;
  throw Error(ErrorKind::invalid_input, message.str());
}

// Vertices get their numbers in the order in which the tree's triangles have them; what no triangle has goes. Returns
// the index of each triangle of the soup.
std::vector<std::uint32_t> set_triangles(TriangleMesh& mesh, const Mesh& given, const TriangleSoup& soup,
                                         const std::vector<std::array<std::uint32_t, 3>>& neighbours) {
  std::vector<MeshBox> boxes;
  boxes.reserve(soup.triangles.size());
  for (const SoupTriangle& t : soup.triangles) {
    const vec3 &a = soup.vertices[t.vertices[0]], &b = soup.vertices[t.vertices[1]], &c = soup.vertices[t.vertices[2]];
    boxes.push_back({glm::min(glm::min(a, b), c), glm::max(glm::max(a, b), c)});
  }
  BoxTree tree = build_box_tree(boxes);
  mesh.levels = std::move(tree.levels);
  std::vector<std::uint32_t> rank(tree.order.size()), vertex(soup.vertices.size(), kNone);
  for (std::uint32_t p = 0; p < rank.size(); ++p) rank[tree.order[p]] = p;
  mesh.triangles.reserve(rank.size());
  for (const std::uint32_t t : tree.order) {
    const SoupTriangle& from = soup.triangles[t];
    MeshTriangle to{};
    for (std::size_t k = 0; k < 3; ++k) {
      std::uint32_t& number = vertex[from.vertices[k]];
      to.owns_vertex[k] = number == kNone;
      if (number == kNone) {
        number = static_cast<std::uint32_t>(mesh.vertices.size());
        mesh.vertices.push_back(soup.vertices[from.vertices[k]]);
      }
      to.vertices[k] = number;
      const std::uint32_t neighbour = neighbours[t][k];
      to.neighbours[k] = neighbour == kNone ? kNone : rank[neighbour];
      to.owns_edge[k] = neighbour == kNone || rank[t] < rank[neighbour];
    }
    to.element = from.element;
    to.material = given.material.empty() ? std::uint8_t{0} : given.material[from.element];
    to.normal = glm::normalize(soup.area(from.vertices));
    mesh.triangles.push_back(to);
  }
  return rank;
}

MeshEdge class_of_edge(const TriangleMesh& mesh, const MeshTriangle& t, std::size_t k) {
  if (t.neighbours[k] == kNone) return MeshEdge::border;
  const dvec3 other = mesh.triangles[t.neighbours[k]].normal, across = glm::cross(t.normal, other);
  if (glm::length(across) <= kFlatEdgeSine && glm::dot(t.normal, other) > 0.0) return MeshEdge::flat;
  const dvec3 along = dvec3(mesh.vertices[t.vertices[(k + 1) % 3]]) - dvec3(mesh.vertices[t.vertices[k]]);
  return glm::dot(across, along) >= 0.0 ? MeshEdge::convex : MeshEdge::concave;
}

// What flat edges connect, each face from its first triangle on. `rank`: of the triangles in the order of the file.
void set_faces(TriangleMesh& mesh, const std::vector<std::uint32_t>& rank) {
  std::uint32_t faces = 0;
  std::vector<std::uint32_t> reached;
  for (MeshTriangle& t : mesh.triangles) t.face = kNone;
  const auto reach = [&](std::uint32_t triangle) {
    if (mesh.triangles[triangle].face != kNone) return;
    mesh.triangles[triangle].face = faces;
    reached.push_back(triangle);
  };
  for (const std::uint32_t first : rank) {
    if (mesh.triangles[first].face != kNone) continue;
    reach(first);
    while (!reached.empty()) {
      const MeshTriangle& t = mesh.triangles[reached.back()];
      reached.pop_back();
      for (std::size_t k = 0; k < 3; ++k)
        if (t.edges[k] == MeshEdge::flat) reach(t.neighbours[k]);
    }
    ++faces;
  }
}

void set_vertices(TriangleMesh& mesh) {
  std::vector<bool> is_sharp(mesh.vertices.size(), false);
  std::vector<std::array<std::uint32_t, 2>> ways;
  ways.reserve(6 * mesh.triangles.size());
  for (const MeshTriangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = t.vertices[k], to = t.vertices[(k + 1) % 3];
      if (t.edges[k] != MeshEdge::flat) is_sharp[from] = is_sharp[to] = true;
      if (t.owns_edge[k]) ways.push_back({from, to}), ways.push_back({to, from});
    }
  for (MeshTriangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) t.sharp_vertex[k] = is_sharp[t.vertices[k]];
  std::sort(ways.begin(), ways.end());
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  mesh.first_neighbour.assign(mesh.vertices.size() + 1, 0);
  mesh.neighbours.reserve(ways.size());
  for (const auto& [from, to] : ways) ++mesh.first_neighbour[from + 1], mesh.neighbours.push_back(to);
  std::partial_sum(mesh.first_neighbour.begin(), mesh.first_neighbour.end(), mesh.first_neighbour.begin());
}

void set_measures(TriangleMesh& mesh) {
  vec3 lower = mesh.vertices.front(), upper = lower;
  for (const vec3& v : mesh.vertices) {
    lower = glm::min(lower, v), upper = glm::max(upper, v);
    mesh.bounding_radius = std::max(mesh.bounding_radius, glm::length(dvec3(v)));
  }
  mesh.lower = dvec3(lower), mesh.upper = dvec3(upper);
}

}  // namespace

TriangleMesh build_triangle_mesh(const Mesh& mesh, const std::string& name) {
  TriangleSoup soup = read_triangle_soup(mesh, name);
  join_open_ends(soup);
  cut_t_joints(soup);
  const std::vector<std::array<std::uint32_t, 3>> neighbours = join_edges(soup, mesh.solid, name);
  if (mesh.solid) check_volume(soup, name);
  TriangleMesh built;
  built.solid = mesh.solid;
  built.dropped = soup.dropped;
  const std::vector<std::uint32_t> rank = set_triangles(built, mesh, soup, neighbours);
  for (MeshTriangle& t : built.triangles)
    for (std::size_t k = 0; k < 3; ++k) t.edges[k] = class_of_edge(built, t, k);
  set_faces(built, rank);
  set_vertices(built);
  set_ridges(built);
  set_measures(built);
  return built;
}

}  // namespace oclide
