// Where the diagonals of cells run: docs/terrain_contacts.md, "Diagonals that rise" and "Diagonals that alternate".
#include <algorithm>
#include <map>
#include <random>

#include "hulls/convex_hull.hpp"
#include "reference/ground_faces.hpp"
#include "reference/joined_ground.hpp"
#include "reference/one_body.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

using reference::GroundFaces;

Terrain cut(Terrain terrain, Diagonal diagonal) {
  terrain.diagonal = diagonal;
  return terrain;
}

dvec3 vertex_of(const Terrain& t, std::size_t row, std::size_t col) {
  return {t.origin[0] + static_cast<double>(col) * t.spacing[0], t.origin[1] + static_cast<double>(row) * t.spacing[1],
          t.heights[row * t.cols + col]};
}

// By the definition's list: V0 V1 V2 and V3 V2 V1 of a cell that falls, V1 V3 V0 and V2 V0 V3 of one that rises.
std::array<dvec3, 3> triangle_of(const Terrain& t, std::size_t row, std::size_t col, int k) {
  const dvec3 v0 = vertex_of(t, row, col), v1 = vertex_of(t, row, col + 1), v2 = vertex_of(t, row + 1, col),
              v3 = vertex_of(t, row + 1, col + 1);
  if (rises_at(t.diagonal, row, col)) return k == 0 ? std::array{v1, v3, v0} : std::array{v2, v0, v3};
  return k == 0 ? std::array{v0, v1, v2} : std::array{v3, v2, v1};
}

std::uint32_t element_id(const Terrain& t, std::size_t row, std::size_t col, int k) {
  return 8 * static_cast<std::uint32_t>(row * t.cols + col) + static_cast<std::uint32_t>(k);
}
std::uint32_t edge_id(const Terrain& t, std::size_t row, std::size_t col, int k) {
  return element_id(t, row, col, 2 + k);
}
std::uint32_t vertex_id(const Terrain& t, std::size_t row, std::size_t col) {
  return element_id(t, row, col, 5);
}

// Every vertex for itself.
Terrain random_ground(Diagonal diagonal, std::uint64_t seed, double amplitude = 0.4) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> height(-amplitude, amplitude);
  return cut(around_origin([&](double, double) { return height(random); }), diagonal);
}

// Terraces and ramps with steps between them; some cells are holes. Ridges of all directions, faces of all sizes.
Terrain terraced_ground(std::size_t cols, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Terrain t = make_terrain(9, cols, {-2.3, -1.9}, {0.5, 0.4}, [&](double x, double y) {
    return x > 1.0 ? 0.2 * x - 0.1 * std::abs(y) : 0.2 * std::floor(1.5 * std::sin(1.9 * x) + 1.5 * std::cos(1.7 * y));
  });
  for (std::size_t c = 0; c < 8 * (cols - 1); ++c) t.holes.push_back(random() % 11 == 0 ? 1 : 0);
  return t;
}

TEST(DiagonalsOfReference, EachCellHasTheTrianglesOfItsCut) {
  for (const Diagonal diagonal : kDiagonals) {
    const Terrain t = random_ground(diagonal, 1);
    const TerrainView view(t, dvec3(0.1, -0.2, 0.3));
    for (std::size_t row = 0; row + 1 < t.rows; ++row)
      for (std::size_t col = 0; col + 1 < t.cols; ++col)
        for (int k = 0; k < 2; ++k) {
          const auto [a, b, c] = triangle_of(t, row, col, k);
          const auto e = view.element(static_cast<std::int64_t>(row), static_cast<std::int64_t>(col), k);
          const dvec3 centre(0.1, -0.2, 0.3), m = glm::normalize(glm::cross(b - a, c - a));
          const std::array corners{a, b, c};
          for (std::size_t n = 0; n < 3; ++n) expect_near(e.v[n] + centre, corners[n]);
          expect_near(e.normal, m);
          EXPECT_EQ(e.id, element_id(t, row, col, k));
          for (const dvec3 part : {dvec3(0.6, 0.3, 0.1), dvec3(0.1, 0.6, 0.3), dvec3(0.3, 0.1, 0.6)}) {
            const dvec3 p = part.x * a + part.y * b + part.z * c;
            EXPECT_NEAR(*view.height(dvec2(p - centre)), p.z - centre.z, kRounding);
          }
        }
  }
}

