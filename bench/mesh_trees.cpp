// Trees over the triangles of a mesh against each other, on one thread: the packed tree of eight of axis-aligned boxes
// that oclide has, and a binary tree of oriented boxes by area-weighted covariance (Gottschalk, Lin and Manocha 1996).
//
//   bench_mesh_trees [BODIES [REPETITIONS]]
//
// Plain C++ in float, compiled for the machine it runs on. Bodies are boxes of 0.2 to 0.5 m, turned in any way, about a
// point of the surface. Two questions, each answered by both trees:
//   aligned   which triangles' boxes along the mesh's axes meet the body's box along them: what oclide asks
//   oriented  which triangles meet the body's own box
// `differ` counts what only one tree has found. Oriented questions have one answer, so that it is 0 but for rounding.
// To aligned ones the oriented tree finds fewer, for it leaves out triangles whose oriented box is apart. One JSON
// object a line: tests of boxes and of triangles a body, the least CPU time of the thread a body, and that of building.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <string>
#include <vector>

#include "meshes/triangle_mesh.hpp"
#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"

namespace oclide::bench {
namespace {

using glm::dmat3, glm::dvec3, glm::mat3, glm::vec3;

constexpr float kSlack = 1e-6F;  // of what is parallel

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Box {
  mat3 axes{1.0F};  // columns
  vec3 centre{}, half{};
};

struct Query {
  Box own;
  vec3 lower, upper;  // of the box around it
};

struct Counts {
  std::uint64_t boxes = 0, triangles = 0;
};

using Triangle = std::array<vec3, 3>;
using Found = std::vector<std::uint32_t>;

// --- tests ---

// Separating axes of two oriented boxes: three of each, nine across.
bool meet(const Box& a, const Box& b) {
  const mat3 r = glm::transpose(a.axes) * b.axes;  // r[j][i]: axis i of a along axis j of b
  const mat3 m(glm::abs(r[0]) + kSlack, glm::abs(r[1]) + kSlack, glm::abs(r[2]) + kSlack);
  const vec3 t = (b.centre - a.centre) * a.axes;
  for (int i = 0; i < 3; ++i)
    if (std::abs(t[i]) > a.half[i] + b.half[0] * m[0][i] + b.half[1] * m[1][i] + b.half[2] * m[2][i]) return false;
  for (int j = 0; j < 3; ++j)
    if (std::abs(glm::dot(t, r[j])) > b.half[j] + glm::dot(a.half, m[j])) return false;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const float reach = a.half[i1] * m[j][i2] + a.half[i2] * m[j][i1] + b.half[j1] * m[j2][i] + b.half[j2] * m[j1][i];
      if (std::abs(t[i2] * r[j][i1] - t[i1] * r[j][i2]) > reach) return false;
    }
  }
  return true;
}

// Separating axes of an oriented box and a triangle: three, one and nine.
bool meet(const Box& box, const Triangle& triangle) {
  const vec3 a = (triangle[0] - box.centre) * box.axes, b = (triangle[1] - box.centre) * box.axes,
             c = (triangle[2] - box.centre) * box.axes;
  const vec3 low = glm::min(a, glm::min(b, c)), high = glm::max(a, glm::max(b, c));
  for (int i = 0; i < 3; ++i)
    if (low[i] > box.half[i] || high[i] < -box.half[i]) return false;
  const vec3 n = glm::cross(b - a, c - a);
  if (std::abs(glm::dot(n, a)) > glm::dot(box.half, glm::abs(n))) return false;
  for (const vec3& e : {b - a, c - b, a - c})
    for (int i = 0; i < 3; ++i) {
      vec3 axis(0.0F);
      axis[(i + 1) % 3] = -e[(i + 2) % 3];
      axis[(i + 2) % 3] = e[(i + 1) % 3];
      const float p = glm::dot(axis, a), q = glm::dot(axis, b), s = glm::dot(axis, c);
      const float reach = glm::dot(box.half, glm::abs(axis));
      if (std::min({p, q, s}) > reach || std::max({p, q, s}) < -reach) return false;
    }
  return true;
}

// --- trees ---

std::vector<Triangle> triangles_of(const TriangleMesh& mesh) {
  std::vector<Triangle> triangles;
  for (const MeshTriangle& t : mesh.triangles)
    triangles.push_back({mesh.vertices[t.vertices[0]], mesh.vertices[t.vertices[1]], mesh.vertices[t.vertices[2]]});
  return triangles;
}

// The tree of TriangleMesh::levels.
struct PackedTree {
  const TriangleMesh& mesh;
  const std::vector<Triangle>& triangles;

