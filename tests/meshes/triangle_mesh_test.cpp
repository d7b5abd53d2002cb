// Meshes of known surfaces: what is welded, cut and joined, classes of edges, faces and the tree.
#include "meshes/triangle_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include "meshes/mesh_checks.hpp"

namespace oclide::test {
namespace {

TriangleMesh built(const Mesh& mesh) {
  return build_triangle_mesh(mesh, "meshes/0");
}
MeshCounts checked(const Mesh& mesh) {
  return expect_sound(built(mesh), mesh);
}

TEST(TriangleMesh, BoxHasTwelveConvexEdgesAndSixFaces) {
  for (const std::uint32_t cells : {1u, 4u}) {
    const Mesh mesh = box_mesh({0.5, 0.7, 0.3}, cells);
    const MeshCounts counts = checked(mesh);
    EXPECT_EQ(counts.vertices, 6 * cells * cells + 2);
    EXPECT_EQ(counts.triangles, 12 * cells * cells);
    EXPECT_EQ(counts.vertices + counts.triangles, counts.edges + 2) << "Euler";
    EXPECT_EQ(counts.faces, 6u);
    EXPECT_EQ(counts.of_class.at(MeshEdge::convex), 12 * cells);
    EXPECT_EQ(counts.of_class.at(MeshEdge::flat), counts.edges - 12 * cells);
  }
}

// The ridges of a mesh, by the edges that each has.
std::map<std::uint32_t, std::size_t> ridges_of(const TriangleMesh& mesh) {
  std::map<std::uint32_t, std::size_t> edges;
  for (const MeshTriangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      if (t.edges[k] != MeshEdge::flat && t.owns_edge[k]) ++edges[t.ridges[k].first];
  return edges;
}

TEST(TriangleMesh, EdgesAlongOneLineAreOneRidge) {
  const TriangleMesh box = built(box_mesh({0.5, 0.7, 0.3}, 4)), sheet = built(flat_sheet(5, 0.2));
  for (const auto& [mesh, count, edges] : {std::tuple{&box, 12U, 4U}, {&sheet, 4U, 5U}}) {
    const auto ridges = ridges_of(*mesh);
    EXPECT_EQ(ridges.size(), count);
    for (const auto& [first, length] : ridges) EXPECT_EQ(length, edges) << first;
    // Through each vertex but the corners one leads, and they all go the same way.
    std::size_t through = 0;
    for (const std::uint32_t ridge : mesh->vertex_ridge) through += ridge == kNone ? 0 : 1;
    EXPECT_EQ(through, count * (edges - 1));
    std::map<std::uint32_t, glm::dvec3> way;
    for (const MeshTriangle& t : mesh->triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        if (t.edges[k] == MeshEdge::flat || !t.owns_edge[k]) continue;
        const glm::dvec3 along(mesh->vertices[t.vertices[(k + 1) % 3]] - mesh->vertices[t.vertices[k]]);
        const glm::dvec3 of_ridge = t.ridges[k].turned ? -along : along;
        const auto [at, is_first] = way.try_emplace(t.ridges[k].first, of_ridge);
        EXPECT_GT(glm::dot(at->second, of_ridge), 0.0);
      }
  }
  const Mesh ball = ball_mesh(2.0, 3);
  const MeshCounts counts = checked(ball);
  EXPECT_EQ(ridges_of(built(ball)).size(),
            counts.of_class.at(MeshEdge::convex) + counts.of_class.at(MeshEdge::concave));
}

TEST(TriangleMesh, SheetInsideOutHasConcaveEdges) {
  Mesh mesh = box_mesh({0.5, 0.7, 0.3});
  mesh.solid = false;
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  const MeshCounts counts = checked(mesh);
  EXPECT_EQ(counts.of_class, (std::map<MeshEdge, std::size_t>{{MeshEdge::flat, 6}, {MeshEdge::concave, 12}}));
}

TEST(TriangleMesh, BallIsClosedAndRound) {
  const Mesh mesh = ball_mesh(2.0, 12);
  const MeshCounts counts = checked(mesh);
  EXPECT_EQ(counts.vertices + counts.triangles, counts.edges + 2) << "Euler";
  EXPECT_EQ(counts.of_class.count(MeshEdge::border), 0u);
  EXPECT_GT(counts.of_class.at(MeshEdge::convex), counts.edges * 3 / 4);
}

TEST(TriangleMesh, FlatSheetIsOneFaceWithABorder) {
  const MeshCounts counts = checked(flat_sheet(5, 0.2));
  EXPECT_EQ(counts.faces, 1u);
  EXPECT_EQ(counts.of_class, (std::map<MeshEdge, std::size_t>{{MeshEdge::flat, 65}, {MeshEdge::border, 20}}));
}

TEST(TriangleMesh, BendsAreFlatUpToTheirLimit) {
  for (const auto& [height, edge] : {std::pair{0.9 / 4096, MeshEdge::flat},
                                     {1.1 / 4096, MeshEdge::concave},
                                     {-0.9 / 4096, MeshEdge::flat},
                                     {-1.1 / 4096, MeshEdge::convex}}) {
    Mesh mesh;
    mesh.vertices = {{0, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, height}};
    mesh.triangles = {{0, 1, 2}, {1, 0, 3}};
    EXPECT_EQ(checked(mesh).of_class, (std::map<MeshEdge, std::size_t>{{edge, 1}, {MeshEdge::border, 4}})) << height;
  }
}

TEST(TriangleMesh, FoldsAreConvex) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {-1, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {1, 0, 3}};
  EXPECT_EQ(checked(mesh).of_class.at(MeshEdge::convex), 1u);
}

TEST(TriangleMesh, VerticesAreOneWhereTheirFloatsAre) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0.1, 1, 0}, {1.0 + 1e-9, -0.0, -0.0}, {0.1F, 1, 0}, {2, 1, 0}, {7, 7, 7}};
  mesh.triangles = {{0, 1, 2}, {3, 5, 4}};
  const MeshCounts counts = checked(mesh);
  EXPECT_EQ(counts.vertices, 4u);
  EXPECT_EQ(counts.edges, 5u);
}

