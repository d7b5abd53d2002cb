#include "meshes/triangle_soup.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <tuple>

namespace oclide {
namespace {

using glm::dvec3;
using glm::vec3;

constexpr double kFarthestVertex = 1e9;  // [m]
constexpr std::size_t kMostTriangles = std::size_t{1} << 30;
constexpr double kNoArea = 1.0 / static_cast<double>(std::uint64_t{1} << 40);  // width by longest side

[[noreturn]] void refuse_soup(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

std::string entry_name(const std::string& array, std::size_t i, std::size_t k) {
  return array + "[" + std::to_string(i) + "][" + std::to_string(k) + "]";
}

void check_arrays(const Mesh& mesh, const std::string& name) {
  const std::size_t vertices = mesh.vertices.size(), triangles = mesh.triangles.size();
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    refuse_soup(name + "/vertices: there are " + std::to_string(vertices) +
                ", and no more than 4294967295 have numbers");
  if (triangles == 0) refuse_soup(name + "/triangles: a mesh needs at least one triangle");
  if (triangles > kMostTriangles)
    refuse_soup(name + "/triangles: there are " + std::to_string(triangles) + ", and no more than " +
                std::to_string(kMostTriangles) + " can be told apart");
  if (!mesh.material.empty() && mesh.material.size() != triangles)
    refuse_soup(name + "/material has " + std::to_string(mesh.material.size()) + " entries for " +
                std::to_string(triangles) + " triangles");
  for (std::size_t i = 0; i < vertices; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      if (const double x = mesh.vertices[i][a]; !(std::abs(x) <= kFarthestVertex)) {
        std::ostringstream got;
        got << x;
        refuse_soup(entry_name(name + "/vertices", i, a) + " must be finite and at most 1e9 m from the origin, got " +
                    got.str());
      }
  for (std::size_t i = 0; i < triangles; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if (mesh.triangles[i][k] >= vertices)
        refuse_soup(entry_name(name + "/triangles", i, k) + " must be below the " + std::to_string(vertices) +
                    " vertices that there are, got " + std::to_string(mesh.triangles[i][k]));
}

// Of each given vertex its number among the welded ones.
std::vector<std::uint32_t> weld(const Mesh& mesh, TriangleSoup& soup) {
  struct Given {
    vec3 at;
    std::uint32_t number;
  };
  std::vector<Given> given(mesh.vertices.size());
  for (std::uint32_t i = 0; i < given.size(); ++i) {
    given[i].number = i;
    for (int a = 0; a < 3; ++a)  // no negative zeros
      given[i].at[a] = static_cast<float>(mesh.vertices[i][static_cast<std::size_t>(a)]) + 0.0F;
  }
  tbb::parallel_sort(given.begin(), given.end(), [](const Given& p, const Given& q) {
    return std::tie(p.at.x, p.at.y, p.at.z, p.number) < std::tie(q.at.x, q.at.y, q.at.z, q.number);
  });
  std::vector<std::uint32_t> welded(given.size());
  for (const Given& p : given) {
    if (soup.vertices.empty() || soup.vertices.back() != p.at) {
      soup.vertices.push_back(p.at);
      soup.number.push_back(p.number);
    }
    welded[p.number] = static_cast<std::uint32_t>(soup.vertices.size() - 1);
  }
  return welded;
}

// Of those that are there twice the first that another one is before.
void check_no_triangle_twice(const TriangleSoup& soup, const std::string& name) {
  struct Sorted {
    std::array<std::uint32_t, 3> vertices;
    std::uint32_t element;
  };
  std::vector<Sorted> sorted;
  sorted.reserve(soup.triangles.size());
  for (const SoupTriangle& t : soup.triangles) {
    sorted.push_back({t.vertices, t.element});
    std::sort(sorted.back().vertices.begin(), sorted.back().vertices.end());
  }
  tbb::parallel_sort(sorted.begin(), sorted.end(), [](const Sorted& s, const Sorted& t) {
    return std::tie(s.vertices, s.element) < std::tie(t.vertices, t.element);
  });
  const Sorted* twice = nullptr;
  for (std::size_t k = 1; k < sorted.size(); ++k)
    if (sorted[k].vertices == sorted[k - 1].vertices && (twice == nullptr || sorted[k].element < twice->element))
      twice = &sorted[k];
  if (twice != nullptr)
    refuse_soup(name + "/triangles[" + std::to_string(twice->element) + "] has the same three vertices as triangle " +
                std::to_string((twice - 1)->element));
}

}  // namespace

dvec3 TriangleSoup::area(const std::array<std::uint32_t, 3>& triangle) const {
  const dvec3 a = at(triangle[0]);
  return glm::cross(at(triangle[1]) - a, at(triangle[2]) - a);
}

bool TriangleSoup::has_area(const std::array<std::uint32_t, 3>& triangle) const {
  double longest2 = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const dvec3 side = at(triangle[(k + 1) % 3]) - at(triangle[k]);
    longest2 = std::max(longest2, glm::dot(side, side));
  }
  return glm::length(area(triangle)) > kNoArea * longest2;
}

TriangleSoup read_triangle_soup(const Mesh& mesh, const std::string& name) {
  check_arrays(mesh, name);
  TriangleSoup soup;
  const std::vector<std::uint32_t> welded = weld(mesh, soup);
  soup.triangles.reserve(mesh.triangles.size());
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto [a, b, c] = mesh.triangles[i];
    const SoupTriangle triangle{{welded[a], welded[b], welded[c]}, i};
    if (soup.has_area(triangle.vertices)) soup.triangles.push_back(triangle);
  }
  soup.dropped = mesh.triangles.size() - soup.triangles.size();
  if (soup.triangles.empty())
    refuse_soup(name + "/triangles: none of the " + std::to_string(mesh.triangles.size()) + " has an area");
  check_no_triangle_twice(soup, name);
  return soup;
}

}  // namespace oclide