  template <bool kOriented>
  void find(const Query& query, Found& found, Counts& counts) const {
    find_in<kOriented>(query, mesh.levels.size() - 1, 0, found, counts);
  }

 private:
  template <bool kOriented>
  void find_in(const Query& query, std::size_t level, std::size_t number, Found& found, Counts& counts) const {
    const MeshGroup& group = mesh.levels[level][number];
    counts.boxes += 8;
    std::array<std::uint32_t, 8> hits{};
    for (std::size_t k = 0; k < 8; ++k) {
      std::uint32_t hit = 1;
      for (std::size_t a = 0; a < 3; ++a)
        hit &= static_cast<std::uint32_t>(group.lower[a][k] <= query.upper[static_cast<int>(a)]) &
               static_cast<std::uint32_t>(group.upper[a][k] >= query.lower[static_cast<int>(a)]);
      hits[k] = hit;
    }
    for (std::size_t k = 0; k < 8; ++k) {
      if (hits[k] == 0) continue;
      const std::size_t child = 8 * number + k;
      if (level > 0) {
        find_in<kOriented>(query, level - 1, child, found, counts);
        continue;
      }
      if (kOriented) {
        ++counts.triangles;
        if (!meet(query.own, triangles[child])) continue;
      }
      found.push_back(static_cast<std::uint32_t>(child));
    }
  }
};

// Unit eigenvectors of a symmetric matrix, by Jacobi's rotations.
dmat3 eigenvectors(dmat3 m) {
  dmat3 v(1.0);
  for (int sweep = 0; sweep < 30; ++sweep) {
    if (std::abs(m[0][1]) + std::abs(m[0][2]) + std::abs(m[1][2]) <= 1e-14 * (m[0][0] + m[1][1] + m[2][2])) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (m[p][q] == 0.0) continue;
        const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
        const double t = (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
        const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
        dmat3 turn(1.0);
        turn[p][p] = turn[q][q] = c;
        turn[q][p] = s;
        turn[p][q] = -s;
        m = glm::transpose(turn) * m * turn;
        v = v * turn;
      }
  }
  return v;
}

// One triangle a leaf; of inner nodes the first child is the next node.
class OrientedTree {
 public:
  explicit OrientedTree(const std::vector<Triangle>& triangles) : triangles_(triangles) {
    std::vector<std::uint32_t> order(triangles.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    nodes_.reserve(2 * order.size());
    build(order.data(), order.size());
  }

  template <bool kOriented>
  void find(const Query& query, Found& found, Counts& counts) const {
    Box box = query.own;
    if (!kOriented) box = {mat3(1.0F), 0.5F * (query.lower + query.upper), 0.5F * (query.upper - query.lower)};
    std::array<std::uint32_t, 128> stack{};
    std::size_t size = 1;
    while (size > 0) {
      const std::uint32_t at = stack[--size];
      const Node& node = nodes_[at];
      ++counts.boxes;
      if (!meet(node.box, box)) continue;
      if (node.second != 0) {
        stack[size++] = node.second;
        stack[size++] = at + 1;
        continue;
      }
      ++counts.triangles;
      const Triangle& t = triangles_[node.triangle];
      if (kOriented ? meet(box, t)
                    : glm::all(glm::lessThanEqual(glm::min(t[0], glm::min(t[1], t[2])), query.upper)) &&
                          glm::all(glm::greaterThanEqual(glm::max(t[0], glm::max(t[1], t[2])), query.lower)))
        found.push_back(node.triangle);
    }
  }

 private:
  struct Node {
    Box box;
    std::uint32_t second = 0, triangle = 0;
  };

  void build(std::uint32_t* part, std::size_t count) {
    const std::size_t at = nodes_.size();
    nodes_.emplace_back();
    dmat3 second_moment(0.0);
    dvec3 middle(0.0);
    double area = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      const Triangle& t = triangles_[part[k]];
      const dvec3 p(t[0]), q(t[1]), r(t[2]), m = (p + q + r) / 3.0;
      const double a = 0.5 * glm::length(glm::cross(q - p, r - p));
      area += a;
      middle += a * m;
      second_moment +=
          a / 12.0 *
          (9.0 * glm::outerProduct(m, m) + glm::outerProduct(p, p) + glm::outerProduct(q, q) + glm::outerProduct(r, r));
    }
    middle /= area;
    const dmat3 axes = eigenvectors(second_moment * (1.0 / area) - glm::outerProduct(middle, middle));
    dvec3 low(1e300), high(-1e300);
    for (std::size_t k = 0; k < count; ++k)
      for (const vec3& v : triangles_[part[k]]) {
        const dvec3 local = dvec3(v) * axes;
        low = glm::min(low, local), high = glm::max(high, local);
      }
    // Wide enough for what is rounded to float.
    const dvec3 half = 0.5 * (high - low) * (1.0 + 1e-6) + 4e-6 * glm::length(high);
    nodes_[at].box = {mat3(axes), vec3(axes * (0.5 * (low + high))), vec3(half)};
    nodes_[at].triangle = part[0];
    if (count == 1) return;
    const int longest = half.x >= half.y && half.x >= half.z ? 0 : half.y >= half.z ? 1 : 2;
    const auto along = [&](std::uint32_t k) {
      const Triangle& t = triangles_[k];
      return glm::dot(dvec3(t[0] + t[1] + t[2]) / 3.0, axes[longest]);
    };
    // At the mean; in the middle where that splits off next to nothing.
    const double mean = glm::dot(middle, axes[longest]);
    auto left =
        static_cast<std::size_t>(std::partition(part, part + count, [&](auto k) { return along(k) < mean; }) - part);
    if (left < 1 + count / 16 || left + count / 16 >= count) {
      left = count / 2;
      std::nth_element(part, part + left, part + count, [&](auto a, auto b) { return along(a) < along(b); });
    }
    build(part, left);
    nodes_[at].second = static_cast<std::uint32_t>(nodes_.size());
    build(part + left, count - left);
  }

