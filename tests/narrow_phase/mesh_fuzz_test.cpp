// Every contact of bodies at random places on a mesh lies on both, and no overlap, nor gap within the margin, goes
// without one: before reduction. Behind it device and reference find the same.
#include "narrow_phase/mesh_bodies.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

class MeshFuzz : public OnOpenCl {};

Points hull_points() {
  return in_ball(20, 5);
}

std::array<dvec3, 3> corners(const TriangleMesh& mesh, const MeshTriangle& triangle) {
  return {dvec3(mesh.vertices[triangle.vertices[0]]), dvec3(mesh.vertices[triangle.vertices[1]]),
          dvec3(mesh.vertices[triangle.vertices[2]])};
}

double distance_to_triangle(const std::array<dvec3, 3>& v, dvec3 p) {
  const dvec3 n = glm::normalize(glm::cross(v[1] - v[0], v[2] - v[0]));
  bool inside = true;
  double least = 1e30;
  for (std::size_t k = 0; k < 3; ++k) {
    const dvec3 a = v[k], b = v[(k + 1) % 3];
    const double t = glm::clamp(glm::dot(p - a, b - a) / glm::dot(b - a, b - a), 0.0, 1.0);
    least = std::min(least, glm::distance(p, a + t * (b - a)));
    inside = inside && glm::dot(glm::cross(b - a, p - a), n) >= 0.0;
  }
  return inside ? std::abs(glm::dot(p - v[0], n)) : least;
}

// The least distance of places of the mesh from the body, negative inside.
double least_distance(const TriangleMesh& mesh, const BodySpec& body) {
  const double size = std::max({reach(body, {1, 0, 0}), reach(body, {0, 1, 0}), reach(body, {0, 0, 1})}) * 1.8;
  double least = 1e30;
  for (const MeshTriangle& triangle : mesh.triangles) {
    const auto v = corners(mesh, triangle);
    if (distance_to_triangle(v, body.position) > size) continue;
    constexpr int kSteps = 8;
    for (int i = 0; i <= kSteps; ++i)
      for (int j = 0; i + j <= kSteps; ++j)
        least = std::min(least, distance_to(body, v[0] + (v[1] - v[0]) * (double(i) / kSteps) +
                                                      (v[2] - v[0]) * (double(j) / kSteps)));
  }
  return least;
}

void expect_sound(const TriangleMesh& mesh, const std::vector<BodySpec>& bodies, double margin) {
  const auto found = run_mesh(0, mesh, bodies, margin);
  std::map<std::uint32_t, std::vector<std::array<dvec3, 3>>> of_element;
  for (const MeshTriangle& triangle : mesh.triangles) of_element[triangle.element].push_back(corners(mesh, triangle));
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BodySpec& body = bodies[k];
    for (const MeshContactFound& c : found[k]) {
      const double tolerance = kContract + 0.01 * std::abs(c.depth);
      EXPECT_NEAR(glm::length(normal_of(c)), 1.0, 1e-5);
      EXPECT_GT(c.depth, -margin);
      EXPECT_NEAR(distance_to(body, point_of(c)), 0.0, tolerance) << to_string(body.shape) << k << text(c) << c.is_rest;
      double off = 1e30;
      for (const auto& triangle : of_element.at(c.element))
        off = std::min(off, distance_to_triangle(triangle, point_of(c) + normal_of(c) * static_cast<double>(c.depth)));
      EXPECT_LE(off, tolerance) << to_string(body.shape) << k << text(c) << c.is_rest;
    }
    const double least = least_distance(mesh, body);
    // The rest of what has its middle in a solid is that of its eye, and none of a triangle's.
    if (is_in_solid(mesh, body)) continue;
    if (least < margin - 1e-4) {
      EXPECT_FALSE(found[k].empty()) << to_string(body.shape) << k << " " << least;
    }
    if (least < -1e-4) {
      EXPECT_TRUE(std::any_of(found[k].begin(), found[k].end(), [](const Contact& c) { return c.depth > 0.0F; }))
          << to_string(body.shape) << k << " " << least;
    }
  }
}

// A whole frame holds against the reference, and each body that overlaps, or has its middle in a solid, has a contact
// that is deeper than 0.
void expect_whole_frame(const Mesh& given, const TriangleMesh& mesh, const std::vector<BodySpec>& bodies,
                        double margin) {
  TestScene scene;
  scene.scene.meshes = {given};
  scene.scene.hulls = {hull_points()};
  scene.bodies_meet = true;
  scene.add({Shape::triangle_mesh});
  scene.bodies_meet = false;
  for (const BodySpec& body : bodies) scene.add(body);
  Collider& collider = collider_on("opencl", margin);
  collider.set_scene(scene.scene);
  const std::vector<Contact> found = collider.collide(scene.poses()).contacts;
  EXPECT_TRUE(validates(scene, found, margin)) << margin;
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (is_in_solid(mesh, bodies[k]) || least_distance(mesh, bodies[k]) < -1e-4) {
      EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                              [&](const Contact& c) { return c.body_b == k + 1 && c.depth > 0.0F; }))
          << to_string(bodies[k].shape) << k;
    }
}

