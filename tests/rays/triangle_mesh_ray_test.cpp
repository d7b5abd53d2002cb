// Rays at triangle meshes: sheets, solids, and what must not pass between triangles.
#include <cmath>

#include "rays/cast.hpp"
#include "support/mesh_shapes.hpp"

namespace oclide::test {
namespace {

class TriangleMeshRay : public RayTest {};
OCLIDE_ON_EACH_DEVICE(TriangleMeshRay);

TestScene scene_of(const Mesh& mesh, dvec3 position = dvec3(0.0), dquat orientation = kUpright) {
  TestScene scene;
  scene.scene.meshes = {mesh};
  scene.add({Shape::triangle_mesh, {}, position, orientation});
  return scene;
}

dvec3 vertex_of(const Mesh& mesh, std::size_t triangle, std::size_t corner) {
  const MeshPoint& p = mesh.vertices[mesh.triangles[triangle][corner]];
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

// Points on every edge, its ends among them.
std::vector<dvec3> points_on_edges(const Mesh& mesh, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<dvec3> points;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const dvec3 a = vertex_of(mesh, t, k), b = vertex_of(mesh, t, (k + 1) % 3);
      for (const double part : {0.0, 0.5, unit(random)}) points.push_back(a + part * (b - a));
    }
  return points;
}

TEST_P(TriangleMeshRay, ASheetIsHitFromEitherSide) {
  Mesh mesh = flat_sheet(4, 1.0);
  for (std::uint8_t t = 0; t < 32; ++t) mesh.material.push_back(static_cast<std::uint8_t>(100 + t));
  const TestScene scene = scene_of(mesh, {10.0, 20.0, 30.0});
  // In the middle of each triangle.
  RayList rays;
  for (std::size_t t = 0; t < 32; ++t)
    for (const double side : {1.0, -1.0}) {
      const dvec3 middle = (vertex_of(mesh, t, 0) + vertex_of(mesh, t, 1) + vertex_of(mesh, t, 2)) / 3.0;
      rays.add(dvec3(10.0, 20.0, 30.0) + middle + dvec3(0.0, 0.0, 7.0 * side), {0.0, 0.0, -side});
    }
  const std::vector<Hit> hits = cast(scene, rays);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_TRUE(is_hit(hits[i], 0, 7.0, {0.0, 0.0, i % 2 == 0 ? 1.0 : -1.0}));
    EXPECT_EQ(hits[i].element, i / 2);
    EXPECT_EQ(hits[i].material, 100 + i / 2);
  }
  // It has no inside: one that begins just behind it goes on.
  EXPECT_TRUE(is_miss(cast(scene, {12.1, 22.2, 29.9}, {0, 0, -1})));
  EXPECT_TRUE(is_hit(cast(scene, {12.1, 22.2, 29.9}, {0, 0, 1}), 0, 0.1, {0, 0, -1}));
  EXPECT_TRUE(is_miss(cast(scene, {12.1, 22.2, 29.9}, {0, 0, 1}, 0.0995)));
  EXPECT_TRUE(is_miss(cast(scene, {9.99, 22.2, 31.0}, {0, 0, -1})));
}

TEST_P(TriangleMeshRay, ASolidBoxIsHitAsTheBoxIs) {
  std::mt19937_64 random(4);
  const dvec3 half(1.5, 1.0, 0.5), place(3000.25, -200.5, 10.0);
  const dquat q = random_orientation(random);
  const TestScene solid = scene_of(box_mesh({half.x, half.y, half.z}, 3), place, q), shape({box(half, place, q)});
  RayList rays;
  std::uniform_real_distribution<double> within(-1.2, 1.2);
  for (int k = 0; k < 400; ++k) {
    const dvec3 aim = place + q * (half * dvec3(within(random), within(random), within(random)));
    rays.add(k % 4 == 0 ? aim : place + (1.0 + k) * random_way(random), random_way(random));
    if (k % 4 != 0) {
      const dvec3 way = aim - rays.origin_of(rays.count() - 1);
      for (int a = 0; a < 3; ++a) rays.direction[rays.direction.size() - 3 + static_cast<std::size_t>(a)] = way[a];
    }
  }
  const std::vector<Hit> of_mesh = cast(solid, rays), of_box = cast(shape, rays);
  int hits = 0, inside = 0;
  for (std::size_t i = 0; i < of_mesh.size(); ++i) {
    // A silhouette may be either way.
    if (of_mesh[i].body != of_box[i].body) {
      EXPECT_EQ(GetParam(), "opencl");
      continue;
    }
    if (of_box[i].body == kNothing) continue;
    ++hits;
    const bool begins_inside = of_box[i].distance == 0.0;
    inside += begins_inside ? 1 : 0;
    EXPECT_NEAR(of_mesh[i].distance, of_box[i].distance, tolerance(3e3).of(of_box[i].distance) * 10.0);
    EXPECT_EQ(of_mesh[i].element == kNone, begins_inside) << text(of_mesh[i]);
    if (GetParam() == "reference") {
      EXPECT_LE(glm::distance(normal_of(of_mesh[i]), normal_of(of_box[i])), 1e-6);
    }
  }
  EXPECT_GT(hits, 100);
  EXPECT_GT(inside, 20);
}

TEST_P(TriangleMeshRay, OnTheSurfaceOfASolidIsInIt) {
  const TestScene scene = scene_of(box_mesh({1.0, 1.0, 1.0}, 2), {4.0, 8.0, -2.0});
  for (const dvec3 p :
       {dvec3(0.25, 0.125, 1.0), dvec3(0.25, 0.125, -1.0), dvec3(1.0, 0.25, 0.125), dvec3(-1.0, 0.25, 0.125)})
    for (const dvec3 way : {dvec3(0, 0, 1), dvec3(0, 0, -1), dvec3(1, 0, 0), dvec3(-1, 0, 0)}) {
      // Along a face it may be passed.
      if (std::abs(p.z) == 1.0 ? way.z == 0.0 : way.x == 0.0) continue;
      EXPECT_TRUE(is_hit(cast(scene, dvec3(4.0, 8.0, -2.0) + p, way), 0, 0.0, -way)) << p.x << p.y << p.z;
    }
}

// Two balls in one solid, one in the other with its fronts in: a shell. Its hollow is not solid.
TEST_P(TriangleMeshRay, AHollowIsNotInTheSolid) {
  Mesh shell = ball_mesh(2.0, 6);
  const Mesh hollow = ball_mesh(1.0, 6);
  const auto first = static_cast<std::uint32_t>(shell.vertices.size());
  shell.vertices.insert(shell.vertices.end(), hollow.vertices.begin(), hollow.vertices.end());
  for (const auto& t : hollow.triangles) shell.triangles.push_back({first + t[0], first + t[2], first + t[1]});
  const dvec3 c(50.0, 60.0, 70.0);
  const TestScene scene = scene_of(shell, c);
  std::mt19937_64 random(5);
  RayList rays;
  for (int k = 0; k < 100; ++k) {
    const dvec3 way = random_way(random);
    rays.add(c, way);
    rays.add(c + 1.5 * way, random_way(random));
    rays.add(c + 5.0 * way, -way);
  }
  const std::vector<Hit> hits = cast(scene, rays);
  for (std::size_t i = 0; i < hits.size(); i += 3) {
    EXPECT_TRUE(hits[i].body == 0 && hits[i].distance > 0.93 && hits[i].distance < 1.0001) << text(hits[i]);
    EXPECT_LT(glm::dot(normal_of(hits[i]), rays.way_of(i)), -0.9);
    EXPECT_TRUE(is_hit(hits[i + 1], 0, 0.0, -rays.way_of(i + 1)));
    EXPECT_EQ(hits[i + 1].element, kNone);
    EXPECT_TRUE(hits[i + 2].distance > 2.9999 && hits[i + 2].distance < 3.14) << text(hits[i + 2]);
  }
}

// From within a closed sheet at every vertex and edge: nothing gets out. Turned and far out, so that no number is
// exact.
TEST_P(TriangleMeshRay, NoRayPassesBetweenTriangles) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> within(-0.3, 0.3);
  for (const double scale : {0.05, 1.0, 50.0})
    for (const dvec3 place : {dvec3(0.0), dvec3(9000.1, -4000.7, 300.3)})
      for (const bool solid : {false, true}) {
        Mesh mesh = ball_mesh(scale, 7);
        mesh.solid = solid;
        const dquat q = scale == 1.0 && place == dvec3(0.0) ? kUpright : random_orientation(random);
        RayList rays;
        std::vector<dvec3> aims;
        for (const dvec3 p : points_on_edges(mesh, random)) {
          const dvec3 inside = q * (scale * dvec3(within(random), within(random), within(random))) + place;
          const dvec3 aim = q * p + place, outside = place + 3.0 * (aim - place);
          if (!solid) rays.add(inside, aim - inside), aims.push_back(aim);
          rays.add(outside, inside - outside), aims.push_back(outside + (inside - outside) * 0.0);
          rays.add(outside, aim - outside), aims.push_back(aim);
        }
        const std::vector<Hit> hits = cast(scene_of(mesh, place, q), rays);
        for (std::size_t i = 0; i < hits.size(); ++i) {
          ASSERT_EQ(hits[i].body, 0U) << scale << " " << place.x << " ray " << i;
          const double to_aim = glm::distance(rays.origin_of(i), aims[i]);
          if (to_aim > 0.0) {
            EXPECT_NEAR(hits[i].distance, to_aim, tolerance(1e4).of(to_aim) * 3.0) << scale << " " << i;
          }
        }
      }
}