TEST(DiagonalsOfReference, ABumpIsAPyramidWithEightEdgesOrFour) {
  // Vertex (3, 4), at the origin, has a height of 1 and all others 0.
  Terrain t = around_origin(flat);
  t.heights[3 * 9 + 4] = 1.0;
  // 3 + 4 is odd: the cells (3, 4) and (2, 3) fall where cell (0, 0) rises.
  const Terrain of_hub = cut(t, Diagonal::alternating_falling), of_four = cut(t, Diagonal::alternating_rising);
  for (const dvec2 p : {dvec2(0.3, 0.2), dvec2(-0.7, 0.1), dvec2(0.2, -0.6), dvec2(-0.4, -0.4), dvec2(0.9, 0.8)}) {
    EXPECT_NEAR(*TerrainView(of_hub, dvec3(0.0)).height(p), 1.0 - std::max(std::abs(p.x), std::abs(p.y)), kRounding);
    EXPECT_NEAR(*TerrainView(of_four, dvec3(0.0)).height(p), std::max(0.0, 1.0 - std::abs(p.x) - std::abs(p.y)),
                kRounding);
  }
}

TEST(DiagonalsOfReference, EdgesHaveTheElementsBesideThem) {
  for (const Diagonal diagonal : kDiagonals) {
    Terrain t = random_ground(diagonal, 2);
    t.holes.assign(6 * 8, 0);
    t.holes[2 * 8 + 3] = t.holes[4 * 8 + 6] = 1;
    const TerrainView view(t, dvec3(0.0));
    const TerrainSurface ground(view, {0, 6, 0, 8});
    for (const reference::Edge& e : ground.edges) {
      const dvec3 middle = 0.5 * (e.a + e.b);
      EXPECT_NEAR(*view.height(dvec2(middle)), middle.z, kRounding) << e.id;
      // A small step into an element stays on the surface.
      const dvec3 first = middle + 0.01 * e.into1, second = middle + 0.01 * e.into2;
      EXPECT_NEAR(view.height(dvec2(first)).value_or(1e9), first.z, kRounding) << e.id;
      EXPECT_LT(glm::dot(e.into1, e.into2), e.border ? 1.0 : 0.5) << e.id;
      if (!e.border) {
        EXPECT_NEAR(view.height(dvec2(second)).value_or(1e9), second.z, kRounding) << e.id;
      } else {
        EXPECT_FALSE(view.height(dvec2(middle + 0.01 * e.n2)).has_value()) << e.id;
      }
    }
    EXPECT_EQ(ground.elements.size(), 2 * 46U);
    for (const reference::Vertex& v : ground.vertices)
      for (const dvec3 way : v.leaving) {
        const dvec3 p = v.position + 0.1 * way;
        EXPECT_NEAR(view.height(dvec2(p)).value_or(1e9), p.z, kRounding);
      }
  }
}

TEST(DiagonalsOfReference, AVertexHasEightEdgesOrFourWhereTheyAlternate) {
  for (const Diagonal diagonal : kDiagonals) {
    const Terrain t = random_ground(diagonal, 3);
    const TerrainSurface ground(TerrainView(t, dvec3(0.0)), {0, 6, 0, 8});
    ASSERT_EQ(ground.vertices.size(), t.heights.size());
    for (const reference::Vertex& v : ground.vertices) {
      const std::size_t row = v.id / 8 / t.cols, col = v.id / 8 % t.cols;
      if (row == 0 || col == 0 || row == 6 || col == 8) continue;
      EXPECT_EQ(v.leaving.size(), !alternates(diagonal) ? 6U : rises_at(t.diagonal, row, col) ? 8U : 4U);
    }
  }
}