TEST(TriangleMesh, TrianglesWithoutAreaAreDroppedAndElementsStay) {
  Mesh mesh = flat_sheet(2, 1.0);
  mesh.vertices.push_back({0.5, 0.0, 0.0});
  mesh.triangles.insert(mesh.triangles.begin(), {0, 1, 2});      // on a line
  mesh.triangles.insert(mesh.triangles.begin() + 3, {4, 4, 5});  // one vertex twice
  const TriangleMesh mesh_built = built(mesh);
  expect_sound(mesh_built, mesh);
  EXPECT_EQ(mesh_built.dropped, 2u);
  std::set<std::uint32_t> elements;
  for (const MeshTriangle& t : mesh_built.triangles) elements.insert(t.element);
  EXPECT_EQ(elements, (std::set<std::uint32_t>{1, 2, 4, 5, 6, 7, 8, 9}));
}

TEST(TriangleMesh, NeedlesThatHaveAnAreaStay) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1000, 0, 0}, {500, 1e-6, 0}};
  mesh.triangles = {{0, 1, 2}};
  EXPECT_EQ(checked(mesh).triangles, 1u);
  mesh.vertices[2][1] = 1e-10;
  EXPECT_THROW(built(mesh), Error);
}

TEST(TriangleMesh, MaterialsAreOfTheirElement) {
  Mesh mesh = flat_sheet(3, 1.0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) mesh.material.push_back(static_cast<std::uint8_t>(200 + t));
  checked(mesh);
}

// A box whose sides have grids that do not fit each other, turned so that no vertex is exactly on an edge.
Mesh box_of_t_joints(double scale, MeshPoint by) {
  Mesh mesh;
  mesh.solid = true;
  const std::array<std::uint32_t, 6> cells{1, 2, 5, 3, 7, 4};
  const std::array<MeshPoint, 3> turn{MeshPoint{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};
  for (std::size_t side = 0; side < 6; ++side) {
    const Mesh fine = box_mesh({0.5, 0.7, 0.3}, cells[side]);
    const std::size_t vertices = (cells[side] + 1) * (cells[side] + 1), triangles = 2 * cells[side] * cells[side];
    const auto shift = static_cast<std::uint32_t>(mesh.vertices.size() - side * vertices);
    for (std::size_t v = side * vertices; v < (side + 1) * vertices; ++v) {
      MeshPoint p = by;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) p[a] += scale * turn[b][a] * fine.vertices[v][b];
      mesh.vertices.push_back(p);
    }
    for (std::size_t t = side * triangles; t < (side + 1) * triangles; ++t) {
      mesh.triangles.push_back(fine.triangles[t]);
      for (std::uint32_t& v : mesh.triangles.back()) v += shift;
    }
  }
  return mesh;
}