// Down onto a rough sheet, at its vertices, along its lines and diagonals.
TEST_P(TriangleMeshRay, NoRayFallsThroughASheet) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> height(-0.5, 0.5);
  Mesh mesh = flat_sheet(12, 0.5);
  for (MeshPoint& p : mesh.vertices) p[2] = height(random);
  RayList rays;
  std::vector<dvec3> aims;
  for (const dvec3 p : points_on_edges(mesh, random)) {
    if (p.x < 0.01 || p.y < 0.01 || p.x > 5.99 || p.y > 5.99) continue;
    rays.add(p + dvec3(0.0, 0.0, 4.0), {0.0, 0.0, -1.0}), aims.push_back(p);
    rays.add(p - dvec3(0.0, 0.0, 4.0), {0.0, 0.0, 1.0}), aims.push_back(p);
    // Steeper than any triangle.
    const dvec3 aslant = dvec3(0.4 * height(random), 0.4 * height(random), 1.0);
    rays.add(p + 900.0 * aslant, -aslant), aims.push_back(p);
  }
  const std::vector<Hit> hits = cast(scene_of(mesh), rays);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    ASSERT_EQ(hits[i].body, 0U) << i;
    const double to_aim = glm::distance(rays.origin_of(i), aims[i]);
    EXPECT_LE(hits[i].distance, to_aim + tolerance(1e3).of(to_aim) * 20.0) << i;
    if (i % 3 != 2) {
      EXPECT_NEAR(hits[i].distance, to_aim, tolerance(1e3).of(to_aim));
    }
  }
}

// Triangles of a kilometre and of a millimetre in one mesh; a ray along one of them meets it or not.
TEST_P(TriangleMeshRay, TrianglesOfAllSizesAreHit) {
  Mesh mesh;
  mesh.vertices = {{-500, -500, 0}, {500, -500, 0}, {0, 500, 0}, {0, 0, 1}, {0.001, 0, 1}, {0, 0.001, 1}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  const TestScene scene = scene_of(mesh);
  EXPECT_TRUE(is_hit(cast(scene, {0.0003, 0.0003, 5.0}, {0, 0, -1}), 0, 4.0, {0, 0, 1}));
  EXPECT_TRUE(is_hit(cast(scene, {0.002, 0.002, 5.0}, {0, 0, -1}), 0, 5.0, {0, 0, 1}));
  EXPECT_TRUE(is_hit(cast(scene, {-400.0, -400.0, 1.0}, {1, 1, -0.01}), 0, std::sqrt(20001.0), {0, 0, 1}));
  EXPECT_TRUE(is_miss(cast(scene, {-900.0, -400.0, 0.001}, {1, 0, 0})));
}

}  // namespace
}  // namespace oclide::test