TEST(DiagonalsOfReference, AnElementKnowsWhichOfItsSidesAreFlat) {
  for (const Diagonal diagonal : kDiagonals) {
    const Terrain t = cut(terraced_ground(12, 4), diagonal);
    const TerrainSurface ground(TerrainView(t, dvec3(0.0)), {0, 8, 0, 11});
    std::size_t compared = 0;
    for (const reference::Element& e : ground.elements)
      for (std::size_t s = 0; s < 3; ++s) {
        const dvec3 middle = 0.5 * (e.v[s] + e.v[(s + 1) % 3]);
        const auto side = std::find_if(ground.edges.begin(), ground.edges.end(), [&](const reference::Edge& edge) {
          return glm::distance(0.5 * (edge.a + edge.b), middle) < 1e-9;
        });
        ASSERT_NE(side, ground.edges.end());
        EXPECT_EQ(e.flat_k[s] == 1.0, side->kind == reference::EdgeKind::flat);
        compared += side->kind == reference::EdgeKind::flat ? 1 : 0;
      }
    EXPECT_GT(compared, 50U);
  }
}

TEST(DiagonalsOfReference, OverThePeakOfEightEdgesOrFourTouchTheVertex) {
  Terrain t = around_origin(flat);
  t.heights[3 * 9 + 4] = 1.0;
  for (const Diagonal diagonal : kDiagonals) {
    const Terrain ground = cut(t, diagonal);
    const dvec3 off(0.05, 0.02, 0.45);
    expect_one_manifold(OneBody{Shape::sphere, {0.5, 0.0, 0.0}, dvec3(0.0, 0.0, 1.0) + off}.manifolds(ground), off,
                        0.5 - glm::length(off), 1);
    // A box on the tip, and a cylinder.
    for (const Shape shape : {Shape::box, Shape::cylinder}) {
      const auto manifolds = OneBody{shape, {0.25, 0.25, 0.25}, {0.02, 0.03, 1.24}}.manifolds(ground);
      expect_one_manifold(manifolds, kUp, 0.01, 1);
      expect_near(manifolds[0][0].point, {-0.02, -0.03, -0.25});
    }
  }
}

// Eight triangles make four planes, or four do.
TEST(DiagonalsOfReference, InAPitTouchTheFourSides) {
  Terrain t = around_origin([](double, double) { return 1.0; });
  t.heights[3 * 9 + 4] = 0.0;
  const OneBody ball{Shape::sphere, {0.5, 0.0, 0.0}, {0.0, 0.0, 0.6}};
  const struct {
    Diagonal diagonal;
    double depth;
    std::array<dvec3, 4> normals;
  } cases[] = {{Diagonal::alternating_falling,
                0.5 - 0.6 / std::sqrt(2.0),
                {dvec3(1, 0, 1), dvec3(-1, 0, 1), dvec3(0, 1, 1), dvec3(0, -1, 1)}},
               {Diagonal::alternating_rising,
                0.5 - 0.6 / std::sqrt(3.0),
                {dvec3(1, 1, 1), dvec3(-1, 1, 1), dvec3(1, -1, 1), dvec3(-1, -1, 1)}}};
  for (const auto& [diagonal, depth, normals] : cases) {
    const auto contacts = ball.contacts(cut(t, diagonal));
    EXPECT_EQ(reference::reduce_contacts(contacts).size(), 4U);
    for (const dvec3 n : normals) {
      const GroundContact* side = find(contacts, n);
      ASSERT_NE(side, nullptr);
      EXPECT_NEAR(side->depth, depth, kRounding);
    }
  }
}