  const std::vector<Triangle>& triangles_;
  std::vector<Node> nodes_;
};

// --- meshes ---

Mesh grid(std::size_t rows, std::size_t cols, const std::function<dvec3(double, double)>& place) {
  Mesh mesh;
  for (std::size_t i = 0; i <= rows; ++i)
    for (std::size_t j = 0; j <= cols; ++j) {
      const dvec3 p =
          place(static_cast<double>(i) / static_cast<double>(rows), static_cast<double>(j) / static_cast<double>(cols));
      mesh.vertices.push_back({p.x, p.y, p.z});
      if (i == rows || j == cols) continue;
      const auto v = static_cast<std::uint32_t>(i * (cols + 1) + j), down = v + static_cast<std::uint32_t>(cols) + 1;
      mesh.triangles.push_back({v, down, v + 1});
      mesh.triangles.push_back({down + 1, v + 1, down});
    }
  return mesh;
}

// Cells of 0.32 m; `tilted`: by 40 degrees about an axis that is none of the mesh's.
Mesh landscape(std::size_t cells, bool tilted) {
  const double side = 0.32 * static_cast<double>(cells);
  const dmat3 turn(glm::angleAxis(tilted ? 0.7 : 0.0, glm::normalize(dvec3(2.0, 1.0, 0.3))));
  return grid(cells, cells, [=](double u, double v) {
    const double x = (u - 0.5) * side, y = (v - 0.5) * side;
    return turn * dvec3(x, y, scenario::fractal_noise(x, y, 16.0, 1.0, 0.08, 1));
  });
}

// A winding pipe of 1 m with 32 triangles around: nothing of it lies along an axis.
Mesh pipe(std::size_t rings) {
  const double length = 0.2 * static_cast<double>(rings);
  return grid(rings, 16, [=](double u, double v) {
    const double s = u * length / 12.0;
    const dvec3 centre(9.0 * std::cos(s), 9.0 * std::sin(s), 4.0 * s);
    const dvec3 out(std::cos(s), std::sin(s), 0.0);
    const double a = 6.283185307179586 * v;
    return centre + std::cos(a) * out + std::sin(a) * dvec3(0.0, 0.0, 1.0);
  });
}

// --- measurement ---

std::vector<Query> make_queries(const std::vector<Triangle>& triangles, std::size_t count) {
  scenario::Random random(1);
  std::vector<Query> queries;
  for (std::size_t k = 0; k < count; ++k) {
    Query q;
    for (int a = 0; a < 3; ++a) q.own.half[a] = static_cast<float>(random.uniform(0.2, 0.5));
    q.own.axes = mat3(glm::mat3_cast(random.rotation()));
    const Triangle& t = triangles[random.below(triangles.size())];
    const vec3 n = glm::normalize(glm::cross(t[1] - t[0], t[2] - t[0]));
    // It lies on the plane of the triangle, a little in it.
    const float reach = glm::dot(glm::abs(n * q.own.axes), q.own.half);
    q.own.centre = (t[0] + t[1] + t[2]) / 3.0F + (reach - 0.02F) * n;
    const vec3 around = glm::abs(q.own.axes[0]) * q.own.half[0] + glm::abs(q.own.axes[1]) * q.own.half[1] +
                        glm::abs(q.own.axes[2]) * q.own.half[2];
    q.lower = q.own.centre - around;
    q.upper = q.own.centre + around;
    queries.push_back(q);
  }
  return queries;
}

