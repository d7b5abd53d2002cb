// Bodies on a mesh floor at the riser of a step, from a hair before it to some way in. They are pushed off the riser
// alone, however high the step is: docs/mesh_contacts.md, "Which of them stay".
#include <algorithm>
#include <random>

#include "narrow_phase/pair_geometry.hpp"
#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"

namespace oclide::test {
namespace {

class MeshSteps : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(MeshSteps);

// A rectangle from a corner, of cells x cells squares with their own vertices, its front along u x w.
void add_rectangle(Mesh& mesh, dvec3 corner, dvec3 u, dvec3 w, std::uint32_t cells = 1) {
  for (std::uint32_t i = 0; i < cells; ++i)
    for (std::uint32_t j = 0; j < cells; ++j) {
      std::array<std::uint32_t, 4> v{};
      for (std::uint32_t k = 0; k < 4; ++k) {
        const dvec3 p = corner + (u * double(i + (k & 1U)) + w * double(j + (k >> 1U))) / double(cells);
        v[k] = add_vertex(mesh, {p.x, p.y, p.z});
      }
      mesh.triangles.push_back({v[0], v[1], v[3]});
      mesh.triangles.push_back({v[0], v[3], v[2]});
    }
}

// Floor to x = 0, a riser there, and a tread: a sheet, its fronts to -x and up.
Mesh sheet_step(double height, std::uint32_t cells) {
  Mesh mesh;
  add_rectangle(mesh, {-4, -3, 0}, {4, 0, 0}, {0, 6, 0}, cells);
  add_rectangle(mesh, {0, -3, 0}, {0, 0, height}, {0, 6, 0}, cells);
  add_rectangle(mesh, {0, -3, height}, {4, 0, 0}, {0, 6, 0}, cells);
  return mesh;
}

// The same as the surface of a solid that is 1 m thick below the floor.
Mesh solid_step(double height, std::uint32_t cells) {
  Mesh mesh = sheet_step(height, cells);
  mesh.solid = true;
  const auto face = [&](const std::vector<dvec3>& loop) {
    std::vector<std::uint32_t> v;
    for (const dvec3& p : loop) v.push_back(add_vertex(mesh, {p.x, p.y, p.z}));
    for (std::size_t k = 2; k < v.size(); ++k) mesh.triangles.push_back({v[0], v[k - 1], v[k]});
  };
  for (const double y : {-3.0, 3.0}) {
    std::vector<dvec3> profile{{0, y, 0}, {-4, y, 0}, {-4, y, -1}, {4, y, -1}, {4, y, height}, {0, y, height}};
    if (y > 0.0) std::reverse(profile.begin() + 1, profile.end());
    face(profile);
  }
  face({{-4, -3, -1}, {-4, 3, -1}, {4, 3, -1}, {4, -3, -1}});
  face({{-4, -3, -1}, {-4, -3, 0}, {-4, 3, 0}, {-4, 3, -1}});
  face({{4, -3, -1}, {4, 3, -1}, {4, 3, height}, {4, -3, height}});
  return mesh;
}

// What a body does: how far it is below the floor, and how far in the riser [m].
struct Way {
  double down, in;
};

// Bodies on the floor, their foremost points on the riser; the boxes have corners, sides and edges there.
std::vector<BodySpec> bodies_at_riser(const Way& way, double aside, dvec3 half) {
  const dvec3 at(way.in, aside, -way.down);
  const double corner = half.x * std::cos(0.3) + half.y * std::sin(0.3);
  const dquat along_y = turn({1, 0, 0}, kQuarter), along_x = turn({0, 1, 0}, kQuarter);
  return {box(half, at + dvec3(-half.x, 0, half.z)),
          box(half, at + dvec3(-corner, 0, half.z), turn({0, 0, 1}, 0.3)),
          {Shape::convex_hull, {0.0, 0.0, 0.0}, at + dvec3(-half.x, 0, half.z)},
          cylinder(0.3, 0.25, at + dvec3(-0.3, 0, 0.25)),
          cylinder(0.2, 0.25, at + dvec3(-0.2, 0, 0.2), along_y),
          cylinder(0.2, 0.25, at + dvec3(-0.25, 0, 0.2), along_x),
          capsule(0.2, 0.25, at + dvec3(-0.2, 0, 0.2), along_y),
          capsule(0.2, 0.25, at + dvec3(-0.45, 0, 0.2), along_x),
          sphere(0.2, at + dvec3(-0.2, 0, 0.2))};
}

TEST_P(MeshSteps, PushABodyOffTheRiserAlone) {
  const dvec3 half(0.4, 0.3, 0.25);
  for (const bool solid : {false, true})
    for (const double height : {0.003, 0.01, 0.05, 0.2, 0.3})
      for (const dquat& world : {kUpright, turn({0, 0, 1}, 0.5), turn({1, 2, 3}, 0.7)}) {
        TestScene scene;
        scene.scene.meshes.push_back(solid ? solid_step(height, 1) : sheet_step(height, 3));
        scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, dvec3(0.0), world});
        scene.scene.hulls.emplace_back();
        for (int k = 0; k < 8; ++k)
          scene.scene.hulls[0].push_back(
              {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
        std::vector<Way> ways{{}};
        for (const double down : {-0.001, 0.0, 0.002, 0.004})
          for (const double in : {-1e-4, -1e-6, 0.0, 1e-7, 1e-6, 5e-6, 2e-5, 1e-4, 3e-4, 1e-3, 5e-3})
            for (const double aside : {0.0, 0.123})
              for (BodySpec b : bodies_at_riser({down, in}, aside, half)) {
                b.position = world * b.position;
                b.orientation = world * b.orientation;
                scene.add(b);
                ways.push_back({down, in});
              }
        // They meet the mesh alone.
        scene.bodies_meet = true;
        scene.scene.bodies.group.assign(ways.size(), 1);
        scene.scene.bodies.group[0] = 0;
        std::vector<double> deepest(ways.size(), -1.0), up(ways.size(), -1.0), back(ways.size(), -1.0);
        for (const Contact& c : contacts(scene)) {
          const double depth = c.depth;
          const dvec3 n = glm::conjugate(world) * -dvec3(c.normal[0], c.normal[1], c.normal[2]);
          deepest[c.body_b] = std::max(deepest[c.body_b], depth);
          if (n.z > 0.999) up[c.body_b] = std::max(up[c.body_b], depth);
          if (n.x < -0.999) back[c.body_b] = std::max(back[c.body_b], depth);
        }
        for (std::size_t b = 1; b < ways.size(); ++b) {
          const auto [down, in] = ways[b];
          SCOPED_TRACE(std::string(solid ? "solid" : "sheet") + ", height " + std::to_string(height) + ", world " +
                       std::to_string(world.w) + ", " + std::string(to_string(scene.scene.bodies.shape[b])) + " " +
                       std::to_string((b - 1) % 9) + ", down " + std::to_string(down) + ", in " +
                       std::to_string(1e6 * in) + " um");
          const double most = std::max({down, in, 0.0});
          EXPECT_LE(deepest[b], std::min(most, std::max(down, 0.0) + height) + 1e-4 + 0.01 * most);
          // And none is missing.
          if (down > 0.0 && in < height) EXPECT_NEAR(up[b], down, 1e-4);
          if (in > 2e-5 && height >= 0.2) EXPECT_NEAR(back[b], in, 1e-5);
        }
      }
}

// Of each body but the mesh, body 0, the depth of its deepest contact.
std::vector<double> deepest_of(const std::vector<Contact>& contacts, std::size_t bodies) {
  std::vector<double> deepest(bodies, 0.0);
  for (const Contact& c : contacts) deepest[c.body_b] = std::max<double>(deepest[c.body_b], c.depth);
  return deepest;
}

// Boxes and upright cylinders on stairs that go up and down, near their risers: no contact is deeper than the shortest
// way that frees the body, to the side over some steps and up onto the highest that is left.
TEST_P(MeshSteps, OfStairsNoContactIsDeeperThanTheShortestWayOut) {
  std::mt19937_64 random(3);
  const auto between = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
  const auto one_of = [&](std::initializer_list<double> some) { return *(some.begin() + random() % some.size()); };
  for (int stairs = 0; stairs < 12; ++stairs) {
    std::vector<double> edges{-5.0, 0.0}, heights{0.0};
    for (int k = 0; k < 8; ++k) {
      edges.push_back(edges.back() + between(0.1, 0.8));
      heights.push_back(heights.back() + one_of({-0.15, 0.01, 0.05, 0.15, 0.3}));
    }
    edges.back() += 5.0;
    TestScene scene;
    scene.scene.meshes.emplace_back();
    for (std::size_t k = 0; k < heights.size(); ++k) {
      Mesh& mesh = scene.scene.meshes[0];
      add_rectangle(mesh, {edges[k], -3, heights[k]}, {edges[k + 1] - edges[k], 0, 0}, {0, 6, 0});
      if (k > 0) add_rectangle(mesh, {edges[k], -3, heights[k - 1]}, {0, 0, heights[k] - heights[k - 1]}, {0, 6, 0});
    }
    // The highest tread below what reaches from x0 to x1.
    const auto highest = [&](double x0, double x1) {
      double z = -1e9;
      for (std::size_t k = 0; k < heights.size(); ++k)
        if (edges[k] < x1 - 1e-12 && edges[k + 1] > x0 + 1e-12) z = std::max(z, heights[k]);
      return z;
    };
    scene.add({Shape::triangle_mesh});
    std::vector<double> ways{0.0};
    for (int b = 0; b < 150; ++b) {
      const dvec3 half(between(0.05, 0.6), between(0.05, 0.4), between(0.05, 0.5));
      const double riser = edges[1 + random() % 8], in = one_of({0.0, 1e-6, 1e-4, 1e-3, 5e-3});
      const double side = one_of({-1.0, 1.0}), x = riser - side * (half.x - in);
      const double x0 = x - half.x, x1 = x + half.x, beside = in + 1e-9;
      const double stands = side > 0.0 ? highest(x0, x1 - beside) : highest(x0 + beside, x1);
      const double bottom = stands - one_of({-0.001, 0.0, 0.001, 0.004});
      const dvec3 at(x, between(-1.0, 1.0), bottom + half.z);
      scene.add(b % 2 == 0 ? box(half, at) : cylinder(half.x, half.z, at));
      double way = std::max(highest(x0, x1) - bottom, 0.0);
      for (const double edge : edges)
        for (const double aside : {edge - x0, edge - x1})
          if (x0 + aside > edges.front() && x1 + aside < edges.back())
            way = std::min(way, std::hypot(aside, std::max(highest(x0 + aside, x1 + aside) - bottom, 0.0)));
      ways.push_back(way);
    }
    scene.bodies_meet = true;
    scene.scene.bodies.group.assign(ways.size(), 1);
    scene.scene.bodies.group[0] = 0;
    const std::vector<double> deepest = deepest_of(contacts(scene), ways.size());
    for (std::size_t b = 1; b < ways.size(); ++b)
      EXPECT_LE(deepest[b], 1.01 * ways[b] + 1e-4) << "stairs " << stairs << ", body " << b;
  }
}

// Blocks of these heights, square ones, rows along x: a sheet of their tops and of the risers between.
Mesh blocks(double side, const std::vector<std::vector<double>>& heights, std::uint32_t cells = 1) {
  Mesh mesh;
  for (std::size_t i = 0; i < heights.size(); ++i)
    for (std::size_t j = 0; j < heights[i].size(); ++j) {
      const double x = side * double(i), y = side * double(j), z = heights[i][j];
      add_rectangle(mesh, {x, y, z}, {side, 0, 0}, {0, side, 0}, cells);
      const auto riser = [&](dvec3 corner, dvec3 along, double next) {
        if (next < z) corner.z = next;
        if (next != z)
          add_rectangle(mesh, corner, next > z ? dvec3(0, 0, next - z) : along,
                        next > z ? along : dvec3(0, 0, z - next), cells);
      };
      if (i + 1 < heights.size()) riser({x + side, y, z}, {0, side, 0}, heights[i + 1][j]);
      if (j + 1 < heights[i].size()) riser({x, y + side, z}, {side, 0, 0}, heights[i][j + 1]);
    }
  return mesh;
}

// The mesh as body 0, at a place.
TestScene on_mesh(const Mesh& mesh, dvec3 at = dvec3(0.0), const dquat& world = kUpright) {
  TestScene scene{std::vector<BodySpec>{}};
  scene.scene.meshes.push_back(mesh);
  scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, at, world});
  return scene;
}