// Where the four heights of each cell are in one plane every cut is the same surface, up to the names of contacts.
TEST(DiagonalsOfReference, CellsOfOnePlaneAreTheSameSurfaceHoweverTheyAreCut) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  std::array<double, 16> along_x{}, along_y{};
  for (double& z : along_x) z = 0.3 * any(random);
  for (double& z : along_y) z = 0.3 * any(random);
  const Terrain t = around_origin([&](double x, double y) {
    return along_x[static_cast<std::size_t>(x + 4.5)] + along_y[static_cast<std::size_t>(y + 3.5)];
  });
  std::vector<std::array<double, 3>> points;
  for (int p = 0; p < 12; ++p) points.push_back({0.4 * any(random), 0.4 * any(random), 0.4 * any(random)});
  const auto hull = std::make_shared<const ConvexHull>(build_convex_hull(points, "hull"));
  std::size_t count = 0;
  for (int k = 0; k < 200; ++k) {
    constexpr std::array kShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule, Shape::convex_hull};
    OneBody body{
        kShapes[static_cast<std::size_t>(k % 5)], {0.3, 0.35, 0.25}, {3.0 * any(random), 2.0 * any(random), 0}};
    body.orientation = turn({any(random), any(random), any(random)}, 3.0 * any(random));
    if (body.shape == Shape::convex_hull) body.hull = hull;
    body.position.z = *TerrainView(t, dvec3(0.0)).height(dvec2(body.position)) + 0.3 + 0.2 * any(random);
    const auto falling = body.all(t, 0.01);
    for (const Diagonal diagonal : {Diagonal::rising, Diagonal::alternating_rising, Diagonal::alternating_falling}) {
      const auto all = body.all(cut(t, diagonal), 0.01);
      for (const GroundContact& c : falling) {
        if (!c.held || c.optional) continue;
        ++count;
        EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                                [&](const GroundContact& d) {
                                  return d.kind == c.kind && d.held && glm::distance(c.point, d.point) < 1e-7 &&
                                         glm::distance(c.normal, d.normal) < 1e-7 && std::abs(c.depth - d.depth) < 1e-7;
                                }))
            << k << " " << to_string(c.kind);
      }
    }
  }
  EXPECT_GT(count, 500U);
}

// In a mirror that stands along y each cell that falls rises, and the first one is the last of its row.
Terrain in_mirror(const Terrain& t) {
  Terrain to = t;
  to.origin[0] = -(t.origin[0] + static_cast<double>(t.cols - 1) * t.spacing[0]);
  to.diagonal = rises_at(t.diagonal, 0, t.cols - 2) ? Diagonal::falling : Diagonal::rising;
  if (alternates(t.diagonal))
    to.diagonal = to.diagonal == Diagonal::rising ? Diagonal::alternating_rising : Diagonal::alternating_falling;
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) to.heights[i * t.cols + t.cols - 1 - j] = t.heights[i * t.cols + j];
  for (std::size_t i = 0; i + 1 < t.rows; ++i)
    for (std::size_t j = 0; j + 1 < t.cols; ++j)
      to.holes[i * (t.cols - 1) + t.cols - 2 - j] = t.holes[i * (t.cols - 1) + j];
  return to;
}
dvec3 in_mirror(dvec3 v) {
  return {-v.x, v.y, v.z};
}

std::vector<GroundContact> named_contacts(const OneBody& body, const Terrain& t, const GroundFaces& faces) {
  const TerrainView view(t, body.position, &faces);
  const Body b = body.body();
  return reference::ground_contacts(b, {view, reference::terrain_range(view, b, 0.01)}, 0.01);
}

std::uint32_t name_of(const GroundContact& c, const GroundFaces& faces) {
  return c.kind == reference::ContactKind::wall ? faces.wall_name(c.ground) : faces.name(c.ground);
}

// Called by an element, and not along its normal.
bool is_nearest_beyond(const GroundContact& c, const Terrain& t) {
  const std::size_t site = c.ground / 8;
  if (c.ground % 8 >= 2) return false;
  const auto [p, q, r] = triangle_of(t, site / t.cols, site % t.cols, static_cast<int>(c.ground % 8));
  return glm::distance(c.normal, glm::normalize(glm::cross(q - p, r - p))) > 1e-6;
}