TEST(TriangleMesh, TJointsBecomeEdgesThatBothSidesShare) {
  for (const double scale : {0.01, 1.0, 30.0})
    for (const MeshPoint& by : {MeshPoint{}, MeshPoint{3.0 * scale, -2.0 * scale, scale}}) {
      const Mesh mesh = box_of_t_joints(scale, by);
      const MeshCounts counts = checked(mesh);
      EXPECT_EQ(counts.vertices + counts.triangles, counts.edges + 2) << "Euler";
      EXPECT_GT(counts.triangles, mesh.triangles.size());
      EXPECT_EQ(counts.faces, 6u);
      EXPECT_EQ(counts.of_class.count(MeshEdge::border), 0u);
      EXPECT_EQ(counts.of_class.count(MeshEdge::concave), 0u);
    }
}

// Of a box whose sides' vertices are off by rounding, and of one of whose triangles one without area is dropped.
TEST(TriangleMesh, CracksOfRoundingAreNoBorders) {
  Mesh box = box_mesh({1.0, 2.0, 3.0}, 2);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> off(-1e-7, 1e-7);
  for (MeshPoint& p : box.vertices)
    for (double& x : p) x += off(random);
  const MeshCounts counts = checked(box);
  EXPECT_EQ(counts.triangles, 48u);
  EXPECT_EQ(counts.faces, 6u);
  EXPECT_EQ(counts.of_class.count(MeshEdge::border), 0u);
  // Between both halves of a square, one of which has the corner c and the other one d.
  Mesh square;
  square.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1e-19}, {0, 1, 0}};
  square.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
  const TriangleMesh built = build_triangle_mesh(square, "mesh");
  EXPECT_EQ(built.dropped, 1u);
  EXPECT_EQ(checked(square).of_class.at(MeshEdge::border), 4u);
}

TEST(TriangleMesh, TrianglesMayBeCutOnAllSides) {
  Mesh mesh;  // one triangle amid six that each have half of one of its edges
  mesh.vertices = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {2, -3, 0}, {4, 4, 0}, {-3, 2, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 6, 3}, {3, 6, 1}, {1, 7, 4}, {4, 7, 2}, {2, 8, 5}, {5, 8, 0}};
  const MeshCounts counts = checked(mesh);
  EXPECT_EQ(counts.triangles, 10u);
  EXPECT_EQ(counts.of_class.at(MeshEdge::border), 6u);
  EXPECT_EQ(counts.faces, 1u);
}

TEST(TriangleMesh, VerticesBesideAnEdgeCutNothing) {
  for (const double off : {0.0, 0.9e-6, 1.2e-6}) {
    Mesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, -off, 0}, {0, -1, 0}, {1, -1, 0}};
    mesh.triangles = {{0, 1, 2}, {0, 4, 3}, {3, 5, 1}};
    EXPECT_EQ(checked(mesh).triangles, off < 1e-6 ? 4u : 3u) << off;
  }
}

TEST(TriangleMesh, SheetsAreTurnedOverTriangleByTriangle) {
  Mesh mesh = ball_mesh(1.0, 6), turned = mesh;
  mesh.solid = turned.solid = false;
  std::mt19937_64 random(1);
  for (std::size_t t = 1; t < turned.triangles.size(); ++t)
    if (random() % 2 == 0) std::swap(turned.triangles[t][1], turned.triangles[t][2]);
  const MeshCounts counts = checked(turned);
  EXPECT_EQ(counts.of_class, checked(mesh).of_class);
  EXPECT_EQ(counts.of_class.count(MeshEdge::border), 0u);
}

TEST(TriangleMesh, MoebiusStripHasOneBorderAcross) {
  Mesh mesh;
  constexpr std::uint32_t kCells = 40;
  for (std::uint32_t k = 0; k < kCells; ++k)
    for (const double side : {-0.3, 0.3}) {
      const double u = 2.0 * M_PI * k / kCells, radius = 1.0 + side * std::cos(0.5 * u);
      mesh.vertices.push_back({radius * std::cos(u), radius * std::sin(u), side * std::sin(0.5 * u)});
    }
  for (std::uint32_t k = 0; k < kCells; ++k) {
    const bool is_last = k + 1 == kCells;
    const std::uint32_t a = 2 * k, b = a + 1, c = is_last ? 1 : a + 2, d = is_last ? 0 : a + 3;
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({d, c, b});
  }
  EXPECT_EQ(checked(mesh).of_class.at(MeshEdge::border), 2 * kCells + 2);
}

TEST(TriangleMesh, EdgesOfThreeTrianglesAreABorderOfEach) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 1, 0}, {-1, -1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
  const MeshCounts counts = checked(mesh);
  EXPECT_EQ(counts.edges, 7u);
  EXPECT_EQ(counts.of_class, (std::map<MeshEdge, std::size_t>{{MeshEdge::border, 9}}));
}