// Two risers of blocks in line, one beside a box that is 5 mm in it, one below that is as high as the box stands: the
// way off the one and the way up from the other are two, and both are short.
TEST_P(MeshSteps, OfRisersInLineEachIsClearedByItsOwnWay) {
  const double side = 0.45;
  TestScene scene = on_mesh(blocks(side, {{0.2, 0.0, 0.0}, {0.1, 0.1, 0.0}, {0.3, 0.0, 0.1}}));
  const dvec3 half(0.25, 0.3, 0.15);
  scene.add(box(half, {2.0 * side - half.x + 0.1, side + half.y - 0.005, 0.1 - 6e-5 + half.z}));
  const std::vector<double> deepest = deepest_of(contacts(scene), 2);
  EXPECT_NEAR(deepest[1], 0.005, 1e-5);
}

// A box overlaps one face of two risers in the form of an L: an arm along its lower side, where it is 0.06 mm below the
// lower riser's top, and one along its side, where it is 1 mm behind the edge of the higher one. The ways off the two
// arms clear it together.
TEST_P(MeshSteps, AnOverlapInTheFormOfAnLIsClearedByTheWaysOffItsArms) {
  const double side = 0.4;
  const dvec3 half(0.23, 0.25, 0.3);
  for (const std::uint32_t cells : {1U, 5U, 16U})
    for (const double in : {0.001, 0.0003}) {
      TestScene scene = on_mesh(blocks(side, {{0.6, 0.6, 0.6}, {0.2, 0.2, 0.0}, {0.4, 0.4, 0.6}}, cells));
      scene.add(box(half, {2.0 * side - half.x + 0.195, 2.0 * side - half.y + in, 0.4 - 6e-5 + half.z}));
      const std::vector<double> deepest = deepest_of(contacts(scene), 2);
      EXPECT_NEAR(deepest[1], in, 1e-5) << cells << " cells";
      // Deep in both it is not.
      scene.position[5] -= 0.01;
      scene.position[4] += 0.01;
      EXPECT_GT(deepest_of(contacts(scene), 2)[1], 0.009) << cells << " cells";
    }
}