// Contacts are mirrored, and those that have one name have one name there. An even number of columns of cells, and an
// odd one.
TEST(DiagonalsOfReference, AMirrorGivesTheMirroredContactsAndNamesThemAlike) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (const std::size_t cols : {12U, 13U})
    for (const Diagonal diagonal : kDiagonals) {
      const Terrain t = cut(terraced_ground(cols, 7), diagonal), other = in_mirror(t);
      const GroundFaces faces(t), other_faces(other);
      std::map<std::uint32_t, std::uint32_t> there, back;
      std::size_t count = 0;
      for (int k = 0; k < 300; ++k) {
        constexpr std::array kShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};
        OneBody body{kShapes[static_cast<std::size_t>(k % 4)], {0.15, 0.2, 0.1}, {}};
        body.position = {2.3 * any(random), 1.7 * any(random), 0.3 * any(random)};
        const dvec3 axis(any(random), any(random), any(random));
        const double angle = 3.0 * any(random);
        body.orientation = turn(axis, angle);
        OneBody mirrored = body;
        mirrored.position = in_mirror(body.position);
        mirrored.orientation = turn({axis.x, -axis.y, -axis.z}, angle);
        const auto all = named_contacts(mirrored, other, other_faces);
        for (const GroundContact& c : named_contacts(body, t, faces)) {
          if (!c.held || c.optional) continue;
          const auto d = std::find_if(all.begin(), all.end(), [&](const GroundContact& found) {
            return found.kind == c.kind && found.held && glm::distance(in_mirror(c.point), found.point) < 1e-7 &&
                   glm::distance(in_mirror(c.normal), found.normal) < 1e-7 && std::abs(c.depth - found.depth) < 1e-7;
          });
          ASSERT_NE(d, all.end()) << k << " " << to_string(c.kind);
          ++count;
          // One lift a body; and a nearest place beyond the range that is on an edge is with the face on either side of
          // it.
          if (c.kind == reference::ContactKind::lift || is_nearest_beyond(c, t)) continue;
          const std::uint32_t name = name_of(c, faces), other_name = name_of(*d, other_faces);
          EXPECT_EQ(there.try_emplace(name, other_name).first->second, other_name) << k << " " << to_string(c.kind);
          EXPECT_EQ(back.try_emplace(other_name, name).first->second, name) << k << " " << to_string(c.kind);
        }
      }
      EXPECT_GT(count, 300U);
      EXPECT_GT(there.size(), 50U);
    }
}

TEST(DiagonalsOfReference, APlaneIsOneFace) {
  for (const Diagonal diagonal : kDiagonals) {
    const Terrain t = cut(around_origin([](double x, double y) { return 0.3 * x - 0.7 * y; }), diagonal);
    const GroundFaces faces(t);
    const std::uint32_t name = faces.name(element_id(t, 0, 0, 0));
    for (std::size_t row = 0; row < 6; ++row)
      for (std::size_t col = 0; col < 8; ++col)
        for (int k = 0; k < 5; ++k) {
          if (k >= 2 && (row == 0 || col == 0)) continue;
          EXPECT_EQ(faces.name(element_id(t, row, col, k)), name);
        }
  }
}

// Of rough ground nothing but two elements are in one plane: those that have a side along y, or one along x, in common.
TEST(DiagonalsOfReference, TwoElementsAcrossALineAreAFace) {
  for (const Diagonal diagonal : kDiagonals)
    for (std::size_t row = 1; row < 4; ++row)
      for (std::size_t col = 1; col < 5; ++col) {
        Terrain along_y = random_ground(diagonal, 8 + row);
        // Right of the line stands the element that has the side on it and one vertex more, as far from the line as the
        // left one's.
        const std::size_t left_row = rises_at(along_y.diagonal, row, col) ? row : row + 1;
        const std::size_t right_row = rises_at(along_y.diagonal, row, col + 1) ? row + 1 : row;
        const int left = rises_at(along_y.diagonal, row, col) ? 0 : 1,
                  right = rises_at(along_y.diagonal, row, col + 1) ? 1 : 0;
        const auto z = [&](std::size_t i, std::size_t j) -> double& { return along_y.heights[i * along_y.cols + j]; };
        z(right_row, col + 2) = z(left_row, col + 1) + z(right_row, col + 1) - z(left_row, col);
        const GroundFaces faces(along_y);
        const std::uint32_t name = faces.name(element_id(along_y, row, col, left));
        EXPECT_EQ(faces.name(element_id(along_y, row, col + 1, right)), name);
        EXPECT_EQ(faces.name(edge_id(along_y, row, col + 1, 1)), name);
        EXPECT_NE(faces.name(element_id(along_y, row, col, 1 - left)), name);
        EXPECT_NE(faces.name(element_id(along_y, row, col + 1, 1 - right)), name);
        if (alternates(diagonal)) {
          EXPECT_EQ(left, right);
        }

        Terrain along_x = random_ground(diagonal, 9 + row);
        const std::size_t lower_col = rises_at(along_x.diagonal, row, col) ? col : col + 1;
        const std::size_t upper_col = rises_at(along_x.diagonal, row + 1, col) ? col + 1 : col;
        const auto x = [&](std::size_t i, std::size_t j) -> double& { return along_x.heights[i * along_x.cols + j]; };
        x(row + 2, upper_col) = x(row + 1, lower_col) + x(row + 1, upper_col) - x(row, lower_col);
        const GroundFaces others(along_x);
        const std::uint32_t other = others.name(element_id(along_x, row, col, 1));
        EXPECT_EQ(others.name(element_id(along_x, row + 1, col, 0)), other);
        EXPECT_EQ(others.name(edge_id(along_x, row + 1, col, 0)), other);
        EXPECT_NE(others.name(element_id(along_x, row, col, 0)), other);
        EXPECT_NE(others.name(element_id(along_x, row + 1, col, 1)), other);
      }
}