struct Answer {
  Counts counts;
  std::vector<std::array<std::uint32_t, 2>> found;  // body and triangle, sorted
  double seconds = 1e300;
};

template <bool kOriented, class Tree>
void ask(const Tree& tree, const std::vector<Query>& queries, Answer& answer) {
  answer.counts = {};
  answer.found.clear();
  Found found;
  double spent = 0.0;
  const double begin = cpu_seconds();
  std::size_t total = 0;
  for (const Query& q : queries) {
    found.clear();
    tree.template find<kOriented>(q, found, answer.counts);
    total += found.size();
  }
  spent = cpu_seconds() - begin;
  answer.seconds = std::min(answer.seconds, spent);
  answer.found.reserve(total);
  for (std::uint32_t k = 0; k < queries.size(); ++k) {
    found.clear();
    Counts ignored;
    tree.template find<kOriented>(queries[k], found, ignored);
    for (const std::uint32_t t : found) answer.found.push_back({k, t});
  }
  std::sort(answer.found.begin(), answer.found.end());
}

template <bool kOriented>
void compare(const std::string& name, const PackedTree& packed, const OrientedTree& oriented,
             const std::vector<Query>& queries, int repetitions, const std::array<double, 2>& build) {
  std::array<Answer, 2> answers;
  for (int k = 0; k < repetitions; ++k) {
    ask<kOriented>(packed, queries, answers[0]);
    ask<kOriented>(oriented, queries, answers[1]);
  }
  std::vector<std::array<std::uint32_t, 2>> differ;
  std::set_symmetric_difference(answers[0].found.begin(), answers[0].found.end(), answers[1].found.begin(),
                                answers[1].found.end(), std::back_inserter(differ));
  const auto n = static_cast<double>(queries.size());
  for (std::size_t k = 0; k < 2; ++k)
    std::printf(
        "{\"mesh\": \"%s\", \"triangles\": %zu, \"question\": \"%s\", \"tree\": \"%s\", \"box_tests\": %.1f, "
        "\"triangle_tests\": %.1f, \"found\": %.2f, \"us\": %.3f, \"build_ms\": %.1f, \"differ\": %zu}\n",
        name.c_str(), packed.triangles.size(), kOriented ? "oriented" : "aligned",
        k == 0 ? "packed eight, aligned" : "binary, oriented", static_cast<double>(answers[k].counts.boxes) / n,
        static_cast<double>(answers[k].counts.triangles) / n, static_cast<double>(answers[k].found.size()) / n,
        1e6 * answers[k].seconds / n, 1e3 * build[k], differ.size());
  std::fflush(stdout);
}

void measure(const std::string& name, const Mesh& made, std::size_t bodies, int repetitions) {
  // The first of these has edges, faces and neighbours in it as well.
  double begin = cpu_seconds();
  const TriangleMesh mesh = build_triangle_mesh(made, "mesh");
  const double packed_build = cpu_seconds() - begin;
  const std::vector<Triangle> triangles = triangles_of(mesh);
  begin = cpu_seconds();
  const OrientedTree oriented(triangles);
  const double oriented_build = cpu_seconds() - begin;
  const PackedTree packed{mesh, triangles};
  const std::vector<Query> queries = make_queries(triangles, bodies);
  compare<false>(name, packed, oriented, queries, repetitions, {packed_build, oriented_build});
  compare<true>(name, packed, oriented, queries, repetitions, {packed_build, oriented_build});
}

}  // namespace
}  // namespace oclide::bench

int main(int argc, char** argv) {
  using namespace oclide::bench;
  std::size_t bodies = 20'000;
  int repetitions = 7;
  CLI::App app{"Trees over a mesh's triangles against each other", "bench_mesh_trees"};
  app.add_option("bodies", bodies, "Boxes that each tree is asked for")->check(CLI::PositiveNumber);
  app.add_option("repetitions", repetitions, "The least time of so many counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const std::size_t cells : {71UL, 224UL, 500UL})
    measure("landscape", landscape(cells, false), bodies, repetitions);
  for (const std::size_t cells : {71UL, 500UL})
    measure("landscape, tilted", landscape(cells, true), bodies, repetitions);
  for (const std::size_t rings : {313UL, 15'625UL}) measure("pipe", pipe(rings), bodies, repetitions);
  return 0;
}