// A box lies flush below a floor from which a riser goes up, and another one flush against the end of a bar, which is
// thinner: rounding puts edges of the mesh into their sides, or not. They touch, and are not to be pushed along them.
TEST_P(MeshSteps, WhatAnEdgeOnlyTouchesIsNotPushedAside) {
  const dvec3 half(0.4, 0.3, 0.25);
  for (const dquat& world : {kUpright, turn({0, 0, 1}, 0.5), turn({1, 2, 3}, 0.7)})
    for (const dvec3 at : {dvec3(0.0), dvec3(3456.7, -9876.5, 12.3)}) {
      TestScene below = on_mesh(sheet_step(0.2, 3), at, world), beside = on_mesh(box_mesh({0.1, 1.0, 0.1}), at, world);
      for (const double gap : {-1e-6, -2e-7, 0.0, 2e-7, 1e-6, 3e-5}) {
        const dvec3 under = at + world * dvec3(0.1, 0.2, -half.z - gap);
        below.add(box(half, under, world));
        below.add(cylinder(half.x, half.z, under, world));
        beside.add(box(half, at + world * dvec3(0.25, 1.0 + half.y + gap, 0.05), world));
        beside.add(cylinder(half.x, half.y, at + world * dvec3(0.2, 1.0 + half.y + gap, 0.05), world * kAlongY));
      }
      for (TestScene* scene : {&below, &beside}) {
        scene->scene.bodies.group.assign(scene->scene.bodies.count(), 1);
        scene->scene.bodies.group[0] = 0;
        for (const double depth : deepest_of(contacts(*scene), scene->scene.bodies.count())) EXPECT_LE(depth, 1e-4);
      }
    }
}