// Roofs along x, along y and along both diagonals, through vertices with eight edges. All edges and vertices of each
// are one ridge; where the diagonals run across it there is none.
TEST(DiagonalsOfReference, ARidgeRunsThroughTheVerticesOnItsLine) {
  // Vertex (3, 4) at the origin has eight edges.
  const Diagonal diagonal = Diagonal::alternating_falling;
  const auto roof_along = [&](double x, double y) {
    return cut(around_origin([=](double px, double py) { return -0.4 * std::abs(x * py - y * px); }), diagonal);
  };
  const struct {
    Terrain terrain;
    int k, row, col;  // of its edges, and from one to the next
  } roofs[] = {{roof_along(1, 0), 0, 0, 1},
               {roof_along(0, 1), 1, 1, 0},
               {roof_along(1, 1), 2, 1, 1},
               {roof_along(1, -1), 2, 1, -1}};
  for (const auto& [t, k, row, col] : roofs) {
    const GroundFaces faces(t);
    const std::uint32_t name = faces.name(edge_id(t, 3, row == 1 && col == -1 ? 3 : 4, k));
    std::size_t count = 0;
    for (int step = -2; step < 2; ++step) {
      const auto i = static_cast<std::size_t>(3 + step * row), j = static_cast<std::size_t>(4 + step * col);
      EXPECT_EQ(faces.name(edge_id(t, i, col == -1 ? j - 1 : j, k)), name) << k << " " << col;
      EXPECT_EQ(faces.name(vertex_id(t, i, j)), name) << k << " " << col;
      ++count;
    }
    EXPECT_EQ(count, 4U);
    EXPECT_NE(faces.name(element_id(t, 0, 0, 0)), name);
    // Off the line all is in one of two faces.
    EXPECT_EQ(faces.name(element_id(t, 5, 4, 1)), faces.name(edge_id(t, 5, 4, 0)));
  }
  EXPECT_NE(GroundFaces(roofs[2].terrain).name(edge_id(roofs[2].terrain, 3, 4, 2)),
            GroundFaces(roofs[3].terrain).name(edge_id(roofs[3].terrain, 3, 3, 2)));
}

struct FirstHit {
  double distance = 1e300;
  std::uint32_t element = 0;
  double margin = 0.0;  // least part of a corner of the triangle at the hit
};
FirstHit first_triangle(const Terrain& t, dvec3 from, dvec3 way) {
  FirstHit best;
  for (std::size_t row = 0; row + 1 < t.rows; ++row)
    for (std::size_t col = 0; col + 1 < t.cols; ++col)
      for (int k = 0; k < 2; ++k) {
        const auto [a, b, c] = triangle_of(t, row, col, k);
        // from + s way = a + u (b - a) + v (c - a)
        const dvec3 solved = glm::inverse(glm::dmat3(b - a, c - a, -way)) * (from - a);
        const double least = std::min({solved.x, solved.y, 1.0 - solved.x - solved.y});
        if (least < 0.0 || solved.z < 0.0 || solved.z >= best.distance) continue;
        best = {solved.z, 2 * static_cast<std::uint32_t>(row * (t.cols - 1) + col) + static_cast<std::uint32_t>(k),
                least};
      }
  return best;
}