TEST(TriangleMesh, SolidsMayHaveHollows) {
  Mesh mesh = box_mesh({1, 1, 1});
  const Mesh hollow = box_mesh({0.5, 0.5, 0.5}, 2);
  for (const MeshPoint& p : hollow.vertices) mesh.vertices.push_back(p);
  for (const auto& t : hollow.triangles) mesh.triangles.push_back({t[0] + 24, t[2] + 24, t[1] + 24});
  const MeshCounts counts = checked(mesh);
  EXPECT_EQ(counts.of_class.at(MeshEdge::concave), 24u);
  EXPECT_EQ(counts.faces, 12u);
}

TEST(TriangleMesh, TreesOfAnySizeAreSound) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> at(-1.0, 1.0);
  for (const std::uint32_t count : {1u, 7u, 8u, 9u, 63u, 65u, 512u, 513u, 4097u}) {
    Mesh mesh;
    for (std::uint32_t t = 0; t < count; ++t) {
      const MeshPoint p{100.0 * at(random), 10.0 * at(random), at(random)};
      for (int k = 0; k < 3; ++k) mesh.vertices.push_back({p[0] + at(random), p[1] + at(random), p[2] + at(random)});
      mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    EXPECT_EQ(checked(mesh).triangles, count);
  }
}

// Triangles that cross, touch, fold and overlap, of points of a coarse grid: edges of many triangles, and vertices on
// the inside of edges.
TEST(TriangleMesh, AnyTrianglesAreASoundSheetOrRefused) {
  std::mt19937_64 random(4);
  const auto below = [&](std::uint32_t count) {
    return std::uniform_int_distribution<std::uint32_t>(0, count - 1)(random);
  };
  int taken = 0, cut = 0;
  for (int k = 0; k < 400; ++k) {
    Mesh mesh;
    const double scale = std::pow(10.0, static_cast<double>(below(7)) - 3.0), noise = k % 3 == 0 ? 1e-8 : 0.0;
    const std::uint32_t points = 5 + below(30), triangles = 1 + below(40), grid = 2 + below(3);
    for (std::uint32_t v = 0; v < points; ++v) {
      MeshPoint p{};
      for (double& x : p) x = scale * (below(grid) + noise * below(100));
      if (k % 2 == 0) p[2] = 0.0;
      mesh.vertices.push_back(p);
    }
    for (std::uint32_t t = 0; t < triangles; ++t)
      mesh.triangles.push_back({below(points), below(points), below(points)});
    SCOPED_TRACE("case " + std::to_string(k));
    try {
      const TriangleMesh sheet = built(mesh);
      expect_sound(sheet, mesh);
      ++taken;
      if (sheet.triangles.size() + sheet.dropped > mesh.triangles.size()) ++cut;
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.find("same three vertices") != std::string::npos || what.ends_with("has an area")) << what;
    }
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(cut, 50);
}

// Vertices in another order are the same mesh.
TEST(TriangleMesh, OrderOfVerticesDoesNotShow) {
  Mesh mesh = ball_mesh(1.0, 9);
  for (MeshPoint& p : mesh.vertices) p[0] *= 1.7, p[1] += 0.3 * p[2];
  const TriangleMesh first = built(mesh);
  expect_same_bits(first, built(mesh));
  expect_same_bits(first, built(welded(mesh)));
  std::mt19937_64 random(3);
  std::vector<std::uint32_t> number(mesh.vertices.size());
  for (std::uint32_t v = 0; v < number.size(); ++v) number[v] = v;
  std::shuffle(number.begin(), number.end(), random);
  Mesh renumbered = mesh;
  for (std::uint32_t v = 0; v < number.size(); ++v) renumbered.vertices[number[v]] = mesh.vertices[v];
  for (auto& t : renumbered.triangles)
    for (std::uint32_t& v : t) v = number[v];
  expect_same_bits(first, built(renumbered));
}

TEST(TriangleMesh, MeshesFarOutAreAsExactAsFloatsAre) {
  Mesh mesh = box_mesh({1.0, 1.0, 1.0}, 8);
  for (MeshPoint& p : mesh.vertices) p[0] += 10000.0, p[1] -= 10000.0;
  const TriangleMesh far = built(mesh);
  EXPECT_EQ(expect_sound(far, mesh).faces, 6u);
  EXPECT_EQ(far.lower, glm::dvec3(9999.0, -10001.0, -1.0));
}

}  // namespace
}  // namespace oclide::test