void fuzz_on(const Mesh& given, const TriangleMesh& mesh, double scale, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const ConvexHull& hull = lasting_hull(hull_points());
  for (int shape = 0; shape < 5; ++shape) {
    std::vector<BodySpec> bodies;
    for (int k = 0; k < 40; ++k) {
      const auto v = corners(mesh, mesh.triangles[random() % mesh.triangles.size()]);
      const double s = unit(random), t = unit(random) * (1.0 - s), size = scale * (0.05 + unit(random));
      const dvec3 aside = dvec3(unit(random), unit(random), unit(random)) * 2.0 - 1.0;
      const dvec3 at = v[0] + (v[1] - v[0]) * s + (v[2] - v[0]) * t + aside * size;
      const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
      const double thin = 0.05 + 0.95 * unit(random);
      bodies.push_back(shape == 0   ? sphere(size, at)
                       : shape == 1 ? box({size, size * thin, 0.5 * size}, at, q)
                       : shape == 2 ? cylinder(size * thin, size, at, q)
                       : shape == 3 ? capsule(size * thin, size, at, q)
                                    : convex_hull(hull, at, q));
    }
    for (const double margin : {0.0, 0.1 * scale}) {
      expect_sound(mesh, bodies, margin);
      expect_whole_frame(given, mesh, bodies, margin);
    }
  }
}

void fuzz_on(const Mesh& given, double scale, std::uint64_t seed) {
  const TriangleMesh mesh = built(given);
  for (int k = 0; k < fuzz_seeds(); ++k) fuzz_on(given, mesh, scale, seed + 100 * static_cast<std::uint64_t>(k));
}

TEST_F(MeshFuzz, DeviceAndReferenceAgreeOnABall) {
  fuzz_on(ball_mesh(2.0, 2), 1.0, 1);
}
TEST_F(MeshFuzz, DeviceAndReferenceAgreeOnAThinPlate) {
  fuzz_on(box_mesh({2.0, 1.0, 0.01}), 0.5, 2);
}
TEST_F(MeshFuzz, DeviceAndReferenceAgreeOnARoughSheet) {
  Mesh sheet = flat_sheet(4, 1.0);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> height(-0.8, 0.8);
  for (MeshPoint& p : sheet.vertices) p[2] = height(random);
  fuzz_on(sheet, 0.7, 3);
}
// Bodies of up to 30 m on triangles of a centimetre, and of half a metre on triangles of hundreds, far out.
TEST_F(MeshFuzz, DeviceAndReferenceAgreeOnSmallTriangles) {
  fuzz_on(placed(ball_mesh(0.02, 1), {3000, -2000, 50}), 30.0, 5);
}
TEST_F(MeshFuzz, DeviceAndReferenceAgreeOnLargeTriangles) {
  fuzz_on(placed(ball_mesh(1.0, 1), {-6000, 5000, 100}, 700.0), 0.5, 6);
}
// Three fins at one edge, and a triangle that has but a vertex with them.
TEST_F(MeshFuzz, DeviceAndReferenceAgreeOnFins) {
  const dvec3 a(0, 0, -1), b(0, 0, 1);
  fuzz_on(
      mesh_of({{a, b, {1, 0, 0}}, {a, b, {-0.5, 0.9, 0.2}}, {a, b, {-0.5, -0.9, 0}}, {a, {0.3, 0, -2}, {0, 0.4, -2}}}),
      0.5, 4);
}

// A box and the hull of its corners beside an edge that is in line with theirs, within the margin: the way between both
// lines is that of the edge, whose image is along a side of a face.
TEST_F(MeshFuzz, DeviceAndReferenceAgreeInLineWithAnEdgeWithinTheMargin) {
  const Mesh plate = box_mesh({2.0, 1.0, 0.01});
  const dvec3 half(0.07, 0.03, 0.04);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> along(-1.5, 1.5), apart(0.002, 0.03);
  TestScene scene;
  scene.scene.meshes = {plate};
  scene.scene.hulls = {grid_on_box(half, 2)};
  scene.bodies_meet = true;
  scene.add({Shape::triangle_mesh});
  scene.bodies_meet = false;
  constexpr std::uint32_t kBodies = 200;
  for (std::uint32_t k = 0; k < kBodies; ++k) {
    BodySpec body = box(half, {along(random), 1.0 + half.y + apart(random), 0.01 + half.z + apart(random)});
    if (k % 2 == 0) body.shape = Shape::convex_hull, body.size = {};
    scene.add(body);
  }
  Collider& collider = collider_on("opencl", 0.05);
  collider.set_scene(scene.scene);
  const std::vector<Contact> found = collider.collide(scene.poses()).contacts;
  EXPECT_EQ(found.size(), 2 * kBodies);
  EXPECT_TRUE(validates(scene, found, 0.05));
}

}  // namespace
}  // namespace oclide::test