// Edges of blocks run in sides of bodies that stand all but along them: a line along a side leaves the body anywhere,
// by rounding. The depth of each contact is that of the reference (contacts() validates).
TEST_P(MeshSteps, OfBodiesAllButInLineWithEdgesDepthsAreThoseOfTheReference) {
  std::mt19937_64 random(5);
  const auto between = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
  const auto one_of = [&](std::initializer_list<double> some) { return *(some.begin() + random() % some.size()); };
  for (int city = 0; city < 12; ++city) {
    const double side = one_of({0.3, 1.0, 4.0, 9.0});
    std::vector<std::vector<double>> heights(7, std::vector<double>(7));
    for (auto& row : heights)
      for (double& z : row) z = side * one_of({0.0, 0.05, 0.3, 1.0});
    TestScene scene = on_mesh(blocks(side, heights), {one_of({0.0, 8000.0}), 0.0, 0.0});
    for (int b = 0; b < 200; ++b) {
      const dvec3 half(side * between(0.1, 2.0), side * between(0.1, 2.0), side * between(0.1, 2.0));
      const dvec3 at = dvec3(between(1.0, 6.0), between(1.0, 6.0), between(-0.2, 1.2)) * side;
      const dvec3 axis(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0));
      const dquat quarter = turn({1, 0, 0}, one_of({0.0, kQuarter})) * turn({0, 1, 0}, one_of({0.0, kQuarter}));
      const dquat tilted = turn(axis, one_of({0.0, 1e-7, 1e-6, 1e-5, 1e-4})) * quarter;
      const dvec3 mesh(scene.position[0], 0.0, 0.0);
      scene.add(b % 2 == 0 ? box(half, mesh + at, tilted) : cylinder(half.x, half.z, mesh + at, tilted));
    }
    scene.scene.bodies.group.assign(scene.scene.bodies.count(), 1);
    scene.scene.bodies.group[0] = 0;
    EXPECT_FALSE(contacts(scene).empty());
  }
}

}  // namespace
}  // namespace oclide::test