TEST(DiagonalsOfReference, RaysAndPointsFindTheNearestTriangle) {
  Settings settings;
  settings.device = "reference";
  Collider collider(settings);
  std::mt19937_64 random(10);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (const Diagonal diagonal : kDiagonals) {
    Scene scene;
    scene.terrains = {random_ground(diagonal, 11)};
    const Terrain& t = scene.terrains[0];
    collider.set_scene(scene);
    std::vector<double> from, ways;
    for (int k = 0; k < 500; ++k) {
      for (const double v : {3.5 * any(random), 2.5 * any(random), 0.9}) from.push_back(v);
      for (const double v : {any(random), any(random), -0.3}) ways.push_back(v);
    }
    const auto hits = collider.cast({}, {from, ways, {}, {}, {}}).hits;
    QueryPoints points;
    points.position = from;
    const auto nearest = collider.distance({}, points).nearest;
    std::size_t found = 0;
    for (std::size_t k = 0; k < hits.size(); ++k) {
      const dvec3 at(from[3 * k], from[3 * k + 1], from[3 * k + 2]);
      const FirstHit hit = first_triangle(t, at, glm::normalize(dvec3(ways[3 * k], ways[3 * k + 1], ways[3 * k + 2])));
      if (hit.distance < 1e300 && hit.margin > 1e-6) {
        EXPECT_NEAR(hits[k].distance, hit.distance, 1e-9);
        EXPECT_EQ(hits[k].element, hit.element);
        ++found;
      }
      double least = 1e300;
      for (std::size_t e = 0; e < 2 * (t.rows - 1) * (t.cols - 1); ++e) {
        const auto [a, b, c] = triangle_of(t, e / 2 / (t.cols - 1), e / 2 % (t.cols - 1), static_cast<int>(e % 2));
        const double d = glm::distance(at, reference::nearest_on_triangle(at, a, b, c));
        if (nearest[k].element == e) {
          EXPECT_NEAR(nearest[k].distance, d, 1e-9);
        }
        least = std::min(least, d);
      }
      EXPECT_NEAR(nearest[k].distance, least, 1e-9);
    }
    EXPECT_GT(found, 300U);
  }
}

// The ground of tiles is that of the whole grid, whichever tile is the first.
TEST(DiagonalsOfReference, TilesMakeOneChessboard) {
  for (const Diagonal diagonal : kDiagonals) {
    const Terrain whole = random_ground(diagonal, 12);
    const auto tile = [&](std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) {
      Terrain t = make_terrain(rows, cols, {-4.0 + static_cast<double>(col), -3.0 + static_cast<double>(row)},
                               {1.0, 1.0}, flat);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j)
          t.heights[i * cols + j] = whole.heights[(row + i) * whole.cols + col + j];
      t.diagonal = !alternates(diagonal)                ? diagonal
                   : rises_at(whole.diagonal, row, col) ? Diagonal::alternating_rising
                                                        : Diagonal::alternating_falling;
      return t;
    };
    for (const std::size_t col : {3U, 4U})
      for (const std::size_t row : {2U, 3U}) {
        const Terrain right = tile(row, col, 7 - row, 9 - col), left = tile(0, 0, 7, col + 1),
                      low = tile(0, col, row + 1, 9 - col);
        for (const std::vector<const Terrain*>& tiles :
             {std::vector{&right, &left, &low}, std::vector{&left, &low, &right}, std::vector{&low, &right, &left}}) {
          const Terrain joined = reference::ground_of_tiles(tiles);
          EXPECT_EQ(joined.diagonal, whole.diagonal);
          EXPECT_EQ(joined.heights, whole.heights);
          EXPECT_EQ(joined.origin, whole.origin);
        }
      }
  }
}

}  // namespace
}  // namespace oclide::test
